/** Mappings' settings, stored once each, so that `resume` needs no mapping. The ledger does not interpret them. */
import type { LedgerDatabase } from "./ledger-database.js";

export function createSettingsStore<Settings>(database: LedgerDatabase, defaults: Settings) {
  return {
    idOf(settings: Settings): number {
      const json = JSON.stringify(settings);
      const found = database.value<number>("SELECT id FROM settings WHERE json = @json", { json });
      return found ?? database.insert("INSERT INTO settings (json) VALUES (@json)", { json });
    },
    /** Unknown ids and null give the defaults. */
    get(id: number | null): Settings {
      const json = database.value<string>("SELECT json FROM settings WHERE id = @id", { id });
      return json === undefined ? defaults : { ...defaults, ...(JSON.parse(json) as Settings) };
    },
  };
}
