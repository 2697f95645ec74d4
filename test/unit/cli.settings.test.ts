import { join } from "node:path";
import { format } from "node:util";
import { resolveTarget, type TargetFlags } from "../../src/settings/target.js";
import { RowferryError } from "../../src/model/error.js";
import { folder } from "../support/cli.world.js";

const service = {
  ROWFERRY_BASE_URL: "https://api.example.com/v1/",
  ROWFERRY_TOKEN_URL: "https://auth.example.com/token",
  ROWFERRY_CLIENT_ID: "client",
  ROWFERRY_CLIENT_SECRET: "s3cret-value",
};
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

function resolved(from: { flags?: TargetFlags; env?: Record<string, string>; files?: Record<string, string> }) {
  const cwd = folder(from.files);
  return { cwd, ...resolveTarget({ flags: from.flags ?? {}, env: from.env ?? {}, cwd }) };
}

function refusal(from: Parameters<typeof resolved>[0]) {
  try {
    resolved(from);
  } catch (error) {
    if (error instanceof RowferryError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("a ROWFERRY_ name that is nearly a setting's", () => {
  it.each([
    ["ROWFERRY_RATES", "ROWFERRY_RATE"],
    ["ROWFERRY_LEGDER", "ROWFERRY_LEDGER"],
    ["ROWFERRY_CLIENTSECRET", "ROWFERRY_CLIENT_SECRET"],
    ["ROWFERRY_BASEURL", "ROWFERRY_BASE_URL"],
    ["ROWFERRY_TARGETS", "ROWFERRY_TARGET"],
  ])("%s is refused wherever it is set, as in rowferry.config.yaml; its value is not repeated", (name, meant) => {
    for (const [from, place] of [
      [{ env: { ...service, [name]: "planted" } }, "the environment"],
      [{ files: { ".env": `${dotenv}\n${name}=planted\n` } }, ".env"],
    ] as const) {
      const error = refusal(from);
      expect(error.code).toBe("settings-invalid");
      expect(error.message).toBe(`there is no setting "${name}", which ${place} sets. Did you mean "${meant}"?`);
    }
  });

  it("is let alone where it is another's: those of Kubernetes, of our own hooks, of a person", () => {
    const others = [
      "PORT",
      "SERVICE_HOST",
      "PORT_80_TCP",
      "RUN",
      "SUMMARY",
      "EXIT_CODE",
      "ERROR",
      "IMAGE",
      "PROD_CLIENT_SECRET",
    ];
    const env = Object.fromEntries(others.map((name) => [`ROWFERRY_${name}`, "x"]));
    expect(resolved({ env: { ...service, ...env } }).name).toBe("env");
  });
});

it("a folder that has the name of a settings file is a Python environment where it is .env, and refused as rowferry.config.yaml", () => {
  expect(resolved({ files: { ".env/bin/python": "" } })).toMatchObject({ name: "sandbox" });
  expect(refusal({ files: { "rowferry.config.yaml/x": "" } }).message).toBe("rowferry.config.yaml is a folder");
});

describe("which target is meant (DESIGN section 3, HARD-CASES H34)", () => {
  it("the sandbox is the default where nothing else is configured", () => {
    const target = resolved({});
    expect(target.name).toBe("sandbox");
    expect(target.rate).toBeNull();
    expect(target.ledgerPath).toBe(join(target.cwd, "state/sandbox/ledger.db"));
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

  it("a setting that lost its value counts as present, and as missing", () => {
    expect(refusal({ env: { ROWFERRY_BASE_URL: "" } }).message).toContain("ROWFERRY_BASE_URL");
  });

  it("a cron job that lost its environment does not land in a sandbox beside another target's ledger", () => {
    for (const files of [{ "state/env/ledger.db": "" }, { "state/production/runs/x/summary.json": "" }]) {
      const error = refusal({ files });
      expect(error.code).toBe("target-not-chosen");
    }
  });

  it("a sandbox that was asked for is taken whatever is set", () => {
    expect(resolved({ flags: { sandbox: true }, env: service }).name).toBe("sandbox");
    expect(resolved({ flags: { target: "sandbox" }, env: service }).name).toBe("sandbox");
    expect(resolved({ env: { ...service, ROWFERRY_TARGET: "sandbox" } }).name).toBe("sandbox");
  });

  it("the sandbox takes no rate, ledger or credential from the environment", () => {
    const env = { ...service, ROWFERRY_RATE: "3", ROWFERRY_LEDGER: "/data/real.db" };
    const target = resolved({ flags: { sandbox: true }, env });
    expect(target.rate).toBeNull();
    expect(target.ledgerPath).toBe(join(target.cwd, "state/sandbox/ledger.db"));
    expect(JSON.stringify(target)).not.toContain("s3cret");
  });

  it("configured targets are never chosen by guess", () => {
    const error = refusal({ files: { "rowferry.config.yaml": config } });
    expect(error.code).toBe("target-not-chosen");
    expect(error.message).toContain("production");
  });

  it("a settings file may name its default", () => {
    const files = { "rowferry.config.yaml": `target: production\n${config}`, "secret.txt": "abc\n" };
    expect(resolved({ files })).toMatchObject({ name: "production", clientSecret: "abc", rate: 10 });
  });

  it("--sandbox and another --target contradict each other", () => {
    expect(refusal({ flags: { sandbox: true, target: "env" } }).code).toBe("usage");
  });

  it("an unknown name is answered with the nearest known one", () => {
    const error = refusal({ flags: { target: "prodution" }, files: { "rowferry.config.yaml": config } });
    expect(error.code).toBe("target-unknown");
    expect(error.message).toContain('Did you mean "production"?');
  });

  it("--fresh is refused for anything but the sandbox", () => {
    expect(refusal({ flags: { fresh: true }, env: service }).code).toBe("usage");
  });
});

describe(".env (HARD-CASES H34)", () => {
  it("is read where the folder has no other use", () => {
    expect(resolved({ files: { ".env": dotenv } })).toMatchObject({ name: "env", clientId: "client" });
  });

  it("never wins over the real environment", () => {
    const files = { ".env": `${dotenv}\nROWFERRY_RATE=5` };
    expect(resolved({ files, env: { ROWFERRY_RATE: "7" } }).rate).toBe(7);
  });

  it("does not turn a rehearsal into production", () => {
    const files = { ".env": dotenv, "state/sandbox/ledger.db": "" };
    expect(refusal({ files }).code).toBe("target-not-chosen");
    expect(resolved({ files, flags: { target: "env" } }).name).toBe("env");
    expect(resolved({ files: { ...files, "state/env/ledger.db": "" } }).name).toBe("env");
  });

  it("does not lend its credential to an address from the environment", () => {
    const error = refusal({ files: { ".env": dotenv }, env: { ROWFERRY_BASE_URL: "https://test.example.com" } });
    expect(error.code).toBe("settings-mixed");
  });

  it("does not overrule the settings file's default", () => {
    const files = { ".env": "ROWFERRY_TARGET=production", "rowferry.config.yaml": `target: sandbox\n${config}` };
    expect(refusal({ files }).code).toBe("target-not-chosen");
  });
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

  it("has the service's limits by default (open-points 20)", () => {
    expect(resolved({ env: service })).toMatchObject({ rate: 20, burst: 30 });
  });

  it("flags win over the environment", () => {
    const flags = { rate: 1, burst: 2, ledger: "here.db" };
    const target = resolved({ flags, env: { ...service, ROWFERRY_RATE: "9", ROWFERRY_LEDGER: "/data/l.db" } });
    expect(target).toMatchObject({ rate: 1, burst: 2, ledgerPath: join(target.cwd, "here.db") });
  });

  it("reads its secret from a file", () => {
    const { ROWFERRY_CLIENT_SECRET: _unused, ...rest } = service;
    const env = { ...rest, ROWFERRY_CLIENT_SECRET_FILE: "secret.txt" };
    expect(resolved({ env, files: { "secret.txt": "from-file\n" } }).clientSecret).toBe("from-file");
    expect(refusal({ env }).code).toBe("secret-unreadable");
    expect(refusal({ env, files: { "secret.txt": " \n" } }).code).toBe("secret-unreadable");
  });

  it("refuses two secrets", () => {
    expect(refusal({ env: { ...service, ROWFERRY_CLIENT_SECRET_FILE: "x" } }).code).toBe("settings-invalid");
  });

  it.each([
    "nonsense",
    "ftp://api.example.com",
    "https://user:s3cret@api.example.com",
    "https://api.example.com?key=s3cret",
  ])("refuses the address %s without repeating a secret", (url) => {
    const error = refusal({ env: { ...service, ROWFERRY_BASE_URL: url } });
    expect(error.code).toBe("settings-invalid");
    expect(error.description + error.hint).not.toContain("s3cret");
  });

  it.each(["http://localhost:8080", "http://127.0.0.1:1", "http://127.1.2.3", "http://[::1]:9"])(
    "plain http goes to %s",
    (url) => {
      expect(
        resolved({ env: { ...service, ROWFERRY_BASE_URL: url, ROWFERRY_TOKEN_URL: `${url}/token` } }).baseUrl,
      ).toBe(url);
    },
  );

  it.each([
    "http://api.example.com",
    "http://127.0.0.1.example.com",
    "http://10.0.0.7",
    "http://localhost.example.com",
  ])("plain http does not go to %s", (url) => {
    expect(refusal({ env: { ...service, ROWFERRY_BASE_URL: url } }).code).toBe("url-insecure");
    expect(refusal({ env: { ...service, ROWFERRY_TOKEN_URL: url } }).code).toBe("url-insecure");
  });

  it.each(["0", "-1", "fast", "Infinity"])("refuses the rate %s", (rate) => {
    expect(refusal({ env: { ...service, ROWFERRY_RATE: rate } }).code).toBe("settings-invalid");
  });
});

function broken(text: string) {
  return refusal({ files: { "rowferry.config.yaml": text }, flags: { target: "production" } });
}

describe("rowferry.config.yaml", () => {
  it("names the place of an unknown member, and the nearest known one", () => {
    const error = broken(config.replace("baseUrl", "baseURL"));
    expect(error.description).toBe('rowferry.config.yaml:3:5: there is no setting "baseURL". Did you mean "baseUrl"?');
  });

  it("names what a target lacks, where the target begins", () => {
    const error = broken(config.replace("    clientId: prod\n", ""));
    expect(error.message).toBe("targets.production.clientId is missing");
    expect(error.place).toMatchObject({ file: "rowferry.config.yaml", line: 2 });
  });

  it("says where its YAML is broken", () => {
    expect(broken("targets:\n  production: [").place).toMatchObject({ file: "rowferry.config.yaml", line: 2 });
  });

  it.each([
    ["a tab", "targets:\n\tproduction: {}\n", 2, "Tabs cannot indent"],
    ["a name twice", "state: a\nstate: b\n", 2, "written twice"],
    ["a bracket that stays open", "targets: { p: { baseUrl: x\n", 2, "A sign is missing"],
    ["a second colon", "state: a: b\n", 1, "A second"],
    ["no blank after a colon", "state:a\ntarget: b\n", 1, "A colon needs a blank"],
    ["an invisible blank", "targets:\n\u00a0\u00a0p: {\n", 2, "An invisible sign"],
    ["an alias of nothing", "state: *x\n", 1, "no anchor"],
    ["a tag", "state: !x y\n", 1, "for a tag"],
    ["a list as a name", "? [a]\n: b\n", 1, "Names must be plain text"],
  ])("says what is broken in its YAML, where, and the remedy: %s", (_title, text, line, words) => {
    const error = broken(text);
    expect([error.code, error.place?.line]).toEqual(["settings-invalid", line]);
    expect(error.message).toContain(words);
    expect(error.hint).not.toBeNull();
  });

  it("asks for quotes around an id of digits", () => {
    const error = broken(config.replace("clientId: prod", "clientId: 12345"));
    expect(error.message).toBe("targets.production.clientId must be text");
    expect(error.hint).toContain("quotes");
  });

  it("says where a value is of the wrong kind", () => {
    expect(broken(config.replace("rate: 10", "rate: fast")).place).toEqual({
      file: "rowferry.config.yaml",
      line: 7,
      character: 11,
    });
  });

  it("holds no secret, and does not repeat one", () => {
    const error = broken(config.replace("clientSecretFile: secret.txt", "clientSecret: s3cret"));
    expect(error.code).toBe("settings-invalid");
    expect(error.description + error.hint).not.toContain("s3cret");
    expect(error.hint).toContain("clientSecretFile");
  });

  it.each(["sandbox", "env", "../evil", "a b"])("refuses a target called %s", (name) => {
    expect(broken(config.replace("production", JSON.stringify(name))).code).toBe("settings-invalid");
  });

  it("names the target whose secret is nowhere", () => {
    const error = broken(config.replace("    clientSecretFile: secret.txt\n", ""));
    expect(error.code).toBe("settings-incomplete");
    expect(error.message).toContain("clientSecretFile");
  });
});

it("a secret file that cannot be read is named", () => {
  const cwd = folder({ "rowferry.config.yaml": config, "secret.txt/inner": "" });
  expect(() => resolveTarget({ flags: { target: "production" }, env: {}, cwd })).toThrow(
    /secret\.txt, which cannot be read/,
  );
});

describe("a target that is printed or logged (F103)", () => {
  const env = { ...service, ROWFERRY_THROTTLE: "redis://:r3dis-password@cache.example.com" };

  it.each(["env", "sandbox"])("shows no secret of %s, nor does a copy with one setting changed", (name) => {
    const found = resolveTarget({ flags: { target: name }, env, cwd: folder() });
    for (const target of [found, { ...found, rate: 5 }]) {
      const printed = format("%o %O %j", target, target, found) + format(target);
      expect(printed).not.toMatch(/s3cret-value|r3dis-password/);
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
