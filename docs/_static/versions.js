/* A menu of the versions that docs/site_versions.py has listed in the folder above this one. */
const offerVersions = async () => {
  const form = document.querySelector("form.versions");
  if (!form) return;
  const own = new URL(document.documentElement.dataset.content_root, window.location.href);
  const read = async (path) => (await fetch(new URL(`../${path}`, own))).json();
  const menu = form.querySelector("select");
  for (const name of await read("versions.json"))
    menu.add(new Option(name, name, false, name === menu.dataset.name));
  menu.addEventListener("change", async () => {
    const page = window.location.pathname.slice(own.pathname.length);
    const pages = await read(`${menu.value}/pages.json`).catch(() => []);
    window.location.assign(new URL(`../${menu.value}/${pages.includes(page) ? page : ""}`, own));
  });
  form.hidden = false;
};
window.addEventListener("DOMContentLoaded", offerVersions);
