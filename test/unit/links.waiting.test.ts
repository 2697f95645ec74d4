/** Every code of waiting: what it waits for is named, and the command that is printed ends it and gives up nothing else (F106, F113). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { planCodes } from "../../src/model/codes/plan.js";
import type { FaultRule } from "../../src/sandbox/index.js";
import { openOffice } from "../support/office.js";
import { loads, weighingsWith } from "../support/weighings.js";
import { COMPANY, type LinkedWorld, linkedWorld, linkRow } from "../support/linked.js";
import { isSample, sampled } from "../support/sample.js";

interface Case {
  /** Rows imported before, and what is put in the service's way afterwards. */
  before?: string[];
  faults?: FaultRule[];
  /** Rows of other files that come along: of `carriers-2.csv`, and of `seen-2.csv`, whose loads the others bring. */
  carriers?: string[];
  seen?: string[];
  /** A SPLIT into its own document is invalid; a link to an id that nothing has is refused. */
  rows: string[];
  /** What it waits for, in words. */
  names?: string;
  /** Of the printed commands the one that begins so; what a person does with it where it asks for something. */
  command: RegExp;
  person?: (world: LinkedWorld, out: string) => Promise<void> | void;
  /** Rows that are given up: of `rows`, from 0. */
  givenUp?: number[];
}

const CARRIER = "11444777000161";
const lost = { kind: "drop", when: "after" } as const;
const onEvents = { path: "/documents/events" };

/** Corrects the rejected files that `rejects` has written, and imports them by the command that it printed. */
const correct = (world: LinkedWorld, out: string) =>
  correctWith(world, out, (text) => text.replaceAll(/,(split|link-id),([^,]*),([^,]*),[^,]*,/g, ",weigh,$2,$3,,"));

async function correctWith(world: LinkedWorld, out: string, mend: (text: string) => string) {
  for (const [, command] of out.matchAll(/^ *rowferry (import .*)$/gm)) {
    const argv = (command as string)
      .split(" ")
      .map((word) => (/\.(yaml|csv)$/.test(word) ? join(world.cwd, word) : word));
    for (const path of argv.filter((word) => word.endsWith(".csv"))) {
      const text = readFileSync(path, "utf8");
      writeFileSync(path, mend(text));
    }
    await world.typed(...argv);
  }
}

