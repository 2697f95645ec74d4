/** The prompt of a terminal: a key for an answer, for none, and for a stop. */
import { PassThrough } from "node:stream";
import { askTerminal } from "../../src/cli/confirm.js";

/** Asks, types, and waits for the answer. */
async function typed(keys: string) {
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const answer = askTerminal("Which? ", input, output);
  input.write(keys);
  return answer;
}

it("gives what is typed", async () => {
  expect(await typed("2\r")).toBe("2");
});

it("takes Ctrl-D for no answer", async () => {
  expect(await typed("\u0004")).toBeNull();
});

it("takes Ctrl-C for the signal that it is elsewhere", async () => {
  const signals: unknown[] = [];
  const listener = (name: unknown) => void signals.push(name);
  process.on("SIGINT", listener);
  try {
    await expect(typed("\u0003")).rejects.toMatchObject({ name: "AbortError" });
  } finally {
    process.off("SIGINT", listener);
  }
  expect(signals).toEqual(["SIGINT"]);
});
