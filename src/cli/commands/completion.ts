/** `rowferry completion <shell>`: a script that completes commands, flags and file names. */
import { Argument, type Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { type CommandWords, completionScript, type Shell, shells } from "../completion-script.js";
import type { Frame } from "../frame.js";

const examples = `
Examples:
  rowferry completion bash >> ~/.bashrc
  rowferry completion zsh > "\${fpath[1]}/_rowferry"
  rowferry completion fish > ~/.config/fish/completions/rowferry.fish`;

export function define(command: Command, frame: Frame): void {
  command
    .addArgument(new Argument("<shell>", "the shell that is to complete").choices(shells))
    .addHelpText("after", examples)
    .action(
      frame.action(async (shell: Shell) => {
        frame.world.stdout.write(completionScript(shell, await commandWords(frame)));
        return ExitCode.ok;
      }),
    );
}

/** Every command with its flags, from their own definitions. */
async function commandWords(frame: Frame): Promise<CommandWords[]> {
  const { commands } = await import("../commands.js");
  const { Command: NewCommand } = await import("commander");
  const words: CommandWords[] = [];
  for (const { name, summary, load } of commands) {
    const command = new NewCommand(name);
    (await load()).define(command, frame);
    words.push({
      name,
      summary,
      subcommands: command.commands.map((subcommand) => subcommand.name()),
      flags: command.options
        .flatMap(({ long }) => (long === null || long === undefined ? [] : [long]))
        .concat("--help"),
      values: Object.fromEntries(
        command.options.flatMap(({ long, argChoices }) => (long && argChoices ? [[long, argChoices]] : [])),
      ),
    });
  }
  return words;
}
