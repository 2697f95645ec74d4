/** A row that was corrected before anything of it was sent: nothing of its old version goes out (HARD-CASES H27). */
import { createSandbox } from "../../src/sandbox/index.js";
import { hurried } from "../support/cli.world.js";
import { openOffice, openOfficeAt } from "../support/office.js";
import { sampled } from "../support/sample.js";
import { loadsWith, parties, weighingsWith, weights } from "../support/weighings.js";

const owned = (more: object = {}) =>
  weighingsWith({
    columns: { tax: { header: "Tax", as: "taxId" }, who: "Who", street: "Street" },
    participants: { owner: { taxId: "=tax", name: "=who", type: "COMPANY" } },
    addresses: { site: { ...parties.addresses.site, street: "=street" } },
    ...more,
  });
const ALFA = "11222333000181";
const BETA = "90993085000149";
const rows = (...all: readonly string[]) => loadsWith(["Tax", "Who", "Street"], ...all);

/** A service that is away, or one that refuses what it is told to. */
async function officeOf(mapping: object) {
  const sandbox = createSandbox({ storage: "memory", rate: null });
  const office = await openOfficeAt(sandbox, mapping);
  hurried(office.world);
  return { sandbox, office };
}

const away = [{ action: { kind: "status", status: 503, when: "before" } }] as const;

describe("a row that is corrected in its file before it was sent", () => {
  const corrections: [what: string, before: string[][], after: string[][], owners: string[][], streets: string[]][] = [
    [
      "its owner's name",
      rows(`A 10 1 ${ALFA} Alfa RuaA`),
      rows(`A 10 1 ${ALFA} Alpha RuaA`),
      [[ALFA, "Alpha"]],
      ["RuaA"],
    ],
    ["its place", rows(`A 10 1 ${ALFA} Alfa RuaA`), rows(`A 10 1 ${ALFA} Alfa RuaB`), [[ALFA, "Alfa"]], ["RuaB"]],
    [
      "the owner of one of two rows",
      rows(`A 10 1 ${ALFA} Alfa RuaA`, `B 10 1 ${ALFA} Alfa RuaA`),
      rows(`A 10 1 ${BETA} Beta RuaA`, `B 10 1 ${ALFA} Alfa RuaA`),
      [
        [ALFA, "Alfa"],
        [BETA, "Beta"],
      ],
      ["RuaA", "RuaA"],
    ],
  ];
  it.each(sampled(corrections, 3, 1))(
    "goes out with %s as corrected, and without what it was",
    async (_title, before, after, owners, streets) => {
      const { sandbox, office } = await officeOf(owned());
      sandbox.setFaults([...away]);
      office.writeCsv("loads.csv", before);
      await office.ends(4, "import m.yaml loads.csv --max-outage 10s");
      sandbox.setFaults([]);
      office.writeCsv("loads.csv", after);
      await office.ends(0, "import m.yaml loads.csv");
      const found = office.participants().map(({ taxId, name }) => [taxId, name]);
      expect(found).toHaveLength(owners.length);
      expect(found).toEqual(expect.arrayContaining(owners));
      expect(office.addresses().map(({ street }) => street)).toEqual(streets);
      for (const document of office.documents()) {
        const owner = office.participants().find(({ id }) => id === document.participantId);
        const told = after.find(([load]) => load === document.externalId);
        expect(owner?.taxId).toBe(told?.[3]);
      }
      expect(weights(office)).toHaveLength(after.length - 1);
    },
  );
});

