/** Which addresses a setting may name: https, plain http to this machine only (DESIGN section 7), and Redis's own. */
import { RowferryError } from "./error.js";
import type { Place } from "./place.js";
import { stripEnd } from "./strip-end.js";

/** Whether a host name (as in `URL.hostname`) is this machine. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase();
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * The address without a trailing slash. `name` is the setting's own, for the message; of a base URL, to which paths are
 * added, it ends in `baseUrl` or `BASE_URL`.
 * @throws RowferryError `settings-invalid` or `url-insecure`; no message repeats a password that the address holds.
 */
export function serviceUrl(name: string, value: string, place: Place = {}): string {
  const invalid = (message: string) => new RowferryError("settings-invalid", `${name} ${message}`, { place });
  if (!URL.canParse(value)) throw invalid("is not an address; it must begin with https://");
  const url = new URL(value);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw invalid(`must begin with https://, not ${url.protocol}//`);
  if (url.username !== "" || url.password !== "") throw invalid("holds a user name or password; leave them out");
  if (url.hash !== "" || (url.search !== "" && /base_?url$/i.test(name)))
    throw invalid('must end before any "?" or "#"');
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw new RowferryError("url-insecure", `${name} asks for plain http to ${url.host}`, { place });
  return stripEnd(url.href, "/");
}

/** Whether a connection to Redis can be tried under it. */
export function isRedisAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return /^rediss?:$/.test(protocol) && hostname !== "" && /^(\/\d{0,4})?$/.test(pathname);
}
