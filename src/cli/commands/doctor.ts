/**
 * `rowferry doctor`: checks settings, disk, ledger, journal, credential, reach, throttle and clock. Sends a token request
 * and a lookup that finds nothing; removes the file that it writes.
 */
import { existsSync, lstatSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { reading } from "../../desk/access.js";
import { requireJournal } from "../../ledger/journal/own-journal.js";
import type { LedgerDatabase } from "../../ledger/ledger-database.js";
import type { ServiceError } from "../../model/attempt.js";
import { toldOf } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import type { LineOf } from "../../model/lines.js";
import { quotedPath } from "../../model/shell-quoted.js";
import type { Target } from "../../model/target.js";
import { counted, grouped, shortDuration } from "../../report/figures.js";
import { freeBytes } from "../../run/free-disk.js";
import { ownerOf } from "../../run/sandbox.js";
import { requireLedgerFolder } from "../../run/session.js";
import { lookupParticipant, NOBODY } from "../../submit/calls.js";
import { describeUnavailable, namesCode } from "../../submit/classify.js";
import { createSubmitter } from "../../submit/submitter.js";
import { requestToken } from "../../submit/token.js";
import { plainLine } from "../../submit/words.js";
import type { Transport } from "../../submit/transport.js";
import { createUndiciTransport } from "../../submit/undici-transport.js";
import { onTarget, type Work } from "../on-target.js";
import { green, plain, red, yellow } from "../render/text.js";

type Finding = Omit<LineOf<"finding">, "type">;

const finding =
  (result: Finding["result"]) =>
  (check: Finding["check"], message: string): Finding => ({ check, result, message });
const [ok, warning, failed] = [finding("ok"), finding("warning"), finding("failed")];

export const spec = onTarget({
  examples: { "rowferry doctor": "", "rowferry doctor --target production": "" },
  notes: [
    "It gets a token and makes one lookup that finds nothing. Exit codes: 2 the settings or the secret cannot be read, 4 the service, its credential or the disk failed.",
  ],
  async run({ target, output, options, shown }) {
    const marks = { ok: green("✓"), warning: yellow("!"), failed: red("✕") };
    const found: Finding[] = [ok("settings", "complete")];
    for await (const one of examine({ ...options, shown })) {
      found.push(one);
      output.data({ type: "finding", ...one });
    }
    const count = (result: Finding["result"]) => found.filter((one) => one.result === result).length;
    return {
      type: "doctor",
      line: { failed: count("failed"), warnings: count("warning") },
      text: (line) => [
        line.failed > 0
          ? `${counted(line.failed, "check")} failed: an import would not work.`
          : line.warnings > 0
            ? `Nothing failed, but look at ${counted(line.warnings, "check")}.`
            : "All is well. Imports work.",
        plain(found).map(({ check, result, message }) => `${marks[result]} ${check.padEnd(11)}  ${message}`),
        target.baseUrl === "" && "The sandbox needs no credential or network.",
      ],
      exitCode: count("failed") > 0 ? ExitCode.again : ExitCode.ok,
    };
  },
});

type DoctorOptions = Work["options"] & Pick<Work, "shown">;

/**
 * A failed check leaves out those that depend on it. @throws RowferryError `ledger-of-another-target`,
 * `ledger-unreadable` and other codes of opening the ledger, those of reading the secret
 */
async function* examine(options: DoctorOptions): AsyncGenerator<Finding> {
  const { target, shown } = options;
  const room = await disk(target, shown);
  yield room;
  const isThere = existsSync(target.ledgerPath);
  const kept = isThere
    ? reading(target, (database) => keptJournal(target, shown, database))
    : keptJournal(target, shown, null);
  const ledger = isThere ? "is there" : "is not there yet; the first import makes it";
  if (isThere || room.result !== "failed") yield ok("ledger", `${shown(target.ledgerPath)} ${ledger}`);
  if (kept !== null) yield kept;
  yield* rights(options);
  if (target.baseUrl === "") return;
  const transport = createUndiciTransport();
  try {
    const token = await requestToken(target, transport);
    if (!token.ok) return yield failed("credential", token.message);
    const lifetime = token.expiresInMs === null ? "" : `, valid for ${shortDuration(token.expiresInMs / 1000)}`;
    yield ok("credential", `the token endpoint gave a token${lifetime}`);
    yield* service(options, transport);
  } finally {
    await transport.close?.();
  }
}

/** With its remedy. */
function sentencesOf(error: unknown): string {
  const { message, hint } = toldOf(error);
  return `${message.replace(/\.$/, "")}. ${hint}`;
}

/** Null: none is written. */
function keptJournal(target: Target, shown: (path: string) => string, database: LedgerDatabase | null): Finding | null {
  try {
    const path = requireJournal(database, target.journal ?? null, ownerOf(target));
    if (path === null) return null;
    const isWritten = database !== null && existsSync(path);
    return ok(
      "journal",
      `${shown(path)} ${isWritten ? "continues the ledger" : "will be written from the next import on"}`,
    );
  } catch (error) {
    return failed("journal", sentencesOf(error));
  }
}

async function disk(target: Target, shown: (path: string) => string): Promise<Finding> {
  try {
    requireLedgerFolder(target);
  } catch (error) {
    return failed("disk", sentencesOf(error));
  }
  let folder = dirname(target.ledgerPath);
  try {
    // A link that leads nowhere is there, and no folder can be made in its place.
    while (lstatSync(folder, { throwIfNoEntry: false }) === undefined) folder = dirname(folder);
    const trial = mkdtempSync(join(folder, ".rowferry-doctor-"));
    writeFileSync(join(trial, "trial"), "x");
    rmSync(trial, { recursive: true });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown";
    return failed("disk", `${shown(folder)} cannot be written (${reason})`);
  }
  const free = (await freeBytes(target.ledgerPath)) / 2 ** 20;
  const message = `${shown(folder)} can be written; ${grouped(Math.floor(free))} MiB free`;
  return (free < 500 ? warning : ok)("disk", message);
}

/** Files that other users can read or write, and folders in which they can put files (F65). */
function* rights({ target, shown }: DoctorOptions): Generator<Finding> {
  const { stateFolder, ledgerPath, journal } = target;
  for (const path of new Set([dirname(stateFolder), stateFolder, join(stateFolder, "runs"), ledgerPath, journal])) {
    const found = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
    if (found === undefined || process.platform === "win32") continue;
    const open = found.mode & (found.isDirectory() ? 0o022 : 0o077);
    if (open === 0) continue;
    const what = (open & 0o022) === 0 ? "be read" : "be written";
    const name = shown(path ?? "");
    const command = `${found.isDirectory() ? "chmod go-w" : "chmod go-rwx"} ${quotedPath(name)}`;
    yield warning("rights", `${name} can ${what} by other users (${command})`);
  }
}

async function* service({ target, clock, random }: DoctorOptions, transport: Transport): AsyncGenerator<Finding> {
  const startedAt = clock.now();
  let failure = "";
  let unshared: string | null = null;
  const submitter = createSubmitter({
    target,
    clock,
    random,
    // Without `close`, which its owner calls.
    transport: (request) =>
      transport(request).catch((error: Error) => {
        failure = `: ${plainLine(error.message, 200)}`;
        throw error;
      }),
    maxOutageMs: 1_000,
    retries: 0,
    notice: ({ code, message }) => {
      if (code === "throttle-unavailable") unshared = message;
    },
  });
  try {
    const answer = await submitter.send(lookupParticipant(NOBODY));
    if (answer.result === "stopped") return yield failed("reach", answer.message);
    if (answer.result === "unanswered") {
      return yield failed("reach", describeSilence(target, answer.error, failure));
    }
    const took = `${grouped(clock.now() - startedAt)} ms`;
    const isVague = answer.result === "refused" && answer.notFound && !namesCode(answer.error);
    const vague = "with 404 and none of the service's codes, as for a wrong address: check the path of baseUrl";
    yield isVague
      ? warning("reach", `${target.baseUrl} answered ${vague}`)
      : ok("reach", `${target.baseUrl} answered within ${took}`);
    if (unshared !== null) yield warning("throttle", unshared);
    else if (target.throttle !== null) yield ok("throttle", "the rate is shared");
    yield clockFinding(submitter.serviceNow() - clock.now());
  } finally {
    await submitter.close();
  }
}

/** `failure`: of the connection. */
function describeSilence({ baseUrl }: Target, error: ServiceError | null, failure: string): string {
  if (error === null) return `no answer from ${baseUrl}${failure}`;
  const said = error.message === null ? "" : ` (${error.message})`;
  return `${baseUrl} ${describeUnavailable(error.status, error.raw)}${said}`;
}

/** The service's clock decides what is in the past, so a difference is not a fault, but worth knowing (H10). */
function clockFinding(aheadMs: number): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  if (seconds <= 5) return ok("clock", "this machine's clock agrees with the service's");
  const side = aheadMs > 0 ? "behind" : "ahead of";
  const message = `this machine's clock is ${grouped(seconds)} s ${side} the service's; events are sent by the service's clock`;
  return warning("clock", message);
}
