/** The schema of a mapping file. */
import { convertDefaultsShape } from "../convert/conversion-kind.js";
import { z } from "zod";
import type { JsonObject } from "../../model/json.js";
import { columnsSchema, tableSchema } from "./column-schema.js";
import {
  addressSchema,
  documentSchema,
  eventSchema,
  type EventSpec,
  formula,
  key,
  participantSchema,
  scalarSchema,
} from "./record-schema.js";
import { block, filled, filledList, maybe, writtenOut, usually, maybeWord, usualWord } from "../described.js";

export const defaultsSchema = block({
  ...convertDefaultsShape,
  blank: maybe(
    z.array(z.string()),
    'Cell texts that mean "nothing", compared exactly after trimming. The empty text always does.',
    [["", "-", "N/A"]],
  ),
  spreadsheetErrors: maybeWord(
    ["refuse", "keep"],
    "What a spreadsheet wrote in place of a value (`#REF!`, `#N/A`, `1,23457E+17`), if it is text: a problem of the row (`refuse`, default), or text like any other (`keep`). In keys and ids it is always a problem; what `blank` lists is blank.",
  ),
}).meta({ id: "Defaults", description: "How values are written in the files, unless a column says otherwise." });

export const settingsSchema = block({
  identity: usualWord(
    ["first", "last", "reject"],
    "Which data are used if rows describe the same participant, address or document differently. Default `first`, with a warning.",
  ),
  references: usualWord(
    ["registered", "inline"],
    "Whether events carry ids (default) or the participant and address themselves. Both are registered first either way, so `inline` saves no requests.",
  ),
  creation: usualWord(
    ["with-events", "shell-first"],
    "Whether a document is created together with its first events (default, fewest requests) or empty beforehand: one more request for each document, but a creation whose answer is lost leaves no events in doubt.",
  ),
  linkTime: usualWord(
    ["event", "server"],
    "When back-references take place: at the event's time (default) or at the service's.",
  ),
  participants: block({
    strategy: usualWord(
      ["lookup-first", "create-first"],
      "Default `lookup-first`. `create-first` saves a lookup for each participant that the service does not have; but each that it does have costs a refused create, or is registered twice if the service allows that.",
    ),
    foreign: usualWord(
      ["use", "create", "refuse"],
      "What to do with a participant that another dataset registered. Default `use`.",
    ),
  }).prefault({}),
  addresses: block({
    extendedFields: usually(
      false,
      z.boolean(),
      "Whether complement, neighborhood, zipCode, latitude and longitude are sent when an address is created. Default false.",
    ),
  }).prefault({}),
  unplacedRows: usualWord(
    ["report", "hold"],
    "An invalid row whose document is unknown: only reported (default), or it holds all later rows of its input.",
  ),
  late: usually(
    "refuse",
    z.union([
      z.literal("refuse"),
      block({
        attribute: writtenOut.meta({ description: "Name of the attribute that keeps the original time." }),
        isPublic: z.boolean().meta({ description: "Whether everyone may see that attribute." }),
      }),
    ]),
    "Rows earlier than events that have landed: refused (default), or moved to the earliest permitted time, with the original time in the named attribute.",
  ),
  replacementExternalId: maybe(
    writtenOut.regex(/^([^{}]|\{externalId\})*\{generation\}([^{}]|\{externalId\}|\{generation\})*$/, {
      error: "a text with {generation}, and no other name in braces except {externalId}",
    }),
    "The externalId of a document that `rowferry replace` sends again, for a service that accepts each externalId only once: a text with `{generation}` (2 for the first replacement) and, as a rule, `{externalId}`. Default: the same as before.",
    ["{externalId}-{generation}"],
  ),
})
  .transform(({ late, replacementExternalId = null, ...settings }) => ({
    ...settings,
    replacementExternalId,
    late: late === "refuse" ? { refuse: true as const } : { refuse: false as const, ...late },
  }))
  .meta({ id: "Settings", description: "Choices for staging, planning and submitting." });

