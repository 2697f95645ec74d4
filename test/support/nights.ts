/** Random nights, before the mornings on which somebody settles what they left. */
import { type FaultRule, seededRandom } from "../../src/sandbox/index.js";
import { type LinkedWorld, linkedWorld, type LinkRow } from "./linked.js";

/** `first-last` in this environment variable. */
export function seedsOf(variable: string, usual: string): number[] {
  const [from = 1, to = from] = (process.env[variable] ?? usual).split("-").map(Number);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** From this seed on, nights have other settings and several files at once, and mornings begin with mishaps. */
const VARIED = 10_001;
/** From this seed on, rows of one event stand in groups, too. */
const GROUPED = 20_001;

export function dice(seed: number) {
  const random = seededRandom(seed);
  const upTo = (most: number) => Math.floor(random() * most);
  return {
    isVaried: seed >= VARIED,
    isGrouped: seed >= GROUPED,
    upTo,
    is: (share: number) => random() < share,
    one: <Item>(items: readonly Item[]): Item => items[upTo(items.length)] as Item,
  };
}

export type Dice = ReturnType<typeof dice>;

/** Of these, one that was taken least often so far. */
export function leastTaken({ one }: Dice) {
  const taken = new Map<string, number>();
  return <Item>(items: readonly Item[], nameOf: (item: Item) => string): Item => {
    const timesOf = (item: Item) => taken.get(nameOf(item)) ?? 0;
    const least = Math.min(...items.map(timesOf));
    const chosen = one(items.filter((item) => timesOf(item) === least));
    taken.set(nameOf(chosen), least + 1);
    return chosen;
  };
}

function drawRow({ upTo, is, one }: Dice): LinkRow {
  const doc = one(["A", "B", "C", "D"]);
  const other = one(["A", "B", "C", "D", "E"].filter((name) => name !== doc));
  const what = is(0.6) ? "weigh" : one(["link", "one-way", "split", "close", "cancel", "copied", "carried"] as const);
  return {
    doc: is(0.03) ? "" : doc,
    at: 1 + upTo(30),
    what,
    weight: String(1 + upTo(3)),
    ...(is(0.12) && { company: "11222333000182" }),
    ...(what === "split" && { other: one(["S", "T"]) }),
    ...(what === "carried" && { carrier: one(["X", "Y"]), depot: one(["X", "Y"]) }),
    ...((what === "link" || what === "one-way") && { other }),
  };
}

function drawFaults({ upTo, is, one }: Dice): FaultRule[] {
  if (is(0.5)) return [];
  const path = one([
    "/documents/events",
    "/documents/{documentId}/events",
    "/documents",
    "/participants",
    "/addresses",
  ]);
  const action = one<FaultRule["action"]>([
    { kind: "drop", when: "before" },
    { kind: "drop", when: "after" },
    { kind: "status", status: 400, when: "before" },
    { kind: "status", status: 409, when: "before" },
    { kind: "status", status: 500, when: "after" },
  ]);
  return [{ match: { path }, nth: 1 + upTo(4), times: one([1, 1, 6, 40]), action }];
}

/** Types a command that does not refuse, and gives what it printed. */
export type Type = (words: string[]) => Promise<string>;

export const nightWorld = ({ one, isVaried, isGrouped }: Dice) =>
  linkedWorld({
    isGrouped,
    sandbox: { linkTime: one(["event", "server"]) },
    settings: {
      ...one<object>([{}, {}, { late: { attribute: "Took place", isPublic: false } }]),
      ...(isVaried &&
        one<object>([
          { references: "inline" },
          { creation: "shell-first" },
          { unplacedRows: "hold" },
          { participants: { strategy: "create-first" } },
          { references: "inline", creation: "shell-first" },
        ])),
    },
  });

/** Early ones, so that the rest of a morning is enough to settle what they have done. */
const MOST_MISHAPS = 12;

/** What somebody types who has not read what is printed; it may be refused. `count`: of what was typed before. Null: nothing. */
export function mishap(files: readonly string[], { isVaried, is, one }: Dice, count: number): string[] | null {
  if (!isVaried || count >= MOST_MISHAPS || !is(0.4)) return null;
  const file = one(files);
  const document = `load/${one(["A", "B", "C", "D", "S"])}`;
  return one([
    ["withdraw", "--input", file, "--yes"],
    ["withdraw", "--document", document, "--yes"],
    ["dismiss", "--input", file, "--yes"],
    ["dismiss", "--document", document, "--yes"],
    ["dismiss", "--undo", "--input", file, "--yes"],
    ["dismiss", "--undo", "--document", document, "--yes"],
    ["replace", document, "--reason", "wrong", "--yes"],
    ["import", "linked.yaml", file],
    ["import", "linked.yaml", file, "--max-errors", "0"],
    ["retry"],
  ]);
}

/** Files that come, come again with edits, additions and omissions, under faults and kills. @returns their names */
export async function night(world: LinkedWorld, type: Type, drawn: Dice): Promise<string[]> {
  const { is, one, upTo } = drawn;
  const files = new Map<string, LinkRow[]>();
  for (let count = 2 + upTo(4); count > 0; count -= 1) {
    const known = files.size > 0 && is(0.4) ? one([...files.keys()]) : null;
    const before = known === null ? Array.from({ length: 1 + upTo(9) }, () => drawRow(drawn)) : files.get(known);
    const name = known ?? `rows-${files.size + 1}.csv`;
    const edited = (before ?? []).map((row) => (known !== null && is(0.15) ? { ...row, weight: "9" } : row));
    const rows = known === null ? edited : edited.filter(() => is(0.9));
    if (known !== null && is(0.5)) rows.push(drawRow(drawn));
    if (drawn.isGrouped && known === null)
      for (const [at, row] of rows.entries()) if (is(0.2)) rows.splice(at, 0, { ...row, weight: String(4 + upTo(3)) });
    files.set(name, rows);
    world.write(name, rows);
    world.sandbox.setFaults(drawFaults(drawn));
    const bounds = [["--limit", String(1 + upTo(3))], ["--max-errors", "10%"], [], [], [], []];
    const others = drawn.isVaried ? [...files.keys()].filter((other) => other !== name && is(0.3)) : [];
    const words = ["import", "linked.yaml", name, ...others, ...one(bounds)];
    if (is(0.2)) await world.killed(1 + upTo(6), one(["before", "after"]), ...words);
    else await type(words);
  }
  world.sandbox.setFaults([]);
  return [...files.keys()];
}

/** Files with all that rows refer to. */
export function bringMissing(world: LinkedWorld): string[] {
  const carriers = ["X", "Y"].map((carrier) => ({
    doc: "",
    at: 1,
    carrier,
    depot: carrier,
    company: "11444777000161",
  }));
  world.write("carriers-1.csv", carriers);
  world.write(
    "rows-missing.csv",
    ["A", "B", "C", "D", "E"].map((doc) => ({ doc, at: 40, key: "missing" })),
  );
  return ["carriers-1.csv", "rows-missing.csv"];
}

/** The newest document of that key at the service. */
export const idOf = (world: LinkedWorld, document: string) =>
  world.timelines(document.replace(/^load[/ ]/, "")).at(-1)?.id;
