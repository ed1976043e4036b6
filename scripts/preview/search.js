// The search dialog, Pagefind's, over the pages in the reader's language. It is fetched on first use.
// Korean pages also search the English pages, because the documents are in English; English results come last. Among
// English pages, only the front page searches both languages. English words such as "is" are rare in Korean pages, so
// they would bring those pages to the top.
const root = new URL("./", import.meta.url);
const own = document.documentElement.lang;
const bundle = (language) => new URL(`search/${language}/`, root).href;

const fetched = (tag, attributes) =>
  new Promise((resolve, reject) => {
    const made = Object.assign(document.createElement(tag), attributes);
    made.onload = resolve;
    made.onerror = () => reject(new Error(`${attributes.src ?? attributes.href} could not be fetched`));
    document.head.append(made);
  });

// A preview in one language has no search index for the other language.
const exists = async (language) => (await fetch(`${bundle(language)}pagefind-entry.json`, { method: "HEAD" })).ok;

let dialog = null;
const made = async () => {
  await Promise.all([
    fetched("link", { rel: "stylesheet", href: `${bundle(own)}pagefind-component-ui.css` }),
    fetched("script", { src: `${bundle(own)}pagefind-component-ui.js` }),
  ]);
  const wanted = own === "ko" ? ["en"] : document.querySelector("main.front") ? ["ko"] : [];
  const there = await Promise.all(wanted.map(exists));
  const others = wanted.filter((_, i) => there[i]);
  globalThis.PagefindComponents.configureInstance("default", {
    bundlePath: bundle(own),
    baseUrl: root.pathname,
    mergeIndex: others.map((language) => ({
      bundlePath: bundle(language),
      baseUrl: root.pathname,
      language,
      indexWeight: 0.02,
    })),
  });
  const modal = document.createElement("pagefind-modal");
  document.body.append(modal);
  return modal;
};

const button = document.querySelector(".search");
const label = button?.textContent;
const open = async () => {
  dialog ??= made();
  try {
    (await dialog).open();
    button.textContent = label;
  } catch (error) {
    dialog = null;
    button.textContent = button.dataset.failed;
    button.title = error.message;
  }
};

if (button) {
  button.hidden = false;
  button.addEventListener("click", open);
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      open();
    }
  });
}
