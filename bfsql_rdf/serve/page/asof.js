// "As of": a slider over the positions that the graph has, and a field for an exact one.

import { byId, el, fill } from "./dom.js";

const DAY = 86400000;

export class AsOf {
  /** `onchange(value)` gets a number, a text, or undefined for no cut-off. */
  constructor(onchange) {
    this.onchange = onchange;
    this.kinds = {};
    byId("as-of-on").addEventListener("change", (event) => {
      this.onchange(event.target.checked ? this.last() : undefined);
    });
    byId("as-of-kind").addEventListener("change", (event) => {
      this.kind = event.target.value;
      this.range();
      this.onchange(this.last());
    });
    byId("as-of-slider").addEventListener("input", (event) => this.onchange(this.fromSlider(event.target.valueAsNumber)));
    byId("as-of-exact").addEventListener("change", (event) => this.onchange(this.fromText(event.target.value.trim())));
  }

  /** The kinds of position of the schema: `{number: {first, last}, date: …, text: …}`. */
  schema(positions) {
    this.kinds = positions ?? {};
    const kinds = Object.keys(this.kinds);
    this.kind = kinds[0];
    byId("as-of-part").classList.toggle("absent", kinds.length === 0);
    fill(byId("as-of-kind"), kinds.map((kind) => el("option", { value: kind }, `${kind}s`)));
    byId("as-of-kind").hidden = kinds.length < 2;
    this.range();
  }

  set(value) {
    const on = value !== undefined;
    byId("as-of-on").checked = on;
    byId("as-of-body").hidden = !on;
    if (!on) return;
    const kind = typeof value === "number" ? "number" : this.kinds.date && !Number.isNaN(Date.parse(value)) ? "date" : "text";
    if (this.kinds[kind] && kind !== this.kind) {
      this.kind = kind;
      byId("as-of-kind").value = kind;
      this.range();
    }
    const exact = byId("as-of-exact");
    if (exact.value !== String(value)) exact.value = String(value);
    const slider = byId("as-of-slider");
    const at = this.kind === "date" ? Date.parse(value) : Number(value);
    if (!slider.hidden && Number.isFinite(at)) slider.value = String(at);
    slider.setAttribute("aria-valuetext", String(value));
  }

  range() {
    const { first, last } = this.kinds[this.kind] ?? {};
    const slider = byId("as-of-slider");
    const [from, to] = this.kind === "date" ? [Date.parse(first), Date.parse(last)] : [Number(first), Number(last)];
    const usable = this.kind !== "text" && Number.isFinite(from) && Number.isFinite(to) && from < to;
    slider.hidden = !usable;
    byId("as-of-ends").hidden = !usable;
    byId("as-of-hint").textContent = this.kinds[this.kind]?.as_of ?? "";
    if (!usable) return;
    const whole = this.kind === "date" || (Number.isInteger(from) && Number.isInteger(to));
    slider.min = String(this.kind === "date" ? Math.floor(from / DAY) * DAY : from);
    slider.max = String(this.kind === "date" ? Math.ceil(to / DAY) * DAY : to);
    slider.step = String(this.kind === "date" ? DAY : whole ? 1 : (to - from) / 1000);
    fill(byId("as-of-ends"), el("span", {}, short(first)), el("span", {}, short(last)));
  }

  last() {
    const { last } = this.kinds[this.kind] ?? {};
    return this.kind === "date" ? short(last) : last ?? "";
  }

  fromSlider(at) {
    return this.kind === "date" ? new Date(at).toISOString().slice(0, 10) : at;
  }

  fromText(text) {
    if (!text) return undefined;
    return this.kind === "number" && Number.isFinite(Number(text)) ? Number(text) : text;
  }
}

function short(value) {
  return String(value ?? "").replace(/T00:00:00(Z|\+00:00)?$/, "");
}
