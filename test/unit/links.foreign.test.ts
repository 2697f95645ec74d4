/** A participant of another dataset whose use the service refuses (open-points 28): about it, and about nothing else (F114). */
import { linkedWorld } from "../support/linked.js";
import { person, tokenOf } from "../support/sandbox.world.js";

const FOREIGN = "11444777000161";
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");

async function foreignWorld(settings: object = {}, foreign: "refuse" | "use" = "refuse") {
  const world = await linkedWorld({ sandbox: { foreign }, settings });
  const authorization = `Bearer ${await tokenOf(world.sandbox, "second")}`;
  const made = await world.sandbox.inject({
    method: "POST",
    path: "/participants",
    headers: { authorization },
    body: person(FOREIGN),
  });
  expect(made.status).toBe(201);
  world.write("rows-1.csv", [
    { doc: "A", at: 1, company: FOREIGN },
    ...["B", "C", "D", "E"].map((doc) => ({ doc, at: 1 })),
  ]);
  return { world, participant: (made.json() as { id: string }).id };
}

test("is named with the setting that finds it beforehand; other documents land, and nothing says that the same command could go on", async () => {
  const { world, participant } = await foreignWorld();
  const { code, out } = await world.import("rows-1.csv");
  expect(code, out).toBe(3);
  // What stands in a cell is not repeated in a summary: the participant's id leads to it.
  expect(oneLine(out)).toContain(`(${participant}), which this client did not create`);
  expect((await world.typed("show", participant)).out).toContain(`CNPJ ${FOREIGN}`);
  expect(oneLine(out)).toContain("participants.foreign: refuse");
  expect(["B", "C", "D", "E"].map((key) => world.timeline(key))).toEqual(
    Array.from({ length: 4 }, () => ["1 Weighing"]),
  );
  const status = await world.typed("status");
  expect(status.out).toContain("rowferry rejects");
  expect(status.out).not.toContain("rowferry dismiss");
});

test("under participants.foreign: refuse nothing of it is sent", async () => {
  const { world } = await foreignWorld({ participants: { foreign: "refuse" } });
  const { code, out } = await world.import("rows-1.csv");
  expect([code, out]).toEqual([3, expect.stringContaining("participant-foreign")]);
  expect(world.sandbox.store.requests().filter(({ status }) => status === 403)).toEqual([]);
  expect(world.timeline("E")).toEqual(["1 Weighing"]);
});

test("credentials that are refused altogether still stop the run, whatever participant a request refers to", async () => {
  const { world } = await foreignWorld();
  world.sandbox.setFaults([{ match: {}, probability: 1, action: { kind: "status", status: 403, when: "before" } }]);
  expect((await world.import("rows-1.csv")).code).toBe(4);
  world.sandbox.setFaults([]);
  expect((await world.typed("resume")).code).toBe(3);
});
