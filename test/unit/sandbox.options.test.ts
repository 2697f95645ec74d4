/** Options and their flags. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  attributeOf,
  createSandbox,
  defaultSettings,
  optionsFromFlags,
  sandboxFlags,
} from "../../src/sandbox/index.js";

const folder = new URL("../../src/sandbox/", import.meta.url);
const source = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));

describe("flags", () => {
  it("exist for every switch of the open points, with the defaults that hold", () => {
    const names = sandboxFlags.map(({ name }) => name);
    expect(names.toSorted()).toEqual([...Object.keys(defaultSettings), "seed"].toSorted());
    const given = Object.fromEntries(sandboxFlags.map(({ name, default: value }) => [name, value]));
    expect(given).toEqual({ ...defaultSettings, seed: 1 });
  });

  it("become options, by the names that commander gives them", () => {
    expect(sandboxFlags.map(attributeOf)).toContain("twinParticipants");
    expect(optionsFromFlags({ rate: "off", maxEvents: "50", twinParticipants: true, checks: "order-first" })).toEqual({
      rate: null,
      maxEvents: 50,
      twinParticipants: true,
      checks: "order-first",
    });
    expect(optionsFromFlags({ rate: undefined })).toEqual({});
    expect(() => optionsFromFlags({ burst: "many" })).toThrow(/--burst <n>: many is not a number/);
    expect(() => optionsFromFlags({ linkTime: "never" })).toThrow(/event, server/);
    expect(() => createSandbox({ rate: 0 })).toThrow(RangeError);
    expect(() => createSandbox({ pageSize: -1 })).toThrow(/pageSize/);
  });
});

it("imports nothing from outside its folder, so that the sandbox can disagree", () => {
  for (const text of source) expect(text).not.toMatch(/from "\.\.\//);
});
