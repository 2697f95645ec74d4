/**
 * Mornings after random nights: somebody types nothing but what `status` prints (and `rejects`, which it names), fills in what is
 * left open, and comes to "all is well"; no such command refuses, exit codes fit what is open, and the console agrees all the way. More of them:
 * `MORNINGS=1-200 npx vitest run test/nights/mornings.test.ts`; from 10001 on with mishaps.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { createTargets, overviewOf } from "../../src/console/overview.js";
import type { ToldProblem } from "../../src/model/summary.js";
import { COMPANY, type LinkedWorld } from "../support/linked.js";
import {
  bringMissing,
  type Dice,
  dice,
  idOf,
  leastTaken,
  mishap,
  night,
  nightWorld,
  seedsOf,
  type Type,
} from "../support/nights.js";
import { sampled } from "../support/sample.js";

const MOST_COMMANDS = 60;

/** What a person writes into a file's cells; the columns by their names. */
function edit(path: string, change: (row: Record<string, string>) => void) {
  const rows = parse<Record<string, string>>(readFileSync(path, "utf8"), { bom: true, columns: true });
  for (const row of rows) change(row);
  writeFileSync(path, stringify(rows, { header: true }));
}

let corrections = 0;

/** @returns codes that no other cell in a row mends */
function correct(path: string, isGrouped: boolean): string[] {
  const own = `N${(corrections += 1)}`;
  const left: string[] = [];
  let number = -1;
  let before = "";
  edit(path, (row) => {
    // Rows of a group keep one key.
    const group = ["Doc", "What", "At", "Key"].map((name) => row[name]).join(" ");
    if (!isGrouped || group !== before) number += 1;
    before = group;
    const [code = ""] = (row["rowferry_code"] ?? "").split("; ");
    if (code === "tax-id-invalid") row["Company"] = COMPANY;
    else if (code === "value-required") row["Doc"] = own;
    else if (code === "event-key-twice") row["Key"] = `${own}-${number}`;
    else if (code === "target-exists") row["Other"] = own;
    else if (code !== "") left.push(code);
  });
  return left;
}

/** An event in doubt, and whether it is on the timeline. */
async function sayOfDoubt(world: LinkedWorld, document: string): Promise<string[]> {
  const { documents } = (await world.json("show", document, "--all")) as {
    documents: { events: { state: string; deduplicationId: string }[] }[];
  };
  const doubted = documents
    .flatMap(({ events }) => events)
    .find(({ state }) => state === "stalled" || state === "unsettled");
  const key = doubted?.deduplicationId ?? "";
  const there = world.sandbox.store.documents().flatMap(({ events }) => events.map((event) => event.deduplicationId));
  return [key, there.includes(key) ? "--landed" : "--not-landed"];
}

/** Of which the steps that name no document propose a replacement. */
const REPLACED = /^(changed|late|after-close|after-cancel|document-gone|document-stranded)$/;

