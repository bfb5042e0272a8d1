// Light, dark, or as the system says; the choice stays in this browser.

import { byId } from "./dom.js";

const KEPT = "bfsql.theme";
const NEXT = { auto: "light", light: "dark", dark: "auto" };
const SIGN = { auto: "◐", light: "☀", dark: "☾" };

/** Wire the switch; `onchange()` is called whenever the colours have changed. */
export function theme(onchange) {
  const button = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = NEXT[localStorage.getItem(KEPT)] ? localStorage.getItem(KEPT) : "auto";
  const apply = () => {
    const dark = chosen === "dark" || (chosen === "auto" && system.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.textContent = SIGN[chosen];
    button.setAttribute("aria-label", `Theme: ${chosen}. Change to ${NEXT[chosen]}`);
    button.title = `Theme: ${chosen}`;
    onchange();
  };
  button.addEventListener("click", () => {
    chosen = NEXT[chosen];
    localStorage.setItem(KEPT, chosen);
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
