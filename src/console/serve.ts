/** The console's server: a static page, and the ledgers' data for holders of the token. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { z } from "zod";
import { asRowferryError } from "../cli/report-error.js";
import { RowferryError } from "../model/error.js";
import { showAnything } from "../desk/show.js";
import { counted } from "../report/figures.js";
import { coursePath } from "../report/course.js";
import { said } from "../report/said.js";
import type { Failure } from "./api.js";
import { createCorrections, keepOpenDrafts } from "./corrections.js";
import { createGuard, headers } from "./guard.js";
import { createJobs } from "./jobs.js";
import {
  createTargets,
  decisionsOf,
  filesOf,
  heldNow,
  overviewOf,
  readReport,
  runOf,
  runsOf,
  startable,
} from "./overview.js";

export interface ConsoleOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** 0: a free one. */
  port: number;
  /** False: the console only shows. */
  allowChanges: boolean;
  /** Absent: all with a ledger in the working folder. */
  target?: string;
  ledger?: string;
  now: () => number;
}

export interface Console {
  /** With the token in its fragment, which no server sees. */
  url: string;
  close(): Promise<void>;
}

/** A command line has an end. */
const MOST_ROWS = 5000;

const text = z.string().max(10_000);
const cell = z.string().max(100_000);
const named = z.strictObject({ target: text });
const cause = named.extend({
  code: text,
  column: text.nullable().default(null),
  mistake: text.nullable().default(null),
});
const edits = named.extend({
  label: z.string().max(200),
  edits: z.array(z.strictObject({ ref: text, column: text, replaces: cell, value: cell })).max(50_000),
});
const rowsOf = cause.extend({ input: z.coerce.number().int() });
const upload = named.extend({ name: z.string().max(200), content: z.base64() });
const valueEdit = cause.extend({ column: text, from: cell, to: cell });
/** They may take long: each becomes a job. */
const sending: readonly string[] = ["import", "resume", "retry", "verify"];
const decision = named.extend({
  action: z.enum(["import", "resume", "retry", "dismiss", "withdraw", "replace", "resolve", "verify"]),
  what: z.array(text).max(MOST_ROWS).default([]),
  file: text.optional(),
  ids: cell.optional(),
  flags: z
    .partialRecord(z.enum(["code", "document", "input", "reason", "document-id"]), z.string().trim().min(1).max(10_000))
    .default({}),
  rows: z.array(text).max(MOST_ROWS).default([]),
  word: z.enum(["landed", "not-landed", "undo"]).optional(),
  dry: z.boolean(),
});

