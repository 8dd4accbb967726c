// Shows what an action would do while it, or its place on the board, is pointed at, and the board again once the bot has played.

const EVERY = 1000; // milliseconds between two looks while the bot is to play

const table = document.querySelector("[data-state]");
const images = [...table.querySelectorAll("img")];
const addresses = images.map((image) => image.src);

function show(action) {
  images.forEach((image, number) => {
    if (getComputedStyle(image).display === "none") return;
    image.src = action ? `${addresses[number]}&action=${encodeURIComponent(action)}` : addresses[number];
  });
}

for (const button of table.querySelectorAll("[data-preview]")) {
  for (const event of ["pointerenter", "focus"]) button.addEventListener(event, () => show(button.value));
  for (const event of ["pointerleave", "blur"]) button.addEventListener(event, () => show(""));
}

async function look() {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const found = page.querySelector("[data-state]");
  if (found && found.dataset.state !== table.dataset.state) location.reload();
}

if ("botPlays" in table.dataset) setInterval(() => document.hidden || look().catch(() => {}), EVERY);
