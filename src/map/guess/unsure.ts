/** Collects what a guess was unsure of, each sentence once. */
export interface Unsure {
  say(sentence: string): void;
  readonly sentences: readonly string[];
}

export function collectUnsure(): Unsure {
  const sentences: string[] = [];
  return {
    say(sentence) {
      if (!sentences.includes(sentence)) sentences.push(sentence);
    },
    sentences,
  };
}
