/** `rowferry plan <mapping> <files…>`: what an import would do. Changes and sends nothing. */
import type { Plan } from "../../model/summary.js";
import { grouped, joined } from "../../report/figures.js";
import { quotedPath } from "../../model/shell-quoted.js";
import { aboutEmpty, stepsOfWaiting } from "../../report/next-steps.js";
import { leftBehind, rowSum, sumOfRows, total } from "../../report/outcome.js";
import { plainLines } from "../../report/plain-text.js";
import { cheaper, wouldSend } from "../../report/said.js";
import { checkMappingFirst, dataFiles, rateFlags, wait } from "../flags.js";
import { onTarget, type Work } from "../on-target.js";
import type { Told } from "../output.js";
import { causes, problemSections } from "../render/problems.js";
import { bold, labelled, lines, type Part, plain } from "../render/text.js";
import { watched } from "../run-command.js";

export const spec = onTarget({
  takes: { "<mapping>": "the mapping file (YAML)", "<files...>": dataFiles },
  flags: {
    document: ["--document <key>", "show the requests of this document in full: its key, or kind/key"],
    ...rateFlags,
    wait,
  },
  examples: {
    "rowferry plan manifests.yaml march.csv": "",
    "rowferry plan manifests.yaml march.csv --document 3100": "its requests",
    "rowferry plan manifests.yaml march.csv --target production --json": "",
  },
  run: (work, given, mapping: string, files: string[]) => planImport(work, given, mapping, files),
});

export async function planImport(
  work: Work,
  { document }: { document?: string | undefined },
  mappingPath: string,
  files: string[],
): Promise<Told> {
  checkMappingFirst("plan", mappingPath, files);
  const { world, output, options, step, shown } = work;
  const found = await watched(work, (observe) =>
    world.pipeline.planImport({
      ...options,
      mappingPath,
      files,
      observe,
      limits: { waitForLock: options.waitForLock },
      fresh: false,
      journal: null,
      cells: world.stdout.isTTY && !output.json,
      document,
    }),
  );
  const isIdle = found.events.ready === 0 && total(found.requests) === 0;
  return {
    type: "plan",
    line: found,
    text: (plan) => printed(plan),
    verbatim: found.preview === null ? "" : preview(plain(found.preview)),
    next: [
      ...(isIdle ? [] : [step(`import ${[mappingPath, ...files].map(quotedPath).join(" ")}`, "send what is ready")]),
      ...(found.problems.some(({ code }) => code === "file-empty") ? [aboutEmpty(step)] : []),
      // Nothing is in the ledger yet that could be given up.
      ...stepsOfWaiting(found.waiting, step, shown).filter(({ command }) => command.startsWith("rowferry import ")),
    ],
    exitCode: found.exitCode,
  };
}

function printed(plan: Plan): Part[] {
  const { inputs, outcomes, events, requests, problems, waiting, doubted, warnings } = plan;
  const left = leftBehind(events);
  const numbers = [
    labelled("Rows", rowSum(sumOfRows(inputs), outcomes, true)),
    left !== "" && labelled("Events", `${grouped(events.ready)} to send, ${left}`),
    labelled("Requests", joined(Object.entries(requests).map(countedRequests))),
    labelled("Cheaper", cheaper(plan)),
  ];
  return [
    `${wouldSend(plan)} Nothing was sent${total(requests) === 0 ? ", and the ledger is unchanged" : ""}.`,
    numbers,
    ...problemSections(problems, false),
    causes("Would wait", "each for something else", waiting),
    causes("Would be sent", "the service may refuse these", doubted),
    causes("Worth a look", "nothing is held back because of these", warnings),
  ];
}

const countedRequests = ([kind, count]: [string, number]) =>
  count > 0 && `${kind === "create-participant" ? "up to " : ""}${grouped(count)} ${kind}`;

/** Texts from cells are escaped by JSON, and plain. */
function preview(found: NonNullable<Plan["preview"]>): string {
  const { kind, key, generation, requests } = found;
  const left = leftBehind(found);
  return lines(
    bold(`Requests of ${kind} ${key}${generation > 1 ? `, generation ${generation}` : ""}`),
    requests.map(({ method, path, body }) => [`${method} ${path}`, plainLines(JSON.stringify(body, null, 2))]),
    requests.length === 0 && "none",
    left !== "" && `Not sent now: ${left}`,
  );
}
