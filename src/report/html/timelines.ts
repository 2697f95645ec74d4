/** The timelines of documents of which something failed: what landed, what did not, what waits behind it. */
import { grouped } from "../figures.js";
import { html, type Markup } from "./markup.js";
import type { ReportData, Timeline } from "./report-data.js";
import { documentName, leftOut, section, stateBadge, tone } from "./section.js";
import { timeMarkup } from "./time.js";

export function timelinesSection({ timelines }: ReportData): Markup | null {
  if (timelines.total === 0) return null;
  const lead = "In the order in which they belong on the timeline.";
  const body = timelines.items.map((timeline, index) => timelineMarkup(timeline, index < 3));
  return section("timelines", "Timelines of documents that failed", timelines.total, lead, [
    ...body,
    leftOut(timelines),
  ]);
}

function timelineMarkup({ document, documentId, state, events, more }: Timeline, open: boolean): Markup {
  const items = events.map(
    (
      event,
    ) => html`<li class="${tone(event.state)}"><p><b>${event.name}</b> ${stateBadge(event.state)} ${timeMarkup(event.at)}</p>
${event.reason === null ? null : html`<p>${event.reason}</p>`}${event.place === null ? null : html`<p class="place">${event.place}</p>`}</li>`,
  );
  return html`<details class="group"${open ? html` open` : null}><summary>${documentName(document)} ${stateBadge(state)}</summary>
<p class="place">${documentId === null ? "not at the service as far as the ledger knows" : html`document id <code>${documentId}</code>`}</p>
<ol class="timeline">${items}</ol>
${more === 0 ? null : html`<p class="more">and ${grouped(more)} more events</p>`}
</details>
`;
}
