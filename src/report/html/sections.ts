/** The report's sections on problems and held events, by cause. */
import type { ProblemExample } from "../../ledger/views/problems.js";
import type { HeldRecord } from "../../ledger/views/waiting.js";
import { codes } from "../../model/codes.js";
import { describePlace } from "../../model/place.js";
import { counted, grouped, localTime, sumOf } from "../figures.js";
import { stepOn, type StepMaker, withFlags } from "../next-steps.js";
import { shellQuoted } from "../../model/shell-quoted.js";
import type { Group, ReportData, Sample } from "./collect-report-data.js";
import { html, type Markup, prose, type Value } from "./markup.js";

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
export function detailSections({ summary, problems, warnings, stranded, held }: ReportData): Section[] {
  const step = stepOn(summary.target.name, summary, (path) => path);
  const lead = "Open in the whole ledger, by cause, most frequent first.";
  const waits =
    "Timelines only grow at the end: later events of a document wait, so that a corrected one can still be sent before them.";
  return [
    groupsSection("problems", "Problems", problems, lead, step, problemMarkup),
    strandedSection(stranded, step),
    groupsSection("held", "Held events", held, waits, step, heldMarkup),
    groupsSection("warnings", "Warnings", warnings, "Nothing was held back because of these.", step, problemMarkup),
  ];
}

/** Longer lists are closed at first. */
const FEW = 10;

function groupsSection<Item>(
  id: string,
  title: string,
  groups: readonly Group<Item>[],
  lead: string,
  step: StepMaker,
  markup: (item: Item) => Markup,
): Section {
  const body = groups.map((group, index) => {
    const { meaning, remedy } = codes[group.code];
    return html`<details class="group"${index < 5 && group.items.length <= FEW ? html` open` : null}>
<summary><span class="count">${grouped(group.total)}</span> ${prose(meaning)} <code class="soft">${group.code}</code></summary>
<p class="hint">${prose(withFlags(remedy, step))}</p>
<ul>${group.items.map(markup)}</ul>${leftOut(group)}
</details>
`;
  });
  return { id, title, count: sumOf(groups, "total"), lead, body };
}

const problemMarkup = ({ file, sheet, row, column, message, hint }: ProblemExample): Markup => html`<li>
<p class="soft">${describePlace({ file, sheet: sheet ?? undefined, row: row ?? undefined, column: column ?? undefined })}</p>
<p>${message}</p>${hint === null ? null : html`<p class="hint">${prose(hint)}</p>`}</li>`;

const heldMarkup = ({ kind, key, event, at, waitsFor, place }: HeldRecord): Markup =>
  html`<li><p>${documentName({ kind, key })} · ${event} · ${timeMarkup(at)}</p>
<p>waits for ${waitsFor}</p>${place === null ? null : html`<p class="soft">${place}</p>`}</li>`;

function strandedSection(stranded: ReportData["stranded"], step: StepMaker): Section {
  const items = stranded.items.map(({ document, deduplicationId, sentAt, requestIds, waiting }) => {
    const { command } = step(`resolve ${shellQuoted(`${document.kind}/${document.key}`)} --document-id <id>`, "");
    const ids = requestIds.length === 0 ? "no answer came" : requestIds.join(", ");
    return html`<li><h3>${documentName(document)}</h3>
<p>Sent ${timeMarkup(sentAt)} with the key <code>${deduplicationId}</code>; ${ids}. ${counted(waiting, "event waits", "events wait")} for the id.</p>
<pre><code>${command}</code></pre></li>`;
  });
  return {
    id: "stranded",
    title: "Stranded documents",
    count: stranded.total,
    lead: prose(
      withFlags(
        "These documents exist at the service, but the answer with their id was lost, and the service has no lookup by key. " +
          "Find each id there with the evidence below, and enter it; later events wait until then. " +
          "stranded.csv, which `rowferry rejects` also writes, lists them all: fill in the ids, and pass it to `rowferry resolve --from`.",
        step,
      ),
    ),
    body: [html`<ul>${items}</ul>`, leftOut(stranded)],
  };
}

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
