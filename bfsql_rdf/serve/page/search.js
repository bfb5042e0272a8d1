// Finding entities by name as one types: a combobox with a list box.

import { announce, byId, debounce, el, fill, many } from "./dom.js";
import { names } from "./model.js";
import { typeColour } from "./look.js";

export class Search {
  /** `onchoose(candidate)` gets `{id, entity_type, label}`. */
  constructor(api, onchoose) {
    this.api = api;
    this.onchoose = onchoose;
    this.input = byId("search");
    this.list = byId("candidates");
    this.found = [];
    this.at = -1;
    this.later = debounce(160, () => this.ask());
    this.input.addEventListener("input", () => this.later());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("focus", () => { if (this.found.length && this.input.value.trim()) this.open(true); });
    this.input.addEventListener("blur", () => this.open(false));
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    document.addEventListener("keydown", (event) => {
      const typing = event.target.matches?.("input, textarea, select, [contenteditable]");
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        this.input.focus();
      }
    });
  }

  async ask() {
    const query = this.input.value.trim();
    this.asking?.abort();
    if (!query) {
      this.found = [];
      return this.open(false);
    }
    this.asking = new AbortController();
    try {
      const { data } = await this.api.search({ query, limit: 12 }, this.asking.signal);
      this.show(data.candidates);
    } catch (error) {
      if (error.name !== "AbortError") this.say(`Search failed: ${error.message}`);
    }
  }

  show(candidates) {
    this.found = candidates;
    this.at = candidates.length ? 0 : -1;
    for (const { id, label } of candidates) if (label) names.set(id, label);
    if (!candidates.length) return this.say(`Nothing is called “${this.input.value.trim()}”.`);
    fill(this.list, candidates.map((candidate, number) => this.option(candidate, number)));
    this.open(true);
    this.mark();
    announce(`${many(candidates.length, "match", "matches")}; arrow keys choose, Enter takes`);
  }

  option(candidate, number) {
    const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.backgroundColor = typeColour(candidate.entity_type);
    const label = candidate.label ?? candidate.id;
    return el("li", { role: "option", id: `candidate-${number}`, "aria-selected": "false", on: { click: () => this.choose(number) } },
      swatch,
      el("span", { class: "what" },
        el("span", { class: "label" }, label, candidate.matched ? el("span", { class: "matched" }, ` “${candidate.matched}”`) : null,
          candidate.deprecated ? el("span", { class: "badge" }, "deprecated") : null),
        candidate.description ? el("span", { class: "description" }, candidate.description) : null),
      el("span", { class: "kind" }, candidate.entity_type, el("span", { class: "id" }, candidate.id)));
  }

  say(text) {
    this.found = [];
    this.at = -1;
    fill(this.list, el("li", { class: "hint" }, text));
    this.open(true);
    announce(text);
  }

  open(on) {
    this.list.hidden = !on;
    this.input.setAttribute("aria-expanded", String(on));
    if (!on) this.input.removeAttribute("aria-activedescendant");
  }

  mark() {
    const options = [...this.list.querySelectorAll("[role=option]")];
    options.forEach((option, number) => option.setAttribute("aria-selected", String(number === this.at)));
    const current = options[this.at];
    if (!current) return;
    this.input.setAttribute("aria-activedescendant", current.id);
    current.scrollIntoView({ block: "nearest" });
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.found.length) {
      event.preventDefault();
      if (this.list.hidden) this.open(true);
      else this.at = (this.at + step + this.found.length) % this.found.length;
      this.mark();
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      if (!this.list.hidden && this.at >= 0) this.choose(this.at);
      else {
        this.later.stop();
        this.ask();
      }
    } else if (event.key === "Escape" && !this.list.hidden) {
      event.stopPropagation();
      this.open(false);
    }
  }

  choose(number) {
    const candidate = this.found[number];
    this.input.value = "";
    this.found = [];
    this.open(false);
    this.onchoose(candidate);
  }
}
