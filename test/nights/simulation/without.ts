/** The simulation over a build of the product in which a safeguard is taken out, from outside: one text of its source is another. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { build } from "esbuild";
import type { replaceEach } from "../../support/decide.js";
import type { live } from "./night.js";
import type { createWorld } from "./world.js";

export interface Nights {
  live: typeof live;
  createWorld: typeof createWorld;
  replaceEach: typeof replaceEach;
}

const root = join(import.meta.dirname, "../../..");

/** Each safeguard behind the promises, by name: where it stands, its text, and what stands there without it. */
export const safeguards = {
  "same-key": [
    "run/bodies.ts",
    "deduplicationId: event.deduplicationId,",
    "deduplicationId: `${event.deduplicationId}-${(globalThis.keysMade = (globalThis.keysMade ?? 0) + 1)}`,",
  ],
  "receipt-by-evidence": ["run/evidence.ts", "attempted.has(event.id) ||", "true ||"],
  "refusal-after-doubt": [
    "run/evidence.ts",
    "if (doubtful.has(id)) return false;",
    "if (doubtful.has(id)) return true;",
  ],
  hold: ["plan/assess-document.ts", "holds.filter(({ at }) => at === null || at >= lastAt)", "[]"],
  order: [
    "plan/assess-document.ts",
    "for (const staged of events) {",
    "for (const staged of events.toSorted((a, b) => a.id - b.id)) {",
  ],
  lifecycle: [
    "plan/assess-document.ts",
    'if (isRejected(event) || event.state === "foreign") return null;',
    "return null;",
  ],
  "refused-import": ["plan/assess-document.ts", "refusedInput === null", "true"],
  "meeting-points": ["plan/links.ts", "if (!event.mirrored) return [];", "return [];"],
  "look-before-create": [
    "run/register.ts",
    "if (await lookSettles(session, steps, true)) return;",
    "return;",
    "if ((steps.lookFirst || steps.attempted) &&",
    "if (steps.lookFirst &&",
  ],
  "service-clock": ["submit/service-clock.ts", "here() + (", "here() + 0 * ("],
  generation: ["model/keys.ts", "document.generation > 1 ?", "document.generation > 1_000 ?"],
} as const satisfies { [name: string]: readonly [file: string, ...texts: string[]] };

export type Safeguard = keyof typeof safeguards;

export async function withoutSafeguard(name: Safeguard): Promise<Nights> {
  const [file, ...texts] = safeguards[name] as readonly [string, ...string[]];
  const folder = join(root, "node_modules", ".cache", "rowferry-without");
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${name}-${process.pid}.mjs`);
  let patched = 0;
  await build({
    stdin: {
      contents: `export { live } from "./night.ts"; export { createWorld } from "./world.ts";
        export { replaceEach } from "../../support/decide.ts";`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile,
    logLevel: "error",
    plugins: [
      {
        name: "without",
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            if (relative(join(root, "src"), path).split(sep).join("/") !== file) return null;
            let contents = readFileSync(path, "utf8");
            for (let at = 0; at < texts.length; at += 2) {
              const [text = "", other = ""] = texts.slice(at, at + 2);
              if (!contents.includes(text)) throw new Error(`There is no ${text} in ${file}.`);
              contents = contents.replace(text, () => other);
              patched += 1;
            }
            return { contents, loader: "ts" };
          });
        },
      },
    ],
  });
  if (patched === 0) throw new Error(`No source is ${file}.`);
  const nights = (await import(outfile)) as Nights;
  rmSync(outfile);
  return nights;
}
