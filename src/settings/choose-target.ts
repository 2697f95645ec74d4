/** Chooses the target by name. A rehearsal is never mistaken for the real thing, or vice versa (H34). */
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { didYouMean } from "../map/nearest.js";
import { RowferryError } from "../model/error.js";
import { type Config, readConfig, stateRoot } from "./config-file.js";
import { type Environment, type Origin, readEnvironment, serviceSettings } from "./environment.js";
import type { TargetFlags } from "./target.js";

interface Known {
  flags: TargetFlags;
  environment: Environment;
  config: Config;
  cwd: string;
}

/** The others only tune the chosen target. */
const identifying = serviceSettings.filter((name) =>
  /_(BASE_URL|TOKEN_URL|CLIENT_ID|CLIENT_SECRET|CLIENT_SECRET_FILE)$/.test(name),
);

/** @throws RowferryError `usage`, `target-unknown` or `target-not-chosen`. */
export function chooseTarget(known: Known): string {
  const { flags, environment } = known;
  if (flags.sandbox === true) {
    if (flags.target === undefined || flags.target === "sandbox") return "sandbox";
    throw new RowferryError("usage", `--sandbox and --target ${flags.target} contradict each other`);
  }
  if (flags.target !== undefined) return existing(flags.target, "", known);
  if (environment.has("ROWFERRY_TARGET")) {
    const name = environment.get("ROWFERRY_TARGET");
    if (name === undefined) throw notChosen("ROWFERRY_TARGET is set, but empty");
    const origin = environment.origin("ROWFERRY_TARGET");
    const inEnvironment = identifying.filter((each) => environment.origin(each) === "environment");
    if (origin === ".env" && name !== "env" && inEnvironment.length > 0)
      throw notChosen(`.env asks for the target "${name}", but the environment sets ${listed(inEnvironment)}`);
    return trusted(existing(name, ", which ROWFERRY_TARGET names", known), origin, known);
  }
  const service = identifying.filter((name) => environment.has(name));
  if (service.length > 0) {
    const real = service.some((name) => environment.origin(name) === "environment");
    return trusted("env", real ? "environment" : ".env", known);
  }
  return byDefault(known);
}

/** Neither flags nor environment name a service. */
function byDefault(known: Known): string {
  const { config, environment } = known;
  if (config.target !== undefined) return existing(config.target, ", which `target` names", known);
  const names = Object.keys(config.targets ?? {});
  if (names.length > 0) throw notChosen(`rowferry.config.yaml names ${listed(names)}, and none was chosen`);
  if (serviceSettings.some((name) => environment.has(name))) return "env";
  const others = targetsUsed(known).filter((name) => name !== "sandbox");
  if (others.length > 0) {
    const root = known.config.state ?? "state";
    throw notChosen(`no service is set, but ${root}/ holds imports into ${listed(others)}`);
  }
  return "sandbox";
}

/** `which`: says who asks for it; blank: the command, or the library's caller. */
function existing(name: string, which: string, known: Known): string {
  const configured = Object.keys(known.config.targets ?? {});
  if (name === "sandbox" || name === "env" || configured.includes(name)) return name;
  const names = [...configured, "sandbox", "env"];
  const near = didYouMean(name, names);
  const message = `there is no target "${name}"${which}${near === "" ? `; there are ${listed(names)}` : `.${near}`}`;
  throw new RowferryError("target-unknown", message);
}

/**
 * A choice only from `.env` yields to any sign of another intention: the settings file's default, or rehearsals in a
 * folder where this target was never used.
 */
function trusted(name: string, origin: Origin | null, known: Known): string {
  if (origin !== ".env" || name === "sandbox") return name;
  const preferred = known.config.target;
  if (preferred !== undefined && preferred !== name) {
    throw notChosen(`.env asks for the target "${name}", but rowferry.config.yaml for "${preferred}"`);
  }
  const used = targetsUsed(known);
  if (used.includes("sandbox") && !used.includes(name) && preferred !== name) {
    throw notChosen(`.env asks for the target "${name}", but so far this folder was used for rehearsals only`);
  }
  return name;
}

function notChosen(message: string): RowferryError {
  return new RowferryError("target-not-chosen", message);
}

/** Targets with a ledger or runs below the state folder. */
const targetsUsed = ({ config, cwd }: Known): string[] => foldersWith(["ledger.db", "runs"], stateRoot(config, cwd));

/** Targets with a ledger, below the state folder or where the settings say. */
export function targetsWithLedger(cwd: string, env: NodeJS.ProcessEnv): string[] {
  const config = readConfig(cwd);
  const own = readEnvironment(env, cwd).get("ROWFERRY_LEDGER");
  const named = Object.entries({ ...config.targets, env: { ledger: own } }).flatMap(([name, { ledger }]) =>
    ledger !== undefined && existsSync(resolve(cwd, ledger)) ? [name] : [],
  );
  return [...new Set([...foldersWith(["ledger.db"], stateRoot(config, cwd)), ...named])];
}

function foldersWith(files: readonly string[], root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root).filter((name) => files.some((file) => existsSync(join(root, name, file))));
}

/** `a`, `a and b`, `a, b and c`. */
export const listed = (names: readonly string[]): string => new Intl.ListFormat("en-GB").format(names);
