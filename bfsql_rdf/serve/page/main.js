// The explorer: one query, one answer, and what is looked at.

import { Api } from "./api.js";
import { answerPane, figures, notices, sparqlPane } from "./answer.js";
import { Asking } from "./asking.js";
import { announce, byId, el, fill, many } from "./dom.js";
import { Details } from "./details.js";
import { Drawing, LIMIT } from "./draw.js";
import { Lists } from "./lists.js";
import { forgetColours, orderTypes } from "./look.js";
import { Picture, names, ownName } from "./model.js";
import { Search } from "./search.js";
import { Tabs } from "./tabs.js";
import { theme } from "./theme.js";
import { welcome } from "./welcome.js";

const NAMED = 300;

class Explorer {
  constructor() {
    this.api = new Api((problem) => this.askToken(problem));
    this.asking = new Asking();
    this.picture = new Picture();
    this.search = new Search(this.api, ({ id }) => this.asking.addSeed(id, { closures: true }));
    this.tabs = new Tabs((name) => this.turned(name));
    this.drawing = new Drawing((selection) => this.select(selection));
    this.lists = new Lists((selection) => this.select(selection, { focus: true }));
    this.details = new Details({
      open: (id) => this.select({ node: id }, { focus: true }), edge: (key) => this.select({ edge: key }, { focus: true }),
      expand: (id) => this.expand(id), start: (id) => this.startFrom(id), seed: (id) => this.asking.addSeed(id), close: () => this.close(),
    });
    this.wire();
  }

