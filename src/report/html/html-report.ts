/** `report.html`: one file without network or scripts; the answer first, then numbers, then details. */
import type { RowCounts, StateCounts, Summary } from "../../model/summary.js";
import { writeAtomically } from "../atomic-file.js";
import { counted, grouped, localZone, shortDuration } from "../figures.js";
import { nextSteps } from "../next-steps.js";
import { answer, endings, recordKinds, rowColumns, rowParts, total } from "../outcome.js";
import type { ReportData } from "./collect-report-data.js";
import { html, type Markup, type Value } from "./markup.js";
import { paceSection } from "./pace.js";
import { detailSections, type Section, sectionMarkup, stateBadge, timeMarkup } from "./sections.js";
import { style } from "./style.js";

/** Leaves out empty sections. */
export function htmlReport(data: ReportData): string {
  const { summary } = data;
  const sections = [
    rowsSection(summary),
    ...detailSections(data),
    recordsSection(summary),
    paceSection(data.pace, summary),
  ]
    .filter((section) => section !== null)
    .filter(({ count }) => count !== 0);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${summary.run} · rowferry</title>
<style>${style}</style>
</head>
<body>
<main>
${header(summary)}
<nav aria-label="Sections">${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`)}</nav>
${sections.map(sectionMarkup)}
<footer>This file contains data from your rows; share it only as you would share the rows.</footer>
</main>
</body>
</html>
`.text;
}

export async function writeHtmlReport(path: string, data: ReportData): Promise<void> {
  await writeAtomically(path, (file) => file.write(htmlReport(data)));
}

function header(summary: Summary): Markup {
  const { run, target, exitCode, startedAt, finishedAt, mapping, ledger } = summary;
  const { word, tone } = endings[exitCode];
  const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
  const steps = nextSteps(summary).map(({ why, command }) => html`<li>${why}<pre><code>${command}</code></pre></li>`);
  const facts: [string, Value][] = [
    ["Target", `${target.name} ${target.baseUrl}`],
    ["Ledger", ledger],
    ["Mapping", mapping],
    ["Began", timeMarkup(Date.parse(startedAt))],
    ["Times in", localZone()],
    ["Took", Number.isFinite(seconds) ? shortDuration(seconds) : "—"],
  ];
  return html`<header>
<p class="brand">rowferry · ${run} · exit code ${exitCode}, ${word}</p>
<h1 class="${tone}">${answer(summary)}</h1>
${rowsChart(summary)}
${steps.length === 0 ? null : html`<h2>Next</h2><ul>${steps}</ul>`}
<dl>${facts.filter(([, fact]) => fact !== null).map(([name, fact]) => html`<div><dt>${name}</dt><dd>${fact}</dd></div>`)}</dl>
</header>
`;
}

/** A bar of all rows, and its parts in words. */
function rowsChart({ rows, outcomes }: Summary): Markup | null {
  if (rows.read === 0) return null;
  const parts = rowParts(rows, outcomes).map(({ count, name, tone }) => ({
    piece: html`<rect class="${tone}" x="${count.before}" width="${count.of}" height="1"/>`,
    words: html`<span class="part ${tone}">${grouped(count.of)} ${name}</span>`,
  }));
  return html`<figure><svg class="rows" viewBox="0 0 ${rows.read} 1" preserveAspectRatio="none" aria-hidden="true">${parts.map(({ piece }) => piece)}</svg>
<figcaption><b>${counted(rows.read, "row")}</b> = ${parts.map(({ words }, index) => [index === 0 ? "" : " + ", words])}</figcaption></figure>`;
}

function rowsSection(summary: Summary): Section {
  const line = (name: Value, rows: RowCounts) => [name, ...rowColumns.map((column) => grouped(rows[column]))];
  const lines = summary.inputs.map((input) =>
    line([input.input, input.sheet === null ? null : `, sheet ${input.sheet}`], input),
  );
  if (lines.length > 1) lines.push(line(html`<b>all</b>`, summary.rows));
  return {
    id: "rows",
    title: "Rows",
    count: summary.rows.read,
    lead: "Every row is counted once. Known rows landed before and cost no requests; invalid rows are in the rejected files.",
    body: table("Rows by input", ["Input", "read", "= skipped", "+ invalid", "+ known", "+ staged"], lines, "numbers"),
  };
}

function recordsSection(summary: Summary): Section | null {
  const lines = recordKinds
    .filter((kind) => total(summary[kind]) + total(summary.open[kind]) > 0)
    .map((kind) => [kind, states(summary[kind]), states(summary.open[kind])]);
  if (lines.length === 0) return null;
  const heads = ["Records", "of this run", "still open in the whole ledger"];
  return {
    id: "records",
    title: "Records",
    count: null,
    lead: null,
    body: table("Records by state", heads, lines, ""),
  };
}

function states(counts: StateCounts): Value {
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  return found.length === 0
    ? "none"
    : found.map(([state, count]) => html`<span class="pair">${grouped(count)} ${stateBadge(state)}</span> `);
}

/** Scrolls sideways if too wide. The first cell is a row's heading. */
function table(label: string, heads: readonly string[], lines: readonly Value[][], kind: string): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="${kind}">
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${lines.map(([name, ...cells]) => html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}
