/** Events of a table whose rows are documents: every column of times is an event, what stands right of it belongs to it. */
import { writeAttributes } from "./attributes.js";
import type { Column } from "./column.js";
import { field } from "./draft.js";
import { headerText, recordName } from "./header-words.js";
import type { Unsure } from "./unsure.js";
import type { Member } from "./yaml-text.js";

export interface WideTable {
  /** Columns of times but the document's own, in the order of the file. */
  times: Column[];
  isPublic: Column | undefined;
  /** Columns that nothing else has taken. */
  free: Column[];
}

export function writeWideEvents({ times, isPublic, free }: WideTable, unsure: Unsure): Member[] {
  const names = new Set<string>();
  return times.map((time, position) => {
    const next = times[position + 1]?.index ?? Number.POSITIVE_INFINITY;
    // What follows the last of them is seldom about it: only its numbers are.
    const own = free.filter(
      ({ index, number }) => index > time.index && index < next && (position < times.length - 1 || number !== null),
    );
    const rest =
      position === 0 ? free.filter(({ index, number }) => index > (times.at(-1)?.index ?? 0) && number === null) : [];
    let name = recordName(titleOf(time), "event");
    while (names.has(name)) name = `${name}${names.size}`;
    names.add(name);
    const closes = time.role === "closed" && position === times.length - 1;
    if (closes) unsure.say(`event ${name}: "${time.header}" is taken for the end of the document and sent as CLOSE`);
    const block: Member[] = [
      ...(time.filled < 1 ? [{ name: "when", value: { filled: time.header } }] : []),
      { name: "name", value: closes ? "CLOSE" : serviceName(time) },
      { name: "key", value: "once" },
      { name: "externalCreatedAt", value: field(time) },
      { name: "isPublic", value: isPublic === undefined ? false : field(isPublic) },
      ...writeAttributes([...own, ...rest], unsure),
    ];
    return { name, value: { block } };
  });
}

/** `Data da Coleta` → `Coleta`. */
function titleOf({ header }: Column): string {
  const title = header
    .replace(/^\s*(data|date|fecha|hora|dt)[\s./_-]*((e|and|y)\s+(hora|time)\s+)?((de|da|do|of|del)\s+)?/iu, "")
    .trim();
  return title === "" ? header : title;
}

/** A header that happens to be a reserved name keeps its own by getting a word in front. */
function serviceName(time: Column): string {
  const title = titleOf(time);
  const isReserved = ["actor", "close", "cancel", "related", "update"].includes(headerText(title));
  return isReserved ? `Event ${title}` : title;
}
