/** A small mapping for tests of the ledger: loads, each weighed any number of times. */

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
