/** The beginning of a CSV file as text, and its records under a guess of the dialect. */
import type { Row } from "../../model/row.js";
import { CsvTokenizer } from "./tokenizer.js";

export interface Sample {
  /** The file's name, for messages. */
  file: string;
  /** From the beginning of the file, without a byte order mark. */
  text: string;
  /** Whether `text` is the whole file. */
  complete: boolean;
}

export interface CsvShape {
  /** One character or more. */
  delimiter: string;
  quote: string | null;
  escape: string | null;
}

export interface SampleRecords {
  /** As far as they can be read; no more than some hundreds. */
  rows: Row[];
  /** How many cells were quoted. */
  quoted: number;
  /** What ended the reading early; null: nothing did. */
  failure: unknown;
}

const MAX_RECORDS = 500;
const PIECE = 16_384;

/** @param firstLine number of the sample's first line. */
export function sampleRecords(sample: Sample, shape: CsvShape, firstLine = 1): SampleRecords {
  const tokenizer = new CsvTokenizer({ ...shape, file: sample.file, firstLine });
  const rows: Row[] = [];
  let failure: unknown = null;
  try {
    for (let start = 0; start < sample.text.length && rows.length < MAX_RECORDS; start += PIECE) {
      const last = sample.complete && start + PIECE >= sample.text.length;
      tokenizer.push(sample.text.slice(start, start + PIECE), last, rows);
    }
  } catch (error) {
    failure = error;
  }
  return { rows, quoted: tokenizer.quotedCells, failure };
}
