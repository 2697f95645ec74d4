/** A row in which no event happens is not lost in silence (P7, DESIGN section 4). */
import { load, mapRows, mappingWith, problemsOf, recordsOf } from "../support/map.support.js";

const rows = (input = "", each = "") =>
  mappingWith({
    input,
    columns: "event: Event\nid: Id",
    event: `${each}\nby: event\nis: Pick-up`,
    more: `drop:\n  ${each === "" ? "" : `${each}\n  `}by: event\n  is: [Drop-off, Return]\n  name: Drop\n  key: once\n  externalCreatedAt: =day\n  isPublic: true`,
  });
const DAY = { Doc: "1", Day: "01/02/2026" };

describe("a row in which none of the events happens", () => {
  it("whose word no event claims is invalid, with the words that there are and the nearest", async () => {
    const [good, bad] = mapRows(await load(rows()), [
      { ...DAY, Event: "Pick-up" },
      { ...DAY, Event: "Pickup" },
    ]);
    expect(good?.outcome.fate).toBe("valid");
    expect(problemsOf(bad)).toEqual([
      {
        code: "no-event",
        message: '"Pickup" names no event; the words are Pick-up, Drop-off, Return',
        hint: expect.stringContaining('Did you mean "Pick-up"?'),
        column: "Event",
      },
    ]);
  });

  it("is told which conditions failed, and in which column", async () => {
    const [bad] = mapRows(await load(rows()), [{ ...DAY, Event: "" }]);
    expect(problemsOf(bad)).toEqual([
      {
        code: "no-event",
        message:
          'none of the input\'s events happen in this row: step when "Event" is "Pick-up"; drop when "Event" is "Drop-off" or "Return"',
        hint: expect.stringContaining("rowsWithoutEvents: allow"),
        column: "Event",
      },
    ]);
  });

  it("is told of a word with a comma as one word", async () => {
    const mapping = await load(mappingWith({ columns: "event: Event", event: 'by: event\nis: "Closed, Ended"' }));
    const [bad] = mapRows(mapping, [{ ...DAY, Event: "Closed" }]);
    expect(problemsOf(bad)[0]?.message).toBe('"Closed" names no event; the words are "Closed, Ended"');
  });

  it("is told of a text that only case keeps from what its condition asks for", async () => {
    const mapping = await load(mappingWith({ columns: "status: Status", event: `when: =status == "closed"` }));
    const [bad] = mapRows(mapping, [{ ...DAY, Status: "Closed" }]);
    expect(problemsOf(bad)[0]?.hint).toMatch(
      /^"Closed" differs from the "closed" of a formula only by case or accents\. If they are the same, write fold\(status\) and "closed" in the formula\. Correct/,
    );
  });

  it("is an event of its own where one says `is: otherwise`", async () => {
    const more =
      "other: { by: event, is: otherwise, name: =event, key: once, externalCreatedAt: =day, isPublic: true }";
    const mapping = await load(`${rows()}\n      ${more}\n`);
    const { events } = recordsOf(
      mapRows(mapping, [
        { ...DAY, Event: "Entrega" },
        { ...DAY, Event: "PICK-UP" },
      ]),
    );
    expect(events.map(({ event, name }) => [event, name])).toEqual([
      ["other", "Entrega"],
      ["step", "Step"],
    ]);
  });

  it("is invalid in an input without events only if it yields no record either", async () => {
    const input = (more = "") => `version: 2
namespace: n
inputs:
  n:${more}
    columns: { code: Doc, note: Note }
    participants: { p: { when: '=note == "yes"', taxId: =code, taxIdType: X, countryCode: BR, name: =note, type: T } }
`;
    const fates = async (more?: string) =>
      mapRows(await load(input(more)), [
        { Doc: "1", Note: "yes" },
        { Doc: "2", Note: "no" },
      ]);
    const [good, bad] = await fates();
    expect(good?.outcome.fate).toBe("valid");
    expect(problemsOf(bad)).toMatchObject([
      { code: "no-event", message: "none of the input's records exist in this row" },
    ]);
    const allowed = await fates("\n    rowsWithoutEvents: allow");
    expect(allowed.map(({ outcome }) => outcome.fate)).toEqual(["valid", "valid"]);
  });

  it("holds what is later on its document, which can be told (H13)", async () => {
    const [bad] = mapRows(await load(rows()), [{ ...DAY, Event: "Pickup" }]);
    expect(bad?.outcome).toMatchObject({ placements: [{ document: { kind: "paper", key: "1" }, event: null }] });
  });

  it("is staged for its other records where the input says `rowsWithoutEvents: allow`", async () => {
    const mapped = mapRows(await load(rows("rowsWithoutEvents: allow")), [{ ...DAY, Event: "Pickup" }]);
    expect(recordsOf(mapped)).toMatchObject({ documents: [{ key: "1" }], events: [] });
  });

  it("is skipped where `skip` says so, and the other mistakes of a row are still told", async () => {
    const [skipped] = mapRows(await load(rows('skip: =event == "Draft"')), [{ ...DAY, Event: "Draft" }]);
    expect(skipped?.outcome).toMatchObject({ fate: "skipped", reason: 'event == "Draft" holds' });
    const [bad] = mapRows(await load(rows("rowId: =id")), [{ ...DAY, Event: "Pickup" }]);
    expect(problemsOf(bad).map(({ code }) => code)).toEqual(["value-required", "no-event"]);
  });

  it("in a group is the row that has none of its own, when the whole group has none", async () => {
    const mapping = await load(rows("group: =doc", "each: row"));
    const [group] = mapRows(mapping, [
      { ...DAY, Event: "Pick-up" },
      { ...DAY, Event: "Pickup" },
    ]);
    expect(problemsOf(group)).toMatchObject([
      { code: "no-event", message: expect.stringMatching(/^row 3: "Pickup"/u) },
    ]);
    const [none] = mapRows(mapping, [
      { ...DAY, Event: "x" },
      { ...DAY, Event: "y" },
    ]);
    expect(problemsOf(none)).toMatchObject([
      { code: "no-event", message: expect.stringMatching(/^row 2: "x"/u) },
      { code: "no-event", message: expect.stringMatching(/^row 3: "y"/u) },
    ]);
  });

  it("is looked for row by row where only events of single rows use the word, whatever other events there are", async () => {
    const whole = "\ntotal: { name: Total, key: once, externalCreatedAt: =day, isPublic: true }";
    const mapping = await load(
      rows("group: =doc", "each: row").trimEnd().concat(whole.replace("\n", "\n      "), "\n"),
    );
    const of = (...words: string[]) =>
      mapRows(
        mapping,
        words.map((Event) => ({ ...DAY, Event })),
      );
    expect(recordsOf(of("Pick-up", "Return", "")).events.map(({ event }) => event)).toEqual(["step", "drop", "total"]);
    expect(problemsOf(of("Pick-up", "Pickup")[0])).toMatchObject([
      { code: "no-event", message: expect.stringMatching(/^row 3: "Pickup"/u) },
    ]);
  });
});

