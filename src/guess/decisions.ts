/** What the data decide, what is still open, and how a draft is written down. */

export interface Candidate<T> {
  value: T;
  /** As a person would call it: a header in quotes, or a few words. */
  label: string;
  /** What speaks for it. */
  why?: string;
}

export interface Decision {
  /** The same for the same files, whatever else has been answered: the input's name, if it is one of an input, and what is decided. */
  id: string;
  question: string;
  candidates: readonly Candidate<unknown>[];
  /** Cells to be shown beside the question. */
  samples: readonly string[];
}

/** More than a comment can hold; the rest is counted. */
const MOST_SHOWN = 6;

export class Decisions {
  readonly open: Decision[] = [];
  /** What a person should look at although it is decided, one sentence each. */
  readonly notes = new Set<string>();
  readonly #answers: ReadonlyMap<string, number>;
  /** Comments that wait for the record that they belong to. */
  #comments: string[] = [];

  /** `answers`: positions of candidates by the decision's id. */
  constructor(answers: ReadonlyMap<string, number>) {
    this.#answers = answers;
  }

  /**
   * The answered candidate, else the first. Where neither an answer nor the data make it `sure`, the decision is open. The next
   * record written carries it as a comment, and also what was sure where it has rivals, for a person knows better.
   */
  choose<T>(
    id: string,
    question: string,
    candidates: readonly Candidate<T>[],
    sure: boolean,
    samples: readonly string[] = [],
  ): T {
    const answer = this.#answers.get(id);
    const chosen = (candidates[answer ?? 0] ?? candidates[0]) as Candidate<T>;
    const rivals = candidates.filter((one) => one !== chosen);
    if (!sure && answer === undefined) {
      this.open.push({ id, question, candidates, samples });
      this.#comments.push(`decide: ${question} ${told(candidates)}`);
    } else if (rivals.length > 0) this.#comments.push(`${question} ${told([chosen])}; not ${told(rivals)}`);
    return chosen.value;
  }

  /** The comments of what was chosen since the last call. */
  take(): string[] {
    return this.#comments.splice(0);
  }
}

function told(candidates: readonly Candidate<unknown>[]): string {
  const shown = candidates
    .slice(0, MOST_SHOWN)
    .map(({ label, why }) => (why === undefined ? label : `${label} (${why})`));
  return [...shown, ...(candidates.length > MOST_SHOWN ? [`${candidates.length - MOST_SHOWN} more`] : [])].join("; ");
}

export type Flow = string | number | boolean | null | Flow[] | { [name: string]: Flow | undefined };

export interface Member {
  name: string;
  value: Flow | Block;
  /** Comments of their own, above the member. */
  above?: readonly string[];
  /** Stands behind the value. */
  note?: string;
}

/** Members below each other. */
export class Block {
  readonly members: Member[];

  constructor(members: Member[]) {
    this.members = members;
  }

  add(name: string, value: Member["value"], more: { above?: readonly string[]; note?: string } = {}): void {
    this.members.push({ name, value, ...more });
  }

  /** Lines, each ending in a line feed. */
  write(indent = ""): string {
    const lines = this.members.map(({ name, value, above = [], note = "" }) => {
      const head = above.map((line) => `${indent}# ${oneLine(line)}\n`).join("");
      const behind = note === "" ? "" : ` # ${oneLine(note)}`;
      const rest = value instanceof Block ? `${behind}\n${value.write(`${indent}  `)}` : ` ${flow(value)}${behind}\n`;
      return `${head}${indent}${scalar(name)}:${rest}`;
    });
    return lines.join("");
  }
}

/** A text that no line break, control or direction mark leaves its line. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Control}\p{Surrogate}\p{Format}]+/gu, " ").trim();
}

function flow(value: Flow): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (value === null || typeof value !== "object") return typeof value === "string" ? scalar(value) : String(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const written = members.map(([name, member]) => `${scalar(name)}: ${flow(member as Flow)}`).join(", ");
  return written === "" ? "{}" : `{ ${written} }`;
}

/** Words, codes and formulas of one name go bare; whatever YAML could take for something else is quoted. */
const bare = /^(?:=[a-z][a-z0-9_.]*|\p{Letter}(?:[\p{Letter}\p{Number} ./()_-]*[\p{Letter}\p{Number})])?)$/u;
const otherwise = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

function scalar(text: string): string {
  if (bare.test(text) && !otherwise.test(text)) return text;
  const plain = /^[\p{Letter}\p{Number}\p{Punctuation}\p{Symbol} ]+$/u.test(text);
  return plain && text.includes('"') ? `'${text.replaceAll("'", "''")}'` : JSON.stringify(text);
}
