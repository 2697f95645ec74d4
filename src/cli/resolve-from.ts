/** `rowferry resolve --from <file>`: the ids of many stranded documents at once, after one confirmation. */
import { resolve } from "node:path";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import type { LookedUp } from "../desk/resolve-from-file.js";
import { plainText } from "../report/plain-text.js";
import { confirm } from "./confirm.js";
import type { OutputFlags, TargetFlags } from "./flags.js";
import type { Frame } from "./frame.js";
import { sameTarget } from "./output.js";
import { withTarget } from "./with-target.js";

type Flags = TargetFlags & OutputFlags & { by: string; yes?: boolean; journal?: string };

export function resolveFrom(frame: Frame, path: string, flags: Flags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { lookUp, readFilledIn } = await import("../desk/resolve-from-file.js");
    const { resolveNamed } = await import("../desk/resolve.js");
    const { clock, cwd, random } = frame.world;
    const { file, wanted, refused, blank, known } = await readFilledIn(
      target,
      path === "-" ? path : resolve(cwd, path),
    );
    const place = (row: number) => `${plainText(file)}:${row}`;
    if (refused.length > 0) {
      const lines = refused.map(({ row, code, message }) => `${place(row)}  ${code} · ${plainText(message, 300)}`);
      output.text(`\n${lines.join("\n")}\n`);
      output.data({ type: "rows-refused", file, rows: refused });
      const rows = new Set(refused.map(({ row }) => row)).size;
      const message = `${rows} ${rows === 1 ? "row" : "rows"} cannot be right; no document got its id.`;
      throw new RowferryError("stranded-file-unusable", message, { place: { file } });
    }

    if (wanted.length > 0) output.text(`\nLooking up ${wanted.length} at the service.`);
    const found = await lookUp(target, wanted, { clock, random, signal: frame.signal });
    const left = found.filter(({ check }) => check === null);
    const agreed = found.flatMap(({ check }) => (check === null ? [] : [check]));
    for (const { row, document, documentId, findings } of left) {
      const against = findings.filter(({ agrees }) => !agrees).map(({ text }) => text);
      output.text(
        `${place(row)}  ${title({ document })}, ${plainText(documentId)}: ${plainText(against.join("; "), 600)}`,
      );
    }
    if (agreed.length > 0) {
      const byIdOnly = agreed.filter(
        ({ findings }) => !findings.some(({ member }) => member !== null && keys.has(member)),
      );
      const doubt =
        byIdOnly.length === 0 ? "" : `Of ${byIdOnly.length} the read shows that they exist, not which they are. `;
      const count = agreed.length === 1 ? "1 document gets its id" : `${agreed.length} documents get their ids`;
      const question = `${doubt}${count} from ${plainText(file)} for good.`;
      await confirm(frame.world, question, String(agreed.length), flags.yes === true);
    }
    const journal = flags.journal ?? target.journal ?? null;
    // Each by itself, so that a running import waits for none of it; whatever ends this, the same file goes on with the rest.
    for (const check of agreed) resolveNamed(target, check, clock, { by: flags.by, journal });

    const counts = [
      `${agreed.length} resolved`,
      ...(known > 0 ? [`${known} had their id already`] : []),
      ...(left.length > 0 ? [`${left.length} left, because the read does not agree`] : []),
      ...(blank > 0 ? [`${blank} left without an id`] : []),
    ];
    output.text(`${plainText(file)}: ${counts.join(", ")}.`);
    const flagsOfTarget = sameTarget(target, cwd, flags.journal);
    if (left.length > 0) {
      output.text(
        `Next: look at those again, and correct the file or say it of each\n  rowferry resolve <document> --document-id <id>${flagsOfTarget}`,
      );
    }
    if (agreed.length + known > 0) output.text(`Next: go on with their events\n  rowferry resume${flagsOfTarget}\n`);
    const told = ({ row, document, documentId, findings }: LookedUp) => ({ row, document, documentId, findings });
    const resolved = found.filter(({ check }) => check !== null).map(told);
    output.data({ type: "resolved-from", file, resolved, left: left.map(told), known, blank });
    return left.length + blank > 0 ? ExitCode.person : ExitCode.ok;
  });
}

/** Members of a read that tell which document it is; the id is only what was asked for. */
const keys = new Set(["deduplicationId", "externalId"]);

const title = ({ document }: Pick<LookedUp, "document">) => `${plainText(document.kind)} ${plainText(document.key)}`;
