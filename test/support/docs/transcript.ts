/**
 * Documents as scripts: `console` blocks hold commands (`$ …`) and what they print, blocks with `file=name` are files of
 * the reader's folder (`file+=name`: added to its end), and `<!-- play {…} -->` says what happens around them (a service, its faults, the time of day).
 */

export interface Stage {
  /** Starts a sandbox that stands for the service at http://127.0.0.1:4010. */
  service?: { [option: string]: unknown };
  /** From now on. */
  faults?: unknown[];
  /** What the clocks show from now on, ISO 8601. */
  at?: string;
  /** Environment from now on. */
  env?: { [name: string]: string };
  /** Files of the project, copied into the folder: from → to. */
  copy?: { [from: string]: string };
  /** A command that readers need not see: of the shell, or one of rowferry. */
  run?: string;
}

export type Step =
  | { kind: "stage"; stage: Stage; line: number }
  | { kind: "file"; name: string; text: string; append: boolean; line: number }
  | { kind: "command"; command: string; expected: string; line: number; span: [from: number, to: number] };

const playComment = /^<!-- play\s+([\s\S]*?)\s*-->$/gm;

/** Steps in the order of the document; `span`: where a command's output stands, in characters. */
export function readTranscript(markdown: string): Step[] {
  const steps: (Step & { offset: number })[] = [];
  const lineAt = (offset: number) => markdown.slice(0, offset).split("\n").length;
  for (const match of markdown.matchAll(playComment)) {
    const stage = JSON.parse(match[1] ?? "{}") as Stage;
    steps.push({ kind: "stage", stage, line: lineAt(match.index), offset: match.index });
  }
  for (const match of markdown.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)) {
    const [, info = "", text = ""] = match;
    const [, plus, name] = /\bfile(\+?)=(\S+)/.exec(info) ?? [];
    const line = lineAt(match.index);
    if (name !== undefined) steps.push({ kind: "file", name, text, append: plus === "+", line, offset: match.index });
    if (/^console\b/.test(info)) {
      const start = match.index + 3 + info.length + 1;
      for (const command of commandsOf(text)) {
        const span: [number, number] = [start + command.from, start + command.to];
        const { command: typed, expected } = command;
        const at = { line: lineAt(span[0]) - 1, offset: span[0] };
        steps.push({ kind: "command", command: typed, expected, span, ...at });
      }
    }
  }
  return steps.toSorted((left, right) => left.offset - right.offset).map(({ offset: _, ...step }) => step);
}

function commandsOf(text: string) {
  const found: { command: string; expected: string; from: number; to: number }[] = [];
  let offset = 0;
  let continued = false;
  for (const line of text.split(/(?<=\n)/)) {
    const end = offset + line.length;
    const last = found.at(-1);
    const answered = last !== undefined && last.expected !== "";
    if (last !== undefined && !answered && (continued || line.startsWith("> "))) {
      last.command += `\n${continued ? line.trimEnd() : line.slice(2).trimEnd()}`;
      last.from = last.to = end;
    } else if (line.startsWith("$ ")) {
      found.push({ command: line.slice(2).trimEnd(), expected: "", from: end, to: end });
    } else if (last !== undefined) {
      last.expected += line;
      last.to = end;
    }
    continued = (continued || line.startsWith("$ ")) && line.trimEnd().endsWith("\\");
    offset = end;
  }
  return found;
}

/** What changes from one playing to the next, made alike: times, spans, ids, the folder. */
export function normalised(text: string): string {
  return (
    text
      .replace(/\b\d{4}-\d\d-\d\dT\d{4}-[a-z]+(-\d+)?\b/g, "<run>")
      .replace(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?Z| UTC)?/g, "<time>")
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<id>")
      .replace(/\b[\d,]+ MiB\b/g, "<n> MiB")
      .replace(/\b(today|yesterday|(Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day) \d\d:\d\d\b/g, "<when>")
      .replace(/\b\d+(\.\d+)? ?(ms|s|h|min|m|d)( ?\d\d (s|min|h))?\b/g, "<span>")
      .replace(/ +/g, " ")
      // A longer span makes the line break elsewhere.
      .replace(/([·:])\n (?=<id>|x-request-id)/g, "$1 ")
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")
      .trim()
  );
}

/** Whether what came is what the document says; a line `…` stands for any number of lines. */
export function agrees(expected: string, came: string): boolean {
  const parts = normalised(expected).split(/^…$/m);
  const text = normalised(came);
  if (parts.length === 1) return text === parts[0];
  let from = 0;
  for (const [index, part] of parts.entries()) {
    const wanted = part.trim();
    const at = index === 0 ? (text.startsWith(wanted) ? 0 : -1) : text.indexOf(wanted, from);
    if (at < 0) return false;
    from = at + wanted.length;
    if (index === parts.length - 1 && wanted !== "" && !text.endsWith(wanted)) return false;
  }
  return true;
}
