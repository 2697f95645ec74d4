/** Requests over time against the limit: an SVG of shapes, with labels in HTML so that they keep their size. */
import type { Summary } from "../../model/summary.js";
import { atLimit, counted, grouped, joined, shortDuration } from "../figures.js";
import type { ReportData } from "./collect-report-data.js";
import { html, type Markup } from "./markup.js";
import { type Section, timeMarkup } from "./sections.js";

const width = 1000;
const height = 200;

type Pace = NonNullable<ReportData["pace"]>;

export function paceSection(pace: ReportData["pace"], { requests }: Summary): Section {
  const { sent, retries, rateLimited, secondsAtLimit, limit, byKind } = requests;
  const kinds = Object.entries(byKind).filter(([, count]) => count > 0);
  const lead = [
    atLimit(secondsAtLimit, limit),
    retries > 0 && counted(retries, "retry", "retries"),
    `${rateLimited > 0 ? grouped(rateLimited) : "none"} refused as too many (429)`,
  ];
  return {
    id: "requests",
    title: "Requests",
    count: sent,
    lead: joined(lead, "; "),
    body: [
      html`<p>${kinds.map(([kind, count]) => html`<span class="pair">${grouped(count)} ${kind}</span> `)}</p>`,
      pace === null ? null : plot(pace, limit.rate),
    ],
  };
}

function plot({ startedAt, spanMs, sent, rateLimited }: Pace, limit: number): Markup {
  const seconds = spanMs / 1000;
  const highest = Math.max(...sent) / seconds;
  const top = Math.max(limit, highest);
  const y = (rate: number) => short(height - (rate / top) * height);
  const step = width / sent.length;
  const columns = (counts: number[]) =>
    counts
      .map((count, index) =>
        count > 0 ? `M${short(index * step)} ${height}V${y(count / seconds)}h${short(step * 0.86)}V${height}z` : "",
      )
      .join("");
  const refused = columns(rateLimited);
  const description = `Requests per second, ${sent.length} columns of ${seconds} seconds; highest ${short(highest)}, limit ${limit}.`;
  return html`<figure>
<svg class="pace" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${description}">
<path class="sent" d="${columns(sent)}"/>${refused === "" ? null : html`<path class="refused" d="${refused}"/>`}
<line x1="0" x2="${width}" y1="${y(limit)}" y2="${y(limit)}"/>
</svg>
<p class="times"><span>${timeMarkup(startedAt)}</span><span>${timeMarkup(startedAt + spanMs * sent.length)}</span></p>
<figcaption>Each column is ${shortDuration(seconds)}; the highest is ${short(highest)} a second. The dashed line is the limit, ${limit} a second; a burst may rise above it.${refused === "" ? "" : " Red: refused (429)."}</figcaption>
</figure>`;
}

const short = (value: number): number => Math.round(value * 100) / 100;
