import {
  bind,
  headerOf,
  load,
  mapRows,
  mappingWith,
  problemsOf,
  recordsOf,
  refusal,
  row,
} from "../support/map.support.js";

const DAY = "01/02/2026";
const GROUP = "group: =doc";

function twoLines(kg: string) {
  return [
    { Doc: "1", Day: DAY, Line: "1", Kg: "1" },
    { Doc: "1", Day: "", Line: "2", Kg: kg },
  ];
}

describe("a group", () => {
  it("joins consecutive rows with equal values, and no others", async () => {
    const mapped = mapRows(await load(mappingWith({ input: GROUP })), [
      { Doc: "1", Day: DAY },
      { Doc: "1", Day: "" },
      { Doc: "2", Day: DAY },
      { Doc: "1", Day: DAY },
    ]);
    expect(mapped.map(({ row: number, alsoRows }) => [number, alsoRows])).toEqual([
      [2, [3]],
      [4, []],
      [5, []],
    ]);
    expect(recordsOf(mapped).events).toHaveLength(3);
  });

  it("names the row of a problem once, also where an event of each row is computed over the group", async () => {
    const attributes = 'Kg: =kg, Share: "=round(kg * 100 / sum(kg), 2)"';
    const columns = "kg: { header: Kg, as: number }";
    const mapping = await load(mappingWith({ input: GROUP, columns, event: "each: row", attributes }));
    const mapped = mapRows(mapping, [
      { Doc: "1", Day: DAY, Kg: "1" },
      { Doc: "1", Day: DAY, Kg: "many" },
    ]);
    expect(problemsOf(mapped[0]).map(({ message }) => message)).toEqual(['row 3: "many" is not a number']);
  });

  it("that is open at the end of a batch goes on in the next, and `end` closes it", async () => {
    const mapping = await load(mappingWith({ input: GROUP }));
    const header = headerOf(mapping, []);
    const mapper = bind(mapping, header);
    expect(mapper.map([row(2, header, { Doc: "1", Day: DAY })])).toEqual([]);
    expect(mapper.map([row(3, header, { Doc: "1" })])).toEqual([]);
    expect(mapper.end()).toMatchObject([{ row: 2, alsoRows: [3] }]);
    expect(mapper.end()).toEqual([]);
  });

  it("whose rows disagree where one value is needed is invalid, naming the column and both texts", async () => {
    const mapped = mapRows(await load(mappingWith({ input: GROUP })), [
      { Doc: "1", Day: DAY },
      { Doc: "1", Day: "02/02/2026" },
    ]);
    const [problem] = problemsOf(mapped[0]);
    expect(problem).toMatchObject({ code: "group-differs", column: "Day" });
    expect(problem?.message).toContain("02/02/2026");
  });

  it("has a sum without the column's places, of one row as of several", async () => {
    const columns = "kg: { header: Kg, as: number, places: 2 }";
    const mapping = await load(mappingWith({ input: GROUP, columns, attributes: "Sum: =sum(kg)" }));
    const sums = mapRows(mapping, [
      { Doc: "1", Day: DAY, Kg: "1,5" },
      ...["1,5", "1,5"].map((Kg) => ({ Doc: "2", Day: DAY, Kg })),
    ]);
    expect(recordsOf(sums).events.map(({ attributes }) => attributes[0]?.value)).toEqual(["1.5", "3"]);
  });

  it("makes one value of several as the formula says", async () => {
    const attributes =
      "Sum: =sum(kg), Max: =max(kg), First: =first(kind), Last: =last(kind), Kinds: \"=join(kind, ' + ')\", Count: =count(kg)";
    const columns = "kg: { header: Kg, as: number }\nkind: Kind";
    const mapping = await load(mappingWith({ input: GROUP, columns, attributes }));
    const values = (rows: { [header: string]: string }[]) =>
      Object.fromEntries(
        (recordsOf(mapRows(mapping, rows)).events[0]?.attributes ?? []).map(({ name, value }) => [name, value]),
      );
    const base = { Doc: "1", Day: DAY };
    expect(
      values([
        { ...base, Kg: "0,1", Kind: "a" },
        { ...base, Kg: "0,2", Kind: "b" },
        { ...base, Kg: "", Kind: "a" },
      ]),
    ).toEqual({
      Sum: "0.3",
      Max: "0.2",
      First: "a",
      Last: "a",
      Kinds: "a + b",
      Count: "2",
    });
  });

  it("is joined with a text, never with the name of a column", async () => {
    const yaml = mappingWith({ input: GROUP, columns: "kind: Kind\nby: By", attributes: 'A: "=join(kind, by)"' });
    expect((await refusal(yaml)).message).toContain("must be a literal");
  });

  it("may yield an event for each of its rows, whose mistakes name the row", async () => {
    const more =
      "line: { each: row, name: Line, key: =line, externalCreatedAt: =line_day, isPublic: true, attributes: { public: { Kg: =kg } } }";
    const columns =
      "line: Line\nkg: { header: Kg, as: number }\nline_day: { header: Day, as: timestamp, default: 01/01/2026 }";
    const mapping = await load(mappingWith({ input: GROUP, columns, more }));
    expect(
      recordsOf(mapRows(mapping, twoLines("2"))).events.map(({ key, attributes }) => [key, attributes[0]?.value]),
    ).toEqual([
      [{ by: "once" }, undefined],
      [{ by: "fields", parts: ["1"] }, "1"],
      [{ by: "fields", parts: ["2"] }, "2"],
    ]);
    const [mapped] = mapRows(mapping, twoLines("x"));
    expect(problemsOf(mapped)).toMatchObject([
      { code: "number-unreadable", message: expect.stringMatching(/^row 3: /u) as string },
    ]);
    expect(mapped?.outcome).toMatchObject({
      placements: [{ event: "step" }, { event: "line", keyParts: ["1"] }, { event: "line", keyParts: ["2"] }],
    });
  });

  it("is ended by a row whose group cannot be told; what stands beside that may be incomplete, and is invalid too", async () => {
    const mapped = mapRows(await load(mappingWith({ input: GROUP })), [
      { Doc: "0", Day: DAY },
      { Doc: "1", Day: DAY },
      { Doc: "", Day: DAY },
      { Doc: "", Day: DAY },
      { Doc: "1", Day: DAY },
      { Doc: "1", Day: DAY },
      { Doc: "2", Day: DAY },
    ]);
    const codesOf = ({ outcome }: (typeof mapped)[number]) =>
      outcome.fate === "invalid" ? [...new Set(outcome.problems.map(({ code }) => code))] : [];
    expect(mapped.map((one) => [one.row, one.alsoRows, codesOf(one)])).toEqual([
      [2, [], []],
      [3, [], ["group-unclear"]],
      [4, [], ["value-required"]],
      [5, [], ["value-required"]],
      [6, [7], ["group-unclear"]],
      [8, [], []],
    ]);
    expect(problemsOf(mapped[1])[0]?.message).toContain("row 4 ");
    expect(problemsOf(mapped[4])[0]?.message).toContain("row 5 ");
  });

  it("whose rows differ in what `skip` reads is not skipped, and no worse for it", async () => {
    const yaml = mappingWith({ input: `${GROUP}\nskip: =status == "draft"`, columns: "status: Status" });
    const mapped = mapRows(
      await load(yaml),
      ["sent", "paid", ""].map((Status) => ({ Doc: "1", Day: DAY, Status })),
    );
    expect(mapped.map(({ row: number, alsoRows, outcome }) => [number, alsoRows, outcome.fate])).toEqual([
      [2, [3, 4], "valid"],
    ]);
  });

  it("is not ended by a skipped row, which would cut its sums in two", async () => {
    const mapped = mapRows(
      await load(
        mappingWith({ input: `${GROUP}\nskip: =filled(void_)`, columns: "void_: Void", attributes: "N: =count(doc)" }),
      ),
      [
        { Doc: "1", Day: DAY },
        { Doc: "1", Day: DAY, Void: "x" },
        { Doc: "1", Day: DAY },
      ],
    );
    expect(mapped.map(({ row: number, alsoRows, outcome }) => [number, alsoRows, outcome.fate])).toEqual([
      [3, [], "skipped"],
      [2, [4], "valid"],
    ]);
    expect(recordsOf(mapped.slice(1)).events[0]?.attributes).toMatchObject([{ value: "2" }]);
  });
});

