/** The console of a world of tests, without a server or a browser: what its page asks and posts. */
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createApi } from "../../src/console/api.js";
import { createTargets } from "../../src/console/overview.js";
import { folder, type TestWorld, typed } from "./cli.world.js";

/** Passes its words on, and prints what came of them. */
const passOn = (socket: string) => `
import { connect } from "node:net";
let text = "";
connect(${JSON.stringify(socket)}, function () { this.write(JSON.stringify(process.argv.slice(2)) + "\\n"); })
  .on("data", (part) => (text += part))
  .on("end", () => {
    const { code, out, err } = JSON.parse(text);
    process.stderr.write(err);
    process.stdout.write(out, () => process.exit(code));
  });
`;

/** Commands that the console starts are typed in the world, one after the other. */
export async function openConsole(world: TestWorld, type: typeof typed = typed) {
  const here = folder();
  const socket = join(here, "socket");
  const program = join(here, "program.mjs");
  writeFileSync(program, passOn(socket));
  let last: Promise<unknown> = Promise.resolve();
  const server = createServer((connection) => {
    let text = "";
    connection.on("data", (part) => {
      text += part.toString();
      if (!text.endsWith("\n")) return;
      last = last.then(async () => connection.end(JSON.stringify(await type(world, ...JSON.parse(text)))));
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const { argv, execArgv } = process;
  process.argv = [argv[0] ?? "", program];
  process.execArgv = [];
  onTestFinished(() => {
    Object.assign(process, { argv, execArgv });
    server.close();
  });
  let ended = () => {};
  const { cwd, env } = world;
  const api = createApi({ cwd, env, allowChanges: true, now: () => world.now }, createTargets({ cwd, env }), () =>
    ended(),
  );
  return {
    ...api,
    /** Waits until nothing that was started runs. */
    async idle(target: string) {
      const isRunning = () =>
        api.asks.overview
          .work({})
          .targets.some(({ name, jobs }) => name === target && jobs.some(({ said }) => said === null));
      while (isRunning()) await new Promise<void>((resolve) => (ended = resolve));
    },
  };
}