const cases: Record<string, Case> = {
  "behind-invalid-row": { rows: ["A 1 split A", "A 2"], command: /^rejects/, person: correct },
  "behind-invalid-row: a party": {
    carriers: ["- 1 weigh company=123 carrier=C2 depot=D2"],
    rows: ["A 1", "A 2 carried carrier=C2 depot=D2", "A 3"],
    names: "the correction of carriers-2.csv, row 2",
    command: /^rejects/,
    person: (world, out) => correctWith(world, out, (text) => text.replace(",123,", `,${CARRIER},`)),
  },
  "behind-invalid-row: what another file has before it": {
    seen: ["B 1"],
    rows: ["A 1", "B 2 split B"],
    names: "the correction of rows-2.csv, row 3",
    command: /^rejects/,
    person: correct,
  },
  "behind-invalid-row: a document that its SPLIT would make": {
    seen: ["B 20"],
    rows: ["A 1", "A 10 split B company=123", "C 30 link B"],
    names: "the correction of rows-2.csv, row 3",
    command: /^rejects/,
    person: (world, out) => correctWith(world, out, (text) => text.replace(",123,", `,${COMPANY},`)),
  },
  "behind-rejected": {
    before: ["A 1"],
    rows: ["A 2 link-id nowhere", "A 3"],
    command: /^rejects/,
    person: correct,
  },
  "behind-held": {
    rows: ["A 1", "A 2 link X", "A 3"],
    command: /^dismiss/,
    givenUp: [1],
  },
  "behind-linked": {
    before: ["A 1", "B 1"],
    rows: ["B 2 link-id nowhere", "A 3 link B", "A 4"],
    command: /^rejects/,
    person: correct,
  },
  "behind-stalled": {
    before: ["A 1", "B 1"],
    faults: [{ match: onEvents, nth: 1, times: 6, action: lost }],
    rows: ["A 2", "B 3 link A", "A 4"],
    command: /^resume/,
  },
  "document-stalled": {
    faults: [{ match: onEvents, nth: 1, times: 6, action: { kind: "drop", when: "before" } }],
    rows: ["A 1", "B 2 link A", "A 3"],
    command: /^resume/,
  },
  "document-rejected": {
    faults: [onEvents, { path: "/documents" }].map((match) => ({
      match,
      action: { kind: "status", status: 400, when: "before" },
    })),
    rows: ["A 1", "A 2", "B 3 one-way A"],
    command: /^rejects/,
    // Its owner is another company.
    person: (world, out) => correctWith(world, out, (text) => text.replaceAll(COMPANY, CARRIER)),
  },
  "document-stranded": {
    faults: [{ match: onEvents, nth: 1, action: lost }],
    rows: ["A 1", "A 2 close", "B 3 link A"],
    command: /^resolve/,
    async person(world) {
      await world.typed("resolve", "load/A", "--document-id", world.timelines("A")[0]?.id ?? "", "--yes");
    },
  },
  "reference-unknown": {
    rows: ["A 1", "A 2 link X", "A 3", "A 4 link X", "A 5"],
    command: /^dismiss --code reference-unknown/,
    givenUp: [1, 3],
  },
  "related-not-created": {
    rows: ["B 1 split B", "B 2", "A 3 one-way B", "A 4"],
    command: /^rejects/,
    person: correct,
  },
  "related-cancelled": {
    before: ["B 1", "B 2 cancel"],
    rows: ["A 1", "A 3 link B", "A 4"],
    command: /^dismiss --code related-cancelled/,
    givenUp: [1],
  },
  "target-not-created": {
    rows: ["A 1 split A", "A 2 split B", "B 3"],
    command: /^rejects/,
    person: correct,
  },
  "link-circle": {
    rows: ["A 1 link B", "A 2 split B", "B 3"],
    command: /^dismiss --row/,
    givenUp: [0],
  },
  "participant-not-registered": {
    rows: ["A 1", "A 2 carried carrier=C9 depot=D9", "A 3"],
    names: "participant carrier C9, which no row has brought yet",
    command: /^dismiss --code participant-not-registered/,
    givenUp: [1],
  },
  "participant-not-registered: the key is nearly another's": {
    rows: ["A 1", "A 2 carried carrier=c1 depot=D9", "A 3"],
    names: "participant carrier c1 (there is one with the key C1), which no row has brought yet",
    command: /^dismiss --code participant-not-registered/,
    givenUp: [1],
  },
  "address-not-registered": {
    rows: ["A 1", "A 2 carried carrier=C1 depot=D9", "A 3"],
    names: "address depot D9, which no row has brought yet",
    command: /^dismiss --code address-not-registered/,
    givenUp: [1],
  },
};

/** What no row of a file alone can bring about, what waits for nothing but time, and what is refused instead of waiting. */
const elsewhere = {
  "not-yet-past": "time",
  "behind-foreign": "test/unit/hard-cases.submit.test.ts",
  "import-refused": "test/unit/pipeline.max-errors.test.ts",
  "behind-cancel": "test/unit/keys.replacements.test.ts",
  "cancel-refused": "test/unit/keys.replacements.test.ts",
  "content-missing": "test/unit/keys.replacements.test.ts",
  "behind-unsettled": "test/unit/hard-cases.doubt.test.ts",
  "target-id-unknown": "the reason of a stranded document",
  late: "refused",
  "after-close": "refused",
  "after-cancel": "refused",
  "target-exists": "refused",
  "mirror-early": "sent",
  "mirror-closed": "sent",
};

const codeOf = (title: string) => title.split(":")[0] as string;

test("every code of the planner is walked through, or named as one that nothing waits for", () => {
  const walked = new Set(Object.keys(cases).map(codeOf));
  expect([...walked, ...Object.keys(elsewhere)].toSorted()).toEqual(Object.keys(planCodes).toSorted());
});

