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
  el.classList.add("tkm-play");
  for (const [name, colour] of Object.entries(model.get("state").colours)) el.style.setProperty(`--${name}`, colour);
  el.append(picture, said, menu);

  const send = (message) => model.send(message);

  function play({ name, label, question }) {
    if (!question) return send({ play: name });
    said.textContent = question;
    show([["", label || name, "", () => send({ play: name })], ["", "no", "", draw]]);
  }

  // Replace the buttons, below their headings; a person who reached them by the keyboard stays among them.
  function show(buttons) {
    const isFocused = menu.contains(menu.getRootNode().activeElement);
    const groups = new Map();
    for (const [heading, text, title, onclick] of buttons) {
      if (!groups.has(heading)) groups.set(heading, element("div", { role: "group", ariaLabel: heading }, element("h4", {}, heading)));
      groups.get(heading).append(element("button", { type: "button", title, onclick }, text));
    }
    menu.replaceChildren(...groups.values());
    if (isFocused) menu.querySelector("button")?.focus({ preventScroll: true });
  }

  function offer(choices, isPart) {
    const buttons = choices.map((choice) => [choice.group, choice.label || choice.name, choice.help, () => play(choice)]);
    if (isPart) buttons.push(["", "all actions", "", draw]);
    else if (model.get("state").can_undo) buttons.push(["", "undo", "", () => send({ undo: true })]);
    show(buttons);
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
      spot.addEventListener("click", () => (there.length === 1 ? play(there[0]) : offer(there, true)));
      drawing.append(spot);
    }
  }

  model.on("change:state", draw);
  draw();
  return () => model.off("change:state", draw);
}

export default { render };
