/** Real processes of the program as it is installed, for tests that kill, starve or restart them. All on loopback. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { globSync } from "tinyglobby";

export const root = fileURLToPath(new URL("../..", import.meta.url));

let cli: string | null = null;
const running = new Set<ChildProcess>();

/** After the last test: a test that ran out of time leaves its processes behind. Safe to call twice. */
export function endProcesses(): void {
  for (const child of running) child.kill("SIGKILL");
}

function watched<Child extends ChildProcess>(child: Child) {
  running.add(child);
  child.on("exit", () => running.delete(child));
  return child;
}

/**
 * The built command. A TypeScript loader in every process would cost more than what the tests are about, so src is
 * built once, in a folder named after what it holds: whoever comes next with the same src uses the same build.
 */
export function program(): string {
  cli ??= join(built(), "dist", "cli", "rowferry.js");
  return cli;
}

function built() {
  const cache = join(root, "node_modules", ".cache", "rowferry-built");
  const folder = join(cache, contentOfSrc());
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache)) {
    const isOld = Date.now() - statSync(join(cache, name)).mtimeMs > 3_600_000;
    if (isOld) rmSync(join(cache, name), { recursive: true, force: true });
  }
  const making = mkdtempSync(join(cache, "making-"));
  // Also for processes of another user.
  chmodSync(making, 0o755);
  const node = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(`The program could not be built: ${stdout}${stderr}`);
  };
  const options = ["-p", "tsconfig.build.json", "--noCheck", "--declaration", "false"];
  node("node_modules/typescript/bin/tsc", ...options, "--outDir", join(making, "dist"));
  node("scripts/build-console.mjs", join(making, "dist"));
  copyFileSync(join(root, "package.json"), join(making, "package.json"));
  cpSync(join(root, "examples", "settings"), join(making, "examples", "settings"), { recursive: true });
  try {
    renameSync(making, folder);
  } catch (error) {
    // Another worker was quicker.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function contentOfSrc() {
  const hash = createHash("sha256");
  const files = globSync(
    ["src/**", "package.json", "tsconfig*.json", "scripts/build-console.mjs", "examples/settings/*"],
    { cwd: root },
  );
  for (const path of files.toSorted()) hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest("hex").slice(0, 16);
}

/** The manifests of the examples: 66 documents, some 180 requests. */
export const manifests = ["mappings/manifests.yaml", "fixtures/manifests/manifests-2025-09.csv"].map((path) =>
  join(root, path),
);

/**
 * A module to load before the program: its waits of some seconds (the look after doubt, between tries) take 50 ms.
 * The sandbox has committed when it answers, so nothing is learnt by waiting; timeouts are longer, and stay as they are.
 */
export const shortWaits = `data:text/javascript,${encodeURIComponent(`
  const real = globalThis.setTimeout;
  globalThis.setTimeout = Object.defineProperties(
    (done, ms, ...given) => real(done, ms >= 1_000 && ms < 10_000 ? 50 : ms, ...given),
    Object.getOwnPropertyDescriptors(real),
  );`)}`;

/** A module to load before the program, in that process only: its clock is ahead by so many ms, or behind. */
export const clockAhead = (ms: number): string =>
  `data:text/javascript,${encodeURIComponent(`
    const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...given) { if (given.length === 0) super(Real.now() + ${ms}); else super(...given); }
      static now() { return Real.now() + ${ms}; }
    };`)}`;

