/**
 * From flags, environment, `rowferry.config.yaml` and defaults to one target, in this order (DESIGN sections 3 and 7).
 * Decides which service is meant and refuses to guess (HARD-CASES H34). Opens no ledger and makes no request.
 */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { decodeText } from "../model/decode-text.js";
import { RowferryError } from "../model/error.js";
import type { Target } from "../model/target.js";
import { chooseTarget } from "./choose-target.js";
import { type Config, type ConfigTarget, configFileName, readConfig, stateRoot } from "./config-file.js";
import { type Environment, readEnvironment } from "./environment.js";
import type { TargetFlags } from "./flags.js";
import { listed } from "./listed.js";
import { serviceUrl } from "./service-url.js";
import { refuseForeignSecret, refuseUnsafe } from "./trusted-file.js";

/** open-points 20, 10 and 15. */
const defaults = {
  rate: 20,
  burst: 30,
  maxEventsPerRequest: 100,
  maxRequestBytes: 1024 * 1024,
  requestIdHeaders: ["x-request-id", "request-id", "x-amzn-requestid", "x-amz-apigw-id", "x-correlation-id", "cf-ray"],
};

/**
 * The target that a command works on. Reads settings files and secret files, nothing else.
 * @throws RowferryError with exit code 2, naming what is missing or wrong; never with a secret in it.
 */
export function resolveTarget(from: {
  flags: TargetFlags;
  env: Record<string, string | undefined>;
  cwd: string;
}): Target {
  const { flags, cwd } = from;
  const environment = readEnvironment(from.env, cwd);
  const config = readConfig(cwd);
  const name = chooseTarget({ flags, environment, config, cwd });
  if (flags.fresh === true && name !== "sandbox") {
    throw new RowferryError("usage", `--fresh empties the sandbox; it cannot be used with the target "${name}"`);
  }
  if (name === "sandbox") return sandboxTarget(flags, config, cwd);
  const service =
    name === "env" ? environmentService(environment, from.env, cwd) : configService(name, config, from.env, cwd);
  const stateFolder = join(stateRoot(config, cwd), name);
  const ledger = flags.ledger ?? environment.get("ROWFERRY_LEDGER") ?? service.ledger;
  return {
    name,
    ...service.access,
    rate: flags.rate ?? numberSetting(environment, "ROWFERRY_RATE") ?? service.rate ?? defaults.rate,
    burst: flags.burst ?? numberSetting(environment, "ROWFERRY_BURST") ?? service.burst ?? defaults.burst,
    throttle: flags.throttle ?? service.throttle ?? null,
    maxEventsPerRequest: service.maxEventsPerRequest ?? defaults.maxEventsPerRequest,
    maxRequestBytes: service.maxRequestBytes ?? defaults.maxRequestBytes,
    requestIdHeaders: service.requestIdHeaders ?? defaults.requestIdHeaders,
    ledgerPath: ledger === undefined ? join(stateFolder, "ledger.db") : resolve(cwd, ledger),
    stateFolder,
    ...(service.journal === undefined ? {} : { journal: resolve(cwd, service.journal) }),
  };
}

type Access = Pick<Target, "baseUrl" | "tokenUrl" | "clientId" | "clientSecret" | "scope" | "clientAuthentication">;
type Service = { access: Access } & Pick<
  ConfigTarget,
  "rate" | "burst" | "throttle" | "maxEventsPerRequest" | "maxRequestBytes" | "requestIdHeaders" | "ledger" | "journal"
>;

/** Store and ledger lie together, so `--ledger` moves both. Unthrottled unless `--rate` is given. */
function sandboxTarget(flags: TargetFlags, config: Config, cwd: string): Target {
  const ledgerPath =
    flags.ledger === undefined ? join(stateRoot(config, cwd), "sandbox", "ledger.db") : resolve(cwd, flags.ledger);
  return {
    name: "sandbox",
    baseUrl: "",
    tokenUrl: "",
    clientId: "sandbox",
    clientSecret: "sandbox",
    scope: null,
    clientAuthentication: "basic",
    rate: flags.rate ?? null,
    burst: flags.burst ?? defaults.burst,
    throttle: flags.throttle ?? null,
    maxEventsPerRequest: defaults.maxEventsPerRequest,
    maxRequestBytes: defaults.maxRequestBytes,
    requestIdHeaders: defaults.requestIdHeaders,
    ledgerPath,
    stateFolder: dirname(ledgerPath),
  };
}

