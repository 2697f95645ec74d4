/** A real redis-server for tests, on a port of its own, with nothing on disk. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { listening } from "../listening.js";

/** Whether there is one; where ROWFERRY_TEST_REQUIRE names redis, tests that need it run, and fail, without one. */
export function redisIsHere(): boolean {
  const required = (process.env["ROWFERRY_TEST_REQUIRE"] ?? "").split(",").includes("redis");
  return required || spawnSync("redis-server", ["--version"]).status === 0;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resolves once it takes connections; the result ends it. */
export async function startRedis(port: number, ...more: string[]): Promise<() => Promise<void>> {
  const settings = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--appendonly",
    "no",
    "--dir",
    tmpdir(),
    ...more,
  ];
  const server: ChildProcess = spawn("redis-server", settings, { stdio: "ignore" });
  const gone = once(server, "exit");
  for (let turn = 0; !(await answers(port)); turn++) {
    if (turn > 100) throw new Error("redis-server did not start");
    await wait(50);
  }
  return async () => {
    server.kill("SIGKILL");
    await gone;
  };
}

function answers(port: number) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
