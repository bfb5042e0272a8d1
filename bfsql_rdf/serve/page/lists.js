// The list view: the same nodes and edges as two tables.

import { byId, debounce, el, fill, many } from "./dom.js";
import { ends, shownStatus, valueText, words } from "./model.js";

const PAGE = 250;

export class Lists {
  /** `onselect({node} | {edge})` is called when a row is opened. */
  constructor(onselect) {
    this.onselect = onselect;
    this.rows = { nodes: PAGE, edges: PAGE };
    this.sort = { nodes: undefined, edges: undefined };
    byId("list-filter").addEventListener("input", debounce(120, () => this.again()));
  }

  show(picture) {
    this.picture = picture;
    this.rows = { nodes: PAGE, edges: PAGE };
    this.again();
  }

  again() {
    if (!this.picture) return;
    const { picture } = this;
    const wanted = byId("list-filter").value.trim().toLowerCase();
    const keep = (cells) => !wanted || cells.some((cell) => String(cell).toLowerCase().includes(wanted));
    const nodes = [...picture.nodes.values()].map((node) => ({
      open: { node: node.id },
      cells: [fullName(picture, node), node.type, words(shownStatus(node.statuses) ?? ""), node.stub ? "stub" : summary(node.body), node.id],
    })).filter((row) => keep(row.cells));
    const edges = [...picture.edges.values()].map((edge) => ({
      open: { edge: edge.key },
      cells: [picture.nameOf(edge.subject), edge.predicate, edge.isValue ? valueText(edge.value) : picture.nameOf(edge.object),
        edge.statuses.map(words).join(", "), edge.derived ?? ""],
    })).filter((row) => keep(row.cells));
    fill(byId("lists"),
      this.table("nodes", `Nodes (${nodes.length.toLocaleString("en")})`, ["Name", "Type", "Status", "Fields", "Id"], nodes),
      this.table("edges", `Edges (${edges.length.toLocaleString("en")})`, ["Subject", "Predicate", "Object", "Status", "Derived"], edges, 1));
  }

  table(which, caption, columns, rows, opens = 0) {
    const sort = this.sort[which];
    if (sort) rows.sort((a, b) => String(a.cells[sort.column]).localeCompare(String(b.cells[sort.column]), "en", { numeric: true }) * sort.way);
    const shown = rows.slice(0, this.rows[which]);
    const head = columns.map((name, column) => el("th", {
      scope: "col", "aria-sort": sort?.column === column ? (sort.way > 0 ? "ascending" : "descending") : "none",
    }, el("button", { type: "button", id: `sort-${which}-${column}`, on: { click: () => this.by(which, column) } }, name)));
    const body = shown.map(({ open, cells }) => el("tr", {}, cells.map((cell, column) => el("td", {},
      column === opens ? el("button", { type: "button", class: "link", on: { click: () => this.onselect(open) } }, String(cell)) : String(cell)))));
    return el("section", {},
      el("table", { class: "list", id: `${which}-table` }, el("caption", {}, caption), el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)),
      rows.length ? null : el("p", { class: "hint" }, "None."),
      rows.length > shown.length ? el("p", {}, el("button", { type: "button", class: "quiet", on: { click: () => this.more(which) } },
        `Show more (${many(rows.length - shown.length, "row")} left)`)) : null);
  }

  by(which, column) {
    const sort = this.sort[which];
    this.sort[which] = sort?.column === column ? { column, way: -sort.way } : { column, way: 1 };
    this.again();
    byId(`sort-${which}-${column}`).focus();
  }

  more(which) {
    this.rows[which] += 1000;
    this.again();
  }
}

/** A statement by what it states, everything else by its name. */
function fullName(picture, node) {
  const [first, ...others] = node.statement ? ends(node) : [];
  if (!first || others.length) return picture.nameOf(node.id);
  return `${picture.nameOf(first.subject)} · ${picture.nameOf(node.id)}${first.object === undefined ? "" : ` · ${picture.nameOf(first.object)}`}`;
}

function summary(body) {
  const skip = new Set(["id", "entity_type", "entity_types", "node_kind", "label", "truth_status", "predicate", "subject_id", "object_id"]);
  const parts = Object.entries(body).filter(([key, value]) => !skip.has(key) && value !== null).slice(0, 3)
    .map(([key, value]) => `${key}: ${valueText(value)}`);
  return parts.join(" · ");
}
