// Making elements. Text only ever enters the page as text nodes and attribute values, never as markup.

/** An element with attributes (`class`, `aria-…`, `data-…`, booleans), listeners under `on`, and children. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (name === "value") made.value = value;
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** The element with this id. */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element #${id}`);
  return found;
}

/** Put these children in place of what the element holds. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

/** Call the last of several calls, once it has been quiet for `ms`. */
export function debounce(ms, call) {
  let timer = 0;
  const later = (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), ms);
  };
  later.stop = () => clearTimeout(timer);
  return later;
}

/** Say something to screen readers without moving the focus. */
export function announce(text) {
  const region = byId("announcer");
  region.textContent = "";
  requestAnimationFrame(() => { region.textContent = text; });
}

/** A button that copies a text and says so. */
export function copyButton(text, label = "Copy") {
  const button = el("button", { type: "button", class: "quiet" }, label);
  button.addEventListener("click", async () => {
    const done = await copy(typeof text === "function" ? text() : text);
    button.textContent = done ? "Copied" : "Copy failed";
    announce(done ? "Copied" : "Copying failed");
    setTimeout(() => { button.textContent = label; }, 1600);
  });
  return button;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "visually-hidden", value: text });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** A count with its noun: `1 node`, `1,204 nodes`. */
export function many(count, noun, plural = `${noun}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

/** A number of bytes as people read it. */
export function bytes(count) {
  if (count < 1000) return many(count, "byte");
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(2)} MB`;
}

/** About how many tokens a text is: four ASCII characters, or one and a half others, to a token. */
export function tokens(text) {
  let plain = 0;
  let others = 0;
  for (const character of text) {
    if (character.codePointAt(0) < 128) plain += 1;
    else others += 1;
  }
  return Math.ceil(plain / 4 + others / 1.5);
}
