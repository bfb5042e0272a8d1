// The drawing: Cytoscape.js over a picture, with its legend, its tools and its keys.

import cytoscape from "./vendor/cytoscape.esm.min.mjs";
import { announce, byId, debounce, el, fill, many } from "./dom.js";
import { layout, place } from "./layout.js";
import { words } from "./model.js";
import { colours, look, typeColour } from "./look.js";

export const LIMIT = 3000;

export class Drawing {
  /** `onselect({node} | {edge} | nothing)` is called when the reader opens something. */
  constructor(onselect) {
    this.onselect = onselect;
    this.box = byId("canvas");
    this.style = "forces";
    this.collapse = false;
    this.dimmed = new Set();
    this.cy = cytoscape({
      container: this.box, style: look(), minZoom: 0.03, maxZoom: 4, boxSelectionEnabled: false,
      autounselectify: true, pixelRatio: Math.min(2, window.devicePixelRatio || 1),
    });
    this.cy.on("tap", (event) => this.tapped(event.target));
    this.cy.on("mouseover", "node, edge", (event) => this.hover(event.target, true));
    this.cy.on("mouseout", "node, edge", (event) => this.hover(event.target, false));
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("blur", () => this.cy.elements(".focus").removeClass("focus"));
    byId("zoom-in").addEventListener("click", () => this.zoom(1.35));
    byId("zoom-out").addEventListener("click", () => this.zoom(1 / 1.35));
    byId("zoom-fit").addEventListener("click", () => this.fit());
    byId("save-png").addEventListener("click", () => this.save());
    byId("layout-style").addEventListener("change", (event) => {
      this.style = event.target.value;
      this.show(this.picture);
    });
    byId("collapse").addEventListener("change", (event) => {
      this.collapse = event.target.checked;
      this.show(this.picture);
    });
    this.cy.on("zoom", debounce(60, () => this.scaleHubs()));
    this.cy.on("scrollzoom pinchzoom dragpan drag", () => { this.fitted = false; });
    new ResizeObserver(() => this.resized()).observe(this.box);
  }

  resized() {
    this.cy.resize();
    if (this.fitted && this.box.offsetWidth) this.fit();
  }

  /** Draw a picture; with `keep`, what is already drawn stays where it is. */
  show(picture, { keep = false } = {}) {
    this.picture = picture;
    const started = performance.now();
    const { nodes, edges, left } = picture.elements({ limit: LIMIT, collapse: this.collapse });
    this.left = left;
    const before = new Map(keep ? this.cy.nodes().map((node) => [node.id(), { ...node.position() }]) : []);
    const there = new Map([...before].filter(([id]) => nodes.some((node) => node.id === id)));
    const at = there.size ? place(nodes, edges, there) : layout(nodes, edges, picture.seeds, this.style);
    const large = nodes.length > 300;
    const degree = new Map();
    for (const { source, target } of edges) for (const id of [source, target]) degree.set(id, (degree.get(id) ?? 0) + 1);
    const size = ({ id, kind, seed }) => (kind === "entity" ? (seed ? 34 : 21 + Math.min(17, 2.6 * Math.sqrt(degree.get(id) ?? 0))) * (large ? 1.6 : 1) : undefined);
    const hubs = large ? landmarks(nodes, degree, at) : new Set();
    this.cy.batch(() => {
      this.cy.elements().remove();
      this.cy.add([
        ...nodes.map((data) => ({ group: "nodes", data: { ...data, colour: typeColour(data.type), size: size(data) }, position: at.get(data.id), classes: `${classes(data)}${hubs.has(data.id) ? " hub" : ""}` })),
        ...edges.map((data) => ({ group: "edges", data, classes: `${classes(data)}${large ? " fast" : ""}` })),
      ]);
    });
    this.dim();
    if (!there.size) this.fit();
    this.layoutMs = performance.now() - started;
    this.legend(nodes, edges);
    byId("collapse-label").hidden = picture.statementCount === 0;
    this.box.setAttribute("aria-label", `Drawing of ${many(nodes.length, "node")} and ${many(edges.length, "edge")}. Arrow keys move between nodes, Enter opens one; the list view has the same as a table.`);
  }

