import { load, mappingWith } from "../support/map.support.js";

describe("settings", () => {
  it("have the defaults of the design", async () => {
    expect((await load(mappingWith({}))).settings).toEqual({
      identity: "first",
      references: "registered",
      creation: "with-events",
      linkTime: "event",
      participants: { strategy: "lookup-first", foreign: "use" },
      addresses: { extendedFields: false },
      unplacedRows: "report",
      replacementExternalId: null,
      late: { refuse: true },
    });
  });

  it("are taken from the mapping", async () => {
    const settings =
      "settings: { identity: last, creation: shell-first, addresses: { extendedFields: true }, participants: { foreign: refuse }, late: { attribute: Original time, isPublic: false } }";
    expect((await load(`${settings}\n${mappingWith({})}`)).settings).toMatchObject({
      identity: "last",
      creation: "shell-first",
      addresses: { extendedFields: true },
      participants: { strategy: "lookup-first", foreign: "refuse" },
      late: { refuse: false, attribute: "Original time", isPublic: false },
    });
  });

  it.each([
    ["{externalId}-{generation}", true],
    ["R{generation}", true],
    ["{externalId}", false],
    ["{externalId}-{generation}-{row}", false],
  ])("an externalId of replacements %j is taken: %s (open-points 26)", async (text, isTaken) => {
    const loading = load(`settings: { replacementExternalId: "${text}" }\n${mappingWith({})}`);
    if (isTaken) expect((await loading).settings.replacementExternalId).toBe(text);
    else await expect(loading).rejects.toThrow("must hold {generation}");
  });
});
