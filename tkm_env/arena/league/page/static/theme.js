"use strict";
// Light or dark, kept as on the pages with ratings; and what changes, such as a bot that waits, is shown again by itself.

const root = document.documentElement;
root.dataset.theme = localStorage.getItem("theme") ?? "";
document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
});
if (document.querySelector("[data-waits]")) setInterval(() => document.hidden || location.reload(), 3000);
