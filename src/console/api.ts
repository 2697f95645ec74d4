/** What the page can ask for and change. It takes the types of requests and answers from here. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { z } from "zod";
import { showAnything } from "../desk/show.js";
import { showRuns } from "../desk/status.js";
import { reading } from "../desk/access.js";
import { tallyOpen } from "../ledger/views/tally.js";
import { RowferryError } from "../model/error.js";
import type { Line } from "../model/lines.js";
import { counted } from "../report/figures.js";
import { total } from "../report/outcome.js";
import { saidOf } from "../report/said.js";
import { createCorrections } from "./corrections.js";
import { forgetLost } from "./drafts.js";
import { createJobs, problemsOnPage, saidOnPage } from "./jobs.js";
import { createJudge } from "./judge.js";
import {
  decisionsOf,
  explained,
  filesOf,
  overviewOf,
  readReport,
  runOf,
  startable,
  type Targets,
  type Where,
} from "./overview.js";

/** A command line has an end. */
const MOST_ROWS = 5000;

const text = z.string();
const named = z.strictObject({ target: text });
const cause = named.extend({
  code: text,
  column: text.nullable().default(null),
  mistake: text.nullable().default(null),
});
const valueEdit = cause.extend({ column: text, from: text, to: text, shown: text.nullable().default(null) });
const run = named.extend({ run: z.string().regex(/^[\w-]+$/) });
/** A command and its words; what is absent is not said. */
const decision = named.extend({
  action: z.enum(["import", "resume", "retry", "dismiss", "withdraw", "replace", "resolve", "verify"]),
  /** The mapping of `import`; the document of `replace`; the documents of `resolve`. */
  what: z.array(text).max(MOST_ROWS).default([]),
  /** For `import`. */
  file: text.optional(),
  /** Of its forecast, as that was answered. */
  stamp: text.optional(),
  flags: z
    .partialRecord(z.enum(["code", "document", "input", "run", "reason", "document-id"]), text.trim().min(1))
    .default({}),
  /** For `resolve`: one document per line, with its id. */
  ids: text.optional(),
  /** As `--row` takes them. */
  rows: z.array(text).max(MOST_ROWS).default([]),
  /** For `resolve`: what a person found out. For `dismiss`: undo it. */
  word: z.enum(["landed", "not-landed", "undo"]).optional(),
  dry: z.boolean(),
});

/** They may take long: each becomes a job. */
const sending: readonly string[] = ["import", "resume", "retry", "verify"];

const route = <Schema extends z.ZodType, Answer>(schema: Schema, work: (words: z.output<Schema>) => Answer) => ({
  schema,
  work,
});

/** Changes that change nothing. */
export const trials: readonly string[] = ["try-value", "check"];

export type Api = ReturnType<typeof createApi>;
export type Asks = { [Path in keyof Api["asks"]]: Awaited<ReturnType<Api["asks"][Path]["work"]>> };
export type Changes = {
  [Path in keyof Api["changes"]]: {
    words: z.input<Api["changes"][Path]["schema"]>;
    answer: Awaited<ReturnType<Api["changes"][Path]["work"]>>;
  };
};

export interface ApiOptions extends Where {
  /** False: the console only shows. */
  allowChanges: boolean;
  now: () => number;
}

