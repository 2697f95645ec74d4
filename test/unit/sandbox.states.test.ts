/** CLOSE and CANCEL (service.md, States and transitions; Events rule 9). */
import { describe, expect, it } from "vitest";
import { openWorld, refusalOf, timelineOf } from "../support/sandbox.world.js";

const attributes = (...list: unknown[]) => ({ metadata: { attributes: list } });
const reason = attributes({ name: "reason", value: "typo", isPublic: false });

describe("states and transitions", () => {
  it("CLOSE ends updates; RELATED and CANCEL can still be added; after CANCEL nothing can", async () => {
    const { append, document, event, sandbox } = await openWorld();
    const [id, other] = [await document(), await document()];
    const related = { relatedDocument: { documentId: other, bidirectional: false } };
    await append(id, event("CLOSE", 1));
    expect(sandbox.store.document(id)?.state).toBe("closed");
    for (const name of ["X", "ACTOR", "UPDATE", "CLOSE", "OUTPUT"]) {
      expect(refusalOf(await append(id, event(name, 2)))).toMatch(/^409 CONFLICT_ERROR Document \S+ is closed$/);
    }
    expect((await append(id, event("RELATED", 2, related))).status).toBe(201);
    expect((await append(id, event("CANCEL", 3, reason))).status).toBe(201);
    expect(sandbox.store.document(id)?.state).toBe("cancelled");
    for (const [name, more] of [
      ["X", {}],
      ["RELATED", related],
      ["CANCEL", reason],
      ["CLOSE", {}],
    ] as const) {
      expect(refusalOf(await append(id, event(name, 4, more)))).toContain("is cancelled");
    }
    expect(timelineOf(sandbox, id)).toEqual(["CLOSE", "RELATED", "CANCEL"]);
  });

  it("CLOSE within a batch ends what follows in it", async () => {
    const { post, event } = await openWorld();
    const events = [event("CLOSE", 1), event("X", 2)];
    expect((await post("/documents/events", { document: {}, events })).status).toBe(409);
  });

  it.each([
    ["no metadata", {}],
    ["no attributes", { metadata: {} }],
    ["another name", attributes({ name: "why", value: "typo", isPublic: true })],
    ["Reason", attributes({ name: "Reason", value: "typo", isPublic: true })],
    ["an empty value", attributes({ name: "reason", value: "", isPublic: true })],
  ])("CANCEL needs its reason: %s (rule 9)", async (_title, more) => {
    const { append, document, event, sandbox } = await openWorld();
    const id = await document();
    expect(refusalOf(await append(id, event("CANCEL", 1, more)))).toBe(
      "400 VALIDATION_ERROR The reason metadata is required for CANCEL events",
    );
    expect(sandbox.store.document(id)?.state).toBe("open");
  });
});
