/** `rowferry ledger backup | restore | check | prune | rebuild | rebind`: looks after the ledger's file. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type Code, codes } from "../../model/codes.js";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { listed } from "../../model/fold.js";
import { shellQuoted } from "../../model/shell-quoted.js";
import type { Pruned } from "../../desk/care.js";
import type { Rebuilt } from "../../desk/restore.js";
import { importAllAgain, stepsOfRestored } from "../../report/next-steps.js";
import { counted, countedKinds, grouped, moment } from "../../report/figures.js";
import { command } from "../command.js";
import { confirm, terminalOf } from "../confirm.js";
import { days, journal as journalFlag, positiveInteger, wait, yes } from "../flags.js";
import { onTarget } from "../on-target.js";
import { joined } from "../render/text.js";
import { asRowferryError } from "../report-error.js";
import { watched } from "../run-command.js";

const care = () => import("../../desk/care.js");

const backup = onTarget({
  examples: {
    "rowferry ledger backup /backup/monday.db": "",
    "rowferry ledger backup /backup --keep 14": "keep the newest fourteen",
  },
  takes: { "<file>": "a file, or a folder, in which backups are named by date; nothing is overwritten" },
  flags: {
    keep: ["--keep <n>", "keep only the newest n dated backups in that folder", positiveInteger],
    forgetJournal: ["--forget-journal", "let the next run begin a new journal, or none"],
  },
  async run({ world, target, shown }, { keep, forgetJournal }, file: string) {
    const ledger = await care();
    const given = resolve(world.cwd, file);
    const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() === true;
    if (/[/\\]$/.test(file) && !isFolder) throw new RowferryError("usage", `there is no folder ${file}`);
    if (keep !== undefined && !isFolder)
      throw new RowferryError("usage", "--keep needs an existing folder: `ledger backup <folder> --keep 14`.");
    const backUp = async () =>
      isFolder
        ? ledger.backupInto(target, given, keep ?? null, world.clock.now())
        : { path: given, bytes: await ledger.backup(target, given), removed: [] };
    const made = await (forgetJournal === true ? ledger.withoutJournal(target, world.clock, backUp) : backUp());
    return {
      type: "backup",
      line: made,
      text: ({ bytes, removed }) => [
        `Backed up to ${shown(made.path)}, ${grouped(bytes)} bytes.`,
        removed.length > 0 && `Removed: ${removed.join(", ")}.`,
      ],
    };
  },
});

const knownAgain = ({ participants, addresses, documents, landed, inDoubt, isPart, unreadable }: Rebuilt) => [
  participants + addresses + documents + landed + inDoubt === 0
    ? "nothing; the journal knows of no request."
    : `${joined([
        participants + addresses > 0 && countedKinds({ participants, addresses }),
        documents > 0 && `${counted(documents, "document")} with an id`,
        landed > 0 && `${counted(landed, "event")} landed`,
        `${grouped(inDoubt)} in doubt`,
      ])}.`,
  isPart &&
    "That journal lacks entries that the backup's ledger had written. Keep this backup for as long as the journal; `ledger rebuild` needs both.",
  unreadable.length > 0 &&
    `Unreadable lines of the journal were left out; what they held, such as a dismissal, is unknown: ${listed(unreadable.map(String), 10)}.`,
];

/** A copy of a journal may be older than the ledger was. */
const sentUntil = ({ until }: Rebuilt, now: number) =>
  `what was sent${until === null ? "" : ` until ${moment(until, now)}`}`;

const restore = onTarget({
  examples: {
    "rowferry ledger restore /backup/monday.db": "",
    "rowferry ledger restore /backup/monday.db --journal /mnt/other/journal.ndjson": "",
  },
  anyones: true,
  takes: { "<backup>": "a file that `ledger backup` made" },
  flags: {
    journal: [
      journalFlag[0],
      "the journal with what came after the backup (default: the one that the ledger remembers)",
    ],
  },
  async run({ world, target, shown, step }, { journal: named }, backupFile: string) {
    const { restoreLedger } = await import("../../desk/restore.js");
    const path = resolve(world.cwd, backupFile);
    const from = { backup: path, journal: named === undefined ? null : resolve(world.cwd, named) };
    const restored = await restoreLedger(target, from, world.clock);
    const nextOfBlind = () => {
      const journal = restored.forgotten === null ? undefined : shellQuoted(shown(restored.forgotten));
      return stepsOfRestored(shellQuoted(shown(path)), step, journal);
    };
    return {
      type: "restored",
      line: restored,
      text: ({ kept, journal: replayed, dropped, forgotten, known, unsent }) => [
        [
          `Restored from ${shown(path)}.${kept === null ? "" : ` The former ledger is kept as ${shown(kept)}.`}`,
          known === null || replayed === null
            ? `This ledger does not know what was sent after that backup: no journal was named, and ${forgotten === null ? "it remembers none" : `its own, ${shown(forgotten)}, is missing`}.`
            : joined(
                [
                  `Its journal ${shown(replayed)} supplied ${sentUntil(known, world.clock.now())}. Known now:`,
                  ...knownAgain(known),
                ],
                " ",
              ),
          dropped &&
            "The journal's last decision never reached the former ledger, and was removed from the journal. Make it again.",
          unsent > 0 &&
            `${counted(unsent, "event")} of this backup ${unsent === 1 ? "waits" : "wait"} to be sent. What was withdrawn after the backup was made is among them; before the next run, withdraw it again.`,
          forgotten !== null &&
            "The ledger has forgotten that journal: the next run needs none, or can begin a new one with --journal. Keep this backup for as long as the new journal; `ledger rebuild` takes both.",
        ],
      ],
      next: restored.known === null ? nextOfBlind() : [importAllAgain(step)],
    };
  },
});

