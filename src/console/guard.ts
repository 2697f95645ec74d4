/**
 * Access control. The page itself holds no data; every request for data needs this process's token and this server's
 * name, and every change must come from our page.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** `port`: once known. */
export function createGuard(port: () => number) {
  const token = randomBytes(32).toString("base64url");
  const expected = Buffer.from(`Bearer ${token}`);
  const ourHost = () => `127.0.0.1:${port()}`;
  return {
    token,
    /** False: another name leads here. */
    isForUs: (host: string | undefined) => host === ourHost(),
    isKnown(authorization = ""): boolean {
      const given = Buffer.from(authorization);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
    isOurPage: (headers: IncomingHttpHeaders) =>
      headers.origin === `http://${ourHost()}` && headers["sec-fetch-site"] === "same-origin",
  };
}

export const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'; require-trusted-types-for 'script'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};
