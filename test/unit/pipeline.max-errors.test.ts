/** `--max-errors` while sending: once 100 events were sent, and only where more of them were refused than it allows. */
import { createWorld } from "../nights/simulation/world.js";

it("a run stops where more than 40% are refused, and not where a tenth is", { tags: ["long"] }, async () => {
  const world = createWorld();
  onTestFinished(() => world.close());
  const documents = Array.from({ length: 150 }, (_, at) => `M${at}`);
  const refused = { kind: "status", status: 400, when: "before" } as const;
  const refusing = async (probability: number, minute: number) => {
    world.setFaults([{ match: { path: "/documents/events" }, probability, action: refused }]);
    const rows = documents.map((document) => `${document} ${minute}`);
    const { exitCode, stopped, events } = await world.bring(`minute-${minute}`, rows, { limits: { maxErrors: "40%" } });
    const { landed = 0, rejected = 0 } = events;
    return { ends: [exitCode, stopped?.code], sent: landed + rejected };
  };
  await refusing(0, 10);
  expect(await refusing(0.1, 20)).toEqual({ ends: [3, undefined], sent: documents.length });
  const { ends, sent } = await refusing(1, 30);
  expect(ends).toEqual([4, "max-errors"]);
  expect(sent).toBeGreaterThanOrEqual(100);
  expect(sent).toBeLessThan(documents.length);
});