describe("a text that only case or accents keep from the one a formula asks for", () => {
  const warned = async (formula: string, status: string, more = "") => {
    const step = `close: { when: '${formula}', name: Closed, key: once, externalCreatedAt: =day, isPublic: true }`;
    const mapping = await load(mappingWith({ columns: `status: Status${more}`, more: step }));
    const [{ outcome } = {}] = mapRows(mapping, [{ ...DAY, Status: status }]);
    return outcome?.fate === "valid" ? outcome.warnings.map(({ code, column }) => [code, column]) : outcome;
  };
  const TOLD = [["text-nearly-equal", "Status"]];

  it("is told, for its row may lack an event", async () => {
    expect(await warned('=status == "closed"', "Closed")).toEqual(TOLD);
    expect(await warned('=status != "CANCELADO" && false', "Cancelado")).toEqual(TOLD);
    expect(await warned('=status in ["aberto", "fechado"]', "FECHADO")).toEqual(TOLD);
    expect(await warned('=status == "Concluida"', "Concluída")).toEqual(TOLD);
  });

  it.each(["", "\ngroup: =doc"])(
    "is told of a row that `skip` leaves out, or keeps, because of it%s",
    async (grouped) => {
      const fates = async (skip: string, status: string) => {
        const input = `skip: '${skip}'${grouped}`;
        const mapping = await load(mappingWith({ input, columns: "status: Status" }));
        return mapRows(mapping, [{ ...DAY, Status: status }]).map(({ outcome }) =>
          outcome.fate === "invalid"
            ? outcome
            : [outcome.fate, outcome.warnings.map(({ code, column }) => [code, column])],
        );
      };
      expect(await fates('=status != "open"', "Open")).toEqual([["skipped", TOLD]]);
      expect(await fates('=status == "closed"', "Closed")).toEqual([["valid", TOLD]]);
      expect(await fates('=status == "closed"', "closed")).toEqual([["skipped", []]]);
    },
  );

  it("is not told where a formula asks for both, where it is folded, or where it is another text", async () => {
    expect(await warned('=status == "closed" || status == "Closed"', "Closed")).toEqual([]);
    expect(await warned('=status in ["closed", "Closed"]', "Closed")).toEqual([]);
    expect(await warned('=fold(status) == "closed"', "Closed")).toEqual([]);
    expect(await warned('=status == "closed"', "Opened")).toEqual([]);
    expect(await warned('=status == "closed"', "")).toEqual([]);
  });
});
