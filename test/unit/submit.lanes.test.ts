/** Lanes, and slots in flight. */
import { appendEvents } from "../../src/submit/calls.js";
import { ok, type ScriptedService, scriptedService, target, throttleThat } from "../support/submit/scripted-service.js";

describe("lanes", () => {
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
