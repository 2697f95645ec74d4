/**
 * Paths of every kind in every place where a command takes one: the command does its work, or says what is wrong with the
 * path; nothing in a name is obeyed by a terminal or a shell, and nothing is called unexpected.
 */
import { existsSync, mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "../../src/cli/pipeline.js";
import { testWorld, type } from "../support/cli.world.js";
import { sampled } from "../support/sample.js";
import { weighings } from "../support/weighings.js";

const mapping = JSON.stringify({ version: 2, ...weighings });
const rows = "Load,At,Gross\nL1,2026-02-01 10:00,5\n";

/** Names that a file may have. */
const names: Record<string, string> = {
  blanks: "a  file name",
  "a quote": 'quo"te',
  "an apostrophe": "it's",
  "a line feed": "two\nlines",
  "an escape": "\u001b[2Jcleared",
  "a direction mark": "\u202Egnp.exe",
  "other scripts": "Ünïcödé 漢字 🚚",
  "half a character's marks": "e\u0301\u0301",
  "a command": "$(touch owned)`touch owned`;touch owned",
  "a pattern": "[a-z]{1,2}*?",
  "an escaped path": "%2e%2e%2fup",
  backslashes: "C:\\temp\\x",
  "200 letters": "x".repeat(200),
};

/** What lies where a path leads, when it is not what is asked for; gives the path. */
const traps: Record<string, (cwd: string) => string> = {
  nothing: () => "not-there",
  "an empty text": () => "",
  "a leading dash": () => "-rf",
  "a folder": (cwd) => (mkdirSync(join(cwd, "a-folder")), "a-folder"),
  "a file for a folder": (cwd) => (writeFileSync(join(cwd, "a-file"), ""), "a-file/below"),
  "a link to nothing": (cwd) => (symlinkSync("gone", join(cwd, "dangling")), "dangling"),
  "links in a circle": (cwd) => (symlinkSync("round", join(cwd, "round")), "round"),
  "too long a name": () => "y".repeat(300),
  "a NUL": () => "nu\0l",
  "where no folder can be made": (cwd) => (symlinkSync("/proc", join(cwd, "kernel")), "kernel/rowferry/below"),
};

/** What the file must hold to be of use (null: it is written, or may be left out), how its name ends, and the command, with `@` for its path. */
const places: Record<string, [holds: string | null, ending: string, command: string]> = {
  "check, a mapping": [mapping, ".yaml", "check @"],
  "check, a file": [rows, ".csv", "check m.yaml @"],
  "guess, a file": [rows, ".csv", "guess @ -o guessed.yaml"],
  "guess --output": [null, ".yaml", "guess rows.csv -o @"],
  "plan, a file": [rows, ".csv", "plan m.yaml @"],
  "import, a mapping": [mapping, ".yaml", "import @ rows.csv"],
  "import, a file": [rows, ".csv", "import m.yaml @"],
  "import --ledger": [null, ".db", "import m.yaml rows.csv --ledger @"],
  "import --journal": [null, "", "import m.yaml rows.csv --journal @"],
  "import --metrics": [null, "", "import m.yaml rows.csv --metrics @"],
  "init, a folder": [null, "", "init @"],
  "test, a mapping": [mapping, ".yaml", "test @"],
};

const whereTestsRun = readdirSync(".");

function world() {
  const made = testWorld({ files: { "m.yaml": mapping, "rows.csv": rows }, pipeline });
  made.clock = { now: () => Date.UTC(2026, 10, 20, 2), sleep: () => new Promise((done) => setTimeout(done, 1)) };
  return made;
}

function expectHarmless({ stdout, stderr, cwd }: ReturnType<typeof world>, code: number) {
  const said = stdout.text + stderr.text;
  expect(said).not.toContain("something unexpected");
  // oxlint-disable-next-line no-control-regex -- this is what is looked for
  expect(said).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  expect([0, 1, 2, 3]).toContain(code);
  if (code !== 0) expect(said).toMatch(/\S/);
  expect(existsSync(join(cwd, "owned"))).toBe(false);
  expect(readdirSync("."), "written where the tests run, not where the command does").toEqual(whereTestsRun);
}

const turns = Object.entries(places).map(([place, [holds, ending, command]], turn) => ({
  place,
  turn,
  holds,
  ending,
  argv: (path: string) => command.split(" ").map((word) => (word === "@" ? path : word)),
}));

/** In a sample each place takes one of them, another one than the place before. */
describe.each(turns)("$place", ({ place, turn, holds, ending, argv }) => {
  it.each(sampled(Object.entries(names), Object.keys(names).length, turn))(
    "whose name has %s is like any other",
    { timeout: 20_000 },
    async (_what, name) => {
      const here = world();
      const path = join(here.cwd, `${name}${ending}`);
      if (holds !== null) writeFileSync(path, holds);
      const code = await type(here, ...argv(path));
      expectHarmless(here, code);
      // A mapping has no cases beside it here; that is said, and it is no mistake of the name.
      expect(code, here.err).toBe(place === "test, a mapping" ? 2 : 0);
    },
  );

  it.each(sampled(Object.entries(traps), Object.keys(traps).length, turn))(
    "that leads to %s is told as that",
    { timeout: 20_000 },
    async (_what, make) => {
      const here = world();
      const name = make(here.cwd);
      const path = name === "" || name.startsWith("-") ? name : join(here.cwd, name);
      expectHarmless(here, await type(here, ...argv(path)));
    },
  );
});

it.each(["import", "plan", "guess"])("without a folder for temporary files %s says so", async (command) => {
  const here = world();
  vi.stubEnv("TMPDIR", join(here.cwd, "not-there"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const files = command === "guess" ? ["rows.csv"] : ["m.yaml", "-"];
  expect(await type(here, command, ...files)).toBe(2);
  expect(here.err).toMatch(/not-there\S* cannot be used: the folder for temporary files does not exist/);
});

it.each(["status", "import m.yaml rows.csv", "ledger check"])(
  "%s with a folder for its ledger: exit 2, and why",
  async (command) => {
    const here = world();
    expect(await type(here, ...command.split(" "), "--sandbox", "--ledger", ".")).toBe(2);
    expect(here.err).toContain("cannot be the ledger: it is a folder");
  },
);

describe("a ledger whose path leaves no room for the files beside it", () => {
  const named = (bytes: number) => `é${"y".repeat(bytes - 5)}.db`;
  const below = (bytes: number, folder: string) => {
    const rest = bytes - Buffer.byteLength(folder) - 1;
    return `${"d".repeat(200)}/`.repeat(Math.floor(rest / 201)) + "e".repeat(rest % 201);
  };
  it.each([243, 255])("%i bytes of name: exit 2, and why", async (bytes) => {
    const here = world();
    for (const command of ["import m.yaml rows.csv", "status"]) {
      const code = await type(here, ...command.split(" "), "--sandbox", "--ledger", named(bytes));
      expect([code, here.err]).toEqual([2, expect.stringContaining("too long")]);
    }
    expect(readdirSync(here.cwd).toSorted()).toEqual(["m.yaml", "rows.csv"]);
  });

  it("499 bytes of path: exit 2; 498, and 242 of name, are used", long, async () => {
    const here = world();
    const at = async (path: string) => type(here, "import", "m.yaml", "rows.csv", "--sandbox", "--ledger", path);
    expect(await at(below(499, here.cwd))).toBe(2);
    expect(await at(below(498, here.cwd)), here.err).toBe(0);
    expect(await at(named(242)), here.err).toBe(0);
  });
});

it("a link to the ledger stays a link, whether its ledger is refused, new or restored", {
  tags: ["long"],
  timeout: 20_000,
}, async () => {
  const here = world();
  mkdirSync(join(here.cwd, "disk"));
  symlinkSync("disk/ledger.db", join(here.cwd, "link.db"));
  const at = async (command: string) => type(here, ...`${command} --ledger link.db`.split(" "));
  expect(await at("import m.yaml rows.csv --journal not-there/journal")).toBe(2);
  expect(existsSync(join(here.cwd, "disk/ledger.db"))).toBe(false);
  expect(await at("import m.yaml rows.csv"), here.err).toBe(0);
  expect(await at("ledger backup backup.db"), here.err).toBe(0);
  expect(await at("ledger restore backup.db"), here.err).toBe(0);
  expect(readlinkSync(join(here.cwd, "link.db"))).toBe("disk/ledger.db");
  expect(readdirSync(here.cwd).filter((name) => name.startsWith("link.db"))).toEqual(["link.db"]);
});
