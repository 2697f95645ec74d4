/** Identities with different data, and addresses whose location the service could not tell. */
import { codes } from "../../model/codes.js";
import { html, type Markup } from "./markup.js";
import type { IdentityWarning, ReportData, UnresolvedGeography } from "./report-data.js";
import { leftOut, section } from "./section.js";

export function identitiesSection({ identities }: ReportData): Markup | null {
  if (identities.total === 0) return null;
  const lead =
    "One identity came with different data. The service keeps what it was told first; nothing can be updated there.";
  const items = identities.items.map(identityMarkup);
  return section(
    "identities",
    "Identity warnings",
    identities.total,
    lead,
    html`<ul class="cards">${items}</ul>${leftOut(identities)}`,
  );
}

function identityMarkup({ code, identity, message, places }: IdentityWarning): Markup {
  return html`<li><h3>${identity}</h3><p>${message}</p><p class="place">${places.join(" · ")}</p>
<p class="hint"><code>${code}</code> ${codes[code].remedy}</p></li>`;
}

export function geographiesSection({ geographies }: ReportData): Markup | null {
  if (geographies.total === 0) return null;
  const lead =
    "The service registered these addresses without being sure where they are. Where it names candidates, write the place as one of them in the data that comes next.";
  const items = geographies.items.map(geographyMarkup);
  return section(
    "geographies",
    "Unresolved locations",
    geographies.total,
    lead,
    html`<ul class="cards">${items}</ul>${leftOut(geographies)}`,
  );
}

function geographyMarkup({ participant, address, status, unresolvedLevel, candidates }: UnresolvedGeography): Markup {
  const facts = [
    status === null ? null : `status ${status}`,
    unresolvedLevel === null ? null : `unresolved: ${unresolvedLevel}`,
  ];
  const list = candidates.map(({ code, name, subdivisionCode }) => {
    return html`<li>${name}${subdivisionCode === null ? null : ` (${subdivisionCode})`} <code>${code}</code></li>`;
  });
  return html`<li><h3>${address}</h3><p>${participant}</p>
<p class="place">${facts.filter((fact) => fact !== null).join(" · ")}</p>
${list.length === 0 ? html`<p>No candidates.</p>` : html`<p>Candidates:</p><ul class="candidates">${list}</ul>`}</li>`;
}
