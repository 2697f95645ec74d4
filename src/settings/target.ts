/**
 * Resolves flags, environment, `rowferry.config.yaml` and defaults, in this order, to one target; never guesses (H34).
 * Opens no ledger and makes no request.
 */
import { basename, dirname, join, resolve } from "node:path";
import { inspect } from "node:util";
import { serviceUrl } from "../model/addresses.js";
import { RowferryError } from "../model/error.js";
import type { Place } from "../model/place.js";
import type { Target } from "../model/target.js";
import { chooseTarget, listed } from "./choose-target.js";
import { type Config, type ConfigTarget, configFileName, readConfig, stateRoot, validSetting } from "./config-file.js";
import { type Environment, readEnvironment } from "./environment.js";
import { notifySettings } from "./notify-schema.js";
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
  env: Record<string, string | undefined>;
  cwd: string;
}

type Access = Pick<Target, "baseUrl" | "tokenUrl" | "clientId" | "clientSecret" | "scope" | "clientAuthentication">;
type TuningMember = Exclude<keyof ConfigTarget, keyof Access | keyof typeof notifySettings | "clientSecretFile">;
type Tuning = { [Member in TuningMember]?: NonNullable<ConfigTarget[Member]> };

/** Open points 20, 10 and 15. */
const defaults = {
  rate: 20,
  burst: 30,
  throttle: null,
  maxEventsPerRequest: 100,
  maxRequestBytes: 1024 * 1024,
  requestIdHeaders: ["x-request-id", "request-id", "x-amzn-requestid", "x-amz-apigw-id", "x-correlation-id", "cf-ray"],
};

/** Reads only settings and secret files. @throws RowferryError with exit code 2; never with a secret. */
export function resolveTarget({ flags, env, cwd }: Surroundings): Target {
  const environment = readEnvironment(env, cwd);
  const config = readConfig(cwd);
  const name = chooseTarget({ flags, environment, config, cwd });
  if (flags.fresh === true && name !== "sandbox")
    throw new RowferryError("usage", `--fresh empties the sandbox; it cannot be used with the target "${name}"`);
  if (name === "sandbox") return discreet(sandboxTarget(flags, config, cwd));
  const [access, configured] =
    name === "env" ? [fromEnvironment(environment, env, cwd), {}] : fromConfig(name, config, env, cwd);
  const stateFolder = join(stateRoot(config, cwd), name);
  const { ledger, journal, ...tuning }: Tuning = { ...configured, ...tuningOf(environment), ...chosen(flags) };
  return discreet({
    name,
    ...access,
    ...defaults,
    ...tuning,
    ledgerPath: usableLedger(ledger === undefined ? join(stateFolder, "ledger.db") : resolve(cwd, ledger)),
    stateFolder,
    ...(journal === undefined ? {} : { journal: resolve(cwd, journal) }),
  });
}

/** `--ledger` moves the store too. Unthrottled unless `--rate`. */
function sandboxTarget(flags: TargetFlags, config: Config, cwd: string): Target {
  const { ledger, ...tuning } = chosen(flags);
  const ledgerPath = usableLedger(
    ledger === undefined ? join(stateRoot(config, cwd), "sandbox", "ledger.db") : resolve(cwd, ledger),
  );
  const access = { baseUrl: "", tokenUrl: "", clientId: "sandbox", clientSecret: "sandbox", scope: null };
  const rest = { clientAuthentication: "basic" as const, ledgerPath, stateFolder: dirname(ledgerPath) };
  return { name: "sandbox", ...access, ...defaults, rate: null, ...tuning, ...rest };
}

/** The files beside it have longer names. Bytes of a name on any disk, and of a path that SQLite opens. */
function usableLedger(path: string): string {
  const longest = `${path}.lock-journal`;
  if (Buffer.byteLength(basename(longest)) <= 255 && Buffer.byteLength(longest) < 512) return path;
  throw new RowferryError("path-unusable", `${path} cannot be the ledger: it is too long`, {
    hint: "Name a file of at most 242 bytes, and of at most 498 with its folders.",
  });
}

function chosen({ ledger, rate, burst, throttle }: TargetFlags): Tuning {
  return Object.fromEntries(
    Object.entries({ ledger, rate, burst, throttle }).filter(([, value]) => value !== undefined),
  );
}

