/** A console over a folder in which something was imported, as a process of its own, and ways to speak with it. */
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { createInterface } from "node:readline";
import type { Ended } from "../processes/processes.js";
import { root, startRowferry } from "../processes/processes.js";
import { main } from "../../src/cli/main.js";
import { processWorld } from "../../src/cli/world.js";
import { collectedStream } from "../support/cli.world.js";

export interface Folder {
  path: string;
  /** Types a command in it, in this process. */
  type(...words: string[]): Promise<Ended>;
  /** Safe to call twice. */
  remove(): void;
}

/** `files` by name. */
export function folder(files: { [name: string]: string }): Folder {
  const path = mkdtempSync(join(tmpdir(), "rowferry-console-test-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return {
    path,
    async type(...words) {
      const isFile = (word: string) => !isAbsolute(word) && (word.endsWith(".db") || existsSync(join(path, word)));
      const [stdout, stderr] = [collectedStream(), collectedStream()];
      const world = { ...processWorld(), env: {}, cwd: path, stdout, stderr, onSignal: () => () => {} };
      const code = await main(
        words.map((word) => (isFile(word) ? join(path, word) : word)),
        world,
      );
      return { code, stdout: stdout.text, stderr: stderr.text };
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** The faulty manifests of the fixtures, imported: 21 rows to correct, one to decide. */
export async function badMorning(): Promise<Folder> {
  const made = folder({});
  for (const [from, to] of [
    ["mappings/manifests.yaml", "manifests.yaml"],
    ["fixtures/manifests-faulty/manifests-2025-10.csv", "manifests-2025-10.csv"],
  ] as const)
    copyFileSync(join(root, from), join(made.path, to));
  await made.type("import", "manifests.yaml", "manifests-2025-10.csv");
  return made;
}

export interface Asked {
  status: number;
  body: string;
  headers: { [name: string]: string | string[] | undefined };
}

export interface RunningConsole {
  url: string;
  port: number;
  token: string;
  /** A request as a browser's page of our own would make it, but for what is said otherwise. */
  ask(
    path: string,
    more?: { method?: string; body?: unknown; headers?: { [name: string]: string | undefined } },
  ): Promise<Asked>;
  kill(): Promise<void>;
}

/** It runs until `kill` or `endProcesses`. */
export async function startConsole(at: Folder, ...flags: string[]): Promise<RunningConsole> {
  const { child } = startRowferry(["console", "--no-open", "--json", ...flags], { cwd: at.path, env: {} });
  const exited = once(child, "exit");
  const [line] = (await once(createInterface({ input: child.stdout ?? process.stdin }), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const { port, hash } = new URL(url);
  const token = hash.slice(1);
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return {
    url,
    port: Number(port),
    token,
    kill,
    ask: (path, { method = "GET", body, headers = {} } = {}) =>
      ask(Number(port), path, method, body, {
        host: `127.0.0.1:${port}`,
        authorization: `Bearer ${token}`,
        ...(method === "GET"
          ? {}
          : {
              origin: `http://127.0.0.1:${port}`,
              "sec-fetch-site": "same-origin",
              "content-type": "application/json",
            }),
        ...headers,
      }),
  };
}

function ask(
  port: number,
  path: string,
  method: string,
  body: unknown,
  given: { [name: string]: string | undefined },
): Promise<Asked> {
  const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [name: string]: string;
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: "127.0.0.1", port, path, method, headers, setHost: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }));
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
  });
}
