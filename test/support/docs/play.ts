/** Plays a document's steps in an empty folder: `rowferry` in this process, everything else in bash. */
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../../../src/cli/main.js";
import { pipeline } from "../../../src/cli/pipeline.js";
import type { SignalName, World } from "../../../src/cli/world.js";
import { createSandbox, type FaultRule, type Sandbox, seededRandom } from "../../../src/sandbox/index.js";
import { RushingClock } from "./rushing-clock.js";
import type { Stage, Step } from "./transcript.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const shownFolder = "/home/ana/imports";
const shownService = "http://127.0.0.1:4010";
/** Lines of progress stand in a pipe and are redrawn on a terminal; documents leave them out. */
const progressLine = /^((reading|planning|participants|addresses|events)\b( {2}.*)?|documents( {2}[\d,]+\/[\d,]+.*)?)$/;

export interface Player {
  /** Gives what a command printed, as the document would show it; "" for other steps. */
  play(step: Step): Promise<string>;
  close(): Promise<void>;
}

export function createPlayer(): Player {
  const cwd = mkdtempSync(join(tmpdir(), "rowferry-docs-"));
  const clock = new RushingClock(Date.parse("2025-11-20T02:00:00Z"));
  const env: { [name: string]: string } = { PATH: process.env["PATH"] ?? "", HOME: cwd, TZ: "UTC" };
  // Runs keep who began them.
  process.env["LOGNAME"] = "ana";
  let service: { sandbox: Sandbox; url: string } | null = null;
  let lastCode = 0;
  let background: { done: Promise<void>; text: () => string; interrupt: (name: SignalName) => void } | null = null;

  const actual = (text: string) =>
    service === null ? text : text.replaceAll(shownService, service.url).replaceAll(shownFolder, cwd);
  const shown = (text: string) => {
    const withFolder = text.replaceAll(`/private${cwd}`, shownFolder).replaceAll(cwd, shownFolder);
    return withFolder.replace(/http:\/\/127\.0\.0\.1:\d+/g, shownService);
  };

  async function set(stage: Stage) {
    if (stage.at !== undefined) clock.set(Date.parse(stage.at));
    if (stage.service !== undefined) {
      await service?.sandbox.close();
      const storage = { file: join(cwd, ".service.db") };
      const sandbox = createSandbox({ clock, random: seededRandom(1), storage, ...stage.service });
      service = { sandbox, url: (await sandbox.listen({ port: 0 })).baseUrl };
    }
    if (stage.faults !== undefined) service?.sandbox.setFaults(stage.faults as FaultRule[]);
    Object.assign(env, stage.env);
    for (const [from, to] of Object.entries(stage.copy ?? {})) {
      mkdirSync(dirname(join(cwd, to)), { recursive: true });
      cpSync(join(root, from), join(cwd, to), { recursive: true });
    }
    if (stage.run !== undefined) await typed(stage.run);
  }

  function shell(line: string, input: string) {
    const { stdout, stderr, status } = spawnSync("bash", ["-c", actual(line)], { cwd, env: variables(), input });
    lastCode = status ?? 1;
    return `${stdout.toString()}${stderr.toString()}`;
  }

  function variables() {
    return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, actual(value)]));
  }

  /** One `rowferry` command line, with `> file`, `>> file`, `| command` and `&` at its end. */
  async function rowferry(line: string) {
    const [, own = line, operator = "", rest = ""] = /^(.*?)\s*(?:(\||>>?|&)\s*([^|>&]*))?$/s.exec(line) ?? [];
    let stdout = "";
    let all = "";
    let interrupt: (name: SignalName) => void = () => {};
    const separate = operator === ">" || operator === ">>" || operator === "|";
    const { assignments, argv } = words(actual(own));
    const world: World = {
      env: { ...variables(), ...assignments },
      cwd,
      stdout: stream((text) => {
        stdout += text;
        if (!separate) all += text;
      }),
      stderr: stream((text) => (all += withoutProgress(text))),
      clock,
      random: seededRandom(7),
      pipeline,
      onSignal: (listener) => {
        interrupt = listener;
        return () => {};
      },
      exitNow: () => {},
    };
    // Paths of files are taken as the process sees them.
    process.chdir(cwd);
    const work = main(argv.slice(1), world);
    if (operator === "&") {
      clock.hold(true);
      await underWay();
      background = {
        done: work.then((code) => {
          lastCode = code;
          process.chdir(root);
        }),
        text: () => all,
        interrupt: (name) => interrupt(name),
      };
      return "";
    }
    lastCode = await work;
    if (background === null) process.chdir(root);
    if (operator === "|") return all + shell(rest, stdout);
    if (operator === ">") writeFileSync(join(cwd, rest.trim()), stdout);
    if (operator === ">>") appendFileSync(join(cwd, rest.trim()), stdout);
    return all;
  }

  /** Until the service has given a token and been asked for something more. */
  async function underWay() {
    for (let turn = 0; turn < 2000 && (service?.sandbox.store.statistics().requests ?? 1) < 1; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }

  async function wait(signal: SignalName | null) {
    if (background === null) return "";
    const { done, text, interrupt } = background;
    if (signal !== null) interrupt(signal);
    clock.hold(false);
    await done;
    background = null;
    return text();
  }

  async function typed(line: string) {
    if (line === "echo $?") return `${lastCode}\n`;
    if (line === "wait") return wait(null);
    if (line === "kill -INT %1") return wait("SIGINT");
    if (/^(npx |\w+=\S* )*rowferry( |$)/.test(line)) return rowferry(line.replace(/^npx |\\\n\s*/g, ""));
    return shell(line, "");
  }

  return {
    async play(step) {
      if (step.kind === "stage") await set(step.stage);
      else if (step.kind === "file") {
        mkdirSync(dirname(join(cwd, step.name)), { recursive: true });
        writeFileSync(join(cwd, step.name), actual(step.text), { flag: step.append ? "a" : "w" });
      } else return shown(await typed(step.command));
      return "";
    },
    async close() {
      await wait("SIGINT");
      process.chdir(root);
      await service?.sandbox.close();
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

function stream(write: (text: string) => void) {
  return { write, isTTY: false, columns: 80 };
}

function withoutProgress(text: string) {
  return text
    .split(/(?<=\n)/)
    .filter((line) => !progressLine.test(line.trimEnd()))
    .join("");
}

/** Words of a command line: quotes as a shell takes them, patterns left to the program. */
function words(line: string) {
  const found = [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single: string | undefined, double: string | undefined) => {
      return single ?? double ?? "";
    }),
  );
  const first = found.findIndex((word) => !/^\w+=/.test(word));
  const assignments = Object.fromEntries(
    found.slice(0, first).map((word) => {
      const at = word.indexOf("=");
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
  return { assignments, argv: found.slice(first) };
}

export function readDocument(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

export function writeDocument(path: string, text: string): void {
  writeFileSync(join(root, path), text);
}