/** @throws RowferryError `port-in-use` */
export async function openConsole(options: ConsoleOptions): Promise<Console> {
  const app = fastify({ bodyLimit: 8 * 1024 * 1024, requestTimeout: 30_000, forceCloseConnections: true });
  // Other pages' forms can send it.
  app.removeContentTypeParser("text/plain");
  const guard = createGuard(() => options.port);
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const targets = createTargets(options);
  const jobs = createJobs({ ...options, onChange: changed });
  const corrections = new Map<string, ReturnType<typeof createCorrections>>();
  const correctionsOf = (name: string) => {
    const known = corrections.get(name) ?? createCorrections(targets.get(name), options.now);
    corrections.set(name, known);
    return known;
  };

  app.addHook("onRequest", (request, reply, done) => {
    void reply.headers(headers);
    const refuse = (status: number, code: string, message: string) =>
      void reply
        .code(status)
        .send({ code, message, hint: "Open the address that `rowferry console` printed." } satisfies Failure);
    if (!guard.isForUs(request.headers.host))
      return refuse(421, "not-this-host", "This server is not the one you asked for.");
    if (!isForData(request)) return done();
    if (!guard.isKnown(request.headers.authorization))
      return refuse(
        401,
        "token-unknown",
        "This page belongs to a console that has ended, or was opened without its token.",
      );
    if (request.method === "GET") return done();
    if (!guard.isOurPage(request.headers))
      return refuse(403, "foreign-page", "Only the console's own page may change anything.");
    if (!options.allowChanges)
      return refuse(403, "read-only", "This console only shows. Start it with --allow-changes.");
    return done();
  });
  app.setErrorHandler((thrown: Error & { statusCode?: number }, _request, reply) => tell(thrown, reply));
  app.setNotFoundHandler((request, reply) => {
    if (request.method !== "GET" || isForData(request))
      return tell(new RowferryError("usage", "There is no such page."), reply, 404);
    return reply.type("text/html; charset=utf-8").send(shell);
  });
  for (const name of ["app.js", "app.css"])
    app.get(`/${name}`, (_request, reply) =>
      reply.type(name.endsWith("js") ? "text/javascript; charset=utf-8" : "text/css; charset=utf-8").send(asset(name)),
    );

  type Schema = z.ZodType;
  const ask = <S extends Schema>(
    path: string,
    schema: S,
    answer: (query: z.infer<S>, reply: FastifyReply) => unknown,
  ) => app.get(`/api/${path}`, (request, reply) => answer(schema.parse(request.query), reply));
  const attempt = <S extends Schema>(path: string, schema: S, work: (body: z.infer<S>) => unknown) =>
    app.post(`/api/${path}`, (request) => work(schema.parse(request.body)));
  /** Notifies all viewers afterwards. */
  const change = <S extends Schema>(path: string, schema: S, work: (body: z.infer<S>) => unknown) =>
    attempt(path, schema, async (body) => {
      const answer = await work(body);
      changed();
      return answer;
    });

  ask("overview", z.strictObject({}), () => ({
    folder: options.cwd,
    allowChanges: options.allowChanges,
    targets: targets
      .names()
      .map((name) => overviewOf(name, targets, { ...options, job: jobs.newest(name), draft: keepOpenDrafts })),
  }));
  app.get("/api/events", (request, reply) => stream(request, reply, listeners));
  ask("cause", cause, ({ target, ...name }) => correctionsOf(target).page(name));
  ask("tally", named, ({ target }) => correctionsOf(target).tally());
  ask("grid", cause, ({ target, ...name }) => correctionsOf(target).grid(name));
  ask("decisions", cause, ({ target, code }) => decisionsOf(targets.get(target), code));
  ask("find", named.extend({ what: text }), ({ target, what }) => showAnything(targets.get(target), what));
  ask("runs", named, ({ target }) => runsOf(targets.get(target)));
  ask("files", named, ({ target }) => filesOf(targets.get(target), options.cwd));
  ask("startable", z.strictObject({}), () => startable(options.cwd));
  const oneRun = named.extend({ run: z.string().regex(/^[\w-]+$/) });
  ask("run", oneRun, ({ target, run }) => runOf(targets.get(target), run));
  ask("report", oneRun, ({ target, run }, reply) => reply.type("text/html").send(readReport(targets.get(target), run)));
  ask("rows", rowsOf, ({ target, input, ...name }, reply) =>
    inFolder(async (folder) => {
      const path = await correctionsOf(target).save(folder, name, input);
      return reply.type("application/octet-stream").send(readFileSync(path));
    }),
  );

  change("edit", edits, ({ target, ...body }) => correctionsOf(target).edit(body));
  change("edit-value", valueEdit, ({ target, ...edit }) => correctionsOf(target).editValue(edit));
  attempt("try-value", valueEdit, ({ target, ...edit }) => correctionsOf(target).tryValue(edit));
  change("undo", named, ({ target }) => ({ undone: correctionsOf(target).undo() }));
  change("upload", upload, ({ target, name, content }) =>
    inFolder((folder) => {
      const path = join(folder, basename(name) || "upload");
      writeFileSync(path, Buffer.from(content, "base64"), { mode: 0o600 });
      return correctionsOf(target).take(path);
    }),
  );
  attempt("check", named, ({ target }) =>
    inFolder(async (folder) => {
      const held = heldNow(targets.get(target));
      const sentences: string[] = [];
      for (const { mapping, files, rows } of await correctionsOf(target).write(folder, options.now())) {
        const plan = await jobs.ask(["plan", ...targets.flags(target), "--", mapping, ...files]);
        const released = plan.type === "plan" ? held - plan.events.held : 0;
        sentences.push(`${counted(rows, "corrected row")}.`, ...said(plan));
        if (released > 0)
          sentences.push(
            `${counted(released, "event")} that ${released === 1 ? "waits" : "wait"} now would go with them.`,
          );
      }
      return { said: sentences };
    }),
  );
  change("import", named, async ({ target }) => {
    const folder = join(targets.get(target).stateFolder, "corrections");
    for (const { mapping, files } of await correctionsOf(target).write(folder, options.now()))
      jobs.start(target, ["import", ...targets.flags(target), "--wait", "--", mapping, ...files]);
    return { said: [] };
  });
  attempt("do", decision, ({ target, dry, ids, ...what }) =>
    inFolder(async (folder) => {
      if (what.action === "import") await requireStartable(options.cwd, what);
      const { name } = targets.get(target);
      const [action, ...words] = wordsOf(what, [...targets.flags(target), ...filledIn(folder, ids)]);
      if (dry) {
        const found = said(await jobs.ask([action, "--dry-run", ...words]));
        return { said: what.action === "import" ? [`It goes to ${name}.`, ...found] : found };
      }
      if (!sending.includes(action)) {
        const done = await jobs.ask([action, ...words]);
        changed();
        return { said: said(done) };
      }
      const { command } = jobs.start(name, [action, ...words]);
      changed();
      return { said: [`Started: \`${command}\``] };
    }),
  );

  const watching = watchLedgers(targets, changed);
  try {
    await app.listen({ host: "127.0.0.1", port: options.port });
  } catch (cause_) {
    clearInterval(watching);
    await app.close();
    if ((cause_ as NodeJS.ErrnoException).code !== "EADDRINUSE") throw cause_;
    throw new RowferryError("port-in-use", `port ${options.port} is taken`, { cause: cause_ });
  }
  options.port = (app.server.address() as { port: number }).port;
  return {
    url: `http://127.0.0.1:${options.port}/#${guard.token}`,
    async close() {
      clearInterval(watching);
      await app.close();
    },
  };
}

