/** Participants, addresses and datasets (service.md, What the service does; Resources; Endpoints). */
import { describe, expect, it } from "vitest";
import { openWorld, person, place, refusalOf } from "../support/sandbox.world.js";

describe("participants", () => {
  it("are registered once and found by id and by natural key; snapshotId comes on create only", async () => {
    const { post, get } = await openWorld();
    const created = await post("/participants", person("12.345/67", "Blue & Co"));
    expect(created.status).toBe(201);
    const { id, snapshotId } = created.json();
    expect(snapshotId).toMatch(/^[0-9a-f-]{36}$/);
    const read = await get(`/participants/${id}`);
    expect(read.json()).toEqual({
      id,
      ...person("12.345/67", "Blue & Co"),
      businessName: "Blue & Co",
      email: "",
      mobileNumber: "",
      telephoneNumber: "",
    });
    const query = new URLSearchParams({ countryCode: "BR", taxIdType: "CNPJ", taxId: "12.345/67" });
    expect((await get(`/participants?${query.toString()}`)).json()).toEqual(read.json());
  });

  it("have countryCode, taxIdType and taxId together for a natural key", async () => {
    const { post, get } = await openWorld();
    const cpf = await post("/participants", { ...person("1"), taxIdType: "CPF" });
    expect(cpf.status).toBe(201);
    const found = await get("/participants?countryCode=BR&taxIdType=CPF&taxId=1");
    expect(found.json().id).toBe(cpf.json().id);
    expect((await get("/participants?countryCode=US&taxIdType=CPF&taxId=1")).status).toBe(404);
  });

  it("are refused a second time, by 409 with another message than a duplicate key (open point 2)", async () => {
    const { post, sandbox } = await openWorld();
    expect(refusalOf(await post("/participants", person("1", "Other")))).toBe(
      "409 CONFLICT_ERROR Participant BR CNPJ 1 is already registered",
    );
    expect(sandbox.store.participants()).toHaveLength(1);
  });

  it("become twins under twinParticipants, and are counted", async () => {
    const { post, get, sandbox, participantId } = await openWorld({ twinParticipants: true });
    expect((await post("/participants", person("1"))).status).toBe(201);
    expect(sandbox.store.twinParticipants()).toMatchObject([{ count: 2 }]);
    expect((await get("/participants?countryCode=BR&taxIdType=CNPJ&taxId=1")).json().id).toBe(participantId);
  });

  it.each(["countryCode", "name", "taxId", "taxIdType", "type"])("need %s, not empty (open point 1)", async (field) => {
    const { post, sandbox } = await openWorld();
    const { [field as "name"]: _, ...rest } = person("2");
    expect((await post("/participants", rest)).status).toBe(400);
    expect((await post("/participants", { ...person("2"), [field]: "" })).status).toBe(400);
    expect((await post("/participants", { ...person("2"), [field]: 5 })).status).toBe(422);
    expect(sandbox.store.participants()).toHaveLength(1);
  });

  it("that nobody knows are 404, and a lookup without its three fields is 400", async () => {
    const { get } = await openWorld();
    expect((await get("/participants/nobody")).status).toBe(404);
    expect((await get("/participants?countryCode=BR&taxIdType=CNPJ&taxId=99")).status).toBe(404);
    expect((await get("/participants?countryCode=BR&taxIdType=CNPJ")).status).toBe(400);
  });
});