  wire() {
    theme(() => {
      forgetColours();
      this.drawing.restyle();
    });
    byId("run").addEventListener("click", () => this.run());
    byId("cancel").addEventListener("click", () => this.cancel());
    byId("next-page").addEventListener("click", () => this.nextPage());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !byId("token-dialog").open) {
        event.preventDefault();
        this.run();
      } else if (event.key === "Escape") {
        if (this.running) this.cancel();
        else if (!this.details.panel.hidden && !byId("token-dialog").open) this.close();
      }
    });
    window.addEventListener("popstate", () => this.restore());
  }

  async begin() {
    this.asking.show();
    this.emptied();
    if (location.hash.length < 2) byId("search").focus();
    await this.readSchema();
    if (location.hash.length > 1) await this.restore();
    this.ready = true;
  }

  async readSchema() {
    try {
      const { data } = await this.api.schema();
      this.schema = data;
      orderTypes(data.entity_types.map((one) => one.name).filter((name) => !/Property$|^Class$|^Ontology$/.test(name)));
      this.asking.schema(data);
      this.details.schema(data);
      byId("graph-figures").textContent = `${many(data.entities, "entity", "entities")} · ${many(data.links, "link")}`;
      if (this.picture.isEmpty && !this.answer) this.emptied();
    } catch (error) {
      this.asking.fail(error);
    }
  }

  startFrom(id) {
    this.asking.set("bfs", { ...this.asking.queries.bfs, seeds: [id] });
    return this.run();
  }

  /** Run the query that the address holds. */
  async restore() {
    const found = this.asking.restore();
    if (found) await this.run({ push: false });
    else if (found === undefined) this.reset();
  }

  reset() {
    this.cancel();
    this.answer = undefined;
    this.picture = new Picture();
    this.drawing.clear();
    this.details.hide();
    fill(byId("figures"));
    fill(byId("notices"));
    for (const part of ["lists", "answer-body", "sparql-body"]) fill(byId(part), el("p", { class: "hint" }, "Nothing was asked yet."));
    this.emptied();
  }

  // Running

  async run({ push = true } = {}) {
    const taken = this.asking.taken();
    if (!taken) return;
    const { primitive, query } = taken;
    if (push) this.asking.keep();
    await this.work(async (signal) => {
      const result = await this.api.query(primitive, query, signal);
      const picture = new Picture();
      if (primitive === "closure") picture.addClosure(result.data);
      else picture.add(result.data, { seeds: result.data.seeds });
      this.unnamed = await this.nameWhatCame(primitive, picture, signal);
      Object.assign(this, { picture, answer: result.data, sent: result, asked: { primitive, query } });
      this.selected = undefined;
      this.details.hide();
      this.shown();
      announce(`${byId("figures").textContent}. ${byId("notices").textContent}`);
    });
  }

  /** Read what closures and stubs of statements leave out, for the drawing only. */
  async nameWhatCame(primitive, picture, signal) {
    const ids = primitive === "closure" ? [...picture.nodes.keys()] : picture.loose;
    if (!ids.length || ids.length > NAMED) return undefined;
    try {
      const { data } = await this.api.describe(ids, signal);
      for (const body of data.nodes) {
        const node = picture.nodes.get(body.id);
        if (primitive === "closure") picture.addNode(body);
        else if (node) Object.assign(node, { body: { ...body }, stub: true, statement: true, statuses: [body.truth_status].filter(Boolean) });
      }
    } catch (error) {
      if (error.name === "AbortError") throw error;
      return error;
    }
    return undefined;
  }

  /** Do one thing at a time, with a way out. */
  async work(task) {
    this.cancel();
    const running = new AbortController();
    this.running = running;
    this.asking.clear();
    this.busy(true);
    try {
      await task(running.signal);
    } catch (error) {
      if (this.running === running) {
        if (error.name === "AbortError") announce("Cancelled");
        else this.failed(error);
      }
    } finally {
      if (this.running === running) {
        this.running = undefined;
        this.busy(false);
      }
    }
  }

  failed(error) {
    this.asking.fail(error);
    if (this.answer && !document.querySelector(".notice.before")) {
      byId("notices").prepend(el("div", { class: "notice before" }, "What is shown is still the answer to the query before."));
    }
  }

  cancel() {
    const { running } = this;
    if (!running) return;
    this.running = undefined;
    running.abort();
    this.busy(false);
    announce("Cancelled");
  }

  busy(on) {
    byId("progress").hidden = !on;
    byId("cancel").hidden = !on;
    byId("run").disabled = on;
    clearInterval(this.clock);
    const began = performance.now();
    byId("cancel").textContent = "Cancel";
    if (on) this.clock = setInterval(() => { byId("cancel").textContent = `Cancel (${Math.round((performance.now() - began) / 1000)} s)`; }, 1000);
    document.querySelector(".result").setAttribute("aria-busy", String(on));
  }

  // The answer

  shown({ keep = false } = {}) {
    const { picture, answer, sent, asked } = this;
    byId("empty").hidden = !picture.isEmpty;
    if (picture.isEmpty) this.nothing();
    this.drawing.show(picture, { keep });
    this.lists.show(picture);
    notices(answer, { left: this.drawing.left, limit: LIMIT, problem: this.unnamed, loose: picture.loose.length });
    figures(asked.primitive, answer, { ...sent, picture });
    document.getElementById("unmerge")?.addEventListener("click", () => this.unmerge());
    byId("next-page").hidden = !answer.next;
    this.asking.form.read(this.asking.primitive, this.asking.query);
    this.explained = undefined;
    this.turned(this.tabs.current);
  }

  /** Fill a pane when it is looked at. */
  turned(name) {
    if (!this.answer) return;
    if (name === "answer") answerPane(this.answer, this.sent.text, this.picture.merged);
    if (name === "sparql") this.explain();
    if (name === "graph") this.drawing.resized();
  }

  async explain() {
    if (this.explained === this.answer) return;
    this.explained = this.answer;
    const { primitive, query } = this.asked;
    fill(byId("sparql-body"), el("p", { class: "hint loading" }, "Asking what it became…"));
    try {
      sparqlPane((await this.api.explain(primitive, query)).data);
    } catch (error) {
      this.explained = undefined;
      fill(byId("sparql-body"), el("p", { class: "hint bad" }, `It could not be explained: ${error.message}`));
    }
  }

  nextPage() {
    this.asking.set("scan", { ...this.asked.query, after: this.answer.next });
    return this.run();
  }

  emptied() {
    byId("empty").hidden = false;
    welcome(this.schema, (type) => {
      this.asking.set("scan", { node_types: [type] });
      this.run();
    });
  }

  nothing() {
    const bare = this.asked.primitive === "bfs" ? "Nothing was found from these seeds." : "Nothing matches this query.";
    fill(byId("empty"), el("h2", {}, bare), el("p", {}, "Other statuses, a later “as of”, or another seed may find more."));
  }

  // What is looked at

  async select(selection, { focus = false } = {}) {
    this.selected = selection;
    if (!selection) {
      this.details.hide();
      return this.drawing.select(undefined);
    }
    if (selection.edge) {
      this.details.edge(this.picture, selection.edge);
      this.drawing.select(selection);
      if (focus) this.details.focus();
      return undefined;
    }
    const id = selection.node;
    this.details.node(this.picture, id, { loading: true });
    this.drawing.select(selection);
    if (focus) this.details.focus();
    this.looking?.abort();
    this.looking = new AbortController();
    const { signal } = this.looking;
    let found;
    try {
      const { data } = await this.api.describe([id], signal);
      for (const [one, name] of Object.entries(data.labels ?? {})) names.set(one, name);
      const full = data.nodes[0];
      if (full && ownName(full)) {
        names.set(id, ownName(full));
        this.drawing.rename(id, this.picture.nameOf(id));
      }
      found = full ? { full: full.id === id || !this.picture.nodes.has(id) ? full : { ...full, id } } : { missing: true };
    } catch (error) {
      if (error.name === "AbortError") return undefined;
      found = { problem: error };
    }
    if (this.selected === selection) {
      const had = this.details.body.contains(document.activeElement) ? document.activeElement.id : "";
      this.details.node(this.picture, id, found);
      if (had) document.getElementById(had)?.focus({ preventScroll: true });
    }
    return undefined;
  }

  close() {
    const inside = this.details.panel.contains(document.activeElement);
    this.select(undefined);
    if (inside && this.tabs.current === "graph") byId("canvas").focus();
  }

  /** One more hop from a node, added to the picture. */
  expand(id) {
    return this.work(async (signal) => {
      const { truth_status: status, as_of: asOf, expand_traits: traits } = this.asked?.primitive === "bfs" ? this.asked.query : {};
      const query = { seeds: [id], max_hops: this.schema?.view === "nodes" && !this.picture.nodes.get(id)?.statement ? 2 : 1 };
      if (status) query.truth_status = status;
      if (asOf !== undefined) query.as_of = asOf;
      if (traits) query.expand_traits = traits;
      const result = await this.api.query("bfs", query, signal);
      if (!this.answer) Object.assign(this, { answer: result.data, sent: result, asked: { primitive: "bfs", query } });
      const fresh = this.picture.add(result.data);
      this.picture.merged += 1;
      this.shown({ keep: true });
      if (result.data.truncated) {
        byId("notices").append(el("div", { class: "notice truncated" }, el("strong", {}, "The expansion is cut, too."), ` ${many(result.data.truncated.nodes_left ?? 0, "node")} left out.`));
      }
      this.select({ node: id });
      announce(fresh.length ? `${many(fresh.length, "new node")}` : "Nothing new from here");
      if (!fresh.length) byId("notices").append(el("div", { class: "notice" }, `Nothing new around ${this.picture.nameOf(id)}.`));
    });
  }

  unmerge() {
    const picture = new Picture();
    if (this.asked.primitive === "closure") picture.addClosure(this.answer);
    else picture.add(this.answer, { seeds: this.answer.seeds });
    this.picture = picture;
    this.details.hide();
    this.shown();
  }

  /** Ask for a token once, however many requests were refused. */
  askToken(problem) {
    this.token ??= this.tokenDialog(problem).finally(() => { this.token = undefined; });
    return this.token;
  }

  tokenDialog(problem) {
    const dialog = byId("token-dialog");
    byId("token-why").textContent = problem.hint || problem.message;
    byId("token").value = "";
    dialog.returnValue = "no";
    dialog.showModal();
    return new Promise((resolve) => {
      dialog.addEventListener("close", () => resolve(dialog.returnValue === "use" ? byId("token").value.trim() : undefined), { once: true });
    });
  }
}