/** Removed after the work. */
async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-console-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isForData = (request: FastifyRequest): boolean => request.url.startsWith("/api/");

const shell = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Rowferry</title>
<link rel="stylesheet" href="/app.css">
<body><div id="app"><p class="quiet">Loading…</p></div></body>
<script type="module" src="/app.js"></script>
</html>
`;

/** Built from web/ by `npm run build`; beside this file in the build. */
function asset(name: string): string {
  const built = import.meta.url.endsWith(".ts") ? "../../dist/console/web/" : "./web/";
  return readFileSync(fileURLToPath(new URL(built + name, import.meta.url)), "utf8");
}

function tell(thrown: Error & { statusCode?: number }, reply: FastifyReply, status?: number): FastifyReply {
  if (thrown instanceof z.ZodError)
    return reply
      .code(400)
      .send({ code: "usage", message: "This request did not come from the page.", hint: "Load the page again." });
  const { statusCode } = thrown;
  if (statusCode !== undefined && statusCode < 500)
    return reply
      .code(statusCode)
      .send({ code: "usage", message: "The request cannot be read.", hint: "Load the page again." });
  const error = asRowferryError(thrown, false);
  const { code, description: message, hint } = error;
  return reply.code(status ?? (code === "unexpected" ? 500 : 409)).send({ code, message, hint } satisfies Failure);
}

/** At most four times a second; the page then asks for its data. */
function stream(request: FastifyRequest, reply: FastifyReply, listeners: Set<() => void>): void {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { ...headers, "content-type": "text/event-stream" });
  let pending: NodeJS.Timeout | null = null;
  const listener = () => {
    pending ??= setTimeout(() => {
      pending = null;
      raw.write("data: changed\n\n");
    }, 250);
  };
  const beat = setInterval(() => raw.write(": still here\n\n"), 15_000);
  listeners.add(listener);
  raw.write("data: changed\n\n");
  request.raw.on("close", () => {
    listeners.delete(listener);
    clearInterval(beat);
    if (pending !== null) clearTimeout(pending);
  });
}

/** Of the time, at most: pages ask for everything anew after each change. */
const SHARE_BESIDE_IMPORTS = 0.02;
const LONGEST_PAUSE_MS = 10_000;

/** Other processes write too, which shows in the write-ahead logs. An import beside this is not to lose its processor. */
function watchLedgers(targets: ReturnType<typeof createTargets>, changed: () => void): NodeJS.Timeout {
  const stamp = () => {
    try {
      return targets
        .names()
        .map((name) => {
          const path = targets.get(name).ledgerPath;
          return [path, `${path}-wal`, coursePath(targets.get(name).stateFolder)]
            .map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs)
            .join();
        })
        .join();
    } catch {
      return "";
    }
  };
  let last = stamp();
  let told = { at: performance.now(), used: process.cpuUsage() };
  return setInterval(() => {
    const now = stamp();
    if (now === last) return;
    const { user, system } = process.cpuUsage(told.used);
    const pause = Math.min((user + system) / 1000 / SHARE_BESIDE_IMPORTS, LONGEST_PAUSE_MS);
    if (performance.now() - told.at < pause) return;
    last = now;
    told = { at: performance.now(), used: process.cpuUsage() };
    changed();
  }, 1000);
}

/** @throws RowferryError `usage` for anything else than a mapping and a file of the folder */
async function requireStartable(
  cwd: string,
  { what: [mapping = ""], file = "" }: { what: string[]; file?: string | undefined },
): Promise<void> {
  const { mappings, files } = await startable(cwd);
  if (mappings.includes(mapping) && files.includes(file)) return;
  throw new RowferryError("usage", "The mapping or the file is not in the folder (any more).", {
    hint: "Put both into the folder in which the console runs, then choose them again.",
  });
}

/** The list that `resolve --from` takes, of lines with a document and its id. */
function filledIn(folder: string, ids: string | undefined): string[] {
  if (ids === undefined) return [];
  const lines = ids.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
  const cells = lines.map((line) => (line.includes("\t") ? line : withTab(line)));
  const isWithHeader = lines[0]?.split("\t").includes("document_id") === true;
  const path = join(folder, "ids.tsv");
  writeFileSync(path, `${[...(isWithHeader ? [] : ["document\tdocument_id"]), ...cells].join("\n")}\n`, {
    mode: 0o600,
  });
  return [`--from=${path}`];
}

/** The id is the last word; a document's name may have several. */
function withTab(line: string): string {
  const characters = line.split("");
  const isBetween = (character: string | undefined) => /[\s,;]/.test(character ?? "");
  const gap = characters.findLastIndex(isBetween);
  const end = characters.findLastIndex((character, at) => at < gap && !isBetween(character));
  return `${characters.slice(0, end + 1).join("")}\t${characters.slice(gap + 1).join("")}`;
}

/** As a typed command. */
function wordsOf(
  { action, what, file, flags, rows, word }: Omit<z.infer<typeof decision>, "target" | "dry" | "ids">,
  target: readonly string[],
): [string, ...string[]] {
  const confirms = ["dismiss", "withdraw", "resolve", "replace"].includes(action);
  const options = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  return [
    action,
    ...target,
    ...options,
    ...rows.map((row) => `--row=${row}`),
    ...(word === undefined ? [] : [`--${word}`]),
    ...(sending.includes(action) ? ["--wait"] : confirms ? ["--yes"] : []),
    ...(what.length === 0 ? [] : ["--", ...what]),
    ...(file === undefined ? [] : [file]),
  ];
}