test.each(sampled(Object.entries(cases), 10))(
  "%s: names what it waits for, and the printed command ends it alone",
  async (title, one) => {
    const world = await linkedWorld();
    const carriers = await world.brought("carriers-1.csv", [`- 1 weigh company=${CARRIER} carrier=C1 depot=D1`]);
    expect(carriers.code, carriers.out + carriers.err).toBe(0);
    if (one.before !== undefined) {
      await world.brings(0, "rows-1.csv", one.before);
    }
    world.sandbox.setFaults(one.faults ?? []);
    const files = { "carriers-2.csv": one.carriers, "rows-2.csv": one.rows, "seen-2.csv": one.seen };
    const brought = Object.entries(files).flatMap(([name, rows]) =>
      rows === undefined ? [] : [[name, rows] as const],
    );
    for (const [name, rows] of brought) world.write(name, rows);
    const ended = await world.import(...brought.map(([name]) => name));
    expect([3, 4]).toContain(ended.code);
    expect(ended.out).toMatch(/^(Not finished|.* (need|wait)s? )/);
    world.sandbox.setFaults([]);
    const status = await world.typed("status");
    expect(status.out).toMatch(new RegExp(`· ${codeOf(title)}$`, "m"));
    if (title.startsWith("behind-invalid-row")) expect(status.out).not.toContain("dismiss --code");
    expect(status.out.replaceAll(/\s+/g, " ")).toMatch(/waits for (the correction of|event|load|participant|address) /);
    expect(status.out.replaceAll(/\s+/g, " ")).toContain(one.names ?? "waits for");
    const commands = Array.from(status.out.matchAll(/^rowferry (.*)$/gm), ([, command]) => command as string);
    const command = commands.find((text) => one.command.test(text));
    expect(command, status.out).toBeDefined();
    if (one.command.source.startsWith("^resolve")) await one.person?.(world, "");
    else {
      const { out } = await world.typed(...(command as string).split(" "));
      await one.person?.(world, out);
    }
    const then = (await world.typed("status")).out;
    const { code: last, out } = await world.typed("resume");
    expect(last, out).toBe(0);
    // What no longer waits is not told as waiting.
    if (/landed on/.test(out)) expect(then).toMatch(/^rowferry resume /m);
    // All has landed, but what was given up.
    const rows = [...(one.seen ?? []), ...one.rows].map(linkRow);
    const gone = new Set((one.givenUp ?? []).map((index) => rows[index]));
    for (const doc of new Set(rows.map((row) => row.doc))) {
      const sent = world.timeline(doc).filter((event) => !/ (target|mirror)$/.test(event));
      const before = (one.before ?? []).filter((row) => linkRow(row).doc === doc).length;
      const expected = rows.filter((row) => row.doc === doc && !gone.has(row)).map(({ at }) => at);
      expect(
        sent.slice(before).map((event) => Number(event.split(" ")[0])),
        doc,
      ).toEqual(expected);
    }
  },
);

test("where the invalid rows are given up, so can be what waits for them", long, async () => {
  const world = await linkedWorld();
  world.write("carriers-1.csv", ["- 1 weigh company=123 carrier=C2 depot=D2"]);
  world.write("rows-1.csv", ["A 1", "A 2 link B", "A 3 carried carrier=C2 depot=D2", "A 4", "B 5 split B"]);
  await world.import("carriers-1.csv", "rows-1.csv");
  for (const row of ["carriers-1.csv:2", "rows-1.csv:6"])
    expect((await world.typed("dismiss", "--row", row)).code).toBe(0);
  await world.typed("resume");
  for (const code of ["reference-unknown", "participant-not-registered"]) {
    expect((await world.typed("status")).out).toContain(`dismiss --code ${code}`);
    expect((await world.typed("dismiss", "--code", code, "--yes")).code).toBe(0);
    await world.typed("resume");
  }
  expect([world.timeline("A"), world.timelines("B")]).toEqual([["1 Weighing", "4 Weighing"], []]);
});

