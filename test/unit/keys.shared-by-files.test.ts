/** Rows of several files share a participant, an address, a document: what one file no longer brings, the other still has. */
import { createSandbox } from "../../src/sandbox/index.js";
import { hurried } from "../support/cli.world.js";
import { openOfficeAt } from "../support/office.js";
import { loads, weighings, weighingsWith } from "../support/weighings.js";

/** Stages files while the service is away: one after the other under the mapping, then again under one that leaves rows out. */
async function staged(first: readonly (readonly string[])[], skip: string, again: readonly string[]) {
  const sandbox = createSandbox({ storage: "memory", rate: null });
  const office = await openOfficeAt(sandbox, weighings);
  hurried(office.world);
  sandbox.setFaults([{ action: { kind: "status", status: 503, when: "before" } }]);
  const [a = [], b = []] = first;
  office.writeCsv("a.csv", loads(...a));
  office.writeCsv("b.csv", loads(...b));
  const stage = async (file: string) =>
    expect(await office.type("import", "m.yaml", file, "--max-outage", "10s")).toMatchObject({ code: 4 });
  for (const file of ["a.csv", "b.csv"]) await stage(file);
  office.writeMapping(weighingsWith({ skip }));
  for (const file of again) await stage(file);
  sandbox.setFaults([]);
  await office.ends(0, "resume");
  const sent = office
    .documents()
    .map(({ externalId, events }) => `${externalId} ${events.filter(({ origin }) => origin === "sent").length}`);
  return { sent, parties: [office.participants().length, office.addresses().length] };
}

describe("a file is staged again, and no longer brings what rows of another file need", () => {
  it.each([
    [
      "their participant and address are registered, and their events land",
      [["A 00 5"], ["B 00 6"]],
      '=load == "A"',
      ["a.csv"],
      ["B 1"],
    ],
    [
      "a document that the other file adds to is created by it",
      [["A 00 5", "C 00 5"], ["A 30 6"]],
      '=load == "A" && gross == 5',
      ["a.csv"],
      ["A 1", "C 1"],
    ],
    [
      "both files again, each under the edited mapping: what neither brings is never sent",
      [
        ["A 00 5", "C 00 5"],
        ["A 30 6", "B 00 6"],
      ],
      '=load == "A"',
      ["a.csv", "b.csv"],
      ["B 1", "C 1"],
    ],
  ])("%s", async (_title, first, skip, again, wanted) => {
    const { sent, parties } = await staged(first, skip, again);
    expect([sent.toSorted(), parties]).toEqual([wanted, [1, 1]]);
  });
});
