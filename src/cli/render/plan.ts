import { grouped } from "../../report/figures.js";
import type { NextStep } from "../../report/next-steps.js";
import { rowSum, sumOfRows, total } from "../../report/outcome.js";
import { plainLines } from "../../report/plain-text.js";
import { cheaper, wouldSend } from "../../report/said.js";
import type { Plan } from "../../model/summary.js";
import { told, type Told } from "../output.js";
import { causes, problemSections } from "./problems.js";
import { type Colors, joined, labelled, lines, plain } from "./text.js";

/** `send`: sends it. */
export function printPlan(plan: Plan, colors: Colors, send: NextStep): Told {
  const isIdle = plan.events.ready === 0 && total(plan.requests) === 0;
  return told({
    line: { type: "plan", ...plan },
    text: ({ inputs, outcomes, events, requests, problems, waiting, doubted }) => [
      answer(plan),
      [
        labelled("Rows", rowSum(sumOfRows(inputs), outcomes, true), colors),
        leftBehind(events) !== "" &&
          labelled("Events", `${grouped(events.ready)} to send, ${leftBehind(events)}`, colors),
        labelled("Requests", kinds(requests), colors),
        labelled("Cheaper", cheaper(plan), colors),
      ],
      ...problemSections(problems, colors),
      causes("Would wait", "for something that is not there yet", waiting, colors),
      causes("Would be sent", "the service may refuse these", doubted, colors),
    ],
    verbatim: plan.preview === null ? "" : preview(plain(plan.preview), colors),
    next: isIdle ? [] : [send],
    exitCode: plan.exitCode,
  });
}

const answer = (plan: Plan): string =>
  `${wouldSend(plan)} Nothing was sent${total(plan.requests) === 0 ? ", and the ledger is unchanged" : ""}.`;

const kinds = (requests: Plan["requests"]): string =>
  joined(
    Object.entries(requests).map(
      ([kind, count]) => count > 0 && `${kind === "create-participant" ? "up to " : ""}${grouped(count)} ${kind}`,
    ),
  );

const leftBehind = ({ held, deferred, refused }: { held: number; deferred: number; refused: number }): string =>
  joined([
    held > 0 && `${grouped(held)} held`,
    deferred > 0 && `${grouped(deferred)} in the future`,
    refused > 0 && `${grouped(refused)} that can never be sent`,
  ]);

/** Texts from cells are escaped by JSON, and plain. */
function preview(found: NonNullable<Plan["preview"]>, { bold }: Colors): string {
  const { kind, key, generation, requests } = found;
  const left = leftBehind(found);
  return lines(
    bold(`Requests of ${kind} ${key}${generation > 1 ? `, generation ${generation}` : ""}`),
    requests.map(({ method, path, body }) => [`${method} ${path}`, plainLines(JSON.stringify(body, null, 2))]),
    requests.length === 0 && "none",
    left !== "" && `Not sent now: ${left}`,
  );
}
