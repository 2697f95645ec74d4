/**
 * Every decision that is printed as a next step, played: the command is typed as it stands, with what a person fills in, the
 * next run ends well, and what is at the service is what the step promised. Waits: links.waiting.test.ts.
 */
import { join } from "node:path";
import { decisions } from "../../src/report/next-steps.js";
import type { FaultRule } from "../../src/sandbox/index.js";
import type { Transport } from "../../src/submit/transport.js";
import { createUndiciTransport } from "../../src/submit/undici-transport.js";
import { checkedLines } from "../support/json-lines.js";
import { type LinkedWorld, linkedWorld } from "../support/linked.js";
import { sampled } from "../support/sample.js";

interface Story {
  why: string;
  command: string;
  /** Brings the situation about, with the last command that ended with 3. */
  arrange(world: LinkedWorld): Promise<unknown>;
  /** For what the command leaves open. */
  filledIn?(world: LinkedWorld): Record<string, string>;
  /** Documents of load A: their state and events. */
  there: [state: string, ...events: string[]][];
}

const onEvents = { path: "/documents/events" };
const lost: FaultRule = { match: onEvents, nth: 1, times: 6, action: { kind: "drop", when: "before" } };
const refuses = (path: string, status = 400): FaultRule => ({
  match: { path },
  action: { kind: "status", status, when: "before" },
});
let file = 0;

async function importing(world: LinkedWorld, ...rows: string[]) {
  const name = `rows-${(file += 1)}.csv`;
  world.write(name, rows);
  return (await world.import(name)).code;
}

const landed =
  (first: string[], ...then: string[]) =>
  async (world: LinkedWorld) => {
    expect(await importing(world, ...first)).toBe(0);
    await importing(world, ...then);
  };

const CLOSE = "A 20 close";
const CANCEL = "A 20 cancel";
const cameAfter = (what: string) =>
  `these rows came after the ${what} of their documents: if they took place before it, send the document again,`;
const isStuck = "their documents have created others and cannot be sent again";
const noHelp = "sending their documents again would not help: give the rows up";
const [upToSplit, giveUp] = [["5 Weighing", "10 SPLIT"], `${isStuck}: give the rows up`];

/** A row that could only be sent with a next generation, of a document that has made another: why, its end, the row, and what is there. */
const stuck: Record<string, [why: string, end: string[], row: string, ...there: Story["there"]]> = {
  changed: [
    `rows changed after they had landed; ${isStuck}: keep what landed`,
    [],
    "A 5 weight=7",
    ["open", ...upToSplit],
  ],
  late: [`rows came too late for their timelines; ${giveUp}`, [], "A 3", ["open", ...upToSplit]],
  "after-close": [
    `these rows came after the CLOSE of their documents; ${noHelp}`,
    [CLOSE],
    "A 15",
    ["closed", ...upToSplit, "20 CLOSE"],
  ],
  "after-cancel": [
    `these rows came after the CANCEL of their documents; ${noHelp}`,
    [CANCEL],
    "A 15",
    ["cancelled", ...upToSplit, "20 CANCEL"],
  ],
};
const leftToAMaker = (end: string[], row: string) => async (world: LinkedWorld) => {
  expect(await importing(world, "A 5", "A 10 split B", ...end)).toBe(0);
  expect(await importing(world, row)).toBe(3);
  expect((await world.typed("status")).out).not.toContain("rowferry replace");
};

const replace = "replace <document> --reason <text>";
const reason = () => ({ "<text>": "wrong" });

/** The second row of a file is deleted before it was sent. */
async function takeAway(world: LinkedWorld) {
  const name = `rows-${(file += 1)}.csv`;
  world.write(name, ["B 1", "A 2"]);
  await world.typed("import", "linked.yaml", name, "--limit", "1");
  world.write(name, ["B 1"]);
  expect((await world.import(name)).code).toBe(3);
}

