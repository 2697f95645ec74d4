/** Twenty bad mornings: each tells one true message, and docs/how-to/notifications.md says what a person reads. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createSandbox } from "../../src/sandbox/index.js";
import { type Notification, subjectOf, textOf } from "../../src/serve/message.js";
import { type Office, openOffice, openOfficeAt } from "../support/office.js";
import { openReceiver } from "../support/receiver.js";
import { sampled } from "../support/sample.js";
import { weighings } from "../support/weighings.js";

const DAY = 86_400_000;
const HEADER = ["Load", "At", "Gross"];
const DOCUMENT = new URL("../../docs/how-to/notifications.md", import.meta.url);

interface Nights extends Office {
  /** Imports one file of rows at two in the morning of the given night. */
  night(day: number, rows: readonly (readonly string[])[] | string, ...more: string[]): Promise<number>;
  /** What was told since this was last asked. */
  told(): Notification[];
}

async function nights(
  settings = "",
  at: "sandbox" | "service" = "sandbox",
): Promise<Nights & { faults: (rules: Parameters<ReturnType<typeof createSandbox>["setFaults"]>[0]) => void }> {
  const receiver = await openReceiver();
  const sandbox = createSandbox({ storage: "memory", rate: null });
  const office = at === "sandbox" ? openOffice(weighings) : await openOfficeAt(sandbox, weighings);
  const { world } = office;
  world.clock = {
    now: () => world.now,
    sleep: (ms) => {
      world.now += ms;
      return new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
  writeFileSync(office.path("rowferry.config.yaml"), `notify:\n  - webhook: { url: "${receiver.url}" }\n${settings}`, {
    mode: 0o600,
  });
  const start = world.now;
  let asked = 0;
  return {
    ...office,
    faults: (rules) => sandbox.setFaults(rules),
    async night(day, rows, ...more) {
      const name = typeof rows === "string" ? rows : `night-${day}.csv`;
      if (typeof rows !== "string") office.writeCsv(name, [HEADER, ...rows]);
      world.now = start + day * DAY;
      return (await office.type("import", "m.yaml", office.path(name), ...more)).code;
    },
    told() {
      const since = receiver.received.slice(asked).map(({ body }) => JSON.parse(body) as Notification);
      asked = receiver.received.length;
      return since;
    },
  };
}

const load = (name: string, minute: number, gross = "5") => [
  name,
  `2026-01-01 ${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`,
  gross,
];
const loads = (night: number, count: number, bad = 0) =>
  Array.from({ length: count }, (_, index) => load(`N${night}L${index}`, night * 10, index < bad ? "s/ pesagem" : "5"));
/** The same of one load, in fewer requests. */
const oneLoad = (night: number, count: number) =>
  Array.from({ length: count }, (_, index) => load(`N${night}`, night * 20 + index));

/** Rows of a night's file, or the name of a file that is there, or not. */
type File = readonly (readonly string[])[] | string;

interface Morning {
  name: string;
  when: Notification["when"];
  /** Nights that may tell of something themselves. */
  before?: File[];
  /** These tell one message, together. */
  nights: File[];
  flags?: string[];
  files?: { [name: string]: string };
  settings?: string;
  /** At a service, not a sandbox: it is down for good, or takes no such secret. */
  service?: "down" | "refuses";
  /** A day and eight hours later somebody looks for what is due. */
  isLookedFor?: boolean;
}

const three = (count: number): File[] => [1, 2, 3].map((day) => oneLoad(day, count));
const outage = ["--max-outage", "1m"];

const mornings: Morning[] = [
  { name: "One row is invalid", when: "needs-person", nights: [[load("A", 1), load("B", 1, "much")]] },
  {
    name: "Rows are invalid for two reasons",
    when: "needs-person",
    nights: [[...loads(1, 9, 7), ["X", "yesterday", "5"], ["Y", "soon", "5"]]],
  },
  {
    name: "The next night has more of the same",
    when: "needs-person",
    before: [loads(1, 5, 1)],
    nights: [loads(2, 5, 3)],
  },
  {
    name: "The next night has a new cause",
    when: "needs-person",
    before: [loads(1, 5, 1)],
    nights: [[["X", "soon", "5"]]],
  },
  {
    name: "Nobody has corrected it for three days",
    when: "needs-person",
    before: [loads(1, 5, 1), loads(2, 5), loads(3, 5)],
    nights: [loads(4, 5)],
  },
  {
    name: "A row came back changed after it had landed",
    when: "needs-person",
    nights: [[load("A", 1)], [load("A", 1, "6")]],
  },
  { name: "A row came too late for its document", when: "needs-person", nights: [[load("A", 5)], [load("A", 1)]] },
  { name: "The file is empty", when: "needs-person", files: { "empty.csv": "" }, nights: ["empty.csv"] },
  {
    name: "The file has another header",
    when: "failed",
    files: { "other.csv": "Carga,Data,Bruto\nA,2026-01-01 00:01,5\n" },
    nights: ["other.csv"],
  },
  { name: "The file is not there", when: "failed", nights: ["gone.csv"] },
  {
    name: "Somebody broke the mapping",
    when: "failed",
    files: { "m.yaml": "version: 2\nnamespace: [" },
    nights: [loads(1, 3)],
  },
  { name: "The credential is refused", when: "can-go-on", service: "refuses", nights: [loads(1, 3)] },
  { name: "The service is down", when: "can-go-on", service: "down", nights: [loads(1, 3)], flags: outage },
  {
    name: "The service is down for the second night",
    when: "can-go-on",
    service: "down",
    before: [loads(1, 3)],
    nights: [loads(2, 3)],
    flags: outage,
  },
  {
    name: "Too many rows are invalid for --max-errors",
    when: "needs-person",
    nights: [loads(1, 10, 9)],
    flags: ["--max-errors", "50%"],
  },
  { name: "A tenth of the usual rows came", when: "degraded", nights: [...three(20), loads(4, 2)] },
  { name: "Ten times the usual rows came", when: "degraded", nights: [...three(2), loads(4, 20)] },
  { name: "Far more rows than usual are invalid", when: "needs-person", nights: [...three(20), loads(4, 20, 15)] },
  {
    name: "An old file came again under a new name",
    when: "degraded",
    nights: [...three(4), [["Z", "2025-11-30 10:00", "5"]]],
    flags: ["--until", "12:00"],
  },
  {
    name: "No file has come by 06:30",
    when: "degraded",
    settings: 'expect: { every: 24h, by: "06:30" }\n',
    nights: [loads(1, 4)],
    isLookedFor: true,
  },
];

async function play(morning: Morning): Promise<Notification[]> {
  const { before = [], files = {}, flags = [], service, settings = "" } = morning;
  const office = await nights(settings, service === undefined ? "sandbox" : "service");
  for (const [name, text] of Object.entries(files)) writeFileSync(office.path(name), text);
  if (service === "refuses") office.world.env = { ...office.world.env, ROWFERRY_CLIENT_SECRET: "expired" };
  if (service === "down") office.faults([{ action: { kind: "status", status: 503, when: "before" } }]);
  for (const [index, file] of [...before, ...morning.nights].entries()) {
    if (index === before.length) office.told();
    await office.night(index + 1, file, ...flags);
  }
  if (morning.isLookedFor === true) {
    office.world.now += DAY + 8 * 3_600_000;
    await office.type("notify", "--due");
  }
  return office.told();
}

describe("twenty bad mornings tell one message each, which says what is wrong and what to type", () => {
  const page = readFileSync(DOCUMENT, "utf8");

  it.each(sampled(mornings, 7))("$name", async (morning) => {
    const { name, when } = morning;
    const told = await play(morning);
    expect(told).toHaveLength(1);
    const [notification] = told as [Notification];
    expect(notification.when).toBe(when);
    expect(notification.causes.length).toBeGreaterThan(0);
    if (when !== "degraded") expect(notification.commands.length).toBeGreaterThan(0);
    const said = `${subjectOf(notification)}. ${notification.message}`.replace(/ in \d+ s/, "");
    const rows = [
      `| ${name} | ${said} | ${notification.causes.map(({ count, what }) => `${count} × ${what}`).join("<br>")} |`,
    ];
    const isUpdate = process.env["UPDATE_DOCS"] === "1";
    if (isUpdate) writeFileSync("/tmp/mornings.md", `${rows.join("\n")}\n`, { flag: "a" });
    else expect(page).toContain(rows[0]);
    // No cell, no key, no tax id.
    const whole = JSON.stringify(notification) + textOf(notification);
    for (const secret of ["s/ pesagem", "much", "11222333000181", "Alfa", "N1L0", "soon"])
      expect(whole).not.toContain(secret);
  });
});

describe("good nights tell nothing, and what is over is told once", () => {
  it("a problem is told once, after a day and three, then weekly, and its end once", long, async () => {
    const office = await nights();
    const days: number[] = [];
    for (let day = 1; day <= 25; day += 1) {
      await office.night(day, loads(day, 3, day === 2 ? 1 : 0));
      if (office.told().length > 0) days.push(day);
    }
    expect(days).toEqual([2, 3, 5, 12, 19]);
    const dismissed = await office.type("dismiss", "--code", "number-unreadable");
    expect(dismissed).toMatchObject({ code: 0 });
    await office.night(26, loads(26, 3));
    expect(office.told().map(({ when }) => when)).toEqual(["recovered"]);
    await office.night(27, loads(27, 3));
    expect(office.told()).toEqual([]);
  });

  it("a ledger that cannot be read is told as that, not as an input that has not come, and its end too", async () => {
    const office = await nights("expect: { every: 24h }\n");
    expect((await office.type("notify", "--due")).out, "no ledger yet").toContain("none has come yet");
    await office.night(1, loads(1, 3));
    office.told();
    const ledger = office.path("state/sandbox/ledger.db");
    renameSync(ledger, `${ledger}.kept`);
    writeFileSync(ledger, "garbage ".repeat(1000));
    const { code, out, err } = await office.type("notify", "--due");
    expect([code, out, err]).toEqual([1, "", expect.stringContaining("the file is not a ledger")]);
    const [told] = office.told() as [Notification];
    expect(subjectOf(told)).toBe("sandbox: failed");
    expect(textOf(told)).toContain("Whether an input has arrived in time is unknown.");
    expect(textOf(told)).toContain("The ledger's file cannot be opened, or is not a ledger.");
    expect(textOf(told)).not.toContain("No input");
    renameSync(`${ledger}.kept`, ledger);
    await office.ends(0, "notify --due");
    expect(office.told().map(({ when }) => when)).toEqual(["recovered"]);
  });

  it(
    "a few corrected rows, from a file or from the console, are no small night, and no usual one, and not the input that is due",
    long,
    async () => {
      const office = await nights("expect: { every: 24h }\n");
      for (const day of [1, 2, 3]) await office.night(day, oneLoad(day, 20));
      for (const [day, name] of ["rejected", "corrected-2026-11-27T061736-1", "to-correct", "rejected"].entries()) {
        office.writeCsv(`night-3.${name}.csv`, [HEADER, ...loads(4 + day, 2)]);
        await office.night(4 + day, `night-3.${name}.csv`);
      }
      expect(office.told()).toEqual([]);
      await office.night(9, loads(9, 2));
      expect(office.told().map(({ causes }) => causes.map(({ what }) => what))).toEqual([
        ["Far fewer rows than usual: 2 rows instead of the usual 20."],
      ]);
      office.writeCsv("night-9.to-correct.csv", [HEADER, ...loads(10, 2)]);
      await office.night(10, "night-9.to-correct.csv");
      expect((await office.type("notify", "--due")).out).toContain("No input arrived in time");
    },
  );

  it("an oddity that is silenced is not told", long, async () => {
    const office = await nights("silence: [few-rows]\n");
    for (const day of [1, 2, 3]) await office.night(day, oneLoad(day, 20));
    await office.night(4, loads(4, 2));
    expect(office.told()).toEqual([]);
  });
});
