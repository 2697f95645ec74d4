/** What headers say in Portuguese, English, Spanish and German. A hint only: what the cells hold decides. */
import { foldText } from "../convert/letters.js";

export type Role =
  | "taxId"
  | "taxIdType"
  | "name"
  | "placeName"
  | "street"
  | "number"
  | "complement"
  | "neighborhood"
  | "zipCode"
  | "city"
  | "state"
  | "country"
  | "latitude"
  | "longitude"
  | "eventType"
  | "status"
  | "public"
  | "reason"
  | "related"
  | "ticket"
  | "created"
  | "closed"
  | "document"
  | "code"
  | "category";

/** In order: the first role whose pattern is found in the folded header is the header's role. */
const patterns: readonly (readonly [Role, RegExp])[] = [
  ["taxIdType", /\b(tipo (do )?doc\w*|document type|tax id type)\b/],
  ["taxId", /\b(cnpj|cpf|nif|nipc|tax ?id|vat|rut|cuit|rfc|ein|fein|ust ?id ?(nr|nummer)?|uid)\b/],
  ["related", /\b(relacionad\w*|vinculad\w*|related|linked|referenciad\w*)\b/],
  ["zipCode", /\b(cep|zip\w*|postal|codigo postal|plz|postleitzahl)\b/],
  ["neighborhood", /\b(bairro|neighbou?rhood|barrio|colonia)\b/],
  ["complement", /\b(complemento|complement)\b/],
  ["number", /\b(hausnummer|haus ?nr|(house|street) (number|no|nr))\b/],
  ["street", /\b(rua|logradouro|endereco|street|address|calle|direccion|avenida|strasse|str)\b/],
  ["city", /\b(municipio|cidade|city|ciudad|localidade|localidad|ort|stadt)\b/],
  ["state", /\b(uf|estado|state|provincia|distrito|bundesland)\b/],
  ["country", /\b(pais|country|land)\b/],
  ["latitude", /\b(lat|latitude|latitud)\b/],
  ["longitude", /\b(lon|lng|long|longitude|longitud)\b/],
  ["eventType", /\b(evento|event|etapa|movimento|movimentacao|operacao|ocorrencia|fase|stage|step|vorgang|ereignis)\b/],
  ["status", /\b(situacao|status|situacion)\b/],
  ["public", /\b(publico|publica|public|visivel|visible)\b/],
  ["reason", /\b(motivo|reason|justificativa|razao do cancelamento)\b/],
  ["ticket", /\b(ticket|tiquete|romaneio|certificado|cdf|comprovante|recibo|receipt)\b/],
  ["created", /\b(emissao|emitido|criacao|criado|cadastro|created|issued|issue|emision)\b/],
  ["closed", /\b(encerramento|encerrado|fechamento|conclusao|closed|close|closing|cierre)\b/],
  ["name", /\b(razao social|nome|name|empresa|company|fantasia|nombre)\b/],
  ["placeName", /\b(unidade|filial|local|planta|site|branch|place|loja|sede)\b/],
  [
    "document",
    /\b((mtr|manifesto|manifest|documento|document|nota|nf|pedido|order|coleta|protocolo|ordem|lieferung|bestellung|bol|bill of lading|shipment)\b|lieferschein|auftrag)/,
  ],
  ["number", /^(n|no|num|numero|number|nr)( \w+)?$/],
  ["code", /\b(codigo|code|cod|sigla|id|matricula)\b/],
  ["category", /\b(categoria|category|tipo|type|natureza)\b/],
];

/** A header that is nothing but this holds names; with other words beside it, it says whose they are. */
const soleName = /^(kunde|kundenname|firma|customer|client)$/;

/** The header in small letters without accents, signs as spaces: `CNPJ/CPF` → `cnpj cpf`. */
export function headerText(header: string): string {
  return foldText(header)
    .replaceAll("ß", "ss")
    .replace(/[^\p{Letter}\p{Number}]+/gu, " ")
    .trim();
}

/** The header's role; null when it says none. */
export function roleOf(header: string): Role | null {
  const text = headerText(header);
  return patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? (soleName.test(text) ? "name" : null);
}

const fillers =
  /\b(do|da|de|dos|das|del|of|the|e|and|o|a|no|n|num|numero|number|nr|nummer|data|hora|date|time|datum|uhrzeit|kg|t)\b/g;

/** What is left of a header when its role and small words are taken away: `CNPJ do Gerador` → [`gerador`]. */
export function qualifiersOf(header: string): string[] {
  let text = headerText(header);
  for (const [, pattern] of patterns) text = text.replace(new RegExp(pattern.source, "g"), " ");
  return text
    .replace(fillers, " ")
    .split(" ")
    .filter((word) => word.length > 2);
}

/** Whether two words are forms of one: `gerador`, `geradora`, `geração`. */
export function sameStem(one: string, other: string): boolean {
  const length = Math.min(5, one.length, other.length);
  return length >= 3 && one.slice(0, length) === other.slice(0, length);
}

/** A name for a record in the mapping: `Unidade Geradora` → `unidadeGeradora`. */
export function recordName(text: string, fallback: string): string {
  const words = headerText(text)
    .replace(/[^a-z0-9 ]/g, "")
    .replace(/^(n|no|num|numero|number|nr) (?=\w)/, "")
    .split(" ")
    .filter(Boolean);
  const name = words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("");
  return /^[a-z]/.test(name) ? name.slice(0, 40) : fallback;
}
