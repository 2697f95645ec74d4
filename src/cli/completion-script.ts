/** Completion scripts for three shells, from the commands' own flags. Pure; nothing in them calls the program. */

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export interface CommandWords {
  name: string;
  summary: string;
  subcommands: string[];
  /** Long flags with their dashes. */
  flags: string[];
  /** The values that a flag can take, by flag. */
  values: { [flag: string]: readonly string[] };
}

/** Where no word of ours fits, file names are completed. */
export function completionScript(shell: Shell, commands: readonly CommandWords[]): string {
  if (shell === "bash") return bashScript(commands);
  return shell === "zsh" ? zshScript(commands) : fishScript(commands);
}

function bashScript(commands: readonly CommandWords[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const values = commands.flatMap(({ name, values: of }) =>
    Object.entries(of).map(([flag, words]) => `    ${name}:${flag}) words="${words.join(" ")}" ;;`),
  );
  const flags = commands.map(
    ({ name, flags: of, subcommands }) => `    ${name}:*) words="${[...subcommands, ...of].join(" ")}" ;;`,
  );
  return `# rowferry completion for bash
_rowferry() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=( $(compgen -W "${names} help --help --version" -- "$current") )
    return
  fi
  case "\${COMP_WORDS[1]}:$before" in
${[...values, ...flags].join("\n")}
  esac
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
  [ "\${current:0:1}" = "-" ] || COMPREPLY+=( $(compgen -f -- "$current") )
}
complete -o filenames -o bashdefault -F _rowferry rowferry
`;
}

function zshScript(commands: readonly CommandWords[]): string {
  const names = commands.map(({ name, summary }) => `    ${single(`${name}:${summary.replaceAll(":", "\\:")}`)}`);
  const cases = commands.map(({ name, flags, subcommands, values }) => {
    const specs = flags.map((flag) =>
      single(values[flag] === undefined ? flag : `${flag}=:value:(${values[flag].join(" ")})`),
    );
    const first = subcommands.length === 0 ? [] : [single(`1:what:(${subcommands.join(" ")})`)];
    return `    ${name}) _arguments ${[...specs, ...first, single("*:file:_files")].join(" ")} ;;`;
  });
  return `#compdef rowferry
# rowferry completion for zsh
_rowferry() {
  local -a commands
  commands=(
${names.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join("\n")}
  esac
}
compdef _rowferry rowferry
`;
}

function fishScript(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(({ name, summary, flags, subcommands, values }) => {
    const within = `complete -c rowferry -n ${single(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c rowferry -n __fish_use_subcommand -f -a ${name} -d ${single(summary)}`,
      ...subcommands.map((word) => `${within} -a ${word}`),
      ...flags.map((flag) => {
        const words = values[flag] === undefined ? "" : ` -x -a ${single(values[flag].join(" "))}`;
        return `${within} -l ${flag.replace(/^--/, "")}${words}`;
      }),
    ];
  });
  return `# rowferry completion for fish\n${lines.join("\n")}\n`;
}

function single(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
