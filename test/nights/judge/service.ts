/**
 * Somebody else's implementation of service.md over HTTP, with one personality (personality.ts). Keeps a record of
 * every request, so that a test can judge a client from outside. Shares nothing with Rowferry's own sandbox.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { gzipSync } from "node:zlib";
import { listening } from "../../support/listening.js";
import { chance, type Personality } from "./personality.js";
import { createCredentials, createRateLimit, type Seen } from "./record.js";
import { createRegister, isBody, type Body, type Json, Refusal, type Register } from "./register.js";
import { wordRefusal } from "./word-refusal.js";
import { createTimelines, type Doc, type Timelines } from "./timelines.js";

export interface Judge {
  nature: Personality;
  baseUrl: string;
  tokenUrl: string;
  seen: Seen[];
  register: Register;
  timelines: Timelines;
  /** Access tokens issued so far. */
  tokensIssued(): number;
  /** The service's present time, ms since 1970. */
  now(): number;
  /** Faults, latency and revocations end from here on. */
  calmDown(): void;
  close(): Promise<void>;
}

interface Reply {
  status: number;
  body: Json | undefined;
  committed: boolean;
  doc?: Doc;
}

type Fault = "errorBefore" | "errorAfter" | "dropBefore" | "dropAfter" | "halfBody" | "dropThenLate";
const faultNames: Fault[] = ["errorBefore", "errorAfter", "dropBefore", "dropAfter", "halfBody", "dropThenLate"];
const wait = (ms: number) => (ms <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms)));

/** The same, with members that nobody has heard of, and its own the other way round. */
function dressed(value: Json): Json {
  if (Array.isArray(value)) return value.map(dressed);
  if (!isBody(value) || Object.keys(value).length === 0) return value;
  const own = Object.entries(value)
    .toReversed()
    .map(([name, member]): [string, Json] => [name, dressed(member)]); // prettier-ignore
  return { __v: 0, errors: [], message: "done", links: [{ rel: "self", href: null }], ...Object.fromEntries(own) };
}

