/** The control endpoints under /_sandbox: no part of the service, outside its authentication and its limits. */
import { z } from "zod";
import { type Answer, jsonAnswer } from "./answer.js";
import { type Faults, faultRules } from "./faults.js";
import type { Inspection } from "./inspection.js";
import type { Json } from "./json.js";
import { invalid, Refusal } from "./refusal.js";
import type { Tokens } from "./tokens.js";
import { checked } from "./validation.js";

const faultsBody = z.strictObject({ rules: faultRules, seed: z.int().optional() });
const clockBody = z.strictObject({ offsetMs: z.number().min(-8.64e12).max(8.64e12) });

export interface ControlParts {
  faults: Faults;
  tokens: Tokens;
  inspection: Inspection;
  /** Of the clock, in ms. */
  offset: { get(): number; set(ms: number): void };
}

export class Control {
  readonly #actions: ReadonlyMap<string, (text: string | undefined, query: Record<string, string>) => Answer>;

  constructor(parts: ControlParts) {
    const { faults, tokens, inspection, offset } = parts;
    const listed = () => jsonAnswer(200, { rules: faults.list() as unknown as Json });
    this.#actions = new Map<string, (text: string | undefined, query: Record<string, string>) => Answer>([
      ["GET /_sandbox/faults", listed],
      [
        "PUT /_sandbox/faults",
        (text) => {
          const { rules, seed } = checked(faultsBody, parsed(text));
          faults.set(rules, seed);
          return listed();
        },
      ],
      [
        "DELETE /_sandbox/faults",
        () => {
          faults.set([]);
          return listed();
        },
      ],
      ["GET /_sandbox/clock", () => jsonAnswer(200, { offsetMs: offset.get() })],
      [
        "PUT /_sandbox/clock",
        (text) => {
          offset.set(checked(clockBody, parsed(text)).offsetMs);
          return jsonAnswer(200, { offsetMs: offset.get() });
        },
      ],
      ["GET /_sandbox/stats", () => jsonAnswer(200, inspection.statistics() as unknown as Json)],
      ["GET /_sandbox/state", () => jsonAnswer(200, inspection.state())],
      [
        "GET /_sandbox/dump",
        (_text, query) => ({
          status: 200,
          headers: { "content-type": "text/plain; charset=utf-8" },
          text: inspection.dump({ ids: query["ids"] === "true" }),
        }),
      ],
      ["POST /_sandbox/expire-tokens", () => jsonAnswer(200, { expired: tokens.expire() })],
    ]);
  }

  /** @throws Refusal 400, 404 or 405 */
  answer(method: string, path: string, text: string | undefined, query: Record<string, string>): Answer {
    const action = this.#actions.get(`${method} ${path}`);
    if (action !== undefined) return action(text, query);
    const allow = [...this.#actions.keys()].filter((key) => key.endsWith(` ${path}`)).map((key) => key.split(" ")[0]);
    if (allow.length === 0) throw new Refusal(404, `${path} was not found`);
    throw new Refusal(405, `${method} is not allowed here`, { headers: { allow: allow.join(", ") } });
  }
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "") as unknown;
  } catch {
    throw invalid("The body is not well-formed JSON");
  }
}
