/** What the data decide, and what is open. Each question has candidates with what speaks for them, weighed alike. */

export interface Candidate<T> {
  value: T;
  /** As a person would call it: a header in quotes, or a few words. */
  label: string;
  /** What speaks for it, in words, and how much: at 0 nothing does, at 2 the data decide. */
  why?: string;
  score?: number;
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
/** A score that decides, how far it must lead, and one that is worth a word. */
const SURE = { score: 2, lead: 1.5, told: 0.5 };

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
   * The answered candidate, else the one of the highest score. Where neither an answer nor its score settles it, the decision is open.
   * The next record written carries it as a comment, and also what was settled where it has rivals, for a person knows better.
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
