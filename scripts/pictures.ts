/** Draws docs/pictures/rows-to-timelines.svg: `npx tsx scripts/pictures.ts`. One file for light and dark. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface Row {
  document: string;
  event: string;
  time: string;
  /** Why it is not on the timeline; absent: it has landed. */
  state?: "to correct" | "waiting";
}

const rows: Row[] = [
  { document: "2026-0117", event: "Pick-up", time: "08:10" },
  { document: "2026-0118", event: "Pick-up", time: "08:25" },
  { document: "2026-0117", event: "Weighing", time: "09:40" },
  { document: "2026-0118", event: "Weighing", time: "1O:15", state: "to correct" },
  { document: "2026-0117", event: "Delivery", time: "11:05" },
  { document: "2026-0118", event: "Delivery", time: "13:30", state: "waiting" },
];

const LINE = 30;
const TOP = 54;
const TABLE = { left: 16, width: 330 };
const TIMELINES = { left: 430, width: 400, gap: 110 };

const text = (x: number, y: number, content: string, kind = "") =>
  `<text x="${x}" y="${y}" class="${kind}">${content}</text>`;

function table(): string {
  const head = ["Manifest", "Event", "Time"].map((name, column) =>
    text(TABLE.left + 12 + column * 110, TOP - 12, name, "faint"),
  );
  const lines = rows.map(({ document, event, time, state }, index) => {
    const y = TOP + index * LINE;
    const cells = [document, event, time].map((cell, column) =>
      text(TABLE.left + 12 + column * 110, y + 20, cell, column === 2 && state === "to correct" ? "bad" : ""),
    );
    return `<rect x="${TABLE.left}" y="${y}" width="${TABLE.width}" height="${LINE - 2}" rx="3" class="row"/>${cells.join("")}`;
  });
  return [...head, ...lines].join("\n");
}

function timelines(): string {
  const documents = [...new Set(rows.map(({ document }) => document))];
  return documents
    .map((document, index) => {
      const y = TOP + 34 + index * TIMELINES.gap;
      const own = rows.filter((row) => row.document === document);
      const step = TIMELINES.width / own.length;
      const points = own.map(({ event, time, state = "landed" }, position) => {
        const x = TIMELINES.left + 40 + position * step;
        const label = state === "landed" ? time : state;
        return `<circle cx="${x}" cy="${y}" r="8" class="${state.replace(" ", "-")}"/>${text(x, y - 16, event, "middle")}${text(x, y + 28, label, "middle faint")}`;
      });
      const line = `<line x1="${TIMELINES.left}" y1="${y}" x2="${TIMELINES.left + TIMELINES.width}" y2="${y}"/>`;
      return `${text(TIMELINES.left, y - 42, `Document ${document}`, "name")}${line}${points.join("")}`;
    })
    .join("\n");
}

const arrow = `<path d="M 362 145 h 44 m -10 -8 l 10 8 l -10 8" class="arrow"/>`;

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 850 262" width="850" height="262" role="img"
  aria-label="Six rows of a file become the events of two documents. A row with a mistake holds the later row of its own document only.">
<style>
  text { font: 14px system-ui, sans-serif; fill: #1c2733 } .faint { fill: #5a6876; font-size: 13px } .name { font-weight: 600 }
  .middle { text-anchor: middle } .bad { fill: #b3261e; font-weight: 600 } .row { fill: #eef2f6 } .arrow, line { stroke: #5a6876; stroke-width: 2; fill: none }
  .landed { fill: #1f7a4d } .to-correct { fill: #b3261e } .waiting { fill: #ffffff; stroke: #5a6876; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .faint { fill: #9fb0c0 } .bad { fill: #ff8a80 } .row { fill: #22303d } .arrow, line { stroke: #9fb0c0 }
    .landed { fill: #4cc38a } .to-correct { fill: #ff8a80 } .waiting { fill: #0d1117; stroke: #9fb0c0 }
  }
</style>
${table()}
${arrow}
${timelines()}
</svg>
`;

const folder = fileURLToPath(new URL("../docs/pictures/", import.meta.url));
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}rows-to-timelines.svg`, svg);
