// Rearrange a picture whose axes stand side by side for a narrow page, so that the axes stand one above another.
// The drawn parts are moved but not scaled, so that markers stay round and lines keep their thickness.

/** @typedef {([number, number] | null)[]} Panes left and right edge of each axes, in pixels; null if it is hidden */
/** @typedef {[number, number]} Size width and height, in pixels */

/**
 * Return the width of the stacked picture.
 * @param {Panes} panes
 */
function width(panes) {
  return Math.max(...panes.map((pane) => (pane ? pane[1] - pane[0] : 0)));
}

/**
 * Return the size of the stacked picture.
 * @param {Panes} panes
 * @param {Size} size
 * @returns {Size}
 */
export function stackedSize(panes, [, height]) {
  return [width(panes), panes.filter((pane) => pane !== null).length * height];
}

/**
 * Return the stacked picture's SVG text.
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
 * Move the strokes of an axes to its place in the stacked picture.
 * @param {any[]} strokes the strokes, with y upwards
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
 * Return a path, which consists of pairs of numbers, moved to the right and up.
 * @param {string} path
 * @param {number} right
 * @param {number} up
 */
function moved(path, right, up) {
  let count = 0;
  return path.replace(/-?\d+(\.\d+)?/g, (number) => String(Number(number) + (count++ % 2 ? up : right)));
}

/**
 * Return the areas in which the pointer moves something, for the stacked picture.
 * @param {any[]} areas their boxes are in fractions of the picture, from the top left
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
