/** `--max-errors`, while sending: once 100 events were sent, and only where more of them were refused than it allows. */
import { createWorld } from "../nights/simulation/world.js";
import { openOffice } from "../support/office.js";
import { loads, weighings, weights } from "../support/weighings.js";

it("says that the next run sends the valid rows of a file with too many invalid ones, and how to take them back", async () => {
  const office = openOffice(weighings);
  office.writeCsv("bad.csv", loads("L1 10 1", "L2 10 x"));
  const { code, out, said } = await office.type("import", "m.yaml", "bad.csv", "--max-errors", "0");
  const [, words = ""] = /^rowferry (withdraw .*)$/m.exec(out) ?? [];
  expect([code, said]).toEqual([3, expect.stringContaining("the next run, of any file, sends those that are valid")]);
  await office.ends(0, `${words} --yes`);
  expect((await office.brought("good.csv", loads("L3 10 3"))).exitCode).toBe(0);
  expect(weights(office)).toEqual(["L3 10 3"]);
});

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
