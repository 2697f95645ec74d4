/** `rowferry resolve --from <file>`: the ids of many stranded documents at once, after one confirmation. */
import { resolve } from "node:path";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import type { LookedUp } from "../desk/resolve-from-file.js";
import { counted, grouped } from "../report/figures.js";
import { plainText } from "../report/plain-text.js";
import { confirm } from "./confirm.js";
import type { Told, Work } from "./on-target.js";

/** What of a read tells which document it is; the id is only what was asked for. */
const keys = new Set<string | null>(["deduplicationId", "externalId"]);

export const documentTitle = ({ kind, key }: LookedUp["document"]): string => `${plainText(kind)} ${plainText(key)}`;

export async function resolveFrom(
  { world, target, output, options, same }: Work,
  path: string,
  by: string,
  yes: boolean,
): Promise<Told> {
  const { lookUp, readFilledIn } = await import("../desk/resolve-from-file.js");
  const { resolveNamed } = await import("../desk/resolve.js");
  const { clock, journal } = options;
  const filled = await readFilledIn(target, path === "-" ? path : resolve(world.cwd, path));
  const { file, wanted, refused, blank, known } = filled;
  const name = plainText(file);
  if (refused.length > 0) {
    const lines = refused.map(({ row, code, message }) => `${name}:${row}  ${code} · ${plainText(message, 300)}`);
    output.text(`${lines.join("\n")}\n`);
    output.data({ type: "rows-refused", file, rows: refused });
    const rows = new Set(refused.map(({ row }) => row)).size;
    const message = `${counted(rows, "row")} cannot be right; no document got its id.`;
    throw new RowferryError("stranded-file-unusable", message, { place: { file } });
  }

  if (wanted.length > 0) output.text(`Looking up ${counted(wanted.length, "document")} at the service.`);
  const found = await lookUp(target, wanted, options);
  const left = found.filter(({ check }) => check === null);
  const agreed = found.flatMap(({ check }) => (check === null ? [] : [check]));
  for (const { row, document, documentId, findings } of left) {
    const against = findings.filter(({ agrees }) => !agrees).map(({ text }) => text);
    const why = plainText(against.join("; "), 600);
    output.text(`${name}:${row}  ${documentTitle(document)}, ${plainText(documentId)}: ${why}`);
  }
  if (agreed.length > 0) {
    const byIdOnly = agreed.filter(({ findings }) => !findings.some(({ member }) => keys.has(member))).length;
    const doubt = byIdOnly === 0 ? "" : `Of ${byIdOnly} the read shows that they exist, not which they are. `;
    const count = agreed.length === 1 ? "1 document gets its id" : `${grouped(agreed.length)} documents get their ids`;
    await confirm(world, `${doubt}${count} from ${name}; this cannot be undone.`, String(agreed.length), yes);
  }
  // Each by itself, so that a running import waits for none of it; whatever ends this, the same file continues with the rest.
  for (const check of agreed) resolveNamed(target, check, clock, { by, journal });

  const counts = [
    `${grouped(agreed.length)} resolved`,
    known > 0 ? `${grouped(known)} had their id already` : "",
    left.length > 0 ? `${grouped(left.length)} left, because the read does not agree` : "",
    blank > 0 ? `${grouped(blank)} left without an id` : "",
  ];
  const again = {
    command: `rowferry resolve <document> --document-id <id>${same}`,
    why: "look at those again, and correct the file, or give each its id",
  };
  const resume = { command: `rowferry resume${same}`, why: "send the events that waited" };
  const told = ({ row, document, documentId, findings }: LookedUp) => ({ row, document, documentId, findings });
  const resolved = found.filter(({ check }) => check !== null).map(told);
  return {
    text: `${name}: ${counts.filter((count) => count !== "").join(", ")}.`,
    next: [...(left.length > 0 ? [again] : []), ...(agreed.length + known > 0 ? [resume] : [])],
    line: { type: "resolved-from", file, resolved, left: left.map(told), known, blank },
    exitCode: left.length + blank > 0 ? ExitCode.person : ExitCode.ok,
  };
}
