/** The endpoints below `secant/api/`, with Jupyter's own authentication and XSRF. */

/** @import { CheckEvent, Hint, Jupyter, LessonInfo, Overview, PlainEvent, PlainInfo, Solution } from './types.js' */

/** What the server refused, in its own words if it has any. */
export class Refused extends Error {
  /**
   * @param {number} status of HTTP
   * @param {string} message a sentence for the learner, or empty
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Whether the server does not know who asks: it was started anew, for one.
 * @param {number | undefined} status of HTTP */
export function isStranger(status) {
  return status === 401 || status === 403;
}

/** Whether what the server knows of a notebook is that it has ordinary nbgrader tests.
 * @param {LessonInfo | PlainInfo} info @returns {info is PlainInfo} */
export function isPlain(info) {
  return 'plain' in info;
}

/** Nobody answered, or the answer broke off. */
export class Unreachable extends Error {}

export class Server {
  /**
   * @param {Jupyter} lab
   * @param {Jupyter} settings the server's, from JupyterLab
   */
  constructor(lab, settings) {
    this.lab = lab;
    this.settings = settings;
  }

  /** @param {string} path of the notebook @returns {Promise<LessonInfo | PlainInfo>} */
  lesson(path) {
    return this.get('lesson', { path });
  }

  /** @param {string} path @param {string} task @param {number} number @returns {Promise<Hint>} */
  hint(path, task, number) {
    return this.get('hint', { path, task, number: String(number) });
  }

  /** @param {string} path @param {string} task @returns {Promise<Solution>} */
  async solution(path, task) {
    return (await this.post('solution', { path, task })).json();
  }

  /** @param {string} path @returns {Promise<{stopped: boolean}>} */
  async stop(path) {
    return (await this.post('stop', { path })).json();
  }

  /** @param {string} language or '' for the server's own @returns {Promise<Overview>} */
  progress(language) {
    return this.get('progress', language ? { lang: language } : {});
  }

  /** @param {{name: string, right: boolean} | {wanted: boolean}} said */
  async review(said) {
    await this.post('review', said);
  }

  /** What `secant doctor` finds on the server's computer. @param {string} language @returns {Promise<{facts: string}>} */
  facts(language) {
    return this.get('facts', { lang: language });
  }

  /** Put the progress aside and begin anew. @returns {Promise<{aside: string | null}>} where the old one is kept */
  async anew() {
    return (await this.post('anew', {})).json();
  }

  /**
   * Check a saved notebook; what the server says, as it says it.
   * @param {string} path
   * @param {string | null} task one task alone
   * @param {boolean} agree whether the learner has just agreed that this notebook is run
   * @param {AbortSignal} signal
   * @returns {AsyncGenerator<CheckEvent>}
   */
  check(path, task, agree, signal) {
    return this.events({ path, task, agree }, signal);
  }

  /** Run the visible tests of a saved notebook that has ordinary ones.
   * @param {string} path
   * @param {string} language of what the server says
   * @param {boolean} agree whether the learner has just agreed that this notebook is run
   * @param {AbortSignal} signal
   * @returns {AsyncGenerator<PlainEvent>}
   */
  runTests(path, language, agree, signal) {
    return this.events({ path, agree, lang: language, plain: true }, signal);
  }

  /** @param {object} order @param {AbortSignal} signal @returns {AsyncGenerator<any>} */
  async *events(order, signal) {
    const response = await this.post('check', order, signal);
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      let chunk;
      try {
        chunk = await reader.read();
      } catch (error) {
        if (signal.aborted) throw error;
        throw new Unreachable();
      }
      text += decoder.decode(chunk.value, { stream: !chunk.done });
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) if (line.trim()) yield JSON.parse(line);
      if (chunk.done) return;
    }
  }

  /** @param {string} name @param {Record<string, string>} query */
  async get(name, query) {
    return (await this.ask(`${name}?${new URLSearchParams(query)}`, { method: 'GET' })).json();
  }

  /** @param {string} name @param {object} body @param {AbortSignal} [signal] */
  post(name, body, signal) {
    return this.ask(name, { method: 'POST', body: JSON.stringify(body), signal });
  }

  /** @param {string} name @param {RequestInit} request @returns {Promise<Response>} */
  async ask(name, request) {
    const address = `${this.settings.baseUrl}secant/api/${name}`;
    let response;
    try {
      response = await this.lab.ServerConnection.makeRequest(address, request, this.settings);
    } catch (error) {
      if (request.signal?.aborted) throw error;
      throw new Unreachable();
    }
    if (response.ok) return response;
    const said = await response.json().catch(() => ({}));
    throw new Refused(response.status, typeof said.message === 'string' ? said.message : '');
  }
}
