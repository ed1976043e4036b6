// A picture whose axes stand side by side, for a narrow page: the axes one above another.
// What was drawn is moved and not scaled, so that a marker stays round and a line as thick.

/** @typedef {([number, number] | null)[]} Panes from left to right, for each axes that is seen; in pixels */
/** @typedef {[number, number]} Size width and height, in pixels */

/**
 * How wide the stacked picture is.
 * @param {Panes} panes
 */
function width(panes) {
  return Math.max(...panes.map((pane) => (pane ? pane[1] - pane[0] : 0)));
}

/**
 * The size of the stacked picture.
 * @param {Panes} panes
 * @param {Size} size
 * @returns {Size}
 */
export function stackedSize(panes, [, height]) {
  return [width(panes), panes.filter((pane) => pane !== null).length * height];
}

/**
 * @param {string} svg
 * @param {Panes} panes
 * @param {Size} size
 */
export function stackedImage(svg, panes, size) {
  const whole = svg.slice(svg.indexOf("<svg"));
  const [wide, tall] = stackedSize(panes, size);
  const height = size[1];
  const shown = panes.filter((pane) => pane !== null);
  const each = shown.map(([left, right], row) => {
    const place = `y="${row * height}" width="${right - left}" height="${height}"`;
    return `<svg ${place} viewBox="${left} 0 ${right - left} ${height}">${whole}</svg>`;
  });
  const root = `xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${tall}"`;
  return `<svg ${root}>${each.join("")}</svg>`;
}

/**
 * @param {any[]} strokes of an axes, with y upwards
 * @param {Panes} panes
 * @param {number} axes
 * @param {Size} size
 */
export function stackedStrokes(strokes, panes, axes, [, height]) {
  const pane = panes[axes];
  if (!pane) return strokes;
  const below = panes.slice(axes + 1).filter((one) => one !== null).length;
  const [right, up] = [-pane[0], below * height];
  return strokes.map((stroke) => ({
    ...stroke,
    at: stroke.at.map((/** @type {number[]} */ [x, y]) => [x + right, y + up]),
    ...(stroke.clip && { clip: moved(stroke.clip, right, up) }),
  }));
}

/**
 * A path of pairs of numbers, somewhere else.
 * @param {string} path
 * @param {number} right
 * @param {number} up
 */
function moved(path, right, up) {
  let count = 0;
  return path.replace(/-?\d+(\.\d+)?/g, (number) => String(Number(number) + (count++ % 2 ? up : right)));
}

/**
 * @param {any[]} areas in which a hand moves something, in fractions of the picture, from above
 * @param {Panes} panes
 * @param {Size} size
 */
export function stackedAreas(areas, panes, [across]) {
  const wide = width(panes);
  const shown = panes.filter((pane) => pane !== null);
  return areas.map((area) => {
    const [left, top, right, bottom] = area.box;
    const row = shown.findIndex((pane) => (left + right) / 2 < pane[1] / across);
    const x = (/** @type {number} */ part) => (part * across - shown[row][0]) / wide;
    const y = (/** @type {number} */ part) => (row + part) / shown.length;
    return { ...area, box: [x(left), y(top), x(right), y(bottom)] };
  });
}