const csvSchema = block({
  delimiter: maybe(
    z.union([
      z.literal("auto"),
      z.string().length(1, 'one character, such as ";", or "\\t" for a tab; leave it out to detect it'),
    ]),
    "One character. Default `auto`: detected.",
  ),
  quote: maybe(
    z.union([z.literal("auto"), z.string().length(1, "one character, auto or null"), z.null()]),
    "One character. Default `auto`: `\"`, or `'` where cells show it; null: no quoting.",
  ),
  escape: maybe(
    z.union([z.literal("auto"), z.string().length(1, "one character, or auto")]),
    "One character. Default `auto`: the quote doubled, or a backslash where cells show it.",
  ),
  trim: maybe(
    z.union([z.literal("auto"), z.boolean()]),
    'Whether blanks outside the quotes of a cell are ignored, as in `M1, "Coleta"`. Default `auto`: if the file needs it.',
  ),
  shortRows: maybe(
    z.literal("blank"),
    "`blank`: rows may end early, and the cells that they lack are blank. Default: such a row is invalid, because it may be cut off.",
  ),
  endsWithNewline: maybe(
    z.literal("required"),
    "`required`: if the last line has no line end, its row is invalid, because the file may be cut off. Default: the import only mentions it.",
  ),
  encoding: maybe(z.string(), "`auto` (default): byte order mark, else strict UTF-8, else fallbackEncoding."),
  fallbackEncoding: maybe(z.string(), "Default windows-1252."),
});

const sheet = z.union([filled, z.number().int().min(1)]);

const excelSchema = block({
  sheet: maybe(
    z.union([sheet, z.array(sheet).min(1)]),
    "By name, by position from 1, or by pattern; or a list of these. Every matching sheet is read. Default: the only visible sheet.",
  ),
  hidden: maybeWord(
    ["read", "skip"],
    "`skip`: hidden rows count as skipped, hidden columns are left out. `read`: hidden sheets are read too. Default: hidden rows and columns are read, and the import says so.",
  ),
  fillMerged: maybe(
    z.boolean(),
    "Give every cell of a merged range the value of its first cell. Default false. If `header` joins several rows, a heading merged over several columns applies to each of them anyway.",
  ),
});

const columns = columnsSchema.meta({
  description: "Columns by name: each is named, typed and cleaned once. Names consist of a–z, 0–9 and _.",
  examples: [{ mtr: "MTR", at: { header: "Data/Hora", as: "timestamp" }, net: "=gross - tare" }],
});

const parties = {
  participants: z.record(filled, participantSchema).optional(),
  addresses: z.record(filled, addressSchema).optional(),
};

export const inputSchema = block({
  files: maybe(
    z.union([filled, filledList]),
    "Patterns of file names that this input reads. May be left out if there is only one input.",
    [["*manifest*.csv"]],
  ),
  csv: csvSchema.optional(),
  excel: excelSchema.optional(),
  header: maybe(
    z.union([z.literal("auto"), z.literal("none"), z.number().int().min(1), z.array(z.number().int().min(1)).min(1)]),
    "The header's row: `auto` (default), its number, several numbers to be joined (in text files, a heading also applies to the blank cells to its right), or `none` (columns are A, B …).",
  ),
  allowEmpty: maybe(
    z.boolean(),
    "Whether an empty file is normal. Default: the other files are imported, and the import ends with exit code 3.",
  ),
  columns: columns.optional(),
  skip: formula("Rows that are left out; checked first, and counted.", ['=fold(status) == "rascunho"']),
  rowsWithoutEvents: maybeWord(
    ["refuse", "allow"],
    "What to do with a row that yields no event: `refuse` it (default), because it may hold a misspelt event, or `allow` it and stage its other records. In inputs without `events`, this applies to rows that yield no record at all.",
  ),
  rowId: maybe(
    scalarSchema,
    "What identifies a row or, in an input with `group`, a group, whose rows must all give the same value; a row of a later file supersedes one with the same `rowId` that has not landed; two rows of one file must not share one, unless they yield the same events.",
    ["=report"],
  ),
  group: key(
    "Consecutive rows with equal values here yield one set of records. Skipped rows between them do not matter; if something is computed over a group, rows of other groups in between are a problem.",
  ).optional(),
  ...parties,
  documents: z.record(filled, documentSchema).optional(),
  events: maybe(
    z.record(filled, eventSchema),
    "Events by name. Each inherits `defaults`, and overrides what it defines itself. Attributes are merged by name; everything else, including `when`, is replaced as a whole.",
  ),
}).meta({ id: "Input", description: "One kind of file or sheet, and the records that each of its rows yields." });

const names = z.array(filled).optional();

