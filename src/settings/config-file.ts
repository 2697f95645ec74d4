/** Reads `rowferry.config.yaml`; mistakes have their place and the nearest known name. */
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Document, isMap, isNode, LineCounter, parseDocument, visit } from "yaml";
import { z } from "zod";
import { yamlFaults } from "../map/language/yaml-faults.js";
import { didYouMean } from "../map/nearest.js";
import { isRedisAddress } from "../model/addresses.js";
import { decodeText } from "../model/decode-text.js";
import { shorten } from "../model/fold.js";
import { RowferryError } from "../model/error.js";
import type { Place } from "../model/place.js";
import { channelSchema, moments, notifySettings, oddities } from "./notify-schema.js";
import { hasSettings, refuseUnsafe } from "./trusted-file.js";

export const configFileName = "rowferry.config.yaml";

const words = z.string().trim().min(1);

export const configTargetSchema = z.strictObject({
  baseUrl: words.describe("The service's address. https, or http to this machine only."),
  tokenUrl: words.describe("The token endpoint's address."),
  clientId: words.describe("The client's name at the token endpoint."),
  clientSecretFile: words
    .optional()
    .describe(
      "A file that holds only the secret; relative to the settings file, and in its folder or in one that ROWFERRY_SECRETS names.",
    ),
  scope: words.optional().describe("Sent to the token endpoint, if it needs one."),
  clientAuthentication: z
    .enum(["basic", "post"])
    .optional()
    .describe("How the client identifies itself there: in a header (`basic`, default) or in the body (`post`)."),
  rate: z.number().positive().optional().describe("Requests per second; default 20."),
  burst: z.int().positive().optional().describe("Requests at once; default 30."),
  throttle: words
    .refine(isRedisAddress)
    .optional()
    .describe("`redis://…`: one budget shared by several processes and machines."),
  maxEventsPerRequest: z.int().positive().optional().describe("Maximum number of events in a request; default 100."),
  maxRequestBytes: z.int().min(1024).optional().describe("Maximum size of a body in bytes; default 1048576."),
  requestIdHeaders: z
    .array(words)
    .optional()
    .describe("Response headers to keep with every attempt; default: the usual names, such as x-request-id."),
  ledger: words.optional().describe("The ledger's file; default `state/<target>/ledger.db`."),
  journal: words.optional().describe("The journal's file, preferably on another disk; relative to the settings file."),
  ...notifySettings,
});

/** A name becomes a folder below `state/`. */
const targetName = words.regex(/^(?!(sandbox|env)$)[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);

export const configSchema = z.strictObject({
  target: words.optional().describe("The target used if neither --target nor ROWFERRY_TARGET names one."),
  state: words.optional().describe("Folder of ledgers and runs; default `state`."),
  targets: z
    .record(targetName, configTargetSchema)
    .optional()
    .describe("Services by name (letters, digits, `-` and `_`; not `sandbox` or `env`)."),
  consoleUrl: words.optional().describe("Where `rowferry console` is reached; notifications link to it."),
  ...notifySettings,
});

export type ConfigTarget = z.infer<typeof configTargetSchema>;
export type Config = z.infer<typeof configSchema>;

/**
 * An environment setting, by the rules of the settings file. `name`: for the message. @throws RowferryError
 * `settings-invalid`
 */
export function validSetting<Member extends keyof ConfigTarget>(
  member: Member,
  text: string,
  name: string,
): NonNullable<ConfigTarget[Member]> {
  const value = ["rate", "burst"].includes(member) ? Number(text) : text;
  const parsed = configTargetSchema.shape[member].safeParse(value);
  if (parsed.success) return parsed.data as NonNullable<ConfigTarget[Member]>;
  throw new RowferryError("settings-invalid", `${name} ${wanted[member] ?? "cannot be used"}`);
}

const wanted: Partial<Record<string, string>> = {
  rate: "must be a number above 0",
  burst: "must be a whole number above 0",
  maxEventsPerRequest: "must be a whole number above 0",
  maxRequestBytes: "must be a whole number of at least 1024",
  clientAuthentication: 'must be "basic" or "post"',
  throttle: "must be an address such as redis://localhost",
  requestIdHeaders: "must be a list of names",
  targets: "must hold a target for each name",
  notify: "must be a list of channels, each with one of webhook, slack, teams, email and command",
  when: `must be a list of ${moments.join(", ")}`,
  silence: `must be a list of ${oddities.join(", ")}`,
  ping: "needs either url or urlFile",
  slack: "needs either url or urlFile",
  teams: "needs either url or urlFile",
  to: "must be an address, or a list of at least one",
  expect: 'must look like { every: 24h, by: "06:30" }',
};

export function stateRoot(config: Config, cwd: string): string {
  return resolve(cwd, config.state ?? "state");
}

/** The console asks for each target of hundreds, and again every second. */
let last: { text: string; config: Config } | null = null;

/** Empty if there is no file. @throws RowferryError `settings-invalid` with its place. */
export function readConfig(cwd: string): Config {
  const path = join(cwd, configFileName);
  if (!hasSettings(path, configFileName)) return {};
  refuseUnsafe(path, configFileName, "settings");
  if (statSync(path).isDirectory()) throw new RowferryError("settings-invalid", `${configFileName} is a folder`);
  const text = decodeText(readFileSync(path), configFileName);
  if (text !== last?.text) last = { text, config: configOf(text) };
  return last.config;
}

function configOf(text: string): Config {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, stringKeys: true, strict: true });
  const refuse = (message: string, hint: string, position: number) => {
    throw new RowferryError("settings-invalid", message, { place: placeAt(lines, position), hint });
  };
  for (const fault of yamlFaults(text, document)) refuse(...fault);
  const writeOut = "Write it out, or put a text in quotes.";
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) === undefined)
        refuse(`The alias *${shorten(alias.source)} has no anchor.`, writeOut, alias.range?.[0] ?? 0);
    },
  });
  let settings: unknown;
  try {
    settings = document.toJS();
  } catch {
    refuse("There are too many aliases (*) of aliases.", writeOut, 0);
  }
  const { data, error } = configSchema.safeParse(settings ?? {});
  if (error === undefined) return data;
  const issue = tellingIssue(error.issues);
  const { at, message, hint } = explain(issue, document);
  throw new RowferryError("settings-invalid", message, {
    place: placeAt(lines, positionOf(document, at)),
    hint,
    cause: issue,
  });
}