test.each(sampled(["/participants", "/participants/{participantId}/addresses"], 2, 1))(
  "what waits for a lost answer of %s is taken up by `resume`, and no printed command gives it up",
  async (path) => {
    const world = await linkedWorld();
    world.sandbox.setFaults([{ match: { path, method: "POST" }, action: { kind: "drop", when: "before" } }]);
    await world.brings(4, "rows-1.csv", ["A 1", "A 2"]);
    world.sandbox.setFaults([]);
    const { out } = await world.typed("status");
    expect(out).toMatch(/^rowferry resume/m);
    expect(out).not.toContain("dismiss");
    await world.ends(0, "resume");
    expect(world.timeline("A")).toEqual(["1 Weighing", "2 Weighing"]);
  },
);

const refusedParties: [what: string, path: string, row: string][] = [
  ["an address whose participant is refused", "/participants", "A 1 carried carrier=C1 depot=D1"],
  ["a refused participant", "/participants", `A 1 company=${CARRIER}`],
  ["a refused address", "/participants/{participantId}/addresses", "A 1 carried carrier=C1 depot=D1"],
];

test.each(sampled(refusedParties, 3))(
  "what waits for %s can be given up only after it, and is sent once that is taken back",
  async (_, path, row) => {
    const world = await linkedWorld();
    world.write("carriers-1.csv", [`- 1 weigh company=${CARRIER} carrier=C1 depot=D1`]);
    world.write("rows-1.csv", [row, "A 2"]);
    world.sandbox.setFaults([
      { match: { path, method: "POST" }, nth: 1, action: { kind: "status", status: 400, when: "before" } },
    ]);
    expect((await world.import("carriers-1.csv", "rows-1.csv")).code).toBe(3);
    world.sandbox.setFaults([]);
    const { out } = await world.typed("status");
    expect(out).toMatch(/^rowferry rejects/m);
    expect(out).not.toContain("rowferry dismiss");
    await world.typed("dismiss", "--code", "service-refused", "--yes");
    await world.ends(3, "resume");
    expect((await world.typed("status")).out).toMatch(/^rowferry dismiss --code (participant|address)-not-registered/m);
    await world.typed("dismiss", "--undo", "--code", "dismissed", "--yes");
    await world.ends(0, "resume");
    expect(world.timeline("A")).toHaveLength(2);
  },
);

describe("linked documents under --limit", () => {
  const rows = ["H 1", "A 2 link H", "B 3 link H", "C 4 link B", "H 5", "C 6 close", "H 7 close"];
  const keys = ["H", "A", "B", "C"];

  it.each(isSample ? [2] : [1, 2, 3])(
    "no more than %i documents are sent, and what is left goes with the next runs",
    long,
    async (limit) => {
      const whole = await linkedWorld();
      await whole.brings(0, "rows-1.csv", rows);
      const world = await linkedWorld();
      world.write("rows-1.csv", rows);
      const { code, out } = await world.typed("import", "linked.yaml", "rows-1.csv", "--limit", String(limit));
      expect(code, out).toBe(0);
      const begun = () => keys.filter((key) => world.timelines(key).length > 0).length;
      expect(begun()).toBe(limit);
      for (let run = 0; run < 8 / limit; run += 1)
        expect((await world.typed("resume", "--limit", String(limit))).code).toBe(0);
      expect(keys.map((key) => world.timelines(key).map(({ events }) => events))).toEqual(
        keys.map((key) => whole.timelines(key).map(({ events }) => events)),
      );
      expect(world.refusals()).toEqual([]);
    },
  );
});

test("a key that may be a tax id is shown at a terminal, and not where output is collected (F24)", long, async () => {
  const world = await linkedWorld();
  await world.brought("rows-1.csv", ["A 1 carried carrier=22.333.444/0001-81 depot=D9"]);
  for (const flag of [[], ["--json"]]) {
    const { out } = await world.typed("status", ...flag);
    expect(out.replaceAll(/\s+/g, " ").replaceAll("\\", "")).toContain('participant carrier "…", which');
    expect(out).not.toContain("22.333");
  }
  world.stdout.isTTY = true;
  expect((await world.typed("status")).out).toContain("22.333.444/0001-81");
});

it(
  "a document that should exist, and that nothing has brought, is not called planned; what was registered is said",
  long,
  async () => {
    const documents = { load: { mode: "existing", key: "=load" } };
    const office = openOffice(weighingsWith({ documents, event: { participant: "owner", address: "site" } }));
    office.writeCsv("loads.csv", loads("L1 10 3"));
    await office.ends(3, "import m.yaml loads.csv", "1 participant and 1 address registered");
    await office.ends(0, "status", "weighing of load L1 waits for load L1 (no row has brought it yet)");
  },
);

