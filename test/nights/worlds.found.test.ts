/** What drawn worlds found, each at its smallest: by commands, files and timelines. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mapping } from "../support/mapping.js";
import { sampled } from "../support/sample.js";
import { Life } from "./worlds/live.js";

const weighings = {
  namespace: "found",
  defaults: { timezone: "UTC", decimal: ",", dates: ["yyyy-MM-dd HH:mm"], country: "BR" },
  inputs: {
    rows: {
      columns: {
        load: "Load",
        at: { header: "At", as: "timestamp" },
        ticket: "Ticket",
        measured: { headers: "Share *", as: "number" },
      },
      participants: { owner: { taxId: "90000000000184", taxIdType: "CNPJ", name: "Owner", type: "COMPANY" } },
      addresses: {
        yard: { participant: "owner", name: "Yard", street: "Rua", number: "1", city: "Campinas", countryState: "SP" },
      },
      documents: { load: { key: "=load", participant: "owner", address: "yard" } },
      events: {
        weighing: {
          name: "Weighing",
          key: "=ticket" as string,
          externalCreatedAt: "=at",
          isPublic: true,
          attributes: { private: { "*": "=measured" } },
        },
      },
    },
  },
};

interface Import {
  mapping: string;
  file: string;
  text: string;
}

/** Imports files one after the other; gives the exit codes, what was printed, and the sandbox's dump. */
async function importing(...imports: Import[]) {
  const life = new Life();
  onTestFinished(() => life.close());
  await life.open();
  mkdirSync(join(life.folder, "in"));
  const codes: number[] = [];
  const outputs: string[] = [];
  for (const { mapping: yaml, file, text } of imports) {
    writeFileSync(join(life.folder, "m.yaml"), yaml);
    writeFileSync(join(life.folder, "in", file), text);
    const { code, output } = await life.run("import", join(life.folder, "m.yaml"), join(life.folder, "in", file));
    codes.push(code);
    outputs.push(output);
  }
  return { codes, outputs, dump: life.sandbox.dump() };
}

describe("a set of columns", () => {
  const first = "Load;At;Ticket;Share A;Share B\nL1;2025-06-01 10:00;T1;1,5;2\n";
  const turned = "Share B;Share A;Ticket;At;Load\n2;1,5;T1;2025-06-01 10:00;L1\n";

  it.each(sampled(["=ticket", "content"], 2, 1))(
    "says nothing new when the file's columns come in another order (key: %s)",
    async (key) => {
      const given = structuredClone(weighings);
      given.inputs.rows.events.weighing.key = key;
      const within = key === "content" ? { within: "file" } : {};
      Object.assign(given.inputs.rows.events.weighing, within);
      const { codes, dump } = await importing(
        { mapping: mapping(given), file: "a.csv", text: first },
        { mapping: mapping(given), file: "b.csv", text: turned },
      );
      expect(codes).toEqual([0, 0]);
      expect(dump.match(/Weighing/g)).toHaveLength(1);
    },
  );
});

it("an event that waits takes what an edited mapping says, although rows of two earlier files gave it", async () => {
  const before = mapping(weighings);
  const given = structuredClone(weighings);
  Object.assign(given.inputs.rows.events.weighing.attributes, { public: { Load: "=load" } });
  const header = "Load;At;Ticket;Share A\n";
  const waits = "L1;2025-06-02 10:00;T2;2\n";
  const { codes, outputs, dump } = await importing(
    { mapping: before, file: "a.csv", text: `${header}L1;yesterday;T1;1\n${waits}` },
    { mapping: before, file: "b.csv", text: header + waits },
    { mapping: mapping(given), file: "b.csv", text: header + waits },
    { mapping: mapping(given), file: "c.csv", text: `${header}L1;2025-06-01 10:00;T1;1\n` },
  );
  expect(outputs.join("\n")).not.toContain("event-key-twice");
  expect(codes).toEqual([3, 3, 3, 0]);
  expect(dump.match(/"name":"Load","value":"L1"/g)).toHaveLength(2);
});

it("an event that is known by its content goes on under another name that says what it was", async () => {
  const before = structuredClone(weighings);
  Object.assign(before.inputs.rows.events.weighing, { key: "content", within: "file" });
  const { weighing } = structuredClone(before.inputs.rows.events);
  const after = structuredClone(before);
  Object.assign(after.inputs.rows, { events: { pesagem: { ...weighing, was: "weighing" } } });
  const text = "Load;At;Ticket;Share A\nL1;2025-06-01 10:00;T1;1\n";
  const { codes, dump } = await importing(
    { mapping: mapping(before), file: "a.csv", text },
    { mapping: mapping(after), file: "b.csv", text: `${text}L1;2025-06-01 11:00;T2;2\n` },
  );
  expect(codes).toEqual([0, 0]);
  expect(dump.match(/Weighing/g)).toHaveLength(2);
});

describe("two rows of one import that differ on an event which has landed", () => {
  const row = (ticket: string, share: string) => `L1;2025-06-01 10:00;${ticket};${share}\n`;
  const header = "Load;At;Ticket;Share A\n";
  const yaml = mapping(weighings);
  const landed = { mapping: yaml, file: "a.csv", text: header + row("T1", "1") };

  it.each(sampled(["before", "behind", "beside"], 3))("are told, wherever the other one stands: %s", async (where) => {
    const [same, other] = [row("T1", "1"), row("T1", "2")];
    const text = header + (where === "before" ? other + same : same + other);
    const again = { mapping: yaml, file: "b.csv", text: where === "beside" ? header + other : text };
    const more = where === "beside" ? [{ ...again, file: "c.csv", text: header + same + row("T2", "1") }] : [];
    const { codes, outputs } = await importing(landed, again, ...more, again);
    expect(codes).toEqual([0, 3, ...more.map(() => 0), 3]);
    expect(outputs.join("\n")).not.toContain("row-repeats");
  });
});
