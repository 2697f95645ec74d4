/**
 * The one way in which tests write mappings: in the language of version 2 (columns are named, typed and cleaned once;
 * everywhere else a value is a literal, or a formula that begins with "="), handed to a program that reads version 1.
 *
 *     const files = { "weighings.yaml": mapping({
 *       namespace: "test", defaults: { timezone: "UTC", decimal: ",", dates: ["yyyy-MM-dd HH:mm"], country: "BR" },
 *       inputs: { weighings: {
 *         columns: { load: "Load", at: { header: "At", as: "timestamp" }, gross: { header: "Gross", as: "number" } },
 *         documents: { load: { key: "=load", participant: { id: "p" }, address: { id: "a" } } },
 *         events: { weighing: { name: "Weighing", key: "once", externalCreatedAt: "=at", isPublic: true,
 *           attributes: { public: { Gross: "=gross" } } } } } } }) };
 *
 * It takes an object or YAML text and gives YAML text. `version`, `defaults` and a party's `taxIdType` and `countryCode`
 * may be left out. Understood: columns of all types, with units, map, otherwise, oneOf, default, pattern, required,
 * optional, nth and several headers; formula columns; sets of columns ("*": "=measured"); skip and when; tables; group
 * with sum, first, last, min, max, count and join; by and is; defaults for events; attributes public, private and
 * asEvent; references by name, ref and key, natural key and id; existing documents; target; relatedDocument.
 * What it cannot say in version 1 it refuses by name. Once the program reads version 2, this file, `expression.ts` and
 * `formula.ts` shrink to `stringify`.
 */
import { parse, stringify } from "yaml";
import { type Column, Expressions, refuse, taxIdTypeOf } from "./expression.js";
import { type Node, parseFormula, part } from "./formula.js";

// biome-ignore lint/suspicious/noExplicitAny: a mapping as a test writes it.
type Any = any;
type Members = Any;

const rules = ["default", "map", "otherwise", "oneOf", "pattern", "required"];
const noOptions = ["header", "headers", "as", "optional", "nth", "except", ...rules];
const aggregates = ["sum", "first", "last", "min", "max", "count", "join"];

export function mapping(source: string | object): string {
  const {
    tables = {},
    columns,
    participants,
    addresses,
    inputs,
    ...rest
  } = structuredClone<Members>(typeof source === "string" ? parse(source) : source);
  const shared: Members = { columns: columns ?? {}, participants: participants ?? {}, addresses: addresses ?? {} };
  const old = (input: Members): Members => new Input(input, shared, tables, rest.defaults ?? {}).write();
  return stringify({ ...rest, version: 1, inputs: each(inputs, old) }, { lineWidth: 0 });
}

function each(members: Members, change: (one: Any, name: string) => Any): Members {
  return Object.fromEntries(Object.entries(members ?? {}).map(([name, one]) => [name, change(one, name)]));
}

/** Leaves out what is undefined. */
function defined(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, one]) => one !== undefined));
}

class Input {
  private readonly columns = new Map<string, Column>();
  private readonly headers: Members = {};
  private readonly expressions = new Expressions(this.columns);
  /** The words of each `by` column, from all `is`. */
  private readonly words = new Map<string, string[]>();

  private readonly input: Members;
  private readonly shared: Members;
  private readonly tables: Members;
  private readonly defaults: Members;

  constructor(input: Members, shared: Members, tables: Members, defaults: Members) {
    this.input = input;
    this.shared = shared;
    this.tables = tables;
    this.defaults = defaults;
    for (const [name, column] of Object.entries({ ...shared.columns, ...input.columns }))
      this.columns.set(name, this.declare(name, column));
  }

  write(): Members {
    const { columns: _, skip, rowId, group, participants, addresses, documents, events, ...rest } = this.input;
    const { defaults: usual, ...own } = events ?? {};
    const all: Members = each(own, (event) => ({ ...usual, ...event }));
    for (const { by, is } of Object.values<Members>(all))
      if (by !== undefined) this.words.set(by, [...(this.words.get(by) ?? []), ...[is ?? []].flat()]);
    const parts = JSON.stringify([documents, events]);
    const used = (kind: string, text: string): Members =>
      Object.fromEntries(Object.entries(this.shared[kind]).filter(([name]) => text.includes(`"${name}"`)));
    const places = { ...used("addresses", parts), ...addresses };
    const parties = { ...used("participants", parts + JSON.stringify(places)), ...participants };
    const written = {
      skip: skip === undefined ? undefined : this.condition(skip),
      rowId: rowId === undefined ? undefined : this.field(rowId),
      group: group === undefined ? undefined : this.key(group),
      participants: each(parties, (one) => this.party(one)),
      addresses: each(places, (one) => this.place(one)),
      documents: each(documents, (one) => this.document(one)),
      events: each(all, (one) => this.event(one)),
    };
    const sections = Object.entries(written).filter(([, one]) => one && Object.keys(one).length > 0);
    const named = Object.keys(this.headers).length > 0 ? { columns: this.headers } : {};
    return { ...rest, ...named, ...Object.fromEntries(sections) };
  }