it("a run that was killed is told as such once another has sent since", long, async () => {
  const world = await linkedWorld();
  world.write("rows.csv", ["A 10", "B 10"]);
  const argv = ["import", ...["linked.yaml", "rows.csv"].map((file) => join(world.cwd, file))];
  expect(await world.killed(4, "after", ...argv)).toBe(true);
  expect((await world.typed("runs")).out).toContain("still working, or");
  await world.typed("resume");
  const { out } = await world.typed("runs");
  expect(out).toMatch(/ killed\n/);
  expect(out).not.toContain("still working");
});

test("once the row is given up that would have created a document, the next run says that no row brings it", async () => {
  const world = await linkedWorld();
  world.write("rows-1.csv", ["A 1", "B 2"]);
  await world.typed("import", "linked.yaml", "rows-1.csv", "--limit", "1");
  await world.brings(3, "rows-1.csv", ["A 1", "D 16 one-way B"]);
  await world.ends(0, "dismiss --code row-gone");
  expect((await world.typed("status")).out).toMatch(/^rowferry resume /m);
  await world.ends(3, "resume");
  expect((await world.typed("status")).out).toMatch(/^rowferry dismiss --code reference-unknown /m);
});

test("an address of a refused participant is not still to be sent, and goes with it when that is given up", async () => {
  const world = await linkedWorld();
  world.sandbox.setFaults([
    { match: { method: "POST", path: "/participants" }, action: { kind: "status", status: 400, when: "before" } },
  ]);
  await world.brings(3, "rows-1.csv", ["A 1"]);
  world.sandbox.setFaults([]);
  const states = async () => ((await world.json("status"))["open"] as { addresses: unknown }).addresses;
  expect([await states(), (await world.typed("status")).out]).toEqual([
    { held: 1 },
    expect.not.stringMatching(/resume/),
  ]);
  await world.ends(0, "dismiss --code service-refused --yes");
  await world.ends(3, "resume");
  await world.ends(0, "dismiss --code participant-not-registered --yes");
  expect([await states(), (await world.typed("status")).out]).toEqual([{}, expect.stringContaining("all is well")]);
  await world.ends(0, "dismiss --undo --row rows-1.csv:2 --yes");
  await world.ends(0, "resume");
  expect(world.timeline("A")).toEqual(["1 Weighing"]);
});

test("a cancelled document that has made another cannot be sent again, so that is not proposed to what refers to it", async () => {
  const world = await linkedWorld();
  await world.brings(0, "rows-1.csv", ["B 1 split S", "B 2 cancel"]);
  await world.brings(3, "rows-2.csv", ["A 3 link B"]);
  const { out } = await world.typed("status");
  expect(out).toMatch(/^rowferry dismiss --code related-cancelled/m);
  expect(out).not.toContain("rowferry replace");
});

test("what refers to a cancelled document waits on where another row of that document is given up", async () => {
  const world = await linkedWorld();
  await world.brings(0, "rows-1.csv", ["B 1", "B 2 cancel"]);
  await world.brings(3, "rows-2.csv", ["A 3 link B", "B 4"]);
  await world.ends(0, "dismiss --code after-cancel --yes");
  expect((await world.json("status"))["open"]).toMatchObject({ events: { held: 1 } });
});

test("taking back a file releases what waits for its rows", async () => {
  const world = await linkedWorld();
  world.write("rows-1.csv", ["D 5", "A 1 company=1"]);
  await world.typed("import", "linked.yaml", "rows-1.csv", "--max-errors", "10%");
  await world.brings(3, "rows-2.csv", ["D 9", "B 10 link A"]);
  await world.ends(0, "withdraw --input rows-1.csv --yes");
  expect((await world.typed("status")).out).toMatch(/^rowferry resume /m);
  await world.ends(3, "resume");
  expect(world.timeline("D")).toEqual(["9 Weighing"]);
  expect((await world.typed("status")).out).toMatch(/^rowferry dismiss --code reference-unknown /m);
});
