/**
 * Makes text from cells and from the service harmless for terminals and logs, with everything visible (H35). Not for
 * files that are read back, nor for HTML.
 */
import { shorten } from "../model/fold.js";

/** Hides or reverses text: direction marks, zero-width characters, soft hyphens, line separators. */
const deceptive =
  /[\u00AD\u061C\u115F\u1160\u180E\u200B-\u200F\u2028-\u202E\u2060-\u2069\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]/gu;
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const controls = /[\u0000-\u001F\u007F-\u009F]/g;

/**
 * Control characters become pictures (ESC → `␛`, line feed → `␊`) or numbers (`\u{202e}`); cut to `maxLength`
 * characters, ending in `…`.
 */
export function plainText(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const plain = text
    .slice(0, maxLength === Number.POSITIVE_INFINITY ? undefined : maxLength * 2 + 2)
    .replace(loneSurrogate, "\u{FFFD}")
    .replace(controls, picture)
    .replace(deceptive, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  return shorten(plain, maxLength);
}

/** Keeps line feeds. */
export function plainLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => plainText(line))
    .join("\n");
}

function picture(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `\\u{${code.toString(16)}}`;
}
