/** What every page owes its reader: links that lead somewhere, commands and files that exist, one word for one thing, figures with a run. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { globSync } from "tinyglobby";
import { describe, expect, it } from "vitest";
import { generatedDocs } from "../../scripts/generate-docs.js";
import { commands, loadCommand } from "../../src/cli/commands.js";
import { define } from "../../src/cli/command.js";
import { processWorld } from "../../src/cli/world.js";
import { codes } from "../../src/model/codes.js";
import { type Machine, statesOf, transitions } from "../../src/model/states.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const paths = globSync(["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "examples/*.md"], {
  cwd: root,
});
const pages = new Map(paths.map((path) => [path, read(path)]));

/** Places in pages where something is wrong, as `page: what`. */
function findings(
  find: (text: string, path: string) => Iterable<string>,
  of: Iterable<string> = pages.keys(),
): string[] {
  return [...of].flatMap((path) => [...find(pages.get(path) ?? "", path)].map((what) => `${path}: ${what}`));
}

function anchors(text: string): Set<string> {
  const titles = text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.*)$/gm);
  const plain = (title: string) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
  return new Set([...titles].map(([, title = ""]) => plain(title)));
}

function links(text: string, path: string): { target: string; anchor: string }[] {
  const found = text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/\]\(([^)#\s]*)(?:#([^)]*))?\)/g);
  return [...found]
    .filter(([, target = ""]) => !/^\w+:/.test(target))
    .map(([, target = "", anchor = ""]) => ({
      target: target === "" ? path : normalize(join(dirname(path), target)),
      anchor,
    }));
}

describe("links", () => {
  it("lead to files and headings that exist", () => {
    const dead = findings((text, path) =>
      links(text, path)
        .filter(({ target, anchor }) => {
          if (!existsSync(join(root, target))) return true;
          return anchor !== "" && target.endsWith(".md") && !anchors(read(target)).has(anchor);
        })
        .map(({ target, anchor }) => `${relative(dirname(path), target)}#${anchor}`),
    );
    expect(dead).toEqual([]);
  });

  it("reach every page from README.md", () => {
    const reached = new Set(["README.md"]);
    for (const path of reached) for (const { target } of links(pages.get(path) ?? "", path)) reached.add(target);
    expect(paths.filter((path) => !reached.has(path))).toEqual([]);
  });
});

it("files of the project that pages and messages name exist", () => {
  const sources = globSync("src/**/*.ts", { cwd: root });
  for (const path of sources) pages.set(path, read(path));
  const named =
    /(?<![\w/.<-])(?:src|test|docs|scripts|bench|examples|fixtures|mappings)\/[\w./-]*\w\.(?:ts|md|csv|yaml|json|ndjson)\b/g;
  const gone = findings((text) =>
    [...new Set(text.match(named) ?? [])].filter((file) => !existsSync(join(root, file))),
  );
  for (const path of sources) pages.delete(path);
  expect(gone).toEqual([]);
});

it("commands and flags that pages tell to type exist", async () => {
  const flags = new Map<string, Set<string>>();
  const frame = { world: processWorld(), signal: new AbortController().signal, logFolder: null, exitCode: 0 };
  for (const { name } of commands) {
    const command = new Command(name);
    define(command, await loadCommand(name), frame);
    for (const one of [command, ...command.commands]) {
      const words = one === command ? name : `${name} ${one.name()}`;
      flags.set(words, new Set(["--help", ...one.options.flatMap(({ long }) => [long ?? ""])]));
    }
  }
  const wrong = findings((text) => {
    const typed = text.matchAll(/(?<=[`$&({] ?|^|\bnpx )rowferry ([a-z]+)(?: ([a-z]+))?((?: +(?!\|)[^`\n|&;)]+)?)/gm);
    return [...typed].flatMap(([whole, name = "", sub = "", rest = ""]) => {
      const known = flags.get(`${name} ${sub}`) ?? flags.get(name);
      if (known === undefined) return [whole];
      const used = `${sub} ${rest}`.match(/(?<= )--[a-z-]+/g) ?? [];
      return used.filter((flag) => !known.has(flag)).map((flag) => `${whole}: ${flag}`);
    });
  });
  expect(wrong).toEqual([]);
});

it("commands that a reader types work with the tools of macOS too", () => {
  const gnuOnly = /sed (?:-\w* )*-i|sed .*\\t|readlink -f|date -d|grep -\w*P|stat -c|xargs -r|cp --|head -n? ?-\d/;
  const typed = (text: string) =>
    [...text.matchAll(/^```(?:console|sh)\b.*\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) => block.split("\n"));
  expect(findings((text) => typed(text).filter((line) => gnuOnly.test(line)))).toEqual([]);
});

it("codes that pages name exist", () => {
  const named = /(?:--code |rowferry explain |^\| \d+ `)([a-z]+(?:-[a-z]+)*)(?=[` ])/gm;
  const known = [...Object.keys(codes), "draft"];
  const written = [...pages.keys()].filter((path) => !generatedDocs.some((made) => made.path === path));
  const wrong = findings(
    (text) => [...text.matchAll(named)].map(([, code = ""]) => code).filter((code) => !known.includes(code)),
    written,
  );
  expect(wrong).toEqual([]);
});

it.each(generatedDocs)("$path is what scripts/generate-docs.ts makes", async ({ path, make }) => {
  expect(read(path)).toBe(await make());
});

it("what was measured names the run that measured it", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const unnamed = findings((text) =>
    text
      .split(/\n(?:\s*\n|#)/)
      .filter((block) => /\bmeasured\b/i.test(block) && /\d ?(?:s|ms|MiB|MB|KiB|GB|%|×)(?!\w)/.test(block))
      .filter((block) => {
        const runs = [...block.matchAll(/npm run ([\w:-]+)/g)].map(([, name = ""]) => name);
        const file = /(?:bench|test|scripts|\.ci)\/[\w./-]+|RESULTS\.md/.test(block);
        return !file && !runs.some((name) => name in scripts);
      })
      .map((block) => block.trim().split("\n")[0] ?? ""),
  );
  expect(unnamed).toEqual([]);
});

describe("the glossary", () => {
  const glossary = pages.get("docs/reference/glossary.md") ?? "";
  const rows = [...glossary.matchAll(/^\| (?:\*|`)([^*`]+)(?:\*|`) \| .* \| ?([^|]*) ?\|$/gm)];

  it("has every state", () => {
    const words = rows.map(([, word]) => word);
    const states = Object.keys(transitions).flatMap((machine) => statesOf(machine as Machine));
    expect([...new Set(states)].filter((state) => !words.includes(state))).toEqual([]);
  });

  it("is kept to in help, codes, settings, mapping reference and pages", () => {
    const phrases = [...(glossary.split("## Phrases")[1] ?? "").matchAll(/\*([^*]+)\*/g)].map(
      ([, phrase = ""]) => phrase,
    );
    const forbidden = [...rows.flatMap(([, , not = ""]) => not.split(",").map((word) => word.trim())), ...phrases];
    const words = forbidden.filter((word) => word !== "").join("|");
    expect(words).toContain("entity");
    const pattern = new RegExp(String.raw`(?<![\w-])(?:${words})(?![\w-])`, "gi");
    const own = [...pages.keys()].filter((path) => !/glossary\.md$|CHANGELOG/.test(path));
    const found = findings((text) => {
      const prose = text.replaceAll(/^```(?!text|console)[\s\S]*?^```/gm, "").split("\n");
      return prose.flatMap((line) => (line.match(pattern) ?? []).map((word) => `${word} — ${line.slice(0, 120)}`));
    }, own);
    expect(found).toEqual([]);
  });
});
