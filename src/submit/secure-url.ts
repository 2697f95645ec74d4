/** Which addresses the submitter will talk to: https, and plain http to this machine only (DESIGN section 7). */
import { RowferryError } from "../model/error.js";
import { stripEnd } from "../model/strip-end.js";

/** Whether a host name (as in `URL.hostname`) is this machine. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase();
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * The address without its trailing slash.
 * @param what names the setting in the error: `base URL`, `token URL`.
 * @throws RowferryError `settings-invalid`, `url-insecure`
 */
export function secureUrl(text: string, what: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new RowferryError("settings-invalid", `The ${what} is not an address: ${JSON.stringify(text)}.`);
  }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new RowferryError("settings-invalid", `The ${what} must begin with https://, not ${url.protocol}//.`);
  if (url.username !== "" || url.password !== "")
    throw new RowferryError("settings-invalid", `The ${what} must not carry a user name or password.`);
  if (url.hash !== "") throw new RowferryError("settings-invalid", `The ${what} must not carry a #fragment.`);
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw new RowferryError("url-insecure", `The ${what} is plain http to ${url.host}.`);
  return stripEnd(text.trim(), "/");
}
