/** `rowferry resolve --from <file>`: many stranded documents with one confirmation. */
import { resolve } from "node:path";
import type { LookedUp } from "../desk/resolve.js";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import { counted, grouped } from "../report/figures.js";
import type { Word } from "./commands/resolve.js";
import { confirm } from "./confirm.js";
import { foreseen } from "./dry-run.js";
import type { Work } from "./on-target.js";
import { told, type Told } from "./output.js";
import { joined, plain } from "./render/text.js";

/** Fields of a read that identify a document; the id was only asked for. */
const keys = new Set<string | null>(["deduplicationId", "externalId"]);

/** Of the mistakes in the file, in the error; all of them are listed before it. */
const MOST_SAID = 3;

export const documentTitle = ({ kind, key }: LookedUp["document"]): string => `${kind} ${key}`;

export async function resolveFrom(work: Work, path: string, { by, yes, isRehearsal }: Word): Promise<Told> {
  const { world, target, output, options, same } = work;
  const { lookUp, readFilledIn, resolveNamed, resolving } = await import("../desk/resolve.js");
  const { clock, journal } = options;
  const { file, wanted, refused, blank, known } = await readFilledIn(
    target,
    path === "-" ? path : resolve(world.cwd, path),
  );
  const name = plain(file);
  if (refused.length > 0) {
    const said = plain(refused).map(({ row, code, message }) => `${name}:${row}  ${code} · ${message}`);
    output.text(`${said.join("\n")}\n`);
    output.data({ type: "rows-refused", file, rows: refused });
    const count = new Set(refused.map(({ row }) => row)).size;
    const first = refused.slice(0, MOST_SAID).map(({ message }) => message);
    const message = `${counted(count, "row")} cannot be right; no document got its id. ${first.join(" ")}`;
    throw new RowferryError("stranded-file-unusable", message, { place: { file } });
  }

  if (wanted.length > 0) output.text(`Looking up ${counted(wanted.length, "document")} at the service.`);
  const found = await lookUp(target, wanted, options);
  const left = found.filter(({ check }) => check === null);
  const agreed = found.flatMap(({ check }) => (check === null ? [] : [check]));
  for (const { row, document, documentId, findings } of plain(left)) {
    const against = findings.filter(({ agrees }) => !agrees).map(({ text }) => text);
    output.text(`${name}:${row}  ${documentTitle(document)}, ${documentId}: ${against.join("; ")}`);
  }
  const shown = ({ row, document, documentId, findings }: LookedUp) => ({ row, document, documentId, findings });
  const resolved = found.filter(({ check }) => check !== null).map(shown);
  const line = { type: "resolved-from" as const, file, resolved, left: left.map(shown), known, blank };
  if (isRehearsal)
    return foreseen(
      work,
      (database, now) => agreed.map((check) => resolving(check, by)(database, now)),
      () => line,
    );
  if (agreed.length > 0) {
    const byIdOnly = agreed.filter(({ findings }) => !findings.some(({ member }) => keys.has(member))).length;
    const doubt = byIdOnly === 0 ? "" : `Of ${byIdOnly} the read shows that they exist, not which they are. `;
    const count = agreed.length === 1 ? "1 document gets its id" : `${grouped(agreed.length)} documents get their ids`;
    await confirm(world, `${doubt}${count} from ${name}; this cannot be undone.`, String(agreed.length), yes);
  }
  // One by one, so that a running import waits for none; after an interruption the same file continues.
  for (const check of agreed) resolveNamed(target, check, clock, { by, journal });

  const again = {
    command: `rowferry resolve <document> --document-id <id>${same}`,
    why: "look at those again, and correct the file, or give each its id",
  };
  const resume = { command: `rowferry resume${same}`, why: "send the events that waited" };
  return told({
    line,
    text: () => [
      `${name}: ${joined([
        `${grouped(agreed.length)} resolved`,
        known > 0 && `${grouped(known)} had their id already`,
        left.length > 0 && `${grouped(left.length)} left, because the read does not agree`,
        blank > 0 && `${grouped(blank)} left without an id`,
      ])}.`,
    ],
    next: [...(left.length > 0 ? [again] : []), ...(agreed.length + known > 0 ? [resume] : [])],
    exitCode: left.length + blank > 0 ? ExitCode.person : ExitCode.ok,
  });
}
