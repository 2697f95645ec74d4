/**
 * Who may ask what. The page holds no data by itself; every request for data carries the token of this process, comes by
 * its own name, and every change comes from its own page.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";

export interface Guard {
  readonly token: string;
  /** Whether the request names this server, and not another one that leads here. */
  isForUs(host: string | undefined): boolean;
  isKnown(authorization: string | undefined): boolean;
  /** Whether our own page asks. */
  isOurPage(headers: { origin?: string | undefined; "sec-fetch-site"?: string | string[] | undefined }): boolean;
}

/** `port`: once it is known. */
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

/** On every answer. */
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
