/**
 * Resolves flags, environment, `rowferry.config.yaml` and defaults, in this order, to one target; never guesses (H34).
 * Opens no ledger and makes no request.
 */
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { inspect } from "node:util";
import { serviceUrl, withoutQuery } from "../model/addresses.js";
import { RowferryError } from "../model/error.js";
import type { Place } from "../model/place.js";
import type { Target } from "../model/target.js";
import { chooseTarget, listed } from "./choose-target.js";
import { type ConfigTarget, configFileName, readConfig, stateRoot, validSetting } from "./config-file.js";
import { type Environment, environmentNames, readEnvironment } from "./environment.js";
import { readSecret, refuseForeignSecret } from "./trusted-file.js";

/** From the command line or a caller of the library. */
export interface TargetFlags {
  target?: string;
  sandbox?: boolean;
  fresh?: boolean;
  ledger?: string;
  rate?: number;
  burst?: number;
  throttle?: string;
}

export interface Surroundings {
  flags: TargetFlags;
  env: NodeJS.ProcessEnv;
  cwd: string;
}

type Access = Pick<Target, "baseUrl" | "tokenUrl" | "clientId" | "clientSecret" | "scope" | "clientAuthentication">;
type Settings = { [Member in keyof ConfigTarget]?: ConfigTarget[Member] };

const tuningMembers = [
  "rate",
  "burst",
  "throttle",
  "maxEventsPerRequest",
  "maxRequestBytes",
  "requestIdHeaders",
  "ledger",
  "journal",
] as const;
type Tuning = { [Member in (typeof tuningMembers)[number]]?: NonNullable<ConfigTarget[Member]> };

const tuningOf = (settings: Settings): Tuning =>
  Object.fromEntries(
    tuningMembers.flatMap((member) => (settings[member] === undefined ? [] : [[member, settings[member]]])),
  );

/** Open points 20, 10 and 15. */
const defaults = {
  rate: 20,
  burst: 30,
  throttle: null,
  maxEventsPerRequest: 100,
  maxRequestBytes: 1024 * 1024,
  requestIdHeaders: ["x-request-id", "request-id", "x-amzn-requestid", "x-amz-apigw-id", "x-correlation-id", "cf-ray"],
};

/** Also where `resolveTarget` refuses its settings. @throws RowferryError as `chooseTarget`, and of an invalid settings file */
export const targetName = ({ flags, env, cwd }: Surroundings): string =>
  chooseTarget({ flags, environment: readEnvironment(env, cwd), config: readConfig(cwd), cwd });

/** Reads no secret before it is asked for. @throws RowferryError with exit code 2; never with a secret. */
export function resolveTarget({ flags, env, cwd }: Surroundings): Target {
  const environment = readEnvironment(env, cwd);
  const config = readConfig(cwd);
  const name = chooseTarget({ flags, environment, config, cwd });
  const isSandbox = name === "sandbox";
  if (flags.fresh === true && !isSandbox)
    throw new RowferryError("usage", `--fresh empties the sandbox; it cannot be used with the target "${name}"`);
  const set = isSandbox ? {} : settingsIn(environment);
  const configured: Settings = config.targets?.[name] ?? {};
  const access = isSandbox
    ? sandboxAccess
    : name === "env"
      ? fromEnvironment(set, environment, env, cwd)
      : fromConfig(name, configured, env, cwd);
  const { ledger, journal, ...tuning } = {
    ...defaults,
    // Unthrottled unless `--rate`.
    ...(isSandbox ? { rate: null } : tuningOf(configured)),
    ...tuningOf(set),
    ...tuningOf(flags),
  };
  const folder = join(stateRoot(config, cwd), name);
  const ledgerPath = usableLedger(linked(ledger === undefined ? join(folder, "ledger.db") : resolve(cwd, ledger)));
  // `--ledger` moves the sandbox's store too.
  const stateFolder = isSandbox ? dirname(ledgerPath) : folder;
  const kept = journal === undefined ? {} : { journal: resolve(cwd, journal) };
  return discreet({ name, ...access, ...tuning, ledgerPath, stateFolder, ...kept });
}

const sandboxAccess: Access = {
  baseUrl: "",
  tokenUrl: "",
  clientId: "sandbox",
  clientSecret: () => "sandbox",
  scope: null,
  clientAuthentication: "basic",
};

/** Where a link leads, even if nothing is there yet: lock, log and copies belong next to the ledger, not the link. */
function linked(path: string): string {
  let file = path;
  try {
    // Links may form a circle; opening it reports that.
    for (let count = 0; count < 40 && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true; count += 1)
      file = resolve(realpathSync(dirname(file)), readlinkSync(file));
    return file;
  } catch {
    return path;
  }
}

/** The files next to it have longer names. Bytes of a name on any disk, and of a path that SQLite opens. */
function usableLedger(path: string): string {
  if (existsSync(`${path}/.`))
    throw new RowferryError("path-unusable", `${path} cannot be the ledger: it is a folder`, {
      hint: "Name a file in it, such as its ledger.db.",
    });
  const longest = `${path}.lock-journal`;
  if (Buffer.byteLength(basename(longest)) <= 255 && Buffer.byteLength(longest) < 512) return path;
  throw new RowferryError("path-unusable", `${path} cannot be the ledger: it is too long`, {
    hint: "Name a file of at most 242 bytes, and of at most 498 with its folders.",
  });
}

