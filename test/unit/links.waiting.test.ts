/** Every code of waiting: what it waits for is named, and the command that is printed ends it and gives up nothing else (F106, F113). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planCodes } from "../../src/model/codes/plan.js";
import type { FaultRule } from "../../src/sandbox/index.js";
import { COMPANY, type LinkRow, type LinkedWorld, linkedWorld } from "../support/linked.js";

interface Case {
  /** Rows imported before, and what is put in the service's way afterwards. */
  before?: LinkRow[];
  faults?: FaultRule[];
  rows: LinkRow[];
  /** Of the printed commands the one that begins so; what a person does with it where it asks for something. */
  command: RegExp;
  person?: (world: LinkedWorld, out: string) => Promise<void> | void;
  /** Rows that are given up: of `rows`, from 0. */
  givenUp?: number[];
}

const CARRIER = "11444777000161";
const nowhere = "no-such-document";
const weigh = (doc: string, at: number): LinkRow => ({ doc, at });
/** What the service refuses: a link to an id that nothing has. */
const bad = (doc: string, at: number): LinkRow => ({ doc, at, what: "link-id", other: nowhere });
/** Invalid: it makes the document that it is on. */
const invalid = (doc: string, at: number): LinkRow => ({ doc, at, what: "split", other: doc });
const lost = { kind: "drop", when: "after" } as const;
const onEvents = { path: "/documents/events" };

/** Corrects the rejected files that `rejects` has written, and imports them by the command that it printed. */
const correct = (world: LinkedWorld, out: string) =>
  correctWith(world, out, (text) => text.replaceAll(/,(split|link-id),([^,]*),([^,]*),[^,]*,/g, ",weigh,$2,$3,,"));

async function correctWith(world: LinkedWorld, out: string, mend: (text: string) => string): Promise<void> {
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
  "behind-invalid-row": { rows: [invalid("A", 1), weigh("A", 2)], command: /^rejects/, person: correct },
  "behind-rejected": {
    before: [weigh("A", 1)],
    rows: [bad("A", 2), weigh("A", 3)],
    command: /^rejects/,
    person: correct,
  },
  "behind-held": {
    rows: [weigh("A", 1), { doc: "A", at: 2, what: "link", other: "X" }, weigh("A", 3)],
    command: /^dismiss/,
    givenUp: [1],
  },
  "behind-linked": {
    before: [weigh("A", 1), weigh("B", 1)],
    rows: [bad("B", 2), { doc: "A", at: 3, what: "link", other: "B" }, weigh("A", 4)],
    command: /^rejects/,
    person: correct,
  },
  "behind-stalled": {
    before: [weigh("A", 1), weigh("B", 1)],
    faults: [{ match: onEvents, nth: 1, times: 6, action: lost }],
    rows: [weigh("A", 2), { doc: "B", at: 3, what: "link", other: "A" }, weigh("A", 4)],
    command: /^resume/,
  },
  "document-stalled": {
    faults: [{ match: onEvents, nth: 1, times: 6, action: { kind: "drop", when: "before" } }],
    rows: [weigh("A", 1), { doc: "B", at: 2, what: "link", other: "A" }, weigh("A", 3)],
    command: /^resume/,
  },
  "document-rejected": {
    faults: [onEvents, { path: "/documents" }].map((match) => ({
      match,
      action: { kind: "status", status: 400, when: "before" },
    })),
    rows: [weigh("A", 1), weigh("A", 2), { doc: "B", at: 3, what: "one-way", other: "A" }],
    command: /^rejects/,
    // Its owner is another company.
    person: (world, out) => correctWith(world, out, (text) => text.replaceAll(COMPANY, CARRIER)),
  },
  "document-stranded": {
    faults: [{ match: onEvents, nth: 1, action: lost }],
    rows: [weigh("A", 1), { doc: "A", at: 2, what: "close" }, { doc: "B", at: 3, what: "link", other: "A" }],
    command: /^resolve/,
    async person(world) {
      await world.typed("resolve", "load/A", "--document-id", world.timelines("A")[0]?.id ?? "", "--yes");
    },
  },
  "reference-unknown": {
    rows: [
      weigh("A", 1),
      { doc: "A", at: 2, what: "link", other: "X" },
      weigh("A", 3),
      { doc: "A", at: 4, what: "link", other: "X" },
      weigh("A", 5),
    ],
    command: /^dismiss --code reference-unknown/,
    givenUp: [1, 3],
  },
  "related-not-created": {
    rows: [invalid("B", 1), weigh("B", 2), { doc: "A", at: 3, what: "one-way", other: "B" }, weigh("A", 4)],
    command: /^rejects/,
    person: correct,
  },
  "related-cancelled": {
    before: [weigh("B", 1), { doc: "B", at: 2, what: "cancel" }],
    rows: [weigh("A", 1), { doc: "A", at: 3, what: "link", other: "B" }, weigh("A", 4)],
    command: /^dismiss --code related-cancelled/,
    givenUp: [1],
  },
  "target-not-created": {
    rows: [invalid("A", 1), { doc: "A", at: 2, what: "split", other: "B" }, weigh("B", 3)],
    command: /^rejects/,
    person: correct,
  },
  "link-circle": {
    rows: [
      { doc: "A", at: 1, what: "link", other: "B" },
      { doc: "A", at: 2, what: "split", other: "B" },
      weigh("B", 3),
    ],
    command: /^dismiss --row/,
    givenUp: [0],
  },
  "participant-not-registered": {
    rows: [weigh("A", 1), { doc: "A", at: 2, what: "carried", carrier: "C9", depot: "D9" }, weigh("A", 3)],
    command: /^dismiss --code participant-not-registered/,
    givenUp: [1],
  },
  "address-not-registered": {
    rows: [weigh("A", 1), { doc: "A", at: 2, what: "carried", carrier: "C1", depot: "D9" }, weigh("A", 3)],
    command: /^dismiss --code address-not-registered/,
    givenUp: [1],
  },
};

