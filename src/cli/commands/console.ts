/** `rowferry console`: the web page over the working folder's ledgers. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ExitCode } from "../../model/exit-code.js";
import { IN_CONSOLE } from "../../model/whoami.js";
import { targetName } from "../../settings/target.js";
import { command } from "../command.js";
import { untilAborted } from "../world.js";
import { port as portNumber } from "../flags.js";
import { tell } from "../output.js";

export const spec = command({
  flags: {
    target: ["--target <name>", "only this target (default: every target that has a ledger in the working folder)"],
    ledger: ["--ledger <file>", "the target's ledger, if it is elsewhere"],
    port: ["--port <n>", "listen on this port of 127.0.0.1 (default: a free one)", portNumber],
    open: ["--no-open", "do not open a browser"],
    allowChanges: [
      "--allow-changes",
      "let the page correct, import and decide even if it was not started from a terminal",
    ],
  },
  examples: {
    "rowferry console": "opens the page in your browser",
    "rowferry console --no-open --port 0": "prints its address only",
  },
  notes: [
    "The address holds a secret that is valid until the command ends. Ctrl-C ends it; imports that the page started continue.",
  ],
  async run({ world, signal, output }, { target, ledger, port = 0, open, allowChanges }) {
    if (target !== undefined) targetName({ flags: { target }, env: world.env, cwd: world.cwd });
    const { openConsole } = await import("../../console/serve.js");
    const page = await openConsole({
      cwd: world.cwd,
      env: world.env,
      port,
      allowChanges: allowChanges === true || world.stderr.isTTY,
      now: () => world.clock.now(),
      target,
      ledger,
    });
    process.env[IN_CONSOLE] = "yes";
    let redirect: string | null = null;
    try {
      const { url } = page;
      tell(output, { type: "console", line: { url }, text: () => [[url, "Ctrl-C ends it."]] });
      if (open !== false && !output.json) redirect = openBrowser(url);
      await untilAborted(signal);
    } finally {
      if (redirect !== null) rmSync(redirect, { recursive: true, force: true });
      await page.close();
      delete process.env[IN_CONSOLE];
    }
    return ExitCode.ok;
  },
});

const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Through a file that only its owner can read: everybody on the machine can see a program's arguments. */
function openBrowser(url: string): string {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-console-"));
  const file = join(folder, "open.html");
  const text = `<!doctype html><meta http-equiv="refresh" content="0; url=${url}"><title>Rowferry</title>`;
  writeFileSync(file, text, { mode: 0o600 });
  const [program, ...words] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...words, file], { stdio: "ignore", detached: true });
  // Without a browser, the printed address remains.
  child.on("error", () => {});
  child.unref();
  return folder;
}
