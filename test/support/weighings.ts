/** A small mapping for tests of the ledger: loads, each weighed any number of times; its files, and what comes of them. */
import type { Office } from "./office.js";

/** One participant and one address, the same in every row. */
export const parties = {
  participants: { owner: { taxIdType: "CNPJ", taxId: "11222333000181", name: "Alfa", type: "COMPANY" } },
  addresses: {
    site: {
      participant: "owner",
      name: "Site",
      street: "Rua A",
      number: "1",
      city: "Campinas",
      countryState: "SP",
      countryCode: "BR",
    },
  },
};

export const weighings = {
  namespace: "test",
  defaults: { timezone: "UTC", decimal: ".", dates: ["yyyy-MM-dd HH:mm"], country: "BR" },
  inputs: {
    weighings: {
      columns: { load: "Load", at: { header: "At", as: "timestamp" }, gross: { header: "Gross", as: "number" } },
      ...parties,
      documents: { load: { key: "=load", participant: "owner", address: "site" } },
      events: {
        weighing: {
          name: "Weighing",
          key: "=at",
          externalCreatedAt: "=at",
          isPublic: true,
          attributes: { public: { Gross: "=gross" } },
        },
      },
    },
  },
};

/** The mapping with other members of its input; those in `columns` and `event` are added to what is there. */
export function weighingsWith(members: { columns?: object; event?: object; [member: string]: unknown }) {
  const { columns, event, ...more } = members;
  const { weighings: input } = weighings.inputs;
  const events: { [name: string]: object } = { weighing: { ...input.events.weighing, ...event } };
  const whole = { ...input, columns: { ...input.columns, ...columns }, events, ...more };
  return { ...weighings, inputs: { weighings: whole } };
}

const timeOf = (word: string) => (/^\d\d$/.test(word) ? `2026-01-01 10:${word}` : word.replace("T", " "));

/** The rows of a file, header first, each written as its load, its minute past ten or a time, and its weight: `L1 20 5`. */
export const loads = (...rows: readonly string[]): string[][] => loadsWith([], ...rows);

/** The same, with the cells of more columns behind them. */
export function loadsWith(columns: readonly string[], ...rows: readonly string[]): string[][] {
  const header = ["Load", "At", "Gross", ...columns];
  const cells = rows.map((row) => row.split(" ")).map(([load, time = "", ...more]) => [load, timeOf(time), ...more]);
  return [header, ...cells.map((row) => header.map((_, at) => row[at] ?? ""))];
}

/** What stands on the timelines of documents that are not cancelled, written as its rows are, oldest document first. */
export const weights = (office: Pick<Office, "documents">): string[] =>
  office
    .documents()
    .filter(({ state }) => state !== "cancelled")
    .flatMap(({ externalId, events }) =>
      events.map(({ at, body }) => {
        const { attributes } = body["metadata"] as { attributes: { name: string; value: string }[] };
        const gross = attributes.find(({ name }) => name === "Gross")?.value;
        return `${externalId} ${new Date(at).getUTCMinutes()} ${gross}`;
      }),
    );
