/** The addresses that settings may name: https, plain http to this machine only, and Redis. */
import { RowferryError } from "./error.js";
import type { Place } from "./place.js";
import { stripEnd } from "./fold.js";

/** `hostname`: as in `URL`. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase();
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * `name`: the setting's name for the message. For a base URL it ends in `baseUrl` or `BASE_URL`, and a trailing slash is
 * removed; elsewhere it may be part of the address. @throws RowferryError `settings-invalid` or `url-insecure`; no message repeats a password.
 */
export function serviceUrl(name: string, value: string, place: Place = {}): string {
  const invalid = (message: string) => new RowferryError("settings-invalid", `${name} ${message}`, { place });
  if (!URL.canParse(value)) throw invalid("is not an address; it must begin with https://");
  const url = new URL(value);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw invalid(`must begin with https://, not ${url.protocol}//`);
  if (url.username !== "" || url.password !== "") throw invalid("holds a user name or password; leave them out");
  const isBase = /base_?url$/i.test(name);
  if (url.hash !== "" || (url.search !== "" && isBase)) throw invalid('must end before any "?" or "#"');
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw new RowferryError("url-insecure", `${name} asks for plain http to ${url.host}`, { place });
  return isBase ? stripEnd(url.href, "/") : url.href;
}

/** For people: an address without its query, which may be confidential. */
export function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}

export function isRedisAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return /^rediss?:$/.test(protocol) && hostname !== "" && /^(\/\d{0,4})?$/.test(pathname);
}
