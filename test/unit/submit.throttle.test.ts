/** The throttle against an exact token bucket (service.md, Limits), with fake timers. */
import { systemClock } from "../../src/model/clock.js";
import { createLocalThrottle, joinLocalThrottle } from "../../src/submit/local-throttle.js";
import { safeBurst, type Throttle } from "../../src/submit/throttle.js";
import { refusedBy } from "../support/submit/exact-bucket.js";

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-11-20T02:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Takes `count` tokens by 40 takers and tells when each was given. */
async function drainTokens(throttle: Throttle, count: number) {
  const times: number[] = [];
  let taken = 0;
  const lane = async () => {
    while (taken++ < count) {
      await throttle.take();
      times.push(Date.now());
    }
  };
  const done = Promise.all(Array.from({ length: 40 }, lane));
  while (times.length < count) await vi.advanceTimersByTimeAsync(250);
  await done;
  return times;
}

/** A number from 0 to 1 for each index, the same in every run. */
function chance(index: number) {
  const x = Math.sin(index * 12.9898) * 43758.5453;
  return x - Math.floor(x);
}

describe("the local throttle", () => {
  it("reaches 99% of the rate, and an exact bucket of 20/30 refuses nothing (DESIGN P6)", long, async () => {
    const throttle = createLocalThrottle({ rate: 20, burst: 30, clock: systemClock });
    const begun = Date.now();
    const times = await drainTokens(throttle, 1_200);
    const seconds = ((times.at(-1) ?? 0) - begun) / 1000;
    expect(refusedBy(20, 30, times)).toBe(0);
    expect(seconds).toBeLessThanOrEqual(((1_200 - 30) / 20) * 1.01);
    // Nor when requests travel for up to 100 ms more or less.
    for (let seed = 0; seed < 20; seed++) {
      const arrivals = times.map((time, index) => time + 20 + 100 * chance(index + seed * 5_000));
      expect(refusedBy(20, 30, arrivals), `seed ${seed}`).toBe(0);
    }
    await throttle.close();
  });

  it.each([
    [200, 300, 1.01],
    [5, 5, 1.01],
    [0.5, 3, 1.01],
    // Nothing can be carried over in a bucket of one: what a tick is late is lost.
    [1, 1, 1.06],
  ])("keeps to %d per second with a burst of %d", long, async (rate, burst, tolerance) => {
    const throttle = createLocalThrottle({ rate, burst, clock: systemClock });
    const begun = Date.now();
    const count = Math.min(Math.ceil(rate * 30), 600);
    const times = await drainTokens(throttle, count);
    const seconds = ((times.at(-1) ?? 0) - begun) / 1000;
    expect(refusedBy(rate, burst, times)).toBe(0);
    expect(seconds).toBeLessThanOrEqual(((count - safeBurst(rate, burst)) / rate) * tolerance + 0.1);
    await throttle.close();
  });

  it.each([
    ["one rate", 20],
    ["a lower rate for one of them", 5],
  ])("is one for all ledgers of a client in this process, at the same time and in turn: %s", long, async (_, other) => {
    const join = (rate: number, name = "service a") => joinLocalThrottle(name, { rate, burst: 30, clock: systemClock });
    const stranger = join(20, "service b");
    const [first, second] = [join(20), join(other)];
    const mine = drainTokens(first, 120);
    const theirs = await drainTokens(second, 60);
    const times = [...(await mine), ...theirs];
    expect(refusedBy(20, 30, times)).toBe(0);
    expect(refusedBy(other, 30, theirs)).toBe(0);
    // Whoever waits while it is closed goes without a token, and the others wait on.
    const waiting = second.take();
    const closed = second.close();
    await vi.advanceTimersByTimeAsync(10);
    await Promise.all([closed, waiting]);
    await first.close();
    const third = join(20);
    expect(refusedBy(20, 30, [...times, ...(await drainTokens(third, 60))])).toBe(0);
    const begun = Date.now();
    expect((await drainTokens(stranger, 20)).at(-1)).toBeLessThan(begun + 1_000);
    await Promise.all([third.close(), stranger.close()]);
  });

  it("fills up while idle, and no further than its burst", async () => {
    const throttle = createLocalThrottle({ rate: 20, burst: 30, clock: systemClock });
    await drainTokens(throttle, 26);
    await vi.advanceTimersByTimeAsync(3_600_000);
    const begun = Date.now();
    const times = await drainTokens(throttle, 60);
    expect(times.filter((time) => time - begun < 40).length).toBeLessThanOrEqual(27);
    expect(times.filter((time) => time - begun < 500).length).toBeGreaterThanOrEqual(26);
    await throttle.close();
  });

  it.each([0, 800, 60_000])("follows a run that ended %d ms ago without running over", long, async (agoMs) => {
    const first = createLocalThrottle({ rate: 20, burst: 30, clock: systemClock });
    const before = await drainTokens(first, 100);
    await first.close();
    vi.setSystemTime((before.at(-1) ?? 0) + agoMs);
    const second = createLocalThrottle({ rate: 20, burst: 30, clock: systemClock, quietSince: before.at(-1) ?? 0 });
    const begun = Date.now();
    const after = await drainTokens(second, 100);
    expect(refusedBy(20, 30, [...before, ...after])).toBe(0);
    expect((after[0] ?? 0) - begun, "the first leaves at once").toBeLessThanOrEqual(100);
    const earned = Math.min(26, Math.floor(agoMs * 0.0199));
    expect(after.filter((time) => time - begun < 200).length).toBeGreaterThanOrEqual(earned);
    await second.close();
  });

  it("begins empty where the clock was set back since the last run", async () => {
    const throttle = createLocalThrottle({
      rate: 20,
      burst: 30,
      clock: systemClock,
      quietSince: Date.now() + 86_400_000,
    });
    const begun = Date.now();
    const times = await drainTokens(throttle, 20);
    expect((times.at(-1) ?? 0) - begun).toBeGreaterThanOrEqual(950);
    await throttle.close();
  });

  it("lets an aborted taker go at once and gives its token to the next", async () => {
    const throttle = createLocalThrottle({ rate: 1, burst: 1, clock: systemClock });
    await drainTokens(throttle, 1);
    const gone = new AbortController();
    const aborted = throttle.take(gone.signal);
    const next = throttle.take().then(() => Date.now());
    const begun = Date.now();
    gone.abort();
    await aborted;
    expect(Date.now()).toBe(begun);
    await vi.advanceTimersByTimeAsync(1_500);
    expect((await next) - begun).toBeLessThanOrEqual(1_200);
    await throttle.close();
  });

  it("does not run over when the clock is set forward", async () => {
    const throttle = createLocalThrottle({ rate: 20, burst: 30, clock: systemClock });
    const before = await drainTokens(throttle, 60);
    const waiting = drainTokens(throttle, 100);
    await vi.advanceTimersByTimeAsync(100);
    vi.setSystemTime(Date.now() + 3_600_000);
    const after = (await waiting).map((time) => (time > Date.now() - 1_800_000 ? time - 3_600_000 : time));
    expect(refusedBy(20, 30, [...before, ...after])).toBe(0);
    await throttle.close();
  });

  it("does not run over when the clock is set back, nor stand still", async () => {
    const throttle = createLocalThrottle({ rate: 20, burst: 30, clock: systemClock });
    await drainTokens(throttle, 60);
    const waiting = drainTokens(throttle, 20);
    await vi.advanceTimersByTimeAsync(100);
    vi.setSystemTime(Date.now() - 3_600_000);
    await waiting;
    const times = await drainTokens(throttle, 100);
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
    expect(seconds).toBeGreaterThan(4.8);
    expect(seconds).toBeLessThan(5.5);
    await throttle.close();
  });
});

