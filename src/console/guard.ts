/**
 * Access control. The page itself holds no data; every request for data needs this process's token and this server's
 * name, and every change must come from our page.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";

export interface Guard {
  readonly token: string;
  /** False: another name leads here. */
  isForUs(host: string | undefined): boolean;
  isKnown(authorization: string | undefined): boolean;
  isOurPage(headers: { origin?: string | undefined; "sec-fetch-site"?: string | string[] | undefined }): boolean;
}

/** `port`: once known. */
export function createGuard(port: () => number): Guard {
  const token = randomBytes(32).toString("base64url");
  const expected = Buffer.from(`Bearer ${token}`);
  const ourHost = () => `127.0.0.1:${port()}`;
  return {
    token,
    isForUs: (host) => host === ourHost(),
    isKnown(authorization = "") {
      const given = Buffer.from(authorization);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
    isOurPage: (headers) => headers.origin === `http://${ourHost()}` && headers["sec-fetch-site"] === "same-origin",
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