/** `changed` is called when a command of the page has ended. */
export function createApi({ cwd, env, allowChanges, now }: ApiOptions, targets: Targets, changed: () => void) {
  const jobs = createJobs({ cwd, env, now, onChange: changed });
  const known = new Map<string, ReturnType<typeof createCorrections>>();
  const judge = createJudge();
  const corrections = (name: string) => {
    const one = known.get(name) ?? createCorrections(targets.get(name), judge, now);
    known.set(name, one);
    return one;
  };

  /** Changes with the file or its mapping. @throws RowferryError `usage` for anything else than a mapping and a file of the folder */
  const stampOf = async ({ what: [mapping = "", ...others], file = "" }: Decision) => {
    const { mappings, files } = await startable(cwd);
    // Others would be further files.
    if (others.length > 0 || !mappings.includes(mapping) || !files.includes(file))
      throw new RowferryError("usage", "The mapping or the file is not in the folder, or is no longer there.", {
        hint: "Put both into the console's working folder, then choose them again.",
      });
    const { mtimeMs, size } = statSync(join(cwd, file));
    return [await judge.stamp(join(cwd, mapping)), mtimeMs, size].join();
  };

  const asks = {
    overview: route(z.object({}), () => ({
      folder: cwd,
      allowChanges,
      targets: targets.names().map((name) => ({ ...overviewOf(name, targets, cwd, now()), jobs: jobs.recent(name) })),
    })),
    cause: route(cause, ({ target, ...name }) => explained(corrections(target).page(name))),
    tally: route(named, ({ target }) => corrections(target).tally()),
    grid: route(cause, ({ target, ...name }) => corrections(target).grid(name)),
    decisions: route(cause, ({ target, code }) => decisionsOf(targets.get(target), code)),
    find: route(named.extend({ what: text }), ({ target, what }) => {
      const { rows, ...found } = showAnything(targets.get(target), what);
      return { ...found, rows: rows.map((row) => ({ ...row, problems: problemsOnPage(row.problems) })) };
    }),
    runs: route(named, ({ target }) => showRuns(targets.get(target), 200)),
    files: route(named, ({ target }) => filesOf(targets.get(target), cwd)),
    startable: route(z.object({}), () => startable(cwd)),
    run: route(run, ({ target, run: name }) => runOf(targets.get(target), name)),
    report: route(run, ({ target, run: name }) => readReport(targets.get(target), name)),
    rows: route(cause.extend({ input: z.coerce.number().int() }), ({ target, input, ...name }) =>
      inFolder(async (folder) => readFileSync(await corrections(target).save(folder, name, input))),
    ),
  };

  const changes = {
    edit: route(
      named.extend({
        label: text,
        edits: z.array(z.strictObject({ ref: text, column: text, replaces: text, value: text })),
      }),
      ({ target, ...edit }) => corrections(target).edit(edit),
    ),
    "edit-value": route(valueEdit, ({ target, ...edit }) => corrections(target).editValue(edit)),
    "try-value": route(valueEdit, ({ target, ...edit }) => corrections(target).tryValue(edit)),
    undo: route(named.extend({ step: text.nullable() }), ({ target, step }) => corrections(target).undo(step)),
    forget: route(named, ({ target }) => ({ forgotten: forgetLost(targets.get(target)) })),
    upload: route(named.extend({ name: text, content: z.base64() }), ({ target, name, content }) =>
      inFolder((folder) => {
        const path = join(folder, basename(name) || "upload");
        writeFileSync(path, Buffer.from(content, "base64"), { mode: 0o600 });
        return corrections(target).take(path);
      }),
    ),
    check: route(named, ({ target }) =>
      inFolder(async (folder) => {
        const sentences: string[] = [];
        let others = 0;
        const written = await corrections(target).write(folder);
        for (const { mapping, files, rows } of written) {
          const lines = await jobs.ask(["plan", ...targets.flags(target), "--", mapping, ...files]);
          // Only now: another run may have sent some in the meantime.
          const {
            held = 0,
            deferred = 0,
            planned = 0,
          } = reading(targets.get(target), (database) => tallyOpen(database).events);
          others = planned;
          const plan = lines.find(({ type }) => type === "plan");
          sentences.push(`${counted(rows, "corrected row")}.`, ...saidOnPage(lines));
          const { ready: _, ...left } = plan?.type === "plan" ? plan.events : { ready: 0, held, deferred, refused: 0 };
          const released = held + deferred - total(left);
          const events = `${counted(released, "event")} that ${released === 1 ? "waits" : "wait"} now`;
          // Corrected rows may wait or be refused, too, and count as such then.
          const isLeast = left.held + left.refused > 0;
          if (released > 0) sentences.push(`What would be sent includes ${isLeast ? "at least " : ""}${events}.`);
        }
        if (others > 0)
          sentences.push(
            `What would be sent includes ${counted(others, "event")} of other rows that would be sent anyway.`,
          );
        if (written.length > 1)
          sentences.push(
            "Each mapping is imported separately. Events that wait only for rows of the other mapping are sent once both imports are done.",
          );
        return sentences;
      }),
    ),
    import: route(named.extend({ drafts: text }), async ({ target, drafts }) => {
      const folder = join(targets.get(target).stateFolder, "corrections");
      await corrections(target).send(folder, drafts, (mapping, files, begun) =>
        jobs.start(target, ["import", ...targets.flags(target), "--wait", "--", mapping, ...files], begun),
      );
      return {};
    }),
    do: route(decision, ({ target, ...what }) =>
      inFolder(async (folder) => {
        const { name } = targets.get(target);
        const { action, file, stamp: seen, dry } = what;
        const isImport = action === "import";
        const isSending = sending.includes(action);
        const words = (more: Decision) => [action, ...targets.flags(target), ...wordsOf(more, folder)];
        // Before its plan, which may take long.
        const ofFile = isImport ? await stampOf(what) : null;
        const foretold = dry || (!isSending && seen !== undefined) ? await jobs.ask(words({ ...what, dry: true })) : [];
        const stamp = ofFile ?? doneBy(foretold);
        if (!dry && stamp !== seen && (isImport || foretold.length > 0)) {
          const other = isImport ? "the file or its mapping" : "what it would do";
          throw new RowferryError("usage", `Nothing was done: ${other} has changed since.`, {
            hint: "Press No, then the button again: it shows what would happen now.",
          });
        }
        if (isSending && !dry)
          return { said: [`Started: \`${jobs.start(name, words(what)).command}\``], stamp, isDoubtful: false };
        const goesTo = isImport ? [`${file} goes to ${name}.`] : [];
        return {
          said: [
            ...goesTo,
            ...saidOnPage(dry ? foretold.map(isSending ? (line) => line : ofDecision) : await jobs.ask(words(what))),
          ],
          stamp,
          /** Its forecast speaks against it. */
          isDoubtful: foretold.some(isContradicted),
        };
      }),
    ),
  };
  return {
    asks,
    changes,
    /** Files of the mappings that check rows: when they change, pages are checked again. */
    judges: judge.files,
  };
}

