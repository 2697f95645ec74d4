/** `rowferry console`: the web page over the working folder's ledgers. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { Option } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { port } from "../flags.js";
import type { Frame } from "../frame.js";

const examples = `
Examples:
  rowferry console                         opens the page in your browser
  rowferry console --no-open --port 0      prints its address only

The address holds a secret that ends with the command. Ctrl-C ends it; imports
that it started continue.`;

interface Flags {
  target?: string;
  ledger?: string;
  port: number;
  open: boolean;
  allowChanges?: boolean;
  json?: boolean;
}

export function define(command: Command, frame: Frame): void {
  command
    .option("--target <name>", "only this target (default: all that have a ledger in the working folder)")
    .option("--ledger <file>", "the target's ledger, where it is elsewhere")
    .addOption(new Option("--port <n>", "listen on this port of 127.0.0.1").argParser(port).default(0, "a free one"))
    .option("--no-open", "do not open a browser")
    .option("--allow-changes", "let the page correct, import and decide, also where this is not started at a terminal")
    .option("--json", "print a line of JSON on stdout")
    .addHelpText("after", examples)
    .action(frame.action((flags: Flags) => serve(frame, flags)));
}

async function serve(frame: Frame, flags: Flags): Promise<number> {
  const { world } = frame;
  const { openConsole } = await import("../../console/serve.js");
  const console = await openConsole({
    cwd: world.cwd,
    env: world.env,
    port: flags.port,
    allowChanges: flags.allowChanges === true || world.stderr.isTTY,
    now: () => world.clock.now(),
    ...(flags.target === undefined ? {} : { target: flags.target }),
    ...(flags.ledger === undefined ? {} : { ledger: flags.ledger }),
  });
  let redirect: string | null = null;
  try {
    if (flags.json === true) world.stdout.write(`${JSON.stringify({ type: "console", url: console.url })}\n`);
    else world.stdout.write(`${console.url}\nCtrl-C ends it.\n`);
    if (flags.open && flags.json !== true) redirect = openBrowser(console.url);
    if (!frame.signal.aborted)
      await new Promise((done) => frame.signal.addEventListener("abort", done, { once: true }));
  } finally {
    if (redirect !== null) rmSync(redirect, { recursive: true, force: true });
    await console.close();
  }
  return ExitCode.ok;
}

/** Through a file that only its owner can read: what a program is started with, everybody on the machine can. */
function openBrowser(url: string): string {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-console-"));
  const file = join(folder, "open.html");
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${url}"><title>Rowferry</title>`, {
    mode: 0o600,
  });
  const [program = "xdg-open", ...words] =
    process.platform === "darwin" ? ["open"] : process.platform === "win32" ? ["cmd", "/c", "start", ""] : ["xdg-open"];
  const child = spawn(program, [...words, file], { stdio: "ignore", detached: true });
  // Where there is no browser, the address has been printed.
  child.on("error", () => {});
  child.unref();
  return folder;
}
