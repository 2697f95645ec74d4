import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { nextSteps, shellQuoted } from "../src/report/next-steps.js";
import { printSummary } from "../src/cli/print-summary.js";
import type { Summary } from "../src/model/summary.js";
import { summary } from "./summary.sample.js";

const look = { columns: 80, colors: picocolors.createColors(false), shown: (path: string) => path };

function printed(changes: Partial<Summary> = {}, columns = 80): string {
  return printSummary(summary(changes), { ...look, columns });
}

describe("the closing summary", () => {
  it("shows rows as the sum that they are: read = skipped + invalid + known + staged (P7)", () => {
    expect(printed()).toMatch(/march\.csv +312 = +2 \+ +3 \+ +100 \+ +207\n/);
  });

  it("adds inputs up where there are several", () => {
    const one = { input: "a.csv", sheet: null, read: 1, skipped: 0, invalid: 0, known: 0, staged: 1 };
    const two = { input: "book.xlsx", sheet: "May", read: 2, skipped: 0, invalid: 1, known: 0, staged: 1 };
    const rows = { read: 3, skipped: 0, invalid: 1, known: 0, staged: 2 };
    const text = printed({ inputs: [one, two], rows });
    expect(text).toMatch(/a\.csv +1 = /);
    expect(text).toMatch(/book\.xlsx, May +2 = /);
    expect(text).toMatch(/all +3 = +0 \+ +1 \+ +0 \+ +2\n/);
  });

  it("names what was sent, what is open, the requests and how long the limit allows at best", () => {
    const text = printed();
    expect(text).toMatch(/events +404 landed, 3 held\n/);
    expect(text).toMatch(/Still open in the ledger\nevents +3 held\nrows +3 to correct\n/);
    expect(text).toContain("1,240 sent, 2 of them again; at 20 a second, 30 at once, they take 1m01s");
    expect(text).toContain("207 create-with-events, 1,033 append-events");
  });

  it("groups problems by cause, most frequent first, with an example", () => {
    const problems: Summary["problems"] = [
      { code: "file-missing", count: 3, example: "march.csv, row 17: first" },
      { code: "usage", count: 209, example: `march.csv, row 20: ${"long ".repeat(40)}` },
    ];
    const text = printed({ problems });
    expect(text.indexOf("209")).toBeLessThan(text.indexOf("row 17"));
  });

  it.each([40, 60, 80, 132])("fits in %i columns but for paths and commands", (columns) => {
    const input = `${"a-very-long-name-of-an-export-".repeat(4)}.csv`;
    const inputs = [
      { input, sheet: "Plan 1", read: 1_000_000, skipped: 10, invalid: 200_000, known: 1, staged: 799_989 },
    ];
    const problems: Summary["problems"] = [{ code: "file-missing", count: 1_000_000, example: "word ".repeat(60) }];
    const text = printed({ inputs, problems, files: [], exitCode: 0 }, columns);
    const wide = text.split("\n").filter((line) => line.length > Math.max(columns, 76));
    expect(wide.filter((line) => !line.startsWith("Requests") && !/create-with/.test(line))).toEqual([]);
  });

  it("shows escapes in cells and answers instead of obeying them (HARD-CASES H35)", () => {
    const evil = "\u001b]0;owned\u0007\u001b[2J\u202Egnp.exe\r\nnext";
    const text = printed({
      problems: [{ code: "file-missing", count: 1, example: evil }],
      stopped: { code: "interrupted", message: evil },
      inputs: [{ input: evil, sheet: evil, read: 312, skipped: 2, invalid: 3, known: 100, staged: 207 }],
    });
    // oxlint-disable-next-line no-control-regex -- this is what is looked for
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).toContain("␛");
  });

  it("says how it ended, in words", () => {
    expect(printed()).toContain("in 5m30s: all is well");
    expect(printed({ exitCode: 3 })).toContain("a person is needed");
    const text = printed({
      exitCode: 4,
      stopped: { code: "interrupted", message: "the service was away for 30 minutes" },
    });
    expect(text).toContain("not finished");
    expect(text).toContain("the service was away for 30 minutes");
  });
});

describe("the next command", () => {
  const rejected = (name: string, mapping: string) => {
    return { kind: "rejected" as const, path: `state/sandbox/runs/x/${name}.rejected.csv`, mapping };
  };

  it("is to correct and import the rejected file with its own mapping, quoted for the shell", () => {
    const files = [
      rejected("it's March", "manifests.yaml"),
      rejected("of-2025-10", "old.yaml"),
      rejected("b", "old.yaml"),
    ];
    const steps = nextSteps(summary({ exitCode: 3, mapping: null, files }), look.shown);
    expect(steps.map(({ command }) => command)).toEqual([
      `rowferry import manifests.yaml 'state/sandbox/runs/x/it'\\''s March.rejected.csv' --sandbox`,
      "rowferry import old.yaml state/sandbox/runs/x/of-2025-10.rejected.csv state/sandbox/runs/x/b.rejected.csv --sandbox",
    ]);
  });

  it("names a ledger that lies where nobody would look for it", () => {
    const [step] = nextSteps(summary({ exitCode: 4, ledger: "/elsewhere/my.db" }), look.shown);
    expect(step?.command).toBe("rowferry resume --sandbox --ledger /elsewhere/my.db");
    const [kept] = nextSteps(summary({ exitCode: 4, journal: "/mnt/other/my journal" }), look.shown);
    expect(kept?.command).toBe("rowferry resume --sandbox --journal '/mnt/other/my journal'");
  });

  it("is to resume where the run can go on, with its target", () => {
    for (const exitCode of [4, 130, 143] as const) {
      const [step] = nextSteps(
        summary({ exitCode, target: { name: "production", baseUrl: "" }, ledger: "state/production/ledger.db" }),
        look.shown,
      );
      expect(step?.command).toBe("rowferry resume --target production");
    }
  });

  it("tells of stranded documents", () => {
    const open = { ...summary().open, documents: { stranded: 1 } };
    const steps = nextSteps(summary({ exitCode: 3, open }), look.shown);
    expect(steps.map(({ command }) => command)).toEqual(["rowferry resolve <document> --document-id <id> --sandbox"]);
  });

  it("is never asked for where all is well", () => {
    expect(nextSteps(summary(), look.shown)).toEqual([]);
  });

  it.each([
    ["plain-name_1.csv", "plain-name_1.csv"],
    ["two words", "'two words'"],
    ["$(rm)", "'$(rm)'"],
    ["", "''"],
  ])("quotes %s", (text, quoted) => {
    expect(shellQuoted(text)).toBe(quoted);
  });
});
