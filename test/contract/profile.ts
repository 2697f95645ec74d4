/**
 * The values that service.md does not show and that some service may insist on: allowed types, a place its
 * catalogue knows, document and target fields. All can be replaced (`npm run contract -- … --profile file.json`).
 */

/** What the suite fills the open places of a request with (open points 1, 6, 7). */
export interface ServiceProfile {
  countryCode: string;
  /** Another country, in which nobody is registered. */
  otherCountryCode: string;
  taxIdType: string;
  /** Another kind of tax id, under which nobody is registered. */
  otherTaxIdType: string;
  participantType: string;
  /** A city that the location catalogue knows. */
  knownPlace: { city: string; countryState: string };
  /** A city that no catalogue knows. */
  unknownPlace: { city: string; countryState: string };
  /** More places to tell how they are resolved; what is left out is as in the other addresses. */
  places: readonly Readonly<Record<string, string>>[];
  /** Sent with every document beside externalId, deduplicationId and the references. */
  document: Readonly<Record<string, unknown>>;
  /** Sent with every target beside the same. */
  target: Readonly<Record<string, unknown>>;
  /**
   * What this service is known to do where the specification leaves it open, by `idOf` a case: a case that finds
   * another reading then fails. What is not listed is only told.
   */
  readings: Readonly<Record<string, string | readonly string[]>>;
}

export const defaultProfile: ServiceProfile = {
  countryCode: "BR",
  otherCountryCode: "AR",
  taxIdType: "CNPJ",
  otherTaxIdType: "CPF",
  participantType: "COMPANY",
  knownPlace: { city: "São Paulo", countryState: "SP" },
  unknownPlace: { city: "Xyzzyburg do Nenhures", countryState: "SP" },
  places: [
    { city: " são  PAULO ", countryState: "sp" },
    { city: "Sao Paulo", countryState: "são paulo" },
    { city: "São", countryState: "SP" },
    { city: "São Paulo", countryState: "MG" },
    { city: "Campo Novo", countryState: "SP" },
    { city: "Rio Branco", countryState: "XX" },
    { city: "São Paulo", countryState: "SP", countryCode: "XX" },
    { city: "Lisboa", countryState: "Lisboa", countryCode: "PT" },
  ],
  document: { category: "MassID", isPublic: false },
  target: { category: "MassID", isPublic: false },
  readings: {},
};
