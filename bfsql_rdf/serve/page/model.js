// An answer as nodes and edges to draw and list; several answers may be merged into one picture.

const LABELS = ["label", "rdfs:label", "prefLabel", "skos:prefLabel", "name", "schema:name", "foaf:name", "title", "dcterms:title"];
const BARE = new Set(["id", "entity_type", "entity_types", "node_kind"]);

/** The shown name of every id that any answer has named. */
export const names = new Map();

/** What a full node calls itself, if it does. */
export function ownName(body) {
  for (const key of LABELS) {
    const value = Array.isArray(body[key]) ? body[key][0] : body[key];
    if (typeof value === "string" && value.trim()) return value;
  }
  return undefined;
}

/** The part of an id that reads best. */
export function shortId(id) {
  if (/^https?:/.test(id)) return decode(id.replace(/[#/]+$/, "").split(/[#/]/).at(-1) || id);
  return id;
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function edgeKey(edge) {
  const end = edge.object ?? `=${JSON.stringify(edge.value)}`;
  return JSON.stringify([edge.subject, edge.predicate, end, edge.derived_via ?? ""]);
}

function statusesOf(body) {
  const inner = Array.isArray(body.statements) ? body.statements.map((one) => one.truth_status) : [];
  return [...new Set([body.truth_status, ...inner].filter((one) => typeof one === "string"))];
}

/** The status to show: the first that is not plain truth. */
export function shownStatus(statuses) {
  return statuses.find((one) => one !== "asserted_true") ?? statuses[0];
}

export class Picture {
  constructor() {
    this.nodes = new Map();
    this.edges = new Map();
    this.seeds = new Set();
    this.merged = 0;
  }

  get isEmpty() { return this.nodes.size === 0 && this.edges.size === 0; }

  /** Add the nodes and edges of an answer to `bfs_query`, `scan_query` or `describe_entities`. */
  add(answer, { seeds = [] } = {}) {
    for (const [id, name] of Object.entries(answer.labels ?? {})) names.set(id, name);
    for (const seed of seeds) this.seeds.add(seed);
    const fresh = [];
    for (const body of answer.nodes ?? []) if (this.addNode(body)) fresh.push(body.id);
    for (const edge of answer.edges ?? []) this.addEdge(edge);
    return fresh;
  }

  /** The closure of a start along a predicate, as arrows from the start. */
  addClosure({ start, predicate, entities }) {
    this.seeds.add(start);
    for (const id of [start, ...entities]) this.addNode({ id, entity_type: "Thing" }, true);
    for (const id of entities) this.addEdge({ subject: start, predicate, object: id, derived_via: `closure of ${predicate}` });
  }

  addNode(body, guessed = false) {
    const before = this.nodes.get(body.id);
    const name = ownName(body);
    if (name) names.set(body.id, name);
    const stub = Object.keys(body).every((key) => BARE.has(key));
    if (before && !before.guessed && (stub || !before.stub)) return false;
    const statement = body.entity_type === "Statement" && (body.node_kind === "statement" || stub);
    this.nodes.set(body.id, {
      id: body.id, body, stub, guessed, type: body.entity_type ?? "Thing", statement, statuses: statusesOf(body),
    });
    return !before;
  }

  addEdge(body) {
    const key = edgeKey(body);
    const before = this.edges.get(key);
    if (before && Object.keys(before.body).length >= Object.keys(body).length) return;
    this.edges.set(key, {
      key, body, subject: body.subject, predicate: body.predicate, object: body.object, value: body.value,
      isValue: !("object" in body), derived: body.derived_via, statuses: statusesOf(body),
    });
  }

  /** Statement nodes that came as stubs, so that nothing says what they join. */
  get loose() { return [...this.nodes.values()].filter((node) => node.statement && !ends(node).length).map((node) => node.id); }

  /** The edges that touch an id, `value` edges too. */
  around(id) { return [...this.edges.values()].filter((edge) => edge.subject === id || edge.object === id); }

  nameOf(id) {
    const node = this.nodes.get(id);
    if (node?.statement) return statementName(node);
    return names.get(id) ?? shortId(id);
  }

  /** What to draw: `{nodes, edges}`, at most `limit` nodes, nearest first as the answer has them. */
  elements({ limit = Infinity, collapse = false } = {}) {
    const hidden = collapse ? this.collapsible() : new Set();
    const shown = [...this.nodes.values()].filter((node) => !hidden.has(node.id));
    shown.sort((a, b) => this.seeds.has(b.id) - this.seeds.has(a.id));
    const nodes = shown.slice(0, limit).map((node) => this.drawnNode(node));
    const drawn = new Set(nodes.map((node) => node.id));
    const edges = [];
    const cut = shown.length > limit;
    const reach = (id) => {
      if (drawn.has(id)) return true;
      if (cut || this.nodes.has(id) || drawn.size > limit + 500) return false;
      drawn.add(id);
      nodes.push({ id, label: names.get(id) ?? shortId(id), kind: "outside", type: "", stub: true });
      return true;
    };
    const joined = new Set();
    for (const node of shown) {
      if (!node.statement || !drawn.has(node.id)) continue;
      for (const { subject, predicate, object } of ends(node)) {
        joined.add(JSON.stringify([subject, predicate, object]));
        const status = shownStatus(node.statuses);
        if (reach(subject)) edges.push({ id: `in ${node.id} ${subject}`, source: subject, target: node.id, of: node.id, kind: "part", status });
        if (object !== undefined && reach(object)) edges.push({ id: `out ${node.id} ${object}`, source: node.id, target: object, of: node.id, kind: "arrow", status });
      }
    }
    for (const edge of this.edges.values()) {
      if (joined.has(JSON.stringify([edge.subject, edge.predicate, edge.object]))) continue;
      if (edge.isValue) {
        if (cut || !reach(edge.subject)) continue;
        const id = `value ${edge.key}`;
        nodes.push({ id, label: valueText(edge.value), kind: "value", type: "", of: edge.key });
        edges.push(this.drawnEdge(edge, id));
      } else if (reach(edge.subject) && reach(edge.object)) edges.push(this.drawnEdge(edge, edge.object));
    }
    return { nodes, edges, left: Math.max(0, shown.length - limit) };
  }

  drawnNode(node) {
    const status = node.statement ? shownStatus(node.statuses) : undefined;
    const said = status && status !== "asserted_true" ? ` · ${words(status)}` : "";
    return {
      id: node.id, label: clip(this.nameOf(node.id)) + said, type: node.type, stub: node.stub, status,
      kind: node.statement ? "statement" : "entity", seed: this.seeds.has(node.id),
    };
  }

  drawnEdge(edge, target) {
    const status = shownStatus(edge.statuses);
    const said = status && status !== "asserted_true" ? ` · ${words(status)}` : "";
    return {
      id: `edge ${edge.key}`, source: edge.subject, target, label: edge.predicate + said, of: edge.key, status,
      kind: "edge", derived: Boolean(edge.derived),
    };
  }

  /** Statement nodes whose edge is in the picture, and of which nothing else speaks. */
  collapsible() {
    const spoken = new Set([...this.seeds]);
    const there = new Set();
    for (const edge of this.edges.values()) {
      spoken.add(edge.subject).add(edge.object);
      there.add(JSON.stringify([edge.subject, edge.predicate, edge.object]));
    }
    const found = new Set();
    for (const node of this.nodes.values()) {
      const own = node.statement && !spoken.has(node.id) ? ends(node) : [];
      if (own.length && own.every((end) => there.has(JSON.stringify([end.subject, end.predicate, end.object])))) found.add(node.id);
    }
    return found;
  }

  get statementCount() { return [...this.nodes.values()].filter((node) => node.statement).length; }
}

/** The triples that a statement node states: `{subject, predicate, object?}`. */
export function ends(node) {
  const { body } = node;
  if (Array.isArray(body.statements) && body.statements.some((one) => one?.subject_id)) {
    return body.statements.map((one) => ({ subject: one.subject_id, predicate: one.predicate, object: one.object_id }));
  }
  return body.subject_id ? [{ subject: body.subject_id, predicate: body.predicate, object: body.object_id }] : [];
}

function statementName(node) {
  const { body } = node;
  if (body.predicate === undefined) return Array.isArray(body.statements) ? `${body.statements.length} triples` : shortId(node.id);
  return "object_value" in body ? `${body.predicate}: ${valueText(body.object_value)}` : body.predicate;
}

function clip(text) {
  return text.length > 64 ? `${text.slice(0, 63)}…` : text;
}

/** A status or kind as words. */
export function words(text) {
  return text.replaceAll("_", " ");
}

/** A JSON value on one line. */
export function valueText(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