function tuningOf(environment: Environment): Tuning {
  const settings = [
    ["ledger", "ROWFERRY_LEDGER"],
    ["rate", "ROWFERRY_RATE"],
    ["burst", "ROWFERRY_BURST"],
    ["throttle", "ROWFERRY_THROTTLE"],
  ] as const;
  return Object.fromEntries(
    settings.flatMap(([member, name]) => {
      const text = environment.get(name);
      return text === undefined ? [] : [[member, validSetting(member, text, name)]];
    }),
  );
}

function fromEnvironment(environment: Environment, env: Record<string, string | undefined>, cwd: string): Access {
  const get = (name: string) => environment.get(`ROWFERRY_${name}`);
  const [secret, secretFile] = [get("CLIENT_SECRET"), get("CLIENT_SECRET_FILE")];
  if (secret !== undefined && secretFile !== undefined) {
    const message = "both ROWFERRY_CLIENT_SECRET and ROWFERRY_CLIENT_SECRET_FILE are set; keep one of them";
    throw new RowferryError("settings-invalid", message);
  }
  const missing = ["ROWFERRY_BASE_URL", "ROWFERRY_TOKEN_URL", "ROWFERRY_CLIENT_ID"].filter(
    (name) => environment.get(name) === undefined,
  );
  if (secret === undefined && secretFile === undefined)
    missing.push("ROWFERRY_CLIENT_SECRET (or ROWFERRY_CLIENT_SECRET_FILE)");
  if (missing.length > 0) throw new RowferryError("settings-incomplete", `the target "env" lacks ${listed(missing)}`);
  refuseMixture(environment);
  if (secretFile !== undefined && environment.origin("ROWFERRY_CLIENT_SECRET_FILE") === ".env")
    refuseForeignSecret(resolve(cwd, secretFile), ".env", cwd, env);
  const authentication = get("CLIENT_AUTHENTICATION") ?? "basic";
  return {
    ...addresses("ROWFERRY_BASE_URL", get("BASE_URL"), "ROWFERRY_TOKEN_URL", get("TOKEN_URL")),
    clientId: get("CLIENT_ID") ?? "",
    clientSecret: secret ?? readSecret("ROWFERRY_CLIENT_SECRET_FILE", cwd, secretFile ?? ""),
    scope: get("SCOPE") ?? null,
    clientAuthentication: validSetting("clientAuthentication", authentication, "ROWFERRY_CLIENT_AUTHENTICATION"),
  };
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

function fromConfig(
  name: string,
  config: Config,
  env: Record<string, string | undefined>,
  cwd: string,
): [Access, Tuning] {
  const target = config.targets?.[name];
  if (target === undefined) throw new Error(`no target ${name}`);
  const { baseUrl, tokenUrl, clientId, clientSecretFile, scope, clientAuthentication, ...rest } = target;
  const tuning = Object.fromEntries(Object.entries(rest).filter(([member]) => !(member in notifySettings)));
  const place = { file: configFileName };
  if (clientSecretFile === undefined) {
    const message = `the target "${name}" lacks clientSecretFile (a file that holds the secret)`;
    throw new RowferryError("settings-incomplete", message, { place });
  }
  refuseForeignSecret(resolve(cwd, clientSecretFile), configFileName, cwd, env);
  const access = {
    ...addresses(`targets.${name}.baseUrl`, baseUrl, `targets.${name}.tokenUrl`, tokenUrl, place),
    clientId,
    clientSecret: readSecret(`targets.${name}.clientSecretFile`, cwd, clientSecretFile),
    scope: scope ?? null,
    clientAuthentication: clientAuthentication ?? "basic",
  };
  return [access, tuning];
}

function addresses(baseName: string, base = "", tokenName: string, token = "", place: Place = {}) {
  return { baseUrl: serviceUrl(baseName, base, place), tokenUrl: serviceUrl(tokenName, token, place) };
}

function withoutPassword(address: string): string {
  const at = address.lastIndexOf("@");
  return at < 0 ? address : `${address.slice(0, address.indexOf("//") + 2)}(hidden)${address.slice(at)}`;
}

/** Printing it shows neither its secret nor a password of its `throttle`. */
function discreet(target: Target): Target {
  const shown = function (this: Target) {
    const { clientSecret: _, throttle, ...rest } = this;
    return { ...rest, clientSecret: "(hidden)", throttle: throttle && withoutPassword(throttle) };
  };
  Object.defineProperty(target, "toJSON", { value: shown });
  // Enumerable, so that a copy with a changed setting stays discreet.
  return Object.assign(target, {
    [inspect.custom](this: Target) {
      const { [inspect.custom as never]: _, ...rest } = shown.call(this) as Record<PropertyKey, unknown>;
      return rest;
    },
  });
}
