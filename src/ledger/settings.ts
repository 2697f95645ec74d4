/** Mappings' settings, stored once each, so that `resume` needs no mapping. The ledger does not interpret them. */
import type { LedgerDatabase } from "./ledger-database.js";

export function createSettingsStore<Settings>(database: LedgerDatabase, defaults: Settings) {
  const read = new Map<number | null, Settings>();
  return {
    idOf(settings: Settings): number {
      const json = JSON.stringify(settings);
      const found = database.value<number>("SELECT id FROM settings WHERE json = @json", { json });
      return found ?? database.insert("INSERT INTO settings (json) VALUES (@json)", { json });
    },
    /** Unknown ids and null give the defaults. */
    get(id: number | null): Settings {
      const known = read.get(id);
      if (known !== undefined) return known;
      const json = database.value<string>("SELECT json FROM settings WHERE id = @id", { id });
      if (json === undefined) return defaults;
      const settings = { ...defaults, ...(JSON.parse(json) as Settings) };
      read.set(id, settings);
      return settings;
    },
  };
}
