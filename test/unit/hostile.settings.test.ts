/** Settings with slips of the pen and worse: taken, or refused with exit code 2, a place and no secret in the message. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { codes } from "../../src/model/codes.js";
import { resolveTarget } from "../../src/settings/target.js";
import { RowferryError } from "../../src/model/error.js";
import { drawn } from "../support/sample.js";

const SECRET = "PLANTED-secret-7f3a9";
const config = `target: production
state: state
targets:
  production:
    baseUrl: https://api.example.com
    tokenUrl: https://auth.example.com/oauth/token
    clientId: acme
    clientSecretFile: secret
    clientAuthentication: basic
    rate: 20
    burst: 30
    maxEventsPerRequest: 100
    requestIdHeaders: [x-request-id]
    journal: /elsewhere/journal.ndjson
`;
const environment = {
  ROWFERRY_BASE_URL: "https://api.example.com",
  ROWFERRY_TOKEN_URL: "https://auth.example.com/oauth/token",
  ROWFERRY_CLIENT_ID: "acme",
  ROWFERRY_CLIENT_SECRET: SECRET,
  ROWFERRY_RATE: "20",
  ROWFERRY_BURST: "30",
  ROWFERRY_LEDGER: "ledger.db",
};

const pieces = [
  ["", " ", ":", "{", "[", '"', "'", "- ", "\n", "\t", "&a ", "*a", "#", "null", "-1", "1e999", "NaN", "true", "é"],
  ["__proto__", "constructor", "\u0000", "\u001b[31m", "../../etc/passwd", "http://", "file:///", "user:pw@", "0x10"],
].flat();
const piece = fc.constantFrom(...pieces);
const edit = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat(12), piece });
const edited = (text: string, edits: readonly { at: number; length: number; piece: string }[]) =>
  edits.reduce((result, { at, length, piece: inserted }) => {
    const position = Math.floor(at * result.length);
    return result.slice(0, position) + inserted + result.slice(position + length);
  }, text);

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "rowferry-settings-"));
  writeFileSync(join(cwd, "secret"), SECRET, { mode: 0o600 });
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** Whether they were taken. */
function tryOut(env: Record<string, string | undefined>) {
  try {
    const target = resolveTarget({ flags: {}, env, cwd });
    expect(Number.isFinite(target.burst) && (target.rate === null || target.rate > 0)).toBe(true);
    // Plain http goes to this machine only (DESIGN section 7).
    for (const url of [target.baseUrl, target.tokenUrl])
      expect(url).toMatch(/^(https:|http:\/\/(localhost|127\.|\[::1\]))|^$/);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(RowferryError);
    const { description, hint } = error as RowferryError;
    expect(codes[(error as RowferryError).code].exit, description).toBe(2);
    expect(`${description}${hint}`).not.toContain(SECRET);
    return false;
  }
}

it("in rowferry.config.yaml", long, () => {
  let taken = 0;
  let refused = 0;
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 3 }), (edits) => {
      writeFileSync(join(cwd, "rowferry.config.yaml"), edited(config, edits));
      if (tryOut({})) taken += 1;
      else refused += 1;
    }),
    { numRuns: drawn(100, 300) },
  );
  rmSync(join(cwd, "rowferry.config.yaml"));
  expect(Math.min(taken, refused)).toBeGreaterThan(20);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

it("in the environment and in .env", () => {
  let taken = 0;
  let refused = 0;
  const names = Object.keys(environment) as (keyof typeof environment)[];
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.array(edit, { maxLength: 3 }), fc.boolean(), (name, edits, inFile) => {
      const env: Record<string, string> = { ...environment, [name]: edited(environment[name], edits) };
      const lines = Object.entries(env).map(([key, value]) => `${key}=${value}`);
      writeFileSync(join(cwd, ".env"), inFile ? lines.join("\n") : "");
      if (tryOut(inFile ? { ROWFERRY_TARGET: "env" } : env)) taken += 1;
      else refused += 1;
    }),
    { numRuns: drawn(100, 300) },
  );
  expect(Math.min(taken, refused)).toBeGreaterThan(20);
});
