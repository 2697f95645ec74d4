/** Where the header is: the rows of a file's beginning, and which of them is taken. */
import { columnLetters } from "../../src/model/formula.js";
import { findHeader, headerTexts, spreadHeadings } from "../../src/read/header.js";

test.each([
  ["the first row of an ordinary table", 0, "MTR|Data|Peso / 1|01.03.2026|2,5"],
  ["the only row", 0, "MTR|Data"],
  ["none in a file of blanks", -1, " / | "],
  ["the first row even if it is all numbers", 0, "2024|2025 / 1|2"],
  ["below a title", 1, "Relatório / MTR|Data|Peso / 1|x|2"],
  ["below a title padded with blanks", 1, "Relatório|| / MTR|Data|Peso / 1|x|2"],
  ["below pairs of name and value", 2, "Empresa|ACME / Filial|Santos / MTR|Data|Peso / 1|x|2"],
  ["above sparse rows", 0, "a|b|c|d / 1||| / 2||| / 3|||"],
  ["a row with blanks among its labels", 0, "a||c| / 1|2|3|4 / 5|6|7|8"],
  ["not the first row of values that happens to be wider", 0, "a|b / 1|2|3 / 4|5|6"],
])("the header is: %s", (_promise, index, table) => {
  const rows = table.split(" / ").map((line, position) => ({ number: position + 1, cells: line.split("|") }));
  expect(findHeader(rows)).toBe(index);
});

test("several header rows become one text per column, inner white space folded", () => {
  expect(
    headerTexts([
      ["Gerador", "", "Peso\n(kg)"],
      ["CNPJ ", " Nome"],
    ]),
  ).toEqual(["Gerador CNPJ", "Nome", "Peso (kg)"]);
});

test.each([
  ["over the blanks to its right", "MTR|Pesos||Obs / |Bruto|Tara|", "MTR|Pesos Bruto|Pesos Tara|Obs"],
  ["over no column that it has no part of", "MTR||Peso / |Data|", "MTR|Data|Peso"],
  ["up to a column without a name of its own", "Pesos||| / Bruto||Tara|", "Pesos Bruto||Tara|"],
  ["within the heading above it", "A||B| / C|||D / x|y|z|w", "A C x|A C y|B z|B D w"],
  ["level by level", "A||| / B||C| / x|y|z|w", "A B x|A B y|A C z|A C w"],
  ["past the end of its row", "Pesos / Bruto|Tara", "Pesos Bruto|Pesos Tara"],
])("a heading of a group of columns is spread %s", (_promise, rows, header) => {
  expect(headerTexts(spreadHeadings(rows.split(" / ").map((line) => line.split("|"))))).toEqual(header.split("|"));
});

test("columns are lettered as a spreadsheet letters them", () => {
  expect([1, 26, 27, 52, 53, 702, 703, 16_384].map(columnLetters).join(" ")).toBe("A Z AA AZ BA ZZ AAA XFD");
});