const explorer = new Explorer();

/** For tests and the curious: what the page holds, and where a node is drawn. */
window.bfsql = Object.freeze({
  state: () => ({
    ready: Boolean(explorer.ready), running: Boolean(explorer.running), primitive: explorer.asking.primitive, query: explorer.asking.query,
    nodes: explorer.picture.nodes.size, edges: explorer.picture.edges.size, left: explorer.drawing.left ?? 0,
    drawn: { nodes: explorer.drawing.cy.nodes().length, edges: explorer.drawing.cy.edges().length },
    layoutMs: explorer.drawing.layoutMs, selected: explorer.selected, problem: explorer.asking.problem?.code,
  }),
  drawn: () => explorer.drawing.cy.elements().map((one) => ({ ...one.data(), classes: one.classes() })),
  where: (id) => {
    const found = explorer.drawing.cy.getElementById(id);
    if (!found.length) return undefined;
    const box = byId("canvas").getBoundingClientRect();
    const at = found.isNode() ? found.renderedPosition() : found.renderedMidpoint();
    return { x: box.x + at.x, y: box.y + at.y };
  },
  colour: (id) => explorer.drawing.cy.getElementById(id).style(explorer.drawing.cy.getElementById(id).isNode() ? "background-color" : "line-color"),
});
explorer.begin();