/** Where a process is killed between two durable steps, as a power cut would: in which file, after or before which text. */
const killPoints = {
  /** Rows are staged, the transaction has not been committed. */
  "before-staging-commits": ["run/import.js", "before", /return inputs;/],
  /** Staged and committed; nothing has been planned. */
  "after-staging-committed": ["run/import.js", "after", /unstaged = false;(?=\s*\})/],
  /** The plan's states are written; nothing has been sent. */
  "after-planning": ["run/submit.js", "before", /const \{ held, deferred \} = events;/],
  /** The journal has an entry; the ledger's transaction that it goes before has not been committed. */
  "after-journal": ["ledger/journal/journal.js", "after", /write\(entries\.map\([^;]*;/],
  /** A request's intent is durable; the request has not left. */
  "after-intent": ["run/session.js", "before", /return request !== null;/],
  /** The answer is in hand; its outcome has not been written. */
  "before-outcome": ["ledger/requests.js", "before", /outcome\(writer\);/],
  /** The outcome is durable. */
  "after-outcome": ["ledger/requests.js", "after", /journal\?\.write\(entries\.end\(id, now\)\);\s*\}\);/],
  /** Everything is sent; the run's files have not been written. */
  "before-run-files": ["run/import.js", "before", /const summary = summarise\(/],
  /** The run's files are written; the run has not been finished in the ledger. */
  "after-run-files": ["run/import.js", "after", /await writeRunFiles\([^;]*;/],
} as const;

export type KillPoint = keyof typeof killPoints;
export const allKillPoints = Object.keys(killPoints) as KillPoint[];

/** A build of the program that dies when it comes to that point for the nth time. */
export function killedAt(point: KillPoint, nth = 1): string {
  const [file, side, text] = killPoints[point];
  const folder = join(built(), `killed-${point}-${nth}`);
  if (!existsSync(folder)) {
    const making = mkdtempSync(join(built(), "making-"));
    cpSync(join(built(), "dist"), making, { recursive: true });
    const source = readFileSync(join(making, file), "utf8");
    const die = `globalThis.timesHere = (globalThis.timesHere ?? 0) + 1; if (globalThis.timesHere === ${nth}) process.kill(process.pid, "SIGKILL");`;
    const patched = source.replace(text, (found) => (side === "before" ? die + found : found + die));
    if (patched === source) throw new Error(`There is no ${text.source} in ${file}.`);
    writeFileSync(join(making, file), patched);
    chmodSync(making, 0o755);
    renameSync(making, folder);
  }
  return join(folder, "cli", "rowferry.js");
}

export interface ProcessOptions {
  cwd: string;
  env: Record<string, string>;
  /** Modules loaded before the program. */
  preload?: string[];
  /** A build of it that differs. */
  program?: string;
  /** `ulimit -f`: no file may grow beyond so many blocks of 1 KiB. */
  fileBlocks?: number;
  /** What a shell does before it becomes the program: redirections, say. */
  shell?: string;
  /** User and group, when the test runs as root. */
  user?: number | undefined;
}

export interface Ended {
  /** Null: it was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Rowferry {
  child: ChildProcess;
  ended: Promise<Ended>;
}

/** Starts the program; `ended` settles when it has ended and all its output is in. */
export function startRowferry(args: readonly string[], options: ProcessOptions): Rowferry {
  const imports = (options.preload ?? []).flatMap((module) => ["--import", module]);
  const command = [process.execPath, ...imports, options.program ?? program(), ...args];
  const limit = options.fileBlocks === undefined ? "" : `ulimit -f ${options.fileBlocks}; trap '' XFSZ`;
  const before = [limit, options.shell ?? ""].filter((part) => part !== "").join("; ");
  const [executable = "", ...rest] =
    before === "" ? command : ["bash", "-c", `${before}; exec "$@"`, "bash", ...command];
  const child = watched(
    spawn(executable, rest, {
      cwd: options.cwd,
      env: { PATH: process.env["PATH"] ?? "", ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      ...(options.user === undefined ? {} : { uid: options.user, gid: options.user }),
    }),
  );
  const text = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (chunk: string) => void (text[stream] += chunk));
  }
  return { child, ended: once(child, "close").then(([code]) => ({ code: code as number | null, ...text })) };
}

export function rowferry(args: readonly string[], options: ProcessOptions): Promise<Ended> {
  return startRowferry(args, options).ended;
}

export interface SandboxProcess {
  baseUrl: string;
  tokenUrl: string;
  controlUrl: string;
  port: number;
  /** Ends it, with SIGTERM unless told; settles when it is gone. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/** A `rowferry sandbox` of its own. @throws Error with its stderr when it does not start */
export async function startSandbox(args: readonly string[], cwd: string): Promise<SandboxProcess> {
  const child = watched(
    spawn(process.execPath, [program(), "sandbox", "--json", ...args], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "" },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
  const exited = once(child, "exit");
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => void (complaint += chunk));
  const lines = createInterface({ input: child.stdout });
  const first = once(lines, "line") as Promise<[string]>;
  const line = await Promise.race([first, exited.then(() => null)]);
  if (line === null) throw new Error(`The sandbox did not start: ${complaint}`);
  const address = JSON.parse(line[0]) as { baseUrl: string; tokenUrl: string; controlUrl: string };
  return {
    ...address,
    port: Number(new URL(address.baseUrl).port),
    async stop(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
}

/** What a process needs to find that service and a ledger of its own. */
export function serviceEnv(service: { baseUrl: string; tokenUrl: string }, ledgerPath: string): Record<string, string> {
  return {
    ROWFERRY_BASE_URL: service.baseUrl,
    ROWFERRY_TOKEN_URL: service.tokenUrl,
    ROWFERRY_CLIENT_ID: "sandbox",
    ROWFERRY_CLIENT_SECRET: "sandbox",
    ROWFERRY_LEDGER: ledgerPath,
    ROWFERRY_RATE: "400",
    ROWFERRY_BURST: "40",
  };
}
