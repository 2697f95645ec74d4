/** A cell's canonical text (src/model/row.ts) as the value Excel would hold, so that the reader finds the same kind and text. Pure. */
import type { CellErrorValue, CellValue } from "exceljs";
import type { CellKind } from "../model/row.js";

export interface ExcelValue {
  /** Null: an empty cell. */
  value: CellValue;
  /** Number format; null: general. */
  format: string | null;
}

const dayMs = 86_400_000;

/** What cannot be written in its kind without changing it is written as text. */
export function excelValue(text: string, kind: CellKind): ExcelValue {
  if (text === "") return { value: null, format: null };
  return inKind(text, kind) ?? { value: xmlText(text), format: kind === "text" && looksLikeNumber(text) ? "@" : null };
}

function inKind(text: string, kind: CellKind): ExcelValue | null {
  switch (kind) {
    case "number":
      return Number.isFinite(Number(text)) && String(Number(text)) === text
        ? { value: Number(text), format: null }
        : null;
    case "boolean":
      return { value: text === "true", format: null };
    case "error":
      return { value: { error: text } as CellErrorValue, format: null };
    case "date":
      return dateValue(text);
    case "time":
      return timeValue(text);
    case "duration":
      return durationValue(text);
    case "text":
      break;
  }
  return null;
}

function dateValue(text: string): ExcelValue | null {
  const date = new Date(text.includes("T") ? `${text}Z` : `${text}T00:00:00Z`);
  // Excel counts a 29 February 1900 that never was; before it dates are off by one.
  if (Number.isNaN(date.getTime()) || date.getTime() < Date.UTC(1900, 2, 1)) return null;
  const fraction = text.includes(".") ? ".000" : "";
  return { value: date, format: text.includes("T") ? `yyyy-mm-dd hh:mm:ss${fraction}` : "yyyy-mm-dd" };
}

function timeValue(text: string): ExcelValue | null {
  const match = /^(\d\d):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text);
  if (match === null) return null;
  const seconds = Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
  return { value: (seconds * 1000) / dayMs, format: text.includes(".") ? "hh:mm:ss.000" : "hh:mm:ss" };
}

function durationValue(text: string): ExcelValue | null {
  const match = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(text);
  if (match === null) return null;
  const seconds = Number(match[1] ?? 0) * 3600 + Number(match[2] ?? 0) * 60 + Number(match[3] ?? 0);
  return { value: (seconds * 1000) / dayMs, format: "[h]:mm:ss" };
}

/** XML cannot hold control characters; Excel writes them as `_x001B_`, and text that looks like that as `_x005F_x001B_`. */
function xmlText(text: string): string {
  return (
    text
      .replace(/_x(?=[0-9A-Fa-f]{4}_)/g, "_x005F_x")
      // oxlint-disable-next-line no-control-regex -- these are the characters that XML lacks
      .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, (character) => {
        return `_x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}_`;
      })
  );
}

/** Marked as text, so that editing the cell does not make a number of it (`007`, a tax id). */
function looksLikeNumber(text: string): boolean {
  return /^[\d.,\s+-]+$/.test(text);
}
