/** The prompt of a terminal: a key for an answer, for none, and for a stop. */
import { PassThrough } from "node:stream";
import { askTerminal, confirm } from "../../src/cli/confirm.js";
import { testWorld } from "../support/cli.world.js";

/** Asks, types, and waits for the answer. */
async function typed(keys: string, until?: AbortSignal) {
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const answer = askTerminal("Which? ", until, input, output);
  input.write(keys);
  return answer;
}

it("gives what is typed", async () => {
  expect(await typed("2\r")).toBe("2");
});

it("takes Ctrl-D for no answer", async () => {
  expect(await typed("\u0004")).toBeNull();
});

it("takes silence for no answer, where the ledger is held meanwhile", async () => {
  expect(await typed("", AbortSignal.timeout(10))).toBeNull();
});

it("gives up when the process is told to end", async () => {
  const listener = () => {};
  process.on("SIGTERM", listener);
  const answer = typed("");
  process.emit("SIGTERM", "SIGTERM");
  await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  expect(process.listeners("SIGTERM")).toEqual([listener]);
  process.off("SIGTERM", listener);
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

it.each([
  [" A\u00a0", "A"],
  ["A\n B", "A B"],
  ["A\u0007B", "A␇B"],
])(
  "a key with blanks around it, or signs that nobody can type, is confirmed as it is shown: %j",
  async (key, shown) => {
    const asked: string[] = [];
    const answer = (words: string) =>
      confirm({ ...testWorld(), ask: (question) => Promise.resolve((asked.push(question), words)) }, "So be it.", key);
    await answer(shown);
    await answer(key);
    expect(asked[0]).toBe(`So be it.\nType ${shown} to confirm: `);
    await expect(answer("AB")).rejects.toMatchObject({ code: "not-confirmed" });
  },
);
