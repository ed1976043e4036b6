/** A strict HTML sanitizer for hints, which may come from a stranger's lesson but appear in Secant's panel.
 *
 * A hint may show text. It may not load anything, run anything or show input elements. */

/** @import { Jupyter } from './types.js' */

const UNFIT =
  'img, picture, video, audio, source, track, iframe, object, embed, svg, canvas, map, area, button, input, select, ' +
  'textarea, label, form, fieldset, dialog, menu, command, link, meta, base, style, script, template';
const ATTRIBUTES = new Set(['align', 'class', 'colspan', 'dir', 'href', 'lang', 'open', 'rowspan', 'start', 'title']);
/** Matches CSS classes that would make an element look like a part of JupyterLab or of Secant's panel. */
const OURS = /^(secant|jp|lm|p|bp\d*|fa)-/;

/** Return JupyterLab's sanitizer, extended by a second, stricter step.
 *
 * The second step removes elements that JupyterLab allows in notebooks, such as buttons that run its commands, and
 * pictures from other sites.
 * @param {Jupyter} sanitizer @returns {Jupyter} */
export function strict(sanitizer) {
  const stricter = Object.create(sanitizer);
  stricter.sanitize = (/** @type {string} */ dirty, /** @type {any} */ options) =>
    harmless(sanitizer.sanitize(dirty, options));
  return stricter;
}

/** Return the HTML with only its text, links and text formatting.
 * @param {string} html @returns {string} */
function harmless(html) {
  // DOMParser's document is never shown, so it loads nothing.
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const each of body.querySelectorAll(UNFIT)) each.replaceWith(each.getAttribute('alt') ?? each.textContent ?? '');
  for (const each of body.querySelectorAll('*')) {
    for (const { name } of [...each.attributes]) if (!ATTRIBUTES.has(name)) each.removeAttribute(name);
    each.classList.remove(...[...each.classList].filter((name) => OURS.test(name)));
    if (each instanceof HTMLAnchorElement || each.hasAttribute('href')) each.setAttribute('rel', 'noopener noreferrer');
  }
  return body.innerHTML;
}
