/** Rows of several files share a participant, an address, a document: what one file no longer brings, the other still has. */
import { createSandbox } from "../../src/sandbox/index.js";
import { hurried } from "../support/cli.world.js";
import { openOfficeAt } from "../support/office.js";
import { sampled } from "../support/sample.js";
import { loads, loadsWith, weighings, weighingsWith } from "../support/weighings.js";

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
  type Restaged = [title: string, first: string[][], skip: string, again: string[], wanted: string[]];
  const restaged: Restaged[] = [
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
  ];
  it.each(sampled(restaged, 2, 1))("%s", async (_title, first, skip, again, wanted) => {
    const { sent, parties } = await staged(first, skip, again);
    expect([sent.toSorted(), parties]).toEqual([wanted, [1, 1]]);
  });
});

describe("one file names a participant by its tax id, the other by the service's id", () => {
  const { weighings: input } = weighings.inputs;
  const site = { ...input.addresses.site, street: "Rua B" };
  const twoWays = {
    ...weighings,
    inputs: {
      weighings: { ...input, files: "w-*.csv", addresses: { site } },
      byId: {
        ...input,
        files: "id-*.csv",
        columns: { ...input.columns, owner: "Owner" },
        participants: {},
        addresses: { site: { ...site, participant: { id: "=owner" } } },
        documents: { load: { ...input.documents.load, participant: { id: "=owner" } } },
      },
    },
  };
  const path = "/participants/{participantId}/addresses";
  const lost = { match: { path, method: "POST" }, nth: 1, action: { kind: "drop", when: "after" } } as const;
  const refused = {
    match: { path, method: "GET" },
    nth: 2,
    action: { kind: "status", status: 400, when: "before" },
  } as const;

  it("a place of it is registered once, even if what became of the first is unknown", async () => {
    const sandbox = createSandbox({ storage: "memory", rate: null });
    const office = await openOfficeAt(sandbox, weighings);
    hurried(office.world);
    await office.brought("w-1.csv", loads("L1 10 5"));
    office.writeMapping(twoWays);
    office.writeCsv("w-2.csv", loads("L2 10 5"));
    office.writeCsv("id-2.csv", loadsWith(["Owner"], `L3 10 5 ${office.participants()[0]?.id}`));
    sandbox.setFaults([lost, refused]);
    await office.ends(3, "import m.yaml w-2.csv id-2.csv");
    expect((await office.run("retry")).exitCode).toBe(0);
    expect(office.addresses().map(({ street }) => street)).toEqual(["Rua A", "Rua B"]);
    const [, ...both] = office.documents().map(({ addressId }) => addressId);
    expect([both.length, new Set(both).size]).toEqual([2, 1]);
  });
});