/** What waits for something else waits with or without the decision, and is on the overview. */
const ofDecision = (line: Line): Line => (line.type === "foreseen" ? { ...line, waiting: [] } : line);

/** Removed after the work. */
async function inFolder<Result>(work: (folder: string) => Promise<Result>) {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-console-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Decision = Omit<z.output<typeof decision>, "target">;

/** What a decision itself would do, without what could be sent then, which changes while an import runs. */
const doneBy = (lines: readonly Line[]): string =>
  saidOf(lines.flatMap((line) => (line.type === "foreseen" ? (line.done as unknown as Line[]) : []))).join("\n");

/** A read at the service shows that the id is of something else. */
const isContradicted = (line: Line): boolean =>
  line.type === "foreseen"
    ? (line.done as unknown as Line[]).some(isContradicted)
    : line.type === "resolved" && line.findings.some(({ agrees }) => !agrees);

/** As typed behind the command's name. */
function wordsOf({ action, what, file, flags, ids, rows, word, dry }: Decision, folder: string) {
  const selected = [...what, file].filter((one) => typeof one === "string");
  const words = [
    ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    ids !== undefined && `--from=${writeIds(ids, folder)}`,
    ...rows.map((row) => `--row=${row}`),
    word !== undefined && `--${word}`,
    sending.includes(action) ? "--wait" : "--yes",
    dry && "--dry-run",
    selected.length > 0 && "--",
    ...selected,
  ];
  return words.filter((one) => typeof one === "string");
}

/** The list that `resolve --from` takes. A document's name may have several words; the id is the last one. */
function writeIds(ids: string, folder: string): string {
  const lines = ids.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
  const isWithHeader = lines[0]?.split("\t").includes("document_id") === true;
  // At most so many blanks: more of them would be searched over and over.
  const cells = lines.map((line) => line.replace(/[\s,;]{1,9}([^\s,;]+)$/, "\t$1"));
  const path = join(folder, "ids.tsv");
  const header = isWithHeader ? [] : ["document\tdocument_id"];
  writeFileSync(path, `${[...header, ...cells].join("\n")}\n`, { mode: 0o600 });
  return path;
}
