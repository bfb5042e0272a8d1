// The side panel: everything about one node or one edge.

import { announce, byId, copyButton, el, fill, many } from "./dom.js";
import { ends, names, shownStatus, words } from "./model.js";
import { typeColour } from "./look.js";

const APART = new Set(["id", "entity_type", "entity_types", "node_kind", "statements", "provenance", "subject", "predicate", "object", "derived_via"]);
const WEB = /^https?:\/\/\S+$/;
const COMPACT = /^([\w.-]*):[^\s]+$/;

export class Details {
  /** `on` has `open(id)`, `edge(key)`, `expand(id)`, `start(id)`, `seed(id)`, `close()`. */
  constructor(on) {
    this.on = on;
    this.panel = byId("details");
    this.body = byId("details-body");
    this.prefixes = new Set(["wd", "wds"]);
    byId("details-close").addEventListener("click", () => on.close());
  }

  schema(schema) {
    for (const prefix of Object.keys(schema.prefixes ?? {})) this.prefixes.add(prefix);
  }

  hide() {
    this.panel.hidden = true;
    this.shown = undefined;
  }

  /** A node: what the answer has, and with `full` what `describe_entities` added. */
  node(picture, id, { full, loading, missing, problem } = {}) {
    this.picture = picture;
    const node = picture.nodes.get(id);
    const body = full ?? node?.body ?? { id };
    const type = body.entity_type ?? node?.type;
    const statuses = node?.statement ? node.statuses : [];
    const title = picture.nameOf(id);
    this.show(`node ${id}`, title, [
      el("div", { class: "title" },
        this.swatch(type),
        el("h2", { id: "details-title", tabindex: "-1" }, title)),
      this.idLine(id),
      el("div", { class: "badges" },
        (body.entity_types ?? [type]).filter(Boolean).map((one) => el("span", { class: "badge" }, one)),
        statuses.map((status) => this.status(status)),
        picture.seeds.has(id) ? el("span", { class: "badge accent" }, "seed") : null,
        node?.stub ? el("span", { class: "badge", title: "The answer has no more of it than its id and type" }, "a stub in the answer") : null,
        !node ? el("span", { class: "badge" }, "not in the answer") : null),
      el("div", { class: "actions" },
        el("button", { type: "button", id: "expand", on: { click: () => this.on.expand(id) } }, "Expand from here"),
        el("button", { type: "button", id: "start-here", class: "quiet", on: { click: () => this.on.start(id) } }, "Start from here"),
        el("button", { type: "button", class: "quiet", on: { click: () => this.on.seed(id) } }, "Add to seeds")),
      loading ? el("p", { class: "hint loading" }, "Reading everything about it…") : null,
      missing ? el("p", { class: "hint" }, "The graph has nothing of this id.") : null,
      problem ? el("p", { class: "hint bad" }, `The rest could not be read: ${problem.message}`) : null,
      this.states(node, body),
      this.fields(body),
      this.evidence(body.provenance),
      this.connections(id),
      this.raw(body),
    ]);
  }

  edge(picture, key) {
    this.picture = picture;
    const edge = picture.edges.get(key);
    if (!edge) return this.hide();
    const { body } = edge;
    this.show(`edge ${key}`, edge.predicate, [
      el("div", { class: "title" }, el("h2", { id: "details-title", tabindex: "-1" }, edge.predicate)),
      el("p", { class: "triple" }, this.link(edge.subject), el("span", { class: "arrow" }, " → ", el("em", {}, edge.predicate), " → "),
        edge.isValue ? this.value(edge.value) : this.link(edge.object)),
      el("div", { class: "badges" },
        edge.statuses.map((status) => this.status(status)),
        edge.derived ? el("span", { class: "badge dashed", title: "Not in the data: it follows from it" }, `derived: ${edge.derived}`) : null),
      Object.keys(body).length <= 3 + Boolean(edge.derived)
        ? el("p", { class: "hint" }, edge.derived ? "It follows from the data; nothing is stated of it." : "The answer has no more than the triple: a plain edge, or a stub.") : null,
      body.id ? el("div", { class: "actions" }, el("button", { type: "button", class: "quiet", on: { click: () => this.on.open(body.id) } }, "Open its statement")) : null,
      this.fields(body),
      this.evidence(body.provenance),
      this.statements(body.statements),
      this.raw(body),
    ]);
    return undefined;
  }

  show(what, title, parts) {
    const fresh = this.shown !== what;
    this.shown = what;
    this.panel.hidden = false;
    fill(this.body, parts);
    if (fresh) {
      this.body.scrollTop = 0;
      announce(`Details of ${title}`);
    }
  }

  focus() {
    this.body.querySelector("h2")?.focus({ preventScroll: true });
  }

  swatch(type) {
    const swatch = el("span", { class: "swatch large", "aria-hidden": "true" });
    swatch.style.backgroundColor = typeColour(type);
    return swatch;
  }

  idLine(id) {
    return el("p", { class: "id-line" }, el("code", {}, id), copyButton(id));
  }

