/** The meaning of headers in Portuguese, English, Spanish, German and French. Only a hint: the cells decide. */
import { columnSlug } from "../map/column/names.js";
import { foldWords } from "../map/convert/text.js";

/**
 * The first role with a word in the folded header wins. `*`: any end or beginning of a word, `_`: a blank, `^`: the whole header.
 */
const table = {
  name: "^kunde ^kunden ^kundenname ^firma ^organi* ^customer ^client* ^lieferant ^vendor ^supplier ^fornecedor ^proveedor ^fournisseur ^auftraggeber ^auftraggeber_empf* ^solicitante ^requerente ^titular ^interessado ^beneficiario ^favorecido ^transportador* ^carrier ^gerador* ^applicant ^member ^patient ^subscriber ^student ^policyholder ^antragsteller ^klant ^klantna* ^shipper ^consignee ^sender ^insured ^emitente ^remetente ^destinatario ^sacado ^tomador ^segurado ^asegurado ^aluno ^alumno ^paciente ^produtor ^responsavel ^debitor ^debitoren ^deb ^kreditor ^kreditoren ^kred ^cli ^forn ^fornece ^emissor ^empfanger ^absender ^producteur ^expediteur ^destinataire ^party ^buyer ^comprador",
  taxIdType: "tipo_doc* tipo_do_doc* tipo_de_doc* tipo_identificacion document_type id_type tax_id_type",
  taxId:
    "cnpj cpf cgc nif cif nipc nip gstin npi siren siret kvk partita_iva p_iva piva codice_fiscale tax_id taxid vat rut ruc cuit rfc ein fein ust_id* ustid* uid",
  personal:
    "nascimento nasc nacimiento birth* dob geburt* naissance validade validez valid_until valid_to valid_thru vencimento vencimiento vence expir* due prazo estimat* estimad* previst* expected eta planned scheduled agendad* geplant* faellig* fallig* caducidad echeance gultig* scad* verval* splatn* forfall* forfald*",
  related: "relacionad* vinculad* related linked referenciad*",
  zipCode: "cep cp c_p ^cap zip* postal postcode post_code plz postleitzahl",
  neighborhood: "bairro neighborhood neighbourhood barrio colonia",
  complement: "complemento complement",
  number: "street_number street_no num_ext* no_ext* numero_ext*",
  email: "email* e_mail* ip_address mac_address web_address",
  street:
    "rua morada logradouro endereco street address address1 addr addr1 calle direccion indirizzo domicilio avenida strasse str adresse straat ulica",
  house: "hausn* haus_nr huisn* civico house_number house_no house_nr",
  city: "municipio plaats woonplaats miasto concelho poblacion comuna cidade city town ciudad localidade localidad ort stadt ville citta",
  state: "uf provincia ^prov province distrito bundesland",
  stateOrStatus: "estado state",
  country: "pais country land pays",
  latitude: "lat latitude latitud",
  longitude: "lon lng long longitude longitud",
  phone: "telefon* tel phone mobile celular fone fax whatsapp handy",
  position:
    "^pos ^position ^posn* ^pos_n* ^position_n* ^positionsn* ^line ^line_n* ^item_n* ^zeile ^linha ^linea ^ligne ^riga",
  voucher: "materialbeleg* material_document* mat_doc",
  goods:
    "sku material* produto product producto artikel item ean gtin ncm asset equipment placa* plate plaque immatriculation kennzeichen targa veiculo vehicle",
  amount:
    "valor vl vlr preco importe price precio preis montant amount quantia quantidade qtd* quantity qty quantita importo cantidad *menge peso weight *gewicht *betrag *preis *wert value total subtotal debit* credit* saldo balance solde taxa rate volume bultos tara tare brutto netto bruto gross ^net ^km ^kms custo costo coste cost cout kosten range referenzbereich normbereich",
  unit: "^un ^und ^unid ^unidad ^unit ^unite ^einheit ^me ^uom ^um ^u_m ^ud",
  eventType:
    "event evento gebeurtenis etape etapa movimento movimentacao operacao ocorrencia fase stage step vorgang ereignis activity atividade actividad action acao",
  status: "situacao status situacion",
  public: "^publico ^publica ^public ^is_public ^visivel ^visible",
  reason: "motivo reason justificativa razao_do_cancelamento",
  ticket: "ticket tiquete romaneio certificado cdf comprovante recibo receipt laudo",
  duration:
    "dauer duration* duracao duracion duree elapsed laufzeit fahrzeit arbeitszeit stunden hours horas heures minutes minuten minutos seconds sekunden segundos",
  created:
    "emissao emitido criacao criado cadastro created issued ^issue issue_d* issue_time* of_issue emision emission erstellt",
  closed: "encerramento encerrado fechamento conclusao closed close closing cierre abschluss",
  legal:
    "razao_social razon_social raison_sociale nome nm name empresa company fantasia nombre nom denominacion denominacao_social",
  placeName: "unidade estabelecimento filial local planta site branch place loja sede werk",
  day: "belegdat*",
  document:
    "mtr bsd issue_key issue_id issue_n* manifest* document* nota nf nfe fatura factura facture invoice rechnung pedido order coleta protocol* claim* ordem lieferung bestellung bol bill_of_lading shipment ddt formulario ordine fattura contrato contract booking reserva caso case os lote lot lieferschein* auftrag* remito* albaran* commande* folio* guia* remision* consignment* batch* charge chargennummer ^chave chave_de_acesso atendimento beleg* *beleg *auftrag rechnungsn* docket* processo expediente aktenzeichen",
  series: "serie series",
  numbered: "^n ^no ^num ^numero ^number ^nr ^n_* ^no_* ^num_* ^numero_* ^number_* ^nr_*",
  code: "version versao ^account ^konto ^conta ^cuenta ^compte codigo code cod cd sigla id matricula ref reference referencia",
  category: "categoria category tipo type natureza",
  time: "data date datum dh dthr fecha dt ts hora heure time uhrzeit timestamp quando when epoch unix dia day tag at tijd*",
};
export type Role = Exclude<keyof typeof table, "legal" | "house" | "day" | "voucher">;
/** Less telling words for another role. */
const same: { [role: string]: string } = { legal: "name", house: "number", day: "time", voucher: "document" };

