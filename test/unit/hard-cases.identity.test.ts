/** HARD-CASES of targets and identities: whose document, whose participant, whose address. */
import { copyFileSync, rmSync } from "node:fs";
import { documentDeduplicationId } from "../../src/model/keys.js";
import {
  answered,
  at,
  begun,
  documentState,
  faults,
  file,
  imported,
  lost,
  minutes,
  notThere,
  open,
  resolveFound,
  resumed,
  retryAll,
  states,
  world,
} from "../nights/simulation/hard-case.js";
import type { RunPlan } from "../nights/simulation/world.js";
import { twinParticipants } from "../support/doubled.js";

describe("H19: a target's document", () => {
  test("takes its own later rows once it is there", long, async () => {
    open();
    const rows = ["T1 30 onTarget key=t", "M1 10 target=T1"];
    expect((await imported(...rows)).exitCode).toBe(0);
    expect(minutes("T1")).toEqual([30]);
    expect(world.sandbox.store.documentsByExternalId("T1")[0]?.fields).toEqual({ category: "Batch" });
  });

  test("is late for what lies before the event that makes it", long, async () => {
    open();
    await imported("M1 10 target=T1", "T1 5 onTarget");
    expect(states()).toEqual(["rejected: late", "landed"]);
  });

  test("confirmed only by a duplicate waits for `resolve`", long, async () => {
    await begun();
    faults({ nth: 1, action: lost });
    const rows = ["M1 10 target=T1", "T1 30 onTarget key=t"];
    expect((await imported(...rows)).exitCode).toBe(3);
    expect(documentState("T1")).toBe("stranded");
    resolveFound("T1");
    expect(await resumed()).toBe(0);
    expect(minutes("T1")).toEqual([30]);
  });

  test(
    "whose own key is taken refuses the event that would make it, and is no receipt for that event",
    long,
    async () => {
      open();
      await imported("M1 10 target=T1");
      const key = documentDeduplicationId({ namespace: "story", kind: "batch", key: "T1", generation: 1 });
      expect(world.sandbox.store.documentsByExternalId("T1")[0]?.deduplicationId).toBe(key);
      await imported("M2 10 key=again target=T1", "M2 20");
      expect(states().filter((state) => state.startsWith("landed-without-id"))).toEqual([]);
      expect(minutes("M2")).toEqual([]);
    },
  );
});

