import type { CodeEntry } from "../code.js";
import { ExitCode } from "../exit-code.js";

/** Mapping files, and what they are guessed from. */
export const mappingCodes = {
  "mapping-missing": {
    meaning: "The mapping file, or a file beside it that it names, does not exist or cannot be read.",
    remedy: "Check the path and its permissions, then run the command again.",
    example: "`rowferry check maps/manifests.yaml` where there is no folder maps.",
    exit: ExitCode.usage,
  },
  "text-not-utf8": {
    meaning: "A mapping, its cases, a settings file or `.env` is not UTF-8, so some of its letters cannot be read.",
    remedy:
      "Save the file as UTF-8 (in an editor under Save as, Encoding). Tables of data may have other encodings; these files may not.",
    example: "A mapping saved as ANSI, with `name: Pesagem não fiscal` in it.",
    exit: ExitCode.usage,
  },
  "mapping-too-large": {
    meaning: "The mapping is larger, deeper or more repetitive than any mapping needs to be.",
    remedy: "Split the mapping, move long value lists into a CSV file beside it, and write out what aliases repeat.",
    example: "Ten anchors, each repeating the one before ten times.",
    exit: ExitCode.usage,
  },
  "mapping-syntax": {
    meaning: "The mapping is not valid YAML.",
    remedy: "Correct the line named; an editor with YAML support shows the place.",
    example: '`type: =a == "x" ? "y" : "z"` without quotes around it: YAML ends the text at `: `.',
    exit: ExitCode.usage,
  },
  "mapping-unknown-key": {
    meaning: "The mapping uses a name that the language does not know.",
    remedy: "Use the name suggested, or see docs/reference/mapping.md for the names allowed there.",
    example: "`colums:`; the message suggests `columns`.",
    exit: ExitCode.usage,
  },
  "mapping-value": {
    meaning: "Something is missing in the mapping, or has a value that is not allowed there.",
    remedy: "Write what the message asks for; docs/reference/mapping.md describes every setting.",
    example: "`isPublic: yes please`, or `name: generator` where `=generator` was meant.",
    exit: ExitCode.usage,
  },
  "mapping-reference": {
    meaning: "A record refers to a participant, address or document that the mapping does not define.",
    remedy:
      "Use a name of the same input, `{ ref: …, key: … }` for a record of another row or input, or list the name under `elsewhere`.",
    example: "`participant: generatr` where the input defines `generator`.",
    exit: ExitCode.usage,
  },
  "mapping-event-key": {
    meaning: "An event does not say what distinguishes it from others of its name on its document.",
    remedy:
      "Write `key: once`, a formula, a list of formulas, or `key: content` with `within: file` or `within: import`.",
    example: "A weighing without `key:`; two weighings of one manifest would be taken for one.",
    exit: ExitCode.usage,
  },
  "mapping-expression": {
    meaning: "A formula cannot be parsed, uses an unknown name, or combines types that do not fit.",
    remedy: "Correct it at the caret. A column is text unless it says `as: number` or another type.",
    example: "`=weight > 10` where `weight: Peso` is text; `weight: { header: Peso, as: number }` is right.",
    exit: ExitCode.usage,
  },
  "mapping-pattern": {
    meaning: "A regular expression cannot be compiled, or is too large.",
    remedy: "Write it in RE2 syntax: no look-around, no back references, at most 1,000 characters.",
    example: '`pattern: "(?=x)"`.',
    exit: ExitCode.usage,
  },
  "mapping-rule": {
    meaning: "The mapping describes something that the service always refuses.",
    remedy: "Change it as the message says; the rule is named in it.",
    example: "A CANCEL event without an attribute named exactly `reason`.",
    exit: ExitCode.usage,
  },
  "mapping-functions": {
    meaning: "The module with custom functions cannot be loaded, or exports what cannot be called from a formula.",
    remedy: "Make it an ES module beside the mapping whose exports are plain functions with at least one parameter.",
    example: "`functions: ./fns.mjs` where fns.mjs throws while it loads.",
    exit: ExitCode.usage,
  },
  "mapping-lookup": {
    meaning: "A table beside the mapping lacks a column, cannot be read, or has two rows of one key.",
    remedy: "Correct the CSV file named: a header, and one row for each key.",
    example: "`SP` appears twice in states.csv with different codes.",
    exit: ExitCode.usage,
  },
  "mapping-files": {
    meaning: "A file fits none of the mapping's inputs, or more than one.",
    remedy: "Adjust the `files:` patterns of the inputs, or rename the file.",
    example: "`import m.yaml scales.csv` where the inputs read `*manifest*.csv` and `*weighing*.csv`.",
    exit: ExitCode.usage,
  },
  "mapping-invalid": {
    meaning: "The mapping has several mistakes; all of them are listed.",
    remedy: "Correct them from the first on, and run `rowferry check` with the mapping.",
    example: "A misspelt setting, an unknown record name and a formula of the wrong type.",
    exit: ExitCode.usage,
  },
  "mapping-doubtful": {
    meaning:
      'The mapping is valid, but says something that is seldom meant. A warning; an error where it leaves an id as "?".',
    remedy: "Look at the place named; change it, or leave it knowingly.",
    example: "`key: content`: an edited row becomes a new event instead of a changed one.",
    exit: ExitCode.usage,
  },
  "mapping-draft": {
    meaning: "The mapping is a draft: it leaves decisions open that only a person can make.",
    remedy:
      "Decide each line that begins with `# decide:` and remove it; then remove `draft: true`. Until then, rehearse with `--sandbox`.",
    example: "`# decide: which column is the key, Ticket or Nr?` in a mapping that `rowferry guess` wrote.",
    exit: ExitCode.usage,
  },
} as const satisfies Record<string, CodeEntry>;
