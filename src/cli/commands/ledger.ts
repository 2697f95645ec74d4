/** `rowferry ledger backup | restore | check | prune | rebuild | rebind`: looks after the ledger's file. */
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { grouped } from "../../report/figures.js";
import { plainText } from "../../report/plain-text.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { type Output, sameTarget, shownPath } from "../output.js";
import { withTarget } from "../with-target.js";
import type { Target } from "../../model/target.js";

const examples = `
Examples:
  rowferry ledger backup /backup/monday.db
  rowferry ledger check
  rowferry ledger prune --keep 180d
  rowferry ledger rebuild /mnt/other/journal.ndjson /backup/monday.db
  rowferry ledger rebind --target production`;

type Flags = TargetFlags & OutputFlags & { wait?: boolean };
type Body = (target: Target, output: Output) => Promise<number>;

export function define(command: Command, frame: Frame): void {
  command.addHelpText("after", examples);
  const sub = (name: string, description: string) =>
    addOutputFlags(
      addTargetFlags(command.command(name).description(description).helpOption("-h, --help", "print this help")),
    );
  const run = (flags: Flags, body: Body) => withTarget(frame, flags, body);
  const wait = ["--wait", "wait while another process holds the ledger"] as const;

  sub("backup", "copy the ledger as it is, also while an import runs")
    .argument("<file>", "where to; nothing is overwritten")
    .option("--forget-journal", "let the next run begin a new journal, or keep none")
    .action(
      frame.action((file: string, flags: Flags & { forgetJournal?: boolean }) =>
        run(flags, backupTo(frame, file, flags.forgetJournal === true)),
      ),
    );
  sub("restore", "put a backup in the ledger's place; what lay there is kept beside it")
    .argument("<backup>", "what `ledger backup` has made")
    .action(
      frame.action((backup: string, flags: Flags) =>
        withTarget(frame, flags, restore(frame, backup), { anyones: true }),
      ),
    );
  sub("check", "check the file and what it promises").action(
    frame.action((flags: Flags) => run(flags, (target, output) => check(target, output))),
  );
  sub("prune", "move bodies, cells and attempts of long ago to the archive, and remove old runs' folders")
    .addOption(
      new Option("--keep <time>", "keep what ended within this time: 90d, 26w")
        .default(keepTime("180d"), "180d")
        .argParser(keepTime),
    )
    .option(...wait)
    .action(frame.action((flags: Flags & { keep: number }) => run(flags, prune(frame, flags))));
  sub("rebuild", "make a lost ledger anew from its journal")
    .argument("<journal>", "the file that runs were given with --journal")
    .argument("[backup]", "a backup to begin with; the journal goes over it")
    .action(
      frame.action((journal: string, backup: string | undefined, flags: Flags) =>
        run(flags, rebuild(frame, journal, backup ?? null)),
      ),
    );
  sub("rebind", "give the ledger to this target, after the service there has shown that it knows its participants")
    .option(...wait)
    .action(frame.action((flags: Flags) => withTarget(frame, flags, rebind(frame, flags), { anyones: true })));
}

function backupTo(frame: Frame, file: string, forget: boolean): Body {
  return async (target, output) => {
    const ledger = await import("../../desk/care.js");
    const path = resolve(frame.world.cwd, file);
    const { clock } = frame.world;
    const bytes = await (forget ? ledger.backupWithoutJournal(target, path, clock) : ledger.backup(target, path));
    output.text(`\nBacked up to ${shownPath(path, frame.world.cwd)}, ${grouped(bytes)} bytes.\n`);
    output.data({ type: "backup", path, bytes });
    return ExitCode.ok;
  };
}

function restore(frame: Frame, backup: string): Body {
  return async (target, output) => {
    const { restoreLedger } = await import("../../desk/rebuild.js");
    const { cwd, clock } = frame.world;
    const kept = await restoreLedger(target, resolve(cwd, backup), clock);
    output.text(
      [
        "",
        `Restored from ${shownPath(resolve(cwd, backup), cwd)}.${kept === null ? "" : ` The ledger that was here is kept as ${shownPath(kept, cwd)}.`}`,
        "What was sent since that backup is not in it. `rowferry ledger rebuild <journal> <backup>` has both. Without a journal nothing is",
        "doubled either, but what landed since comes back as foreign-collision, and a person looks up the documents' ids.",
        "",
      ].join("\n"),
    );
    output.data({ type: "restored", kept });
    return ExitCode.ok;
  };
}

