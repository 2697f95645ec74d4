/** The console's server: a static page, and the ledgers' data for holders of the token. */
import { readFileSync, statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import fastify, { type FastifyReply } from "fastify";
import { z } from "zod";
import { asRowferryError, isHelpHint } from "../cli/report-error.js";
import { type Code, codes } from "../model/codes.js";
import { RowferryError } from "../model/error.js";
import { type ApiOptions, createApi, trials } from "./api.js";
import { draftPath } from "../ledger/drafts.js";
import { forPage } from "./jobs.js";
import { createGuard, headers, isForData } from "./guard.js";
import { createTargets, livesOf, type Targets } from "./overview.js";

export interface ConsoleOptions extends ApiOptions {
  /** 0: a free one. */
  port: number;
}

/** How far runs are, by target; null: something has changed. */
export type News = ReturnType<typeof livesOf> | null;

/** What the page says to a person. */
export interface Failure {
  message: string;
  hint: string;
  /** The same request may succeed later, so the page keeps what was typed. */
  isForNow?: boolean;
}

/** The largest request: tens of thousands of rows may be downloaded, corrected and uploaded in one file. */
const MOST_BYTES = 128 * 1024 * 1024;

const LATEST_NEWS_MS = 10_000;

/** `url`: with the token in its fragment, which no server sees. @throws RowferryError `port-in-use` */
export async function openConsole(options: ConsoleOptions) {
  const app = fastify({ bodyLimit: MOST_BYTES, requestTimeout: 30_000, forceCloseConnections: true });
  // Other pages' forms can send it.
  app.removeContentTypeParser("text/plain");
  const guard = createGuard(() => options.port, options.allowChanges);
  const viewers = new Set<ServerResponse>();
  let changedAt = 0;
  const publish = (news: News) => {
    if (news === null) changedAt = performance.now();
    for (const viewer of viewers) viewer.write(`data: ${JSON.stringify(news)}\n\n`);
  };
  const changed = () => watching.renew();
  const targets = createTargets(options);
  const { asks, changes, judges } = createApi(options, targets, changed);

  app.addHook("onRequest", (request, reply, done) => {
    void reply.headers(headers);
    // What actually answers, because an address can be written in several ways.
    const { url = request.url } = request.routeOptions;
    const refused = guard.refusalOf({ method: request.method, url, headers: request.headers });
    if (refused === null) return done();
    const hint = "Open the address that `rowferry console` printed.";
    void reply.code(refused.status).send({ message: refused.message, hint });
  });
  app.setErrorHandler<Error>((thrown, _request, reply) => tell(thrown, reply));
  app.setNotFoundHandler((request, reply) => {
    if (request.method !== "GET" || isForData(request.url))
      return reply.code(404).send({ message: "There is no such page.", hint: "" });
    return reply.type("text/html; charset=utf-8").send(shell);
  });
  for (const [name, type] of [
    ["app.js", "text/javascript"],
    ["app.css", "text/css"],
  ] as const)
    app.get(`/${name}`, (_request, reply) => reply.type(`${type}; charset=utf-8`).send(asset(name)));
  app.get("/api/events", (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { ...headers, "content-type": "text/event-stream" }).flushHeaders();
    viewers.add(reply.raw);
    // A page asks for its data before it listens.
    if (performance.now() - changedAt < LATEST_NEWS_MS) reply.raw.write("data: null\n\n");
    reply.raw.on("close", () => viewers.delete(reply.raw));
  });
  for (const [path, { schema, work }] of Object.entries<Route>(asks))
    app.get(`/api/${path}`, async ({ query }) => work(schema.parse(query)));
  for (const [path, { schema, work }] of Object.entries<Route>(changes))
    app.post(`/api/${path}`, async ({ body }) => {
      const isTrial = trials.includes(path);
      try {
        const answer = await work(schema.parse(body));
        if (!isTrial) changed();
        return answer;
      } catch (error) {
        // What was in its way, such as an edit in another console, may not be on the page yet.
        if (!isTrial && error instanceof RowferryError && !isForNow(error)) changed();
        throw error;
      }
    });

  const watching = watchLedgers(targets, judges, options.now, publish);
  const close = async () => {
    watching.stop();
    await app.close();
  };
  try {
    await app.listen({ host: "127.0.0.1", port: options.port });
  } catch (cause) {
    await close();
    if ((cause as NodeJS.ErrnoException).code !== "EADDRINUSE") throw cause;
    throw new RowferryError("port-in-use", `port ${options.port} is taken`, { cause });
  }
  options.port = (app.server.address() as { port: number }).port;
  return { url: `http://127.0.0.1:${options.port}/#${guard.token}`, close };
}

