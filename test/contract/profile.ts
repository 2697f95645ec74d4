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
  /** Sent with every document beside externalId, deduplicationId and the references. */
  document: Readonly<Record<string, unknown>>;
  /** Sent with every target beside the same. */
  target: Readonly<Record<string, unknown>>;
}

export const defaultProfile: ServiceProfile = {
  countryCode: "BR",
  otherCountryCode: "AR",
  taxIdType: "CNPJ",
  otherTaxIdType: "CPF",
  participantType: "COMPANY",
  knownPlace: { city: "São Paulo", countryState: "SP" },
  unknownPlace: { city: "Xyzzyburg do Nenhures", countryState: "SP" },
  document: { category: "MassID", isPublic: false },
  target: { category: "MassID", isPublic: false },
};
