/** The SQLite file: what was answered survives, what was refused leaves no trace, and both stores say the same. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { createSandbox, seededRandom } from "../../src/sandbox/index.js";
import { openWorld, person, place, type World } from "../support/sandbox.world.js";

const folder = mkdtempSync(join(tmpdir(), "sandbox-storage-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Everything that a store can do, refusals and rollbacks included; the text of all answers. */
async function aDay(world: World) {
  const { append, document, event, post, get, participantId } = world;
  const answers: string[] = [];
  const note = async (pending: Promise<{ status: number; body: string }>) => {
    const { status, body } = await pending;
    answers.push(`${status} ${body}`);
  };
  const [a, b] = [await document([event("X", 1, { deduplicationId: "k" })], { externalId: "A" }), await document()];
  const link = { relatedDocument: { documentId: b, isPublic: true } };
  await note(append(a, event("RELATED", 2, link)));
  await note(append(a, event("RELATED", 3, link)));
  await note(append(a, event("UPDATE", 3, { propagateEvent: true, target: { externalId: "T" } })));
  await note(append(b, event("X", 4, { deduplicationId: "k" })));
  const inline = { participantId: undefined, participant: person("7"), addressId: undefined, address: place("7") };
  const half = [{ ...event("Y", 5), ...inline }, event("Z", 4)];
  await note(post("/documents/events", { documentId: b, events: half }));
  await note(append(b, { ...event("Y", 5), ...inline }));
  await note(post(`/participants/${participantId}/addresses`, place("8"), "second"));
  await note(append(a, event("CLOSE", 6)));
  await note(append(a, event("X", 7)));
  await note(get(`/participants/${participantId}/addresses`));
  await note(get(`/documents/${a}`));
  await note(get(`/documents/${b}`));
  return answers.join("\n");
}

describe("a store", () => {
  it.each([false, true])("in a file answers like one in memory (partialBatches %s)", async (partialBatches) => {
    const file = join(folder, `same-${partialBatches}.db`);
    const memory = await openWorld({ partialBatches });
    const sqlite = await openWorld({ partialBatches, storage: { file } });
    expect(await aDay(sqlite)).toBe(await aDay(memory));
    expect(sqlite.sandbox.dump({ ids: true })).toBe(memory.sandbox.dump({ ids: true }));
    await sqlite.sandbox.close();
  });

  it("in a file holds what was answered at the moment of the answer", async () => {
    const file = join(folder, "durable.db");
    const { document, event, sandbox } = await openWorld({ storage: { file } });
    const other = new Database(file, { readonly: true });
    const count = other.prepare("SELECT count(*) FROM events").pluck();
    for (let sent = 1; sent <= 3; sent += 1) {
      await document([event("X", 1)]);
      expect(count.get()).toBe(sent);
    }
    await Promise.all(Array.from({ length: 20 }, () => document([event("X", 1)])));
    expect(count.get()).toBe(23);
    other.close();
    await sandbox.close();
  });

  it("refuses a file that is not its own", () => {
    const text = join(folder, "text.db");
    writeFileSync(text, "not a database at all, by any means; and long enough to be one".repeat(40));
    expect(() => createSandbox({ storage: { file: text } })).toThrow(/not a database/);
    const foreign = join(folder, "foreign.db");
    const database = new Database(foreign);
    database.exec("CREATE TABLE anything (a)");
    database.close();
    expect(() => createSandbox({ storage: { file: foreign } })).toThrow(/not a sandbox store/);
  });
});

/** A document of two events for each name, in that order. */
async function write(world: World, names: string[]) {
  for (const externalId of names) {
    const fields = { externalId, participantId: world.participantId, category: "MassID" };
    await world.document([world.event("X", 1), world.event("Y", 2, { value: { b: 1, a: [2] } })], fields);
  }
}

it("the dump is the same for the same data, whatever the order of arrival and the ids", async () => {
  const one = await openWorld({ random: seededRandom(1) });
  const two = await openWorld({ random: seededRandom(2) });
  await write(one, ["D1", "D2", "D3"]);
  await write(two, ["D3", "D1", "D2"]);
  expect(one.sandbox.dump()).toBe(two.sandbox.dump());
  expect(one.sandbox.dump({ ids: true })).not.toBe(two.sandbox.dump({ ids: true }));
});
