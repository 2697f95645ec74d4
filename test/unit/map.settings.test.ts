import { load, mappingWith } from "../support/map.support.js";

it.each([
  ["{externalId}-{generation}", true],
  ["R{generation}", true],
  ["{externalId}", false],
  ["{externalId}-{generation}-{row}", false],
])("an externalId of replacements %j is taken: %s (open-points 26)", async (text, isTaken) => {
  const loading = load(`settings: { replacementExternalId: "${text}" }\n${mappingWith({})}`);
  if (isTaken) expect((await loading).settings.replacementExternalId).toBe(text);
  else await expect(loading).rejects.toThrow("a text with {generation}");
});