export const mappingSchema = block({
  $schema: z.string().optional(),
  version: z.literal(2).meta({ description: "Always 2." }),
  draft: maybe(
    z.boolean(),
    "`true`: decisions are still open, marked `# decide:`; imports refuse the mapping, except into the sandbox.",
  ),
  extends: maybe(
    z.string().regex(/^[^/\\]+\.ya?ml$/, "the name of a YAML file in the same folder"),
    "Another file in the same folder; this mapping inherits its parts, and overrides those that it defines itself. `skip: false` and `when: false` switch off what is inherited.",
    ["common.yaml"],
  ),
  namespace: z
    .string()
    .min(1)
    .max(200)
    .meta({
      description:
        "Part of every deduplicationId: mappings with the same namespace share documents, mappings with different ones never do. Changing it gives everything new keys.",
      examples: ["acme-waste"],
    }),
  description: z.string().optional(),
  defaults: defaultsSchema.optional(),
  settings: settingsSchema.prefault({}),
  functions: maybe(
    filled,
    "A JavaScript module next to the mapping; every function that it exports can be called in formulas. It is given text, numbers, true and false, and returns such a value, or null for a blank; a day is text such as `2025-03-09`, a time such as `2025-03-09T17:05:00.000Z`. If one of its arguments is blank, the result is blank, without a call. A change to a file that it imports counts as a change of the mapping; a change to one that it reads in another way goes unnoticed. It runs with all the rights of the program.",
    ["./functions.mjs"],
  ),
  elsewhere: maybe(
    block({ participants: names, addresses: names, documents: names }),
    "Names that `ref` may use even though another mapping with this namespace defines them.",
  ),
  tables: maybe(
    z.record(filled, tableSchema),
    "CSV files next to the mapping, for look-ups in formulas: `tables.plants[code].region`.",
  ),
  columns: maybe(columns, "Columns that several inputs share; only inputs that use them need them."),
  ...parties,
  inputs: z.record(filled, inputSchema).meta({ description: "The files and sheets that this mapping reads, by name." }),
}).meta({
  id: "Mapping",
  title: "Rowferry mapping",
  description: "Which files become which participants, addresses, documents and events.",
});

export type InputSpec = z.infer<typeof inputSchema>;
export type MappingSpec = z.infer<typeof mappingSchema>;

/** For editors; they support draft 7 best. */
export function mappingJsonSchema(): JsonObject {
  return z.toJSONSchema(mappingSchema, { target: "draft-7", io: "input", unrepresentable: "any" }) as JsonObject;
}

/** The value of `was` for a document or event that is new. */
export const NEVER = "none";

/** The label used in keys: the former one, if there is one. */
export function keyLabel(label: string, { was }: { was?: string | undefined }): string {
  return was === undefined || was === NEVER ? label : was;
}

/** Former labels of documents, by their present label. */
export function keyLabels(spec: MappingSpec): ReadonlyMap<string, string> {
  const documents = Object.values(spec.inputs).flatMap((input) => Object.entries(input.documents ?? {}));
  return new Map(
    documents.flatMap(([kind, one]) => (keyLabel(kind, one) === kind ? [] : [[kind, keyLabel(kind, one)]])),
  );
}

export function eventsOf({ events = {} }: InputSpec): { [event: string]: EventSpec } {
  const { defaults = {}, ...own } = events as { [event: string]: EventSpec };
  return Object.fromEntries(
    Object.entries(own).map(([event, spec]) => [
      event,
      {
        ...defaults,
        ...spec,
        ...(spec.is === undefined ? { by: spec.by } : {}),
        attributes: mergedAttributes(defaults.attributes, spec.attributes),
      },
    ]),
  );
}

/** An attribute of the event's own takes the place of one that is shown otherwise, too. */
function mergedAttributes(common: EventSpec["attributes"], own: EventSpec["attributes"]): EventSpec["attributes"] {
  if (common === undefined || own === undefined) return own ?? common;
  const said = new Set(Object.values(own).flatMap((some) => Object.keys(some ?? {})));
  const kept = (some = {}) => Object.entries(some).filter(([name]) => !said.has(name));
  const both = (["public", "private", "asEvent"] as const).map((shown) => [
    shown,
    { ...Object.fromEntries(kept(common[shown])), ...own[shown] },
  ]);
  return Object.fromEntries(both) as EventSpec["attributes"];
}
