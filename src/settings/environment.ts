/**
 * The environment, completed by `.env` (ROWFERRY_… names only). Remembers each value's origin, because a stray `.env`
 * must not turn a rehearsal into production (H34).
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { nearestName } from "../map/nearest.js";
import { decodeText } from "../model/decode-text.js";
import { RowferryError } from "../model/error.js";
import { hasSettings, refuseUnsafe } from "./trusted-file.js";

const prefix = "ROWFERRY_";

export type Origin = "environment" | ".env";

export type Environment = ReturnType<typeof readEnvironment>;

/**
 * A name in the real environment, even a blank one, is never taken from `.env`. @throws RowferryError
 * `settings-invalid` for a mistyped name, which would be ignored in silence
 */
export function readEnvironment(env: NodeJS.ProcessEnv, cwd: string) {
  const file = join(cwd, ".env");
  refuseUnsafe(file, ".env", "settings");
  // A folder of that name is a Python environment.
  const lower =
    hasSettings(file, ".env") && statSync(file).isFile() ? parseEnv(decodeText(readFileSync(file), ".env")) : {};
  refuseMistyped(env, "the environment");
  refuseMistyped(lower, ".env");
  /** Null: absent. */
  const origin = (name: string): Origin | null => {
    if (env[name] !== undefined) return "environment";
    return name.startsWith(prefix) && lower[name] !== undefined ? ".env" : null;
  };
  return {
    origin,
    /** Blank or not. */
    has: (name: string): boolean => origin(name) !== null,
    /** Trimmed; undefined if absent or blank. */
    get(name: string): string | undefined {
      const from = origin(name);
      const value = from === "environment" ? env[name] : from === ".env" ? lower[name] : undefined;
      return value?.trim() || undefined;
    },
  };
}

/** Only names near to a setting's: Kubernetes sets `ROWFERRY_PORT` and similar names for a service called rowferry. */
function refuseMistyped(named: object, origin: string): void {
  for (const name of Object.keys(named)) {
    if (!name.startsWith(prefix) || known.includes(name)) continue;
    const near = nearestName(
      name.slice(prefix.length),
      known.map((one) => one.slice(prefix.length)),
    );
    // `ROWFERRY_PROD_CLIENT_SECRET` is a person's own.
    if (near === null || Math.abs(prefix.length + near.length - name.length) > 2) continue;
    const message = `there is no setting "${name}", which ${origin} sets. Did you mean "${prefix}${near}"?`;
    throw new RowferryError("settings-invalid", message);
  }
}

/** For programs that a person's command or channel starts (F68). */
export const withoutSecrets = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^ROWFERRY_(CLIENT_SECRET|THROTTLE)/.test(name)));

/** By the settings of a target; they form the target `env`. */
export const environmentNames = {
  baseUrl: "ROWFERRY_BASE_URL",
  tokenUrl: "ROWFERRY_TOKEN_URL",
  clientId: "ROWFERRY_CLIENT_ID",
  clientSecretFile: "ROWFERRY_CLIENT_SECRET_FILE",
  scope: "ROWFERRY_SCOPE",
  clientAuthentication: "ROWFERRY_CLIENT_AUTHENTICATION",
  ledger: "ROWFERRY_LEDGER",
  rate: "ROWFERRY_RATE",
  burst: "ROWFERRY_BURST",
  throttle: "ROWFERRY_THROTTLE",
} as const;

/** Any of them ends the sandbox's being the default. */
export const serviceSettings = [...Object.values(environmentNames), "ROWFERRY_CLIENT_SECRET"] as const;

const known: readonly string[] = [...serviceSettings, "ROWFERRY_TARGET", "ROWFERRY_SECRETS"];

/** What this process was started with. */
export const ownZone = process.env["TZ"];

/** Local times of this process become those of `zone`, read and told. @returns how to end that */
export function inZone(zone: string): () => void {
  const before = process.env["TZ"];
  process.env["TZ"] = zone;
  return () => {
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  };
}
