/** An installation for each test of a file: a folder, a ledger, a service with a note of all that arrives, and the built program. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/index.js";
import {
  endProcesses,
  type Ended,
  manifests,
  type ProcessOptions,
  type Rowferry,
  serviceEnv,
  startRowferry,
} from "./processes.js";
import { listening } from "../support/listening.js";
import { type Arrival, watch } from "../support/submit/exact-bucket.js";
import { expectWhole, undisturbedTimelines } from "./timelines.js";

/** A sandbox behind a server that notes every body as it arrives, whatever becomes of the answer. */
export interface Door {
  sandbox: Sandbox;
  baseUrl: string;
  tokenUrl: string;
  /** Requests other than for a token. */
  arrivals: Arrival[];
  /** What answers in the service's place, every request alike; null: nothing. */
  inFront: { status: number; headers: Record<string, string>; body: string } | null;
  /** Whether a request with this deduplicationId in its body has arrived. */
  hasSeen(key: string): boolean;
  close(): Promise<void>;
}

/** `answerAfterMs`: how long each answer takes. */
export async function openDoor(options: SandboxOptions, answerAfterMs = 50): Promise<Door> {
  const sandbox = createSandbox(options);
  const arrivals: Arrival[] = [];
  const clock = watch();
  const keys = new Set<string>();
  /** What waits in a new connection came when the connection did, however late a busy process reads it. */
  const opened = new WeakMap<Socket, Arrival>();
  const server = createServer((request, response) => {
    const { since } = opened.get(request.socket) ?? clock.note();
    opened.delete(request.socket);
    const arrival = { since, at: Date.now() };
    void (async () => {
      const body = await text(request).catch(() => null);
      if (body === null) return;
      const path = request.url ?? "";
      if (!path.startsWith("/oauth")) arrivals.push(arrival);
      for (const [, key = ""] of body.matchAll(/"deduplicationId":"([^"]+)"/g)) keys.add(key);
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const method = request.method ?? "GET";
      const carriedOut = () => sandbox.inject({ method, path, headers, ...(body === "" ? {} : { body }) });
      const reply = door.inFront ?? (await carriedOut());
      setTimeout(() => response.writeHead(reply.status, reply.headers).end(reply.body), answerAfterMs);
    })();
  });
  server.on("connection", (socket: Socket) => opened.set(socket, clock.note()));
  const url = `http://127.0.0.1:${await listening(server)}`;
  const door: Door = {
    sandbox,
    baseUrl: url,
    tokenUrl: `${url}/oauth/token`,
    arrivals,
    inFront: null,
    hasSeen: (key) => keys.has(key),
    async close() {
      clock.stop();
      server.closeAllConnections();
      server.close();
      await sandbox.close();
    },
  };
  return door;
}

/** The service's own limit, kept by both sides. */
export const REAL = { ROWFERRY_RATE: "20", ROWFERRY_BURST: "30" };

export class Installation {
  readonly folder = mkdtempSync(join(tmpdir(), "rowferry-installed-"));
  readonly ledger: string;
  readonly door: Door;
  readonly env: Record<string, string>;
  readonly preload: string[];

  constructor(door: Door, { ledger = "ledger.db", env = {}, preload = [] }: InstallOptions) {
    this.door = door;
    this.ledger = join(this.folder, ledger);
    this.env = { ...serviceEnv(door, this.ledger), ...env };
    this.preload = preload;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  get sandbox(): Sandbox {
    return this.door.sandbox;
  }

  requests(): number {
    return this.sandbox.store.statistics().requests;
  }

  start(args: readonly string[], more: Partial<ProcessOptions> = {}): Rowferry {
    const env = { ...this.env, ...more.env };
    return startRowferry(args, { cwd: this.folder, preload: this.preload, ...more, env });
  }

  run(args: readonly string[], more: Partial<ProcessOptions> = {}): Promise<Ended> {
    return this.start(args, more).ended;
  }

  /** Imports the manifests of the examples. */
  import(more: Partial<ProcessOptions> = {}, ...flags: string[]): Promise<Ended> {
    return this.run(["import", ...flags, ...manifests], more);
  }

  /** As `run`, with this done to the program once the service has seen so many requests. */
  async runUntil(requests: number, end: (rowferry: Rowferry) => void, args: string[]): Promise<Ended> {
    const started = this.start(args);
    const isRunning = () => started.child.exitCode === null;
    while (isRunning() && this.requests() < requests) await wait(1);
    if (isRunning()) end(started);
    return started.ended;
  }

  /** As an undisturbed run leaves them, but for what waits for a person. @returns how many documents are stranded */
  async expectWhole({ code, stderr }: Pick<Ended, "code" | "stderr">): Promise<number> {
    return expectWhole(code, this.sandbox, this.ledger, await undisturbedTimelines(), stderr);
  }
}

export interface InstallOptions {
  /** Path of the ledger in the folder. */
  ledger?: string;
  service?: SandboxOptions;
  answerAfterMs?: number;
  env?: Record<string, string>;
  /** Modules loaded before the program. */
  preload?: string[];
}

export async function newInstallation(options: InstallOptions = {}): Promise<Installation> {
  return new Installation(await openDoor(options.service ?? { rate: null }, options.answerAfterMs ?? 0), options);
}

export async function removeInstallation({ door, folder }: Installation): Promise<void> {
  await door.close();
  rmSync(folder, { recursive: true, force: true });
}

/** One for each test of the file that calls this. Real processes take their time on a busy machine. */
export function installed(options: InstallOptions = {}): () => Installation {
  vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });
  let installation: Installation;
  beforeEach(async () => {
    installation = await newInstallation(options);
  });
  afterEach(() => removeInstallation(installation));
  afterAll(endProcesses);
  return () => installation;
}
