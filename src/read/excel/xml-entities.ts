/** The five entities that every XML text knows, and characters by number; there are no others without a document type. */

const known: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** @throws Error (plain) for any other entity, and for characters that XML cannot carry. */
export function resolveEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&([^;&]*)(;?)/g, (all, name: string, end: string) => {
    const value = end === ";" ? (Object.hasOwn(known, name) ? known[name] : character(name)) : undefined;
    if (value === undefined) throw new Error(`it has the unknown entity ${JSON.stringify(all.slice(0, 20))}`);
    return value;
  });
}

function character(name: string): string | undefined {
  const found = /^#(?:x([0-9A-Fa-f]{1,8})|(\d{1,8}))$/.exec(name);
  if (found === null) return undefined;
  const code = found[1] === undefined ? Number(found[2]) : Number.parseInt(found[1], 16);
  const text = code <= 0x10_ffff ? String.fromCodePoint(code) : "";
  return text === "" || (code >= 0xd800 && code <= 0xdfff) || forbidden.test(text) ? undefined : text;
}

/** Characters that no XML text may hold, written out or by number. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
export const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