/** A replacement whose CANCEL is refused. */
async function refuseCancel(world: LinkedWorld) {
  await landed(["A 1", "A 2"], "A 2 weight=7")(world);
  await world.typed("replace", "load/A", "--reason", "wrong");
  world.sandbox.setFaults([refuses("/documents/events"), refuses("/documents/{documentId}/events")]);
  await world.ends(3, "resume");
  world.sandbox.setFaults([]);
}

/** Load A by its id from another ledger, then from this one: the keys of these minutes are taken. */
async function collide(world: LinkedWorld, ...minutes: number[]) {
  expect(await importing(world, "A 1")).toBe(0);
  const [{ id } = { id: "" }] = world.timelines("A");
  world.write(
    "ids-1.csv",
    minutes.map((minute) => `${id} ${minute}`),
  );
  world.env["ROWFERRY_LEDGER"] = join(world.cwd, "other.db");
  expect((await world.import("ids-1.csv")).code).toBe(0);
  delete world.env["ROWFERRY_LEDGER"];
  expect((await world.import("ids-1.csv")).code).toBe(3);
}

/** Nothing was carried out, which nobody can know; then it is refused twice. */
async function leaveInDoubt(world: LinkedWorld, ...rows: string[]) {
  world.sandbox.setFaults([lost]);
  expect(await importing(world, ...rows)).toBe(4);
  world.sandbox.setFaults([refuses("/documents/events"), refuses("/documents")]);
  await world.ends(4, "resume");
  await world.ends(3, "resume");
  world.sandbox.setFaults([]);
}

