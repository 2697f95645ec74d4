/** The common part of commands on a target: flags, options, endings. Loading settings takes time. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import type { Target } from "../model/target.js";
import { localZone } from "../report/figures.js";
import { stepOn, type StepMaker, withFlags } from "../report/next-steps.js";
import { plainText } from "../report/plain-text.js";
import { inZone } from "../settings/environment.js";
import { resolveTarget, type TargetFlags } from "../settings/target.js";
import { command, type CommandSpec, type Flags, type Given } from "./command.js";
import { targetFlags } from "./flags.js";
import { createOutput, type Output, shownPath, tell, type Told } from "./output.js";
import { asRowferryError } from "./report-error.js";
import type { Frame, World } from "./world.js";

export interface Work {
  world: World;
  target: Target;
  output: Output;
  options: Pick<World, "clock" | "random"> & {
    target: Target;
    signal: AbortSignal;
    journal: string | null;
    waitForLock: boolean;
    fresh: boolean;
  };
  /** A next step, with these flags. */
  step: StepMaker;
  shown: (path: string) => string;
  /** On stderr, before anything is sent. */
  announce: () => void;
}

export type CommonFlags = TargetFlags &
  Given<typeof targetFlags> & { journal?: string | undefined; wait?: boolean | undefined; json?: boolean };

type TargetSpec<Table extends Flags> = Omit<CommandSpec<Table>, "run"> & {
  /** Skips the check of the owner, for `ledger rebind` and `ledger restore`. */
  anyones?: boolean;
  run(work: Work, given: Given<Table & typeof targetFlags>, ...taken: never[]): Promise<Told>;
};

/** A command on a target that prints one result. */
export function onTarget<const Table extends Flags>({ run, anyones, ...spec }: TargetSpec<Table>): CommandSpec {
  return command({
    ...spec,
    flags: { ...spec.flags, ...targetFlags },
    run: (frame, given, ...taken) =>
      withTarget(frame, given as CommonFlags, (work) => run(work, given as never, ...taken), {
        anyones,
        canWait: "wait" in { ...spec.flags },
      }),
  });
}

/**
 * Local times are those of `mapping`, or of the one that the newest file was imported with, else this machine's.
 * @throws RowferryError of the settings, and `ledger-of-another-target`
 */
export async function withTarget(
  frame: Frame,
  flags: CommonFlags,
  body: (work: Work) => Promise<Told>,
  {
    anyones = false,
    canWait = true,
    mapping,
  }: { anyones?: boolean | undefined; canWait?: boolean; mapping?: string } = {},
): Promise<number> {
  const { world, signal } = frame;
  const target = resolveTarget({ flags, env: world.env, cwd: world.cwd });
  frame.logFolder = `${target.stateFolder}/runs`;
  const { reading, zoneOfFiles, zoneOfMapping } = await import("../desk/access.js");
  let zone = mapping === undefined ? null : zoneOfMapping(resolve(world.cwd, mapping));
  if (!anyones && existsSync(target.ledgerPath))
    try {
      zone = reading(target, (database) => zone ?? zoneOfFiles(database));
    } catch (error) {
      // The command itself reports other faults.
      if (error instanceof RowferryError && error.code === "ledger-of-another-target") throw error;
    }
  const output = createOutput(world, flags);
  const shown = (path: string) => shownPath(path, world.cwd);
  const service = target.baseUrl === "" ? "" : ` ${plainText(target.baseUrl)}`;
  const about = `${target.name}${service} · ledger ${shown(target.ledgerPath)}`;
  output.data({ type: "target", target: target.name, baseUrl: target.baseUrl, ledger: target.ledgerPath });
  const { journal, wait, fresh } = flags;
  const step = stepOn(target.name, { ledger: target.ledgerPath, isNamed: flags.ledger !== undefined, journal }, shown);
  const work: Work = {
    world,
    target,
    output,
    options: {
      target,
      signal,
      clock: world.clock,
      random: world.random,
      journal: journal === undefined ? (target.journal ?? null) : resolve(world.cwd, journal),
      waitForLock: wait === true,
      fresh: fresh === true,
    },
    step,
    shown,
    announce: () => {
      if (!output.json && !output.quiet) world.stderr.write(`${about}\n`);
    },
  };
  const ownTimes = inZone(zone ?? localZone());
  let ended: { exitCode: number; closing: string } = { exitCode: ExitCode.unexpected, closing: about };
  try {
    const found = await body(work);
    tell(output, found, (text) => withFlags(text, step));
    ended = { exitCode: found.exitCode ?? ExitCode.ok, closing: found.closing ?? about };
  } catch (thrown) {
    const { code, message, place, hint, cause } = asRowferryError(thrown, signal.aborted);
    const told = withFlags(canWait ? hint : hint.replace(", or add --wait;", ";"), step);
    throw told === hint ? thrown : new RowferryError(code, message, { place, hint: told, cause });
  } finally {
    ownTimes();
    output.end(ended.exitCode, ended.closing);
  }
  return ended.exitCode;
}
