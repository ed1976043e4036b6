// A module-federation container written by hand, so that neither Node nor a build is needed. JupyterLab and
// Notebook 7 load it like any prebuilt extension. The rest of the extension consists of ES modules in this folder.
(() => {
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  // The import starts at once, so that the plugin is loaded by the time JupyterLab's own code is.
  const ours = import(new URL('plugin.js', script.src).href);
  ours.catch(() => {}); // prevents an unhandled rejection; './extension' awaits the promise and reports the error
  /** @type {Record<string, Record<string, {get: () => Promise<() => any>, loaded?: 1 | boolean}>>} */
  let shared = {};

  /** Return a package that the page shares; if there are several versions, return the one that is loaded.
   * @param {string} name */
  const use = async (name) => {
    const versions = Object.values(shared[name] ?? {});
    const chosen = versions.find((version) => version.loaded) ?? versions[0];
    return chosen && (await chosen.get())();
  };

  /** @type {Record<string, () => Promise<unknown>>} */
  const modules = {
    './extension': async () => {
      const names = ['application', 'apputils', 'coreutils', 'launcher', 'notebook', 'rendermime', 'services', 'ui-components'];
      const [{ plugin }, widgets, ...packages] = await Promise.all([
        ours,
        use('@lumino/widgets'),
        ...names.map((name) => use(`@jupyterlab/${name}`)),
      ]);
      return { __esModule: true, default: plugin(Object.assign({}, widgets, ...packages.filter(Boolean))) };
    },
    './style': async () => {
      const link = document.createElement('link');
      link.rel = 'stylesheet';
      link.href = new URL('style.css', script.src).href;
      document.head.append(link);
      return {}; // a new object, because JupyterLab adds properties to it
    },
  };

  const containers = /** @type {any} */ (window)._JUPYTERLAB ??= {};
  containers.secant = {
    /** @param {typeof shared} scope */
    init: (scope) => {
      shared = scope;
    },
    /** @param {string} name */
    get: async (name) => {
      const module = await modules[name]();
      return () => module;
    },
  };
})();