describe("columns of a group", () => {
  const columns =
    "gross: { header: Gross, as: number }\ntare: { header: Tare, as: number }\nnet: =gross - tare\ntotal: =sum(net)\nplate: { header: Plate, default: none }";
  const values = async (attributes: string, rows: { [header: string]: string }[]) =>
    mapRows(
      await load(mappingWith({ input: GROUP, columns, attributes })),
      rows.map((cells) => ({ Doc: "1", Day: DAY, ...cells })),
    );
  const shown = (mapped: Awaited<ReturnType<typeof values>>) =>
    recordsOf(mapped).events[0]?.attributes.map(({ value }) => value);

  it("that are formulas are computed for each row, or once where they are over the group", async () => {
    const rows = [
      { Gross: "10", Tare: "1" },
      { Gross: "20", Tare: "2" },
      { Gross: "", Tare: "3" },
    ];
    expect(shown(await values("T: =total, N: =count(net), M: =max(net)", rows))).toEqual(["27", "2", "18"]);
    const [mapped] = await values("N: =net", rows);
    expect(problemsOf(mapped)).toMatchObject([{ code: "group-differs" }]);
  });

  it("agree on values: two spellings of one are one, and a cell that cannot be read is named", async () => {
    const typed =
      "place: { header: State, as: state }\nweight: { header: Weight, as: number, units: { kg: 1, t: 1000 } }\nyes: { header: Yes, as: boolean }\nat_day: { header: Other, as: date, formats: [dd/MM/yyyy, yyyy-MM-dd] }";
    const mapping = await load(
      mappingWith({ input: GROUP, columns: typed, attributes: "P: =place, W: =weight, Y: =yes, D: =at_day" }),
    );
    const of = (second: { [header: string]: string }) =>
      mapRows(
        mapping,
        [{ State: "SP", Weight: "1500 kg", Yes: "Sim", Other: "01/02/2026" }, second].map((cells) => ({
          Doc: "1",
          Day: DAY,
          ...cells,
        })),
      );
    const agree = { State: "São Paulo", Weight: "1,5 t", Yes: "S", Other: "2026-02-01" };
    const agreed = recordsOf(of(agree)).events[0]?.attributes.map(({ value }) => value);
    expect(agreed).toEqual(["SP", "1500", "true", "2026-02-01"]);
    const codes = (cells: { [header: string]: string }) =>
      problemsOf(of({ ...agree, ...cells })[0]).map(({ code, column }) => `${code} ${column}`);
    expect(codes({ State: "RJ" })).toEqual(["group-differs State"]);
    expect(codes({ Weight: "1500 t" })).toEqual(["group-differs Weight"]);
    expect(codes({ Weight: "abc" })).toEqual(["number-unreadable Weight"]);
  });

  it("agree first, then take their default; in conflict they fail only where they are used", async () => {
    expect(shown(await values("P: =plate", [{ Plate: "" }, { Plate: "A" }]))).toEqual(["A"]);
    expect(shown(await values("P: =plate", [{ Plate: "" }, { Plate: "" }]))).toEqual(["none"]);
    expect(shown(await values("T: =total", [{ Plate: "A", Gross: "1", Tare: "0" }, { Plate: "B" }]))).toEqual(["1"]);
  });

  it("do not nest what is over the group", async () => {
    const error = await refusal(mappingWith({ input: GROUP, columns, attributes: "A: =sum(total)" }));
    expect(error).toMatchObject({ code: "mapping-expression" });
  });
});

