/** Options, their flags, and the rules that tests can switch off. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  attributeOf,
  createSandbox,
  defaultSettings,
  optionsFromFlags,
  type RuleName,
  ruleNames,
  sandboxFlags,
} from "../src/sandbox/index.js";
import { openWorld } from "./sandbox.world.js";

const folder = new URL("../src/sandbox/", import.meta.url);
const source = readdirSync(folder)
  .filter((name) => name !== "rules.ts")
  .map((name) => readFileSync(new URL(name, folder), "utf8"));

describe("flags", () => {
  it("exist for every switch of the open points, with the defaults that hold", () => {
    const names = sandboxFlags.map(({ name }) => name);
    const settings = Object.keys(defaultSettings).filter((name) => name !== "requestLog");
    expect(names.toSorted()).toEqual([...settings, "seed", "storage"].toSorted());
    const given = Object.fromEntries(sandboxFlags.map(({ name, default: value }) => [name, value]));
    const { requestLog: _, ...expected } = defaultSettings;
    expect(given).toEqual({ ...expected, seed: 1, storage: null });
  });

  it("become options, by the names that commander gives them", () => {
    expect(sandboxFlags.map(attributeOf)).toContain("twinParticipants");
    expect(
      optionsFromFlags({ store: "a.db", rate: "off", maxEvents: "50", twinParticipants: true, checks: "order-first" }),
    ).toEqual({ storage: { file: "a.db" }, rate: null, maxEvents: 50, twinParticipants: true, checks: "order-first" });
    expect(optionsFromFlags({ rate: undefined })).toEqual({});
    expect(() => optionsFromFlags({ burst: "many" })).toThrow(/--burst <n>: many is not a number/);
    expect(() => optionsFromFlags({ linkTime: "never" })).toThrow(/event, server/);
    expect(() => createSandbox({ rate: 0 })).toThrow(RangeError);
    expect(() => createSandbox({ pageSize: -1 })).toThrow(/pageSize/);
  });
});

describe("rules", () => {
  it.each(ruleNames)("%s is guarded in one or two places", (name) => {
    const guards = source.flatMap((text) => text.split(`"${name}"`).slice(1));
    expect(guards.length).toBeGreaterThanOrEqual(1);
    expect(guards.length).toBeLessThanOrEqual(3);
  });

  it("cannot be switched off by a name that is none", () => {
    expect(() => createSandbox({ mutations: ["no.such-rule" as RuleName] })).toThrow(/no\.such-rule/);
  });

  it("that are off no longer hold, one at a time", async () => {
    const late = await openWorld({ mutations: ["order.not-before-last"] });
    const id = await late.document([late.event("X", 5)]);
    expect((await late.append(id, late.event("Y", 1))).status).toBe(201);
    const open = await openWorld({ mutations: ["events.attribute-is-public"] });
    const metadata = { attributes: [{ name: "a", value: "b" }] };
    expect((await open.append(await open.document(), open.event("X", 1, { metadata }))).status).toBe(201);
    const bad = { metadata: { attributes: [{ name: "a" }] } };
    expect((await open.append(await open.document(), open.event("X", 1, bad))).status).toBe(400);
  });

  it("import nothing from outside the folder, so that the sandbox can disagree", () => {
    for (const text of source) expect(text).not.toMatch(/from "\.\.\//);
  });
});