const stories: Story[] = [
  {
    why: "rows changed after they had landed: cancel their document and send it again,",
    command: replace,
    arrange: landed(["A 1", "A 2"], "A 2 weight=7"),
    filledIn: reason,
    there: [
      ["cancelled", "1 Weighing", "2 Weighing", "now CANCEL"],
      ["open", "1 Weighing", "2 Weighing"],
    ],
  },
  {
    why: "or keep what landed",
    command: "dismiss --code changed",
    arrange: landed(["A 1", "A 2"], "A 2 weight=7"),
    there: [["open", "1 Weighing", "2 Weighing"]],
  },
  {
    why: "rows came too late for their timelines: cancel their document and send it again with them,",
    command: replace,
    arrange: landed(["A 5"], "A 3"),
    filledIn: reason,
    there: [
      ["cancelled", "5 Weighing", "now CANCEL"],
      ["open", "3 Weighing", "5 Weighing"],
    ],
  },
  {
    why: "or give the rows up",
    command: "dismiss --code late",
    arrange: landed(["A 5"], "A 3"),
    there: [["open", "5 Weighing"]],
  },
  ...Object.entries(stuck).map(
    ([code, [why, end, row, ...there]]): Story => ({
      why,
      command: `dismiss --code ${code}`,
      arrange: leftToAMaker(end, row),
      there,
    }),
  ),
  {
    why: cameAfter("CLOSE"),
    command: replace,
    arrange: landed(["A 10", CLOSE], "A 15"),
    filledIn: reason,
    there: [
      ["cancelled", "10 Weighing", "20 CLOSE", "now CANCEL"],
      ["closed", "10 Weighing", "15 Weighing", "20 CLOSE"],
    ],
  },
  {
    why: "or give the rows up",
    command: "dismiss --code after-close",
    arrange: landed(["A 10", CLOSE], "A 15"),
    there: [["closed", "10 Weighing", "20 CLOSE"]],
  },
  {
    why: cameAfter("CANCEL"),
    command: replace,
    arrange: landed(["A 10", CANCEL], "A 15"),
    filledIn: reason,
    there: [
      ["cancelled", "10 Weighing", "20 CANCEL"],
      ["cancelled", "10 Weighing", "15 Weighing", "20 CANCEL"],
    ],
  },
  {
    why: "or give the rows up",
    command: "dismiss --code after-cancel",
    arrange: landed(["A 10", CANCEL], "A 15"),
    there: [["cancelled", "10 Weighing", "20 CANCEL"]],
  },
  {
    why: "something this ledger did not send has taken these keys: find out who sent it, then accept it",
    command: "dismiss --code foreign-collision",
    arrange: (world) => collide(world, 2),
    there: [["open", "1 Weighing", "2 Weighing"]],
  },
  {
    why: "the service refused to cancel a document that is being replaced: find out why, then try again",
    command: "retry --code cancel-refused",
    arrange: refuseCancel,
    there: [
      ["cancelled", "1 Weighing", "2 Weighing", "now CANCEL"],
      ["open", "1 Weighing", "2 Weighing"],
    ],
  },
  {
    why: "or, if the service no longer has it, send only the new one",
    command: "dismiss --code cancel-refused",
    arrange: refuseCancel,
    there: [
      ["open", "1 Weighing", "2 Weighing"],
      ["open", "1 Weighing", "2 Weighing"],
    ],
  },
  {
    why: "the service's answer to a lookup makes no sense: find out why, then retry",
    command: "retry --code lookup-unreadable",
    async arrange(world) {
      const alive = world.pipeline;
      const wire = createUndiciTransport();
      const somebodyElse = { id: "p-0", taxId: "999", taxIdType: "CNPJ", type: "COMPANY" };
      const transport: Transport = async (call) => {
        const reply = await wire(call);
        const isLookup = call.method === "GET" && call.url.includes("/participants?");
        return isLookup ? { ...reply, status: 200, body: JSON.stringify(somebodyElse) } : reply;
      };
      world.pipeline = { ...alive, runImport: (given) => alive.runImport({ ...given, transport }) };
      expect(await importing(world, "A 1")).toBe(3);
      world.pipeline = alive;
    },
    there: [["open", "1 Weighing"]],
  },
  {
    why: "rows were deleted from their file before they were sent: give them up,",
    command: "dismiss --code row-gone",
    arrange: takeAway,
    there: [],
  },
  {
    why: "or send them anyway",
    command: "retry --code row-gone",
    arrange: takeAway,
    there: [["open", "2 Weighing"]],
  },
  {
    why: "find the stranded document's id at the service and enter it",
    command: "resolve <document> --document-id <id>",
    async arrange(world) {
      world.sandbox.setFaults([{ match: onEvents, nth: 1, action: { kind: "drop", when: "after" } }]);
      expect(await importing(world, "A 1")).toBe(3);
      world.sandbox.setFaults([]);
    },
    filledIn: (world) => ({ "<id>": world.timelines("A")[0]?.id ?? "" }),
    there: [["open", "1 Weighing"]],
  },
  {
    why: "check at the service whether the document in doubt exists: enter its id, or use --not-landed",
    command: "resolve <document> --document-id <id>",
    arrange: (world) => leaveInDoubt(world, "A 1"),
    filledIn: () => ({ "--document-id": "--not-landed", "<id>": "" }),
    there: [["open", "1 Weighing"]],
  },
  {
    why: "check at the service whether the events in doubt have landed; use --not-landed if they have not",
    command: "resolve <document, row or event key> --landed",
    async arrange(world) {
      expect(await importing(world, "A 1")).toBe(0);
      await leaveInDoubt(world, "A 2");
    },
    filledIn: () => ({ "--landed": "--not-landed" }),
    there: [["open", "1 Weighing", "2 Weighing"]],
  },
];

