// The query side of the page: the text, the form, the link, and what is wrong with them.

import { problemBox } from "./answer.js";
import { Problem } from "./api.js";
import { announce, byId, debounce } from "./dom.js";
import { Form } from "./form.js";
import { names } from "./model.js";
import { CALLS, fromHash, locate, read, toHash, write } from "./query.js";

export class Asking {
  constructor() {
    this.primitive = "bfs";
    this.queries = { bfs: { seeds: [], max_hops: 1 }, closure: {}, scan: {} };
    this.text = byId("query-text");
    this.form = new Form({ onchange: (query) => this.set(this.primitive, query), onprimitive: (name) => this.turnTo(name) });
    this.later = debounce(120, () => this.typed());
    this.text.addEventListener("input", () => this.later());
    byId("copy-link").addEventListener("click", () => this.copyLink());
    document.querySelector(".skip").addEventListener("click", (event) => {
      event.preventDefault();
      this.text.focus();
    });
  }

  get query() { return this.queries[this.primitive]; }

  schema(schema) {
    this.form.schema(schema);
    if (schema.view === "nodes" && location.hash.length < 2 && this.queries.bfs.max_hops === 1) this.queries.bfs.max_hops = 2;
    this.show();
  }

  /** Take a query from elsewhere than the text. */
  set(primitive, query) {
    this.primitive = primitive;
    this.queries[primitive] = query;
    this.clear();
    this.show();
  }

  show() {
    this.later.stop();
    this.text.value = write(this.primitive, this.query);
    byId("call-name").textContent = CALLS[this.primitive];
    this.form.read(this.primitive, this.query);
    this.check();
  }

  typed() {
    const result = read(this.primitive, this.text.value);
    if (result.query) {
      this.queries[this.primitive] = result.query;
      this.form.read(this.primitive, result.query);
    }
    this.clear();
    this.check();
  }

  /** Say what is wrong with the text, if anything. */
  check() {
    const { error, note } = read(this.primitive, this.text.value);
    const said = byId("query-note");
    said.textContent = error ?? note?.text ?? "";
    said.classList.toggle("bad", Boolean(error));
    this.text.setAttribute("aria-invalid", String(Boolean(error)));
    this.form.enable(!error);
    return error;
  }

  /** The query as it is to be sent, or nothing where the text is not JSON. */
  taken() {
    const focused = document.activeElement;
    if (focused?.closest("#form")) {
      // What was typed there and not yet left counts, too.
      focused.blur();
      focused.focus();
    }
    this.later.stop();
    this.typed();
    if (!this.check()) return { primitive: this.primitive, query: this.query };
    this.text.focus();
    return undefined;
  }

  turnTo(primitive) {
    const before = this.query;
    this.primitive = primitive;
    if (primitive === "closure" && !this.query.start && before.seeds?.[0]) this.query.start = before.seeds[0];
    if (primitive === "bfs" && !this.query.seeds?.length && before.start) this.query.seeds = [before.start];
    this.clear();
    this.show();
  }

  /** Add a seed, or set the start of a closure when `closures` are meant too. */
  addSeed(id, { closures = false } = {}) {
    if (this.primitive === "scan" || (this.primitive === "closure" && !closures)) this.turnTo("bfs");
    this.form.addSeed(id);
    announce(`${names.get(id) ?? id} is a seed. Control Enter runs the query.`);
  }

  /** The query that the address holds: true, false where it is broken, nothing where there is none. */
  restore() {
    const found = fromHash(location.hash);
    if (!found) return undefined;
    if (found.error) {
      this.fail(new Problem({ code: "bad_link", detail: found.error, where: "link" }));
      return false;
    }
    this.set(found.primitive, found.query);
    return true;
  }

  keep() {
    const hash = toHash(this.primitive, this.query);
    if (location.hash !== hash) history.pushState(null, "", hash);
  }

  async copyLink() {
    const url = new URL(location.href);
    url.hash = toHash(this.primitive, this.query);
    const done = await navigator.clipboard?.writeText(url.href).then(() => true, () => false);
    byId("copy-link").textContent = done ? "Copied" : "Run it, then copy the address";
    setTimeout(() => { byId("copy-link").textContent = "Copy link"; }, 1800);
  }

  /** Show an error beside the query, and mark what it speaks of. */
  fail(error) {
    if (!(error instanceof Problem)) console.error(error);
    this.problem = error instanceof Problem ? error : new Problem({ code: "page_error", detail: `The page failed: ${error.message}` });
    const { where } = this.problem;
    const at = locate(this.text.value, where);
    this.form.mark(where);
    problemBox(this.problem, at && (() => {
      this.text.focus();
      this.text.setSelectionRange(...at);
    }));
    byId("problem").scrollIntoView({ block: "nearest" });
  }

  clear() {
    this.problem = undefined;
    this.form.mark(undefined);
    problemBox(undefined);
  }
}
