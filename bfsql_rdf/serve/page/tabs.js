// The views of a result as tabs: arrow keys move, and a view is filled when it is looked at.

import { byId } from "./dom.js";

const TABS = ["graph", "list", "answer", "sparql"];

export class Tabs {
  constructor(onturn) {
    this.current = "graph";
    this.onturn = onturn;
    for (const name of TABS) {
      byId(`tab-${name}`).addEventListener("click", () => this.turn(name));
      byId(`tab-${name}`).addEventListener("keydown", (event) => this.key(event, name));
    }
  }

  turn(name) {
    this.current = name;
    for (const one of TABS) {
      const tab = byId(`tab-${one}`);
      tab.setAttribute("aria-selected", String(one === name));
      tab.tabIndex = one === name ? 0 : -1;
      byId(`pane-${one}`).hidden = one !== name;
    }
    this.onturn(name);
  }

  key(event, name) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const other = step ? TABS[(TABS.indexOf(name) + step + TABS.length) % TABS.length] : { Home: TABS[0], End: TABS.at(-1) }[event.key];
    if (!other) return;
    event.preventDefault();
    this.turn(other);
    byId(`tab-${other}`).focus();
  }
}
