/** Checks an address of the service. Plain http goes only to this machine (DESIGN section 7). */
import { RowferryError } from "../model/error.js";
import type { Place } from "../model/place.js";
import { stripEnd } from "../model/strip-end.js";
import { isLoopback } from "../submit/secure-url.js";

/**
 * The address without a trailing slash. `name` is the setting's own, for the message.
 * @throws RowferryError `settings-invalid` or `url-insecure`; no message repeats a password that stands in the address.
 */
export function serviceUrl(name: string, value: string, place: Place = {}): string {
  let url: URL;
  try {
    url = new URL(value);
  } catch (cause) {
    throw new RowferryError("settings-invalid", `${name} is not an address: it must begin with https://`, {
      place,
      cause,
    });
  }
  if (url.username !== "" || url.password !== "") {
    throw new RowferryError("settings-invalid", `${name} holds a user name or password; leave them out`, { place });
  }
  // Paths are put behind the base URL; a token endpoint is called as it stands.
  if (url.hash !== "" || (url.search !== "" && name.toLowerCase().replaceAll("_", "").includes("baseurl"))) {
    throw new RowferryError("settings-invalid", `${name} must end before any "?" or "#"`, { place });
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new RowferryError("settings-invalid", `${name} must begin with https://, not ${url.protocol}//`, { place });
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new RowferryError("url-insecure", `${name} asks for plain http to ${url.hostname}`, { place });
  }
  return stripEnd(url.href, "/");
}
