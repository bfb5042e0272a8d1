// The form beside the JSON: it writes the query and reads it back.

import { Chooser } from "./chooser.js";
import { byId, el, fill } from "./dom.js";
import { AsOf } from "./asof.js";
import { names, shortId, words } from "./model.js";

export class Form {
  /** `onchange(query)` gets what the form has written; `onprimitive(name)` the other call that was chosen. */
  constructor({ onchange, onprimitive }) {
    this.onchange = onchange;
    this.query = {};
    this.primitive = "bfs";
    for (const input of document.querySelectorAll("input[name=primitive]")) {
      input.addEventListener("change", () => onprimitive(input.value));
    }
    byId("hops").addEventListener("input", (event) => {
      const hops = event.target.valueAsNumber;
      if (Number.isInteger(hops)) this.write({ max_hops: hops });
    });
    byId("seed-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const id = byId("seed-id").value.trim();
      if (id) this.addSeed(id);
      byId("seed-id").value = "";
    });
    byId("start").addEventListener("change", (event) => this.write({ start: event.target.value.trim() || undefined }));
    byId("predicate").addEventListener("change", (event) => this.write({ predicate: event.target.value.trim() || undefined }));
    byId("limit").addEventListener("change", (event) => {
      this.write({ limit: Number.isInteger(event.target.valueAsNumber) ? event.target.valueAsNumber : undefined, after: undefined });
    });
    this.asOf = new AsOf((value) => this.write({ as_of: value, after: undefined }));
    const filter = (key, inner) => (value) => this.write({ [key]: value === undefined ? undefined : { [inner]: value } });
    const list = (key) => (value) => this.write({ [key]: value?.length ? value : undefined, after: undefined });
    this.nodeFilter = new Chooser(byId("node-filter"), { label: "Nodes", noun: "type", modes: true, onchange: filter("node_filter", "entity_types") });
    this.edgeFilter = new Chooser(byId("edge-filter"), { label: "Edges", noun: "predicate", modes: true, onchange: filter("edge_filter", "predicates") });
    this.nodeTypes = new Chooser(byId("node-types"), { label: "Node types", noun: "type", onchange: list("node_types") });
    this.edgePredicates = new Chooser(byId("edge-predicates"), { label: "Predicates", noun: "predicate", onchange: list("edge_predicates") });
    for (const box of byId("traits").querySelectorAll("input")) {
      box.addEventListener("change", () => {
        const chosen = [...byId("traits").querySelectorAll("input:checked")].map((one) => one.value);
        this.write({ expand_traits: chosen.length ? chosen : undefined });
      });
    }
  }

  /** Feed the choosers from `describe_schema`. */
  schema(schema) {
    this.statuses = schema.truth_statuses ?? {};
    this.defaults = schema.default_truth_status ?? ["asserted_true"];
    const types = schema.entity_types.map(({ name, count }) => ({ name, count }));
    const statements = schema.view === "nodes" ? [{ name: "Statement", count: schema.statements }] : [];
    const more = schema.more ?? {};
    this.nodeFilter.offer([...types, ...statements], more.entity_types);
    this.nodeTypes.offer([...types, { name: "Statement", count: schema.statements }], more.entity_types);
    const predicates = schema.predicates.map(({ name, count, kind }) => ({ name, count, kind, note: `${name}: a ${kind}` }));
    const links = predicates.filter((one) => one.kind !== "value");
    this.edgeFilter.offer(links, more.predicates);
    this.edgePredicates.offer(predicates, more.predicates);
    fill(byId("predicates"), links.map(({ name }) => el("option", { value: name })));
    byId("hops-hint").textContent = schema.hops ?? "";
    this.asOf.schema(schema.positions);
    this.read(this.primitive, this.query);
  }

  /** Show a query that was written elsewhere. */
  read(primitive, query) {
    [this.primitive, this.query] = [primitive, query];
    for (const input of document.querySelectorAll("input[name=primitive]")) input.checked = input.value === primitive;
    for (const part of document.querySelectorAll("[data-for]")) part.hidden = !part.dataset.for.split(" ").includes(primitive);
    const list = (value) => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined);
    this.chips(list(query.seeds) ?? []);
    put(byId("hops"), query.max_hops);
    put(byId("start"), query.start);
    put(byId("predicate"), query.predicate);
    put(byId("limit"), query.limit);
    byId("start-name").textContent = names.get(query.start) ?? "";
    this.statusBoxes(list(query.truth_status));
    this.asOf.set(query.as_of);
    for (const box of byId("traits").querySelectorAll("input")) box.checked = (list(query.expand_traits) ?? []).includes(box.value);
    this.nodeFilter.set(list(query.node_filter?.entity_types));
    this.edgeFilter.set(list(query.edge_filter?.predicates));
    this.nodeTypes.set(list(query.node_types));
    this.edgePredicates.set(list(query.edge_predicates));
  }

  write(keys) {
    const query = { ...this.query, ...keys };
    for (const [key, value] of Object.entries(query)) if (value === undefined) delete query[key];
    this.query = query;
    this.onchange(query);
  }

  addSeed(id) {
    if (this.primitive === "closure") this.write({ start: id });
    else if (!(this.query.seeds ?? []).includes(id)) this.write({ seeds: [...(this.query.seeds ?? []), id] });
  }

  chips(seeds) {
    const same = this.shownSeeds === JSON.stringify([seeds, seeds.map((id) => names.get(id))]);
    if (same) return;
    this.shownSeeds = JSON.stringify([seeds, seeds.map((id) => names.get(id))]);
    fill(byId("seeds"), seeds.map((id) => {
      const name = names.get(id) ?? shortId(id);
      return el("li", { class: "chip", title: id }, el("span", { class: "name" }, name), name === id || name.length + id.length > 32 ? null : el("span", { class: "id" }, id),
        el("button", { type: "button", "aria-label": `Remove ${name}`, on: { click: () => this.removeSeed(id) } }, "×"));
    }), seeds.length ? null : el("li", { class: "hint" }, "None yet. Search above, or type an id."));
  }

  removeSeed(id) {
    const seeds = (this.query.seeds ?? []).filter((one) => one !== id);
    this.write({ seeds });
    this.chips(seeds);
    (byId("seeds").querySelector("button") ?? byId("seed-id")).focus();
  }

  statusBoxes(chosen) {
    const known = [...new Set([...Object.keys(this.statuses ?? { asserted_true: 0 }), ...(chosen ?? [])])];
    const box = byId("statuses");
    byId("statuses-part").classList.toggle("absent", known.length === 0);
    const shown = [...box.querySelectorAll("input")].map((input) => input.value);
    if (JSON.stringify(shown) !== JSON.stringify(known)) {
      fill(box, known.map((status) => el("label", { class: "check" },
        el("input", { type: "checkbox", value: status, on: { change: () => this.statusChanged() } }),
        el("span", { class: `dot ${/^[a-z_]+$/.test(status) ? status : "other"}`, "aria-hidden": "true" }),
        el("span", { class: "name" }, words(status)), el("span", { class: "count" }, String(this.statuses?.[status] ?? "")))));
    }
    for (const input of box.querySelectorAll("input")) input.checked = (chosen ?? this.defaults ?? ["asserted_true"]).includes(input.value);
  }

  statusChanged() {
    const chosen = [...byId("statuses").querySelectorAll("input:checked")].map((input) => input.value);
    const plain = this.primitive === "bfs" && chosen.length === 1 && chosen[0] === "asserted_true";
    this.write({ truth_status: plain || !chosen.length ? undefined : chosen, after: undefined });
    if (!chosen.length) this.statusBoxes(undefined);
  }

  /** Mark the control that an error speaks of. */
  mark(where) {
    for (const part of document.querySelectorAll("[data-key]")) {
      const wrong = Boolean(where) && part.dataset.key.split(" ").includes(String(where).split(".")[0]);
      part.classList.toggle("wrong", wrong);
      if (wrong && !part.hidden) part.scrollIntoView({ block: "nearest" });
    }
  }

  enable(on) {
    byId("form").disabled = !on;
  }
}

function put(input, value) {
  const text = value === undefined || value === null ? "" : String(value);
  if (input.value !== text) input.value = text;
}
