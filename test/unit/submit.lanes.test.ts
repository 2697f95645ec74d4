/** Lanes, slots in flight, and the service's clock. */
import { appendEvents } from "../../src/submit/calls.js";
import { createLanes } from "../../src/submit/lanes.js";
import { createServiceClock } from "../../src/submit/service-clock.js";
import { ok, type ScriptedService, scriptedService, target, throttleThat } from "../support/submit/scripted-service.js";
import { VirtualClock } from "../support/submit/virtual-clock.js";

describe("lanes", () => {
  it("take tasks only while there is room: a whole file is never queued", async () => {
    const clock = new VirtualClock();
    const lanes = createLanes(10, 5);
    let most = 0;
    let done = 0;
    const producer = async () => {
      for (let task = 0; task < 500; task++) {
        await lanes.add(async () => {
          await clock.sleep(100);
          done++;
        });
        most = Math.max(most, task + 1 - done);
      }
      await lanes.settled();
    };
    await clock.run(producer());
    expect(done).toBe(500);
    expect(most).toBeLessThanOrEqual(15);
  });

  it("end with the first error of a task, and begin no other", async () => {
    const clock = new VirtualClock();
    const lanes = createLanes(1, 10);
    let begun = 0;
    await lanes.add(async () => {
      begun++;
      await clock.sleep(10);
      throw new Error("disk full");
    });
    await lanes.add(async () => {
      begun++;
    });
    await expect(clock.run(lanes.settled())).rejects.toThrow("disk full");
    await expect(lanes.add(() => Promise.resolve())).rejects.toThrow("disk full");
    expect(begun).toBe(1);
  });

  it("in backoff leave their slot to others", async () => {
    const bad = appendEvents('{"bad":1}');
    const service = scriptedService({
      answer: (request) => (request.body === bad.body ? { status: 429, headers: { "retry-after": "60" } } : ok),
      latencyMs: 100,
      options: { target: { ...target, burst: 8 } },
    });
    const begun = service.clock.now();
    const bads = Array.from({ length: 50 }, () => service.submitter.send(bad));
    await service.clock.advance(5_000);
    expect((await service.send()).result).toBe("accepted");
    expect(service.clock.now() - begun).toBeLessThan(5_500);
    service.submitter.drain();
    await service.clock.run(Promise.all(bads));
  });
});

it("slots in flight follow the latency: at 2 s per answer 20 requests a second are still sent", long, async () => {
  // One request every 50 ms.
  let free = 0;
  const service: ScriptedService = scriptedService({
    answer: () => ok,
    latencyMs: 2_000,
    options: throttleThat(async (signal) => {
      free = Math.max(free, service.clock.now()) + 50;
      await service.clock.sleep(free - 50 - service.clock.now(), signal);
    }),
  });
  const begun = service.clock.now();
  await service.clock.run(service.lanes(200, 6).work);
  const seconds = (service.clock.now() - begun) / 1_000;
  expect(seconds).toBeLessThan(1_200 / 20 + 6);
});

describe("the service's clock (HARD-CASES H10)", () => {
  it("is not the local one when that is set forward, which would send what is still to come", () => {
    const real = Date.parse("2026-11-20T02:00:00Z");
    let set = 0;
    const service = createServiceClock({ now: () => real + set, steady: () => 7, sleep: () => Promise.resolve() });
    service.seen("Fri, 20 Nov 2026 02:00:00 GMT");
    set = 3_600_000;
    expect([service.now(), service.aheadMs()]).toEqual([real, -3_600_000]);
  });

  it("notices within a few answers that the local clock was set anew", () => {
    const clock = new VirtualClock(Date.parse("2026-11-20T02:00:00Z"));
    const service = createServiceClock(clock);
    const header = "Fri, 20 Nov 2026 02:00:00 GMT";
    service.seen(header);
    clock.set(clock.now() + 3_600_000);
    for (let answer = 0; answer < 16; answer++) service.seen(header);
    expect(service.now()).toBe(Date.parse(header));
  });
});
