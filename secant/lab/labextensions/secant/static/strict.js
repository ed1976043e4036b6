/** A hint may be a stranger's, and stands in our panel: it may show text, and neither load, do nor ask for anything. */

/** @import { Jupyter } from './types.js' */

const UNFIT =
  'img, picture, video, audio, source, track, iframe, object, embed, svg, canvas, map, area, button, input, select, ' +
  'textarea, label, form, fieldset, dialog, menu, command, link, meta, base, style, script, template';
const ATTRIBUTES = new Set(['align', 'class', 'colspan', 'dir', 'href', 'lang', 'open', 'rowspan', 'start', 'title']);
/** Classes that make something look, or be taken for, a part of JupyterLab or of this panel. */
const OURS = /^(secant|jp|lm|p|bp\d*|fa)-/;

/** JupyterLab's sanitizer, and after it ours, which takes out what JupyterLab lets a notebook do: buttons that
 * run its commands, pictures from elsewhere.
 * @param {Jupyter} sanitizer @returns {Jupyter} */
export function strict(sanitizer) {
  const stricter = Object.create(sanitizer);
  stricter.sanitize = (/** @type {string} */ dirty, /** @type {any} */ options) =>
    harmless(sanitizer.sanitize(dirty, options));
  return stricter;
}

/** HTML without anything but text, links and their look.
 * @param {string} html @returns {string} */
function harmless(html) {
  // Parsed in a document that is not shown, which loads nothing.
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const each of body.querySelectorAll(UNFIT)) each.replaceWith(each.getAttribute('alt') ?? each.textContent ?? '');
  for (const each of body.querySelectorAll('*')) {
    for (const { name } of [...each.attributes]) if (!ATTRIBUTES.has(name)) each.removeAttribute(name);
    each.classList.remove(...[...each.classList].filter((name) => OURS.test(name)));
    if (each instanceof HTMLAnchorElement || each.hasAttribute('href')) each.setAttribute('rel', 'noopener noreferrer');
  }
  return body.innerHTML;
}
