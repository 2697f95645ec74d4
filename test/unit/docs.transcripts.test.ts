/**
 * Every command that a document shows is run, in the document's order, and prints what the document says. Times, ids
 * and spans of time may differ. `UPDATE_DOCS=1 npx vitest run test/unit/docs.transcripts.test.ts` writes down what came.
 */
import { globSync } from "tinyglobby";
import { fileURLToPath } from "node:url";
import { createPlayer, readDocument, writeDocument } from "../support/docs/play.js";
import { agrees, normalised, readTranscript } from "../support/docs/transcript.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const update = process.env["UPDATE_DOCS"] === "1";

const documents = ["README.md", ...globSync(["docs/**/*.md", "examples/*.md"], { cwd: root }).toSorted()].filter(
  (path) => readDocument(path).includes("```console"),
);

describe.each(documents)("%s", (path) => {
  it("shows what its commands print", { tags: path === "README.md" ? [] : ["long"] }, async () => {
    let text = readDocument(path);
    const player = createPlayer();
    const differences: string[] = [];
    const changes: { span: [number, number]; came: string }[] = [];
    try {
      for (const step of readTranscript(text)) {
        const came = await player.play(step);
        if (step.kind !== "command" || agrees(step.expected, came)) continue;
        const unexpected = came.includes("something unexpected happened");
        if (update && !unexpected) changes.push({ span: step.span, came });
        else differences.push(`line ${step.line}: $ ${step.command}\n${normalised(came)}`);
      }
    } finally {
      await player.close();
    }
    for (const { span, came } of changes.toReversed()) {
      text = text.slice(0, span[0]) + (came === "" ? "" : `${came.trimEnd()}\n`) + text.slice(span[1]);
    }
    if (changes.length > 0) writeDocument(path, text);
    expect(differences.join("\n\n")).toBe("");
  });
});
