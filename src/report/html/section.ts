/** The frame that the report's sections share: a heading with a count, and what to say where examples are left out. */
import { grouped } from "../figures.js";
import { html, type Markup, type Value } from "./markup.js";
import type { Sample } from "./report-data.js";

/** `id` is for the links at the top; `lead` says what the section is about and what to do. */
export function section(id: string, title: string, count: number | null, lead: Value, body: Value): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}${count === null ? null : html` <span class="count">${grouped(count)}</span>`}</h2>
${lead === null ? null : html`<p class="lead">${lead}</p>`}
${body}
</section>
`;
}

/** `and 1,912 more`, where not all are shown. */
export function leftOut({ total, items }: Sample<unknown>): Value {
  return total > items.length ? html`<p class="more">and ${grouped(total - items.length)} more</p>` : null;
}

export function documentName({ kind, key }: { kind: string; key: string }): Markup {
  return html`<span class="kind">${kind}</span> <b>${key}</b>`;
}

/** A state as a word in its colour; the word always stands there. */
export function stateBadge(state: string): Markup {
  return html`<span class="state ${tone(state)}">${state}</span>`;
}

/** good, waiting, bad or plain; for colours only. */
export function tone(state: string): "good" | "waiting" | "bad" | "plain" {
  if (["landed", "landed-without-id", "registered", "open", "closed"].includes(state)) return "good";
  if (["held", "waiting", "deferred", "planned", "sending", "stalled"].includes(state)) return "waiting";
  if (["rejected", "stranded", "unsettled", "foreign", "changed", "invalid"].includes(state)) return "bad";
  return "plain";
}