interface Route {
  schema: z.ZodType;
  work(words: unknown): unknown;
}

const shell = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Rowferry</title>
<link rel="stylesheet" href="/app.css">
<script type="module" src="/app.js"></script>
`;

/** Built from web/ by `npm run build`; next to this file in the build. */
function asset(name: string): string {
  const built = import.meta.url.endsWith(".ts") ? "../../dist/console/web/" : "./web/";
  return readFileSync(fileURLToPath(new URL(built + name, import.meta.url)), "utf8");
}

/** Where a code's own speaks of a command to type. */
const remedies: { [code in Code]?: string } = {
  usage: "",
  "ledger-locked": "Wait until it has ended, then press the button again.",
  "ledger-missing": "Put it back, or restore it from a backup.",
  "stranded-file-unusable": "Correct these lines, then press the button again.",
};

/** No room, no permission, or a ledger that is away. */
const isForNow = ({ code }: RowferryError): boolean =>
  ["output-unwritable", "target-unknown"].includes(code) || code.startsWith("ledger-");

function tell(thrown: Error & { statusCode?: number }, reply: FastifyReply): FastifyReply {
  const refused = thrown instanceof z.ZodError ? 400 : (thrown.statusCode ?? 500);
  if (refused < 500)
    return reply.code(refused).send({
      message: "The console cannot read this request.",
      hint: refused === 413 ? "It is too large: send it in parts." : "Reload the page.",
    });
  const error = asRowferryError(thrown, false);
  const { code, description: message, hint: given } = error;
  // A command that was started names the target in the commands that it proposes.
  const isForTerminals = forPage(given) === forPage(codes[code].remedy) || isHelpHint(given);
  const other = given === codes[code].remedy ? given : forPage(given);
  const hint = isForTerminals ? (remedies[code] ?? other) : other;
  return reply.code(code === "unexpected" ? 500 : 409).send({ message, hint, isForNow: isForNow(error) });
}

/**
 * The largest share of the time that pages may cost during an import: they ask for everything again after each change.
 */
const SHARE_BESIDE_IMPORTS = 0.02;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Other processes write too, which shows in the write-ahead logs and in the drafts. A running import must not lose its
 * processor to this, so pages then get its progress every second, but are told to ask again only at its beginning, at
 * its end, and seldom in between.
 */
function watchLedgers(targets: Targets, judges: () => string[], now: () => number, publish: (news: News) => void) {
  let seen = { stamp: "", lives: {} as ReturnType<typeof livesOf> };
  const look = () => {
    try {
      const files = targets.names().flatMap((name) => {
        const target = targets.named(name);
        return [target.ledgerPath, `${target.ledgerPath}-wal`, draftPath(target)];
      });
      const stamp = [...files, ...judges()].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs).join();
      // A run that begins writes that into the ledger; one that ends may have been killed.
      const isQuiet = stamp === seen.stamp && working(seen) === "";
      seen = { stamp, lives: isQuiet ? {} : livesOf(targets, now()) };
    } catch {
      seen = { stamp: "", lives: {} };
    }
    return seen;
  };
  const working = ({ lives }: typeof seen) => Object.keys(lives).join();
  let last = look();
  const fresh = () => ({ at: performance.now(), used: process.cpuUsage(), pause: 0 });
  let told = fresh();
  /** What it shows by now is not news again. */
  const renew = () => {
    last = look();
    publish(null);
  };
  const watching = setInterval(() => {
    look();
    // What was asked for in the first second: later, its person clicks.
    if (told.pause === 0) {
      const { user, system } = process.cpuUsage(told.used);
      told.pause = Math.min((user + system) / 1000 / SHARE_BESIDE_IMPORTS, LONGEST_PAUSE_MS);
    }
    const isTurn = working(seen) !== working(last);
    const isBeside = !isTurn && working(seen) !== "";
    if (isBeside) publish(seen.lives);
    const isPausing = isBeside && performance.now() - told.at < told.pause;
    if (!isTurn && (isPausing || seen.stamp === last.stamp)) return;
    told = fresh();
    renew();
  }, 1000);
  return { renew, stop: () => clearInterval(watching) };
}
