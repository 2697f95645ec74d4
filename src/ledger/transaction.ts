import type { Database } from "better-sqlite3";

/**
 * One transaction that may span other files' reading; nothing else writes meanwhile. `ROLLBACK` also undoes a success
 * (for `plan`).
 */
export async function inTransaction<Result>(
  database: Database,
  end: "COMMIT" | "ROLLBACK",
  work: () => Promise<Result>,
): Promise<Result> {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = await work();
    database.exec(end);
    return result;
  } catch (error) {
    if (database.inTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