describe("after a 429 the throttle", () => {
  it("is slower, and back at its rate within seconds", long, async () => {
    const throttle = createLocalThrottle({ rate: 20, burst: 30, clock: systemClock });
    await drainTokens(throttle, 40);
    // A burst of refusals is one lesson.
    for (let index = 0; index < 20; index++) throttle.slowDown();
    const begun = Date.now();
    const times = await drainTokens(throttle, 400);
    const within = (from: number, to: number) => times.filter((t) => t - begun >= from && t - begun < to).length;
    expect(within(0, 1_000)).toBeLessThanOrEqual(17);
    expect(within(0, 1_000)).toBeGreaterThanOrEqual(12);
    expect(within(5_000, 10_000)).toBeGreaterThanOrEqual(98);
    await throttle.close();
  });

  it("settles near a limit that is really lower than was set", long, async () => {
    const throttle = createLocalThrottle({ rate: 20, burst: 30, clock: systemClock });
    let level = 15;
    let at = Date.now();
    let refused = 0;
    let sent = 0;
    const until = Date.now() + 40_000;
    const lane = async () => {
      while (Date.now() < until) {
        await throttle.take();
        const now = Date.now();
        level = Math.min(15, level + ((now - at) / 1000) * 10);
        at = now;
        sent++;
        if (level >= 1) level -= 1;
        else {
          refused++;
          throttle.slowDown();
        }
      }
    };
    const lanes = Promise.all(Array.from({ length: 10 }, lane));
    await vi.advanceTimersByTimeAsync(45_000);
    await lanes;
    expect(refused / sent).toBeLessThan(0.1);
    expect(sent - refused).toBeGreaterThan(40 * 10 * 0.75);
    await throttle.close();
  });
});
