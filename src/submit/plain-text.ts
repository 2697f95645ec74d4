/** Text from outside made fit to show: no terminal escapes, no markup, bounded (HARD-CASES H35). */

// CSI and OSC sequences whole, then any control character that is left.
// oxlint-disable-next-line no-control-regex
const escapes = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b./gs;
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** One line: escapes and controls gone, white space folded, at most `length` characters (… marks a cut). */
export function plainLine(text: string, length: number): string {
  const line = text.replace(escapes, "").replace(controls, " ").replace(/\s+/g, " ").trim();
  return shorten(line, length);
}

/** At most `length` UTF-16 units, never ending inside a character; … marks a cut. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** At most `bytes` bytes of UTF-8, whole characters only. */
export function firstBytes(text: string, bytes: number): string {
  // A character takes at most three bytes per UTF-16 unit, so short texts need no counting.
  if (text.length * 3 <= bytes) return text;
  const encoded = Buffer.from(text.slice(0, bytes), "utf8");
  if (encoded.length <= bytes) return text.length <= bytes ? text : encoded.toString("utf8");
  let end = bytes;
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end--;
  return encoded.toString("utf8", 0, end);
}

/** The words of an HTML page: its title, its heading, then its text. */
export function htmlWords(html: string): string {
  const words = { title: "", h1: "", rest: "" };
  let into: keyof typeof words = "rest";
  let hidden: string | null = null;
  const [first = "", ...tags] = html.slice(0, 20_000).split("<");
  words.rest = first;
  for (const tag of tags) {
    const name = /^\/?[a-z0-9]+/i.exec(tag)?.[0].toLowerCase() ?? "";
    if (hidden !== null && name !== `/${hidden}`) continue;
    hidden = name === "script" || name === "style" ? name : null;
    if (name === "title" || name === "h1") into = name;
    else if (name === `/${into}`) into = "rest";
    if (hidden === null) words[into] += ` ${tag.slice(tag.indexOf(">") + 1)}`;
  }
  const told = Object.values(words)
    .map(plainWords)
    .filter((text) => text !== "");
  return [...new Set(told)].join(": ");
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", "#39": "'" };

function plainWords(html: string): string {
  return html
    .replace(/&(#39|[a-z]+);/gi, (whole, name: string) => entities[name.toLowerCase()] ?? whole)
    .replace(/\s+/g, " ")
    .trim();
}
