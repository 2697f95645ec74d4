/** Drafts of `guess` for tests: files written, drafted and read back as people see them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ExcelJS from "exceljs";
import { parse } from "yaml";
import { pipeline } from "../../src/cli/pipeline.js";
import { checkMapping } from "../../src/map/load-mapping.js";
import { dotted, makeCnpj, makeCpf } from "../../scripts/fixtures/tax-ids.js";
import { testWorld, type } from "./cli.world.js";
import { sampled } from "./sample.js";

// biome-ignore lint/suspicious/noExplicitAny: a mapping as it was drafted.
export type Any = any;

export const flat = (text: string) => text.replace(/\s+/g, " ");
export const only = (records: Any): Any => Object.values(records)[0];

/** Drafts the files; the mapping loads, or the test fails. */
export async function draftOf(files: { [name: string]: string | Buffer }, ...options: string[]) {
  const world = testWorld({ pipeline });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(world.cwd, name), content);
  expect(await type(world, "guess", ...Object.keys(files), "-o", "m.yaml", ...options)).toBe(0);
  const yaml = readFileSync(join(world.cwd, "m.yaml"), "utf8");
  expect((await checkMapping(join(world.cwd, "m.yaml"))).problems).toEqual([]);
  const mapping: Any = parse(yaml);
  const check = async (file = "a.csv") => {
    world.stdout.text = "";
    await type(world, "check", "m.yaml", file);
    return flat(world.out);
  };
  return { world, yaml, mapping, input: only(mapping.inputs), said: flat(world.err), check };
}

/**
 * The rows of a table, as the pattern of one: `#` is the row's number from 1, so that `2#/03/2026` is a day of nine; `%` one
 * of three numbers, CNPJ the tax id that belongs to it, CPF one of its own, `{a|b}` each in turn.
 */
export const rows = (pattern: string, count = 9) =>
  Array.from({ length: count }, (_, at) =>
    pattern.replaceAll(/#|%|CNPJ|CPF|\{(.*?)\}/g, (token, choices?: string) => {
      if (choices !== undefined) return choices.split("|")[at % choices.split("|").length] ?? "";
      if (token === "CNPJ") return dotted(makeCnpj(String(10_000_000 + (at % 3) * 7919)));
      if (token === "CPF") return makeCpf(String(100_000_000 + at * 7919));
      return String(token === "#" ? at + 1 : at % 3);
    }),
  );
export const text = (lines: readonly string[]) => `${lines.join("\n")}\n`;

/** Drafts one file of nine such rows below a header. */
export const draft = (header: string, pattern: string, ...below: string[]) =>
  draftOf({ "a.csv": text([header, ...rows(pattern), ...below]) });

export const has = (words: string): unknown => expect.stringContaining(words);
export const hasNot = (words: string): unknown => expect.not.stringContaining(words);
export const matches = (words: RegExp): unknown => expect.stringMatching(words);
export const allStaged = expect.stringMatching(/\b(\d+) of \1 rows would be staged/);

/** What the draft of one file holds; `at`: where events take place. */
const heldBy = ({ mapping, input, yaml, said }: Awaited<ReturnType<typeof draftOf>>) => ({
  documents: undefined,
  events: undefined,
  skip: undefined,
  ...mapping,
  ...input,
  at: Object.values(input.events ?? {}).flatMap((event: Any) => event.externalCreatedAt ?? []),
  document: only(input.documents ?? {}),
  participant: only(input.participants ?? {}),
  address: only(input.addresses ?? {}),
  isDraft: mapping.draft === true,
  yaml,
  said,
});

/** A file's header, the pattern of its rows or that and further rows, what its draft holds, and flags of the command. */
type DraftCase = [
  title: string,
  header: string,
  rows: string | readonly [pattern: string, ...below: string[]],
  held: { [member: string]: unknown },
  ...flags: string[],
];

/** A test of each; in a sample, of every second. */
export const drafts = (...cases: DraftCase[]) =>
  it.each(sampled(cases, 2))("%s", async (_title, header, cells, held, ...flags) => {
    const [pattern = "", ...below] = [cells].flat();
    expect(heldBy(await draftOf({ "a.csv": text([header, ...rows(pattern), ...below]) }, ...flags))).toMatchObject(
      held,
    );
  });

/** A sheet of these rows, with a day in its second column and a time in its third; and one of notes. */
export async function workbook(cells: unknown[][], notes: unknown[][] = []) {
  const book = new ExcelJS.Workbook();
  const sheet = book.addWorksheet("S");
  sheet.addRows(cells);
  if (notes.length > 0) book.addWorksheet("Notes").addRows(notes);
  sheet.getColumn(2).numFmt = "dd/mm/yyyy";
  sheet.getColumn(3).numFmt = "hh:mm";
  return Buffer.from(await book.xlsx.writeBuffer());
}