  private declare(name: string, given: Any): Column {
    const empty = { name, set: null, formula: null, as: "text", options: {}, rules: {} };
    if (typeof given === "string")
      return given.startsWith("=")
        ? { ...empty, header: null, formula: parseFormula(given.slice(1)) }
        : { ...empty, header: given };
    const told = Object.entries(given);
    const column: Column = {
      ...empty,
      header: given.header ?? null,
      as: given.as ?? "text",
      options: Object.fromEntries(told.filter(([key]) => !noOptions.includes(key))),
      rules: Object.fromEntries(told.filter(([key]) => rules.includes(key))),
    };
    if (given.headers !== undefined)
      return { ...column, set: defined({ headers: given.headers, except: given.except }) };
    if (given.nth !== undefined) {
      column.header = `${name} (${given.nth})`;
      this.headers[column.header] = defined({
        headers: [given.header].flat(),
        nth: given.nth,
        optional: given.optional,
      });
    } else if (given.optional === true) this.headers[[given.header].flat()[0]] = { optional: true };
    return column;
  }

  private condition(given: Any): Members {
    if (typeof given !== "string" || !given.startsWith("=")) return refuse(`the condition ${JSON.stringify(given)}`);
    return { expr: this.expressions.condition(parseFormula(given.slice(1))) };
  }

  private key(given: Any): Any {
    if (given === undefined || given === "once" || given === "content") return given;
    return Array.isArray(given) ? given.map((one) => this.field(one)) : this.field(given);
  }

  /** A literal or a formula; `json` keeps numbers as JSON numbers. */
  private field(given: Any, json = false): Any {
    if (typeof given === "string" && given.startsWith("=")) return this.formula(parseFormula(given.slice(1)), json);
    if (!json || given === null || typeof given !== "object") return given;
    if (Array.isArray(given)) return given.map((one) => this.field(one, true));
    const object = each(given, (one) => this.field(one, true));
    return ["column", "template", "expr", "value"].some((word) => word in object) ? { value: object } : object;
  }

  private formula(node: Node, json: boolean): Any {
    const { kind, word, parts } = node;
    if (kind === "text") return word;
    if (kind === "number") return json ? Number(word) : word;
    if (kind === "truth") return word === "true";
    if (kind === "name") return this.column(this.expressions.column(word), json);
    const [first, second] = parts;
    if (kind === "call" && first !== undefined) {
      if (aggregates.includes(word) && first.kind === "name") {
        const separator = word === "join" && second !== undefined ? { separator: second.word } : {};
        const count = word === "count" ? { as: "integer" } : {};
        return { ...this.formula(first, json), ...count, rows: word, ...separator };
      }
      if (word === "required") return { ...this.formula(first, json), required: true };
      if (word === "fixed" && second !== undefined) {
        const inner = this.formula(first, false);
        const as = typeof inner.as === "object" ? inner.as : { name: "decimal" };
        return { ...inner, as: { ...as, places: Number(second.word) } };
      }
    }
    if (kind === "member" && first !== undefined) {
      if (first.kind === "index") return this.lookup(part(first, 0).word, part(first, 1), word);
      if (word === "country") return this.defaults.country;
      if (word === "type") return this.typeOf(this.expressions.column(first.word));
    }
    const is = this.expressions.kind(node);
    const as = is === "truth" ? "boolean" : { name: "decimal", decimal: ".", ...(json ? { number: true } : {}) };
    return defined({ expr: this.expressions.value(node), as: is === "text" ? undefined : as });
  }

  private column(column: Column, json: boolean): Any {
    if (column.formula !== null) return this.formula(column.formula, json);
    if (column.set !== null) return refuse(`the set of columns "${column.name}" as a value`);
    const words = this.words.get(column.name);
    const closed = words === undefined ? {} : { map: Object.fromEntries(words.map((word) => [word, word])) };
    return defined({ column: column.header, as: this.as(column, json), ...closed, ...column.rules });
  }

  private as(column: Column, json: boolean): Any {
    if (Object.values(column.options).some((option) => typeof option === "string" && option.startsWith("=")))
      return undefined; // a tax id whose type or country stands in another column: only in a participant, which says both
    const name = column.as === "number" ? "decimal" : column.as;
    const options = { ...column.options, ...(name === "decimal" && json ? { number: true } : {}) };
    if (name === "text" && Object.keys(options).length === 0) return undefined;
    return Object.keys(options).length === 0 ? name : { name, ...options };
  }

  private lookup(table: string, by: Node, to: string): Members {
    const { file, key, columns, delimiter } = this.tables[table] ?? refuse(`there is no table "${table}"`);
    if (by.kind !== "name") return refuse("a table asked by anything but a column");
    const { as, header } = typeof columns[to] === "string" ? { as: undefined, header: columns[to] } : columns[to];
    return defined({
      column: this.expressions.column(by.word).header,
      as,
      map: defined({ csv: file, from: key, to: header, delimiter }),
    });
  }

