/** `rowferry ledger backup | restore | check | prune | rebuild | rebind`: looks after the ledger's file. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { codes } from "../../model/codes.js";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { counted, countedKinds, grouped } from "../../report/figures.js";
import { plainText } from "../../report/plain-text.js";
import { addWritingFlags, duration, positiveInteger } from "../flags.js";
import type { Frame } from "../frame.js";
import { onTarget, type Told, type Work } from "../on-target.js";
import { wrapped } from "../render/text.js";

const examples = `
Examples:
  rowferry ledger backup /backup/monday.db
  rowferry ledger backup /backup --keep 14
  rowferry ledger check
  rowferry ledger prune --keep 180d
  rowferry ledger rebuild /mnt/other/journal.ndjson /backup/monday.db
  rowferry ledger rebind --target production`;

export function define(command: Command, frame: Frame): void {
  command.addHelpText("after", examples);
  const sub = (name: string, description: string) =>
    command.command(name).description(description).helpOption("-h, --help", "print this help");
  onTarget(
    sub("backup", "copy the ledger as it is, also while an import runs")
      .argument("<file>", "where to; in a folder the file is named by the date. Nothing is overwritten")
      .option("--keep <n>", "of the dated backups in that folder, leave the newest n", positiveInteger)
      .option("--forget-journal", "let the next run begin a new journal, or keep none"),
    frame,
    "",
    backup,
  );
  onTarget(
    sub("restore", "put a backup in the ledger's place; what was there is kept beside it").argument(
      "<backup>",
      "what `ledger backup` has made",
    ),
    frame,
    "",
    restore,
    { anyones: true },
  );
  onTarget(sub("check", "check the file and what it promises"), frame, "", check);
  onTarget(
    addWritingFlags(
      sub("prune", "move bodies, cells and attempts of long ago to the archive, and remove old runs' folders").option(
        "--keep <time>",
        "keep records finished within this period: 90d, 26w (default: 180d)",
        duration,
      ),
      "wait",
    ),
    frame,
    "",
    prune,
  );
  onTarget(
    sub("rebuild", "make a lost ledger anew from its journal")
      .argument("<journal>", "the file that runs were given with --journal")
      .argument("[backup]", "a backup to begin with; the journal goes over it"),
    frame,
    "",
    rebuild,
  );
  onTarget(
    addWritingFlags(
      sub("rebind", "give the ledger to this target, after the service there has shown that it knows its participants"),
      "wait",
    ),
    frame,
    "",
    rebind,
    { anyones: true },
  );
}

async function backup(
  { world, target, shown }: Work,
  file: string,
  { forgetJournal, keep }: { forgetJournal?: boolean; keep?: number },
): Promise<Told> {
  const ledger = await import("../../desk/care.js");
  const given = resolve(world.cwd, file);
  const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() === true;
  if (keep !== undefined && !isFolder)
    throw new RowferryError("usage", "--keep needs a folder that is there: `ledger backup <folder> --keep 14`.");
  const backUp = async () =>
    isFolder
      ? ledger.backupInto(target, given, keep ?? null, world.clock.now())
      : { path: given, bytes: await ledger.backup(target, given), removed: [] };
  const made = await (forgetJournal === true ? ledger.withoutJournal(target, world.clock, backUp) : backUp());
  const { path, bytes, removed } = made;
  return {
    text: [
      `Backed up to ${shown(path)}, ${grouped(bytes)} bytes.`,
      removed.length === 0 ? "" : `Removed: ${removed.join(", ")}.`,
    ],
    line: { type: "backup", ...made },
  };
}

async function restore({ world, target, output, shown }: Work, backupFile: string): Promise<Told> {
  const { restoreLedger } = await import("../../desk/rebuild.js");
  const path = resolve(world.cwd, backupFile);
  const kept = await restoreLedger(target, path, world.clock);
  const old = kept === null ? "" : ` The ledger that was here is kept as ${shown(kept)}.`;
  return {
    text: wrapped(
      `Restored from ${shown(path)}.${old}\n` +
        "What was sent since that backup is not in it. `rowferry ledger rebuild <journal> <backup>` has both. Without a journal " +
        "nothing is doubled either, but what landed since comes back as foreign-collision, and a person looks up the documents' ids.",
      output,
    ),
    line: { type: "restored", kept },
  };
}

async function check({ target, output }: Work): Promise<Told> {
  const ledger = await import("../../desk/care.js");
  const checks = ledger.check(target);
  const broken = checks.filter((one) => one.broken.length > 0);
  const { meaning, remedy } = codes["ledger-damaged"];
  const lines = checks.flatMap((one) => [
    `${one.broken.length === 0 ? "holds " : "BROKEN"}  ${one.name}`,
    ...one.broken.map((text) => `          ${plainText(text, 300)}`),
    ...(one.broken.length === 0 ? [] : [`        → ${one.remedy}`]),
  ]);
  return {
    text: [broken.length === 0 ? "The ledger is sound." : wrapped(`${meaning} ${remedy}`, output), lines.join("\n")],
    line: { type: "ledger-check", checks },
    exitCode: broken.length === 0 ? ExitCode.ok : ExitCode.unexpected,
  };
}

async function prune({ target, output, options }: Work, { keep }: { keep?: number }): Promise<Told> {
  const ledger = await import("../../desk/care.js");
  const pruned = await ledger.prune(target, keep ?? duration("180d"), options);
  const { payloads, cells, attempts, runFolders, sizeBefore, sizeAfter } = pruned;
  return {
    text: wrapped(
      `To the archive: ${counted(payloads, "body", "bodies")}, cells of ${counted(cells, "row")}, ${counted(attempts, "attempt")}.\n` +
        `Removed: folders of ${counted(runFolders, "run")}.\n` +
        `The ledger had ${grouped(sizeBefore)} bytes and has ${grouped(sizeAfter)}.`,
      output,
    ),
    line: { type: "pruned", ...pruned },
  };
}

async function rebuild(
  { world, target, output, same }: Work,
  journal: string,
  backupFile: string | undefined,
): Promise<Told> {
  const { rebuildLedger } = await import("../../desk/rebuild.js");
  const from = {
    journal: resolve(world.cwd, journal),
    backup: backupFile === undefined ? null : resolve(world.cwd, backupFile),
  };
  const rebuilt = await rebuildLedger(target, from, world.clock);
  const { participants, addresses, documents, landed, inDoubt } = rebuilt;
  const parts = [
    countedKinds({ participants, addresses }),
    `${counted(documents, "document")} with an id`,
    `${counted(landed, "event")} landed`,
    `${grouped(inDoubt)} in doubt`,
  ];
  return {
    text: wrapped(`Rebuilt: ${parts.join(", ")}.`, output),
    next: [
      {
        command: `rowferry import <mapping> <files…>${same}`,
        why: "import all files again, the latest corrected ones included; what has landed is known and not sent again",
      },
    ],
    line: { type: "rebuilt", ...rebuilt },
  };
}

async function rebind({ target, output, options, shown }: Work): Promise<Told> {
  const ledger = await import("../../desk/care.js");
  const { before, lookedUp, journal } = await ledger.rebind(target, options);
  const lines = [
    `The ledger belonged to ${plainText(before ?? "nobody")} and belongs to this target now; ${counted(lookedUp, "participant")} of it ${lookedUp === 1 ? "was" : "were"} looked up here.`,
    journal === null
      ? ""
      : `Its journal ${shown(journal)} belongs to the old address. Back up the ledger (\`rowferry ledger backup <file>\`) and name a new journal with --journal; a rebuild takes both.`,
  ];
  return {
    text: lines.map((line) => wrapped(line, output)),
    line: { type: "rebound", before, lookedUp, journal },
  };
}