function environmentService(environment: Environment, env: Record<string, string | undefined>, cwd: string): Service {
  const secretFile = environment.get("ROWFERRY_CLIENT_SECRET_FILE");
  if (secretFile !== undefined && environment.get("ROWFERRY_CLIENT_SECRET") !== undefined) {
    const message = "both ROWFERRY_CLIENT_SECRET and ROWFERRY_CLIENT_SECRET_FILE are set; keep one of them";
    throw new RowferryError("settings-invalid", message);
  }
  const missing = ["ROWFERRY_BASE_URL", "ROWFERRY_TOKEN_URL", "ROWFERRY_CLIENT_ID"].filter(
    (name) => environment.get(name) === undefined,
  );
  if (secretFile === undefined && environment.get("ROWFERRY_CLIENT_SECRET") === undefined) {
    missing.push("ROWFERRY_CLIENT_SECRET (or ROWFERRY_CLIENT_SECRET_FILE)");
  }
  if (missing.length > 0) {
    throw new RowferryError("settings-incomplete", `the target "env" lacks ${listed(missing)}`);
  }
  refuseMixture(environment);
  if (secretFile !== undefined && environment.origin("ROWFERRY_CLIENT_SECRET_FILE") === ".env")
    refuseForeignSecret(resolve(cwd, secretFile), ".env", cwd, env);
  const authentication = environment.get("ROWFERRY_CLIENT_AUTHENTICATION") ?? "basic";
  if (authentication !== "basic" && authentication !== "post") {
    throw new RowferryError("settings-invalid", 'ROWFERRY_CLIENT_AUTHENTICATION must be "basic" or "post"');
  }
  return {
    access: {
      baseUrl: serviceUrl("ROWFERRY_BASE_URL", environment.get("ROWFERRY_BASE_URL") ?? ""),
      tokenUrl: serviceUrl("ROWFERRY_TOKEN_URL", environment.get("ROWFERRY_TOKEN_URL") ?? ""),
      clientId: environment.get("ROWFERRY_CLIENT_ID") ?? "",
      clientSecret:
        environment.get("ROWFERRY_CLIENT_SECRET") ?? readSecret("ROWFERRY_CLIENT_SECRET_FILE", cwd, secretFile),
      scope: environment.get("ROWFERRY_SCOPE") ?? null,
      clientAuthentication: authentication,
    },
  };
}

/**
 * The credential decides between test and production (service.md, Authentication 2), and a secret goes only to the address
 * that stands beside it: all of them come from one place.
 */
function refuseMixture(environment: Environment): void {
  const secret = environment.has("ROWFERRY_CLIENT_SECRET") ? "ROWFERRY_CLIENT_SECRET" : "ROWFERRY_CLIENT_SECRET_FILE";
  const names = ["ROWFERRY_BASE_URL", "ROWFERRY_TOKEN_URL", "ROWFERRY_CLIENT_ID", secret];
  const fromFile = names.filter((name) => environment.origin(name) === ".env");
  if (fromFile.length === 0 || fromFile.length === names.length) return;
  const others = names.filter((name) => !fromFile.includes(name));
  throw new RowferryError(
    "settings-mixed",
    `${listed(fromFile)} would come from .env, but ${listed(others)} from the environment`,
  );
}

function configService(name: string, config: Config, env: Record<string, string | undefined>, cwd: string): Service {
  const target = config.targets?.[name];
  if (target === undefined) throw new Error(`no target ${name}`);
  const place = { file: configFileName };
  const { clientSecretFile } = target;
  if (clientSecretFile === undefined) {
    const message = `the target "${name}" lacks clientSecretFile (a file that holds the secret)`;
    throw new RowferryError("settings-incomplete", message, { place });
  }
  refuseForeignSecret(resolve(cwd, clientSecretFile), configFileName, cwd, env);
  return {
    ...target,
    access: {
      baseUrl: serviceUrl(`targets.${name}.baseUrl`, target.baseUrl, place),
      tokenUrl: serviceUrl(`targets.${name}.tokenUrl`, target.tokenUrl, place),
      clientId: target.clientId,
      clientSecret: readSecret(`targets.${name}.clientSecretFile`, cwd, clientSecretFile),
      scope: target.scope ?? null,
      clientAuthentication: target.clientAuthentication ?? "basic",
    },
  };
}

function readSecret(name: string, cwd: string, path: string | undefined): string {
  let secret: string;
  refuseUnsafe(resolve(cwd, path ?? ""), path ?? "", "secret");
  try {
    secret = decodeText(readFileSync(resolve(cwd, path ?? "")), path ?? "").trim();
  } catch (cause) {
    if (cause instanceof RowferryError) throw cause;
    const reason = (cause as NodeJS.ErrnoException).code ?? "unreadable";
    throw new RowferryError("secret-unreadable", `${name} names ${path}, which cannot be read (${reason})`, { cause });
  }
  if (secret === "") throw new RowferryError("secret-unreadable", `${name} names ${path}, which is empty`);
  return secret;
}

function numberSetting(environment: Environment, name: string): number | undefined {
  const value = environment.get(name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isFinite(number) && number > 0) return number;
  throw new RowferryError("settings-invalid", `${name} must be a number above 0`);
}
