/** Tries delimiters, quotes and escapes on a sample, and takes those that explain it best. */
import type { CsvOptions } from "../../model/dialect.js";
import { type CsvShape, type Sample, sampleRecords } from "./sample.js";
import { CONVINCING, DELIMITERS, scoreDelimiter } from "./score-delimiter.js";

/** A cell between apostrophes. */
const APOSTROPHES = /(^|[,;\t|\r\n])'[^'\r\n]*'(?=[,;\t|\r\n]|$)/;

interface Judged {
  shape: CsvShape;
  rank: number;
  quoted: number;
  /** No stray and no unclosed quote in the sample. */
  clean: boolean;
}

/** What `options` give is kept. Else double quotes, doubled, unless the sample is better explained by something rarer. */
export function bestShape(sample: Sample, options: CsvOptions): CsvShape {
  const delimiters = options.delimiter === undefined ? DELIMITERS : [options.delimiter];
  const quote = options.quote === undefined ? '"' : options.quote;
  const escape = options.escape ?? quote;
  const usual = best(sample, delimiters, quote, escape);
  const rarer: Judged[] = [];
  const consider = (judged: Judged, margin: number) => {
    if (judged.rank >= usual.rank + margin) rarer.push(judged);
  };
  if (options.escape === undefined && quote !== null && sample.text.includes(`\\${quote}`)) {
    consider(best(sample, delimiters, quote, "\\"), 0.001);
  }
  if (options.delimiter === undefined && quote !== null) {
    // A blank behind every delimiter keeps quotes from being seen as such: `a, "b, c"`.
    const spaced = delimiters.map((delimiter) => `${delimiter} `).filter((text) => sample.text.includes(text + quote));
    if (spaced.length > 0) consider(best(sample, spaced, quote, escape), 0.02);
  }
  if (options.quote === undefined && usual.quoted === 0 && APOSTROPHES.test(sample.text)) {
    const apostrophes = best(sample, delimiters, "'", options.escape ?? "'");
    if (apostrophes.quoted > 1 && apostrophes.clean) consider(apostrophes, 0);
  }
  return rarer.toSorted((one, other) => other.rank - one.rank)[0]?.shape ?? usual.shape;
}

/** The best delimiter; where none convinces, the sample is one column, under a delimiter that it does not contain. */
function best(sample: Sample, delimiters: string[], quote: string | null, escape: string | null): Judged {
  const judged = delimiters.map((delimiter) => judge(sample, { delimiter, quote, escape }));
  const first = judged.reduce((leader, candidate) => (candidate.rank > leader.rank ? candidate : leader));
  if (first.rank >= CONVINCING) return first;
  return judged.find(({ shape }) => !sample.text.includes(shape.delimiter)) ?? first;
}

function judge(sample: Sample, shape: CsvShape): Judged {
  if (!sample.text.includes(shape.delimiter)) return { shape, rank: 0, quoted: 0, clean: true };
  const { rows, quoted, failure } = sampleRecords(sample, shape);
  const clean = failure === null && rows.every((row) => row.problems === null);
  return { shape, rank: scoreDelimiter(rows) * (failure === null ? 1 : 0.5), quoted, clean };
}
