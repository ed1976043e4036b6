/** Helpers that create elements without innerHTML, so that text from a server or a notebook is never parsed as HTML. */

/** Create an element.
 * @param {string} tag
 * @param {Record<string, any>} [properties] attributes; a name `on…` adds a listener, null and false omit the attribute
 * @param {...(Node | string | null | false)} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(.../** @type {(Node | string)[]} */ (children.filter((child) => child !== null && child !== false)));
  return element;
}

/** Create a button in Secant's style.
 * @param {string} label
 * @param {() => void} act
 * @param {Record<string, any>} [properties]
 */
export function button(label, act, properties = {}) {
  return h('button', { type: 'button', class: 'secant-button', onclick: act, ...properties }, label);
}

/** Create a link to another site that opens in a new tab; return null if the address is empty.
 * @param {string} label
 * @param {string} url
 * @param {Record<string, any>} [properties]
 */
export function away(label, url, properties = {}) {
  return url ? h('a', { class: 'secant-away', href: url, target: '_blank', rel: 'noopener noreferrer', ...properties }, label) : null;
}

/** Set an element's text only if it differs, so that a screen reader does not read it out again; hide it if empty.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
  element.hidden = text === '';
}

/** Create a paragraph in which text in backquotes becomes `<code>`.
 * @param {string} text */
export function prose(text) {
  const pieces = text.split('`');
  if (pieces.length % 2 === 0) return h('p', {}, text);
  return h('p', {}, ...pieces.map((piece, i) => (i % 2 ? h('code', {}, piece) : piece)));
}
