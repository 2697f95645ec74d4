import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, inspect } from "node:util";
import { createTargets } from "../../src/console/overview.js";
import { readConfig } from "../../src/settings/config-file.js";
import { resolveTarget, type TargetFlags } from "../../src/settings/target.js";
import { RowferryError } from "../../src/model/error.js";
import { folder, testWorld, typed } from "../support/cli.world.js";

const service = {
  ROWFERRY_BASE_URL: "https://api.example.com/v1/",
  ROWFERRY_TOKEN_URL: "https://auth.example.com/token",
  ROWFERRY_CLIENT_ID: "client",
  ROWFERRY_CLIENT_SECRET: "s3cret-value",
};
const { ROWFERRY_CLIENT_SECRET: _, ...withoutSecret } = service;
const dotenv = Object.entries(service)
  .map(([name, value]) => `${name}=${value}`)
  .join("\n");
const config = `targets:
  production:
    baseUrl: https://api.example.com
    tokenUrl: https://auth.example.com/token
    clientId: prod
    clientSecretFile: secret.txt
    rate: 10
`;

interface Given {
  flags?: TargetFlags;
  env?: Record<string, string>;
  /** rowferry.config.yaml, .env and other files. */
  config?: string;
  dotenv?: string;
  files?: Record<string, string>;
}

function resolved({ flags = {}, env = {}, files = {}, ...named }: Given) {
  const all = { ...files };
  if (named.config !== undefined) all["rowferry.config.yaml"] = named.config;
  if (named.dotenv !== undefined) all[".env"] = named.dotenv;
  const cwd = folder(all);
  const { clientSecret, ...target } = resolveTarget({ flags, env, cwd });
  return { cwd, ...target, clientSecret: clientSecret() };
}

