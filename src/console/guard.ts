/**
 * Access control. The page itself holds no data; every request for data needs this process's token and this server's
 * name, and every change must come from our page.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export const isForData = (url: string): boolean => url.startsWith("/api/");

/** `port`: once known. */
export function createGuard(port: () => number, allowChanges: boolean) {
  const token = randomBytes(32).toString("base64url");
  const expected = Buffer.from(`Bearer ${token}`);
  const isKnown = (authorization = ""): boolean => {
    const given = Buffer.from(authorization);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  return {
    token,

    /** Null: it may pass. */
    refusalOf(request: { method: string; url: string; headers: IncomingHttpHeaders }) {
      const { host, origin, authorization, "sec-fetch-site": site } = request.headers;
      const ours = `127.0.0.1:${port()}`;
      const refused = (status: number, message: string) => ({ status, message });
      if (host !== ours) return refused(421, "This server is not the one you asked for.");
      if (!isForData(request.url)) return null;
      if (!isKnown(authorization))
        return refused(401, "This page belongs to a console that has ended, or was opened without its token.");
      if (request.method === "GET") return null;
      if (origin !== `http://${ours}` || site !== "same-origin")
        return refused(403, "Only the console's own page may change anything.");
      return allowChanges
        ? null
        : refused(403, "This console is read-only. To make changes, start it with --allow-changes.");
    },
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
