/** A command as data: what it takes, its flags, its examples, and what it does. main.ts makes a command line of them. */
import { type Command, Option } from "commander";
import type { Frame } from "./frame.js";
import { fitted } from "./render/text.js";

/** How it is typed, what it says, how its text is read or which words it may be, and its value when it is left out. */
export type Flag = readonly [
  typed: string,
  says: string,
  read?: ((text: string) => unknown) | readonly string[] | undefined,
  usual?: unknown,
];

/** By the names under which their values come. */
export interface Flags {
  readonly [name: string]: Flag;
}

/** What flags give; those that were left out and have no usual value are absent. */
export type Given<Table extends Flags> = { -readonly [Name in keyof Table]?: ValueOf<Table[Name]> };

type ValueOf<Typed extends Flag> = Typed[2] extends (text: string) => infer Value
  ? Value
  : Typed[2] extends readonly (infer Word)[]
    ? Word
    : Typed[0] extends `${string}<${string}`
      ? string
      : boolean;

export interface CommandSpec<Table extends Flags = Flags> {
  /** Arguments, each with what it is. */
  takes?: { readonly [argument: string]: string };
  /** How it is typed, where the arguments do not tell. */
  usage?: string;
  flags?: Table;
  /** What to type, and what for. */
  examples?: { readonly [typed: string]: string };
  /** What else a person should know; paragraphs. */
  notes?: readonly string[];
  /** With one line each. */
  subcommands?: { readonly [name: string]: readonly [summary: string, spec: CommandSpec] };
  /** Absent: its help is printed. Gives the exit code. */
  run?(frame: Frame, given: Given<Table>, ...taken: never[]): Promise<number>;
}

export function command<const Table extends Flags>(spec: CommandSpec<Table>): CommandSpec {
  return spec;
}

/** Adds to a command of commander's all that `spec` says. */
export function define(made: Command, spec: CommandSpec, frame: Frame): Command {
  const { takes = {}, usage, flags = {}, examples = {}, notes = [], subcommands = {}, run } = spec;
  for (const [argument, says] of Object.entries(takes)) made.argument(argument, says);
  if (usage !== undefined) made.usage(usage);
  for (const [typed, says, read, usual] of Object.values(flags)) {
    const option = new Option(typed, says);
    if (typeof read === "function") option.argParser(read);
    else if (read !== undefined) option.choices(read);
    made.addOption(usual === undefined ? option : option.default(usual));
  }
  for (const [name, [summary, sub]] of Object.entries(subcommands))
    define(made.command(name).description(summary).helpOption("-h, --help", "print this help"), sub, frame);
  made.addHelpText("after", exampleText(examples, notes));
  if (run === undefined) return made;
  return made.action(async (...taken: unknown[]) => {
    // A flag of a command may stand before or after its subcommand.
    const given = (taken.at(-1) as Command).optsWithGlobals();
    frame.exitCode = await run(frame, given, ...(taken.slice(0, -2) as never[]));
  });
}

const COLUMNS = 80;

/** Examples in two columns where they fit, then the notes. */
export function exampleText(examples: { readonly [typed: string]: string }, notes: readonly string[] = []): string {
  const entries = Object.entries(examples);
  const width = Math.max(
    ...entries.map(([typed, why]) => (typed.length + why.length + 6 > COLUMNS ? 0 : typed.length)),
  );
  const lines = entries.flatMap(([typed, why]) => {
    if (why === "") return [`  ${typed}`];
    const fits = width + why.length + 5 <= COLUMNS && typed.length <= width;
    return fits ? [`  ${typed.padEnd(width)}   ${why}`] : [`  ${typed}`, `      ${why}`];
  });
  const title = lines.length === 0 ? [] : ["Examples:", ...lines];
  return ["", ...title, ...notes.flatMap((note) => ["", fitted(note, COLUMNS)])].join("\n");
}
