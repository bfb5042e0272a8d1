// What is said about an answer: its figures, what was cut or is odd, its JSON, and the SPARQL it became.

import { byId, bytes, copyButton, el, fill, many, tokens } from "./dom.js";

const SHOWN = 400000;
const LIMITS = {
  max_nodes: "the server's limit on nodes (max_nodes)", max_edges: "the server's limit on edges (max_edges)",
  timeout: "the server's time limit (timeout)", max_tokens: "a token budget (max_tokens)",
};

/** Notices above the result: `{truncated, unknown_seeds, warnings}` of the answer, and what the drawing leaves out. */
export function notices(answer, { left = 0, limit, problem, loose = 0 } = {}) {
  const list = [];
  const say = (kind, title, ...more) => list.push(el("div", { class: `notice ${kind}` }, el("strong", {}, title), " ", ...more));
  const cut = answer?.truncated;
  if (cut) {
    const where = cut.hop === undefined ? "" : ` at hop ${cut.hop}`;
    const lost = [cut.nodes_left ? many(cut.nodes_left, "node") : "", cut.edges_left ? many(cut.edges_left, "edge") : ""].filter(Boolean).join(" and ");
    const why = LIMITS[cut.limit] ?? cut.limit ?? "a limit";
    say("truncated", "This is part of the answer.", `It was cut${where} by ${why}${cut.seconds ? `, ${cut.seconds} s` : ""}${lost ? `: ${lost} left out there, and all that lies behind` : ""}. `
      + "Ask for fewer hops or seeds, or narrow the statuses.", cut.message ? ` ${cut.message}` : "");
  }
  if (answer?.unknown_seeds?.length) {
    say("unknown", answer.unknown_seeds.length === 1 ? "Not in this graph:" : "These seeds are not in this graph:", el("code", {}, answer.unknown_seeds.join(", ")));
  }
  for (const warning of answer?.warnings ?? []) say("warning", "Note:", warning.message ?? JSON.stringify(warning), el("span", { class: "code" }, warning.code ?? ""));
  if (left) say("warning", `The drawing stops at ${limit.toLocaleString("en")} nodes.`, `${many(left, "node")} more are in the list view and in the answer.`);
  if (loose) say("warning", "Loose statements:", `${many(loose, "statement stub")} could not be joined to what they are about.`);
  if (problem) say("warning", "Names could not be read:", problem.message);
  fill(byId("notices"), list);
}

/** The figures of an answer, in one line. */
export function figures(primitive, answer, { text, ms, picture }) {
  const counts = primitive === "closure" ? many(answer.count, "entity", "entities") : `${many(answer.node_count, "node")}, ${many(answer.edge_count, "edge")}`;
  const merged = picture.merged ? el("span", { class: "merged" }, ` + ${many(picture.merged, "expansion")} `,
    el("button", { type: "button", class: "link", id: "unmerge" }, "undo")) : null;
  fill(byId("figures"), el("strong", {}, counts), merged,
    el("span", { class: "dim" }, ` · ${bytes(new TextEncoder().encode(text).length)} · about ${many(tokens(text), "token")} · ${Math.round(ms).toLocaleString("en")} ms`));
}

/** The answer as JSON. */
export function answerPane(answer, text, merged) {
  const pretty = JSON.stringify(answer, null, 2);
  const size = `${bytes(new TextEncoder().encode(text).length)}, about ${many(tokens(text), "token")} as it was sent`;
  fill(byId("answer-body"),
    el("div", { class: "pane-head" }, el("p", { id: "answer-size" }, size, merged ? " (the query's own answer; expansions are only drawn)" : ""),
      copyButton(pretty, "Copy"), copyButton(text, "Copy compact")),
    el("pre", { tabindex: "0", "aria-label": "The answer as JSON" }, pretty.slice(0, SHOWN)),
    pretty.length > SHOWN ? el("p", { class: "hint" }, `The first ${SHOWN.toLocaleString("en")} characters; Copy takes all.`) : null);
}

/** The SPARQL of a query. */
export function sparqlPane({ sparql = [], plan = [] }) {
  const one = (text, number, all, what) => el("section", { class: "text" },
    el("div", { class: "pane-head" }, el("h3", {}, all.length > 1 ? `${what} ${number + 1} of ${all.length}` : what), copyButton(text)),
    el("pre", { tabindex: "0", "aria-label": `${what} ${number + 1}` }, text));
  fill(byId("sparql-body"),
    el("p", { class: "hint" }, "What the query is over the data: one text for each request, with its real frontier, ready to paste."),
    sparql.map((text, number) => one(text, number, sparql, "Request")),
    sparql.length ? null : el("p", { class: "hint" }, "No request was needed."),
    plan.length ? el("details", {}, el("summary", {}, `The plan over the index (${plan.length})`), plan.map((text, number) => one(text, number, plan, "Step"))) : null);
}

/** An error next to the query: its words, code, place and hint. */
export function problemBox(problem, onlocate) {
  const box = byId("problem");
  if (!problem) {
    box.hidden = true;
    return fill(box);
  }
  box.hidden = false;
  return fill(box,
    el("p", { class: "message" }, el("strong", {}, problem.message)),
    problem.hint ? el("p", { class: "try" }, problem.hint) : null,
    el("dl", {},
      el("div", {}, el("dt", {}, "code"), el("dd", {}, el("code", {}, problem.code))),
      problem.where ? el("div", {}, el("dt", {}, "where"), el("dd", {}, onlocate
        ? el("button", { type: "button", class: "link", title: "Show it in the query", on: { click: onlocate } }, problem.where) : el("code", {}, problem.where))) : null,
      problem.status ? el("div", {}, el("dt", {}, "status"), el("dd", {}, String(problem.status))) : null));
}