/** The words that a person types for a printed command; null: others have to be typed first. */
async function fillIn(
  world: LinkedWorld,
  { one, is, isGrouped }: Dice,
  printed: string,
  problems: readonly ToldProblem[],
) {
  // A kill moves the world to another folder.
  const words = printed
    .split(" ")
    .slice(1)
    .map((word) => word.replace(/^\/\S*\/rowferry-cli-\w+\//, ""));
  const [command = ""] = words;
  const path = (ending: string) => words.filter((word) => word.endsWith(ending)).map((word) => join(world.cwd, word));
  const code = /--code ([\w-]+)/.exec(printed)?.[1];
  const documents = problems
    .filter((problem) => problem.replaceable !== false && (code === undefined || problem.code === code))
    .filter((problem) => command !== "replace" || REPLACED.test(problem.code))
    .flatMap(({ example, document }) => document ?? /\bload \w+/.exec(example)?.[0].replace(" ", "/") ?? []);
  const filled = words
    .map((word) => (word.startsWith("<document") ? one(documents) : word))
    .map((word) => (word === "<text>" ? "wrong" : word === "<mapping>" ? "linked.yaml" : word));
  switch (command) {
    case "console":
    case "explain":
    case "verify":
      return null;
    case "import": {
      if (printed.includes("<files…>")) return is(0.5) ? null : ["import", "linked.yaml", ...bringMissing(world)];
      const files = path(".rejected.csv");
      const left = files.flatMap((file) => correct(file, isGrouped));
      return left.length > 0 && is(0.5) ? ["dismiss", "--code", left[0] ?? "", "--yes"] : filled;
    }
    case "resolve": {
      for (const file of path("stranded.csv"))
        edit(file, (row) => void (row["document_id"] = idOf(world, row["document"] ?? "") ?? ""));
      if (printed.includes("--from")) return [...filled, "--yes"];
      const named = filled.find((word) => word.startsWith("load/")) ?? one(documents);
      const at = filled.indexOf("--document-id");
      if (at < 0) return ["resolve", ...(await sayOfDoubt(world, named)), "--yes"];
      const found = idOf(world, named);
      return [
        ...filled.toSpliced(at, 2, ...(found === undefined ? ["--not-landed"] : ["--document-id", found])),
        "--yes",
      ];
    }
    case "replace":
    case "dismiss":
    case "withdraw":
      return [...filled, "--yes"];
    default:
      return filled;
  }
}

test.each(sampled(seedsOf("MORNINGS", "19-38"), 10))(
  "after night %i, what is printed leads to the end",
  async (seed) => {
    const drawn = dice(seed);
    const world = await nightWorld(drawn);
    const log: string[] = [];
    let last = 0;
    const type: Type = async (words) => {
      const { code, out, err } = await world.typed(...words);
      log.push(`$ ${words.join(" ")} → ${code}\n${out}${err}`);
      expect([1, 2, 5], log.join("\n")).not.toContain(code);
      last = code;
      return out;
    };
    const files = await night(world, type, drawn);
    const choose = leastTaken(drawn);
    let rejects = "";
    /** How a command that sends has just ended; null: another was typed last. */
    let ended: number | null = null;
    for (let count = 0; count < MOST_COMMANDS; count += 1) {
      const wrong = mishap(files, drawn, count);
      if (wrong !== null) {
        const { code, out, err } = await world.typed(...wrong);
        log.push(`! ${wrong.join(" ")} → ${code}\n${out}${err}`);
        expect(code, log.join("\n")).not.toBe(1);
        ended = null;
      }
      const status = await type(["status"]);
      const isWell = status.includes("all is well. Nothing is open");
      const targets = createTargets({ cwd: world.cwd, env: world.env });
      const seen = overviewOf("env", targets, world.cwd, world.now);
      expect(seen.isWell, log.join("\n")).toBe(isWell);
      if (ended !== null) expect(ended === 0, log.join("\n")).toBe(isWell);
      if (isWell) {
        await type(["resume"]);
        expect(await type(["verify"])).toMatch(/^Ledger and service agree/);
        return;
      }
      expect(seen.canResume, log.join("\n")).toBe(/^rowferry resume/m.test(status));
      const { problems } = (await world.json("status")) as { problems: ToldProblem[] };
      const printed = `${status}\n${rejects}`.split("\n").filter((line) => line.startsWith("rowferry "));
      const choices: string[][] = [];
      for (const line of printed) {
        const words = await fillIn(world, drawn, line, problems);
        if (words !== null) choices.push(words);
      }
      expect(choices, log.join("\n")).not.toEqual([]);
      const words = choose(choices, (one) => one.join(" "));
      const [command = ""] = words;
      const out = await type(words);
      rejects = command === "rejects" ? out : "";
      ended = ["import", "resume", "retry"].includes(command) ? last : null;
    }
    throw new Error(`never well\n${log.join("\n")}`);
  },
);