describe("a condition reads only what decides it", () => {
  const columns = "a: { header: A, as: number }\nb: { header: B, as: number }";
  const said = async (when: string, cells: { [header: string]: string }, attributes?: string) => {
    const mapping = await load(
      mappingWith({
        columns,
        event: `when: ${when}`,
        input: "rowsWithoutEvents: allow",
        ...(attributes === undefined ? {} : { attributes }),
      }),
    );
    const [mapped] = mapRows(mapping, [{ Doc: "1", Day: DAY, ...cells }]);
    return mapped?.outcome.fate === "valid"
      ? mapped.outcome.records.events.length
      : problemsOf(mapped).map(({ column }) => column);
  };

  it.each([
    { A: "x", B: "1" },
    { B: "x", A: "1" },
  ])("what is decided without an unreadable cell is decided, on whichever side it stands: %o", long, async (cells) => {
    const unread = cells.A === "x" ? "a" : "b";
    const read = unread === "a" ? "b" : "a";
    for (const sides of [
      [`${unread} > 0`, `${read} > 0`],
      [`${read} > 0`, `${unread} > 0`],
    ]) {
      expect(await said(`"=${sides.join(" || ")}"`, cells)).toBe(1);
      expect(await said(`"=${sides.join(" && ")}"`, cells)).toEqual([unread.toUpperCase()]);
      expect(await said(`"=${sides.join(" && ").replace(`${read} > 0`, `${read} > 5`)}"`, cells)).toBe(0);
    }
  });

  it("and what is read elsewhere in the row is reported all the same", async () => {
    expect(await said('"=a > 0 || b > 0"', { A: "x", B: "1" }, "X: =b")).toBe(1);
    expect(await said('"=a > 0 || b > 0"', { A: "x", B: "1" }, "X: =a")).toEqual(["A"]);
    expect(await said('"=(a > 0 || b > 0) && (a > 1 || b > 1)"', { A: "x", B: "1" })).toEqual(["A"]);
  });
});

it("words of groups are refused in an input without a group", async () => {
  expect(
    await refusal(mappingWith({ columns: "x: { header: X, as: number }", attributes: "A: =sum(x)" })),
  ).toMatchObject({
    code: "mapping-expression",
    hint: expect.stringContaining("group:") as string,
  });
  expect(await refusal(mappingWith({ event: "each: row" }))).toMatchObject({ code: "mapping-value" });
});