  clear() {
    this.picture = undefined;
    this.cy.elements().remove();
    fill(byId("legend"));
  }

  restyle() {
    if (this.picture) this.cy.nodes().forEach((node) => { node.data("colour", typeColour(node.data("type"))); });
    this.cy.style(look());
    if (this.drawn) this.legend(...this.drawn);
  }

  fit() {
    this.cy.fit(undefined, 46);
    if (this.cy.zoom() > 1.25) {
      this.cy.zoom(1.25);
      this.cy.center();
    }
    this.scaleHubs();
    this.fitted = true;
  }

  /** In a large drawing the nodes with most edges stay legible at every zoom. */
  scaleHubs() {
    const hubs = this.cy.nodes(".hub");
    if (hubs.length) hubs.style("font-size", Math.max(12, Math.min(400, 11.5 / this.cy.zoom())));
  }

  rename(id, label) {
    this.cy.getElementById(id).data("label", label);
  }

  zoom(by) {
    this.fitted = false;
    this.cy.zoom({ level: this.cy.zoom() * by, renderedPosition: { x: this.cy.width() / 2, y: this.cy.height() / 2 } });
  }

  save() {
    const link = el("a", { href: this.cy.png({ full: true, scale: 2, bg: colours().paper, maxWidth: 6000 }), download: "bfsql.png" });
    link.click();
  }

  /** Mark what is selected and bring it into sight. */
  select(selection) {
    this.cy.elements(".chosen, .beside").removeClass("chosen beside");
    const id = selection?.node ?? (selection?.edge ? `edge ${selection.edge}` : undefined);
    const found = id === undefined ? this.cy.collection() : this.cy.getElementById(id);
    if (!found.length) return;
    found.addClass("chosen");
    if (found.isNode()) found.connectedEdges().addClass("beside");
    const box = found.renderedBoundingBox({ includeLabels: false });
    const panel = byId("details");
    const covered = getComputedStyle(panel).position === "absolute" ? panel.offsetWidth : 0;
    const free = Math.max(80, this.cy.width() - covered);
    if (box.x1 >= 0 && box.y1 >= 0 && box.x2 <= free && box.y2 <= this.cy.height()) return;
    this.cy.panBy({ x: free / 2 - (box.x1 + box.x2) / 2, y: this.cy.height() / 2 - (box.y1 + box.y2) / 2 });
  }

  tapped(target) {
    if (target === this.cy) return this.onselect(undefined);
    const { kind, of, id } = target.data();
    if (kind === "edge" || kind === "value") return this.onselect({ edge: of });
    return this.onselect({ node: of ?? id });
  }

  hover(target, on) {
    this.box.classList.toggle("pointing", on);
    target.toggleClass("hover", on);
    if (target.isNode()) target.connectedEdges().toggleClass("hover", on);
  }

