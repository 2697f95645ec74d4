import { readFileSync } from "node:fs";

/** How the command's own first line starts Node (docs/decisions/node.md). */
export function asInstalled(): { flags: string[]; env: Record<string, string> } {
  const program = readFileSync(new URL("../src/cli/rowferry.ts", import.meta.url), "utf8");
  const found = /^#!\S+ -S (\w+)=(\S+) node (.+)$/m.exec(program);
  if (found === null) throw new Error("the program's first line names no flags");
  const [, name = "", value = "", flags = ""] = found;
  return { flags: flags.split(" "), env: { [name]: value } };
}
