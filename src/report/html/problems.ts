/** Problems and warnings grouped by cause, with counts, the remedy and example rows. */
import { codes } from "../../model/codes.js";
import { describePlace } from "../../model/place.js";
import { grouped } from "../figures.js";
import { html, type Markup } from "./markup.js";
import type { ProblemGroup } from "./report-data.js";
import { leftOut, section } from "./section.js";

export function problemsSection(
  id: string,
  title: string,
  groups: readonly ProblemGroup[],
  lead: string,
): Markup | null {
  if (groups.length === 0) return null;
  const total = groups.reduce((sum, group) => sum + group.total, 0);
  const largestFirst = groups.toSorted((left, right) => right.total - left.total);
  return section(
    id,
    title,
    total,
    lead,
    largestFirst.map((group, index) => groupMarkup(group, index < 5)),
  );
}

/** Open where it is among the first; all of it prints. */
function groupMarkup(group: ProblemGroup, open: boolean): Markup {
  const { meaning, remedy } = codes[group.code];
  const examples = group.rows.map(
    ({ file, sheet, row, column, message, hint }) => html`<li>
<p class="place">${describePlace({ file, sheet: sheet ?? undefined, row: row ?? undefined, column: column ?? undefined })}</p>
<p>${message}</p>${hint === null ? null : html`<p class="hint">${hint}</p>`}</li>`,
  );
  return html`<details class="group"${open ? html` open` : null}>
<summary><span class="count">${grouped(group.total)}</span> <code>${group.code}</code> <span class="meaning">${meaning}</span></summary>
<p class="hint">${remedy}</p>
<ul class="examples">${examples}</ul>
${leftOut({ total: group.total, items: group.rows })}
</details>
`;
}
