import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createProgress } from "../src/cli/progress.js";
import { type ProgressFigures, progressLine } from "../src/cli/progress-line.js";
import { shortDuration } from "../src/report/figures.js";
import { createRateMeter } from "../src/cli/progress-rate.js";
import type { PipelineEvent } from "../src/model/summary.js";
import { collectedStream } from "./cli.world.js";

const figures: ProgressFigures = {
  stage: "events",
  done: 1_234_567,
  total: 2_000_000,
  perSecond: 19.8,
  limit: 20,
  problems: 212,
  held: 1_024,
  retries: 17,
  secondsLeft: 38_660,
};

describe("a line of progress", () => {
  it("says stage, done of total, rate against the limit, problems, held, retries and time left", () => {
    expect(progressLine(figures, 200, false)).toBe(
      "events  1,234,567/2,000,000  61%  19.8 of 20 req/s  212 problems  1,024 held  17 retried  10h44m left",
    );
  });

  it.each([20, 40, 60, 79, 80, 100, 132])("fits in %i columns; what matters least goes first", (width) => {
    for (const bar of [true, false])
      expect(Array.from(progressLine(figures, width, bar)).length).toBeLessThanOrEqual(width);
    expect(progressLine(figures, width, true)).toContain("events");
  });

  it("keeps problems and time left at 80 columns", () => {
    expect(progressLine(figures, 79, true)).toMatch(/212 problems.*10h44m left/);
  });

  it("says nothing of what is not known", () => {
    const blank = {
      ...figures,
      done: 3,
      total: null,
      perSecond: null,
      problems: 0,
      held: 0,
      retries: 0,
      secondsLeft: null,
    };
    expect(progressLine(blank, 80, true)).toBe("events  3");
    expect(progressLine({ ...blank, total: 0 }, 80, true)).toBe("events  3/3");
    expect(progressLine({ ...blank, total: 2 }, 80, false)).toBe("events  3/3  100%");
  });

  it.each([
    [0, "0s"],
    [59.4, "59s"],
    [60, "1m00s"],
    [599, "9m59s"],
    [719, "12m"],
    [3_599, "1h00m"],
    [11_100, "3h05m"],
    [190_000, "2d04h"],
  ])("%d seconds are shown as %s", (seconds, text) => {
    expect(shortDuration(seconds)).toBe(text);
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

/** The texts between what moves the cursor. */
function drawnLines(text: string): string[] {
  // oxlint-disable-next-line no-control-regex -- escapes are what moves the cursor
  return text.split(/\u001b\[[\d;?]*[A-Za-z]|\u001b[78]|\n/).filter((part) => part.startsWith("events"));
}

function told(events: PipelineEvent[], isTTY: boolean, columns: number | null = null): string {
  const stream = collectedStream(isTTY, columns);
  let now = 0;
  const progress = createProgress({ stream, clock: { now: () => now, sleep: () => Promise.resolve() }, limit: 20 });
  for (const event of events) {
    progress.observe(event);
    now += 5_000;
    if (isTTY) vi.advanceTimersByTime(200);
  }
  progress.close();
  progress.close();
  return stream.text;
}

function step(done: number): PipelineEvent {
  return { type: "progress", stage: "events", done, total: 500, sent: done / 5, problems: 1, held: 2, retries: 0 };
}

const course: PipelineEvent[] = [
  { type: "stage", stage: "events", total: 500 },
  ...[100, 200, 300, 400, 500].map(step),
  { type: "notice", level: "warning", code: null, message: "the service \u001b[31mis away" },
  { type: "forecast", requests: { "append-events": 1200 }, secondsAtLimit: 58.5, held: 3, deferred: 0 },
  {
    type: "backlog",
    documents: 1200,
    participants: 5,
    addresses: 0,
    secondsAtLimit: 58.75,
    held: 0,
    deferred: 2,
  },
];

describe("in a pipe or a log", () => {
  it("there are plain lines at intervals, and one at the end of each stage", () => {
    const lines = told(course, false).trimEnd().split("\n");
    expect(lines.filter((line) => line.startsWith("events"))).toHaveLength(3);
    expect(lines.at(-1)).toMatch(/^events {2}500\/500 {2}100% {2}/);
    // oxlint-disable-next-line no-control-regex -- this is what is looked for
    expect(lines.join("")).not.toMatch(/[\u0000-\u001f]/);
  });

  it("notices and forecasts are lines, escapes in them harmless (HARD-CASES H35)", () => {
    const text = told(course, false);
    expect(text).toContain("warning: the service ␛[31mis away\n");
    expect(text).toContain("1,200 requests to send, at least 59s at the limit, 3 held\n");
    expect(text).toContain("1,200 documents have work left, about 59s at the limit, 2 deferred\n");
  });
});

describe("on a terminal", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
  afterEach(() => vi.useRealTimers());

  it.each([40, 80, 200])("one line is redrawn, never wider than %i columns", (columns) => {
    const text = told(course, true, columns);
    expect(text).toContain("\u001b[");
    const drawn = drawnLines(text);
    expect(drawn.length).toBeGreaterThan(3);
    for (const line of drawn) expect(Array.from(line).length).toBeLessThan(columns);
  });

  it("follows a resize", () => {
    const stream = collectedStream(true, 120);
    const progress = createProgress({ stream, clock: { now: () => 0, sleep: () => Promise.resolve() }, limit: 20 });
    progress.observe({ type: "stage", stage: "events", total: 500 });
    progress.observe(step(100));
    vi.advanceTimersByTime(200);
    stream.columns = 30;
    stream.text = "";
    progress.observe(step(200));
    vi.advanceTimersByTime(200);
    progress.close();
    const drawn = drawnLines(stream.text);
    expect(drawn.length).toBeGreaterThan(0);
    for (const line of drawn) expect(Array.from(line).length).toBeLessThan(30);
  });

  it("a notice stands on a line of its own", () => {
    const text = told(course, true, 80);
    expect(text).toMatch(/(^|\n)warning: the service ␛\[31mis away\n/);
  });
});
