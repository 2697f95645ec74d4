/**
 * The control endpoint that a sandbox offers beside the service, so that error rows can be provoked.
 * A real service has none: the cases that need it are then listed as not run.
 */
import type { Answer } from "./answer.js";
import { describeAnswer, member } from "./answer.js";

/** One scripted fault. `nth` counts matching requests since the rules were set, from 1. */
export interface FaultRule {
  match?: { method?: string; path?: string };
  nth?: number;
  probability?: number;
  times?: number;
  action:
    | {
        kind: "status";
        status: number;
        when: "before" | "after";
        body?: "envelope" | "gateway" | "html" | "empty";
        retryAfter?: number;
      }
    | { kind: "drop"; when: "before" | "after" }
    | { kind: "truncate" }
    | { kind: "delay"; ms: number; when?: "before" | "after" }
    | { kind: "pending-process" }
    | { kind: "expire-token" };
}

/** Sends a JSON body, or none, to a path below the control address. */
export type SendControl = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Steers a sandbox. Every function leaves no trace when its work is done. */
export class Control {
  readonly #send: SendControl;

  constructor(send: SendControl) {
    this.#send = send;
  }

  /** Runs `work` with these faults set, and clears them whatever happens. */
  async withFaults<T>(rules: readonly FaultRule[], work: () => Promise<T>): Promise<T> {
    await this.#order("PUT", "faults", { rules, seed: 1 });
    try {
      return await work();
    } finally {
      await this.#order("DELETE", "faults");
    }
  }

  /** Runs `work` with the service's clock moved by `offsetMs`, and sets it right again. */
  async withClock<T>(offsetMs: number, work: () => Promise<T>): Promise<T> {
    await this.#order("PUT", "clock", { offsetMs });
    try {
      return await work();
    } finally {
      await this.#order("PUT", "clock", { offsetMs: 0 });
    }
  }

  /** Makes every token handed out so far an expired one. */
  async expireTokens(): Promise<void> {
    await this.#order("POST", "expire-tokens");
  }

  /** Requests since the service was started, how many of them a fault befell, and how many met the limit. */
  async statistics(): Promise<{ requests: number; faults: number; rateLimited: number }> {
    const { json } = await this.#order("GET", "stats");
    const count = (name: string) => Number(member(json, name));
    return { requests: count("requests"), faults: count("faults"), rateLimited: count("rateLimited") };
  }

  async #order(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.#send(method, path, body);
    if (answer.status >= 300) throw new Error(`the control endpoint refused: ${describeAnswer(answer)}`);
    return answer;
  }
}
