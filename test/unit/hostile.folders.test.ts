/**
 * A working folder that somebody else has prepared: a secret of ours is never sent to an address that does not stand in the
 * same place as the secret, and settings that others may write are not used (DESIGN section 7, F62).
 */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { resolveTarget } from "../../src/settings/target.js";
import { RowferryError } from "../../src/model/error.js";

const SECRET = "PLANTED-secret-5d1c";
/** What a person has outside the folder. */
let home: string;
let cwd: string;

const evil = (lines: string) => `targets:
  evil:
    baseUrl: https://evil.example.com
    tokenUrl: https://evil.example.com/token
    clientId: evil
${lines}`;
const evilEnv = (...lines: string[]) =>
  ["BASE_URL=https://evil.example.com", "TOKEN_URL=https://evil.example.com/token", "CLIENT_ID=evil", ...lines]
    .map((line) => `ROWFERRY_${line}`)
    .join("\n");
const mine = {
  ROWFERRY_BASE_URL: "https://api.example.com",
  ROWFERRY_TOKEN_URL: "https://auth.example.com/token",
  ROWFERRY_CLIENT_ID: "me",
  ROWFERRY_CLIENT_SECRET: SECRET,
};

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "rowferry-folders-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  [home, cwd] = [join(root, "home"), join(root, "downloaded")];
  for (const folder of [home, cwd]) mkdirSync(folder);
  write(home, "my.secret", SECRET);
});

function write(folder: string, name: string, text: string) {
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), 0o600);
}

function resolved(env: Record<string, string>, target?: string) {
  try {
    const found = resolveTarget({ flags: target === undefined ? {} : { target }, env, cwd });
    return { ...found, clientSecret: found.clientSecret() };
  } catch (error) {
    if (error instanceof RowferryError) return error;
    throw error;
  }
}

/** Refused with exit code 2 and no secret in its words, or a target that goes elsewhere without it. */
function expectSecretKept(outcome: ReturnType<typeof resolved>) {
  if (outcome instanceof RowferryError) {
    expect(`${outcome.description} ${outcome.hint}`).not.toContain(SECRET);
    expect(outcome.code).toMatch(/^(settings|target|secret)-/);
  } else if (outcome.clientSecret === SECRET) {
    expect(outcome.baseUrl).toBe("https://api.example.com");
    expect(outcome.tokenUrl).toBe("https://auth.example.com/token");
  }
}

const secretFile = (path: string) => ({ "rowferry.config.yaml": evil(`    clientSecretFile: ${path}\n`) });

it.each<[title: string, files: { [name: string]: string }, env: Record<string, string>, target?: string]>([
  [
    "by an address in .env beside a secret in the environment",
    { ".env": evilEnv() },
    { ROWFERRY_CLIENT_SECRET: SECRET },
  ],
  [
    "by addresses in .env beside a secret file in the environment",
    { ".env": evilEnv() },
    { ROWFERRY_CLIENT_SECRET_FILE: "../home/my.secret" },
  ],
  ["by a secret file of ours that .env names", { ".env": evilEnv("CLIENT_SECRET_FILE=../home/my.secret") }, {}],
  [
    "by a token address alone in .env",
    { ".env": "ROWFERRY_TOKEN_URL=https://evil.example.com/token" },
    { ROWFERRY_BASE_URL: "https://api.example.com", ROWFERRY_CLIENT_ID: "me", ROWFERRY_CLIENT_SECRET: SECRET },
  ],
  ["by a target whose secret file lies outside the folder", secretFile("../home/my.secret"), {}, "evil"],
  ["by a target whose secret file is a link that leads outside", secretFile("link"), {}, "evil"],
  [
    "by a target whose folder's name begins like one that the environment names",
    secretFile("../home-of-others/my.secret"),
    { ROWFERRY_SECRETS: "../home" },
    "evil",
  ],
  [
    "by a target that names a variable",
    { "rowferry.config.yaml": evil("    clientSecretEnv: AWS_SECRET_ACCESS_KEY\n") },
    { AWS_SECRET_ACCESS_KEY: SECRET },
    "evil",
  ],
  [
    "by a target that .env chooses over a complete environment",
    { ...secretFile("theirs"), theirs: "theirs", ".env": "ROWFERRY_TARGET=evil" },
    mine,
  ],
])("a downloaded folder does not get the secret: %s", (_, files, env, target) => {
  symlinkSync(join(home, "my.secret"), join(cwd, "link"));
  mkdirSync(`${home}-of-others`);
  write(`${home}-of-others`, "my.secret", SECRET);
  for (const [name, text] of Object.entries(files)) write(cwd, name, text);
  const outcome = resolved(env, target);
  expectSecretKept(outcome);
  expect(outcome).toBeInstanceOf(RowferryError);
});

describe("settings that somebody else may write", () => {
  const files = [".env", "rowferry.config.yaml", "own.secret"];
  const prepare = () => {
    write(cwd, "rowferry.config.yaml", evil("    clientSecretFile: own.secret\n").replaceAll("evil", "good"));
    write(cwd, "own.secret", SECRET);
    write(cwd, ".env", "ROWFERRY_RATE=10");
  };

  it.each(files)("are refused with the command that helps: %s that every user may write", (name) => {
    prepare();
    chmodSync(join(cwd, name), 0o602);
    const outcome = resolved({}, "good");
    expect(outcome).toMatchObject({ code: "settings-unsafe", hint: `Type: chmod o-w ${name}` });
  });

  it.runIf(process.getuid?.() === 0).each(files)(
    "are refused where they belong to another user: %s (needs root)",
    (name) => {
      prepare();
      chownSync(join(cwd, name), 4711, 4711);
      expect(resolved({}, "good")).toMatchObject({ code: "settings-unsafe" });
    },
  );

  it("a secret that every user may read is refused", () => {
    prepare();
    chmodSync(join(cwd, "own.secret"), 0o644);
    expect(resolved({}, "good")).toMatchObject({ code: "settings-unsafe", hint: "Type: chmod o-r own.secret" });
  });

  it("a secret that our group may read is taken, as Kubernetes mounts it", () => {
    prepare();
    chmodSync(join(cwd, "own.secret"), 0o440);
    expect(resolved({}, "good")).toMatchObject({ clientSecret: SECRET });
  });

  it.each(["ROWFERRY_SECRETS", "CREDENTIALS_DIRECTORY"])("a secret in a folder that %s names is taken", (name) => {
    write(cwd, "rowferry.config.yaml", evil("    clientSecretFile: ../home/my.secret\n").replaceAll("evil", "good"));
    expect(resolved({ [name]: home }, "good")).toMatchObject({ clientSecret: SECRET });
  });
});