/** What no row of a file alone can bring about, what waits for nothing but time, and what is refused instead of waiting. */
const elsewhere = {
  "not-yet-past": "time",
  "behind-foreign": "test/unit/hard-cases.submit.test.ts",
  "behind-cancel": "test/unit/keys.replacements.test.ts",
  "cancel-refused": "test/unit/keys.replacements.test.ts",
  "replacement-incomplete": "test/unit/keys.replacements.test.ts",
  "behind-unsettled": "test/unit/hard-cases.doubt.test.ts",
  "target-id-unknown": "the reason of a stranded document",
  late: "refused",
  "after-close": "refused",
  "after-cancel": "refused",
  "target-exists": "refused",
  "mirror-early": "sent",
  "mirror-closed": "sent",
};

test("every code of the planner is walked through, or named as one that nothing waits for", () => {
  expect([...Object.keys(cases), ...Object.keys(elsewhere)].toSorted()).toEqual(Object.keys(planCodes).toSorted());
});

test.each(Object.entries(cases))(
  "%s: names what it waits for, and the printed command ends it alone",
  async (code, one) => {
    const world = await linkedWorld();
    world.write("carriers-1.csv", [{ doc: "", at: 1, company: CARRIER, carrier: "C1", depot: "D1" }]);
    const carriers = await world.import("carriers-1.csv");
    expect(carriers.code, carriers.out + carriers.err).toBe(0);
    if (one.before !== undefined) {
      world.write("rows-1.csv", one.before);
      expect((await world.import("rows-1.csv")).code).toBe(0);
    }
    world.sandbox.setFaults(one.faults ?? []);
    world.write("rows-2.csv", one.rows);
    const ended = await world.import("rows-2.csv");
    expect([3, 4]).toContain(ended.code);
    expect(ended.out).toMatch(/^(Not finished|.* (need|wait)s? )/);
    world.sandbox.setFaults([]);
    const status = await world.typed("status");
    expect(status.out).toMatch(new RegExp(`· ${code}$`, "m"));
    expect(status.out.replaceAll(/\s+/g, " ")).toMatch(/waits for (the correction of|event|load|participant|address) /);
    const commands = Array.from(status.out.matchAll(/^rowferry (.*)$/gm), ([, command]) => command as string);
    const command = commands.find((text) => one.command.test(text));
    expect(command, status.out).toBeDefined();
    if (one.command.source.startsWith("^resolve")) await one.person?.(world, "");
    else {
      const { out } = await world.typed(...(command as string).split(" "));
      await one.person?.(world, out);
    }
    const { code: last, out } = await world.typed("resume");
    expect(last, out).toBe(0);
    // All has landed, but what was given up.
    const gone = new Set((one.givenUp ?? []).map((index) => one.rows[index]));
    for (const doc of new Set(one.rows.map((row) => row.doc))) {
      const sent = world.timeline(doc).filter((event) => !/ (target|mirror)$/.test(event));
      const before = (one.before ?? []).filter((row) => row.doc === doc).length;
      const expected = one.rows.filter((row) => row.doc === doc && !gone.has(row)).map(({ at }) => at);
      expect(
        sent.slice(before).map((event) => Number(event.split(" ")[0])),
        doc,
      ).toEqual(expected);
    }
  },
);
