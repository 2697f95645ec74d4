/** A small catalogue of places, enough to resolve the demo's addresses and to fail on others. */
export const CATALOG_VERSION = "sandbox-2026.1";

export type Municipality = { code: string; name: string; subdivisionCode: string };

/** By country, as [code, name]. All of Brazil, by ISO 3166-2 without the country. */
export const subdivisions: ReadonlyMap<string, readonly (readonly [string, string])[]> = new Map([
  [
    "BR",
    (
      "AC Acre|AL Alagoas|AM Amazonas|AP Amapá|BA Bahia|CE Ceará|DF Distrito Federal|ES Espírito Santo|GO Goiás|MA Maranhão|" +
      "MG Minas Gerais|MS Mato Grosso do Sul|MT Mato Grosso|PA Pará|PB Paraíba|PE Pernambuco|PI Piauí|PR Paraná|" +
      "RJ Rio de Janeiro|RN Rio Grande do Norte|RO Rondônia|RR Roraima|RS Rio Grande do Sul|SC Santa Catarina|SE Sergipe|" +
      "SP São Paulo|TO Tocantins"
    )
      .split("|")
      .map((line) => [line.slice(0, 2), line.slice(3)] as const),
  ],
  ["PT", [["11", "Lisboa"] as const, ["13", "Porto"] as const, ["06", "Coimbra"] as const]],
  ["US", [["CA", "California"] as const, ["NY", "New York"] as const, ["TX", "Texas"] as const]],
]);

const lines: Record<string, string> = {
  BR:
    "AC 1200401 Rio Branco|AL 2704302 Maceió|AM 1302603 Manaus|AP 1600303 Macapá|BA 2927408 Salvador|BA 2910800 Feira de Santana|" +
    "CE 2304400 Fortaleza|DF 5300108 Brasília|ES 3205309 Vitória|GO 5208707 Goiânia|MA 2111300 São Luís|MG 3106200 Belo Horizonte|" +
    "MG 3118601 Contagem|MG 3170206 Uberlândia|MS 5002704 Campo Grande|MT 5103403 Cuiabá|PA 1501402 Belém|PB 2507507 João Pessoa|" +
    "PE 2611606 Recife|PI 2211001 Teresina|PR 4106902 Curitiba|PR 4113700 Londrina|PR 4115200 Maringá|RJ 3304557 Rio de Janeiro|" +
    "RJ 3303302 Niterói|RN 2408102 Natal|RO 1100205 Porto Velho|RR 1400100 Boa Vista|RS 4314902 Porto Alegre|RS 4305108 Caxias do Sul|" +
    "SC 4205407 Florianópolis|SC 4209102 Joinville|SE 2800308 Aracaju|SP 3550308 São Paulo|SP 3509502 Campinas|SP 3518800 Guarulhos|" +
    "SP 3548500 Santos|SP 3543402 Ribeirão Preto|SP 3552205 Sorocaba|SP 3534401 Osasco|SP 3538709 Piracicaba|SP 3525904 Jundiaí|" +
    "SP 3548708 São Bernardo do Campo|TO 1721000 Palmas",
  PT: "11 1106 Lisboa|13 1312 Porto|06 0603 Coimbra",
  US: "CA 0644000 Los Angeles|CA 0667000 San Francisco|NY 3651000 New York|TX 4805000 Austin",
};

/** By country. */
export const municipalities: ReadonlyMap<string, readonly Municipality[]> = new Map(
  Object.entries(lines).map(([country, text]) => [
    country,
    text.split("|").map((line) => {
      const [subdivisionCode = "", code = "", ...name] = line.split(" ");
      return { code, name: name.join(" "), subdivisionCode };
    }),
  ]),
);