/** A mistyped name is also a missing one; the typing mistake is more helpful. */
function tellingIssue(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  return issues.find(({ code }) => code === "unrecognized_keys") ?? (issues[0] as z.core.$ZodIssue);
}

const homes = [
  { names: Object.keys(configSchema.shape), where: "at the top of the file" },
  { names: Object.keys(configTargetSchema.shape), where: "in a target, under `targets`" },
  { names: Object.keys(channelSchema.shape), where: "in an entry of `notify`" },
];
const members = homes.flatMap(({ names }) => names);

/** `at`: the path of the setting that is wrong or incomplete. */
function explain(issue: z.core.$ZodIssue, document: Document): { at: PropertyKey[]; message: string; hint?: string } {
  const { path } = issue;
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const at = [...path, key];
    const home = homes.find(({ names }) => names.includes(key));
    if (home !== undefined) return { at, message: `"${key}" belongs ${home.where}` };
    if (key !== "clientSecret") return { at, message: `there is no setting "${key}".${didYouMean(key, members)}` };
    const hint = "Put the secret in a file of its own and name that: `clientSecretFile: path`.";
    return { at, message: "the secret does not belong in the settings file", hint };
  }
  const name = path.join(".");
  if (issue.code === "invalid_key")
    return {
      at: path,
      message: `${name} needs a name of letters, digits, "-" and "_", other than "sandbox" and "env"`,
    };
  if (path.length === 0) return { at: path, message: "the file must contain settings by name" };
  const value = document.getIn(path);
  if (value === undefined) return { at: path.slice(0, -1), message: `${name} is missing` };
  const ruled = path[0] === "targets" && path.length > 2 ? path.slice(2) : path;
  // A rule is about what has its name, or is directly in that.
  const rule = wanted[String(ruled.slice(-2).findLast((part) => typeof part === "string" && part in wanted))];
  if (rule !== undefined) return { at: path, message: `${name} ${rule}` };
  if (value === null || value === "")
    return { at: path, message: `${name} is blank: give it a value, or leave it out` };
  if (issue.code === "invalid_type" && issue.expected === "object")
    return { at: path, message: `${name} must hold settings by name` };
  const isUnquoted = typeof value === "number" || typeof value === "boolean";
  return { at: path, message: `${name} must be text`, ...(isUnquoted && { hint: "Put it in quotes." }) };
}

/** The position of a setting's name, or of an entry in a list. */
function positionOf(document: Document, path: readonly PropertyKey[]): number {
  const parent = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === String(path.at(-1))) : undefined;
  const node = pair?.key ?? document.getIn(path, true);
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { file: configFileName, line: Math.max(1, line), character: Math.max(1, col) };
}
