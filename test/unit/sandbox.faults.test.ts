/** Faults on purpose: by script, by chance, and over the control endpoints while it runs. */
import type { FaultRule, SandboxOptions } from "../../src/sandbox/index.js";
import { openWorld, refusalOf, tokenOf } from "../support/sandbox.world.js";

const BATCH = { method: "POST", path: "/documents/events" } as const;

/** A sandbox with one document and these rules; `send` appends an event to it and gives the answer. */
async function faulty(rules: FaultRule[], options: SandboxOptions = {}) {
  const world = await openWorld(options);
  const documentId = await world.document();
  world.sandbox.setFaults(rules);
  let minute = 0;
  const send = () => {
    minute += 1;
    return world.post("/documents/events", { documentId, events: [world.event(`E${minute}`, minute)] });
  };
  const control = (method: string, path: string, body?: unknown) =>
    world.sandbox.inject({
      method,
      path: `${world.sandbox.controlPath}/${path}`,
      ...(body === undefined ? {} : { body: body as never }),
    });
  return { ...world, documentId, send, control };
}

describe("a fault", () => {
  it("expires the token that the request carries, and no other", async () => {
    const { send, sandbox, get } = await faulty([]);
    const other = await tokenOf(sandbox);
    sandbox.setFaults([{ nth: 1, action: { kind: "expire-token" } }]);
    expect((await send()).body).toBe('{"message":"The incoming token has expired"}');
    expect((await get("/documents/x")).status).toBe(403);
    const headers = { authorization: `Bearer ${other}` };
    expect((await sandbox.inject({ method: "GET", path: "/documents/x", headers })).status).toBe(404);
  });
});

/** 200 requests under these rules: a dot for each that was accepted. */
async function run(seed: number, rules: FaultRule[]) {
  const { send, sandbox } = await faulty([]);
  sandbox.setFaults(rules, seed);
  let text = "";
  for (let sent = 0; sent < 200; sent += 1) text += (await send()).status === 201 ? "." : "x";
  return text;
}

describe("chance", () => {
  const flaky: FaultRule = { probability: 0.25, action: { kind: "status", status: 500, when: "before" } };

  it("is reproducible by its seed, and about as likely as told", long, async () => {
    const one = await run(5, [flaky]);
    expect(await run(5, [flaky])).toBe(one);
    expect(await run(6, [flaky])).not.toBe(one);
    const hits = one.split("x").length - 1;
    expect(hits).toBeGreaterThan(30);
    expect(hits).toBeLessThan(70);
  });
});

describe("the control endpoints", () => {
  it("set, list and delete faults, outside authentication and limiter", async () => {
    const { send, control } = await faulty([], { rate: 20, burst: 30 });
    const rule: FaultRule = { match: BATCH, times: 1, action: { kind: "pending-process" } };
    for (let sent = 0; sent < 100; sent += 1) expect((await control("GET", "faults")).status).toBe(200);
    expect((await control("PUT", "faults", { rules: [rule], seed: 3 })).status).toBe(200);
    expect((await send()).status).toBe(409);
    expect((await control("GET", "faults")).json()).toEqual({ rules: [{ rule, seen: 1, fired: 1 }] });
    expect((await control("DELETE", "faults")).json()).toEqual({ rules: [] });
    const wrong = await control("PUT", "faults", { rules: [{ action: { kind: "explode" } }] });
    expect(refusalOf(wrong)).toContain("400 VALIDATION_ERROR");
    expect((await control("PATCH", "faults")).status).toBe(405);
    expect((await control("GET", "nothing")).status).toBe(404);
  });
});
