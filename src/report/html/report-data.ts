/** What the HTML report shows. Whoever builds it decides how many examples there are; `total` says how many there were. */
import type { Code } from "../../model/codes.js";
import type { Summary } from "../../model/summary.js";

/** Some of `total` items. */
export interface Sample<Item> {
  total: number;
  items: Item[];
}

export interface ReportData {
  summary: Summary;
  /** Requests sent, in equal spans of time from the first request on; null when none was sent. */
  pace: {
    /** ms since 1970. */
    startedAt: number;
    spanMs: number;
    /** Requests per span, in order. */
    sent: number[];
    /** Of these, refused with 429. */
    rateLimited: number[];
  } | null;
  problems: ProblemGroup[];
  warnings: ProblemGroup[];
  held: Sample<HeldEvent>;
  stranded: Sample<StrandedDocument>;
  identities: Sample<IdentityWarning>;
  geographies: Sample<UnresolvedGeography>;
  /** Documents of which something failed. */
  timelines: Sample<Timeline>;
}

/** All problems of one cause. */
export interface ProblemGroup {
  code: Code;
  total: number;
  rows: {
    file: string;
    sheet: string | null;
    /** Null: no row of a file is known for it. */
    row: number | null;
    column: string | null;
    message: string;
    hint: string | null;
  }[];
}

export interface HeldEvent {
  document: { kind: string; key: string };
  event: string;
  /** externalCreatedAt in ms since 1970. */
  at: number;
  reason: "failed" | "stalled" | "unsettled" | "stranded" | "deferred" | "unknown";
  /** What it waits for, in words. */
  waitsFor: string;
  /** `march.csv, row 17`; null when no row is known. */
  place: string | null;
}

export interface StrandedDocument {
  document: { kind: string; key: string };
  deduplicationId: string;
  /** When the create went out, ms since 1970. */
  sentAt: number;
  /** `x-request-id: …`, as far as answers came. */
  requestIds: string[];
  /** Its events that wait for the id. */
  waiting: number;
}

export interface IdentityWarning {
  code: Code;
  /** The natural key or document key as people know it. */
  identity: string;
  message: string;
  /** Where the different data stands. */
  places: string[];
}

export interface UnresolvedGeography {
  participant: string;
  address: string;
  status: string | null;
  unresolvedLevel: string | null;
  candidates: { code: string; name: string; subdivisionCode: string | null }[];
}

export interface Timeline {
  document: { kind: string; key: string };
  documentId: string | null;
  state: string;
  events: {
    name: string;
    /** externalCreatedAt in ms since 1970. */
    at: number;
    state: string;
    /** Why it is in that state; null where the state says it all. */
    reason: string | null;
    place: string | null;
  }[];
  /** Events of this document that are not shown. */
  more: number;
}
