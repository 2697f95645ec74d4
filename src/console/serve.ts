/** The console's server: a static shell, and the data of the working folder's ledgers for whoever holds the token. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { z } from "zod";
import { asRowferryError } from "../cli/report-error.js";
import { RowferryError } from "../model/error.js";
import { showAnything } from "../desk/show.js";
import type { Failure } from "./api.js";
import { createCorrections, keepOpenDrafts } from "./corrections.js";
import { createGuard, headers } from "./guard.js";
import { createJobs, type Finished } from "./jobs.js";
import { createTargets, decisionsOf, filesOf, overviewOf, readReport, runsOf } from "./overview.js";

export interface ConsoleOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** 0: a free one. */
  port: number;
  /** Whether anything may be changed; else the console only shows. */
  allowChanges: boolean;
  /** Only this target; absent: all that have a ledger in the working folder. */
  target?: string;
  ledger?: string;
  now: () => number;
}

export interface Console {
  /** With the token in its fragment, which no server ever sees. */
  url: string;
  close(): Promise<void>;
}

const text = z.string().max(10_000);
const named = z.strictObject({ target: text });
const cause = named.extend({ code: text, column: text.optional() });
const edits = named.extend({
  label: z.string().max(200),
  edits: z
    .array(
      z.strictObject({ ref: text, column: text, replaces: z.string().max(100_000), value: z.string().max(100_000) }),
    )
    .max(50_000),
});
const rowsOf = cause.extend({ input: z.coerce.number().int() });
/** Base64 of a file. */
const upload = named.extend({ name: z.string().max(200), content: z.base64() });
const valueEdit = named.extend({
  code: text,
  column: text,
  from: z.string().max(100_000),
  to: z.string().max(100_000),
});
const decision = named.extend({
  action: z.enum(["resume", "retry", "dismiss", "replace", "resolve", "verify"]),
  code: text.optional(),
  document: text.optional(),
  documentId: text.optional(),
  reason: text.optional(),
  row: text.optional(),
});

/** @throws RowferryError `port-in-use` */
export async function openConsole(options: ConsoleOptions): Promise<Console> {
  const app = fastify({ bodyLimit: 8 * 1024 * 1024, requestTimeout: 30_000, forceCloseConnections: true });
  // Forms of other pages can send it.
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
  /** Something that the page shows. */
  const ask = <S extends Schema>(
    path: string,
    schema: S,
    answer: (query: z.infer<S>, reply: FastifyReply) => unknown,
  ) => app.get(`/api/${path}`, (request, reply) => answer(schema.parse(request.query), reply));
  const attempt = <S extends Schema>(path: string, schema: S, work: (body: z.infer<S>) => unknown) =>
    app.post(`/api/${path}`, (request) => work(schema.parse(request.body)));
  /** All who look are told afterwards. */
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
      .map((name) => overviewOf(name, targets, { cwd: options.cwd, job: jobs.newest(name), draft: keepOpenDrafts })),
  }));
  app.get("/api/events", (request, reply) => stream(request, reply, listeners));
  ask("cause", cause, ({ target, code, column = null }) => correctionsOf(target).page({ code, column }));
  ask("decisions", cause, ({ target, code }) => decisionsOf(targets.get(target), code));
  ask("find", named.extend({ what: text }), ({ target, what }) => showAnything(targets.get(target), what));
  ask("runs", named, ({ target }) => runsOf(targets.get(target)));
  ask("files", named, ({ target }) => filesOf(targets.get(target), options.cwd));
  ask("report", named.extend({ run: z.string().regex(/^[\w-]+$/) }), ({ target, run }, reply) =>
    reply.type("text/html").send(readReport(targets.get(target), run)),
  );
  ask("rows", rowsOf, ({ target, input, code, column = null }, reply) =>
    inFolder(async (folder) => {
      const path = await correctionsOf(target).save(folder, { code, column }, input);
      return reply.type("application/octet-stream").send(readFileSync(path));
    }),
  );

  change("edit", edits, ({ target, ...body }) => correctionsOf(target).edit(body));
  change("edit-value", valueEdit, ({ target, ...body }) => correctionsOf(target).editValue(body));
  attempt("try-value", valueEdit, ({ target, ...body }) => correctionsOf(target).tryValue(body));
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
      const sentences: string[] = [];
      for (const { mapping, files } of await correctionsOf(target).write(folder, options.now()))
        sentences.push(...describePlan(await jobs.ask(["plan", ...targets.flags(target), "--", mapping, ...files])));
      return { sentences };
    }),
  );
  attempt("import", named, async ({ target }) => {
    const folder = join(targets.get(target).stateFolder, "corrections");
    const started = (await correctionsOf(target).write(folder, options.now())).map(({ mapping, files }) =>
      jobs.start(target, ["import", ...targets.flags(target), "--wait", "--", mapping, ...files]),
    );
    for (const { finished } of started) void finished.then(changed);
    return { jobs: started.map(({ line }) => line) };
  });
  change("do", decision, async ({ target, ...what }) => {
    const job = jobs.start(target, wordsOf(what, targets.flags(target)));
    if (["resume", "retry", "verify"].includes(what.action)) return job.line;
    const { error, exitCode } = await job.finished;
    if (error !== null)
      throw new RowferryError("usage", error.message, error.hint === null ? {} : { hint: error.hint });
    if (exitCode === 1) throw new RowferryError("unexpected", job.line.outcome ?? "It failed.");
    return job.line;
  });

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