async function check(target: Target, output: Output): Promise<number> {
  const ledger = await import("../../desk/care.js");
  const found = ledger.check(target);
  const lines = found.flatMap(({ name, remedy, broken }) => [
    `${broken.length === 0 ? "holds " : "BROKEN"}  ${name}`,
    ...broken.map((text) => `          ${plainText(text, 300)}`),
    ...(broken.length === 0 ? [] : [`        → ${remedy}`]),
  ]);
  output.text(`\n${lines.join("\n")}\n`);
  output.data({ type: "ledger-check", checks: found });
  const sound = found.every(({ broken }) => broken.length === 0);
  if (!sound) {
    const { codes } = await import("../../model/codes.js");
    output.text(`${codes["ledger-damaged"].meaning} ${codes["ledger-damaged"].remedy}\n`);
  }
  return sound ? ExitCode.ok : ExitCode.unexpected;
}

function prune(frame: Frame, flags: Flags & { keep: number }): Body {
  return async (target, output) => {
    const ledger = await import("../../desk/care.js");
    const pruned = await ledger.prune(target, flags.keep, {
      clock: frame.world.clock,
      waitForLock: flags.wait === true,
      signal: frame.signal,
    });
    const { payloads, cells, attempts, runFolders, sizeBefore, sizeAfter } = pruned;
    output.text(
      `\nTo the archive: ${grouped(payloads)} bodies, cells of ${grouped(cells)} rows, ${grouped(attempts)} attempts.\nRemoved: folders of ${grouped(runFolders)} runs.\nThe ledger had ${grouped(sizeBefore)} bytes and has ${grouped(sizeAfter)}.\n`,
    );
    output.data({ type: "pruned", ...pruned });
    return ExitCode.ok;
  };
}

function rebuild(frame: Frame, journal: string, backup: string | null): Body {
  return async (target, output) => {
    const { rebuildLedger } = await import("../../desk/rebuild.js");
    const { cwd, clock } = frame.world;
    const from = { journal: resolve(cwd, journal), backup: backup === null ? null : resolve(cwd, backup) };
    const rebuilt = await rebuildLedger(target, from, clock);
    const { participants, addresses, documents, landed, inDoubt } = rebuilt;
    output.text(
      [
        "",
        `Rebuilt: ${grouped(participants)} participants, ${grouped(addresses)} addresses, ${grouped(documents)} documents with an id, ${grouped(landed)} events landed, ${grouped(inDoubt)} in doubt.`,
        "Next: import all files again, the latest corrected ones included; what has landed is known and sent no more",
        `  rowferry import <mapping> <files…>${sameTarget(target, cwd)}`,
        "",
      ].join("\n"),
    );
    output.data({ type: "rebuilt", ...rebuilt });
    return ExitCode.ok;
  };
}

function rebind(frame: Frame, flags: Flags): Body {
  return async (target, output) => {
    const ledger = await import("../../desk/care.js");
    const { clock, random } = frame.world;
    const options = { clock, random, signal: frame.signal, waitForLock: flags.wait === true };
    const { before, lookedUp, journal } = await ledger.rebind(target, options);
    output.text(
      `\nThe ledger belonged to ${plainText(before ?? "nobody")} and belongs to this target now; ${lookedUp} of its participants were looked up here.\n`,
    );
    if (journal !== null) {
      output.text(
        `Its journal ${shownPath(journal, frame.world.cwd)} belongs to the old address. Back up the ledger (\`rowferry ledger backup <file>\`) and name a new journal with --journal; a rebuild takes both.\n`,
      );
    }
    output.data({ type: "rebound", before, lookedUp, journal });
    return ExitCode.ok;
  };
}

/** `90d`, `26w`, `12h`, in ms. */
function keepTime(text: string): number {
  const match = /^(\d+)(h|d|w)$/.exec(text);
  if (match === null) throw new InvalidArgumentError("It must be a time such as 90d or 26w.");
  return Number(match[1]) * ({ h: 3_600_000, d: 86_400_000, w: 604_800_000 }[match[2] ?? "d"] ?? 0);
}