test.each(sampled(stories, 12))("$why $command", async (story) => {
  const world = await linkedWorld();
  await story.arrange(world);
  const status = await world.typed("status");
  // One document is meant, so it is named.
  const command = story.command.replace(/<document.*?>/, "load/A");
  const printed = status.out.split("\n").find((line) => line.startsWith(`rowferry ${command}`));
  expect(status.out.replaceAll(/\s+/g, " ")).toContain(story.why);
  expect(printed, status.out).toBeDefined();
  const words = (printed as string).slice("rowferry ".length).split(" ");
  const filledIn = story.filledIn?.(world) ?? {};
  const typed = words.map((word) => filledIn[word] ?? word).filter((word) => word !== "");
  const { code, out, err } = await world.typed(...typed, ...(typed.includes("resolve") ? ["--yes"] : []));
  expect(code, out + err).toBeLessThan(4);
  const then = (await world.typed("status")).out;
  const last = await world.typed("resume");
  expect(last.code, last.out).toBe(0);
  if (/landed on/.test(last.out)) expect(then).toMatch(/^rowferry resume /m);
  expect((await world.typed("status")).out).not.toContain(`rowferry ${command}`);
  expect(world.timelines("A").map(({ state, events }) => [state, ...events])).toEqual(story.there);
});

it.each([
  ["after-close", CLOSE],
  ["after-cancel", CANCEL],
])("%s: no replacement is proposed for a row that its next generation could not take either", async (code, end) => {
  const world = await linkedWorld();
  await landed(["A 10", end], "A 30")(world);
  const { out } = await world.typed("status");
  expect(out.replaceAll(/\s+/g, " ")).toContain(noHelp);
  expect(out).toMatch(new RegExp(`^rowferry dismiss --code ${code}`, "m"));
  expect(out).not.toContain("rowferry replace");
  const refused = await world.typed("replace", "--code", code, "--reason", "wrong", "--yes");
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("Nothing that these selectors match")]);
});

/** Where the service has lost what it had, which needs a service restored from a backup. */
const elsewhere = [
  "the service no longer knows documents that it had: see what else is missing, verify",
  "then send each document again, as its next generation replace <document> --reason <text>",
  "their documents have created others and cannot be sent again: once the service has them again, retry, retry --code document-gone",
  "or give the rows up dismiss --code document-gone",
  ...Object.entries(stuck).map(([code, [why]]) => `${why} dismiss --code ${code} --document <document>`),
];

test.each(sampled(Object.entries(stuck), 4, 1))(
  "beside a document that can be replaced, %s on one that cannot is listed and decided by itself, and does not stop the replacement",
  async (code, [why, end, row]) => {
    const world = await linkedWorld();
    const ofBoth = (...rows: string[]) => rows.flatMap((words) => [words, words.replace("A", "E")]);
    expect(await importing(world, ...ofBoth("A 5", ...end), "A 10 split B", "E 10")).toBe(0);
    expect(await importing(world, ...ofBoth(row))).toBe(3);
    const { out } = await world.typed("status");
    const words = out.replaceAll(/\s+/g, " ");
    for (const example of ["A", "E"]) expect(words).toMatch(new RegExp(`1 [^·]* of load ${example}[^·]* · ${code}`));
    expect(words).toContain("rowferry replace load/E --reason <text>");
    expect(words).toMatch(new RegExp(`rowferry dismiss --code ${code} --document load/A[^]*${why}`));
    // What came after a CANCEL is replaced by name only.
    const which = code === "after-cancel" ? ["load/E"] : ["--code", code, "--yes"];
    if (code !== "after-cancel") {
      const seen = await world.typed("replace", ...which, "--reason", "wrong", "--dry-run");
      expect(seen.out).toMatch(/load E: generation 2[^]*Not replaced: load A has created/);
    }
    const replaced = await world.typed("replace", ...which, "--reason", "wrong", "--json");
    expect(replaced.code).toBe(code === "after-cancel" ? 0 : 3);
    expect(checkedLines(replaced.out).includes("not-replaced")).toBe(code !== "after-cancel");
    await world.typed("resume");
    if (end.length === 0) expect((await world.typed("replace", ...which, "--reason", "wrong")).code).toBe(2);
    expect((await world.typed("dismiss", "--code", code, "--document", "load/A")).code).toBe(0);
    await world.typed("resume");
    expect((await world.typed("status")).out).not.toContain("of load A");
  },
);

