/**
 * Notifies the configured people of a run's beginning and end. Failures are reported, and change neither the run nor
 * its exit code.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { HISTORY, isCorrected, missingInput, odditiesOf } from "./oddities.js";
import { lockLedger } from "../ledger/care/lock.js";
import { importsBefore, lastStaged, newestEvents } from "../ledger/views/past-runs.js";
import type { Clock } from "../model/clock.js";
import { codes } from "../model/codes.js";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import type { Summary } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { reading } from "../desk/access.js";
import { writeAtomically } from "../report/atomic-file.js";
import type { NotifySettings } from "../settings/notify-settings.js";
import { decide, type Memory, memorySchema, nothingTold } from "./memory.js";
import { notificationOf } from "./message.js";
import { type Cause, failureOf, type Outcome, outcomeOf } from "./outcome.js";
import { call, send } from "./send.js";

/** Longer than a channel that does not answer. */
const PATIENCE_MS = 60_000;

export type Teller = ReturnType<typeof createTeller>;

/** `say`: reports a channel's failure. */
interface TellerWorld {
  clock: Clock;
  say: (line: string) => void;
}

export function createTeller(target: Target, settings: NotifySettings, { clock, say }: TellerWorld) {
  const { channels, ping, expect, silence, consoleUrl } = settings;
  const path = join(target.stateFolder, "told.json");
  const ofNoRun = { target: target.name, run: null, exitCode: ExitCode.ok, isFruitless: false };
  const tell = async (outcome: Outcome) => {
    // Another process that finds the same would tell it too, and one memory would be lost.
    const patience = new AbortController();
    const onWait = () => void setTimeout(() => patience.abort(), PATIENCE_MS).unref();
    const waiting = { wait: true, clock, signal: patience.signal, onWait };
    const lock = await lockLedger(path, waiting).catch(() => null);
    try {
      await tellAlone(outcome);
    } finally {
      lock?.release();
    }
  };
  const tellAlone = async (outcome: Outcome) => {
    const now = clock.now();
    const memories = readMemories(path);
    const before = JSON.stringify(memories);
    await Promise.all(
      channels.map(async (channel, index) => {
        const key = `${index} ${channel.name}`;
        const known = memories[key] ?? nothingTold;
        const { telling, memory } = decide(known, outcome, channel.when, now);
        const failure =
          telling === null ? null : await send(channel, notificationOf(outcome, telling, consoleUrl, now), clock);
        if (failure === null) memories[key] = memory;
        else say(`${channel.name} was not told: ${failure}`);
      }),
    );
    if (JSON.stringify(memories) === before) return;
    await writeAtomically(path, (file) => file.write(`${JSON.stringify(memories, null, 2)}\n`));
  };
  const pinged = async (suffix: string) => {
    if (ping === null) return;
    const url = new URL(ping);
    url.pathname = `${url.pathname.replace(/\/$/, "")}${suffix}`;
    try {
      await call(url.href, "GET", null);
    } catch {
      say("the address of ping did not answer");
    }
  };
  const finished = async (outcome: Outcome) => {
    const isFine = outcome.exitCode === ExitCode.ok || outcome.exitCode === ExitCode.person;
    await Promise.all([pinged(isFine ? "" : `/${outcome.exitCode}`), tell(outcome)]);
  };
  return {
    began: () => pinged("/start"),
    /** `commands`: next steps. */
    ended: (summary: Summary, commands: readonly string[]) =>
      finished(outcomeOf(summary, commands, summary.command === "import" ? oddities(target, summary, silence) : [])),
    /** For a run without a summary. */
    failed: finished,
    /** Reports an overdue input. @returns the cause; null: none @throws RowferryError of an unreadable ledger, once it is told */
    async due(): Promise<Cause | null> {
      if (expect === null) return null;
      const source = "due";
      const outcome = { ...ofNoRun, source, commands: [] };
      try {
        const missing = silence.includes("no-input") ? null : missingInput(expect, lastInput(target), clock.now());
        if (missing === null) await tell({ ...outcome, when: "succeeded", answer: "The input has come.", causes: [] });
        else await tell({ ...outcome, when: "degraded", answer: "No input has arrived in time.", causes: [missing] });
        return missing;
      } catch (error) {
        if (!(error instanceof RowferryError)) throw error;
        const { code, place } = error;
        const exitCode = codes[code].exit ?? ExitCode.unexpected;
        const failure = failureOf({ target: target.name, source, code, exitCode, place });
        await tell({ ...failure, isFruitless: false, answer: "Whether an input has arrived in time is unknown." });
        throw error;
      }
    },
    /** @returns each channel's failure; null: sent */
    trial() {
      const causes = [
        {
          id: "trial",
          what: "This is a test; nothing is wrong.",
          count: 1,
          ofRun: true,
          grown: true,
          since: clock.now(),
        },
      ];
      const outcome: Outcome = {
        ...ofNoRun,
        source: "trial",
        when: "needs-person",
        answer: "A test of rowferry notify.",
        causes,
        commands: ["rowferry status"],
      };
      const telling = { when: outcome.when, causes, openDays: null, fruitless: 0 };
      const notification = notificationOf(outcome, telling, consoleUrl, clock.now());
      return Promise.all(
        channels.map(async (channel) => ({ channel: channel.name, failure: await send(channel, notification, clock) })),
      );
    },
  };
}

function oddities(target: Target, summary: Summary, silence: NotifySettings["silence"]): Cause[] {
  const { run, mapping } = summary;
  try {
    const compared = reading(target, (database) => ({
      summary,
      earlier: importsBefore(database, run, mapping ?? "", HISTORY),
      newest: newestEvents(database, run),
    }));
    return odditiesOf(compared, silence);
  } catch {
    // Of an unreadable ledger, which others report.
    return [];
  }
}

/** When rows other than corrected ones were last staged, ms; null: never. @throws RowferryError of an unreadable ledger */
function lastInput(target: Target): number | null {
  try {
    return reading(target, (database) => lastStaged(database, (file) => !isCorrected(file)));
  } catch (error) {
    if (error instanceof RowferryError && error.code === "ledger-missing") return null;
    throw error;
  }
}

/** An unreadable memory counts as empty: one message too many is better than none. */
function readMemories(path: string): Record<string, Memory> {
  try {
    return z.record(z.string(), memorySchema).parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return {};
  }
}
