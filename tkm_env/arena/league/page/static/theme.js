"use strict";
// Light or dark, kept as on the pages with ratings; times as they are told; and what changes, such as a bot that waits, is shown again by itself.

const root = document.documentElement;
root.dataset.theme = localStorage.getItem("theme") ?? "";
document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
});

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60]]; // in seconds
const DAYS = 7; // older times stay as they are
const told = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
for (const time of document.querySelectorAll("time")) {
  const at = new Date(time.textContent.replace(" UTC", "Z").replace(" ", "T"));
  const seconds = (Date.now() - at) / 1000;
  if (!(seconds >= 0 && seconds < DAYS * 86400)) continue;
  time.title = time.textContent;
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? UNITS.at(-1);
  time.textContent = told.format(-Math.floor(seconds / length), unit);
}

if (document.querySelector("[data-waits]")) setInterval(() => document.hidden || location.reload(), 3000);
