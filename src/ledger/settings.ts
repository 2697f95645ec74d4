/** Choices of mappings, stored once each, so that `resume` needs no mapping. Kept as text: the ledger gives them no meaning. */
import type { Database } from "better-sqlite3";

export function createSettingsStore<Settings>(database: Database, defaults: Settings) {
  const find = database.prepare<[string], number>("SELECT id FROM settings WHERE json = ?").pluck();
  const insert = database.prepare<[string]>("INSERT INTO settings (json) VALUES (?)");
  const byId = database.prepare<[number], string>("SELECT json FROM settings WHERE id = ?").pluck();
  const cache = new Map<number, Settings>();

  return {
    idOf(settings: Settings): number {
      const json = JSON.stringify(settings);
      return find.get(json) ?? Number(insert.run(json).lastInsertRowid);
    },
    /** Null, or an id that is not there: the defaults. */
    get(id: number | null): Settings {
      if (id === null) return defaults;
      const cached = cache.get(id);
      if (cached !== undefined) return cached;
      const json = byId.get(id);
      const settings = json === undefined ? defaults : { ...defaults, ...(JSON.parse(json) as Settings) };
      cache.set(id, settings);
      return settings;
    },
  };
}

export type SettingsStore<Settings> = ReturnType<typeof createSettingsStore<Settings>>;
