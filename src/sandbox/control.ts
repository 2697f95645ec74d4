/**
 * The control endpoints, outside the service's authentication and limits. Their path contains the key; pages in a
 * browser are always refused.
 */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type Answer, jsonAnswer } from "./answer.js";
import { jsonIn } from "./body.js";
import { type Faults, faultRules } from "./faults.js";
import type { Inspection } from "./inspection.js";
import type { Json } from "./json.js";
import { notAllowed, notFound, Refusal } from "./refusal.js";
import { checked } from "./schemas.js";
import type { SandboxSettings } from "./switches.js";
import type { Tokens } from "./tokens.js";

export const CONTROL_PATH = "/_sandbox";

const faultsBody = z.strictObject({ rules: faultRules, seed: z.int().optional() });
const clockBody = z.strictObject({ offsetMs: z.number().min(-8.64e12).max(8.64e12) });

/** With or without a port. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

type Action = (text: string, query: Record<string, string>) => Answer;

export type Control = ReturnType<typeof controlOf>;

export function controlOf(settings: SandboxSettings, faults: Faults, tokens: Tokens, inspection: Inspection) {
  const path = `${CONTROL_PATH}/${randomBytes(16).toString("hex")}`;
  const listed = () => jsonAnswer(200, { rules: faults.list() as unknown as Json });
  const clock = () => jsonAnswer(200, { offsetMs: settings.clockOffset });
  const actions: Readonly<Record<string, Action>> = {
    "GET /faults": listed,
    "PUT /faults": (text) => {
      const { rules, seed } = checked(faultsBody, jsonIn(text));
      faults.set(rules, seed);
      return listed();
    },
    "DELETE /faults": () => {
      faults.set([]);
      return listed();
    },
    "PUT /clock": (text) => {
      settings.clockOffset = checked(clockBody, jsonIn(text)).offsetMs;
      return clock();
    },
    "GET /stats": () => jsonAnswer(200, inspection.statistics() as unknown as Json),
    "GET /dump": (_text, query) => ({
      status: 200,
      headers: { "content-type": "text/plain; charset=utf-8" },
      text: inspection.dump({ ids: query["ids"] === "true" }),
    }),
    "POST /expire-tokens": () => jsonAnswer(200, { expired: tokens.expire() }),
  };

  return {
    /** `/_sandbox/<key>`, with a new key for each sandbox. */
    path,
    /** @throws Refusal 400, 403, 404 or 405 */
    answer(request: {
      method: string;
      path: string;
      headers: Record<string, string>;
      query: Record<string, string>;
      text: string;
    }): Answer {
      const { method, headers, query, text } = request;
      const { host = "localhost", origin } = headers;
      if (origin !== undefined || !LOOPBACK.test(host)) {
        throw new Refusal(403, "The control endpoints answer programs on this machine, no pages");
      }
      if (!request.path.startsWith(`${path}/`)) {
        throw new Refusal(
          403,
          "The control endpoints need the address with the key, as printed when the sandbox started",
        );
      }
      const name = request.path.slice(path.length);
      const methods = Object.keys(actions).flatMap((key) =>
        key.endsWith(` ${name}`) ? (key.split(" ")[0] ?? []) : [],
      );
      if (methods.length === 0) throw notFound(name);
      const action = actions[`${method} ${name}`];
      if (action === undefined) throw notAllowed(method, methods);
      return action(text, query);
    },
  };
}
