/** The position contract, kept by the CSV reader. The Excel reader runs the same suite in its own test. */
import { positionSuite } from "../support/read/position-suite.js";
import { temporaryFile } from "../support/read/read-file.js";
import { pinned, type WrittenDialect, writeCsv } from "../support/read/write-csv.js";

const common: WrittenDialect = {
  delimiter: ";",
  quote: '"',
  escape: "double",
  lineEnding: "\r\n",
  quoteAll: false,
  encoding: "utf-8",
  bom: true,
  finalNewline: true,
};

for (const [name, dialect] of [
  ["CSV as Excel writes it", common],
  [
    "CSV in UTF-16 with tabs, everything quoted",
    { ...common, delimiter: "\t", encoding: "utf-16le", lineEnding: "\n", quoteAll: true },
  ],
  [
    "CSV with old line endings and none at the end",
    { ...common, delimiter: ",", lineEnding: "\r", bom: false, finalNewline: false },
  ],
] as const) {
  positionSuite(name, async (table) => {
    const { bytes, lines } = writeCsv(table, dialect);
    return {
      path: await temporaryFile(bytes),
      options: { csv: pinned(dialect) },
      numberOf: (index) => lines[index] ?? -1,
    };
  });
}
