/** What every page owes its reader: links that lead somewhere, commands and files that exist, one word for one thing, figures with a run. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { globSync } from "tinyglobby";
import { generatedDocs } from "../../scripts/generate-docs.js";
import { commands, loadCommand } from "../../src/cli/commands.js";
import { define } from "../../src/cli/command.js";
import { processWorld } from "../../src/cli/world.js";
import { codes } from "../../src/model/codes.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const paths = globSync(["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "examples/*.md"], {
  cwd: root,
});
const pages = new Map(paths.map((path) => [path, read(path)]));

/** Places in pages where something is wrong, as `page: what`. */
function findings(find: (text: string, path: string) => Iterable<string>, of: Iterable<string> = pages.keys()) {
  return [...of].flatMap((path) => [...find(pages.get(path) ?? "", path)].map((what) => `${path}: ${what}`));
}

function anchors(text: string) {
  const titles = text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.*)$/gm);
  const plain = (title: string) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
  return new Set([...titles].map(([, title = ""]) => plain(title)));
}

function links(text: string, path: string) {
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

  it("lead to files that the package brings", () => {
    const { files } = JSON.parse(read("package.json")) as { files: string[] };
    const isPacked = (path: string) => files.some((one) => path === one || path.startsWith(`${one}/`));
    const dead = findings(
      (text, path) => links(text, path).flatMap(({ target }) => (isPacked(target.replace(/\/$/, "")) ? [] : [target])),
      paths.filter(isPacked),
    );
    expect(dead).toEqual([]);
  });

  it("reach every page from README.md", () => {
    const reached = new Set(["README.md"]);
    for (const path of reached) for (const { target } of links(pages.get(path) ?? "", path)) reached.add(target);
    expect(paths.filter((path) => !reached.has(path))).toEqual([]);
  });
});

it("files of the project that pages and messages name exist", long, () => {
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

/** By what is typed: `import`, `ledger backup`. */
async function definitions(): Promise<Map<string, Command>> {
  const defined = new Map<string, Command>();
  const frame = { world: processWorld(), signal: new AbortController().signal, logFolder: null, exitCode: 0 };
  for (const { name } of commands) {
    const command = new Command(name);
    define(command, await loadCommand(name), frame);
    defined.set(name, command);
    for (const one of command.commands) defined.set(`${name} ${one.name()}`, one);
  }
  return defined;
}

it("what a remedy tells to type is a whole command", long, async () => {
  const defined = await definitions();
  const wrong = Object.values(codes).flatMap(({ remedy }) =>
    Array.from(remedy.matchAll(/(?<=`rowferry )[^`]+/g), ([typed]) => {
      const words = typed.split(" ");
      const command = defined.get(words.slice(0, 2).join(" ")) ?? defined.get(words[0] ?? "");
      const needed = command?.registeredArguments.filter(({ required }) => required).length ?? 0;
      const given = words.slice(command?.name() === words[1] ? 2 : 1).filter((word) => !word.startsWith("--"));
      return given.length < needed ? [typed] : [];
    }).flat(),
  );
  expect(wrong).toEqual([]);
});

it("commands and flags that pages tell to type exist", long, async () => {
  const flags = new Map(
    Array.from(await definitions(), ([words, { options }]) => [
      words,
      new Set(["--help", ...options.flatMap(({ long }) => [long ?? ""])]),
    ]),
  );
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