  private typeOf({ header, options }: Column): Any {
    if (typeof options.type === "string") return this.field(options.type);
    if (this.defaults.country !== "BR") return refuse("a tax id without a type, of another country than BR");
    return { expr: taxIdTypeOf(header) };
  }

  private party(given: Members): Members {
    const { when, key, taxId, taxIdType, countryCode, ...rest } = given;
    const name = typeof taxId === "string" ? /^=([a-z0-9_]+)$/.exec(taxId)?.[1] : undefined;
    const column = name === undefined ? undefined : this.expressions.column(name);
    return defined({
      when: when && this.condition(when),
      key: this.key(key),
      countryCode: this.field(countryCode ?? column?.options.country ?? this.defaults.country),
      taxIdType: this.field(taxIdType) ?? (column && this.typeOf(column)),
      // The participant reads it as a tax id of its type.
      taxId: column?.header ? defined({ column: column.header, ...column.rules }) : this.field(taxId),
      ...each(rest, (one) => this.field(one)),
    });
  }

  private place(given: Members): Members {
    const { when, key, participant, countryCode, ...rest } = given;
    return defined({
      when: when && this.condition(when),
      key: this.key(key),
      participant: this.reference(participant),
      ...each(rest, (one, name) => {
        const field = this.field(one);
        return ["neighborhood", "complement"].includes(name) && typeof field === "object"
          ? { required: false, ...field }
          : field;
      }),
      countryCode: this.field(countryCode ?? this.defaults.country),
    });
  }

  private document(given: Members): Members {
    const { when, key, id, participant, address, externalId, fields, ...rest } = given;
    return defined({
      when: when && this.condition(when),
      ...rest,
      key: this.key(key),
      documentId: this.field(id),
      participant: this.reference(participant),
      address: this.reference(address),
      externalId: externalId === null ? null : this.field(externalId),
      fields: fields && this.field(fields, true),
    });
  }

  private event(given: Members): Members {
    const { when, by, is, name, key, externalCreatedAt, isPublic, participant, address, document, ...more } = given;
    const { attributes, relatedDocument: related, target, propagateEvent, value, extra, ...rest } = more;
    const unknown = Object.keys(rest).find((word) => !["each", "within", "was", "confirmName"].includes(word));
    if (unknown !== undefined) refuse(`the event's member "${unknown}"`);
    const tests: string[] = [];
    if (by !== undefined && is !== undefined)
      tests.push(this.expressions.says(this.expressions.column(by), [is].flat()));
    if (when !== undefined) tests.push(this.condition(when).expr);
    return defined({
      when: tests.length > 0 ? { expr: tests.join(" && ") } : undefined,
      ...rest,
      name: this.field(name),
      key: this.key(key),
      document: this.reference(document),
      externalCreatedAt: this.field(externalCreatedAt),
      isPublic: this.field(isPublic),
      participant: this.reference(participant),
      address: this.reference(address),
      attributes: attributes && this.attributes(attributes, isPublic),
      relatedDocument: related && this.related(related),
      target: target && {
        ...this.document(target),
        document: target.document,
      },
      propagateEvent: this.field(propagateEvent),
      value: this.field(value, true),
      extra: extra && this.field(extra, true),
    });
  }

  private attributes(given: Members, asEvent: Any): Members {
    const written: Members = {};
    for (const [kind, members] of Object.entries(given)) {
      const isPublic = kind === "asEvent" ? this.field(asEvent) : kind === "public";
      for (const [name, value] of Object.entries(members as Members)) {
        if (name === "*") {
          const column = this.expressions.column(String(value).slice(1));
          if (column.set === null) return refuse(`"*" with "${column.name}", which is no set of columns`);
          const { headers: columns, except } = column.set;
          written[column.name] = defined({ columns, except, as: this.as(column, false), ...column.rules, isPublic });
        } else {
          const field = this.field(value);
          written[name] =
            field !== null && typeof field === "object" ? { ...field, isPublic } : { value: field, isPublic };
        }
      }
    }
    return written;
  }

  private related(given: Members): Members {
    const { document, bidirectional, ...rest } = given;
    const other =
      document?.id === undefined ? { document: this.reference(document) } : { documentId: this.field(document.id) };
    return defined({ ...other, bidirectional, ...each(rest, (one) => this.field(one)) });
  }

  private reference(given: Any): Any {
    if (given === undefined || typeof given === "string") return given;
    if (given.ref !== undefined) return { ref: given.ref, key: this.key(given.key) };
    if (given.id !== undefined) return { id: this.field(given.id) };
    const { taxId, taxIdType, countryCode } = given;
    return {
      natural: {
        countryCode: this.field(countryCode ?? this.defaults.country),
        taxIdType: this.field(taxIdType),
        taxId: this.field(taxId),
      },
    };
  }
}
