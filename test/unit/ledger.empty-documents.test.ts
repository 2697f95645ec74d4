/** A document that a row makes without an event (`createEmpty`, H28) is counted, and taken back, like any other work. */
import { createSandbox } from "../../src/sandbox/index.js";
import { hurried } from "../support/cli.world.js";
import { openOfficeAt } from "../support/office.js";
import { loads, weighings } from "../support/weighings.js";

it("while it is not sent, its row is to be sent; it is taken back, and comes again with its file", async () => {
  const sandbox = createSandbox({ storage: "memory", rate: null });
  const office = await openOfficeAt(sandbox, weighings);
  hurried(office.world);
  await office.brought("w-1.csv", loads("L1 10 5"));
  const { weighings: input } = weighings.inputs;
  const load = { ...input.documents.load, createEmpty: true };
  office.writeMapping({
    ...weighings,
    inputs: { weighings: { ...input, rowsWithoutEvents: "allow", documents: { load }, events: {} } },
  });
  office.writeCsv("w-2.csv", loads("L2 10 5", "L3 10 5"));
  const away = { kind: "status", status: 503, when: "before" } as const;
  sandbox.setFaults([{ match: { path: "/oauth/token" }, action: away }]);
  const { outcomes } = await office.run("import", "m.yaml", "w-2.csv", "--max-outage", "10s");
  expect(outcomes).toMatchObject({ toSend: 2, landed: 0 });
  await office.ends(0, "withdraw --row w-2.csv:2 --yes", "1 row");
  sandbox.setFaults([]);
  const made = () => office.documents().map(({ externalId }) => externalId);
  await office.ends(0, "resume");
  expect(made()).toEqual(["L1", "L3"]);
  await office.ends(0, "import m.yaml w-2.csv");
  expect(made()).toEqual(["L1", "L3", "L2"]);
  await office.ends(0, "ledger check");
});
