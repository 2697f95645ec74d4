/** Real processes of the program as it is installed, for tests that kill, starve or restart them. All on loopback. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

let cli: string | null = null;
let built: string | null = null;
const running = new Set<ChildProcess>();

/** After the last test: a test that ran out of time leaves its processes behind. Safe to call twice. */
export function endProcesses(): void {
  for (const child of running) child.kill("SIGKILL");
  if (built !== null) rmSync(built, { recursive: true, force: true });
  cli = null;
  built = null;
}

function watched<Child extends ChildProcess>(child: Child): Child {
  running.add(child);
  child.on("exit", () => running.delete(child));
  return child;
}

/** Built once a test file: a TypeScript loader in every process would cost more than what the tests are about. */
function program(): string {
  if (cli !== null) return cli;
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "rowferry-processes-"));
  // Also for processes of another user.
  chmodSync(folder, 0o755);
  built = folder;
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const options = ["-p", join(root, "tsconfig.build.json"), "--noCheck", "--declaration", "false"];
  const compiled = spawnSync(process.execPath, [compiler, ...options, "--outDir", join(folder, "dist")], {
    encoding: "utf8",
  });
  if (compiled.status !== 0) throw new Error(`The program could not be built: ${compiled.stdout}`);
  copyFileSync(join(root, "package.json"), join(folder, "package.json"));
  const page = [join(root, "scripts", "build-console.mjs"), join(folder, "dist")];
  const bundled = spawnSync(process.execPath, page, { cwd: root, encoding: "utf8" });
  if (bundled.status !== 0) throw new Error(`The console's page could not be built: ${bundled.stderr}`);
  cli = join(folder, "dist", "cli", "rowferry.js");
  return cli;
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

export interface ProcessOptions {
  cwd: string;
  env: Record<string, string>;
  /** Modules loaded before the program. */
  preload?: string[];
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
  const command = [process.execPath, ...imports, program(), ...args];
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
