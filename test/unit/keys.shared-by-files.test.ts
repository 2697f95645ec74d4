/** Rows of several files share a participant, an address, a document: what one file no longer brings, the other still has. */
import { createSandbox } from "../../src/sandbox/index.js";
import { type Office, openOfficeAt } from "../support/office.js";
import { weighings } from "../support/weighings.js";

const HEADER = ["Load", "At", "Gross"];

/** The mapping, which leaves out the rows of one load. */
const without = (load: string) => {
  const { inputs, ...rest } = structuredClone(weighings);
  return { ...rest, inputs: { weighings: { ...inputs.weighings, skip: `=load == "${load}"` } } };
};

async function open(): Promise<{
  office: Office;
  away: (isAway: boolean) => void;
  stage: (...files: string[]) => Promise<void>;
}> {
  const sandbox = createSandbox({ storage: "memory", rate: null });
  const office = await openOfficeAt(sandbox, weighings);
  const { world } = office;
  world.clock = {
    now: () => world.now,
    sleep: (ms) => {
      world.now += ms;
      return new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
  const away = (isAway: boolean) =>
    sandbox.setFaults(isAway ? [{ action: { kind: "status", status: 503, when: "before" } }] : []);
  return {
    office,
    away,
    async stage(...files) {
      away(true);
      const paths = files.map((file) => office.path(file));
      const { code, out, err } = await office.type("import", office.path("m.yaml"), ...paths, "--max-outage", "10s");
      expect({ code, out, err }).toMatchObject({ code: 4 });
      away(false);
    },
  };
}

describe("a file is staged again, and no longer brings what rows of another file need", () => {
  it("their participant and address are registered, and their events land", async () => {
    const { office, stage } = await open();
    office.writeCsv("a.csv", [HEADER, "A,2026-01-01 10:00,5"]);
    office.writeCsv("b.csv", [HEADER, "B,2026-01-01 10:00,6"]);
    await stage("a.csv");
    await stage("b.csv");
    office.writeMapping(without("A"));
    await stage("a.csv");
    expect((await office.type("resume")).code).toBe(0);
    expect(office.documents()).toHaveLength(1);
    expect(office.participants()).toHaveLength(1);
    expect(office.addresses()).toHaveLength(1);
  });

  it("a document that the other file adds to is created by it", async () => {
    const { office, stage } = await open();
    office.writeCsv("a.csv", [HEADER, "A,2026-01-01 10:00,5", "C,2026-01-01 10:00,5"]);
    office.writeCsv("b.csv", [HEADER, "A,2026-01-01 11:00,6"]);
    await stage("a.csv", "b.csv");
    const early = structuredClone(weighings);
    office.writeMapping({
      ...early,
      inputs: { weighings: { ...early.inputs.weighings, skip: '=load == "A" && gross == 5' } },
    });
    await stage("a.csv");
    expect((await office.type("resume")).code).toBe(0);
    const events = office
      .documents()
      .map((document) => document.events.filter(({ origin }) => origin === "sent").length);
    expect(events).toEqual([1, 1]);
  });

  it("both files again, each under the edited mapping: what neither brings is never sent", async () => {
    const { office, stage } = await open();
    office.writeCsv("a.csv", [HEADER, "A,2026-01-01 10:00,5", "C,2026-01-01 10:00,5"]);
    office.writeCsv("b.csv", [HEADER, "A,2026-01-01 11:00,6", "B,2026-01-01 10:00,6"]);
    await stage("a.csv", "b.csv");
    office.writeMapping(without("A"));
    await stage("a.csv");
    await stage("b.csv");
    expect((await office.type("resume")).code).toBe(0);
    expect(office.documents()).toHaveLength(2);
    expect(office.participants()).toHaveLength(1);
  });
});
