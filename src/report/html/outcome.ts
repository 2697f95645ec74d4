/** The top of the report: how the run ended, what to do next, and the counts that add up. */
import { ExitCode } from "../../model/exit-code.js";
import type { RowCounts, StateCounts, Summary } from "../../model/summary.js";
import { grouped, shortDuration } from "../figures.js";
import { nextSteps } from "../next-steps.js";
import { html, type Markup } from "./markup.js";
import { section, stateBadge } from "./section.js";
import { timeMarkup } from "./time.js";

const outcomes: Record<ExitCode, { mark: string; tone: string; text: string }> = {
  [ExitCode.ok]: { mark: "✓", tone: "good", text: "All is well. Nobody need do anything." },
  [ExitCode.unexpected]: { mark: "✕", tone: "bad", text: "Failed unexpectedly. Running it again is safe." },
  [ExitCode.usage]: { mark: "✕", tone: "bad", text: "Not begun: usage, settings or mapping. Nothing was sent." },
  [ExitCode.person]: { mark: "!", tone: "bad", text: "A person is needed." },
  [ExitCode.again]: { mark: "↻", tone: "waiting", text: "Not finished. The same command can go on." },
  [ExitCode.locked]: { mark: "↻", tone: "waiting", text: "Another process held the ledger." },
  [ExitCode.interrupted]: { mark: "↻", tone: "waiting", text: "Interrupted. Can go on where it stopped." },
  [ExitCode.terminated]: { mark: "↻", tone: "waiting", text: "Interrupted. Can go on where it stopped." },
};

export function outcomeHeader(summary: Summary): Markup {
  const { mark, tone, text } = outcomes[summary.exitCode];
  const seconds = (Date.parse(summary.finishedAt) - Date.parse(summary.startedAt)) / 1000;
  const steps = nextSteps(summary, (path) => path);
  return html`<header>
<p class="brand">rowferry · ${summary.command}</p>
<h1>${summary.run}</h1>
<div class="outcome ${tone}"><span class="mark" aria-hidden="true">${mark}</span>
<div><p><b>${text}</b> <span class="exit">exit code ${summary.exitCode}</span></p>
${summary.stopped === null ? null : html`<p>${summary.stopped.message}</p>`}</div></div>
${
  steps.length === 0
    ? null
    : html`<div class="next"><h2>Next</h2><ol>${steps.map(
        ({ why, command }) => html`<li>${why}<pre tabindex="0"><code>${command}</code></pre></li>`,
      )}</ol></div>`
}
<dl class="facts">
<div><dt>Target</dt><dd>${summary.target.name} ${summary.target.baseUrl}</dd></div>
<div><dt>Ledger</dt><dd>${summary.ledger}</dd></div>
${summary.mapping === null ? null : html`<div><dt>Mapping</dt><dd>${summary.mapping}</dd></div>`}
<div><dt>Began</dt><dd>${timeMarkup(Date.parse(summary.startedAt))}</dd></div>
<div><dt>Took</dt><dd>${Number.isFinite(seconds) ? shortDuration(seconds) : "—"}</dd></div>
</dl>
</header>
`;
}

export function rowsSection(summary: Summary): Markup | null {
  if (summary.rows.read === 0) return null;
  const lines = summary.inputs.map((input) => {
    return rowLine(html`${input.input}${input.sheet === null ? null : html`, sheet ${input.sheet}`}`, input);
  });
  if (lines.length > 1) lines.push(rowLine(html`<b>all</b>`, summary.rows));
  // On a phone the lines become grids, which would cost them their meaning as a table but for the roles.
  const heads = ["Input", "read", "= skipped", "+ invalid", "+ known", "+ staged"].map(
    (name) => html`<th scope="col" role="columnheader">${name}</th>`,
  );
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="Rows by input"><table class="sum" role="table">
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${lines}</tbody></table></div>`;
  const lead =
    "Every row has one fate. Known rows landed before and cost no request; invalid ones stand in the rejected files.";
  return section("rows", "Rows", summary.rows.read, lead, table);
}

function rowLine(name: Markup, { read, skipped, invalid, known, staged }: RowCounts): Markup {
  const cells = [read, skipped, invalid, known, staged].map((value) => html`<td role="cell">${grouped(value)}</td>`);
  return html`<tr role="row"><th scope="row" role="rowheader">${name}</th>${cells}</tr>`;
}

export function recordsSection(summary: Summary): Markup | null {
  const kinds = ["participants", "addresses", "documents", "events"] as const;
  const lines = kinds
    .filter((kind) => count(summary[kind]) + count(summary.open[kind]) > 0)
    .map(
      (kind) =>
        html`<tr role="row"><th scope="row" role="rowheader">${kind}</th><td role="cell">${states(summary[kind])}</td><td role="cell">${states(summary.open[kind])}</td></tr>`,
    );
  if (lines.length === 0) return null;
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="Records by state"><table role="table">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Records</th><th scope="col" role="columnheader">of this run</th><th scope="col" role="columnheader">still open in the whole ledger</th></tr></thead>
<tbody role="rowgroup">${lines}</tbody></table></div>`;
  return section("records", "Records", null, null, table);
}

function states(counts: StateCounts): Markup {
  const entries = Object.entries(counts).filter(([, value]) => value > 0);
  if (entries.length === 0) return html`<span class="none">none</span>`;
  return html`${entries.map(([state, value]) => html`<span class="pair">${grouped(value)} ${stateBadge(state)}</span> `)}`;
}

function count(counts: StateCounts): number {
  return Object.values(counts).reduce((sum, value) => sum + value, 0);
}