test("no decision is left out, but what test/unit/keys.lost-at-service.test.ts plays", () => {
  const played = [...stories.map(({ why, command }) => `${why} ${command}`), ...elsewhere];
  expect(played.toSorted()).toEqual(decisions.map(([, why, command]) => `${why} ${command}`).toSorted());
});

test("a name that a shell would take apart is quoted; of several documents none is named", long, async () => {
  const world = await linkedWorld();
  world.write("rows-blank.csv", [
    { doc: "A 'x", at: 1 },
    { doc: "B", at: 1 },
  ]);
  expect((await world.import("rows-blank.csv")).code).toBe(0);
  world.write("rows-blank.csv", [
    { doc: "A 'x", at: 1, weight: "7" },
    { doc: "B", at: 1 },
  ]);
  const first = await world.import("rows-blank.csv");
  world.write("rows-blank.csv", [
    { doc: "A 'x", at: 1, weight: "7" },
    { doc: "B", at: 1, weight: "7" },
  ]);
  const second = await world.import("rows-blank.csv");
  expect(first.out).toContain(String.raw`rowferry replace 'load/A '\''x' --reason <text>`);
  expect(second.out).toContain("rowferry replace <document> --reason <text>");
});

test("where all that is open is in doubt, no correction is proposed", long, async () => {
  const world = await linkedWorld();
  world.sandbox.setFaults([lost]);
  world.write("rows-doubt.csv", ["A 1"]);
  const imported = await world.import("rows-doubt.csv");
  expect(imported.code, imported.out).toBe(4);
  const status = await world.typed("status");
  for (const { out } of [imported, status]) {
    expect(out).toMatch(/^rowferry resume /m);
    expect(out).not.toMatch(/orrect|rejects|rowferry console/);
  }
});

test(
  "the lost id of a document that an event has made is a person's to find, not a row's to correct",
  long,
  async () => {
    const world = await linkedWorld();
    expect(await importing(world, "A 1")).toBe(0);
    world.sandbox.setFaults([{ match: onEvents, nth: 1, action: { kind: "drop", when: "after" } }]);
    const imported = await importing(world, "A 2 split B");
    expect(imported).toBe(3);
    world.sandbox.setFaults([]);
    const { out } = await world.typed("status");
    expect(out).toContain("To decide");
    expect(out).not.toMatch(/To correct|rejects/);
    const id = world.timelines("B")[0]?.id ?? "";
    const [printed = ""] = out.split("\n").filter((line) => line.startsWith("rowferry resolve load/B "));
    const words = printed.slice("rowferry ".length).replace("<id>", id);
    const resolved = await world.typed(...words.split(" "), "--yes");
    expect(resolved.code, resolved.err).toBe(0);
    await world.ends(0, "resume");
    expect((await world.typed("status")).out).toContain("all is well");
  },
);

test("a stranded document gets its id also from a client that may not read documents", long, async () => {
  const world = await linkedWorld();
  world.sandbox.setFaults([{ match: onEvents, nth: 1, action: { kind: "drop", when: "after" } }]);
  await world.brings(3, "rows-1.csv", ["A 10"]);
  const { id = "" } = world.timelines("A")[0] ?? {};
  for (const [code, match] of [
    [4, {}],
    [0, { path: "/documents/{id}" }],
  ] as const) {
    world.sandbox.setFaults([{ match, action: { kind: "status", status: 403, when: "before" } }]);
    await world.ends(code, `resolve load/A --document-id ${id} --yes`);
  }
  await world.ends(0, "resume");
  expect((await world.typed("status")).out).toContain("all is well");
});

