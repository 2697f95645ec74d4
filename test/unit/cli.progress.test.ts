import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProgress } from "../../src/cli/render/progress.js";
import type { PipelineEvent } from "../../src/model/summary.js";
import { courseParts, createRateMeter, keepCourse, readCourse } from "../../src/report/course.js";
import { moment, shortDuration } from "../../src/report/figures.js";
import { collectedStream } from "../support/cli.world.js";

describe("figures as people read them", () => {
  it.each([
    [92, "1 min 32 s"],
    [3_599, "1 h 00 min"],
    [190_000, "2 d 04 h"],
  ])("%d seconds are %s", (seconds, text) => {
    expect(shortDuration(seconds)).toBe(text);
  });

  it("times are told by this machine's clock, and days as people call them", () => {
    const at = (day: number, hour: number) => new Date(2026, 10, day, hour, 5).getTime();
    const now = at(20, 12);
    expect([at(20, 2), at(19, 23), at(17, 2), at(2, 2), at(21, 2)].map((time) => moment(time, now))).toEqual([
      "today 02:05",
      "yesterday 23:05",
      "Tuesday 02:05",
      "2026-11-02 02:05",
      "2026-11-21 02:05",
    ]);
  });
});

it("the rate is that of the last ten seconds, and begins anew when the clock is set back (HARD-CASES H33)", () => {
  const meter = createRateMeter();
  expect(meter.perSecond()).toBeNull();
  for (let second = 0; second <= 100; second++) meter.add(second * 1000, second * 5);
  for (let second = 101; second <= 111; second++) meter.add(second * 1000, 500 + (second - 100) * 20);
  expect(meter.perSecond()).toBeCloseTo(20, 0);
  meter.add(5_000, 800);
  expect(meter.perSecond()).toBeNull();
});

const stage = (name: "reading" | "planning" | "participants" | "addresses" | "events", total: number | null) =>
  ({ type: "stage", stage: name, total }) as const;
const step = (name: string, done: number, total: number | null, sent = 0) =>
  ({ type: "progress", stage: name, done, total, sent, problems: 4, held: 2, retries: 0 }) as const;

const course: PipelineEvent[] = [
  stage("reading", null),
  step("reading", 500, null),
  step("reading", 60_000, 120_000),
  stage("planning", null),
  {
    type: "forecast",
    requests: { "lookup-participant": 100, "create-participant": 100, "create-address": 100, "append-events": 1200 },
    secondsAtLimit: 73.5,
    held: 3,
    deferred: 0,
  },
  stage("participants", 100),
  step("participants", 100, 100, 200),
  stage("addresses", 100),
  step("addresses", 100, 100, 300),
  { type: "notice", level: "warning", code: null, message: "the service \u001b[31mis away" },
  stage("events", 1200),
  ...[100, 400, 800, 1200].map((done) => step("events", done, 1200, 300 + done)),
];

function told(events: PipelineEvent[], isTTY: boolean, columns: number | null = null) {
  const stream = collectedStream(isTTY, columns);
  let now = 0;
  const progress = createProgress({ stream, clock: { now: () => now, sleep: () => Promise.resolve() }, limit: 20 });
  for (const event of events) {
    progress.observe(event);
    now += 20_000;
    if (isTTY) vi.advanceTimersByTime(200);
  }
  progress.close();
  progress.close();
  return stream.text;
}

const escape = "\u001b[2K";

describe("in a pipe or a log", () => {
  it("there is a plain line a minute, and what is worth knowing before a long run", () => {
    const lines = told(course, false).trimEnd().split("\n");
    expect(lines).toContain("1,500 requests to send, about 1 min 14 s at the limit, 3 held");
    expect(lines).toContain("warning: the service ␛[31mis away");
    expect(lines.filter((line) => /^(Reading|Checking|Registering|Sending) /.test(line))).toHaveLength(4);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    // oxlint-disable-next-line no-control-regex -- this is what is looked for
    expect(lines.join("")).not.toMatch(/[\u0000-\u001f]/);
  });
});

describe("on a terminal", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
  afterEach(() => vi.useRealTimers());

  const drawn = (text: string) =>
    text.split("\r").flatMap((part) => (part.startsWith(escape) && !part.includes("\n") ? [part.slice(4)] : []));

  it("all stages are one bar that only grows, from 0 to 100, and ends as a clean line", () => {
    const text = told(course, true, 120);
    const shares = drawn(text).flatMap((line) => [...line.matchAll(/(\d+)%/g)].map(([, share]) => Number(share)));
    expect(shares[0]).toBe(0);
    expect(shares.at(-1)).toBe(100);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(new Set(drawn(text).map((line) => line.split(" ")[0]))).toEqual(
      new Set(["Reading", "Checking", "Registering", "Sending", ""]),
    );
    expect(text.endsWith(`\r${escape}`)).toBe(true);
    expect(drawn(text)).toContain(
      "Sending  ████████████░░░░  74%  800 of 1,200 requests  20.0/s of 20  20 s left  4 open problems",
    );
  });

  it.each([20, 80])("the line is never wider than %i columns, and follows a resize", (columns) => {
    for (const line of drawn(told(course, true, columns))) expect(Array.from(line).length).toBeLessThan(columns);
  });

  it("a notice stays on a line of its own", () => {
    expect(told(course, true, 80)).toContain(`\r${escape}warning: the service ␛[31mis away\n`);
  });
});

it("after a silence while it sends, another process says that the run waits for the service", () => {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-course-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const kept = keepCourse(folder, () => Date.now(), 20);
  const partsAfter = (ms: number) => {
    const read = readCourse(folder, Date.now() + ms);
    return read && courseParts(read);
  };
  kept.observe({ type: "stage", stage: "reading", total: null });
  expect(partsAfter(20_000), "a large file takes long, too").not.toContain("waiting for the service");
  kept.observe({ type: "stage", stage: "events", total: 100 });
  expect(partsAfter(1000)).not.toContain("waiting for the service");
  expect(partsAfter(20_000)).toContain("waiting for the service");
});
