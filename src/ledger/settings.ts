/** Choices of mappings, stored once each, so that `resume` needs no mapping. Kept as text: the ledger gives them no meaning. */
import type { LedgerDatabase } from "./ledger-database.js";

export function createSettingsStore<Settings>(database: LedgerDatabase, defaults: Settings) {
  return {
    idOf(settings: Settings): number {
      const json = JSON.stringify(settings);
      const found = database.value<number>("SELECT id FROM settings WHERE json = @json", { json });
      return found ?? database.insert("INSERT INTO settings (json) VALUES (@json)", { json });
    },
    /** Null, or an id that is not there: the defaults. */
    get(id: number | null): Settings {
      const json = database.value<string>("SELECT json FROM settings WHERE id = @id", { id });
      return json === undefined ? defaults : { ...defaults, ...(JSON.parse(json) as Settings) };
    },
  };
}