/** One for the work, which goes with it. */
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

/** Built from web/ by \`npm run build\`; beside this file once that is built too. */
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

/** Says that something has changed, at most four times a second; the page asks for what it shows. */
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

/** Other processes write the ledgers too: their write-ahead logs show it. */
function watchLedgers(targets: ReturnType<typeof createTargets>, changed: () => void): NodeJS.Timeout {
  const stamp = () => {
    try {
      return targets
        .names()
        .map((name) => {
          const path = targets.get(name).ledgerPath;
          return [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs).join();
        })
        .join();
    } catch {
      return "";
    }
  };
  let last = stamp();
  return setInterval(() => {
    const now = stamp();
    if (now !== last) changed();
    last = now;
  }, 1000);
}

interface PlanFound {
  inputs: { read: number; invalid: number; staged: number }[];
  requests: { [kind: string]: number };
  secondsAtLimit: number;
  events: { ready: number; held: number; deferred: number; refused: number };
}

function describePlan({ result, error }: Finished): string[] {
  if (error !== null) return [error.message, ...(error.hint === null ? [] : [error.hint])];
  if (result === null) return ["The plan could not be made."];
  const { inputs, requests, secondsAtLimit, events } = result as unknown as PlanFound;
  const count = (number: number, one: string) => `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;
  const rows = inputs.reduce((sum, input) => sum + input.staged, 0);
  const calls = Object.values(requests).reduce((sum, number) => sum + number, 0);
  const waits =
    events.held === 0 ? [] : [`${count(events.held, "event")} would still wait for rows that are not corrected.`];
  const late =
    events.refused === 0
      ? []
      : [`${count(events.refused, "event")} can no longer be put in place; decide about them afterwards.`];
  return [
    `${count(rows, "corrected row")}: ${count(events.ready, "event")} would be sent, with ${count(calls, "request")}, in ${secondsAtLimit < 1 ? "less than a second" : `about ${secondsAtLimit} s`} at the limit.`,
    ...waits,
    ...late,
  ];
}

/** A decision as the command that a person would type. @throws RowferryError `usage` where it says too little */
function wordsOf(what: Omit<z.infer<typeof decision>, "target">, flags: readonly string[]): string[] {
  const { action, code, document, documentId, reason, row } = what;
  const option = (name: string, value: string | undefined) => (value === undefined ? [] : [`--${name}=${value}`]);
  const needed = (value: string | undefined, name: string): string => {
    if (value !== undefined && value.trim() !== "") return value;
    throw new RowferryError("usage", `${name} is missing.`, { hint: "Fill it in and try again." });
  };
  const selectors = [...option("code", code), ...option("document", document), ...option("row", row)];
  if (action === "resume") return ["resume", ...flags, "--wait"];
  if (action === "verify") return ["verify", ...flags];
  if (action === "retry") return ["retry", ...flags, "--wait", ...selectors];
  if (action === "dismiss") return ["dismiss", ...flags, ...selectors];
  if (action === "replace")
    return ["replace", ...flags, `--reason=${needed(reason, "A reason")}`, "--", needed(document, "The document")];
  return [
    "resolve",
    ...flags,
    "--yes",
    `--document-id=${needed(documentId, "The document's id")}`,
    "--",
    needed(document, "The document"),
  ];
}