describe("H29–H32: identities", () => {
  const other = async () => {
    const credentials = { clientId: "second", clientSecret: () => "second" };
    const mine = { ...world.target };
    Object.assign(world.target, credentials, { ledgerPath: `${mine.ledgerPath}-second` });
    await imported("X1 1");
    Object.assign(world.target, mine);
    return world.sandbox.store.participants()[0]?.id ?? "";
  };

  test(
    "H29, H30: on a participant of others addresses are listed first, and a masked street is nobody's",
    long,
    async () => {
      open();
      const id = await other();
      const summary = await imported(...at(10));
      expect(summary.requests.byKind).toMatchObject({ "list-addresses": 1, "create-address": 1 });
      expect(world.sandbox.store.addresses().map(({ participantId }) => participantId)).toEqual([id, id]);
      expect(summary.warnings.map(({ code }) => code)).toContain("address-masked");
    },
  );

  const second = async (...rows: Parameters<typeof imported>) => {
    const mine = { ...world.target };
    Object.assign(world.target, { ledgerPath: `${mine.ledgerPath}-second` });
    const summary = await imported(...rows);
    Object.assign(world.target, mine);
    return summary;
  };
  const streets = () => world.sandbox.store.addresses().map(({ street }) => street);
  const placed = (document: string, street: string) => ({ document, minute: 1, street });

  test("H29: two ledgers of one client register a place of a participant that both know once", long, async () => {
    open();
    await imported(placed("M1", "Rua 1"));
    await second(placed("N1", "Rua 2"));
    const { requests } = await imported(placed("M2", "Rua 2"), placed("M3", "Rua 3"), placed("M4", "Rua 4"));
    expect(requests.byKind).toMatchObject({ "list-addresses": 1, "create-address": 2 });
    expect(streets()).toEqual(["Rua 1", "Rua 2", "Rua 3", "Rua 4"]);
  });

  test("H40: a ledger put back finds the address that it has registered since", long, async () => {
    open();
    await imported(placed("M1", "Rua 1"));
    const { ledgerPath } = world.target;
    copyFileSync(ledgerPath, `${ledgerPath}-copy`);
    await imported(placed("M2", "Rua 2"));
    rmSync(`${ledgerPath}-wal`, { force: true });
    copyFileSync(`${ledgerPath}-copy`, ledgerPath);
    await imported(placed("M2", "Rua 2"), placed("M3", "Rua 2"));
    expect(streets()).toEqual(["Rua 1", "Rua 2"]);
    expect(minutes("M3")).toEqual([1]);
  });

  test("a participant that this run creates needs no list of its addresses", async () => {
    open();
    const { requests } = await imported(placed("M1", "Rua 1"), placed("M2", "Rua 2"));
    expect(requests.byKind["list-addresses"]).toBeUndefined();
    expect(streets()).toEqual(["Rua 1", "Rua 2"]);
  });

  test.each([
    ["use", 1, "landed"],
    ["create", 2, "landed"],
    ["refuse", 1, "held: behind-rejected"],
  ] as const)("H31: `foreign: %s` on a participant of another dataset", long, async (foreign, count, state) => {
    open({ settings: { participants: { strategy: "lookup-first", foreign } } });
    await other();
    await imported(...at(10));
    expect(world.sandbox.store.participants()).toHaveLength(count);
    expect(states()).toEqual([state]);
  });

  test("H31: under `foreign: create`, a service that makes none twice is told with the setting", async () => {
    open({ settings: { participants: { strategy: "lookup-first", foreign: "create" } } });
    await other();
    world.setFaults([{ match: { method: "POST", path: "/participants" }, action: answered(409) }]);
    const { problems } = await imported(...at(10));
    expect(problems[0]?.example).toMatch(/another dataset.* participants\.foreign is create/);
  });

  test("H31: a participant found with another name is used and reported", async () => {
    await begun();
    world.target.ledgerPath += "-new";
    const summary = await imported({ document: "M2", minute: 1, participantName: "Other" });
    expect(summary.exitCode).toBe(0);
    expect(summary.warnings.map(({ code }) => code)).toContain("participant-differs");
  });

  test("H31: nothing is said of a participant whose name the service spells in its own way", async () => {
    await begun();
    world.target.ledgerPath += "-new";
    const summary = await imported({ document: "M2", minute: 1, participantName: "CÔMPANY 11222333000181." });
    expect(summary.warnings.map(({ code }) => code)).not.toContain("participant-differs");
  });

  test("H32: tax ids are looked up as they would be created", async () => {
    open();
    const asked: string[] = [];
    await world.import([file("M1 1 participant=11.222.333/0001-81")], {
      rewrite: (request, reply) => {
        if (request.method === "GET") asked.push(new URL(request.url).searchParams.get("taxId") ?? "");
        return reply;
      },
    });
    expect(asked).toEqual([world.sandbox.store.participants()[0]?.taxId]);
  });
});

describe("a participant of which no look and no create can tell", () => {
  const retried = async (plan?: RunPlan) => {
    retryAll();
    return world.resume(plan);
  };

  test("because a lookup is answered with somebody else needs a person, and is nobody's id", async () => {
    open();
    const someoneElse: RunPlan = {
      rewrite: (request, reply) =>
        request.method === "GET" && request.url.includes("/participants?")
          ? {
              ...reply,
              status: 200,
              body: JSON.stringify({ id: "p-0", taxId: "999", taxIdType: "CNPJ", type: "COMPANY" }),
            }
          : reply,
    };
    const summary = await world.import([file(...at(10))], someoneElse);
    expect([summary.exitCode, summary.open.participants]).toEqual([3, { rejected: 1 }]);
    expect(summary.problems[0]).toMatchObject({ code: "lookup-unreadable" });
    expect((await retried()).exitCode).toBe(0);
  });

  test(
    "because the service refuses to make it and yet does not find it needs a person, not another run",
    long,
    async () => {
      open();
      world.setFaults([{ match: { method: "POST", path: "/participants" }, action: answered(409) }]);
      const summary = await imported(...at(10));
      expect([summary.exitCode, summary.open.participants]).toEqual([3, { rejected: 1 }]);
      expect(summary.problems[0]?.example).toContain("a lookup finds no such participant");
      world.setFaults([]);
      expect((await retried()).exitCode).toBe(0);
      expect(twinParticipants(world.sandbox.store)).toEqual([]);
    },
  );
});

