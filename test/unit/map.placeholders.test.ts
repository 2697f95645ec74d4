/** Ids that a guess left open do not get as far as the service (H33: a sentence and a next command). */
import { join } from "node:path";
import { checkMapping, loadMapping } from "../../src/map/load-mapping.js";
import { load, mappingWith, refusal } from "../support/map.support.js";
import { folder } from "../support/cli.world.js";

const guessed = (more = "") => mappingWith({ event: `participant: { id: "?" }${more}`, fields: 'id: "?"' });

it('a mapping for an import is refused while an id is "?", with the line', async () => {
  const line = guessed()
    .split("\n")
    .findIndex((text) => text.includes("participant: { id"));
  const error = await refusal(guessed());
  expect(error).toMatchObject({ code: "mapping-doubtful", place: { line: line + 1 } });
  expect(error.message).toContain("still to be replaced");
  const several = await refusal(guessed('\naddress: { id: "?" }'));
  expect(several.message).toMatch(/^2 mistakes in the mapping/u);
});

it("among what inputs share it is found too", async () => {
  const gate = '{ participant: { id: "?" }, name: A, street: B, number: "1", city: C, countryState: SP }';
  const error = await refusal(mappingWith({}).replace("inputs:", `addresses: { gate: ${gate} }\ninputs:`));
  expect(error).toMatchObject({ code: "mapping-doubtful", hint: expect.stringContaining("the service refuses") });
});

it("to look at, it is no mistake but a warning", async () => {
  const path = join(folder({ "m.yaml": guessed() }), "m.yaml");
  const { mapping, problems, unwritten } = await checkMapping(path);
  expect(problems).toEqual([]);
  expect(unwritten).toHaveLength(1);
  expect(mapping?.warnings).toEqual(unwritten);
  expect(await loadMapping(path, { placeholders: "accept" })).toMatchObject({ path });
});

it("a document's own field may be a question mark, and an id may contain one", async () => {
  const mapping = await load(mappingWith({ event: 'participant: { id: "p?" }', fields: 'id: "?"' }));
  expect(mapping.warnings).toEqual([]);
});
