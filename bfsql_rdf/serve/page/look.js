// The colours of the drawing, read from the page's custom properties so that both themes have their own.

const KNOWN = ["disputed", "hypothetical", "retracted", "asserted_false", "other"];
const HUES = 10;
const assigned = new Map();

/** Types get their colour in this order and keep it. */
export function orderTypes(types) {
  for (const type of types) if (type !== "Statement" && !assigned.has(type)) assigned.set(type, assigned.size);
}

let cached;

/** Read the colours again: the theme has changed. */
export function forgetColours() {
  cached = undefined;
}

export function colours() {
  cached ??= readColours();
  return cached;
}

function readColours() {
  const css = getComputedStyle(document.documentElement);
  const read = (name) => css.getPropertyValue(`--${name}`).trim();
  return {
    paper: read("canvas"), ink: read("ink"), soft: read("ink-soft"), line: read("edge"), accent: read("accent"), statement: read("statement"),
    thing: read("type-none"), types: Array.from({ length: HUES }, (_, number) => read(`type-${number}`)),
    statuses: Object.fromEntries(KNOWN.map((status) => [status, read(`status-${status.replace("_", "-")}`)])),
  };
}

export function typeColour(type) {
  const { types, thing, statement } = colours();
  if (!type || type === "Thing") return thing;
  if (type === "Statement") return statement;
  orderTypes([type]);
  const number = assigned.get(type);
  return number < HUES ? types[number] : thing;
}

/** The style sheet of the drawing. */
export function look() {
  const { paper, ink, soft, line, accent, statement, statuses } = colours();
  const font = getComputedStyle(document.body).fontFamily;
  const text = {
    "font-family": font, "font-size": 11, "min-zoomed-font-size": 7, color: ink,
    "text-outline-color": paper, "text-outline-width": 2, "text-outline-opacity": 0.9,
  };
  const rules = [
    { selector: "node", style: {
      ...text, width: 24, height: 24, label: "data(label)", "background-color": "data(colour)", "border-width": 1.5, "border-color": paper,
      "text-valign": "bottom", "text-margin-y": 4, "text-wrap": "wrap", "text-max-width": 118, "line-height": 1.15, "overlay-opacity": 0 } },
    { selector: "node[size]", style: { width: "data(size)", height: "data(size)" } },
    { selector: "node.hub", style: { "min-zoomed-font-size": 0, "font-weight": 600, "text-wrap": "none", "text-outline-width": 8, "z-index": 4 } },
    { selector: "edge", style: {
      width: 1.3, "line-color": line, "target-arrow-color": line, "target-arrow-shape": "triangle", "arrow-scale": 0.8,
      "curve-style": "bezier", "overlay-opacity": 0 } },
    { selector: "edge[label]", style: { ...text, label: "data(label)", "font-size": 9.5, color: soft, "text-rotation": "autorotate", "min-zoomed-font-size": 7.5 } },
    { selector: "edge.fast", style: { "curve-style": "straight", "arrow-scale": 0.7, width: 2 } },
    { selector: "edge.part", style: { "target-arrow-shape": "none" } },
    { selector: "edge.derived", style: { "line-style": "dashed", "line-dash-pattern": [6, 4] } },
    { selector: "node.statement", style: { shape: "diamond", width: 16, height: 16, "background-color": statement, "font-size": 9.5, color: soft } },
    { selector: "node.value", style: {
      width: 10, height: 10, "background-opacity": 0, "border-opacity": 0, "text-valign": "center", "text-margin-y": 0, "text-max-width": 180, "font-size": 9.5,
      "text-background-color": paper, "text-background-opacity": 1, "text-background-padding": 4, "text-background-shape": "round-rectangle",
      "text-border-color": line, "text-border-width": 1, "text-border-opacity": 1, "text-outline-width": 0 } },
    { selector: "node.stub", style: { "background-opacity": 0.28, "border-color": "data(colour)", "border-opacity": 0.75, color: soft } },
    { selector: "node.statement.stub", style: { "border-color": statement } },
    { selector: "node.outside", style: { width: 12, height: 12, "background-opacity": 0, "border-style": "dashed", "border-color": soft, "border-width": 1 } },
    { selector: "node.seed", style: { "font-size": 13, "font-weight": 600, color: ink, "border-width": 3, "border-color": paper,
      "border-opacity": 1, "outline-width": 2.5, "outline-color": accent, "outline-offset": 1 } },
    { selector: "node.statement.seed", style: { width: 28, height: 28 } },
  ];
  for (const [status, colour] of Object.entries(statuses)) {
    rules.push({ selector: `edge.${status}`, style: { "line-color": colour, "target-arrow-color": colour, color: colour, width: 1.9 } });
    rules.push({ selector: `node.${status}`, style: { "background-color": colour, "border-color": colour, color: colour } });
  }
  return [
    ...rules,
    { selector: "edge.hover, edge.beside", style: { width: 2.4, "z-index": 5 } },
    { selector: "node.hover", style: { "underlay-color": accent, "underlay-opacity": 0.14, "underlay-padding": 6, "underlay-shape": "ellipse", "min-zoomed-font-size": 0, "z-index": 6 } },
    { selector: "node.focus", style: { "underlay-color": accent, "underlay-opacity": 0.35, "underlay-padding": 8, "underlay-shape": "ellipse", "z-index": 7 } },
    { selector: "node.chosen", style: { "underlay-color": accent, "underlay-opacity": 0.3, "underlay-padding": 7, "underlay-shape": "ellipse", "min-zoomed-font-size": 0, "z-index": 8 } },
    { selector: "edge.chosen", style: { width: 3, "underlay-color": accent, "underlay-opacity": 0.28, "underlay-padding": 5, "min-zoomed-font-size": 0 } },
    { selector: ".dim", style: { opacity: 0.12, events: "no" } },
  ];
}
