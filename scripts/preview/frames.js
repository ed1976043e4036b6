// Unpack the recording of an explorer: restore exactly the texts that `pack.py` has packed.

/** @typedef {string | {places: number, steps: number[]}} Column */
/** @typedef {{words: string[], columns: Column[]}} Template */
/** @typedef {{axes: number[], which: number[], kinds: number[], templates: Template[]}} Packed */

/**
 * Return the cumulative sums of differences.
 * @param {number[]} steps
 * @returns {number[]}
 */
function sums(steps) {
  let sum = 0;
  return steps.map((step) => (sum += step));
}

/**
 * Return a column's numbers as the texts that were packed.
 * @param {Column} column
 * @returns {string[]}
 */
function written(column) {
  if (typeof column === "string") return column.split(" ");
  return sums(column.steps).map((one) => (one / 10 ** column.places).toFixed(column.places));
}

/** One part of all frames, which has a text for each state of the controls. */
export class Part {
  /**
   * @param {Packed} packed
   * @param {number[]} shape the number of points of each control
   */
  constructor(packed, shape) {
    this.axes = packed.axes;
    this.shape = packed.axes.map((axis) => shape[axis]);
    this.which = sums(packed.which);
    this.kinds = sums(packed.kinds);
    this.templates = packed.templates;
    /** @type {(string[][] | undefined)[]} */
    this.columns = [];
    const counts = packed.templates.map(() => 0);
    this.rows = this.kinds.map((kind) => counts[kind]++);
  }

  /**
   * Return the number of the part's text for a state. Equal numbers mean equal texts.
   * @param {number[]} state the index of each control's point
   */
  number(state) {
    return this.which[this.axes.reduce((at, axis, i) => at * this.shape[i] + state[axis], 0)];
  }

  /**
   * Return the part's text for a state.
   * @param {number[]} state
   */
  at(state) {
    const number = this.number(state);
    const [kind, row] = [this.kinds[number], this.rows[number]];
    const { words, columns } = this.templates[kind];
    const numbers = (this.columns[kind] ??= columns.map(written));
    return words.reduce((text, word, i) => text + numbers[i - 1][row] + word);
  }
}

/**
 * Fetch a recording. The file itself is compressed, so that it is small even from a server that does not compress.
 * @param {string} address
 * @returns {Promise<any>}
 */
export async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok || !answer.body) throw new Error(`${address}: ${answer.status}`);
  return new Response(answer.body.pipeThrough(new DecompressionStream("gzip"))).json();
}
