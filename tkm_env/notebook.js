// Shows the state of a game that the kernel keeps, and sends the names of the actions that a person chooses.

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function render({ model, el }) {
  const picture = element("div");
  const said = element("p", { ariaLive: "polite" });
  const menu = element("div", { role: "group", ariaLabel: "actions" });
  el.append(picture, said, menu);

  const play = (name) => model.send({ play: name });

  function offer(choices, isPart) {
    menu.replaceChildren();
    for (const { name, help } of choices) {
      menu.append(element("button", { type: "button", title: help, onclick: () => play(name) }, name));
    }
    if (isPart) menu.append(element("button", { type: "button", onclick: draw }, "all actions"));
    else if (model.get("state").can_undo) {
      menu.append(element("button", { type: "button", onclick: () => model.send({ undo: true }) }, "undo"));
    }
    for (const button of menu.children) button.style.margin = "0 .4em .4em 0";
  }

  function draw() {
    const { svg, places, choices, text } = model.get("state");
    picture.innerHTML = svg;
    said.textContent = text;
    offer(choices, false);
    const drawing = picture.querySelector("svg");
    drawing.style.maxWidth = "100%";
    drawing.style.height = "auto";
    for (const { name, label, x, y, width, height } of places) {
      const there = choices.filter((choice) => choice.place === name);
      const spot = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      for (const [key, value] of Object.entries({ x, y, width, height, fill: "transparent" })) spot.setAttribute(key, value);
      spot.style.cursor = "pointer";
      spot.append(Object.assign(document.createElementNS("http://www.w3.org/2000/svg", "title"), { textContent: label }));
      spot.addEventListener("click", () => (there.length === 1 ? play(there[0].name) : offer(there, true)));
      drawing.append(spot);
    }
  }

  model.on("change:state", draw);
  draw();
  return () => model.off("change:state", draw);
}

export default { render };
