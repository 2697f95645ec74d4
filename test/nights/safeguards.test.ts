/** Every safeguard is needed: with one taken out, a night that otherwise breaks no promise breaks one. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writer } from "../../src/ledger/writer.js";
import { lockLedger } from "../../src/ledger/care/lock.js";
import { rebuildLedger } from "../../src/desk/restore.js";
import { replaceEach } from "../support/decide.js";
import { live } from "./simulation/night.js";
import { drawStory, type Step, type Story, type StoryRow, TONIGHT } from "./simulation/story.js";
import { eventRow } from "./simulation/story-rows.js";
import { type Nights, type Safeguard, safeguards, withoutSafeguard } from "./simulation/without.js";
import { createWorld, lostAnswers, storyFile, type World } from "./simulation/world.js";
import { twinParticipants } from "../support/doubled.js";

/** The product as it is. */
const whole: Nights = { live, createWorld, replaceEach };
afterEach(() => void vi.restoreAllMocks());

const plain = (steps: Step[], more: Partial<Story> = {}) => ({
  seed: 1,
  sandbox: {},
  settings: {},
  maxEventsPerRequest: 10,
  steps,
  ...more,
});
let files = 0;
const imports = (rows: Omit<Extract<StoryRow, { is: "event" }>, "is" | "row">[], more: Partial<Step> = {}) => {
  files += 1;
  const numbered = rows.map((row, index) => ({ is: "event", row: index + 2, key: `k${row.minute}`, ...row }));
  return { do: "import", file: `file-${files}`, rows: numbered, faults: [], kill: null, ...more } as Step;
};
const m1 = (minute: number) => ({ document: "M1", minute });
const allLost: Partial<Step> = { faults: lostAnswers(6) };

const others = ["generation", "look-before-create", "receipt-by-evidence"] as const satisfies Safeguard[];

/** The night that needs each safeguard. The others have tests of their own below. */
const stories: Record<Exclude<Safeguard, (typeof others)[number]>, Story> = {
  "same-key": plain([imports([m1(1)]), imports([m1(10)], allLost)]),
  "refusal-after-doubt": plain([imports([m1(1)]), imports([m1(10), m1(20)], allLost)], {
    sandbox: { checks: "order-first" },
  }),
  hold: plain([
    {
      do: "import",
      file: "held",
      rows: [
        { is: "invalid", row: 2, document: "M1", minute: 10, event: null, key: null },
        { is: "event", row: 3, document: "M1", minute: 20, key: "k" },
      ],
      faults: [],
      kill: null,
    },
  ]),
  "refused-import": plain([
    imports([m1(1)]),
    {
      do: "import",
      file: "refused",
      rows: [
        { is: "event", row: 2, document: "M1", minute: 10, key: "k" },
        { is: "invalid", row: 3, document: "M1", minute: 20, event: null, key: null },
      ],
      faults: [],
      kill: null,
      maxErrors: "0",
    },
    imports([{ document: "M2", minute: 5 }]),
  ]),
  order: plain([imports([m1(20), m1(10)])]),
  lifecycle: plain([imports([{ ...m1(10), name: "CLOSE" }, m1(20)])]),
  "meeting-points": plain(
    [
      imports([
        { document: "M2", minute: 5 },
        ...[5, 10, 20, 30].map(m1),
        { document: "M2", minute: 40, name: "RELATED", related: { document: "M1", bidirectional: true } },
      ]),
    ],
    { maxEventsPerRequest: 1 },
  ),
  "service-clock": plain([imports([m1(1)]), imports([m1(TONIGHT - 30)])], {
    sandbox: { clockOffset: -3_600_000 },
  }),
};

describe("taken out, a night breaks a promise:", () => {
  test.each(Object.entries(stories))("%s", long, async (name, story) => {
    expect((await live(story)).broken).toEqual([]);
    const nights = await withoutSafeguard(name as Safeguard);
    expect((await nights.live(story)).broken).not.toEqual([]);
  });

  test("look-before-create", long, async () => {
    expect(await twins(whole)).toBe(0);
    expect(await twins(await withoutSafeguard("look-before-create"))).toBe(1);
  });

  test("receipt-by-evidence", long, async () => {
    expect(await ofTwoLedgers(whole)).toBe("foreign");
    expect(await ofTwoLedgers(await withoutSafeguard("receipt-by-evidence"))).toBe("landed-without-id");
  });

  test("generation", long, async () => {
    expect(await replaced(whole)).toEqual([2, 1]);
    expect(await replaced(await withoutSafeguard("generation"))).not.toEqual([2, 1]);
  });

  test("none is left out", () => {
    expect([...Object.keys(stories), ...others].toSorted()).toEqual(Object.keys(safeguards).toSorted());
  });
});

