// The picture of an explorer: a static image with moving strokes over it, which a pointer and the arrow keys control.
//
// The kernel draws the picture for the page: `look` reports the page's theme, background and pixel density. The user's
// input is sent as the traits `grip` and `steps`. ipywidgets sends one message at a time, and always sends the last.

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1] };
const NARROW = 520; // pixels; on a narrower page, two plots side by side are too small to read
const MARGIN = 0.02; // fraction of the picture: a margin around an axes that belongs to it, too

/** Return the page's colour behind an element as [red, green, blue], or null if nothing opaque is there. */
function behind(element) {
  for (let at = element; at; at = at.parentElement) {
    const [red, green, blue, opaque = 1] = getComputedStyle(at).backgroundColor.match(/[\d.]+/g).map(Number);
    if (opaque === 1) return [red, green, blue];
  }
  return null;
}

/** Return whether the theme is dark, according to JupyterLab, VS Code or else the system. */
function saysDark() {
  const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
  if (jpThemeLight) return jpThemeLight === "false";
  if (vscodeThemeKind) return !vscodeThemeKind.includes("light");
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

function look(element, before) {
  const dark = saysDark();
  const color = behind(element) ?? (dark ? [17, 17, 17] : [255, 255, 255]);
  return {
    // Depends on the colour behind the widget, not on the theme: VS Code puts white behind it on a dark page.
    dark: 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2] < 128,
    background: "#" + color.map((part) => Math.round(part).toString(16).padStart(2, "0")).join(""),
    density: devicePixelRatio,
    // A hidden element has no width.
    narrow: element.clientWidth ? element.clientWidth < NARROW : Boolean(before.narrow),
    still: matchMedia("(prefers-reduced-motion: reduce)").matches,
  };
}

/** Call `changed` whenever the theme or the pixel density may have changed, until the signal aborts. */
function watch(changed, signal) {
  // A theme's colours may change a little later than its name.
  const soon = () => [0, 300, 1000].forEach((wait) => setTimeout(() => signal.aborted || changed(), wait));
  const observer = new MutationObserver(soon);
  observer.observe(document.body, { attributes: true });
  signal.addEventListener("abort", () => observer.disconnect());
  for (const query of ["(prefers-color-scheme: dark)", "(prefers-reduced-motion: reduce)"]) {
    matchMedia(query).addEventListener("change", soon, { signal });
  }
  const arm = () => {
    const same = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    same.addEventListener("change", () => (changed(), arm()), { once: true, signal });
  };
  arm();
}

/** Return the axes at a point (fractions of the picture from its upper left corner), if it has controls to move. */
function hit(areas, [x, y]) {
  return areas.find(
    ({ box: [left, top, right, bottom] }) =>
      x > left - MARGIN && x < right + MARGIN && y > top - MARGIN && y < bottom + MARGIN,
  );
}

/** Return the values that a point in an axes stands for, by the names of the controls. */
function meaning({ box: [left, top, right, bottom], across, up }, [x, y]) {
  const share = (part) => Math.min(Math.max(part, 0), 1);
  const value = ([low, high], part) => low + (high - low) * share(part);
  const found = {};
  if (across) found[across.control] = value(across.ends, (x - left) / (right - left));
  if (up) found[up.control] = value(up.ends, (bottom - y) / (bottom - top));
  return found;
}

/** Return whether the picture handles a key; the page handles all others. */
function takes({ key, ctrlKey, metaKey, altKey }) {
  return key in ARROWS && !ctrlKey && !metaKey && !altKey;
}