export async function startJudge(nature: Personality): Promise<Judge> {
  // Monotonic, so that the limit is exact.
  const started = Date.now() - performance.now();
  const now = () => started + performance.now() + (nature.clockOffset ?? 0);
  const limit = createRateLimit(nature.rate, nature.burst);
  const credentials = createCredentials(nature.tokenLife, nature.expiresIn, now);
  const register = createRegister(nature);
  const timelines = createTimelines(nature, register, now);
  const seen: Seen[] = [];
  const tries = new Map<string, { tries: number; faults: number }>();
  const late = new Set<NodeJS.Timeout>();
  let isCalm = false;

  function drawFault(request: Seen): Fault | null {
    if (isCalm) return null;
    const { faults } = nature;
    const isCreate = request.path === "/documents" || isBody(request.body?.["document"]);
    if (request.method === "GET" ? !faults.reads : false) return null;
    if (request.method === "POST" && request.path.startsWith("/participants") && !faults.registrations) return null;
    if (isCreate && !faults.creates) return null;
    const name = `${nature.seed} ${request.method} ${request.path} ${request.query} ${JSON.stringify(request.body)}`;
    const entry = tries.get(name) ?? { tries: 0, faults: 0 };
    tries.set(name, entry);
    entry.tries++;
    if (entry.faults >= faults.mostPerRequest) return null;
    let drawn = chance(`${name} ${entry.tries}`);
    for (const fault of faultNames) {
      drawn -= faults[fault];
      if (drawn < 0) {
        entry.faults++;
        return fault;
      }
    }
    return null;
  }

  function route(request: Seen): Reply {
    const { method, path, body } = request;
    const parts = path.split("/").slice(1).map(decodeURIComponent);
    const [first, second, third] = parts;
    const created = (reply: Body, doc?: Doc): Reply => ({
      status: nature.created,
      body: reply,
      committed: true,
      ...(doc === undefined ? {} : { doc }),
    });
    const read = (found: Json | undefined, status = 200): Reply => ({ status, body: found, committed: false });
    if (method === "POST" && body === null) throw new Refusal(400, "VALIDATION_ERROR", "A JSON object is required");
    const posted = body ?? {};
    if (path === "/participants" && method === "POST") {
      const { id } = register.createParticipant(posted);
      return created({ id, snapshotId: `s-${id}` });
    }
    if (path === "/participants" && method === "GET") {
      const found = register.lookup(new URLSearchParams(request.query));
      if (found === null) return missed();
      const whole = { id: found.id, ...found.data, businessName: null };
      return read(nature.miss === "others" ? [...others(found.id), whole] : whole);
    }
    if (first === "participants" && second !== undefined) {
      const { id, data } = register.participant(second);
      if (third === undefined && method === "GET") return read({ id, ...data });
      if (third === "addresses" && method === "POST") {
        const made = register.createAddress(id, posted);
        return created({ id: made.id, snapshotId: `s-${made.id}`, geography: geography(made.data) });
      }
      if (third === "addresses" && method === "GET")
        return read(
          register.addresses
            .filter(({ participantId }) => participantId === id)
            .map((one) => ({ ...one.data, id: one.id, participantId: id, geography: geography(one.data) })),
        );
    }
    if (path === "/documents" && method === "POST") {
      if (nature.shell === "absent-404") throw new Refusal(404, "NOT_FOUND", "Cannot POST /documents");
      if (nature.shell === "absent-405") throw new Refusal(405, "METHOD_NOT_ALLOWED", "Method not allowed");
      const doc = timelines.createAlone(posted);
      return created({ [nature.createId]: doc.id }, doc);
    }
    const single = first === "documents" && third === "events" && parts.length === 3 && method === "POST";
    if (single || (path === "/documents/events" && method === "POST")) {
      const {
        doc,
        created: isNew,
        results,
      } = timelines.append(single ? { documentId: second ?? "", events: [posted] } : posted);
      if (isNew && chance(`${nature.seed} pending ${doc.id}`) < nature.faults.pending)
        doc.pendingUntil = now() + nature.faults.pendingMs;
      const events = results.map(({ eventId, target }) => {
        if (target !== null && nature.batchAnswer !== "no-target") target.told = true;
        return {
          eventId,
          ...(target === null || nature.batchAnswer === "no-target" ? {} : { targetDocumentId: target.id }),
        };
      });
      const id = { [isNew ? nature.createId : "documentId"]: doc.id };
      if (single) return created({ ...id, ...events[0] }, doc);
      return created({ ...id, ...(nature.batchAnswer === "no-events" ? {} : { events }) }, doc);
    }
    if (first === "documents" && second !== undefined && third === undefined && method === "GET") {
      const doc = timelines.docs.find(({ id }) => id === second);
      if (doc === undefined) throw new Refusal(404, "NOT_FOUND", "Document not found");
      return read({ id: doc.id, externalId: doc.externalId });
    }
    throw new Refusal(404, "NOT_FOUND", `Cannot ${method} ${path}`);
  }

  /** A search rather than a lookup: whoever was registered lately comes along. */
  const others = (but = ""): Json[] =>
    register.participants
      .filter(({ id }) => id !== but)
      .slice(-3)
      .map(({ id, data }) => ({ id, ...data })); // prettier-ignore

  function missed(): Reply {
    if (nature.miss === "404") throw new Refusal(404, "NOT_FOUND", "Participant not found");
    if (nature.miss === "others") return { status: 200, body: others(), committed: false };
    if (nature.miss === "204") return { status: 204, body: undefined, committed: false };
    const bodies = { empty: undefined, null: null, list: [], object: {} };
    return { status: 200, body: bodies[nature.miss], committed: false };
  }

  function geography({ countryCode, city, countryState }: Body): Body {
    const resolvedAt = new Date(now()).toISOString();
    const [country, name, code] = [countryCode, city, countryState].map((value) => value ?? "");
    const municipality = { code: "1", name: name ?? "", subdivisionCode: code ?? "" };
    return { status: "OK", countryCode: country ?? "", resolvedAt, municipality, candidates: [] };
  }

  function finish(response: ServerResponse, request: Seen, status: number, type: string, text: string, half = false) {
    request.status = status;
    if (nature.clockOffset === null) response.sendDate = false;
    else response.setHeader("date", new Date(now()).toUTCString());
    response.setHeader(nature.requestIdHeader, `req-${request.number}`);
    let body = Buffer.from(text);
    if (status !== 204 && body.length > 0) response.setHeader("content-type", type);
    if (nature.wire === "closing") response.setHeader("connection", "close");
    if (nature.wire === "gzip" && status !== 204 && body.length > 0) {
      response.setHeader("content-encoding", "gzip");
      body = gzipSync(body);
    }
    if (half) {
      response.writeHead(status, { "content-length": body.length });
      response.write(body.subarray(0, Math.floor(body.length / 2)), () => setTimeout(() => response.destroy(), 5));
      return;
    }
    response.on("finish", () => {
      request.delivered = true;
    });
    if (nature.wire === "chunked" && status !== 204) {
      response.writeEarlyHints({ link: "</style.css>; rel=preload" });
      response.writeHead(status);
      for (let at = 0; at < body.length; at += 7) response.write(body.subarray(at, at + 7));
      return void response.end();
    }
    response.writeHead(status);
    response.end(status === 204 ? undefined : body);
  }

  function gatewayError(response: ServerResponse, request: Seen) {
    const status = [500, 502, 503, 504][Math.floor(chance(`${request.number} status`) * 4)] ?? 500;
    request.code = "GATEWAY";
    if (status === 500)
      return finish(response, request, 500, "application/json", '{"errors":[{"code":"INTERNAL","id":"1"}]}');
    finish(
      response,
      request,
      status,
      "text/html",
      `<html><head><title>${status}</title></head><body>Bad gateway</body></html>`,
    );
  }

  /** Carries the request out; a refusal is an answer like another. */
  function carryOut(request: Seen): { status: number; type: string; text: string; doc?: Doc | undefined } {
    try {
      const { status, body, committed, doc } = route(request);
      request.committed = committed;
      return {
        status,
        type: "application/json",
        text: body === undefined ? "" : JSON.stringify(nature.extras ? dressed(body) : body),
        doc,
      };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      request.code = error.code;
      request.message = error.message;
      return { status: error.status, ...wordRefusal(error, nature.errors, `err-${request.number}`, now()) };
    }
  }

  async function answer(request: Seen, text: string, header: string | undefined, response: ServerResponse) {
    if (!limit.admits(request.at)) {
      if (nature.retryAfter !== null) response.setHeader("retry-after", String(nature.retryAfter));
      request.code = "TOO_MANY";
      return finish(response, request, 429, "application/json", '{"message":"Too Many Requests"}');
    }
    const [least, most] = isCalm ? [0, 0] : nature.latency;
    const latency = least + (most - least) * chance(`${nature.seed} latency ${request.number}`);
    await wait(latency / 2);
    const { revokeEvery, revokeAt } = nature;
    const isRevoked = request.number === revokeAt || (revokeEvery !== null && request.number % revokeEvery === 0);
    if (!isCalm && isRevoked) credentials.revokeAll();
    const refused = credentials.check(header);
    if (refused !== null) {
      request.code = refused;
      const message =
        refused === "missing" ? "Unauthorized" : "User is not authorized to access this resource with an explicit deny";
      return finish(
        response,
        request,
        refused === "missing" ? 401 : 403,
        "application/json",
        `{"Message":"${message}"}`,
      );
    }
    if (nature.maxBytes !== null && Buffer.byteLength(text) > nature.maxBytes)
      return finish(response, request, 413, "text/html", "<html><h1>413 Request Entity Too Large</h1></html>");
    const fault = drawFault(request);
    request.fault = fault;
    if (fault === "errorBefore") return gatewayError(response, request);
    if (fault === "dropBefore") return void response.destroy();
    if (fault === "dropThenLate") {
      const timer = setTimeout(() => {
        late.delete(timer);
        carryOut(request);
      }, nature.faults.lateMs);
      late.add(timer);
      return void response.destroy();
    }
    const { status, type, text: said, doc } = carryOut(request);
    await wait(latency / 2);
    if (fault === "dropAfter") return void response.destroy();
    if (fault === "errorAfter" && request.committed) return gatewayError(response, request);
    const half = fault === "halfBody" && said !== "";
    if (doc !== undefined && !half) doc.told = true;
    finish(response, request, status, type, said, half);
  }

  async function receive(incoming: IncomingMessage, response: ServerResponse) {
    const at = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const [path = "", query = ""] = (incoming.url ?? "").split("?", 2);
    if (path === "/oauth/token") {
      await wait(nature.tokenLatency);
      response.writeHead(200, { "content-type": "application/json" });
      return void response.end(JSON.stringify(credentials.issue()));
    }
    let body: Json | undefined;
    try {
      body = text === "" ? undefined : (JSON.parse(text) as Json);
    } catch {
      body = undefined;
    }
    const request: Seen = {
      number: seen.length + 1,
      at,
      method: incoming.method ?? "",
      path: path.replace(/^\/v1/, ""),
      query,
      body: isBody(body) ? body : null,
      status: null,
      code: null,
      message: null,
      fault: null,
      committed: false,
      delivered: false,
    };
    seen.push(request);
    await answer(request, text, incoming.headers.authorization, response);
  }

  const idle = new Map<Socket, NodeJS.Timeout>();
  const server = createServer((incoming, response) => {
    const { socket } = incoming;
    clearTimeout(idle.get(socket));
    response.on("close", () => {
      if (nature.idleClose !== null)
        idle.set(
          socket,
          setTimeout(() => socket.destroy(), nature.idleClose),
        );
    });
    receive(incoming, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 0;
  const origin = `http://127.0.0.1:${await listening(server)}`;
  return {
    nature,
    baseUrl: `${origin}/v1`,
    tokenUrl: `${origin}/oauth/token`,
    seen,
    register,
    timelines,
    tokensIssued: () => credentials.issued,
    now,
    calmDown() {
      isCalm = true;
    },
    async close() {
      for (const timer of [...late, ...idle.values()]) clearTimeout(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
