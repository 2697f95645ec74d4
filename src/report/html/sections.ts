/** The report's sections on problems and held events, by cause. */
import { type Code, codes } from "../../model/codes.js";
import { describePlace } from "../../model/place.js";
import { counted, grouped, localTime } from "../figures.js";
import { targetFlags } from "../next-steps.js";
import { shellQuoted } from "../../model/shell-quoted.js";
import type { ProblemGroup, ReportData, Sample } from "./collect-report-data.js";
import { html, type Markup, type Value } from "./markup.js";

/** `id`: for the links at the top; `lead`: what the section shows and what to do. */
export interface Section {
  id: string;
  title: string;
  /** Null: it counts nothing. */
  count: number | null;
  lead: Value;
  body: Value;
}

export function sectionMarkup({ id, title, count, lead, body }: Section): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}${count === null ? null : html` <span class="count">${grouped(count)}</span>`}</h2>
${lead === null ? null : html`<p class="soft">${lead}</p>`}
${body}
</section>
`;
}

/** Sections without content have a count of 0. */
export function detailSections(data: ReportData): Section[] {
  const { problems, warnings } = data;
  return [
    problemsSection("problems", "Problems", problems, "By cause, most frequent first."),
    strandedSection(data),
    heldSection(data),
    problemsSection("warnings", "Warnings", warnings, "Nothing was held back because of these."),
  ];
}

function problemsSection(id: string, title: string, groups: readonly ProblemGroup[], lead: string): Section {
  const body = groups.map((group, index) => {
    const examples = group.items.map(
      ({ file, sheet, row, column, message, hint }) => html`<li>
<p class="soft">${describePlace({ file, sheet: sheet ?? undefined, row: row ?? undefined, column: column ?? undefined })}</p>
<p>${message}</p>${hint === null ? null : html`<p class="hint">${hint}</p>`}</li>`,
    );
    return groupMarkup(group.code, group.total, index < 5, [html`<ul>${examples}</ul>`, leftOut(group)]);
  });
  return { id, title, count: groups.reduce((sum, group) => sum + group.total, 0), lead, body };
}

function groupMarkup(code: Code, count: number, open: boolean, body: Value): Markup {
  const { meaning, remedy } = codes[code];
  return html`<details class="group"${open ? html` open` : null}>
<summary><span class="count">${grouped(count)}</span> ${meaning} <code class="soft">${code}</code></summary>
<p class="hint">${remedy}</p>
${body}
</details>
`;
}

function strandedSection({ stranded, summary }: ReportData): Section {
  const flags = targetFlags(summary.target.name, summary, (path) => path);
  const items = stranded.items.map(({ document, deduplicationId, sentAt, requestIds, waiting }) => {
    const command = `rowferry resolve ${shellQuoted(document.key)} --document-id <id>${flags}`;
    const ids = requestIds.length === 0 ? "no answer came" : requestIds.join(", ");
    return html`<h3>${documentName(document)}</h3>
<p>Sent ${timeMarkup(sentAt)} with the key <code>${deduplicationId}</code>; ${ids}. ${counted(waiting, "event")} ${waiting === 1 ? "waits" : "wait"} for the id.</p>
<pre><code>${command}</code></pre>`;
  });
  return {
    id: "stranded",
    title: "Stranded documents",
    count: stranded.total,
    lead:
      "These documents exist at the service, but the answer with their id was lost, and the service has no lookup by key. " +
      "Find each id there by the evidence below and enter it; their later events wait until then. " +
      "stranded.csv, which `rowferry rejects` writes too, lists them all: fill in the ids, and pass it to `rowferry resolve --from`.",
    body: [cards(items), leftOut(stranded)],
  };
}

function heldSection({ held }: ReportData): Section {
  const groups = [...Map.groupBy(held.items, ({ reason }) => reason)].map(([reason, events]) =>
    groupMarkup(
      reason as Code,
      events.length,
      true,
      html`<ul>${events.map(
        ({
          document,
          event,
          at,
          waitsFor,
          place: from,
        }) => html`<li><p>${documentName(document)} · ${event} · ${timeMarkup(at)}</p>
<p>waits for ${waitsFor}</p>${from === null ? null : html`<p class="soft">${from}</p>`}</li>`,
      )}</ul>`,
    ),
  );
  return {
    id: "held",
    title: "Held events",
    count: held.total,
    lead: "Timelines only grow at the end: later events of a document wait, so that a corrected one can still be sent before them.",
    body: [...groups, leftOut(held)],
  };
}

const cards = (items: readonly Markup[]): Markup => html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;

/** `and 1,912 more`. */
function leftOut({ total, items }: Sample<unknown>): Value {
  return total > items.length ? html`<p class="soft">and ${grouped(total - items.length)} more</p>` : null;
}

function documentName({ kind, key }: { kind: string; key: string }): Markup {
  return html`<span class="soft">${kind}</span> <b>${key}</b>`;
}

/** `2026-11-20 02:00:00`, in the local zone; `—` for an invalid time. */
export function timeMarkup(ms: number): Markup {
  if (Number.isNaN(ms)) return html`—`;
  return html`<time datetime="${new Date(ms).toISOString()}">${localTime(ms)}</time>`;
}

/** The word is always shown, not only its colour. */
export function stateBadge(state: string): Markup {
  return html`<span class="state ${tone(state)}">${state}</span>`;
}

/** For colours only. */
function tone(state: string): "good" | "waiting" | "bad" | "plain" {
  if (["landed", "landed-without-id", "registered", "open", "closed"].includes(state)) return "good";
  if (["held", "waiting", "deferred", "planned", "sending", "stalled"].includes(state)) return "waiting";
  if (["rejected", "stranded", "unsettled", "foreign", "changed", "invalid"].includes(state)) return "bad";
  return "plain";
}
