/**
 * Cases of the rows of Errors that a healthy service never shows: they need control of faults.
 */
import { describeAnswer, items } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import type { FaultRule } from "../control.js";
import { check, codes, duplicate, refused } from "../expect.js";
import { ENDPOINTS, newDocument } from "../world.js";

const SINGLE = { method: "POST", path: "/documents/{documentId}/events" };
const BATCH = { method: "POST", path: "/documents/events" };

/** A server error before the work lets the same request land when repeated; after the work its key is taken. */
function serverError(rule: string, status: number): ContractCase[] {
  const fault = (match: FaultRule["match"], when: "before" | "after"): FaultRule => ({
    ...(match ? { match } : {}),
    times: 1,
    action: { kind: "status", status, when },
  });
  return [
    allows(
      rule,
      `after a ${status} that kept nothing, the same request with the same key lands`,
      async (service) => {
        let reading = "";
        for (const by of ENDPOINTS) {
          const document = await newDocument(service);
          const event = document.event(1);
          await service.control.withFaults([fault(by === "single" ? SINGLE : BATCH, "before")], async () => {
            const answer = await document.send(event, by);
            check(answer.status === status, `should be ${status}: ${describeAnswer(answer)}`);
            reading = items(answer.json, "errors").length > 0 ? "in the envelope" : "in a gateway's words";
            await document.append(event, by);
          });
        }
        return { reading };
      },
      ["control"],
    ),
    forbids(
      rule,
      `after a ${status} that hid a success, the same key is refused as a duplicate`,
      async (service) => {
        for (const by of ENDPOINTS) {
          const document = await newDocument(service);
          const event = document.event(1);
          await service.control.withFaults([fault(by === "single" ? SINGLE : BATCH, "after")], async () => {
            const answer = await document.send(event, by);
            check(answer.status === status, `should be ${status}: ${describeAnswer(answer)}`);
            duplicate(await document.send(event, by), String(event["deduplicationId"]));
          });
        }
      },
      ["control"],
    ),
  ];
}

export const faultCases: ContractCase[] = [
  forbids(
    "Errors: 403 token expired",
    "the expired token stays refused",
    async (service) => {
      const old = { authorization: `Bearer ${await service.currentToken()}` };
      await service.control.expireTokens();
      await service.renewTokens();
      const words = new Set<string>();
      for (let time = 0; time < 2; time += 1) {
        const answer = await service.get(`/participants/${service.unique("nobody")}`, { as: old });
        check(answer.status === 403, `should be 403: ${describeAnswer(answer)}`);
        words.add(service.nameless(answer.text));
      }
      return { reading: [...words].join(" and ") };
    },
    ["control"],
  ),
  allows(
    "Errors: 409 pending process",
    "a repeat lands after a background process was running",
    async (service) => {
      for (const by of ENDPOINTS) {
        const document = await newDocument(service);
        const event = document.event(1);
        const rule: FaultRule = {
          match: by === "single" ? SINGLE : BATCH,
          times: 1,
          action: { kind: "pending-process" },
        };
        await service.control.withFaults([rule], async () => {
          await document.send(event, by);
          await document.append(event, by);
        });
      }
    },
    ["control"],
  ),
  forbids(
    "Errors: 409 pending process",
    "a running background process refuses with its own code and keeps nothing",
    async (service) => {
      const document = await newDocument(service);
      const event = document.event(1);
      await service.control.withFaults([{ match: SINGLE, times: 2, action: { kind: "pending-process" } }], async () => {
        for (let time = 0; time < 2; time += 1) {
          const answer = await document.send(event);
          refused(answer, [409]);
          check(codes(answer).includes("PENDING_PROCESS_CONFLICT_ERROR"), `another code: ${describeAnswer(answer)}`);
        }
      });
      await document.append(event);
    },
    ["control"],
  ),
  allows(
    "Errors: 502 / 503 / 504",
    "a token endpoint that was unavailable issues tokens again",
    async (service) => {
      const rule: FaultRule = {
        match: { path: new URL(service.options.tokenUrl).pathname },
        times: 1,
        action: { kind: "status", status: 503, when: "before" },
      };
      await service.control.withFaults([rule], async () => {
        const { credential } = service.options;
        const answers = [await service.askToken(credential, "basic"), await service.askToken(credential, "post")];
        const statuses = answers.map((answer) => answer.status);
        check(statuses[0] === 503 && statuses[1] === 200, `answered ${statuses.join(", ")}`);
      });
    },
    ["control"],
  ),
  ...serverError("Errors: 500", 500),
  ...[502, 503, 504].flatMap((status) => serverError("Errors: 502 / 503 / 504", status)),
  allows(
    "Errors: retry policy",
    "a connection dropped before the work: the repeat lands",
    async (service) => {
      const document = await newDocument(service);
      const event = document.event(1);
      await service.control.withFaults(
        [{ match: BATCH, times: 1, action: { kind: "drop", when: "before" } }],
        async () => {
          const lost = await document.send(event, "batch").then(
            () => false,
            () => true,
          );
          check(lost, "the connection should have been dropped");
          await document.append(event, "batch");
        },
      );
    },
    ["control"],
  ),
  forbids(
    "Errors: retry policy",
    "an answer lost or cut after the work: the repeat is a duplicate",
    async (service) => {
      for (const action of [{ kind: "drop", when: "after" }, { kind: "truncate" }] as const) {
        const document = await newDocument(service);
        const event = document.event(1);
        await service.control.withFaults([{ match: BATCH, times: 1, action }], async () => {
          const lost = await document.send(event, "batch").then(
            (answer) => answer.json === undefined,
            () => true,
          );
          check(lost, "the answer should have been lost");
          duplicate(await document.send(event, "batch"), String(event["deduplicationId"]));
        });
      }
    },
    ["control"],
  ),
];