const formOf = (word: string) => ({ parts: word.replace("^", "").split("_"), whole: word.startsWith("^") });
const forms = Object.entries(table).flatMap(([role, words]) =>
  words.split(" ").map((word) => ({ role: (same[role] ?? role) as Role, ...formOf(word) })),
);

/** -1: not found. */
function find(words: readonly string[], { parts, whole }: ReturnType<typeof formOf>) {
  const fits = (word = "", part = "") =>
    part.endsWith("*")
      ? word.startsWith(part.slice(0, -1))
      : part.startsWith("*")
        ? word.endsWith(part.slice(1))
        : word === part;
  if (whole && words.length !== parts.length) return -1;
  return words.findIndex((_, at) => parts.every((part, next) => fits(words[at + next], part)));
}

/** `DataPedido` → `Data Pedido`. */
export const spaced = (header: string): string => header.replace(/(\p{Lowercase})(\p{Uppercase})/gu, "$1 $2");

/** The words of a header. */
export const foldHeader = (header: string): string => foldWords(spaced(header.slice(0, 500)));

const wordsOf = (header: string) => foldHeader(header).split(" ");

export function roleOf(header: string): Role | null {
  const words = wordsOf(header);
  return forms.find((form) => find(words, form) >= 0)?.role ?? null;
}

/** `Código do Cliente`, `Customer ID`. */
export const namesParty = (header: string): boolean => wordsOf(header).some((word) => roleOf(word) === "name");

