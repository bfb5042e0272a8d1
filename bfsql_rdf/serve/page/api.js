// The server's JSON routes, beside the page wherever it is mounted.

const ROUTES = { bfs: "bfs_query", closure: "transitive_closure_query", scan: "scan_query" };
const KEPT = "bfsql.token";

/** What went wrong, in the words of `application/problem+json`. */
export class Problem extends Error {
  constructor({ status = 0, title, detail, code, where, hint }) {
    super(detail || title || "The request failed");
    Object.assign(this, { status, title, code: code || (status ? `http_${status}` : "unreachable"), where, hint });
  }
}

export class Api {
  /** `askToken(problem)` resolves to a bearer token, or to nothing when the reader gives up. */
  constructor(askToken) {
    this.askToken = askToken;
    this.token = sessionStorage.getItem(KEPT) || "";
  }

  keepToken(token) {
    this.token = token;
    if (token) sessionStorage.setItem(KEPT, token);
    else sessionStorage.removeItem(KEPT);
  }

  query(primitive, query, signal) { return this.call("POST", ROUTES[primitive], query, signal); }
  explain(primitive, query, signal) { return this.call("POST", "explain", { primitive, query }, signal); }
  search(body, signal) { return this.call("POST", "search_entities", body, signal); }
  describe(ids, signal) { return this.call("POST", "describe_entities", { ids }, signal); }
  schema(signal) { return this.call("GET", "describe_schema", undefined, signal); }

  /** The answer as `{data, text, ms}`; throws Problem, or AbortError where the signal says so. */
  async call(method, route, body, signal) {
    const started = performance.now();
    const response = await this.send(method, route, body, signal);
    const text = await response.text();
    const data = read(text);
    if (response.ok && data !== undefined) return { data, text, ms: performance.now() - started };
    const problem = new Problem(data && typeof data === "object" && !response.ok
      ? { ...data, status: response.status }
      : { status: response.status, title: "The server's answer is not JSON", detail: text.slice(0, 300) });
    if (response.status === 401) {
      const token = await this.askToken(problem);
      if (token) {
        this.keepToken(token);
        return this.call(method, route, body, signal);
      }
    }
    throw problem;
  }

  async send(method, route, body, signal) {
    const headers = { Accept: "application/json, application/problem+json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    try {
      return await fetch(new URL(route, document.baseURI), {
        method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "same-origin", cache: "no-store",
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Problem({ code: "unreachable", title: "The server cannot be reached", hint: "Is it still running?" });
    }
  }
}

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
