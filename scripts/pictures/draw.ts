/** Diagrams as SVG, one file for light and dark: rows of a file, timelines with events in their states, texts. */

export type State = "landed" | "to correct" | "waiting" | "in doubt" | "planned" | "cancelled";

export interface Event {
  name: string;
  /** Below the event; default: its state. */
  says?: string;
  state?: State;
}

const STYLE = `
  text { font: 14px system-ui, sans-serif; fill: #1c2733 } .faint { fill: #5a6876; font-size: 13px } .name { font-weight: 600 }
  .middle { text-anchor: middle } .bad { fill: #b3261e; font-weight: 600 } .box { fill: #eef2f6 } .arrow, line { stroke: #5a6876; stroke-width: 2; fill: none }
  .mono { font: 13px ui-monospace, monospace; white-space: pre }
  .landed { fill: #1f7a4d } .to-correct { fill: #b3261e } .waiting, .planned { fill: #ffffff; stroke: #5a6876; stroke-width: 2 }
  .in-doubt { fill: #ffffff; stroke: #b26a00; stroke-width: 3; stroke-dasharray: 4 3 } .cancelled { fill: #9fb0c0 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .faint { fill: #9fb0c0 } .bad { fill: #ff8a80 } .box { fill: #22303d } .arrow, line { stroke: #9fb0c0 }
    .landed { fill: #4cc38a } .to-correct { fill: #ff8a80 } .waiting, .planned { fill: #0d1117; stroke: #9fb0c0 }
    .in-doubt { fill: #0d1117; stroke: #f0b429 } .cancelled { fill: #5a6876 }
  }`;

const escape = (content: string) =>
  content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").replaceAll("\u001B", "");

export const text = (x: number, y: number, content: string, kind = "") =>
  `<text x="${x}" y="${y}" class="${kind}" xml:space="preserve">${escape(content)}</text>`;

export const arrow = (x: number, y: number, length: number) =>
  `<path d="M ${x} ${y} h ${length} m -10 -8 l 10 8 l -10 8" class="arrow"/>`;

export const box = (x: number, y: number, width: number, height: number, content: string) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4" class="box"/>${text(x + width / 2, y + height / 2 + 5, content, "middle")}`;

/** A table of cells; `bad` is the cell that is wrong, by row and column. */
export function table(
  x: number,
  y: number,
  columns: number,
  rows: readonly string[][],
  bad?: [number, number],
): string {
  const [head = [], ...body] = rows;
  const titles = head.map((name, column) => text(x + 12 + column * columns, y - 12, name, "faint"));
  const lines = body.map((cells, index) => {
    const top = y + index * 30;
    const shown = cells.map((cell, column) => {
      const kind = bad?.[0] === index && bad[1] === column ? "bad" : "";
      return text(x + 12 + column * columns, top + 20, cell, kind);
    });
    return `<rect x="${x}" y="${top}" width="${columns * head.length}" height="28" rx="3" class="box"/>${shown.join("")}`;
  });
  return [...titles, ...lines].join("\n");
}

export function timeline(x: number, y: number, width: number, name: string, events: readonly Event[]): string {
  const step = width / events.length;
  const points = events.map(({ name: label, says, state = "landed" }, index) => {
    const at = x + step / 2 + index * step;
    const point = `<circle cx="${at}" cy="${y}" r="8" class="${state.replace(" ", "-")}"/>`;
    return `${point}${text(at, y - 16, label, "middle")}${text(at, y + 28, says ?? state, "middle faint")}`;
  });
  const line = `<line x1="${x}" y1="${y}" x2="${x + width}" y2="${y}"/>`;
  return `${text(x, y - 42, name, "name")}${line}${points.join("")}`;
}

export function picture(width: number, height: number, label: string, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"
  aria-label="${escape(label)}">
<style>${STYLE}
</style>
${parts.join("\n")}
</svg>
`;
}

/** What a terminal showed, line by line. */
export function terminal(label: string, shown: string): string {
  const lines = shown.trimEnd().split("\n");
  const width = Math.max(...lines.map((line) => line.length)) * 8 + 40;
  const height = lines.length * 20 + 30;
  const frame = `<rect x="1" y="1" width="${width - 2}" height="${height - 2}" rx="8" class="box"/>`;
  const rows = lines.map((line, index) =>
    text(20, 30 + index * 20, line, line.startsWith("$ ") ? "mono name" : "mono"),
  );
  return picture(width, height, label, [frame, ...rows]);
}
