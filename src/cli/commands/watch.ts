/** `rowferry watch <mapping> <folder>`: imports files as they arrive, without a scheduler. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { readSource } from "../../map/load-mapping.js";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { plainText } from "../../report/plain-text.js";
import { configFileName } from "../../settings/config-file.js";
import { resolveTarget } from "../../settings/target.js";
import { checkMappingFirst, duration } from "../flags.js";
import { endOf, tellError } from "../report-error.js";
import { runCommand, sendingCommand, tellerOf } from "../run-command.js";

export const spec = sendingCommand({
  takes: { "<mapping>": "the mapping file (YAML)", "<folder>": "where the files arrive" },
  flags: {
    moveTo: ["--move-to <folder>", "move files there once they are imported"],
    order: [
      "--order <what>",
      "the order in which files are imported (default: name, 9.csv before 10.csv)",
      ["name", "time"],
    ],
    settle: ["--settle <time>", "a file is complete when it has not changed for this long (default: 10s)", duration],
    every: ["--every <time>", "how often to look (default: 5s)", duration],
    once: ["--once", "import what is there, then end"],
  },
  examples: {
    "rowferry watch manifests.yaml inbox": "",
    "rowferry watch manifests.yaml inbox --move-to done --target production": "",
    "rowferry watch manifests.yaml inbox --once": "what is there now, then end",
  },
  notes: [
    "A file is imported once it has not changed for --settle, or as soon as there is a file <name>.done next to it that is not older. Files are imported one at a time, in order; one that is still being written, or could not be imported yet because of a fault that may pass, holds up those that come after it, for at most half a day. If a later file can hold earlier events of the same documents, import the files together with rowferry import: alone, it would come too late. What --limit or --until leaves to the next run is sent half a day later, or when the command is started again. With --once and nothing new, it ends with 3 while something needs you. Ctrl-C or SIGTERM ends the command. A second watch on the same mapping and folder ends at once with 5, and so does one with another mapping or target if either has --move-to. If you run them in turn with --once, each would miss the files that an earlier one has moved: give each its own folder.",
  ],
  async prepare(frame, { moveTo, order = "name", settle, every, once, ...flags }, mapping: string, folder: string) {
    const { world, signal } = frame;
    checkMappingFirst("watch", mapping, [folder]);
    // A fault that would make every file fail is reported now.
    await readSource(resolve(world.cwd, mapping));
    const target = resolveTarget({ flags, env: world.env, cwd: world.cwd });
    target.clientSecret();
    const teller = await tellerOf(target, world);
    let looked = 0;
    const hasLedger = () => existsSync(target.ledgerPath);
    let hadLedger = false;
    const requireLedger = (path: string) => {
      if (path !== target.ledgerPath)
        throw new RowferryError(
          "usage",
          "The settings now name a different ledger from the one this watch has been using.",
          {
            place: { file: path },
            hint: `Undo that, and the file will be imported. Or move ${target.ledgerPath} there, and start the watch again.`,
          },
        );
      if (!hadLedger || hasLedger()) return;
      throw new RowferryError("ledger-missing", "The ledger that this watch has been using no longer exists.", {
        place: { file: target.ledgerPath },
        hint: "Put it back, and the file will be imported. Otherwise, the next watch begins a new ledger, which does not know what was sent.",
      });
    };
    const explain = (error: unknown): number => {
      const end = endOf(error, signal);
      tellError(frame, end, { json: flags.json === true, debug: false });
      return end.exitCode;
    };
    const { watchFolder } = await import("../../serve/watch.js");
    return watchFolder({
      folder: resolve(world.cwd, folder),
      moveTo: moveTo === undefined ? null : resolve(world.cwd, moveTo),
      order,
      settleMs: settle ?? 10_000,
      everyMs: every ?? 5_000,
      once: once === true,
      mapping: resolve(world.cwd, mapping),
      settings: resolve(world.cwd, configFileName),
      target,
      clock: world.clock,
      signal,
      /** One file's failure does not stop the others. An error says that nothing, or not all, was staged. */
      async handle(path, isStaged) {
        let isEmpty = false;
        let isCut = false;
        let run: string | null = null;
        // Even if the settings now name another one: a rehearsal stays a rehearsal.
        const onTarget = { ...flags, target: target.name, wait: true };
        try {
          const exitCode = await runCommand(frame, onTarget, {
            source: mapping,
            async send(pipeline, options) {
              requireLedger(options.target.ledgerPath);
              const summary = isStaged
                ? await pipeline.runResume(options)
                : await pipeline.runImport({ ...options, mappingPath: mapping, files: [path] });
              ({ run } = summary);
              isEmpty = summary.problems.some(({ code }) => code === "file-empty");
              isCut = summary.stopped === null && (summary.open.events["planned"] ?? 0) > 0;
              return summary;
            },
          });
          return { exitCode, run, isStaged: !isEmpty, isLeft: canGoOn(exitCode), isCut };
        } catch (error) {
          const exitCode = explain(error);
          return { exitCode, run, isStaged, isLeft: canGoOn(exitCode) || isOfNoFile(error), isCut: false };
        } finally {
          hadLedger ||= hasLedger();
        }
      },
      idle: async () => {
        if (Math.abs(world.clock.now() - looked) < 60_000) return;
        looked = world.clock.now();
        await teller?.due();
      },
      say: (line) => world.stderr.write(`rowferry: ${plainText(line)}\n`),
      quiet: flags.quiet === true,
      tell: explain,
    });
  },
});

/** The machine may be repaired, too: a full disk is no fault of the file. */
const canGoOn = (exitCode: number) =>
  [ExitCode.again, ExitCode.locked, ExitCode.unexpected].some((one) => one === exitCode);

/** A secret, the journal's disk or the ledger may come back, and no file or mapping has to change for it. */
const isOfNoFile = (error: unknown) =>
  error instanceof RowferryError && /^(secret|settings|target|url|folder|journal|ledger|usage)\b/.test(error.code);