function settingsIn(environment: Environment): Settings {
  const members = Object.keys(environmentNames) as (keyof typeof environmentNames)[];
  return Object.fromEntries(
    members.flatMap((member) => {
      const name = environmentNames[member];
      const text = environment.get(name);
      return text === undefined ? [] : [[member, validSetting(member, text, name)]];
    }),
  );
}

function fromEnvironment(set: Settings, environment: Environment, env: NodeJS.ProcessEnv, cwd: string): Access {
  const secret = environment.get("ROWFERRY_CLIENT_SECRET");
  const { clientSecretFile } = set;
  if (secret !== undefined && clientSecretFile !== undefined) {
    const message = "both ROWFERRY_CLIENT_SECRET and ROWFERRY_CLIENT_SECRET_FILE are set; keep one of them";
    throw new RowferryError("settings-invalid", message);
  }
  const required = ["baseUrl", "tokenUrl", "clientId"] as const;
  const missing: string[] = required.flatMap((member) => (set[member] === undefined ? environmentNames[member] : []));
  if (secret === undefined && clientSecretFile === undefined)
    missing.push("ROWFERRY_CLIENT_SECRET (or ROWFERRY_CLIENT_SECRET_FILE)");
  if (missing.length > 0) throw new RowferryError("settings-incomplete", `the target "env" lacks ${listed(missing)}`);
  refuseMixture(environment);
  const file = clientSecretFile ?? "";
  const isFromFile = environment.origin(environmentNames.clientSecretFile) === ".env";
  const read = () => {
    if (isFromFile) refuseForeignSecret(resolve(cwd, file), ".env", cwd, env);
    return readSecret(environmentNames.clientSecretFile, cwd, file);
  };
  return accessOf(set, (member) => environmentNames[member], {}, secret === undefined ? read : () => secret);
}

/**
 * The credential decides between test and production (service.md, Authentication 2), and a secret may only go to the
 * address set in the same place, so all of them must come from one place.
 */
function refuseMixture(environment: Environment): void {
  const secret = environment.has("ROWFERRY_CLIENT_SECRET") ? "ROWFERRY_CLIENT_SECRET" : "ROWFERRY_CLIENT_SECRET_FILE";
  const names = ["ROWFERRY_BASE_URL", "ROWFERRY_TOKEN_URL", "ROWFERRY_CLIENT_ID", secret];
  const fromFile = names.filter((name) => environment.origin(name) === ".env");
  if (fromFile.length === 0 || fromFile.length === names.length) return;
  const others = names.filter((name) => !fromFile.includes(name));
  const message = `${listed(fromFile)} would come from .env, but ${listed(others)} from the environment`;
  throw new RowferryError("settings-mixed", message);
}

function fromConfig(name: string, settings: Settings, env: NodeJS.ProcessEnv, cwd: string): Access {
  const place = { file: configFileName };
  const { clientSecretFile } = settings;
  if (clientSecretFile === undefined) {
    const message = `the target "${name}" lacks clientSecretFile (a file that holds the secret)`;
    throw new RowferryError("settings-incomplete", message, { place });
  }
  const nameOf = (member: string) => `targets.${name}.${member}`;
  return accessOf(settings, nameOf, place, () => {
    refuseForeignSecret(resolve(cwd, clientSecretFile), configFileName, cwd, env);
    return readSecret(nameOf("clientSecretFile"), cwd, clientSecretFile);
  });
}

/** `nameOf`: for messages. `read`: called once. */
function accessOf(
  { baseUrl = "", tokenUrl = "", clientId = "", scope, clientAuthentication }: Settings,
  nameOf: (member: "baseUrl" | "tokenUrl") => string,
  place: Place,
  read: () => string,
): Access {
  let secret: string | undefined;
  return {
    baseUrl: serviceUrl(nameOf("baseUrl"), baseUrl, place),
    tokenUrl: serviceUrl(nameOf("tokenUrl"), tokenUrl, place),
    clientId,
    clientSecret: () => (secret ??= read()),
    scope: scope ?? null,
    clientAuthentication: clientAuthentication ?? "basic",
  };
}

function withoutPassword(address: string): string {
  const at = address.lastIndexOf("@");
  return at < 0 ? address : `${address.slice(0, address.indexOf("//") + 2)}(hidden)${address.slice(at)}`;
}

/** Printing it shows neither its secret, nor a password of its `throttle`, nor a query of its `tokenUrl`. */
function discreet(target: Target): Target {
  const shown = function (this: Target) {
    const {
      clientSecret: _,
      throttle,
      tokenUrl,
      toJSON: __,
      [inspect.custom]: ___,
      ...rest
    } = this as Target & Printed;
    const shownUrl = tokenUrl && withoutQuery(tokenUrl);
    return { ...rest, tokenUrl: shownUrl, clientSecret: "(hidden)", throttle: throttle && withoutPassword(throttle) };
  };
  // Enumerable, so that a copy with a changed setting stays discreet.
  return Object.assign(target, { toJSON: shown, [inspect.custom]: shown });
}

interface Printed {
  toJSON: unknown;
  [inspect.custom]: unknown;
}
