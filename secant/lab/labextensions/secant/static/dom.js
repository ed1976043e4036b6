/** Elements without innerHTML: whatever a server or a notebook says stays text. */

/**
 * @param {string} tag
 * @param {Record<string, any>} [properties] attributes; `on…` adds a listener, null and false leave one out
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

/** A button in our look.
 * @param {string} label
 * @param {() => void} act
 * @param {Record<string, any>} [properties]
 */
export function button(label, act, properties = {}) {
  return h('button', { type: 'button', class: 'secant-button', onclick: act, ...properties }, label);
}

/** A link to another site, in a tab of its own; none without an address.
 * @param {string} label
 * @param {string} url
 * @param {Record<string, any>} [properties]
 */
export function away(label, url, properties = {}) {
  return url ? h('a', { class: 'secant-away', href: url, target: '_blank', rel: 'noopener noreferrer', ...properties }, label) : null;
}

/** Write a text only where it differs, so that a screen reader is not told it again.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
  element.hidden = text === '';
}

/** A paragraph in which `code` in backquotes is code.
 * @param {string} text */
export function prose(text) {
  const pieces = text.split('`');
  if (pieces.length % 2 === 0) return h('p', {}, text);
  return h('p', {}, ...pieces.map((piece, i) => (i % 2 ? h('code', {}, piece) : piece)));
}