const check = onTarget({
  examples: { "rowferry ledger check": "" },
  async run({ target }) {
    const checks = (await care()).check(target);
    const isSound = checks.every(({ broken }) => broken.length === 0);
    const { meaning, remedy } = codes["ledger-damaged"];
    return {
      type: "ledger-check",
      line: { checks },
      text: (line) => [
        isSound ? "The ledger is sound." : `${meaning} ${remedy}`,
        line.checks.map((one) => [
          `${one.broken.length === 0 ? "holds " : "BROKEN"}  ${one.name}`,
          one.broken.map((text) => `          ${text}`),
          one.broken.length > 0 && `        → ${one.remedy}`,
        ]),
      ],
      exitCode: isSound ? ExitCode.ok : ExitCode.unexpected,
    };
  },
});

const prune = onTarget({
  examples: { "rowferry ledger prune --keep-for 90d": "", "rowferry ledger prune --dry-run": "" },
  flags: {
    keepFor: [
      "--keep-for <time>",
      "keep folders of runs that ended within this period: 90d, 26w (default: 180d)",
      days,
    ],
    dryRun: ["--dry-run", "remove nothing; show what would be removed"],
    yes,
    wait,
  },
  notes: ["At a terminal, it asks first; from a scheduler, it does not."],
  async run({ world, target, options }, { keepFor = days("180d"), dryRun = false, yes: isSure }) {
    const { prunable, prune: pruneRuns } = await care();
    const before = world.clock.now() - keepFor;
    const whatOf = ({ runFolders, bytes }: Pruned) =>
      `folders of ${counted(runFolders.length, "run")}${bytes === 0 ? "" : `, ${grouped(bytes)} bytes`}`;
    const found = dryRun
      ? prunable(target, before)
      : await pruneRuns(target, before, options, async (pruned) => {
          const count = pruned.runFolders.length;
          if (count === 0 || terminalOf(world) === null) return;
          await confirm(world, `This removes ${whatOf(pruned)}.`, String(count), isSure);
        });
    return {
      type: "pruned",
      line: { dryRun, ...found },
      text: ({ runFolders, oldestKept }) => [
        [
          `${dryRun ? "Would remove" : "Removed"}: ${joined([whatOf(found), runFolders.join(", ")], ": ")}.`,
          oldestKept !== null && `The oldest run whose folder is kept: ${oldestKept}.`,
        ],
      ],
    };
  },
});

const rebuild = onTarget({
  examples: { "rowferry ledger rebuild /mnt/other/journal.ndjson /backup/monday.db": "" },
  takes: {
    "<journal>": "the file that --journal named in earlier runs",
    "[backup]": "a backup to begin with; the journal is replayed over it",
  },
  async run({ world, target, step }, _given, journalFile: string, backupFile: string | undefined) {
    const { rebuildLedger } = await import("../../desk/restore.js");
    const path = (file: string) => resolve(world.cwd, file);
    const from = { journal: path(journalFile), backup: backupFile === undefined ? null : path(backupFile) };
    return {
      type: "rebuilt",
      line: { ...(await rebuildLedger(target, from, world.clock)) },
      text: (line) => [joined([`Rebuilt ${sentUntil(line, world.clock.now())}:`, ...knownAgain(line)], " ")],
      next: [importAllAgain(step)],
    };
  },
});

/** `rowferry resume` helps only once the ledger is bound. */
const beforeAgain: Partial<Record<Code, string>> = {
  "service-outage": "Nothing was changed. When the service is back, run",
  "credentials-refused": "Nothing was changed. Check client id, secret, scope, token URL and permissions, then run",
  interrupted: "Nothing was changed. To begin again, run",
};

const rebind = onTarget({
  examples: { "rowferry ledger rebind --target production": "" },
  anyones: true,
  flags: { wait },
  async run(work) {
    const { target, options, shown, step } = work;
    const { rebind: rebindLedger } = await import("../../desk/rebind.js");
    const rebound = await watched(work, (observe) => rebindLedger(target, { ...options, observe })).catch(
      (thrown: unknown) => {
        const { code, message } = asRowferryError(thrown, options.signal.aborted);
        const hint = beforeAgain[code];
        if (hint === undefined) throw thrown;
        const again = step("ledger rebind", hint);
        throw new RowferryError(code, message, { cause: thrown, hint: `${hint} \`${again.command}\`.` });
      },
    );
    return {
      type: "rebound",
      line: rebound,
      text: ({ before, lookedUp, journal }) => [
        `The ledger belonged to ${before ?? "nobody"} and now belongs to this target; ${counted(lookedUp, "participant was", "participants were")} looked up here.`,
        journal !== null &&
          `Its journal ${shown(journal)} belongs to the old address. Back up the ledger (\`rowferry ledger backup <file>\`) and name a new journal with --journal; a rebuild takes both.`,
      ],
    };
  },
});

export const spec = command({
  subcommands: {
    backup: ["copy the ledger, even while an import runs", backup],
    restore: ["replace the ledger with a backup, and keep the former ledger next to it", restore],
    check: ["check the file and its content", check],
    prune: ["remove the folders of old runs", prune],
    rebuild: ["rebuild a lost ledger from its journal", rebuild],
    rebind: ["bind the ledger to this target, after checking that the service knows its records", rebind],
  },
});
