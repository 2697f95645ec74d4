/**
 * Judges the importer from outside: runs the real command line against services of many personalities (test/nights/judge)
 * and prints what they have to say. Usage: tsx scripts/judge.ts [--seed N] [--only TEXT] [--input crates|manifests]
 * [--count N] [--verbose]. Exit code 1 when a service disagrees.
 */
import { Command } from "commander";
import { crates, manifests } from "../test/nights/judge/inputs.js";
import { oneTrial } from "../test/nights/judge/one-trial.js";
import { personalities } from "../test/nights/judge/personalities.js";

const flags = new Command()
  .option("--seed <n>", "another seed, other faults", "1")
  .option("--only <text>", "only personalities whose name holds this", "")
  .option("--input <name>", "crates or manifests", "crates")
  .option("--count <n>", "how many crates", "12")
  .option("--at-once <n>", "trials at once", "2")
  .option("--verbose", "print what the commands print")
  .parse()
  .opts<{ seed: string; only: string; input: string; count: string; atOnce: string; verbose?: boolean }>();

const waiting = personalities(Number(flags.seed)).filter(({ name }) =>
  flags.only.split("|").some((part) => name.includes(part)),
);
let failed = 0;

async function work(): Promise<void> {
  for (let nature = waiting.shift(); nature !== undefined; nature = waiting.shift()) {
    const trial = await oneTrial(nature, (folder, { linkTime }) =>
      flags.input === "manifests" ? manifests() : crates(folder, Number(flags.count), Number(flags.seed), linkTime),
    );
    const { disagreements, judge, ending, reasons, runs } = trial;
    if (disagreements.length > 0) failed++;
    const codes = runs.map(({ args, code, ms }) => `${args[0]} ${code} (${Math.round(ms / 1000)} s)`).join(", ");
    console.log(`${disagreements.length === 0 ? "well " : "WRONG"} ${nature.name}`);
    console.log(
      `      ${codes}; ${judge.seen.length} requests, ${judge.tokensIssued()} tokens, ${ending.stranded.size} stranded; open ${JSON.stringify(reasons)}`,
    );
    for (const one of disagreements.slice(0, 12)) console.log(`      - ${one}`);
    if (flags.verbose === true)
      for (const { args, output } of runs) console.log(`$ rowferry ${args.join(" ")}\n${output}`);
  }
}

await Promise.all(Array.from({ length: Number(flags.atOnce) }, work));
process.exitCode = failed > 0 ? 1 : 0;