  status(status) {
    return el("span", { class: `badge status ${/^[a-z_]+$/.test(status) ? status : "other"}` }, words(status));
  }

  states(node, body) {
    const triples = node ? ends({ ...node, body }) : [];
    if (!triples.length) return null;
    return triples.map(({ subject, predicate, object }) => el("p", { class: "triple" }, this.link(subject),
      el("span", { class: "arrow" }, " → ", el("em", {}, predicate), " → "), object === undefined ? this.value(body.object_value) : this.link(object)));
  }

  fields(body) {
    const keys = Object.keys(body).filter((key) => !APART.has(key) && !["subject_id", "object_id"].includes(key));
    if (!keys.length) return null;
    return el("section", {}, el("h3", {}, "Fields"), this.table(body, keys));
  }

  table(body, keys = Object.keys(body)) {
    return el("table", { class: "fields" }, el("tbody", {}, keys.map((key) => el("tr", {}, el("th", { scope: "row" }, breakable(key)), el("td", {}, this.value(body[key]))))));
  }

  evidence(provenance) {
    const list = Array.isArray(provenance) ? provenance : provenance === undefined || provenance === null ? [] : [provenance];
    if (!list.length) return null;
    return el("section", {}, el("h3", {}, "Provenance", el("span", { class: "count" }, String(list.length))),
      el("ol", { class: "evidence" }, list.map((one) => el("li", {}, this.value(one)))));
  }

  statements(list) {
    if (!Array.isArray(list) || !list.length) return null;
    return el("section", {}, el("h3", {}, "Statements", el("span", { class: "count" }, String(list.length))),
      el("ol", { class: "evidence" }, list.map((one) => el("li", {},
        one.id ? el("p", { class: "id-line" }, this.link(one.id)) : null,
        one.truth_status ? el("div", { class: "badges" }, this.status(one.truth_status)) : null,
        this.table(one, Object.keys(one).filter((key) => !["id", "provenance", "truth_status"].includes(key))),
        this.evidence(one.provenance)))));
  }

  connections(id) {
    const around = this.picture.around(id).filter((edge) => !edge.isValue);
    const about = [...this.picture.nodes.values()].filter((node) => node.statement && node.id !== id
      && ends(node).some((end) => end.subject === id || end.object === id));
    if (!around.length && !about.length) return null;
    const rows = around.slice(0, 100).map((edge) => {
      const out = edge.subject === id;
      const status = shownStatus(edge.statuses);
      return el("li", {}, el("button", { type: "button", class: "row", title: "Open the edge", on: { click: () => this.on.edge(edge.key) } },
        el("span", { class: "way", "aria-label": out ? "to" : "from" }, out ? "→" : "←"), el("em", {}, edge.predicate),
        status && status !== "asserted_true" ? this.status(status) : null), this.link(out ? edge.object : edge.subject));
    });
    const loose = about.filter((node) => !around.some((edge) => edge.body.id === node.id)).slice(0, 100);
    rows.push(...loose.map((node) => el("li", {}, el("span", { class: "row" }, el("span", { class: "way" }, "◇")), this.link(node.id))));
    const all = around.length + about.length;
    return el("section", {}, el("h3", {}, "In this picture", el("span", { class: "count" }, String(rows.length))), el("ul", { class: "connections" }, rows),
      rows.length < all && around.length > 100 ? el("p", { class: "hint" }, `The first 100 of ${many(around.length, "edge")}; the list view has all.`) : null);
  }

  raw(body) {
    const text = JSON.stringify(body, null, 2);
    return el("details", { class: "raw" }, el("summary", {}, "As JSON"), el("div", { class: "with-copy" }, copyButton(text), el("pre", { tabindex: "0" }, text)));
  }

  /** A JSON value: ids open, web addresses lead out, objects are tables. */
  value(value) {
    if (value === null || value === undefined) return el("span", { class: "none" }, "not stated");
    if (Array.isArray(value)) return el("ul", { class: "values" }, value.map((one) => el("li", {}, this.value(one))));
    if (typeof value === "object") return this.table(value);
    if (typeof value !== "string") return el("span", { class: "number" }, String(value));
    if (this.isId(value)) return this.link(value);
    if (WEB.test(value)) return el("a", { href: value, target: "_blank", rel: "noopener noreferrer" }, value);
    return el("span", { class: "text" }, value);
  }

  isId(text) {
    if (this.picture?.nodes.has(text)) return true;
    const found = COMPACT.exec(text);
    return Boolean(found) && !text.includes("//") && (this.prefixes.has(found[1]) || found[1] === "_");
  }

  link(id) {
    const name = this.picture?.nodes.has(id) ? this.picture.nameOf(id) : names.get(id) ?? id;
    return el("button", { type: "button", class: "link", title: id, on: { click: () => this.on.open(id) } }, name);
  }
}

/** A name that may break after an underscore. */
function breakable(name) {
  return name.split("_").flatMap((part, number) => (number ? ["_", el("wbr"), part] : [part]));
}
