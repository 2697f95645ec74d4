/**
 * The checks of `rowferry doctor`, one after another: disk, ledger, credential, reach, clock. Sends one token request
 * and one lookup that finds nothing; writes nothing but a file that it removes again.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock, Random } from "../model/clock.js";
import type { Target } from "../model/target.js";
import { reading } from "../desk/ledger-access.js";
import { grouped, shortDuration } from "../report/figures.js";
import { plainText } from "../report/plain-text.js";
import { lookupParticipant } from "../submit/calls.js";
import { createSubmitter } from "../submit/submitter.js";
import { requestToken } from "../submit/token.js";
import type { Transport } from "../submit/transport.js";
import { createUndiciTransport } from "../submit/undici-transport.js";

export interface Finding {
  check: "settings" | "disk" | "ledger" | "credential" | "reach" | "clock";
  /** `warning`: imports work, but somebody should look. */
  result: "ok" | "warning" | "failed";
  message: string;
}

export interface DoctorOptions {
  target: Target;
  clock: Clock;
  random: Random;
  /** How a path is shown. */
  shown: (path: string) => string;
}

/**
 * Later checks that need an earlier one are left out when that one failed.
 * @throws RowferryError what opening the ledger throws: `ledger-of-another-target`, `ledger-unreadable` …
 */
export async function* examine(options: DoctorOptions): AsyncGenerator<Finding> {
  const { target, shown } = options;
  yield await disk(target, shown);
  const isThere = existsSync(target.ledgerPath);
  if (isThere) reading(target, () => {});
  const ledger = isThere ? "is there" : "is not there yet; the first import makes it";
  yield { check: "ledger", result: "ok", message: `${shown(target.ledgerPath)} ${ledger}` };
  if (target.baseUrl === "") return;
  const transport = createUndiciTransport();
  try {
    const token = await requestToken(target, transport);
    if (!token.ok) {
      yield { check: "credential", result: "failed", message: plainText(token.message) };
      return;
    }
    const lifetime = token.expiresInMs === null ? "" : `, valid for ${shortDuration(token.expiresInMs / 1000)}`;
    yield { check: "credential", result: "ok", message: `the token endpoint gave a token${lifetime}` };
    yield* service(options, transport);
  } finally {
    await transport.close?.();
  }
}

async function disk(target: Target, shown: (path: string) => string): Promise<Finding> {
  let folder = dirname(target.ledgerPath);
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    const trial = mkdtempSync(join(folder, ".rowferry-doctor-"));
    writeFileSync(join(trial, "trial"), "x");
    rmSync(trial, { recursive: true });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown";
    return { check: "disk", result: "failed", message: `${shown(folder)} cannot be written (${reason})` };
  }
  const { bavail, bsize } = await statfs(folder);
  const free = (bavail * bsize) / 2 ** 20;
  const message = `${shown(folder)} can be written; ${grouped(Math.floor(free))} MiB free`;
  return { check: "disk", result: free < 500 ? "warning" : "ok", message };
}

async function* service({ target, clock, random }: DoctorOptions, transport: Transport): AsyncGenerator<Finding> {
  const startedAt = clock.now();
  const submitter = createSubmitter({
    target,
    clock,
    random,
    // Without its `close`: whoever opened it closes it.
    transport: (request) => transport(request),
    maxOutageMs: 1_000,
    retryPolicy: { retries: 0 },
  });
  try {
    const answer = await submitter.send(
      lookupParticipant({ countryCode: "ZZ", taxIdType: "NONE", taxId: "rowferry-doctor" }),
    );
    if (answer.result === "stopped") {
      yield { check: "reach", result: "failed", message: plainText(answer.message) };
    } else if (answer.result === "unanswered") {
      const message = answer.error?.message ?? answer.failure ?? `no answer from ${target.baseUrl}`;
      yield { check: "reach", result: "failed", message: plainText(message) };
    } else {
      const took = `${grouped(clock.now() - startedAt)} ms`;
      yield { check: "reach", result: "ok", message: `${plainText(target.baseUrl)} answered within ${took}` };
      yield clockFinding(submitter.serviceNow() - clock.now());
    }
  } finally {
    await submitter.close();
  }
}

/** HARD-CASES H10: the service's clock decides what is in the past; a difference is no fault, but worth knowing. */
function clockFinding(aheadMs: number): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  if (seconds <= 5) return { check: "clock", result: "ok", message: "this machine's clock agrees with the service's" };
  const side = aheadMs > 0 ? "behind" : "ahead of";
  const message = `this machine's clock is ${grouped(seconds)} s ${side} the service's; events are sent by the service's`;
  return { check: "clock", result: "warning", message };
}
