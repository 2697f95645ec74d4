/** Documents that are stranded, and events that are held: what they wait for and what a person can do. */
import type { Summary } from "../../model/summary.js";
import { grouped } from "../figures.js";
import { shellQuoted, targetFlags } from "../next-steps.js";
import { html, type Markup } from "./markup.js";
import type { HeldEvent, ReportData, StrandedDocument } from "./report-data.js";
import { documentName, leftOut, section } from "./section.js";
import { timeMarkup } from "./time.js";

export function strandedSection({ stranded, summary }: ReportData): Markup | null {
  if (stranded.total === 0) return null;
  const lead =
    "These documents exist at the service, but the answer that named their id was lost, and the service offers no lookup. " +
    "Find the id there by the evidence below, then tell it; their later events wait until then. " +
    "stranded.csv, which `rowferry rejects` writes too, lists them all: fill in the ids, and give it to `rowferry resolve --from`.";
  const items = stranded.items.map((document) => strandedMarkup(document, summary));
  return section(
    "stranded",
    "Stranded documents",
    stranded.total,
    lead,
    html`<ul class="cards">${items}</ul>${leftOut(stranded)}`,
  );
}

function strandedMarkup(stranded: StrandedDocument, summary: Summary): Markup {
  const { document, deduplicationId, sentAt, requestIds, waiting } = stranded;
  const flags = targetFlags(summary.target.name, summary, (path) => path);
  const command = `rowferry resolve ${shellQuoted(document.key)} --document-id <id>${flags}`;
  return html`<li><h3>${documentName(document)}</h3>
<dl class="facts"><div><dt>Key sent</dt><dd><code>${deduplicationId}</code></dd></div>
<div><dt>Sent</dt><dd>${timeMarkup(sentAt)}</dd></div>
<div><dt>Request ids</dt><dd>${requestIds.length === 0 ? "no answer came" : requestIds.join(", ")}</dd></div>
<div><dt>Waiting</dt><dd>${grouped(waiting)} ${waiting === 1 ? "event" : "events"}</dd></div></dl>
<pre tabindex="0"><code>${command}</code></pre></li>`;
}

const reasons: Record<HeldEvent["reason"], { title: string; todo: string }> = {
  failed: {
    title: "something before them failed",
    todo: "Correct the rows they wait for and import them, or dismiss these.",
  },
  stalled: { title: "something before them is in doubt", todo: "`rowferry resume` tries again what had no answer." },
  unsettled: {
    title: "something before them is in doubt, and the service does not tell",
    todo: "Look at the service, and say what is true with `rowferry resolve`.",
  },
  stranded: { title: "their document is stranded", todo: "Give the document its id with `rowferry resolve`." },
  deferred: { title: "something before them is not yet in the past", todo: "Nothing: they go out when it is due." },
  unknown: { title: "they refer to something nobody knows", todo: "Import what they refer to, or dismiss them." },
};

export function heldSection({ held }: ReportData): Markup | null {
  if (held.total === 0) return null;
  const groups = (Object.keys(reasons) as HeldEvent["reason"][])
    .map((reason) => ({ ...reasons[reason], events: held.items.filter((event) => event.reason === reason) }))
    .filter(({ events }) => events.length > 0);
  const lead =
    "Timelines are append-only and ordered: what is later on a document waits, so that a correction can still be sent in its place.";
  const body = groups.map(
    ({ title, todo, events }) => html`<details class="group" open><summary>Waiting because ${title}</summary>
<p class="hint">${todo}</p>
<ul class="examples">${events.map(heldMarkup)}</ul></details>
`,
  );
  return section("held", "Held events", held.total, lead, [...body, leftOut(held)]);
}

function heldMarkup({ document, event, at, waitsFor, place }: HeldEvent): Markup {
  return html`<li><p>${documentName(document)} · ${event} · ${timeMarkup(at)}</p>
<p>waits for ${waitsFor}</p>${place === null ? null : html`<p class="place">${place}</p>`}</li>`;
}
