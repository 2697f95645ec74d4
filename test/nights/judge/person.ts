/** The person whom exit code 3 calls: looks at the service's own screens and says what is true, and nothing else. */
import type { Client, Ran } from "./client.js";
import type { Judge } from "./service.js";

/** Settles what is stranded or in doubt for good, and goes on, until nothing of that kind is left; six rounds at most. */
export async function settleByLooking(client: Client, { timelines }: Judge): Promise<Ran[]> {
  const runs: Ran[] = [];
  for (let round = 0; round < 6; round++) {
    const undecided = client.undecided();
    if (undecided.length === 0) break;
    for (const { kind, key, documentId, doubtful } of undecided) {
      const document = `${kind}/${key}`;
      const there = timelines.docs.find(({ externalId }) => externalId === key);
      const say = async (what: string, ...words: string[]) =>
        runs.push(await client.run(["resolve", what, ...words, "--by", "judge", "--yes"]));
      if (documentId === null && there !== undefined) await say(document, "--document-id", there.id);
      else if (documentId === null) await say(document, "--not-landed");
      else {
        const landed = new Set(there?.events.map((event) => event.key));
        if (doubtful.every((event) => landed.has(event))) await say(document, "--landed");
        else for (const event of doubtful) await say(event, landed.has(event) ? "--landed" : "--not-landed");
      }
    }
    runs.push(...(await client.untilSettled(["resume"])));
  }
  return runs;
}
