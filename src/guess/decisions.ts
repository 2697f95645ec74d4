/** What the data decide, and what they leave open. Each question weighs its candidates alike. */

export interface Candidate<T> {
  value: T;
  label: string;
  /** The reason for it, and its weight: 0: none, 2: the data decide. */
  why?: string;
  score?: number;
}

export interface Decision {
  /** The same for the same files, whatever else was answered. */
  id: string;
  question: string;
  candidates: readonly Candidate<unknown>[];
  samples: readonly string[];
}

/** More do not fit into a comment; the rest is counted. */
const MOST_SHOWN = 6;
/** The score that decides, the lead it needs, and the score worth mentioning. */
const SURE = { score: 2, lead: 1.5, told: 0.5 };

export class Decisions {
  readonly open: Decision[] = [];
  /** Decisions that a person should check, one sentence each. */
  readonly notes = new Set<string>();
  readonly #answers: ReadonlyMap<string, number>;
  #comments: string[] = [];

  constructor(answers: ReadonlyMap<string, number>) {
    this.#answers = answers;
  }

  /**
   * Takes the answered candidate, else the one with the highest score. The decision stays open if neither settles it.
   * The next record carries it as a comment, and also a settled one that has rivals.
   */
  choose<T>(id: string, question: string, given: readonly Candidate<T>[], samples: readonly string[] = []): T {
    const score = (one: Candidate<T> | undefined) => one?.score ?? 0;
    const candidates = given.toSorted((one, other) => score(other) - score(one));
    const answer = this.#answers.get(id);
    const chosen = (candidates[answer ?? 0] ?? candidates[0]) as Candidate<T>;
    const sure = score(chosen) >= SURE.score && score(chosen) - score(candidates[1]) >= SURE.lead;
    const rivals = candidates.filter((one) => one !== chosen && score(one) >= SURE.told);
    if (answer === undefined && !sure) {
      this.open.push({ id, question, candidates, samples });
      this.#comments.push(`decide: ${question} ${told(candidates)}`);
    } else if (rivals.length > 0) this.#comments.push(`${question} ${told([chosen])}; not ${told(rivals)}`);
    return chosen.value;
  }

  take(): string[] {
    return this.#comments.splice(0);
  }
}

function told(candidates: readonly Candidate<unknown>[]) {
  const shown = candidates
    .slice(0, MOST_SHOWN)
    .map(({ label, why }) => (why === undefined ? label : `${label} (${why})`));
  return [...shown, ...(candidates.length > MOST_SHOWN ? [`${candidates.length - MOST_SHOWN} more`] : [])].join("; ");
}