test("what a dismissal would do is told without the events that only the next run refuses", long, async () => {
  const world = await linkedWorld();
  await world.brings(0, "rows-1.csv", ["B 10", "B 20 close"]);
  await world.brings(3, "rows-2.csv", ["B 30"]);
  world.sandbox.setFaults([{ match: onEvents, nth: 1, action: { kind: "drop", when: "after" } }]);
  await world.brings(3, "rows-3.csv", ["A 10", "A 20 close", "A 30"]);
  const { id = "" } = world.timelines("A")[0] ?? {};
  await world.ends(0, `resolve load/A --document-id ${id} --yes`);
  const dismissing = (how: string) => world.typed("dismiss", "--code", "after-close", how);
  const [foretold, done] = [await dismissing("--dry-run"), await dismissing("--yes")];
  expect(foretold.out).toContain("Dismissed: 1 event.");
  expect(done.out).toContain("Dismissed: 1 event.");
});

test("a stranded document is one thing to decide; its events are none of their own", long, async () => {
  const world = await linkedWorld();
  world.sandbox.setFaults([{ match: onEvents, nth: 1, action: { kind: "drop", when: "after" } }]);
  await world.brings(3, "rows-1.csv", ["A 10", "A 20"]);
  const { out } = await world.typed("status");
  expect(out.match(/document-stranded/g), out).toHaveLength(1);
  expect(out).toContain("env: 1 thing needs you.");
});

test.each([
  [
    "is sent in the next generation alone",
    "resume",
    [
      ["10 Weighing", "now CANCEL"],
      ["10 Weighing", "20 Weighing"],
    ],
  ],
  [
    "is sent after all, if the replacement is taken back",
    "withdraw --document load/A --yes",
    [["10 Weighing", "20 Weighing"]],
  ],
])(
  "an event that a person says has not landed, while its document is being replaced, %s",
  long,
  async (_, line, there) => {
    const world = await linkedWorld();
    await world.brings(0, "rows-1.csv", ["A 10"]);
    world.sandbox.setFaults([{ match: onEvents, times: 9, action: { kind: "status", status: 500, when: "before" } }]);
    await world.brings(4, "rows-2.csv", ["A 20"]);
    await world.ends(0, "replace load/A --reason wrong");
    await world.ends(0, "resolve load/A --not-landed --yes");
    world.sandbox.setFaults([]);
    await world.ends(0, line);
    await world.ends(0, "resume");
    expect(world.timelines("A").map(({ events }) => events)).toEqual(there);
  },
);

test(
  "a creation in doubt whose events wait for it alone is sent by the next run, and status says so",
  long,
  async () => {
    const world = await linkedWorld({ settings: { creation: "shell-first" } });
    world.sandbox.setFaults([{ ...lost, match: { path: "/documents" }, times: 9 }]);
    await world.brings(4, "rows-1.csv", ["A 10"]);
    world.sandbox.setFaults([]);
    const { out } = await world.typed("status");
    expect([out.match(/^Documents +1 stalled$/m)?.length, out.match(/^rowferry resume /m)?.length], out).toEqual([
      1, 1,
    ]);
    await world.ends(0, "resume");
  },
);

test("doubt behind a row to correct waits for that row: no run asks about it before, and none is proposed", async () => {
  const world = await linkedWorld();
  await world.brings(0, "rows-1.csv", ["A 10"]);
  world.sandbox.setFaults([{ ...lost, match: { path: "/documents/events" }, times: 9 }]);
  await world.brings(4, "rows-2.csv", ["A 30"]);
  world.sandbox.setFaults([]);
  await world.brings(3, "rows-3.csv", ["A 20 company=11222333000182"]);
  const { out } = await world.typed("status");
  expect(out).toMatch(/waits for the correction of rows-3.csv, row 2/);
  expect(out).not.toMatch(/the next run settles|^rowferry resume/m);
  await world.ends(0, "dismiss --row rows-3.csv:2 --yes");
  await world.ends(0, "resume");
  expect(world.timeline("A")).toEqual(["10 Weighing", "30 Weighing"]);
});
