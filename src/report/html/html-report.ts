/** `report.html`: one file that needs no network and no script. Text in, text out; `writeHtmlReport` puts it in its place. */
import { writeAtomically } from "../atomic-file.js";
import { geographiesSection, identitiesSection } from "./identities.js";
import { html, type Markup } from "./markup.js";
import { outcomeHeader, recordsSection, rowsSection } from "./outcome.js";
import { paceSection } from "./pace.js";
import { problemsSection } from "./problems.js";
import type { ReportData } from "./report-data.js";
import { style } from "./style.js";
import { timelinesSection } from "./timelines.js";
import { heldSection, strandedSection } from "./waiting.js";

/** The whole page. Sections with nothing in them are left out. */
export function htmlReport(data: ReportData): string {
  const { summary } = data;
  const sections = [
    { id: "rows", title: "Rows", body: rowsSection(summary) },
    {
      id: "problems",
      title: "Problems",
      body: problemsSection("problems", "Problems", data.problems, "By cause, most frequent first."),
    },
    { id: "stranded", title: "Stranded", body: strandedSection(data) },
    { id: "held", title: "Held", body: heldSection(data) },
    { id: "timelines", title: "Timelines", body: timelinesSection(data) },
    { id: "identities", title: "Identities", body: identitiesSection(data) },
    { id: "geographies", title: "Locations", body: geographiesSection(data) },
    {
      id: "warnings",
      title: "Warnings",
      body: problemsSection("warnings", "Warnings", data.warnings, "Nothing was held back because of these."),
    },
    { id: "records", title: "Records", body: recordsSection(summary) },
    { id: "requests", title: "Requests", body: paceSection(data.pace, summary) },
  ].filter((section): section is { id: string; title: string; body: Markup } => section.body !== null);
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
${outcomeHeader(summary)}
<nav aria-label="Sections">${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`)}</nav>
${sections.map(({ body }) => body)}
<footer><p>Target ${summary.target.name} ${summary.target.baseUrl} · ledger ${summary.ledger}</p>
<p>This file holds data of your rows; share it as you would share them.</p></footer>
</main>
</body>
</html>
`.text;
}

/** Whole or not at all, 0600. */
export async function writeHtmlReport(path: string, data: ReportData): Promise<void> {
  await writeAtomically(path, (file) => file.write(htmlReport(data)));
}
