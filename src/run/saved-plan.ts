/**
 * A saved plan for approval: an import with it sends exactly that or nothing. It holds hashes, and nothing of the rows.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { contentHashOf, digestOfOpenWork } from "../ledger/views/open-work.js";
import { decodeText } from "../model/decode-text.js";
import { RowferryError } from "../model/error.js";
import type { Target } from "../model/target.js";
import { refuseAnothers, writeAtomically } from "../report/atomic-file.js";
import type { Session } from "./session.js";
import type { StagedInput } from "./stage.js";

const text = z.string();

/** Everything that decides what an import sends. */
const basisSchema = z.strictObject({
  target: text,
  /** Of the mapping and the files it uses. */
  mapping: text,
  /** Content hashes by file, or file and sheet. */
  files: z.record(text, text),
  /** Of all open work once the files are staged. */
  work: text,
});

const savedPlanSchema = z.strictObject({
  type: z.literal("saved-plan"),
  savedAt: text,
  savedBy: text,
  mappingPath: text,
  files: z.array(text),
  requests: z.record(text, z.number()),
  secondsAtLimit: z.number(),
  documents: z.number(),
  basis: basisSchema,
  /** Of everything above. */
  seal: text,
});

export type PlanBasis = z.infer<typeof basisSchema>;
export type SavedPlan = z.infer<typeof savedPlanSchema>;

/** In the transaction that has staged the files. */
export function planBasis(
  { database, target }: Session,
  mappingHash: string,
  staged: readonly StagedInput[],
): PlanBasis {
  const nameOf = ({ input, sheet }: StagedInput) => (sheet === null ? input : `${input}, sheet "${sheet}"`);
  return {
    target: describeTarget(target),
    mapping: mappingHash,
    files: Object.fromEntries(staged.map((one) => [nameOf(one), contentHashOf(database, one.id)])),
    work: digestOfOpenWork(database),
  };
}

const describeTarget = ({ name, baseUrl, clientId, maxEventsPerRequest, maxRequestBytes }: Target) =>
  // The embedded sandbox's address changes.
  `${name} ${name === "sandbox" ? "" : baseUrl} ${clientId} ${maxEventsPerRequest} ${maxRequestBytes}`;

/** @throws RowferryError `plan-changed`, naming the differences */
export function requireBasis(saved: PlanBasis, now: PlanBasis): void {
  const names = [...new Set([...Object.keys(saved.files), ...Object.keys(now.files)])];
  const differences = [
    ...(saved.target === now.target ? [] : ["the target's settings"]),
    ...(saved.mapping === now.mapping ? [] : ["the mapping, or a file that it uses"]),
    ...names.filter((name) => saved.files[name] !== now.files[name]),
  ];
  if (differences.length === 0 && saved.work !== now.work)
    differences.push("what the ledger knows: something was imported, corrected or decided since");
  if (differences.length === 0) return;
  throw new RowferryError("plan-changed", `The plan no longer holds. Changed since: ${differences.join("; ")}.`);
}

/** @throws RowferryError `file-exists` */
export async function writeSavedPlan(path: string, plan: Omit<SavedPlan, "type" | "seal">): Promise<void> {
  const whole = { type: "saved-plan" as const, ...plan };
  refuseAnothers(path, '{\n  "type": "saved-plan"');
  return writeAtomically(path, (file) => file.write(`${JSON.stringify({ ...whole, seal: sealOf(whole) }, null, 2)}\n`));
}

/** @throws RowferryError `plan-unreadable` */
export function readSavedPlan(path: string, shown: string): SavedPlan {
  const unreadable = (message: string, cause?: unknown) =>
    new RowferryError("plan-unreadable", message, { place: { file: shown }, cause });
  let content: unknown;
  try {
    content = JSON.parse(decodeText(readFileSync(path), shown));
  } catch (error) {
    throw unreadable("The saved plan cannot be read.", error);
  }
  const parsed = savedPlanSchema.safeParse(content);
  if (!parsed.success) throw unreadable("This is not a plan that `rowferry plan --save` wrote.");
  const { seal, ...rest } = parsed.data;
  if (sealOf(rest) !== seal) throw unreadable("The saved plan was edited after it was saved.");
  return parsed.data;
}

/** Detects accidental edits, not forgery. */
function sealOf(plan: Omit<SavedPlan, "seal">): string {
  return createHash("sha256").update(JSON.stringify(plan)).digest("hex");
}