function refusal(given: Given) {
  try {
    resolved(given);
  } catch (error) {
    if (error instanceof RowferryError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

/** Settings that are refused, with a code and words of the message. */
type Refused = [title: string, given: Given, code: string, words?: string];
function expectRefused(_title: string, given: Given, code: string, words = "") {
  const error = refusal(given);
  expect([error.code, error.message]).toEqual([code, expect.stringContaining(words)]);
  expect(error.description + error.hint).not.toContain("s3cret");
}

describe("a ROWFERRY_ name that is nearly a setting's", () => {
  it.each([
    ["ROWFERRY_LEGDER", "ROWFERRY_LEDGER"],
    ["ROWFERRY_TARGETS", "ROWFERRY_TARGET"],
  ])("%s is refused wherever it is set, as in rowferry.config.yaml; its value is not repeated", (name, meant) => {
    for (const [given, place] of [
      [{ env: { ...service, [name]: "planted" } }, "the environment"],
      [{ dotenv: `${dotenv}\n${name}=planted\n` }, ".env"],
    ] as const) {
      const { code, message } = refusal(given);
      expect(code).toBe("settings-invalid");
      expect(message).toBe(`there is no setting "${name}", which ${place} sets. Did you mean "${meant}"?`);
    }
  });

  it("is let alone where it is another's: those of Kubernetes, of our own hooks, of a person", () => {
    const others = "PORT SERVICE_HOST PORT_80_TCP RUN SUMMARY EXIT_CODE ERROR IMAGE PROD_CLIENT_SECRET".split(" ");
    const env = Object.fromEntries(others.map((name) => [`ROWFERRY_${name}`, "x"]));
    expect(resolved({ env: { ...service, ...env } }).name).toBe("env");
  });
});

it("a folder that has the name of a settings file is a Python environment where it is .env, and refused as rowferry.config.yaml", () => {
  expect(resolved({ files: { ".env/bin/python": "" } }).name).toBe("sandbox");
  expect(refusal({ files: { "rowferry.config.yaml/x": "" } }).message).toBe("rowferry.config.yaml is a folder");
});

it("settings behind a link that leads nowhere are not taken for none, which would be a rehearsal", () => {
  for (const name of [".env", "rowferry.config.yaml"]) {
    const cwd = folder({});
    symlinkSync("/mnt/not-mounted/settings", join(cwd, name));
    expect(() => resolveTarget({ flags: {}, env: {}, cwd })).toThrow(`${name} is a link to a file that is not there`);
  }
});

describe("which target is meant (DESIGN section 3, HARD-CASES H34)", () => {
  const rehearsed = { "state/sandbox/ledger.db": "" };

  it("the sandbox is the default where nothing else is configured; it takes no setting of another target", () => {
    const env = { ...service, ROWFERRY_RATE: "3", ROWFERRY_LEDGER: "/data/real.db" };
    for (const target of [resolved({}), resolved({ flags: { sandbox: true }, env })]) {
      expect(target).toMatchObject({
        name: "sandbox",
        rate: null,
        ledgerPath: join(target.cwd, "state/sandbox/ledger.db"),
      });
      expect(JSON.stringify(target)).not.toContain("s3cret");
    }
  });

  it.each(Object.keys(service).concat("ROWFERRY_LEDGER", "ROWFERRY_RATE", "ROWFERRY_BURST", "ROWFERRY_SCOPE"))(
    "%s alone ends the sandbox's being the default, and what is missing is named",
    (name) => {
      const error = refusal({ env: { [name]: (service as Record<string, string>)[name] ?? "5" } });
      expect(error.code).toBe("settings-incomplete");
      for (const other of ["ROWFERRY_BASE_URL", "ROWFERRY_TOKEN_URL", "ROWFERRY_CLIENT_ID"]) {
        expect(error.message.includes(other)).toBe(other !== name);
      }
    },
  );

  it.each<Refused>([
    [
      "a setting that lost its value counts as present, and as missing",
      { env: { ROWFERRY_BASE_URL: "" } },
      "settings-incomplete",
      "ROWFERRY_BASE_URL",
    ],
    [
      "a cron job that lost its environment does not land in a sandbox beside another target's ledger",
      { files: { "state/env/ledger.db": "" } },
      "target-not-chosen",
    ],
    [
      "nor beside another target's runs",
      { files: { "state/production/runs/x/summary.json": "" } },
      "target-not-chosen",
    ],
    ["configured targets are never chosen by guess", { config }, "target-not-chosen", "production"],
    ["--sandbox and another --target contradict each other", { flags: { sandbox: true, target: "env" } }, "usage"],
    [
      "an unknown name is answered with the nearest known one",
      { flags: { target: "prodution" }, config },
      "target-unknown",
      'Did you mean "production"?',
    ],
    ["--fresh is refused for anything but the sandbox", { flags: { fresh: true }, env: service }, "usage"],
    [".env does not turn a rehearsal into production", { dotenv, files: rehearsed }, "target-not-chosen"],
    [
      ".env does not lend its credential to an address from the environment",
      { dotenv, env: { ROWFERRY_BASE_URL: "https://test.example.com" } },
      "settings-mixed",
    ],
    [
      ".env does not overrule the settings file's default",
      { dotenv: "ROWFERRY_TARGET=production", config: `target: sandbox\n${config}` },
      "target-not-chosen",
    ],
  ])("%s", expectRefused);

  it.each<[string, Given, object]>([
    [
      "a sandbox that was asked for is taken whatever is set",
      { flags: { sandbox: true }, env: service },
      { name: "sandbox" },
    ],
    [
      "a settings file may name its default",
      { config: `target: production\n${config}`, files: { "secret.txt": "abc\n" } },
      { name: "production", clientSecret: "abc", rate: 10 },
    ],
    [".env is read where the folder has no other use", { dotenv }, { name: "env", clientId: "client" }],
    [
      ".env never wins over the real environment",
      { dotenv: `${dotenv}\nROWFERRY_RATE=5`, env: { ROWFERRY_RATE: "7" } },
      { rate: 7 },
    ],
    [
      ".env is used after a rehearsal if it is asked for",
      { dotenv, files: rehearsed, flags: { target: "env" } },
      { name: "env" },
    ],
    ["or was used before", { dotenv, files: { ...rehearsed, "state/env/ledger.db": "" } }, { name: "env" }],
  ])("%s", (_title, given, wanted) => expect(resolved(given)).toMatchObject(wanted));
});

describe("the target env", () => {
  it("is formed by ROWFERRY_BASE_URL and its siblings", () => {
    const env = {
      ...service,
      ROWFERRY_SCOPE: "events",
      ROWFERRY_CLIENT_AUTHENTICATION: "post",
      ROWFERRY_LEDGER: "/data/l.db",
      ROWFERRY_RATE: "12.5",
      ROWFERRY_BURST: "4",
    };
    const target = resolved({ env });
    expect(target).toMatchObject({
      name: "env",
      baseUrl: "https://api.example.com/v1",
      tokenUrl: "https://auth.example.com/token",
      clientId: "client",
      clientSecret: "s3cret-value",
      scope: "events",
      clientAuthentication: "post",
      rate: 12.5,
      burst: 4,
      ledgerPath: "/data/l.db",
      stateFolder: join(target.cwd, "state/env"),
    });
  });

  it("has the service's limits by default (open-points 20); flags win over the environment", () => {
    expect(resolved({ env: service })).toMatchObject({ rate: 20, burst: 30 });
    const flags = { rate: 1, burst: 2, ledger: "here.db" };
    const target = resolved({ flags, env: { ...service, ROWFERRY_RATE: "9", ROWFERRY_LEDGER: "/data/l.db" } });
    expect(target).toMatchObject({ rate: 1, burst: 2, ledgerPath: join(target.cwd, "here.db") });
  });

  const fromFile = { ...withoutSecret, ROWFERRY_CLIENT_SECRET_FILE: "secret.txt" };

  it("reads its secret from a file", () => {
    expect(resolved({ env: fromFile, files: { "secret.txt": "from-file\n" } }).clientSecret).toBe("from-file");
  });

  it.each<Refused>([
    ["a secret file that is not there", { env: fromFile }, "secret-unreadable"],
    ["an empty one", { env: fromFile, files: { "secret.txt": " \n" } }, "secret-unreadable"],
    ["two secrets", { env: { ...service, ROWFERRY_CLIENT_SECRET_FILE: "x" } }, "settings-invalid"],
    ...["ftp://api.example.com", "https://user:s3cret@api.example.com", "https://api.example.com?key=s3cret"].map(
      (url): Refused => [url, { env: { ...service, ROWFERRY_BASE_URL: url } }, "settings-invalid"],
    ),
    ...["http://127.0.0.1.example.com", "http://10.0.0.7"].flatMap((url) =>
      ["ROWFERRY_BASE_URL", "ROWFERRY_TOKEN_URL"].map(
        (name): Refused => [`plain http to ${name}=${url}`, { env: { ...service, [name]: url } }, "url-insecure"],
      ),
    ),
    ...["0", "fast", "Infinity"].map(
      (rate): Refused => [`the rate ${rate}`, { env: { ...service, ROWFERRY_RATE: rate } }, "settings-invalid"],
    ),
  ])("refuses %s, without repeating a secret", expectRefused);

  it.each(["http://localhost:8080", "http://127.1.2.3", "http://[::1]:9"])("plain http goes to %s", (url) => {
    const env = { ...service, ROWFERRY_BASE_URL: url, ROWFERRY_TOKEN_URL: `${url}/token` };
    expect(resolved({ env }).baseUrl).toBe(url);
  });
});

describe("rowferry.config.yaml", () => {
  const bomb = Array.from("bcdefg", (name, at) => `${name}: &${name} [${`*${"abcdef"[at]},`.repeat(9)}]\n`).reduce(
    (text, line) => text + line,
    "a: &a [x]\n",
  );
  const broken = (text: string) => refusal({ config: text, flags: { target: "production" } });

  it.each([
    [
      "an unknown member, with the nearest known one",
      ["baseUrl", "baseURL"],
      'there is no setting "baseURL". Did you mean "baseUrl"?',
      { line: 3, character: 5 },
    ],
    ["what a target lacks", ["    clientId: prod\n", ""], "targets.production.clientId is missing", { line: 2 }],
    ["an id of digits", ["clientId: prod", "clientId: 12345"], "targets.production.clientId must be text", { line: 5 }],
    ["a value of the wrong kind", ["rate: 10", "rate: fast"], "rate", { line: 7, character: 5 }],
    [
      "a setting of targets that stands beside them",
      ["targets:", "rate: 5\ntargets:"],
      '"rate" belongs in a target, under `targets`',
      { line: 1 },
    ],
  ] as const)("names the place of %s", (_title, [from, to], message, place) => {
    const error = broken(config.replace(from, to));
    expect(error.message).toContain(message);
    expect(error.place).toMatchObject({ file: "rowferry.config.yaml", ...place });
  });

  it("says what is blank, and asks for quotes only where they help", () => {
    for (const blank of ["target:\n", "state: ''\n"]) {
      const { message, hint } = broken(`${blank}${config}`);
      expect(message).toMatch(/^(target|state) is blank: give it a value, or leave it out$/);
      expect(hint).not.toContain("quotes");
    }
    const { message, hint } = broken("production\n");
    expect([message, hint]).toEqual(["the file must contain settings by name", expect.not.stringContaining("quotes")]);
  });

  it.each([
    ["a list that stays open", "targets:\n  production: [", 2, ""],
    ["a tab", "targets:\n\tproduction: {}\n", 2, "Tabs cannot indent"],
    ["a second colon", "state: a: b\n", 1, "There is a second"],
    ["a list as a name", "? [a]\n: b\n", 1, "Names must be plain text"],
    ["an alias of nothing", "state: s\ntarget: *nobody\n", 2, "*nobody has no anchor"],
    ["aliases of aliases of aliases", bomb, 1, "too many"],
  ])("says what is broken in its YAML, where, and the remedy: %s", (_title, text, line, words) => {
    const error = broken(text);
    expect([error.code, error.place?.line]).toEqual(["settings-invalid", line]);
    expect(error.message).toContain(words);
    expect(error.hint).not.toBeNull();
  });

  it("holds no secret, and does not repeat one", () => {
    const error = broken(config.replace("clientSecretFile: secret.txt", "clientSecret: s3cret"));
    expect(error.code).toBe("settings-invalid");
    expect(error.description + error.hint).not.toContain("s3cret");
    expect(error.hint).toContain("clientSecretFile");
  });

  it.each(["sandbox", "../evil"])("refuses a target called %s", (name) => {
    expect(broken(config.replace("production", JSON.stringify(name))).code).toBe("settings-invalid");
  });

  it("names the target whose secret is nowhere, and a secret file that cannot be read", () => {
    const error = broken(config.replace("    clientSecretFile: secret.txt\n", ""));
    expect([error.code, error.message]).toEqual(["settings-incomplete", expect.stringContaining("clientSecretFile")]);
    const files = { "secret.txt/inner": "" };
    expect(refusal({ config, files, flags: { target: "production" } }).message).toMatch(
      /secret\.txt, which cannot be read/,
    );
  });
});

it("the console shows ledgers below the state folder, and where the settings say", () => {
  const files = { "ledgers/prod.db": "", "own.db": "", "state/sandbox/ledger.db": "", "state/old/ledger.db": "" };
  const cwd = folder({ "rowferry.config.yaml": `${config}    ledger: ledgers/prod.db\n`, ...files });
  const targets = createTargets({ cwd, env: { ROWFERRY_LEDGER: "own.db" } });
  expect(targets.names()).toEqual(["env", "old", "production", "sandbox"]);
  expect(targets.flags("production")).toEqual(["--target=production"]);
});

it("the console of a target that is not set does not begin", async () => {
  const { code, err } = await typed(testWorld(), "console", "--no-open", "--target", "nope");
  expect([code, err]).toEqual([2, expect.stringContaining('"nope"')]);
});

it.each(["https://auth.example.com/token/", "https://auth.example.com/token?realm=a/"])(
  "the token endpoint is asked at exactly the address that was set: %s",
  (address) => {
    expect(resolved({ env: { ...service, ROWFERRY_TOKEN_URL: address } }).tokenUrl).toBe(address);
  },
);

describe("a target that is printed or logged (F103)", () => {
  const env = {
    ...service,
    ROWFERRY_TOKEN_URL: `${service.ROWFERRY_TOKEN_URL}?key=t0ken-key`,
    ROWFERRY_THROTTLE: "redis://:r3dis-password@cache.example.com",
  };

  it.each(["env", "sandbox"])("shows no secret of %s, nor does a copy with one setting changed", (name) => {
    const found = resolveTarget({ flags: { target: name }, env, cwd: folder() });
    for (const target of [found, { ...found, rate: 5 }, Object.assign({}, found)]) {
      const printed = format("%o %O %j", target, target, target) + inspect(target, { showHidden: true });
      expect(printed).not.toMatch(/s3cret-value|r3dis-password|t0ken-key/);
      expect(printed).toContain("(hidden)");
    }
  });

  it("has the address of Redis, password and all, from the environment", () => {
    expect(resolved({ env }).throttle).toBe(env.ROWFERRY_THROTTLE);
    expect(refusal({ env: { ...service, ROWFERRY_THROTTLE: "cache.example.com" } }).message).toBe(
      "ROWFERRY_THROTTLE must be an address such as redis://localhost",
    );
  });
});

it("hundreds of targets are read once, in the order of their numbers, and again once the settings change", () => {
  const names = [...Array(300).keys()].map((index) => `t${index + 1}`);
  const of = (rate: number) =>
    `targets:\n${names.map((name) => `  ${name}: { baseUrl: https://api.example.com, tokenUrl: https://auth.example.com/token, clientId: ${name}, clientSecretFile: secret, rate: ${rate} }\n`).join("")}`;
  const ledgers = Object.fromEntries(names.map((name) => [`state/${name}/ledger.db`, ""]));
  const cwd = folder({ "rowferry.config.yaml": of(5), ...ledgers });
  const targets = createTargets({ cwd, env: {} });
  expect(targets.names()).toEqual(names);
  expect(readConfig(cwd)).toBe(readConfig(cwd));
  expect(targets.named("t300").rate).toBe(5);
  writeFileSync(join(cwd, "rowferry.config.yaml"), of(6));
  expect(targets.named("t300").rate).toBe(6);
});