function listen(model, box, signal) {
  const on = (name, action) => box.addEventListener(name, action, { signal });
  const place = (event) => {
    const { left, top, width, height } = box.getBoundingClientRect();
    return [(event.clientX - left) / width, (event.clientY - top) / height];
  };
  let held = null;
  let count = 0;
  const move = (event) => {
    model.set("grip", { ...meaning(held, place(event)), count: ++count });
    model.save_changes();
  };
  on("pointerdown", (event) => {
    held = event.button === 0 ? hit(model.get("areas"), place(event)) : null;
    if (!held) return;
    event.preventDefault();
    box.focus({ preventScroll: true });
    box.setPointerCapture(event.pointerId);
    move(event);
  });
  on("pointermove", (event) => {
    if (held) return move(event);
    const area = hit(model.get("areas"), place(event));
    box.style.cursor = !area ? "" : area.across && area.up ? "move" : area.across ? "ew-resize" : "ns-resize";
  });
  for (const end of ["pointerup", "pointercancel"]) on(end, () => (held = null));
  // `claim` runs in the capture phase, before JupyterLab reads the attribute. Without the attribute, JupyterLab's arrow
  // keys would move between cells; its other shortcuts, such as Ctrl+S, must still work here.
  const claim = (event) =>
    event.target === box && box.toggleAttribute("data-lm-suppress-shortcuts", takes(event));
  window.addEventListener("keydown", claim, { capture: true, signal });
  on("keydown", (event) => {
    if (!takes(event)) return;
    event.preventDefault();
    const [which, way] = ARROWS[event.key];
    const steps = [...model.get("steps")]; // total steps, so that none is lost if messages are merged
    steps[which] += way * (event.shiftKey ? 1 : model.get("strides")[which]);
    model.set("steps", steps);
    model.save_changes();
  });
}

/** Return the width and the height of the canvas in device pixels. */
function pixels(canvas) {
  return [canvas.clientWidth, canvas.clientHeight].map((one) => Math.round(one * devicePixelRatio));
}

/** Draw paths from the lowest to the highest. The canvas is `across` units wide, and the y axis points up. */
function draw(canvas, strokes, across) {
  const pen = canvas.getContext("2d");
  const [width, height] = pixels(canvas);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const scale = width / across;
  pen.clearRect(0, 0, width, height);
  for (const { path, at, clip, fill, line, thick, cap, join, dash = [], start = 0 } of strokes) {
    pen.save();
    pen.setTransform(scale, 0, 0, -scale, 0, height);
    if (clip) pen.clip(new Path2D(clip));
    Object.assign(pen, { fillStyle: fill, strokeStyle: line, lineWidth: thick, lineCap: cap, lineJoin: join });
    pen.setLineDash(dash);
    pen.lineDashOffset = start;
    const shape = new Path2D(path);
    for (const [x, y] of at) {
      pen.setTransform(scale, 0, 0, -scale, scale * x, height - scale * y);
      if (fill) pen.fill(shape);
      if (line) pen.stroke(shape);
    }
    pen.restore();
  }
}

/** Copy a text to the clipboard during the click. If the browser forbids it, show the text, selected. */
async function copy(text, done, note) {
  try {
    await navigator.clipboard.writeText(text);
    note.textContent = done;
    setTimeout(() => note.textContent === done && note.replaceChildren(), 3000);
  } catch {
    const area = document.createElement("textarea");
    Object.assign(area, { value: text, readOnly: true, rows: text.split("\n").length });
    area.setAttribute("aria-label", done);
    note.replaceChildren(area);
    area.select();
  }
}

/** Add to the controls around the picture what ipywidgets cannot express. */
function furnish(explorer, model, note) {
  // The confirmation of the copy button is shown next to it.
  explorer?.querySelector(".secant-copied")?.append(note);
  const button = explorer?.querySelector(".secant-copy");
  if (button) button.onclick = () => copy(model.get("text"), model.get("copied"), note);
  // A slider's handle gets the name of the text box next to it.
  for (const handle of explorer?.querySelectorAll(".noUi-handle:not([aria-label])") ?? []) {
    const name = handle.closest(".widget-hbox")?.querySelector(".widget-label")?.textContent;
    if (name) handle.setAttribute("aria-label", name);
  }
}

