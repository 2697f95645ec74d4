/** `rowferry watch <mapping> <folder>`: imports files as they arrive, without a scheduler. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import type { MappingSpec } from "../../map/language/mapping-schema.js";
import { filesOfModule } from "../../map/beside.js";
import { readSource } from "../../map/load-mapping.js";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { configFileName } from "../../settings/config-file.js";
import { resolveTarget } from "../../settings/target.js";
import { checkMappingFirst, duration } from "../flags.js";
import type { Frame } from "../frame.js";
import { endOf, tellError } from "../report-error.js";
import { runCommand, type SendingFlags, sendingCommand, tellerOf } from "../run-command.js";

export const spec = sendingCommand({
  takes: { "<mapping>": "the mapping file (YAML)", "<folder>": "where the files arrive" },
  flags: {
    moveTo: ["--move-to <folder>", "move files there once they are imported"],
    order: ["--order <what>", "the order in which files are imported (default: name)", ["name", "time"]],
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
    "A file is imported once it has not changed for --settle, or as soon as there is a file <name>.done next to it that is not older. Files are imported one at a time, in order. What --limit or --until leaves to the next run is sent half a day later, or when the command is started again. With --once and nothing new, it ends with 3 while something needs you. Ctrl-C or SIGTERM ends the command. A second watch on the same mapping and folder ends at once with 5, and so does one with another mapping or target if either has --move-to. If you run them in turn with --once, each would miss the files that an earlier one has moved: give each its own folder.",
  ],
  async prepare(frame, { moveTo, order = "name", settle, every, once, ...flags }, mapping: string, folder: string) {
    const { world, signal } = frame;
    checkMappingFirst("watch", mapping, [folder]);
    // A fault that would make every file fail is reported now.
    await readSource(resolve(world.cwd, mapping));
    const target = resolveTarget({ flags, env: world.env, cwd: world.cwd });
    target.clientSecret();
    const teller = await tellerOf(target, world);
    const places = [mapping, folder].map((path) => resolve(world.cwd, path));
    const memory = hashed(places.join("\n"));
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
    const say = (line: string): void => {
      world.stderr.write(`rowferry: ${line}\n`);
    };
    const { exitCodeOf } = await import("../../run/finish.js");
    const { watchFolder } = await import("../../serve/watch.js");
    const { isWorkDue } = await import("../../desk/status.js");
    const { lockLedger } = await import("../../ledger/care/lock.js");
    return watchFolder({
      folder: resolve(world.cwd, folder),
      moveTo: moveTo === undefined ? null : resolve(world.cwd, moveTo),
      order,
      settleMs: settle ?? 10_000,
      everyMs: every ?? 5_000,
      once: once === true,
      // Each watch has its own: another mapping has not read the files of this folder.
      memory: join(target.stateFolder, "watched", `${memory}.json`),
      lock: () =>
        join(dirname(target.stateFolder), "watched", `${hashed(realpathSync(resolve(world.cwd, folder)))}.lock`),
      stamp: () => {
        const path = resolve(world.cwd, mapping);
        const read = [path, resolve(world.cwd, configFileName), ...namedBy(path)];
        return read.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0).join(" ");
      },
      clock: world.clock,
      signal,
      async handle(path, isStaged) {
        // Even if the settings now name another one: a rehearsal stays a rehearsal.
        const onTarget = { ...flags, target: target.name, wait: true };
        const handled = await importOne(frame, onTarget, mapping, path, isStaged, requireLedger);
        hadLedger ||= hasLedger();
        return handled;
      },
      async untilFree() {
        if (!hasLedger()) return;
        const onWait = () => {
          if (flags.quiet !== true) say("waiting until another rowferry process has finished with this ledger");
        };
        const lock = await lockLedger(target.ledgerPath, { wait: true, clock: world.clock, signal, onWait });
        lock.release();
      },
      isWorkDue: () => isWorkDue(target, world.clock.now()),
      idle: async () => {
        if (Math.abs(world.clock.now() - looked) < 60_000) return;
        looked = world.clock.now();
        await teller?.due();
      },
      say,
      async nothingNew() {
        if (!hasLedger()) return ExitCode.ok;
        const { open } = await world.pipeline.readStatus({ target });
        const exitCode = exitCodeOf({ stopped: null, emptyFiles: [], signal }, open, () => false);
        const more = exitCode === ExitCode.ok ? "" : `; \`rowferry status --target ${target.name}\` shows what is open`;
        if (flags.quiet !== true || exitCode !== ExitCode.ok) say(`nothing new in ${folder}${more}`);
        return exitCode;
      },
      tell: (error) => explain(frame, flags, error),
    });
  },
});

const hashed = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** The files that a mapping and its base read, as far as both can be read. */
function namedBy(path: string, isBase = false): string[] {
  try {
    const { extends: base, functions, tables } = parse(readFileSync(path, "utf8")) as MappingSpec;
    const names = [base, functions, ...Object.values(tables ?? {}).map(({ file }) => file)];
    // A module also imports files.
    const named = names.flatMap((name) => (name === undefined ? [] : filesOfModule(resolve(dirname(path), name))));
    return base === undefined || isBase ? named : [...named, ...namedBy(resolve(dirname(path), base), true)];
  } catch {
    return [];
  }
}

function explain(frame: Frame, flags: SendingFlags, error: unknown): number {
  const end = endOf(error, frame.signal);
  tellError(frame, end, { json: flags.json === true, debug: false });
  return end.exitCode;
}

/** One file's failure does not stop the others. An error says that nothing, or not all, was staged. */
async function importOne(
  frame: Frame,
  flags: SendingFlags,
  mappingPath: string,
  path: string,
  isStaged: boolean,
  requireLedger: (path: string) => void,
): Promise<{ exitCode: number; isStaged: boolean; isCut: boolean }> {
  try {
    let isEmpty = false;
    let isCut = false;
    const exitCode = await runCommand(frame, flags, {
      source: mappingPath,
      async send(pipeline, options) {
        requireLedger(options.target.ledgerPath);
        const summary = isStaged
          ? await pipeline.runResume(options)
          : await pipeline.runImport({ ...options, mappingPath, files: [path] });
        isEmpty = summary.problems.some(({ code }) => code === "file-empty");
        isCut = summary.stopped === null && (summary.open.events["planned"] ?? 0) > 0;
        return summary;
      },
    });
    return { exitCode, isStaged: !isEmpty, isCut };
  } catch (error) {
    const exitCode = explain(frame, flags, error);
    const isGone = error instanceof RowferryError && error.code === "ledger-missing";
    return { exitCode: isGone ? ExitCode.again : exitCode, isStaged: isGone && isStaged, isCut: false };
  }
}
