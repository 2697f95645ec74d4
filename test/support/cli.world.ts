/** A world for in-process tests of the command line: an empty folder, collected output, a clock that stands still. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { main } from "../../src/cli/main.js";
import type { Pipeline } from "../../src/cli/pipeline.js";
import { checkedLines } from "./json-lines.js";
import type { SignalName, Stream, World } from "../../src/cli/world.js";

export interface CollectedStream extends Stream {
  text: string;
  columns: number | null;
  isTTY: boolean;
}

export function collectedStream(isTTY = false, columns: number | null = null): CollectedStream {
  return {
    text: "",
    isTTY,
    columns,
    write(text) {
      this.text += text;
    },
  };
}

/** An empty folder with the given files, removed after the test. */
export function folder(files: { [path: string]: string } = {}): string {
  const path = mkdtempSync(join(tmpdir(), "rowferry-cli-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    // Owner-only, as a secret must be.
    writeFileSync(join(path, name), content, { mode: 0o600 });
  }
  return path;
}

export interface TestWorld extends World {
  stdout: CollectedStream;
  stderr: CollectedStream;
  /** What was written to them. */
  readonly out: string;
  readonly err: string;
  now: number;
  exits: number[];
  /** Delivers a signal. */
  send: (name: SignalName) => void;
}

const missing = () => Promise.reject(new Error("not part of this test"));

export function testWorld(
  options: { files?: { [path: string]: string }; env?: World["env"]; pipeline?: Partial<Pipeline> } = {},
): TestWorld {
  const listeners = new Set<(name: SignalName) => void>();
  const world: TestWorld = {
    env: options.env ?? {},
    cwd: folder(options.files),
    stdout: collectedStream(),
    stderr: collectedStream(),
    get out() {
      return world.stdout.text;
    },
    get err() {
      return world.stderr.text;
    },
    now: Date.UTC(2026, 10, 20, 2, 0),
    exits: [],
    clock: { now: () => world.now, sleep: () => Promise.resolve() },
    random: () => 0.5,
    pipeline: {
      runImport: missing,
      runResume: missing,
      planImport: missing,
      readStatus: missing,
      ...options.pipeline,
    },
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exitNow: (code) => world.exits.push(code),
    send: (name) => {
      for (const listener of listeners) listener(name);
    },
  };
  return world;
}

/**
 * Runs a command line in a world; all that stood on the line, and the exit code. `import`, `plan` and `watch` find files in
 * the world's folder, where a process would find them in its own. With --json every line is held to its schema.
 */
export async function type(world: TestWorld, ...argv: string[]): Promise<number> {
  const isFile = (word: string) => word !== "" && existsSync(join(world.cwd, word));
  const readsHere = ["import", "plan", "watch"].includes(argv[0] ?? "");
  const words = argv.map((word) => (readsHere && isFile(word) ? join(world.cwd, word) : word));
  const code = await main(words, world);
  if (argv.includes("--json")) checkedLines(world.stdout.text);
  return code;
}

export interface Typed {
  code: number;
  out: string;
  err: string;
  /** Both, each run of white space a blank. */
  said: string;
}

/** The same, with what it has printed. */
export async function typed(world: TestWorld, ...argv: string[]): Promise<Typed> {
  world.stdout.text = "";
  world.stderr.text = "";
  const code = await type(world, ...argv);
  return { code, out: world.out, err: world.err, said: `${world.out} ${world.err}`.replaceAll(/\s+/g, " ") };
}

/** The lines of what a command prints with `--json`. */
export async function jsonOf(
  world: TestWorld,
  ...argv: string[]
): Promise<{ type: string; [member: string]: unknown }[]> {
  const { out } = await typed(world, ...argv, "--json");
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
}

/** The environment of a target that is a sandbox on loopback. */
export const sandboxEnv = ({ baseUrl, tokenUrl }: { baseUrl: string; tokenUrl: string }) => ({
  ROWFERRY_BASE_URL: baseUrl,
  ROWFERRY_TOKEN_URL: tokenUrl,
  ROWFERRY_CLIENT_ID: "sandbox",
  ROWFERRY_CLIENT_SECRET: "sandbox",
});

/** Waiting takes the time that it takes, without anybody waiting. */
export function hurried(world: TestWorld): void {
  world.clock = { now: () => world.now, sleep: async (ms) => void (world.now += Math.ceil(ms)) };
}