  key(event) {
    const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const focus = this.cy.nodes(".focus");
    if (way) this.focus(focus.length ? this.towards(focus, way) : this.first());
    else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      if (focus.length) this.tapped(focus);
      else this.focus(this.first());
    } else if (event.key === "+" || event.key === "=") this.zoom(1.35);
    else if (event.key === "-") this.zoom(1 / 1.35);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }

  first() {
    const seeds = this.cy.nodes(".seed");
    return (seeds.length ? seeds : this.cy.nodes()).first();
  }

  /** The nearest node in a direction, within a right angle of it. */
  towards(from, [wx, wy]) {
    const { x, y } = from.position();
    let best = from;
    let least = Infinity;
    this.cy.nodes().forEach((node) => {
      const [dx, dy] = [node.position("x") - x, node.position("y") - y];
      const ahead = dx * wx + dy * wy;
      const aside = Math.abs(dx * wy) + Math.abs(dy * wx);
      if (ahead <= 0 || aside > ahead * 1.5) return;
      const far = ahead + aside * 2;
      if (far < least) [least, best] = [far, node];
    });
    return best;
  }

  focus(node) {
    if (!node?.length) return;
    this.cy.elements(".focus").removeClass("focus");
    node.addClass("focus");
    const box = node.renderedBoundingBox();
    if (box.x1 < 0 || box.y1 < 0 || box.x2 > this.cy.width() || box.y2 > this.cy.height()) this.cy.center(node);
    announce(`${node.data("label")}, ${node.data("type") || node.data("kind")}, ${many(node.degree(), "edge")}`);
  }

  legend(nodes, edges) {
    this.drawn = [nodes, edges];
    const types = new Map();
    for (const node of nodes) if (node.type && node.kind === "entity") types.set(node.type, (types.get(node.type) ?? 0) + 1);
    const some = (test) => nodes.some(test);
    const sorted = [...types].sort((a, b) => b[1] - a[1]);
    const rows = sorted.slice(0, 12).map(([type, count]) => {
      const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.backgroundColor = typeColour(type);
      return el("li", {}, el("button", {
        type: "button", class: "key", "aria-pressed": String(!this.dimmed.has(type)), title: "Dim or show this type",
        on: { click: (event) => this.toggle(type, event.currentTarget) },
      }, swatch, el("span", { class: "name" }, type), el("span", { class: "count" }, String(count))));
    });
    if (sorted.length > 12) rows.push(el("li", { class: "mark" }, many(sorted.length - 12, "more type")));
    const marks = [];
    const mark = (kind, text) => marks.push(el("li", { class: "mark" }, el("span", { class: `sign ${kind}`, "aria-hidden": "true" }), text));
    if (some((node) => node.seed)) mark("seed", "seed");
    if (some((node) => node.stub && node.kind === "entity")) mark("stub", "stub");
    if (some((node) => node.kind === "outside")) mark("outside", "beyond the last hop");
    if (some((node) => node.kind === "statement")) mark("statement", "statement");
    if (edges.some((edge) => edge.derived)) mark("derived", "derived");
    const statuses = [...new Set([...nodes, ...edges].map((one) => one.status))].filter((one) => one && one !== "asserted_true");
    for (const status of statuses) mark(`status ${/^[a-z_]+$/.test(status) ? status : "other"}`, words(status));
    fill(byId("legend"), rows.length ? el("ul", {}, rows) : null, marks.length ? el("ul", { class: "marks" }, marks) : null);
  }

  toggle(type, button) {
    if (this.dimmed.delete(type)) button.setAttribute("aria-pressed", "true");
    else {
      this.dimmed.add(type);
      button.setAttribute("aria-pressed", "false");
    }
    this.dim();
  }

  dim() {
    this.cy.nodes().forEach((node) => { node.toggleClass("dim", this.dimmed.has(node.data("type"))); });
    this.cy.edges().forEach((edge) => { edge.toggleClass("dim", edge.source().hasClass("dim") || edge.target().hasClass("dim")); });
  }
}

/** The nodes with most edges that stand far enough from each other to be named from afar. */
function landmarks(nodes, degree, at) {
  const all = [...at.values()];
  const wide = Math.max(...all.map((p) => p.x)) - Math.min(...all.map((p) => p.x));
  const high = Math.max(...all.map((p) => p.y)) - Math.min(...all.map((p) => p.y));
  const chosen = [];
  const sorted = nodes.toSorted((a, b) => (b.seed ?? 0) - (a.seed ?? 0) || (degree.get(b.id) ?? 0) - (degree.get(a.id) ?? 0));
  for (const { id } of sorted.slice(0, 120)) {
    const { x, y } = at.get(id);
    if (chosen.length < 14 && chosen.every((p) => Math.abs(p.x - x) > wide / 7 || Math.abs(p.y - y) > high / 16)) chosen.push({ id, x, y });
  }
  return new Set(chosen.map((one) => one.id));
}

function classes(data) {
  const known = ["disputed", "hypothetical", "retracted", "asserted_false"];
  const status = data.status && data.status !== "asserted_true" ? (known.includes(data.status) ? data.status : "other") : "";
  return [data.kind, data.stub && "stub", data.seed && "seed", data.derived && "derived", status].filter(Boolean).join(" ");
}
