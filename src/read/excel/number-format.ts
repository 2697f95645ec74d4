/** What a cell's number format makes of its number, by built-in id or by format code. */
import { plainSection, readSection, type SectionKind } from "./format-section.js";

/** Picks the kind for a value: sections may treat negative values, zero, or values under conditions in another way. */
export type NumberFormat = (value: number) => SectionKind;

export const generalFormat: NumberFormat = () => plainSection;

const date: SectionKind = { kind: "date", hasDate: true, hasTime: false };
const time: SectionKind = { kind: "date", hasDate: false, hasTime: true };
const dateTime: SectionKind = { kind: "date", hasDate: true, hasTime: true };
const duration: SectionKind = { kind: "duration" };

/** The ids whose codes files leave out. 27 to 58 and 67 to 81 are dates in East Asian and Thai Excel. */
const builtIn = new Map<number, SectionKind>([
  ...range(14, 17, date),
  ...range(18, 21, time),
  [22, dateTime],
  ...range(27, 31, date),
  ...range(32, 33, time),
  // In Japanese 34, 35, 55 and 56 are dates, in Chinese times: below 1 a date is read as a time anyway.
  ...range(34, 35, date),
  [36, date],
  [45, time],
  [46, duration],
  [47, time],
  ...range(50, 54, date),
  ...range(55, 58, date),
  ...range(71, 74, date),
  ...range(75, 76, time),
  [77, dateTime],
  [78, time],
  [79, duration],
  [80, time],
  [81, date],
]);

function range(from: number, to: number, kind: SectionKind): [number, SectionKind][] {
  return Array.from({ length: to - from + 1 }, (_, index) => [from + index, kind]);
}

export function builtInFormat(id: number): NumberFormat {
  const kind = builtIn.get(id);
  return kind === undefined ? generalFormat : () => kind;
}

/** Longer ones do not come from Excel (its own limit is 255). */
const MAX_CODE = 2048;
/** Names of General that files of other programs carry. */
const general = /^\s*(general|standard|estándar|geral|g\/標準|g\/通用格式)\s*$/i;

/** Compiles a format code such as `[$-416]dd/mm/yyyy hh:mm;@`. Whatever cannot be understood makes a plain number. */
export function compileNumberFormat(code: string): NumberFormat {
  if (code.length > MAX_CODE || general.test(code)) return generalFormat;
  const codes = splitSections(code);
  // A last section with @ is for text, and leaves all numbers to the others.
  if (codes.length > 1 && codes.at(-1)?.includes("@")) codes.pop();
  const [first, second, third] = codes.map(readSection);
  if (first === undefined) return generalFormat;
  if ([first, second, third].every((section) => (section?.condition ?? null) === null)) {
    if (second === undefined) return () => first.kind;
    if (third === undefined) return (value) => (value < 0 ? second : first).kind;
    return (value) => (value > 0 ? first : value < 0 ? second : third).kind;
  }
  const firstTest = first.condition ?? (second === undefined ? () => true : (value: number) => value > 0);
  const secondTest = second?.condition ?? ((value: number) => second !== undefined && value < 0);
  const both = first.condition !== null && second !== undefined && second.condition !== null;
  const rest = (both || second === undefined ? third : (third ?? second)) ?? second ?? first;
  return (value) => (firstTest(value) ? first : second !== undefined && secondTest(value) ? second : rest).kind;
}

function splitSections(code: string): string[] {
  const sections: string[] = [];
  let start = 0;
  for (let at = 0; at < code.length; at++) {
    const char = code[at];
    if (char === "\\" || char === "_" || char === "*") at++;
    else if (char === '"') at = endOf(code, '"', at + 1);
    else if (char === "[") at = endOf(code, "]", at + 1);
    else if (char === ";") {
      sections.push(code.slice(start, at));
      start = at + 1;
    }
  }
  sections.push(code.slice(start));
  return sections;
}

function endOf(code: string, mark: string, from: number): number {
  const end = code.indexOf(mark, from);
  return end === -1 ? code.length : end;
}
