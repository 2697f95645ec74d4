/** Faults on purpose: by script, by chance, and over the control endpoints while it runs. */
import type { FaultRule, SandboxOptions } from "../../src/sandbox/index.js";
import { openWorld, tokenOf } from "../support/sandbox.world.js";

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
  it("hits the nth request of its endpoint only, the token endpoint included", async () => {
    const { sandbox, get, send } = await faulty([
      { match: BATCH, nth: 2, action: { kind: "drop", when: "before" } },
      { match: { path: "/oauth/token" }, action: { kind: "status", status: 500, when: "before" } },
      { match: { method: "GET" }, nth: 1, action: { kind: "pending-process" } },
    ]);
    expect((await send()).status).toBe(201);
    expect((await get("/documents/x")).status).toBe(409);
    expect((await send()).dropped).toBe(true);
    await expect(tokenOf(sandbox)).resolves.toBeUndefined();
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

  it("is reproducible by its seed, and about as likely as told", async () => {
    const one = await run(5, [flaky]);
    expect(await run(5, [flaky])).toBe(one);
    expect(await run(6, [flaky])).not.toBe(one);
    const hits = one.split("x").length - 1;
    expect(hits).toBeGreaterThan(30);
    expect(hits).toBeLessThan(70);
  });
});
