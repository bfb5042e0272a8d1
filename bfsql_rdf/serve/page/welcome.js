// What stands where the drawing will be, before the first query.

import { byId, el, fill, many } from "./dom.js";
import { typeColour } from "./look.js";

/** Words on how to begin, with the graph's types to scan; `onscan(type)` runs one. */
export function welcome(schema, onscan) {
  const types = (schema?.entity_types ?? []).filter((one) => !/Property$|^Class$|^Ontology$/.test(one.name)).slice(0, 12);
  const cards = types.map(({ name, count }) => {
    const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.backgroundColor = typeColour(name);
    return el("li", {}, el("button", { type: "button", class: "card", title: `Scan: ${many(count, "entity", "entities")}`, on: { click: () => onscan(name) } },
      swatch, el("span", { class: "name" }, name), el("span", { class: "count" }, count.toLocaleString("en"))));
  });
  fill(byId("empty"),
    el("h2", {}, "Where to begin"),
    el("p", {}, "Find an entity by name, choose it as a seed, and run the query: the graph around it is drawn here."),
    cards.length ? [el("h3", {}, "Or look at everything of one type"), el("ul", { class: "cards" }, cards)] : null,
    schema ? null : el("p", { class: "hint loading" }, "Reading what the graph holds…"));
}
