// The program as a package carries it: every dependency but better-sqlite3 is bundled as it was tested, its licence beside it.
// `npm pack` runs this first (prepack) and puts the manifest back afterwards (postpack: with the argument `restore`).
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const kept = ["better-sqlite3"];
const optional = ["nodemailer"];
// A part of unzipper that nothing here calls.
const neverLoaded = ["@aws-sdk/client-s3"];
const original = "package.json.original";

if (process.argv[2] === "restore") {
  if (existsSync(original)) renameSync(original, "package.json");
  process.exit(0);
}

rmSync("bundle", { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: { "cli/rowferry": "src/cli/rowferry.ts", index: "src/index.ts" },
  outdir: "bundle",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: true,
  platform: "node",
  format: "esm",
  target: "node22",
  external: [...kept, ...optional, ...neverLoaded],
  // Libraries that are CommonJS ask for Node's own modules.
  banner: {
    js: 'import { createRequire as createRequireOfNode } from "node:module";const require = createRequireOfNode(import.meta.url);',
  },
  plugins: [requiredWhenNeeded()],
  metafile: true,
  logLevel: "error",
});
cpSync("dist/console/web", "bundle/chunks/web", { recursive: true });
copyTypes();
writeFileSync("bundle/THIRD-PARTY-LICENSES.txt", licences(packagesIn(metafile)));
writeManifest();

/**
 * Conversions load the parts of three large libraries when a mapping first needs them, and the command line loads a command by
 * its name. Bundled, these are chunks of their own, found by esbuild where the path names a file as it lies here.
 */
function requiredWhenNeeded() {
  return {
    name: "required when needed",
    setup({ onLoad }) {
      onLoad({ filter: /src\/(map\/convert\/[\w-]+|cli\/commands)\.ts$/ }, ({ path }) => ({
        contents: readFileSync(path, "utf8")
          .replace("const require = createRequire(import.meta.url);", "")
          .replace(/require\(`(?=[a-z])/g, "require(`../../../node_modules/")
          .replace(/const path = (`.+)\.js`;([^;]+import\()path\)/, "$2$1.ts`)"),
        loader: "ts",
      }));
    },
  };
}

/** What a program sees is inferred from schemas: zod's types lie beside it, for no package but better-sqlite3 is installed. */
function copyTypes() {
  const isType = (path) => !path.endsWith("/mini") && (statSync(path).isDirectory() || path.endsWith(".d.ts"));
  cpSync("node_modules/zod/v4", "bundle/types/zod/v4", { recursive: true, filter: isType });
  cpSync("node_modules/zod/index.d.ts", "bundle/types/zod/index.d.ts");
  for (const path of readdirSync("dist", { recursive: true })) {
    if (!path.endsWith(".d.ts") || /^(cli|console)\//.test(path)) continue;
    const zod = `./${"../".repeat(path.split("/").length - 1)}types/zod/index.js`;
    const text = readFileSync(join("dist", path), "utf8").replace(/"zod"/g, `"${zod}"`);
    mkdirSync(dirname(join("bundle", path)), { recursive: true });
    writeFileSync(join("bundle", path), text);
  }
}

/** Folders of the packages that went into the bundle. */
function packagesIn({ inputs }) {
  const found = Object.keys(inputs).flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(found)].toSorted();
}

function licences(folders) {
  return folders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
      const text =
        file === undefined ? "(The package holds no text of its licence.)" : readFileSync(join(folder, file), "utf8");
      return `${name} ${version} (${license})\n\n${text.trim()}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

/** What npm reads of an installed package, and nothing that only development needs. */
function writeManifest() {
  const text = readFileSync("package.json", "utf8");
  const {
    dependencies,
    devDependencies: _,
    scripts: __,
    overrides: ___,
    allowScripts: ____,
    exports,
    files,
    ...rest
  } = JSON.parse(text);
  const moved = (path) => path.replace("dist/", "bundle/");
  const manifest = {
    ...rest,
    bin: { rowferry: "bundle/cli/rowferry.js" },
    exports: { ".": Object.fromEntries(Object.entries(exports["."]).map(([name, path]) => [name, moved(path)])) },
    files: ["bundle", ...files.filter((path) => path !== "dist")],
    dependencies: Object.fromEntries(kept.map((name) => [name, dependencies[name]])),
  };
  writeFileSync(original, text);
  writeFileSync("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
}
