// A scene in a notebook: it asks Python for a picture, shows it, and asks for the next; mouse and sliders send messages.
// Model and messages are anywidget's (model.send, "msg:custom"); the messages are those of waterview/notebook.py.

const STYLE = `
.waterview { font: 13px/1.4 sans-serif; max-width: 100%; }
.waterview img { display: block; max-width: 100%; cursor: crosshair; touch-action: none; user-select: none; }
.waterview .settings { display: grid; grid-template-columns: max-content minmax(8em, 1fr) max-content; gap: .3em .8em;
  align-items: center; max-width: 40em; margin-top: .4em; }
.waterview .note { min-height: 1.4em; opacity: .8; }
`;

function element(name, parent, properties = {}) {
  const made = Object.assign(document.createElement(name), properties);
  parent.append(made);
  return made;
}

// A slider runs from 0 to 1; a logarithmic one that includes 0 has it at its left end.
function valueAt(setting, share) {
  const { low, high, scale, smallest } = setting;
  if (scale !== "log") return low + share * (high - low);
  const least = smallest || low;
  if (least > low && share === 0) return low;
  return least * (high / least) ** share;
}

function shareOf(setting, value) {
  const { low, high, scale, smallest } = setting;
  if (scale !== "log") return (value - low) / (high - low);
  const least = smallest || low;
  return value <= least ? 0 : Math.log(value / least) / Math.log(high / least);
}

function addSetting(grid, setting, send) {
  element("label", grid, { textContent: setting.label, title: setting.doc });
  if (setting.choices.length) {
    const list = element("select", grid);
    for (const choice of setting.choices) element("option", list, { textContent: choice, value: choice });
    list.value = setting.value;
    list.onchange = () => send({ kind: "set", name: setting.name, value: list.value });
    element("span", grid);
    return;
  }
  const slider = element("input", grid, { type: "range", min: 0, max: 1, step: 0.001, title: setting.doc });
  slider.dataset.name = setting.name;
  slider.value = shareOf(setting, setting.value);
  const text = element("span", grid);
  const show = (value) => (text.textContent = `${Number(value.toPrecision(3))} ${setting.unit}`);
  show(setting.value);
  slider.oninput = () => {
    const value = valueAt(setting, Number(slider.value));
    show(value);
    send({ kind: "set", name: setting.name, value });
  };
}

function render({ model, el }) {
  const root = element("div", el, { className: "waterview" });
  element("style", root, { textContent: STYLE });
  const [width, height] = model.get("size");
  const picture = element("img", root, { width, height, alt: "water", draggable: false });
  const bar = element("div", root);
  const pause = element("button", bar, { textContent: "pause" });
  const calm = element("button", bar, { textContent: "calm" });
  const note = element("div", root, { className: "note", textContent: "Click the water: a drop falls. Right drag turns the view." });
  const settings = element("details", root);
  element("summary", settings, { textContent: "settings" });
  const grid = element("div", settings, { className: "settings" });

  const send = (message) => model.send(message);
  for (const setting of model.get("settings")) addSetting(grid, setting, send);

  let alive = true, isPaused = false, last = performance.now();
  const ask = () => {
    if (!alive) return;
    const now = performance.now();
    send({ kind: "frame", seconds: isPaused ? 0 : (now - last) / 1000 });
    last = now;
  };
  const onMessage = (message, buffers) => {
    if (message.kind === "note") note.textContent = message.text;
    if (message.kind !== "frame") return;
    const old = picture.src;
    picture.onload = () => {
      URL.revokeObjectURL(old);
      root.dataset.time = message.time;
      requestAnimationFrame(ask);
    };
    picture.src = URL.createObjectURL(new Blob([buffers[0]], { type: "image/jpeg" }));
  };
  model.on("msg:custom", onMessage);

  const at = (event) => {
    const box = picture.getBoundingClientRect();
    return { x: ((event.clientX - box.left) / box.width) * width, y: ((event.clientY - box.top) / box.height) * height };
  };
  let held = null;
  picture.onpointerdown = (event) => {
    picture.setPointerCapture(event.pointerId);
    held = { button: event.button, ...at(event) };
    if (event.button === 0) send({ kind: "drop", x: held.x, y: held.y });
  };
  picture.onpointermove = (event) => {
    if (held === null) return;
    const now = at(event);
    if (held.button === 0) send({ kind: "wake", x: now.x, y: now.y });
    else send({ kind: held.button === 2 ? "orbit" : "pan", dx: now.x - held.x, dy: now.y - held.y });
    held = { ...held, ...now };
  };
  picture.onpointerup = picture.onpointercancel = () => (held = null);
  picture.oncontextmenu = (event) => event.preventDefault();
  picture.addEventListener("wheel", (event) => {
    event.preventDefault();
    send({ kind: "zoom", notches: -Math.sign(event.deltaY), ...at(event) });
  }, { passive: false });
  pause.onclick = () => {
    isPaused = !isPaused;
    pause.textContent = isPaused ? "go on" : "pause";
  };
  calm.onclick = () => send({ kind: "calm" });

  ask();
  return () => {
    alive = false;
    model.off("msg:custom", onMessage);
  };
}

export default { render };
