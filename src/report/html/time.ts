/** Times in the report: UTC, to the second, and for machines whole. */
import { html, type Markup } from "./markup.js";

/** `2026-11-20 02:00:00 UTC`; a time that is none is shown as `—`. */
export function timeMarkup(ms: number): Markup {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return html`—`;
  const iso = date.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}
