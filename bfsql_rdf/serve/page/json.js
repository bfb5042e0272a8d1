// Where a JSON text breaks: browsers do not always say.

const TOKEN = /\s*(?:([[\]{}:,])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.]))/y;

/** `{at, expected}` of the first thing that JSON does not allow there, or nothing. */
export function fault(text) {
  const open = [];
  let wants = "a value";
  let at = 0;
  const wrong = (expected) => {
    const end = /\S/.exec(text.slice(at));
    return { at: end ? at + end.index : text.length, expected };
  };
  for (;;) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (!found) return wants === "the end" && !text.slice(at).trim() ? undefined : wrong(wants);
    const [, sign, string] = found;
    const value = !sign;
    const inObject = open.at(-1) === "{";
    if (wants.startsWith("a key") && string) wants = "“:”";
    else if (wants === "“:”" && sign === ":") wants = "a value";
    else if (wants.startsWith("a value") && (value || sign === "{" || sign === "[")) {
      if (value) wants = after(open);
      else {
        open.push(sign);
        wants = sign === "{" ? "a key or “}”" : "a value or “]”";
      }
    } else if (wants.startsWith("“,”") && sign === ",") wants = inObject ? "a key" : "a value";
    else if (sign === (inObject ? "}" : "]") && open.length && / or |“,”/.test(wants)) {
      open.pop();
      wants = after(open);
    } else return wrong(wants);
    at = TOKEN.lastIndex;
  }
}

function after(open) {
  return open.length ? `“,” or “${open.at(-1) === "{" ? "}" : "]"}”` : "the end";
}
