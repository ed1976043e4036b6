// The explorers of a page without a kernel. Their controls step through states that torch computed when the page was
// built. The picture is the same as in JupyterLab, picture.js, with a model that answers from a recording.

import { Part, fetched } from "./frames.js";
import picture from "./picture.js";
import { stackedAreas, stackedImage, stackedSize, stackedStrokes } from "./stacked.js";

/** @typedef {{name: string, label: string, kind: string, texts: string[], points?: any[], leads: Record<string, Record<string, number>>}} Axis */

const SOON = "600px"; // distance from the window's edge within which an explorer's recording is fetched
const READING = 200; // ms that a number stays unchanged during a drag, so that it can be read
// Pairs of a log10 of h and the ms that `play` takes per decade while h is larger than that.
const PACE = [[-2, 1750], [-4, 750], [-Infinity, 670]];
const SLOW = 1500; // least ms per point in `play`, if the system asks for reduced motion
const FEWEST = 5; // least number of points from 1 to 1e-4 for which `play` stops at 1e-4
const [FIRST, NEAR, LAST] = [0, -4, -12]; // log10 of h: `play` goes from FIRST to NEAR, and then on to LAST

/**
 * Make an element.
 * @param {string} name
 * @param {Record<string, any>} [properties]
 * @param {(Node | string)[]} children
 * @returns {any}
 */