describe("H7: after a create whose answer was lost", () => {
  const ADDRESSES = "/participants/{participantId}/addresses";
  /** The looks after the create of `path`, `times` of them, are answered so by something in front of the service. */
  const answeredInBetween = (path: string, status: number, body: string, times: number): RunPlan => {
    const before = path === "/participants" ? 1 : 0;
    let looks = 0;
    return {
      rewrite: (request, reply) => {
        if (request.method !== "GET" || !new URL(request.url).pathname.endsWith(path.slice(path.lastIndexOf("/"))))
          return reply;
        looks += 1;
        return looks > before && looks <= before + times ? { ...reply, status, body } : reply;
      },
    };
  };

  test.each([
    ["/participants", 200, ""],
    [ADDRESSES, 200, "{}"],
    // Reads may be older than writes.
    ["/participants", 404, "{}"],
    [ADDRESSES, 200, "[]"],
  ] as const)("%s: a look that is answered once with %i %j makes no second one", async (path, status, body) => {
    open({ sandbox: { twinParticipants: true } });
    world.setFaults([{ match: { method: "POST", path }, nth: 1, action: lost }]);
    const summary = await world.import([file(...at(10))], answeredInBetween(path, status, body, 1));
    expect(summary.exitCode).toBe(0);
    expect(world.sandbox.store.participants()).toHaveLength(1);
    expect(world.sandbox.store.addresses()).toHaveLength(1);
    expect(minutes()).toEqual([10]);
  });

  // "name: sent on create", says service.md of addresses; of other fields "returned on list".
  test("an address is found in a list without names, and none of another name", long, async () => {
    open();
    const rewrite: RunPlan["rewrite"] = (request, reply) => {
      if (request.method !== "GET" || !request.url.endsWith("/addresses")) return reply;
      const listed = JSON.parse(reply.body) as object[];
      return { ...reply, body: JSON.stringify(listed.map((one) => ({ ...one, name: undefined }))) };
    };
    const street = "Rua 1";
    await world.import([file({ document: "M1", minute: 10, street })], { rewrite });
    world.setFaults([{ match: { method: "POST", path: ADDRESSES }, nth: 1, action: lost }]);
    const other = { document: "M2", minute: 10, street, place: "Anexo" };
    expect((await world.import([file(other)], { rewrite })).exitCode).toBe(0);
    expect(world.sandbox.store.addresses()).toHaveLength(2);
    const [first, second] = ["M1", "M2"].map((key) => world.sandbox.store.documentsByExternalId(key)[0]?.addressId);
    expect(first).not.toBe(second);
  });

  test("a street that is written with asterisks is not taken for a masked one", async () => {
    open();
    world.setFaults([{ match: { method: "POST", path: ADDRESSES }, nth: 1, action: lost }]);
    const { exitCode } = await imported({ document: "M1", minute: 10, street: "Galpão **B**" });
    expect([exitCode, world.sandbox.store.addresses().length]).toEqual([0, 1]);
  });

  test.each(["/participants", ADDRESSES])(
    "%s: a service that says nothing where there is none is believed",
    async (path) => {
      open({ sandbox: { twinParticipants: true } });
      world.setFaults([{ match: { method: "POST", path }, nth: 1, action: notThere }]);
      expect((await world.import([file(...at(10))], answeredInBetween(path, 200, "", 2))).exitCode).toBe(0);
      expect(world.sandbox.store.addresses()).toHaveLength(1);
      expect(minutes()).toEqual([10]);
    },
  );
});