describe("a row that is corrected while the service does not answer about its owner or place", () => {
  const post = (path: string) => ({ method: "POST", path }) as const;
  const alpha = rows(`A 10 1 ${ALFA} Alpha RuaA`);
  const place = "/participants/{participantId}/addresses";
  const unanswered = [
    ["the lookup of its owner", { method: "GET", path: "/participants" }, "before", alpha, "Alpha RuaA", []],
    ["the creation of its owner, absent", post("/participants"), "before", alpha, "Alpha RuaA", []],
    [
      "the creation of its owner, there",
      post("/participants"),
      "after",
      alpha,
      "Alfa RuaA",
      [expect.stringContaining("is registered as")],
    ],
    [
      "the creation of its place",
      post(place),
      "before",
      rows(`A 10 1 ${ALFA} Alfa RUAA`),
      "Alfa RUAA",
      [expect.stringContaining("also given with a different street")],
    ],
  ] as const;
  it.each(sampled(unanswered, 4, 2))(
    "%s: the newest data go out, and what may differ is told",
    async (_title, match, when, after, at, told) => {
      const { sandbox, office } = await officeOf(owned());
      const answers503 = (moment: "before" | "after") => ({ kind: "status", status: 503, when: moment }) as const;
      // The run's own second look is not answered either.
      const look = {
        match: { method: "GET", path: "/participants" },
        nth: 2,
        times: 60,
        action: answers503("before"),
      } as const;
      sandbox.setFaults([{ match, action: answers503(when) }, ...(when === "after" ? [look] : [])]);
      office.writeCsv("loads.csv", rows(`A 10 1 ${ALFA} Alfa RuaA`));
      await office.ends(4, "import m.yaml loads.csv --max-outage 10s");
      sandbox.setFaults([]);
      const { warnings, exitCode } = await office.brought("loads.csv", after);
      const found = [office.participants()[0]?.name, office.addresses()[0]?.street].join(" ");
      expect([exitCode, found, warnings.map(({ example }) => example)]).toEqual([0, at, told]);
    },
  );
});

describe("a row whose owner or place the service refuses", () => {
  const refuse = (path: string) =>
    [{ match: { method: "POST", path }, action: { kind: "status", status: 422, when: "before" } }] as const;

  const refused: [what: string, path: string, after: string[][], owners: string[][]][] = [
    ["owner", "/participants", rows(`A 10 1 ${BETA} Beta RuaA`), [[BETA, "Beta"]]],
    ["place", "/participants/{participantId}/addresses", rows(`A 10 1 ${ALFA} Alfa RuaB`), [[ALFA, "Alfa"]]],
  ];
  it.each(sampled(refused, 2))(
    "lands with another %s, corrected in its file or in the rejected one, and nothing is left to correct",
    async (_title, path, after, owners) => {
      for (const how of ["file", "rejected"]) {
        const { sandbox, office } = await officeOf(owned());
        sandbox.setFaults([...refuse(path)]);
        const first = await office.brought("loads.csv", rows(`A 10 1 ${ALFA} Alfa RuaA`));
        expect(first.exitCode).toBe(3);
        sandbox.setFaults([]);
        const [, [, , , ...now] = []] = after;
        const mended = () =>
          office.rejectedRows(first).map((row, at) => (at === 0 ? row : [...row.slice(0, 3), ...now, ...row.slice(6)]));
        const landed =
          how === "file" ? await office.brought("loads.csv", after) : await office.brought("mended.csv", mended());
        expect([how, landed.exitCode]).toEqual([how, 0]);
        expect(office.participants().map(({ taxId, name }) => [taxId, name])).toEqual(owners);
        expect(office.addresses().map(({ street }) => street)).toEqual([now[2]]);
        await office.ends(0, "resume");
        expect((await office.type("retry")).code).not.toBe(1);
        expect(office.participants()).toHaveLength(1);
        expect(weights(office)).toEqual(["A 10 1"]);
      }
    },
  );
});

it("a wrong row that comes back otherwise, and wrong still, is open once: its newest version", async () => {
  const office = openOffice(weighingsWith({ columns: { plate: { header: "Plate", optional: true } } }));
  const night = (...all: string[]) => loadsWith(["Plate"], ...all);
  await office.brought("monday.csv", night("L1 10 x P1", "L1 20 5 P1"));
  await office.brought("tuesday.csv", night("L1 10 y P1", "L1 20 5 P1"));
  const summary = await office.brought("wednesday.csv", night("L1 10 z P2", "L1 20 5 P1"));
  expect([summary.open.rows, summary.problems]).toMatchObject([1, [{ count: 1, place: "wednesday.csv, row 2" }]]);
  await office.lands("thursday.csv", night("L1 10 4 P2", "L1 20 5 P1"));
  expect(weights(office)).toEqual(["L1 10 4", "L1 20 5"]);
});
