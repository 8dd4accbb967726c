/* A link to a place that is folded opens it, in browsers that do not do so themselves. */
const openFolded = () => {
  const target = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
  const folded = [];
  for (let part = target; part; part = part.parentElement)
    if (part.tagName === "DETAILS" && !part.open) folded.push(part);
  for (const part of folded) part.open = true;
  if (folded.length) target.scrollIntoView();
};
window.addEventListener("hashchange", openFolded);
window.addEventListener("DOMContentLoaded", openFolded);
