/** A command as data, from which main.ts makes a command line. */
import { type Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { nearestName } from "../map/nearest.js";
import { RowferryError } from "../model/error.js";
import type { Frame } from "./world.js";
import { createOutput, type Output } from "./output.js";
import { fitted } from "./render/text.js";

/**
 * How it is typed, its description, and a function that reads it or its choices. A function that takes what was given
 * before makes it repeatable.
 */
export type Flag = readonly [
  typed: string,
  says: string,
  read?: ((text: string) => unknown) | readonly string[] | undefined,
];

/** Flags by the names under which a command gets their values. */
export interface Flags {
  readonly [name: string]: Flag;
}

/** A value is absent if the flag was left out. */
export type Given<Table extends Flags> = { -readonly [Name in keyof Table]?: ValueOf<Table[Name]> };

type ValueOf<Typed extends Flag> = Typed[2] extends (text: string) => infer Value
  ? Value
  : Typed[2] extends readonly (infer Word)[]
    ? Word
    : Typed[0] extends `${string}<${string}`
      ? string
      : boolean;

/** Every command that runs takes it. */
const json: Flag = ["--json", "print JSON lines on stdout, each with a `type` (docs/reference/json-lines.md)"];

export interface CommandSpec<Table extends Flags = Flags> {
  /** With descriptions. */
  takes?: { readonly [argument: string]: string };
  /** If the arguments do not show it. */
  usage?: string;
  flags?: Table;
  /** With explanations; those of subcommands are added. */
  examples?: { readonly [typed: string]: string };
  /** Paragraphs. */
  notes?: readonly string[];
  /** With summaries. */
  subcommands?: { readonly [name: string]: readonly [summary: string, spec: CommandSpec] };
  /** Absent: prints the help. @returns the exit code */
  run?(frame: Frame & { output: Output }, given: Given<Table>, ...taken: never[]): Promise<number>;
}

export function command<const Table extends Flags>(spec: CommandSpec<Table>): CommandSpec {
  return spec;
}

export function define(made: Command, spec: CommandSpec, frame: Frame): Command {
  const { takes = {}, usage, flags = {}, notes = [], subcommands = {}, run } = spec;
  const examples = Object.assign({}, spec.examples, ...Object.values(subcommands).map(([, sub]) => sub.examples));
  for (const [argument, says] of Object.entries(takes)) made.argument(argument, says);
  if (usage !== undefined) made.usage(usage);
  for (const [typed, says, read] of [...Object.values(flags), ...(run === undefined ? [] : [json])]) {
    const option = new Option(typed, says);
    const choice = typeof read === "object" ? option.choices(read).parseArg : undefined;
    const reader = typeof read === "function" ? read : (text: string) => choice?.(text, text) ?? text;
    if (option.required) option.argParser(oneValue(reader));
    made.addOption(option);
  }
  // Commander reports this for groups in other words.
  if (run === undefined) made.helpCommand("help [command]", "print the help of a command");
  for (const [name, [summary, sub]] of Object.entries(subcommands))
    define(made.command(name).description(summary).helpOption("-h, --help", "print this help"), sub, frame);
  made.addHelpText("after", exampleText(examples, notes));
  made.exitOverride((error) => {
    throw error.code === "commander.unknownOption" ? unknownOption(made, error) : error;
  });
  if (run === undefined) return made;
  return made.action(async (...taken: unknown[]) => {
    for (const [at, argument] of made.registeredArguments.entries())
      if ([taken[at]].flat().includes("")) throw new RowferryError("usage", `<${argument.name()}> ${BLANK}`);
    const stray = strayFlag(made);
    if (stray !== undefined) throw new RowferryError("usage", `\`${made.name()}\` has no use for ${stray}.`);
    // Flags may come before or after the subcommand.
    const given = (taken.at(-1) as Command).optsWithGlobals();
    const output = createOutput(frame.world, given);
    frame.exitCode = await run(Object.assign(frame, { output }), given, ...(taken.slice(0, -2) as never[]));
  });
}

/** A flag typed before the subcommand that only the command above it takes. */
function strayFlag({ parent, options }: Command): string | undefined {
  if (parent?.parent == null) return undefined;
  const own = options.map((option) => option.attributeName());
  const typed = (name: string) => parent.getOptionValueSource(name) === "cli";
  return parent.options.find((one) => typed(one.attributeName()) && !own.includes(one.attributeName()))?.long;
}

/** An empty path would mean the working folder, with all its files. */
const BLANK = "is empty: is a variable not set?";

/** Otherwise the last of two values would be used, and the other silently ignored. */
function oneValue(read: (text: string, before: never) => unknown) {
  let first: string | null = null;
  return (text: string, before: unknown) => {
    if (text === "") throw new InvalidArgumentError(`It ${BLANK}`);
    if (first !== null && first !== text && read.length < 2)
      throw new InvalidArgumentError(`It was already given as '${first}'; type one command for each.`);
    first = text;
    return read(text, before as never);
  };
}

/** Commander finds no `--dry-run` for `--dry`, and `--help` for `--keep`. */
function unknownOption(made: Command, { exitCode, code, message }: CommanderError): CommanderError {
  const [said = ""] = message.split("\n");
  const typed = /'-*([^'=]*)/.exec(said)?.[1]?.toLowerCase() ?? "";
  const known = [...made.options, ...(made.parent?.options ?? [])].flatMap(({ long }) => long?.slice(2) ?? []);
  const holding = typed.length < 2 ? [] : known.filter((name) => `-${name}`.includes(`-${typed}`));
  const near = holding.length > 0 ? holding : [nearestName(typed, [...known, "help"])].filter((name) => name !== null);
  const hint = near.length === 0 ? "" : ` (Did you mean ${near.map((name) => `--${name}`).join(" or ")}?)`;
  return new CommanderError(exitCode, code, said + hint);
}

const COLUMNS = 80;

/** In two columns if they fit. */
export function exampleText(
  examples: { readonly [typed: string]: string },
  notes: readonly string[] = [],
  title = "Examples:",
): string {
  const entries = Object.entries(examples);
  const width = Math.max(
    ...entries.map(([typed, why]) => (why === "" || typed.length + why.length + 6 > COLUMNS ? 0 : typed.length)),
  );
  const lines = entries.flatMap(([typed, why]) => {
    if (why === "") return [`  ${typed}`];
    const fits = width + why.length + 5 <= COLUMNS && typed.length <= width;
    return fits ? [`  ${typed.padEnd(width)}   ${why}`] : [`  ${typed}`, `      ${why}`];
  });
  const titled = lines.length === 0 ? [] : [title, ...lines];
  return ["", ...titled, ...notes.flatMap((note) => ["", fitted(note, COLUMNS)])].join("\n");
}
