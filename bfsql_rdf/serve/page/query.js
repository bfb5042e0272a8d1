// The query: its JSON text, what is wrong with it, and the link that holds it. Nothing here touches the page.

import { fault } from "./json.js";

export const KEYS = {
  bfs: ["seeds", "max_hops", "truth_status", "as_of", "expand_traits", "node_filter", "edge_filter"],
  closure: ["start", "predicate"],
  scan: ["node_types", "edge_predicates", "truth_status", "as_of", "limit", "after"],
};
export const PRIMITIVES = Object.keys(KEYS);
export const CALLS = { bfs: "bfs_query", closure: "transitive_closure_query", scan: "scan_query" };

const LISTS = ["seeds", "truth_status", "expand_traits", "node_types", "edge_predicates"];

/** The text of a query, keys in the order of the language. */
export function write(primitive, query) {
  const ordered = {};
  for (const key of [...KEYS[primitive], ...Object.keys(query)]) if (query[key] !== undefined) ordered[key] = query[key];
  return print(ordered, "");
}

/** JSON in which short lists of texts and numbers stand on one line. */
function print(value, indent) {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const list = Array.isArray(value);
  const scalars = list && value.every((one) => one === null || typeof one !== "object");
  const line = scalars ? `[${value.map((one) => JSON.stringify(one)).join(", ")}]` : "";
  if (scalars && line.length <= 60) return line;
  const inner = `${indent}  `;
  const parts = Object.entries(value).map(([key, one]) => `${inner}${list ? "" : `${JSON.stringify(key)}: `}${print(one, inner)}`);
  if (!parts.length) return list ? "[]" : "{}";
  return `${list ? "[" : "{"}\n${parts.join(",\n")}\n${indent}${list ? "]" : "}"}`;
}

/** `{query}` or `{error, at}` for what cannot be sent, with a `note` for what the server will refuse. */
export function read(primitive, text) {
  let query;
  try {
    query = JSON.parse(text);
  } catch (error) {
    const { at, expected } = fault(text) ?? { at: 0, expected: error.message };
    const found = at < text.length ? `“${text.slice(at, at + 12).split("\n")[0]}”` : "the end";
    return { error: `Not JSON at ${lineOf(text, at)}: ${expected} is expected, not ${found}.`, at };
  }
  if (query === null || typeof query !== "object" || Array.isArray(query)) return { error: "A query is a JSON object." };
  return { query, note: note(primitive, query) };
}

function note(primitive, query) {
  const known = KEYS[primitive];
  for (const key of Object.keys(query)) {
    if (!known.includes(key)) return { where: key, text: `${CALLS[primitive]} has no key “${key}”. Its keys: ${known.join(", ")}.` };
    if (LISTS.includes(key) && !isNames(query[key])) return { where: key, text: `“${key}” is a list of texts.` };
  }
  for (const [key, inner] of [["node_filter", "entity_types"], ["edge_filter", "predicates"]]) {
    const filter = query[key];
    if (filter === undefined) continue;
    const fine = filter && typeof filter === "object" && Object.keys(filter).every((one) => one === inner)
      && (filter[inner] === undefined || isNames(filter[inner]));
    if (!fine) return { where: key, text: `“${key}” is {"${inner}": [...]}.` };
  }
  if ("max_hops" in query && !(Number.isInteger(query.max_hops) && query.max_hops >= 0)) {
    return { where: "max_hops", text: "“max_hops” is a whole number, 0 or more." };
  }
  const asOf = typeof query.as_of;
  if ("as_of" in query && asOf !== "string" && asOf !== "number") return { where: "as_of", text: "“as_of” is a number or a text." };
  if (primitive === "bfs" && !(query.seeds?.length > 0)) return { where: "seeds", text: "Choose at least one seed: search above, or type an id." };
  if (primitive === "bfs" && !("max_hops" in query)) return { where: "max_hops", text: "“max_hops” is required." };
  if (primitive === "closure" && !query.start) return { where: "start", text: "Choose where to start: search above, or type an id." };
  if (primitive === "closure" && !query.predicate) return { where: "predicate", text: "Choose the predicate to follow." };
  if (primitive === "scan" && !["node_types", "edge_predicates", "truth_status", "as_of"].some((key) => key in query)) {
    return { where: "node_types", text: "Choose at least one of node types, predicates, statuses and as of." };
  }
  return undefined;
}

function isNames(value) {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function lineOf(text, at) {
  const before = text.slice(0, at).split("\n");
  return `line ${before.length}, column ${before.at(-1).length + 1}`;
}

/** Where the key of an error (`node_filter.entity_types`, `seeds.0`) stands in the text: `[start, end]`. */
export function locate(text, where) {
  let from = 0;
  let found;
  for (const part of String(where || "").split(".")) {
    const at = text.indexOf(`${JSON.stringify(part)}`, from);
    if (at < 0) continue;
    found = [at, at + part.length + 2];
    from = found[1];
  }
  return found;
}

/** The hash of a link that holds a query. */
export function toHash(primitive, query) {
  const text = encodeURIComponent(JSON.stringify(query));
  return `#${primitive}=${text.replace(/%(3A|2C|5B|5D|2F|7B|7D|22)/g, (whole, code) => (code === "22" ? whole : decodeURIComponent(whole)))}`;
}

/** `{primitive, query}` of such a hash, `{error}` for a broken one, nothing for none. */
export function fromHash(hash) {
  if (!hash || hash === "#") return undefined;
  const found = /^#(bfs|closure|scan)=(.+)$/s.exec(hash);
  try {
    const query = JSON.parse(decodeURIComponent(found[2]));
    if (query && typeof query === "object" && !Array.isArray(query)) return { primitive: found[1], query };
  } catch {
    // Falls through to the error below.
  }
  return { error: "The link holds no query that can be read; it may have been cut." };
}
