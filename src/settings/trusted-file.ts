/**
 * Checks who may have written the settings, and where secrets are: a secret goes only to the address set in the same
 * place, so a folder that somebody else prepared must not name our secrets.
 */
import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, resolve, sep } from "node:path";
import { decodeText } from "../model/decode-text.js";
import { RowferryError } from "../model/error.js";
import { quotedPath } from "../model/shell-quoted.js";

/**
 * Refuses a file that another user (except root) owns or may write; a link is judged by its target. A user's own group
 * (same number) may write it, as many systems are set up. Ignores a missing file. @throws RowferryError
 * `settings-unsafe`
 */
export function refuseUnsafe(path: string, shown: string, holds: "settings" | "secret"): void {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status?.isFile() !== true || process.getuid === undefined) return;
  const user = process.getuid();
  if (status.uid !== user && status.uid !== 0) throw unsafe(`${shown} belongs to another user (${status.uid})`);
  if ((status.mode & 0o002) !== 0) throw unsafe(`every user can write to ${shown}`, `chmod o-w ${quotedPath(shown)}`);
  const ownGroup = status.gid === process.getgid?.() && status.gid === user;
  if ((status.mode & 0o020) !== 0 && !ownGroup)
    throw unsafe(`a group can write to ${shown}`, `chmod g-w ${quotedPath(shown)}`);
  if (holds === "secret" && (status.mode & 0o004) !== 0)
    throw unsafe(`every user can read the secret in ${shown}`, `chmod o-r ${quotedPath(shown)}`);
}

/**
 * Whether there is such a file of settings. @throws RowferryError `settings-invalid` for a link that leads nowhere:
 * without its settings, rows would go to the sandbox
 */
export function hasSettings(path: string, shown: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false;
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return true;
  throw new RowferryError("settings-invalid", `${shown} is a link to a file that is not there`);
}

/**
 * A secret must be in the settings file's folder, or in one that the environment names (`ROWFERRY_SECRETS`, several
 * with the path separator, and systemd's `CREDENTIALS_DIRECTORY`). @throws RowferryError `settings-unsafe`.
 */
export function refuseForeignSecret(path: string, namedBy: string, folder: string, env: NodeJS.ProcessEnv): void {
  const named = [env["ROWFERRY_SECRETS"], env["CREDENTIALS_DIRECTORY"]].flatMap((list) => list?.split(delimiter) ?? []);
  const target = real(path);
  const folders = [folder, ...named.filter((each) => each !== "")];
  if (folders.some((each) => target.startsWith(real(resolve(folder, each)) + sep))) return;
  const hint = existsSync(path)
    ? `If you trust these settings with it, run with ROWFERRY_SECRETS=${quotedPath(dirname(resolve(path)))}.`
    : "There is no such file now; systemd removes a unit's credentials when it ends.";
  throw new RowferryError("settings-unsafe", `${namedBy} names a secret outside its folder: ${path}`, { hint });
}

/** @throws RowferryError `settings-unsafe`, `secret-unreadable` */
export function readSecret(name: string, cwd: string, path: string): string {
  refuseUnsafe(resolve(cwd, path), path, "secret");
  let secret: string;
  try {
    secret = decodeText(readFileSync(resolve(cwd, path)), path).trim();
  } catch (cause) {
    if (cause instanceof RowferryError) throw cause;
    const reason = (cause as NodeJS.ErrnoException).code ?? "unreadable";
    throw new RowferryError("secret-unreadable", `${name} names ${path}, which cannot be read (${reason})`, { cause });
  }
  if (secret === "") throw new RowferryError("secret-unreadable", `${name} names ${path}, which is empty`);
  return secret;
}

/** Without links; unchanged if they cannot be followed, which reading it reports. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function unsafe(message: string, command?: string): RowferryError {
  const hint = command === undefined ? "Make your own copy and look through it first." : `Type: ${command}`;
  return new RowferryError("settings-unsafe", message, { hint });
}