function make(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/**
 * Return a function that runs an action at most once in READING ms, or at once on request. The last call always runs.
 * @param {() => void} action
 */
function seldom(action) {
  let last = -Infinity;
  let waiting = 0;
  const act = () => {
    clearTimeout(waiting);
    [last, waiting] = [performance.now(), 0];
    action();
  };
  return (/** @type {boolean} */ atOnce) => {
    const pause = last + READING - performance.now();
    if (atOnce || pause <= 0) act();
    else waiting ||= setTimeout(act, pause);
  };
}

/** A stand-in for the widget model that picture.js expects: named values and their listeners. */
class Model {
  /** @param {Record<string, any>} values */
  constructor(values) {
    this.values = values;
    this.heard = new EventTarget();
  }

  /** @param {string} name */
  get(name) {
    return this.values[name];
  }

  /**
   * @param {string} name
   * @param {any} value
   */
  set(name, value) {
    this.values[name] = value;
    this.heard.dispatchEvent(new Event(`change:${name}`));
  }

  save_changes() {}

  /**
   * @param {string} name
   * @param {() => void} action
   */
  on(name, action) {
    this.heard.addEventListener(name, action);
  }

  /**
   * @param {string} name
   * @param {() => void} action
   */
  off(name, action) {
    this.heard.removeEventListener(name, action);
  }
}

/** A drop-down list. */
class List {
  /**
   * @param {Axis} axis
   * @param {(index: number) => void} choose
   */
  constructor(axis, choose) {
    const options = axis.texts.map((text, index) => make("option", { value: index }, text));
    this.input = make("select", {}, ...options);
    this.input.addEventListener("change", () => choose(Number(this.input.value)));
    this.element = make("label", {}, make("span", {}, axis.label), this.input);
  }

  /** @param {number} index */
  show(index) {
    this.input.value = index;
  }
}

/** A slider that stops only at its points. */
class SliderControl {
  /**
   * @param {Axis} axis
   * @param {(index: number) => void} choose
   */
  constructor(axis, choose) {
    this.texts = axis.texts;
    this.input = make("input", { type: "range", min: 0, max: axis.texts.length - 1, step: 1 });
    this.input.dataset.control = axis.name;
    this.input.addEventListener("input", () => choose(Number(this.input.value)));
    this.output = make("output");
    this.element = make("label", { className: "slider" }, make("span", {}, axis.label), this.output, this.input);
  }

  /** @param {number} index */
  show(index) {
    this.input.value = index;
    this.input.setAttribute("aria-valuetext", this.texts[index]);
    this.output.textContent = this.texts[index];
  }
}

/** The buttons of lesson 3: each calls backward() once more, except one that resets x.grad. */
class Calls {
  /**
   * @param {Axis} axis
   * @param {(index: number) => void} choose
   */
  constructor(axis, choose) {
    this.points = axis.points ?? [];
    this.now = 0;
    const names = this.points.filter((calls) => calls.length === 1).map(([name]) => name);
    this.buttons = names.map((name) => {
      const button = make("button", { type: "button" }, make("code", {}, `(${name}).backward()`));
      button.addEventListener("click", () => this.after(name) >= 0 && choose(this.after(name)));
      return { name, button };
    });
    const empty = make("button", { type: "button" }, make("code", {}, "x.grad = None"));
    empty.addEventListener("click", () => choose(this.index([])));
    this.element = make("div", { className: "calls" }, ...this.buttons.map(({ button }) => button), empty);
  }

  /** @param {string[]} calls */
  index(calls) {
    return this.points.findIndex((known) => String(known) === String(calls));
  }

  /** @param {string} name */
  after(name) {
    return this.index([...this.points[this.now], name]);
  }

  /** @param {number} index */
  show(index) {
    this.now = index;
    for (const { name, button } of this.buttons) button.setAttribute("aria-disabled", String(this.after(name) < 0));
  }
}

/** @type {Record<string, any>} */
const CONTROLS = { list: List, slider: SliderControl, calls: Calls };

/** One explorer of the page. */
class Explorer {
  /**
   * @param {HTMLElement} figure
   * @param {any} recording
   */
  constructor(figure, recording) {
    this.figure = figure;
    /** @type {Axis[]} */
    this.axes = recording.axes;
    this.recording = recording;
    const shape = this.axes.map((axis) => axis.texts.length);
    const parts = Object.entries(recording.parts).map(([name, packed]) => [name, new Part(/** @type {any} */ (packed), shape)]);
    /** @type {Record<string, Part>} */
    this.parts = Object.fromEntries(parts);
    /** @type {number[]} */
    this.state = [...recording.start];
    this.scene = "";
    this.playing = 0;
    this.begun = false; // whether a key or the pointer has been pressed and nothing has moved since
    this.model = new Model({
      ...{ strokes: [], size: recording.size, dark: false, alt: "", label: recording.label },
      ratio: recording.size[0] / recording.size[1],
      ...{ areas: [], strides: [1, 1], look: {}, grip: {}, steps: [0, 0] },
    });
    this.steps = [0, 0];
    this.writeSeldom = seldom(() => this.write());
    this.controls = this.axes.map((axis, i) => new CONTROLS[axis.kind](axis, (/** @type {number} */ at) => this.touch(i, at)));
    this.furnish();
    this.model.on("change:grip", () => this.gripped());
    this.model.on("change:steps", () => this.stepped());
    this.model.on("change:look", () => this.show());
    this.show();
    picture.render({ model: /** @type {any} */ (this.model), el: this.view });
  }

  /** Replace the still picture by the controls and the live picture. */
  furnish() {
    const { words, asks, caption } = this.recording;
    const button = (/** @type {string} */ text, /** @type {() => void} */ action) => {
      const made = make("button", { type: "button" }, text);
      made.addEventListener("click", action);
      return made;
    };
    this.player = button(words.play, () => this.play());
    this.player.setAttribute("aria-pressed", "false");
    this.asking = asks.map((/** @type {string} */ _, /** @type {number} */ i) => button(String(i + 1), () => this.ask(i)));
    for (const [i, one] of this.asking.entries()) one.setAttribute("aria-label", `${words.question} ${i + 1}`);
    const asking = this.asking.length ? [make("span", {}, words.question), ...this.asking] : [];
    this.question = make("div", { className: "question", hidden: true });
    this.question.setAttribute("role", "status");
    const bar = make("div", { className: "buttons" }, button(words.reset, () => this.reset()), this.player, ...asking);
    const boxes = ["calls", "list", "slider"].map((kind) => {
      const those = this.controls.filter((_, i) => this.axes[i].kind === kind);
      return make("div", { className: "controls" }, ...those.map(({ element }) => element));
    });
    this.view = make("div", { className: "view" });
    this.figure.querySelector(".wide")?.replaceWith(...boxes, bar, this.question, this.problems, this.view);
    this.numbers.setAttribute("role", "status");
    this.problems.setAttribute("role", "status");
    const said = this.figure.querySelector("figcaption");
    if (said) said.textContent = caption;
    this.figure.addEventListener("keydown", ({ repeat }) => (this.begun = !repeat), true);
    this.figure.addEventListener("pointerdown", () => (this.begun = true), true);
    this.figure.classList.add("live");
  }

  /** @returns {HTMLElement} */
  get numbers() {
    return /** @type {HTMLElement} */ (this.figure.querySelector(".numbers"));
  }

  /** @returns {HTMLElement} */
  get problems() {
    return /** @type {HTMLElement} */ (this.figure.querySelector(".problems"));
  }

  /**
   * Set a control for the user. A choice may also move other controls to values at which there is something to see.
   * @param {number} axis
   * @param {number} index
   */
  touch(axis, index) {
    this.stop();
    this.put(axis, index);
    for (const [name, at] of Object.entries(this.axes[axis].leads[index] ?? {})) this.put(this.named(name), at);
    this.show();
  }

  /**
   * @param {number} axis
   * @param {number} index
   */
  put(axis, index) {
    this.state[axis] = Math.min(Math.max(index, 0), this.axes[axis].texts.length - 1);
  }

  /** @param {string} name */
  named(name) {
    return this.axes.findIndex((axis) => axis.name === name);
  }

  /** Show the state. Controls and picture change at once. The text changes at once after a press, but during a drag
   * only as often as it can be read. */
  show() {
    this.controls.forEach((control, i) => control.show(this.state[i]));
    const still = this.parts.still.number(this.state);
    const narrow = Boolean(this.model.get("look").narrow);
    if (this.scene !== `${still} ${narrow}`) {
      this.scene = `${still} ${narrow}`;
      this.setScene(narrow);
    }
    if (!this.view.hidden) this.model.set("strokes", this.strokes(narrow));
    this.writeSeldom(this.begun);
    this.begun = false;
  }

  /** @param {boolean} narrow */
  setScene(narrow) {
    const still = this.parts.still.at(this.state);
    this.view.hidden = !still; // there is no picture if the function has no value anywhere
    if (!still) return;
    const { size } = this.recording;
    const areas = JSON.parse(this.parts.areas.at(this.state));
    this.panes = JSON.parse(this.parts.panes.at(this.state));
    const image = narrow ? stackedImage(still, this.panes, size) : still;
    this.model.set("size", narrow ? stackedSize(this.panes, size) : size);
    this.model.set("areas", narrow ? stackedAreas(areas, this.panes, size) : areas);
    this.model.set("still", new TextEncoder().encode(`data:image/svg+xml,${encodeURIComponent(image)}`));
  }

  /** @param {boolean} narrow */
  strokes(narrow) {
    const { of, size } = this.recording;
    return of.flatMap((/** @type {number} */ axes, /** @type {number} */ i) => {
      const strokes = JSON.parse(this.parts[`stroke${i}`].at(this.state));
      return narrow ? stackedStrokes(strokes, this.panes, axes, size) : strokes;
    });
  }

  write() {
    this.numbers.innerHTML = this.parts.words.at(this.state);
    this.problems.innerHTML = this.parts.problems.at(this.state);
    this.model.set("alt", this.parts.alt.at(this.state));
  }

  /** Move the controls to the points that are nearest to the pointer's position in the picture. */
  gripped() {
    this.stop();
    for (const [name, value] of Object.entries(this.model.get("grip"))) {
      const axis = this.named(name);
      if (axis < 0) continue;
      const far = (this.axes[axis].points ?? []).map((point) => Math.abs(point - value));
      this.put(axis, far.indexOf(Math.min(...far)));
    }
    this.show();
  }

  /** Move the controls from point to point by the arrow keys pressed on the picture. */
  stepped() {
    this.stop();
    /** @type {number[]} */
    const steps = this.model.get("steps");
    steps.forEach((step, i) => {
      const axis = this.named(this.recording.arrows[i]);
      this.put(axis, this.state[axis] + step - this.steps[i]);
    });
    this.steps = steps;
    this.show();
  }

  reset() {
    this.stop();
    this.state = [...this.recording.start];
    this.tell(-1);
    this.show();
  }

  /** @param {number} number the question's number, from 0 */
  ask(number) {
    this.stop();
    this.state = [...this.recording.questions[number]];
    this.tell(number);
    this.show();
  }

  /** @param {number} number */
  tell(number) {
    this.asking.forEach((/** @type {HTMLElement} */ one, /** @type {number} */ i) => one.classList.toggle("chosen", i === number));
    this.question.hidden = number < 0;
    this.question.innerHTML = this.recording.asks[number] ?? "";
  }

  /** Let h decrease from 1 to 1e-4, or from there on further down, until the user touches a control. */
  play() {
    if (this.playing) return this.stop();
    const axis = this.named("h");
    const points = this.axes[axis].points ?? [];
    const now = this.state[axis];
    const shown = points.filter((/** @type {number} */ point) => NEAR <= point && point <= FIRST);
    const goesOn = points[now] >= NEAR && points[now - 1] < NEAR && points[now - 1] >= LAST;
    const until = goesOn || shown.length < FEWEST ? LAST : NEAR; // if there are few points, `play` goes through all of them
    const go = (/** @type {number} */ at) => {
      this.put(axis, at);
      this.show();
      if (at === 0 || points[at - 1] < until) return this.stop();
      const slow = matchMedia("(prefers-reduced-motion: reduce)").matches;
      const [, decade] = PACE.find(([low]) => points[at] > low) ?? [0, 0];
      const pause = decade * (points[at] - points[at - 1]);
      this.playing = setTimeout(() => go(at - 1), slow ? Math.max(SLOW, pause) : pause);
    };
    this.player.setAttribute("aria-pressed", "true");
    const first = goesOn ? now : points.findLastIndex((point) => point <= FIRST);
    go(now === first && first > 0 ? first - 1 : first); // a press of the button has a visible effect at once
  }

  stop() {
    clearTimeout(this.playing);
    this.playing = 0;
    this.player.setAttribute("aria-pressed", "false");
  }
}

/**
 * Make an explorer interactive; if its recording cannot be fetched, the still picture stays.
 * @param {HTMLElement} figure
 */
async function enliven(figure) {
  try {
    new Explorer(figure, await fetched(/** @type {string} */ (figure.dataset.frames)));
  } catch (error) {
    console.warn(error);
  }
}

const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      enliven(/** @type {HTMLElement} */ (target));
    }
  },
  { rootMargin: SOON },
);
document.querySelectorAll("figure[data-frames]").forEach((figure) => seen.observe(figure));
