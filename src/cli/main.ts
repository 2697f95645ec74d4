/** The command line's start, and the only place where errors become exit codes. Loads the called command. */
import { setImmediate } from "node:timers/promises";
import { Command, CommanderError } from "commander";
import { codes } from "../model/codes.js";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import { define, exampleText } from "./command.js";
import { commands, loadCommand } from "./commands.js";
import { keepHeapSmall } from "./heap.js";
import { endOf, helpHint, tellError } from "./report-error.js";
import { type Frame, type Interruption, ownFile, processWorld, type World } from "./world.js";

/** `argv`: without node and script. Never rejects, never ends the process. */
export async function main(argv: readonly string[], world: World): Promise<number> {
  const stop = new AbortController();
  const frame: Frame = { world, signal: stop.signal, logFolder: null, exitCode: ExitCode.ok };
  const forget = world.onSignal((signal) => {
    const exitCode = signal === "SIGINT" ? ExitCode.interrupted : ExitCode.terminated;
    // A closing terminal signals twice, because its shell repeats the signal.
    if (stop.signal.aborted && signal === "SIGHUP") return;
    if (stop.signal.aborted) return world.exitNow(exitCode);
    if (frame.isSending === true)
      world.stderr.write(
        "rowferry: stopping; calls under way finish first. Ctrl-C again stops at once, but may strand documents that are being created.\n",
      );
    stop.abort({ signal, exitCode } satisfies Interruption);
  });
  try {
    await createProgram(frame).parseAsync(withoutHelpCommand(argv), { from: "user" });
    return frame.exitCode;
  } catch (thrown) {
    return explained(thrown, frame, argv);
  } finally {
    forget();
  }
}

/** Without the commands' flags, which are added when one is called. */
function createProgram(frame: Frame): Command {
  const { stdout, stderr } = frame.world;
  const program = new Command("rowferry")
    .description("Sends spreadsheet rows to document timelines: exactly once, in order, as fast as the service allows.")
    .version(ownVersion(), "--version", "print the version")
    .helpOption("-h, --help", "print this help")
    .option("--no-color", "print without colours, as with NO_COLOR=1")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // `explained` prints the message with remedy and JSON line.
      outputError: () => {},
      getOutHelpWidth: () => stdout.columns ?? 80,
      getErrHelpWidth: () => stderr.columns ?? 80,
    })
    .addHelpText("after", exampleText(examples));
  for (const { name, summary, group } of commands)
    program.command(name).description(summary).helpGroup(group).helpOption("-h, --help", "print this help");
  return program.hook("preSubcommand", async (_program, command) => {
    if (program.opts()["color"] === false) frame.world = { ...frame.world, env: { ...frame.world.env, NO_COLOR: "1" } };
    define(command, await loadCommand(command.name()), frame);
  });
}

const examples = {
  "rowferry guess march.csv -o manifests.yaml": "a first mapping from a file",
  "rowferry plan manifests.yaml march.csv": "what an import would send",
  "rowferry import manifests.yaml march.csv": "send it",
  "rowferry status": "what needs you",
  "rowferry import --help": "one command in full",
};

/** `rowferry help import` means `rowferry import --help`; nothing, or a group's name, means its help. */
function withoutHelpCommand(argv: readonly string[]): string[] {
  const [first = "help", ...rest] = argv;
  const words = first === "help" ? [...rest, "--help"] : [first, ...rest];
  const [name = ""] = words;
  // Otherwise the help of all commands would answer for one that does not exist.
  if (!name.startsWith("-") && !commands.some((one) => one.name === name)) return [name];
  return name === "ledger" && words.length === 1 ? ["ledger", "--help"] : words;
}

function explained(thrown: unknown, frame: Frame, argv: readonly string[]): number {
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return ExitCode.ok;
  const end = endOf(isHintless(thrown) ? usageError(thrown, argv) : thrown, frame.signal);
  const debug = /--log-level[= ](?:debug|trace)\b/.test(argv.join(" "));
  tellError(frame, end, { json: argv.includes("--json"), debug });
  return end.exitCode;
}

/** Whether it is a usage error without a hint that fits this command. */
const isHintless = (thrown: unknown): thrown is CommanderError | RowferryError =>
  thrown instanceof CommanderError || (thrown instanceof RowferryError && thrown.hint === codes.usage.remedy);

function usageError(error: CommanderError | RowferryError, argv: readonly string[]): RowferryError {
  // A word that is no command has no help.
  const inGroup = argv[0] === "ledger" && error.code !== "commander.unknownCommand";
  const words = inGroup ? argv.slice(0, 2).filter((word) => !word.startsWith("-")) : argv.slice(0, 1);
  const command = commands.some(({ name }) => name === argv[0]) ? `${words.join(" ")} ` : "";
  const message = error.message
    .replace(/^error: missing required argument '(.*)'$/, `${command}needs <$1>.`)
    .replace(/^error: /, "")
    .replaceAll("\n", " ");
  const place = error instanceof RowferryError ? error.place : {};
  return new RowferryError("usage", message, { place, hint: helpHint(command), cause: error });
}

function ownVersion(): string {
  return (JSON.parse(ownFile("package.json")) as { version: string }).version;
}

/** A command whose output could not be written has failed. */
function arrived({ stdout, stderr }: World, exitCode: number): number {
  const failure = stdout.failure ?? null;
  if (failure === null) return exitCode;
  const { message, hint } = new RowferryError(
    "output-unwritable",
    `the output could not be written: ${failure.message}`,
  );
  stderr.write(`rowferry: ${message}\n  ${hint}\n`);
  return exitCode === ExitCode.ok ? ExitCode.unexpected : exitCode;
}

export async function runProcess(): Promise<never> {
  keepHeapSmall();
  const world = processWorld();
  const exitCode = await main(process.argv.slice(2), world);
  // `process.exit` drops what a pipe has not taken yet, and streams report failures only now.
  await Promise.all([world.stdout.drained?.(), world.stderr.drained?.()]);
  await setImmediate();
  // Not process.exitCode: a kept-alive connection must not keep a finished command alive.
  process.exit(arrived(world, exitCode));
}