/** Words that suggest a country if nothing else does. */
const spoken = new Map(
  Object.entries({
    BR: "data emissao peso pedido nome cidade valor hora placa",
    ES: "fecha importe albaran proveedor provincia nombre cantidad folio",
    DE: "datum betrag menge kunde firma *nummer *datum *tag uhrzeit wahrung werk ort",
    FR: "montant quantite fournisseur ville poids heure societe adresse raison dechet statut piece libelle intitule ecriture compte",
    IT: "data indirizzo citta partita importo fattura ddt quantita peso ora",
    US: "date order customer amount weight city state name time when quantity qty status batch product shipping at on by of",
  }).map(([country, words]) => [country, words.split(" ").map(formOf)]),
);

/** How many words of the headers suggest the country. */
export function wordsOfCountry(country: string, headers: readonly string[]): number {
  const own = spoken.get(country) ?? [];
  return headers.flatMap(wordsOf).filter((word) => own.some((form) => find([word], form) === 0)).length;
}

/** Words for dates that are planned, promised, the end of a term or a whole month: they do not say what happened. */
const ahead =
  "prev prevu* previs* program* agend* promis* promet* comprom* limit* deadline sla target *termin wunsch* desejad* requested_* required* need_by next proxim* renew* renova* *warrant* garant* vigencia contract_end best_before use_by horizon* nac aniversario month mes mois *monat competenc*"
    .split(" ")
    .map(formOf);

export const isAhead = (header: string): boolean => {
  const words = wordsOf(header);
  return ahead.some((form) => find(words, form) >= 0);
};

const telling = new Set<Role>(["time", "personal", "created", "closed"]);

/** Whether digits below it may be a time; not for `Closed by` and `Date id`. */
export function tellsTime(header: string): boolean {
  const words = wordsOf(header);
  const isOther = words.some((word) => /^(by|por|von|par|id|no|nr|num|numero)$/.test(word));
  return !isOther && forms.some((form) => telling.has(form.role) && find(words, form) >= 0);
}

/** The zone that a header names: `created_at_utc` → UTC, `Data (UTC-5)` → Etc/GMT+5, which turns the sign. */
export function zoneOf(header: string): string | undefined {
  const zone =
    /(?<![\p{L}\d])(?:utc|gmt)(?:\s?([+-])\s?0?(\d\d?)(?::?00)?)?(?![\p{L}\d:]|\s?[+-]\s?\d|[ _]offset)/iu.exec(header);
  if (zone === null || Number(zone[2] ?? 0) > 12) return undefined;
  return Number(zone[2] ?? 0) === 0 ? "UTC" : `Etc/GMT${zone[1] === "-" ? "+" : "-"}${zone[2]}`;
}

const fillers = new Set(
  "do da de dos das del of the and num numero number nummer data hora heure date time datum uhrzeit".split(" "),
);
/** Roles whose words say whom a column belongs to, not what it holds. */
const speaking = new Set<Role>(["goods", "amount", "time", "personal"]);

/** The rest of a header without its role and small words: `CNPJ do Gerador` → [`gerador`]. */
export function qualifiersOf(header: string): string[] {
  const words = wordsOf(header);
  for (const form of forms)
    while (!form.whole && !speaking.has(form.role) && find(words, form) >= 0)
      words.splice(find(words, form), form.parts.length);
  return words.filter((word) => word.length > 2 && !fillers.has(word));
}

/** Forms of one word: `gerador`, `geradora`, `geração`. */
export function sameStem(one: string, other: string): boolean {
  const length = Math.min(5, one.length, other.length);
  return length >= 3 && one.slice(0, length) === other.slice(0, length);
}

/** A free name for a column or record: `Nº da Coleta (kg)` → `no_da_coleta_kg`. Adds it to `names`. */
export function nameOf(text: string, fallback: string, names: Set<string> = new Set()): string {
  const slug = columnSlug(foldHeader(text)).slice(0, 40);
  // YAML 1.1 takes these for true and false.
  const wanted = slug === "column" ? fallback : /^(no|yes|on|off|y|n)$/.test(slug) ? `${slug}_` : slug;
  let free = wanted;
  for (let next = 2; names.has(free); next++) free = `${wanted}_${next}`;
  names.add(free);
  return free;
}
