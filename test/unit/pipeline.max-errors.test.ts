/** `--max-errors` while sending: once 100 events were sent, and only where more of them were refused than it allows. */
import { createSandbox } from "../../src/sandbox/index.js";
import { openOfficeAt } from "../support/office.js";
import { loads, weighings } from "../support/weighings.js";

it.each([
  ["40%", 1, 450, true],
  ["40%", 0.1, 150, false],
])("%s, where a share of %s is refused", async (limit, probability, count, isStopped) => {
  const sandbox = createSandbox({ storage: "memory", rate: null });
  const office = await openOfficeAt(sandbox, weighings);
  const documents = Array.from({ length: count }, (_, at) => `L${at}`);
  await office.brought("w-1.csv", loads(...documents.map((one) => `${one} 10 1`)));
  const refused = { kind: "status", status: 400, when: "before" } as const;
  sandbox.setFaults([{ match: { path: "/documents/events" }, probability, action: refused }]);
  office.writeCsv("w-2.csv", loads(...documents.map((one) => `${one} 20 1`)));
  const { exitCode, stopped, events } = await office.run("import", "m.yaml", "w-2.csv", "--max-errors", limit);
  const sent = Object.values(events).reduce((sum, some) => sum + some, 0);
  expect([exitCode, stopped?.code]).toEqual(isStopped ? [4, "max-errors"] : [3, undefined]);
  if (isStopped) expect(sent).toBeLessThan(count);
  else expect(sent).toBe(count);
  expect(sent).toBeGreaterThanOrEqual(100);
});