function render({ model, el }) {
  const stop = new AbortController();
  const box = document.createElement("div");
  const canvas = document.createElement("canvas");
  const note = document.createElement("div");
  box.className = "secant-picture";
  box.tabIndex = 0;
  box.style.aspectRatio = model.get("ratio");
  box.setAttribute("aria-label", model.get("label"));
  box.setAttribute("role", "application");
  note.className = "secant-note";
  note.setAttribute("role", "status");
  const gone = document.createElement("div");
  gone.setAttribute("role", "status");
  box.append(canvas);
  el.append(gone, box, note);

  const decoder = new TextDecoder();
  const page = { dark: saysDark() };
  let image = null; // the static image that is shown now
  let scene = null; // the bytes of the newest static image, shown or not
  let next = null; // shown once it is decoded; until then new strokes wait, because they belong to it
  let ready = false;
  let frame = 0;
  const paint = () => {
    frame = 0;
    if (next && !ready) return;
    if (next) {
      image?.remove();
      image = next;
      next = null;
      box.prepend(image);
      const [width, height] = image.size;
      box.style.aspectRatio = width / height;
      box.classList.toggle("secant-stacked", width < height);
      tint();
      describe();
    }
    if (image) draw(canvas, model.get("strokes"), image.size[0]);
  };
  const soon = () => (frame ||= requestAnimationFrame(paint));
  const show = () => {
    if (model.get("still")?.byteLength && scene !== model.get("still")) {
      scene = model.get("still");
      ready = false;
      const made = (next = new Image());
      Object.assign(made, { src: decoder.decode(scene), draggable: false, decoding: "sync" });
      made.dataset.dark = model.get("dark");
      made.size = model.get("size"); // not naturalWidth, which is wrong in WebKit until an SVG has been laid out
      const done = () => next === made && ((ready = true), soon());
      made.decode().then(done, done);
    }
    soon();
  };
  const tint = () => {
    // Until the kernel has drawn the image in the page's colours, black becomes white, and colours keep their hue.
    const same = !image || image.dataset.dark === String(page.dark);
    box.style.filter = same ? "" : "invert(93%) hue-rotate(180deg)";
  };
  const describe = () => {
    if (image) image.alt = model.get("alt");
  };
  const report = () => {
    if (!el.isConnected) return;
    furnish(el.closest(".secant-explorer"), model, note);
    const now = look(el, model.get("look"));
    page.dark = now.dark;
    tint();
    if (String(pixels(canvas)) !== String([canvas.width, canvas.height])) soon();
    if (JSON.stringify(now) === JSON.stringify(model.get("look"))) return;
    model.set("look", now);
    model.save_changes();
  };
  // ipywidgets marks widgets that have lost their kernel with a broken link, but only after a restart, and it does not
  // say what to do. JupyterLab and Notebook report all other ends of a kernel.
  const lose = () => {
    gone.className = "secant-problems";
    gone.textContent = model.get("gone");
  };
  const linked = () => el.closest(".jupyter-widgets-disconnected") && lose();
  const session = model.widget_manager?.context?.sessionContext;
  const ended = (_, status) => ["dead", "restarting", "autorestarting", "starting"].includes(status) && lose();
  // A kernel that is restarted in another tab keeps its id, but its messages name another session.
  let sender = null;
  const heard = (_, { header }) => header.session !== (sender ??= header.session) && lose();
  session?.kernelChanged.connect(lose);
  session?.statusChanged.connect(ended);
  session?.iopubMessage.connect(heard);
  const changes = {
    "change:still": show,
    "change:strokes": show,
    "change:alt": describe,
    comm_live_update: () => setTimeout(linked),
  };
  for (const [name, action] of Object.entries(changes)) model.on(name, action);
  show();
  listen(model, box, stop.signal);
  watch(report, stop.signal);
  const sized = new ResizeObserver(report); // also reports the first time on the page
  sized.observe(el);
  return () => {
    stop.abort();
    sized.disconnect();
    session?.kernelChanged.disconnect(lose);
    session?.statusChanged.disconnect(ended);
    session?.iopubMessage.disconnect(heard);
    cancelAnimationFrame(frame);
    for (const [name, action] of Object.entries(changes)) model.off(name, action);
  };
}

export default { render };
