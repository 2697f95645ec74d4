/** Requests against the limit over time: an SVG of shapes only, with its labels in HTML so that they keep their size. */
import type { Summary } from "../../model/summary.js";
import { grouped, shortDuration } from "../figures.js";
import { html, type Markup } from "./markup.js";
import type { ReportData } from "./report-data.js";
import { section } from "./section.js";
import { timeMarkup } from "./time.js";

const width = 1000;
const height = 200;
/** More columns than this cannot be told apart; neighbours are put together. */
const mostColumns = 240;

type Pace = NonNullable<ReportData["pace"]>;

export function paceSection(pace: ReportData["pace"], { requests }: Summary): Markup | null {
  if (requests.sent === 0) return null;
  const kinds = Object.entries(requests.byKind).filter(([, count]) => count > 0);
  const list = html`<p>${kinds.map(([kind, count]) => html`<span class="pair">${grouped(count)} ${kind}</span> `)}</p>`;
  const { rate, burst } = requests.limit;
  const lead = html`At ${rate} a second, ${burst} at once, they take ${shortDuration(requests.secondsAtLimit)}. ${
    requests.retries > 0 ? `${grouped(requests.retries)} were retries. ` : null
  }${requests.rateLimited > 0 ? `${grouped(requests.rateLimited)} were refused as too many (429).` : "None was refused as too many (429)."}`;
  return section("requests", "Requests", requests.sent, lead, [
    list,
    pace === null ? null : plot(gathered(pace), rate),
  ]);
}

/** Spans put together until there are few enough. */
function gathered(pace: Pace): Pace {
  const together = Math.ceil(pace.sent.length / mostColumns);
  if (together <= 1) return pace;
  const sums = (counts: number[]) =>
    Array.from({ length: Math.ceil(counts.length / together) }, (_, index) =>
      counts.slice(index * together, (index + 1) * together).reduce((sum, count) => sum + count, 0),
    );
  return { ...pace, spanMs: pace.spanMs * together, sent: sums(pace.sent), rateLimited: sums(pace.rateLimited) };
}

function plot(pace: Pace, limit: number): Markup {
  const seconds = pace.spanMs / 1000;
  const rates = pace.sent.map((count) => count / seconds);
  const top = niceCeiling(Math.max(limit, ...rates) * 1.05);
  const y = (rate: number) => height - (Math.min(rate, top) / top) * height;
  const step = width / Math.max(1, rates.length);
  const columns = (values: number[], kind: string) => {
    const path = values
      .map((rate, index) =>
        rate > 0 ? `M${short(index * step)} ${height}V${short(y(rate))}h${short(step * 0.86)}V${height}z` : "",
      )
      .join("");
    return path === "" ? null : html`<path class="${kind}" d="${path}"/>`;
  };
  const refused = pace.rateLimited.map((count) => count / seconds);
  const end = pace.startedAt + pace.spanMs * pace.sent.length;
  const description = `Requests per second, ${pace.sent.length} columns of ${seconds} seconds; highest ${short(Math.max(...rates))}, limit ${limit}.`;
  return html`<figure class="plot">
<div class="frame">
<div class="axis" aria-hidden="true"><span style="top:0%">${short(top)}</span><span style="top:${short((y(limit) / height) * 100)}%" class="limit-label">${limit}</span><span style="top:100%">0</span></div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${description}">
${columns(rates, "sent")}${columns(refused, "refused")}
<line class="limit" x1="0" x2="${width}" y1="${short(y(limit))}" y2="${short(y(limit))}"/>
</svg>
</div>
<div class="times"><span>${timeMarkup(pace.startedAt)}</span><span>${timeMarkup(end)}</span></div>
<figcaption><span class="legend"><span class="key sent"></span>requests per second</span> ${
    refused.some((rate) => rate > 0)
      ? html`<span class="legend"><span class="key refused"></span>refused (429)</span> `
      : null
  }<span class="legend"><span class="key limit"></span>limit, ${limit} a second</span>
<br>Each column is ${shortDuration(seconds)}; a burst may rise above the line.</figcaption>
</figure>`;
}

/** The next round number. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  const factor = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((candidate) => candidate * power >= value) ?? 10;
  return factor * power;
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}
