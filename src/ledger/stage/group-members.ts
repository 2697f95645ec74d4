/** The further rows of a group: they stand right behind its first one. */
import type { Database } from "better-sqlite3";

/** Ids in row order; none where the row is no group's first. */
export function createGroupMembers(database: Database): (lead: number) => number[] {
  const behind = database.prepare<[number], { id: number; lead: number | null }>(
    "SELECT id, lead FROM rows WHERE id > ? ORDER BY id",
  );
  return (lead) => {
    const members: number[] = [];
    for (const row of behind.iterate(lead)) {
      if (row.lead !== lead) break;
      members.push(row.id);
    }
    return members;
  };
}
