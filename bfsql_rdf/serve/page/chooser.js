// Choosing names out of a long list: a filter over check boxes, and for filters "everything / nothing / these".

import { el, fill } from "./dom.js";

let made = 0;

export class Chooser {
  /**
   * `modes` adds the three ways of a presentation filter; `onchange(value)` gets undefined for everything,
   * or a list of names.
   */
  constructor(root, { label, noun, modes = false, onchange }) {
    this.number = made;
    made += 1;
    this.modes = modes;
    this.onchange = onchange;
    this.options = [];
    this.value = undefined;
    this.filter = el("input", {
      type: "text", class: "filter", placeholder: `Find or add a ${noun}`, "aria-label": `${label}: find or add a ${noun}`, autocomplete: "off", spellcheck: "false",
      on: { input: () => this.list(), keydown: (event) => this.key(event) },
    });
    this.items = el("ul", { class: "checks", "aria-label": `${label}: ${noun}s` });
    this.body = el("div", { class: "chooser" }, this.filter, this.items);
    this.ways = modes ? this.wayButtons(label) : null;
    fill(root, this.ways, this.body);
    this.set(undefined);
  }

  wayButtons(label) {
    const one = (way, text) => el("label", {}, el("input", {
      type: "radio", name: `way-${this.number}`, value: way, on: { change: () => this.turn(way) },
    }), el("span", {}, text));
    return el("div", { class: "segments small", role: "radiogroup", "aria-label": `${label} in full` },
      one("all", "Everything"), one("none", "Nothing"), one("these", "These"));
  }

  turn(way) {
    this.kept = this.value?.length ? this.value : this.kept;
    this.open = way === "these";
    this.emit(way === "all" ? undefined : way === "none" ? [] : this.kept ?? []);
    if (this.open) this.filter.focus();
  }

  /** The names to offer, `[{name, count, note?}]`, and how many more there are. */
  offer(options, more = 0) {
    this.options = options;
    this.more = more;
    this.list();
  }

  /** Show a value; an empty list that came from elsewhere is "nothing", not "these" with none chosen yet. */
  set(value, { own = false } = {}) {
    if (!own && this.value?.length && value?.length === 0) this.open = false;
    this.value = Array.isArray(value) ? value : undefined;
    if (this.value?.length) this.open = true;
    if (this.modes) {
      const way = this.value === undefined ? "all" : this.value.length || this.open ? "these" : "none";
      if (this.value === undefined) this.open = false;
      for (const input of this.ways.querySelectorAll("input")) input.checked = input.value === way;
      this.body.hidden = way !== "these";
    }
    this.list();
  }

  emit(value) {
    this.set(value, { own: true });
    this.onchange(value);
  }

  list() {
    const text = this.filter.value.trim().toLowerCase();
    const chosen = this.value ?? [];
    const unknown = chosen.filter((name) => !this.options.some((option) => option.name === name)).map((name) => ({ name }));
    const all = [...unknown, ...this.options].filter((option) => !text || option.name.toLowerCase().includes(text) || chosen.includes(option.name));
    all.sort((a, b) => chosen.includes(b.name) - chosen.includes(a.name));
    fill(this.items, all.slice(0, 200).map((option) => this.item(option, chosen.includes(option.name))),
      this.more ? el("li", { class: "hint" }, `${this.more.toLocaleString("en")} more are not listed: type a name, Enter adds it`) : null,
      text && !all.length ? el("li", { class: "hint" }, `Enter adds “${this.filter.value.trim()}”`) : null);
  }

  item({ name, count, note }, checked) {
    const input = el("input", { type: "checkbox", checked, "data-name": name, on: { change: (event) => this.check(name, event.target.checked) } });
    return el("li", {}, el("label", { title: note ?? name }, input, el("span", { class: "name" }, name),
      count === undefined ? null : el("span", { class: "count" }, count.toLocaleString("en"))));
  }

  check(name, on) {
    const chosen = this.value ?? [];
    this.emit(on ? [...chosen, name] : chosen.filter((one) => one !== name));
    this.items.querySelector(`input[data-name="${CSS.escape(name)}"]`)?.focus();
  }

  key(event) {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const text = this.filter.value.trim();
    if (!text) return;
    const found = this.options.find((option) => option.name.toLowerCase() === text.toLowerCase())
      ?? this.options.find((option) => option.name.toLowerCase().startsWith(text.toLowerCase()));
    const name = found?.name ?? text;
    this.filter.value = "";
    if (!(this.value ?? []).includes(name)) this.emit([...(this.value ?? []), name]);
    else this.list();
  }
}