describe("addresses", () => {
  it("come back with id, snapshotId and geography, and are listed with participantId and geography", async () => {
    const { post, get, participantId } = await openWorld();
    const created = await post(`/participants/${participantId}/addresses`, { ...place("2"), city: "SAO  PAULO" });
    expect(created.status).toBe(201);
    expect(Object.keys(created.json())).toEqual(["id", "snapshotId", "geography"]);
    expect(created.json().geography).toMatchObject({
      status: "RESOLVED",
      unresolvedLevel: null,
      ruleVersion: 1,
      resolvedAt: "2026-06-01T12:00:00.000Z",
      municipality: { code: "3550308", name: "São Paulo", subdivisionCode: "SP" },
      subdivision: { code: "SP", name: "São Paulo" },
      candidates: [],
    });
    const listed = (await get(`/participants/${participantId}/addresses`)).json();
    expect(listed).toHaveLength(2);
    expect(listed[1]).toMatchObject({ participantId, street: "Rua A", number: "2", zipCode: null });
    expect(listed[1].geography).toEqual(created.json().geography);
    expect(listed[1]).not.toHaveProperty("snapshotId");
  });

  it("that cannot be resolved say on which level, with candidates (open point 6)", async () => {
    const { post, participantId } = await openWorld();
    const geographyOf = async (more: Record<string, string>) => {
      const answer = await post(`/participants/${participantId}/addresses`, { ...place(), ...more });
      return answer.json().geography;
    };
    const elsewhere = await geographyOf({ countryState: "RJ", city: "Campinas" });
    expect(elsewhere).toMatchObject({ status: "UNRESOLVED", unresolvedLevel: "MUNICIPALITY", municipality: null });
    expect(elsewhere.candidates[0]).toEqual({ code: "3509502", name: "Campinas", subdivisionCode: "SP" });
    expect(await geographyOf({ countryState: "??" })).toMatchObject({ unresolvedLevel: "SUBDIVISION" });
    expect(await geographyOf({ countryCode: "ZZ" })).toMatchObject({ unresolvedLevel: "COUNTRY", candidates: [] });
  });

  it("belong to one participant, and need one that exists", async () => {
    const { post, get } = await openWorld();
    const other = (await post("/participants", person("2"))).json().id;
    expect((await get(`/participants/${other}/addresses`)).json()).toEqual([]);
    expect((await post("/participants/nobody/addresses", place())).status).toBe(404);
    expect((await get("/participants/nobody/addresses")).status).toBe(404);
  });

  it("are doubled when they are repeated, and the doubles are counted (open point 5)", async () => {
    const { post, participantId, sandbox } = await openWorld();
    await post(`/participants/${participantId}/addresses`, place());
    await post(`/participants/${participantId}/addresses`, place());
    expect(sandbox.store.doubledAddresses()).toMatchObject([{ count: 3, first: { number: "1" } }]);
  });

  it("take the further fields, unless strictAddresses refuses them (open point 4)", async () => {
    const more = {
      ...place("9"),
      zipCode: "01000-000",
      latitude: -23.5,
      longitude: -46.6,
      complement: "A",
      neighborhood: "Sé",
    };
    const open = await openWorld();
    expect((await open.post(`/participants/${open.participantId}/addresses`, more)).status).toBe(201);
    expect((await open.get(`/participants/${open.participantId}/addresses`)).json()[1]).toMatchObject(more);
    const strict = await openWorld({ strictAddresses: true });
    expect((await strict.post(`/participants/${strict.participantId}/addresses`, more)).status).toBe(400);
    expect(strict.sandbox.store.addresses()).toHaveLength(1);
  });

  it("come in pages under pageSize, with a link to the next (open point 21)", async () => {
    const { post, get, participantId } = await openWorld({ pageSize: 2 });
    await post(`/participants/${participantId}/addresses`, place("2"));
    await post(`/participants/${participantId}/addresses`, place("3"));
    const first = await get(`/participants/${participantId}/addresses`);
    expect(first.json().map((one: { number: string }) => one.number)).toEqual(["1", "2"]);
    expect(first.headers["link"]).toContain("page=2");
    const second = await get(`/participants/${participantId}/addresses?page=2`);
    expect(second.json()).toHaveLength(1);
    expect(second.headers["link"]).toBeUndefined();
    expect((await get(`/participants/${participantId}/addresses?page=x`)).status).toBe(400);
  });
});

describe("datasets (What the service does, 4)", () => {
  it("show others only what identifies a participant and where it is, the street masked", async () => {
    const { get, post, participantId } = await openWorld();
    const foreign = (await get(`/participants/${participantId}`, "second")).json();
    expect(Object.keys(foreign)).toEqual(["id", "countryCode", "taxIdType", "taxId", "name"]);
    await post(`/participants/${participantId}/addresses`, place("77"), "second");
    const seen = (await get(`/participants/${participantId}/addresses`, "second")).json();
    expect(seen.map((one: { street: string }) => one.street)).toEqual(["*****", "Rua A"]);
    expect(seen[0]).not.toHaveProperty("complement");
    const own = (await get(`/participants/${participantId}/addresses`)).json();
    expect(own.map((one: { street: string }) => one.street)).toEqual(["Rua A", "*****"]);
  });

  it("each register a natural key for themselves, and find their own first", async () => {
    const { get, post, participantId } = await openWorld();
    const lookup = "/participants?countryCode=BR&taxIdType=CNPJ&taxId=1";
    expect((await get(lookup, "second")).json().id).toBe(participantId);
    const own = await post("/participants", person("1", "Mine"), "second");
    expect(own.status).toBe(201);
    expect((await get(lookup, "second")).json()).toMatchObject({ id: own.json().id, name: "Mine", type: "COMPANY" });
    expect((await get(lookup)).json().id).toBe(participantId);
  });

  it("keep their documents to themselves", async () => {
    const { get, append, event, document, sandbox } = await openWorld();
    const id = await document([event("Pick-up", 1)]);
    expect((await get(`/documents/${id}`, "second")).status).toBe(404);
    expect((await append(id, event("Pick-up", 2), "second")).status).toBe(404);
    expect(sandbox.store.timeline(id)).toHaveLength(1);
  });

  it("may use each other's participants, unless foreign is refuse: then 403 in the envelope (open point 28)", async () => {
    const open = await openWorld();
    const given = (world: typeof open) => ({ document: {}, events: [world.event("Pick-up", 1)] });
    expect((await open.post("/documents/events", given(open), "second")).status).toBe(201);
    const strict = await openWorld({ foreign: "refuse" });
    expect(refusalOf(await strict.post("/documents/events", given(strict), "second"))).toContain("403 FORBIDDEN");
    const path = `/participants/${strict.participantId}/addresses`;
    expect((await strict.post(path, place(), "second")).status).toBe(403);
    expect(strict.sandbox.store.documents()).toEqual([]);
    expect(strict.sandbox.store.addresses()).toHaveLength(1);
  });
});