describe("taken from the ledger, a night breaks a promise:", () => {
  test("the intent is written before the call", long, async () => {
    const story = plain([
      imports([m1(1)]),
      imports([m1(10)], { kill: { request: 1, when: "after" } }),
      { do: "resume", faults: [], kill: null },
    ]);
    expect((await live(story)).broken).toEqual([]);
    // What should have been written before the call is written when its outcome is.
    const late: (() => void)[] = [];
    const law = Writer.prototype;
    for (const name of ["sendingEvents", "sendingDocument"] as const) {
      const real = law[name] as (this: Writer, ...given: unknown[]) => void;
      vi.spyOn(law, name).mockImplementation(function (this: Writer, ...given: unknown[]) {
        late.push(() => real.apply(this, given));
      });
    }
    for (const name of ["landed", "opened"] as const) {
      const real = law[name] as (this: Writer, ...given: unknown[]) => unknown;
      vi.spyOn(law, name).mockImplementation(function (this: Writer, ...given: unknown[]) {
        for (const write of late.splice(0)) write();
        return real.apply(this, given);
      });
    }
    expect((await live(story)).broken).not.toEqual([]);
  });

  test("what is found sending at start-up is in doubt", long, async () => {
    const story = drawStory(1932);
    expect((await live(story)).broken).toEqual([]);
    vi.spyOn(Writer.prototype, "interrupted").mockImplementation(() => {});
    expect((await live(story)).broken).not.toEqual([]);
  });

  test("one writer at a time holds the lock's file", async () => {
    const world = createWorld();
    const options = { wait: false, clock: world.clock };
    const first = await lockLedger(world.target.ledgerPath, options);
    await expect(lockLedger(world.target.ledgerPath, options)).rejects.toMatchObject({ code: "ledger-locked" });
    rmSync(`${world.target.ledgerPath}.lock`);
    (await lockLedger(world.target.ledgerPath, options)).release();
    first.release();
    await world.close();
  });

  test("rows of one tax id and two names are refused, where the mapping says so", async () => {
    expect(await ofTwoNames("reject")).toEqual({ exitCode: 3, invalid: 1, timelines: [1] });
    expect(await ofTwoNames("first")).toEqual({ exitCode: 0, invalid: 0, timelines: [2] });
  });

  test("the journal tells of what was about to be sent", long, async () => {
    expect(await rebuiltInDoubt((line) => line)).toBe("landed-without-id");
    // Without intents, what has ended cannot be told of: the ledger that was rebuilt is behind its own journal.
    const withoutIntents = (line: string) => (line.includes('"entry":"intent"') ? "" : line);
    await expect(rebuiltInDoubt(withoutIntents)).rejects.toMatchObject({ code: "ledger-behind-journal" });
  });
});

/** Participants registered twice after a lost answer, where the service allows twins. */
async function twins(from: Nights) {
  const world = from.createWorld({
    sandbox: { twinParticipants: true },
    settings: { participants: { strategy: "create-first", foreign: "use" } },
  });
  const lost = { kind: "drop", when: "after" } as const;
  world.setFaults([{ match: { method: "POST", path: "/participants" }, nth: 1, action: lost }]);
  await world.bring("a", ["M1 1"]);
  await world.resume();
  const count = twinParticipants(world.sandbox.store).length;
  await world.close();
  return count;
}

/** Two ledgers know one document; the second sends an event that the first has landed. Its state in the second. */
async function ofTwoLedgers(from: Nights) {
  const world = from.createWorld();
  await world.bring("a", ["M1 1"]);
  const [first, second] = [world.target.ledgerPath, `${world.target.ledgerPath}-copy`];
  world.withLedger((database) => database.exec(`VACUUM INTO '${second}'`));
  await world.bring("b", ["M1 10"]);
  world.target.ledgerPath = second;
  await world.bring("b", ["M1 10"]);
  const state = lastState(world);
  expect(first).not.toBe(second);
  await world.close();
  return state;
}

const lastState = (world: World) =>
  world.withLedger((database) =>
    database.prepare<[], string>("SELECT state FROM event_states ORDER BY event_id DESC LIMIT 1").pluck().get(),
  ) ?? "";

/** One tax id under two names in one file, where the mapping says that such rows are refused. */
async function ofTwoNames(identity: "first" | "reject") {
  const world = createWorld({ settings: { identity } });
  const summary = await world.bring("a", ["M1 1", eventRow({ row: 3, ...m1(2), participantName: "Another Company" })]);
  const timelines = world.documents().map(({ events }) => events.length);
  await world.close();
  return { exitCode: summary.exitCode, invalid: summary.rows.invalid, timelines };
}

/** Lengths of the timelines after a document of one event was replaced: the old one with its CANCEL, and the new one. */
async function replaced(from: Nights) {
  const world = from.createWorld();
  await world.bring("a", ["M1 1"]);
  await from.replaceEach(world.target, ["M1"], "wrong owner", { clock: world.clock, waitForLock: false });
  await world.resume();
  const timelines = world.documents().map(({ events }) => events.length);
  await world.close();
  return timelines;
}

/** The process dies with an answer on its way, and the ledger's disk with it; what the rebuilt one makes of that event. */
async function rebuiltInDoubt(kept: (line: string) => string) {
  const disk = mkdtempSync(join(tmpdir(), "rowferry-safeguard-"));
  const journal = join(disk, "journal.ndjson");
  const world = createWorld({ journal });
  try {
    await world.bring("a", ["M1 1"]);
    await world.run([storyFile("b", ["M1 10"])], { killAt: { request: 1, when: "after" } });
    world.target.ledgerPath = join(disk, "ledger.db");
    const lines = readFileSync(journal, "utf8").split("\n").map(kept);
    writeFileSync(journal, lines.filter((line) => line !== "").join("\n") + "\n");
    await rebuildLedger(world.target, { journal, backup: null }, world.clock);
    await world.bring("b", ["M1 10"]);
    return lastState(world);
  } finally {
    await world.close();
    rmSync(disk, { recursive: true, force: true });
  }
}
