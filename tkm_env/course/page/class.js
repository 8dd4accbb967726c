// Sorts a table by the column whose heading is pressed, and shows one section at a time.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const cells = (row) => row.children;
  table.querySelectorAll("thead button").forEach((button) => {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const rises = head.getAttribute("aria-sort") !== "ascending";
      table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", rises ? "ascending" : "descending");
      const text = (row) => cells(row)[head.cellIndex].dataset.key ?? cells(row)[head.cellIndex].textContent.trim();
      const compare = (one, other) => {
        const [left, right] = [text(one), text(other)];
        if (left === "" || right === "") return (left === "") - (right === "") || 0;
        const order = left - right || left.localeCompare(right, undefined, { numeric: true });
        return rises ? order : -order;
      };
      [...body.rows].sort(compare).forEach((row) => body.append(row));
    });
  });
}
const choice = document.querySelector("#section");
choice?.addEventListener("change", () => {
  for (const row of document.querySelectorAll("tr[data-section]")) {
    row.hidden = choice.value !== "" && row.dataset.section !== choice.value;
  }
});
