import { usage } from "../code.js";

/** Mapping files, and what they are guessed from. */
export const mappingCodes = {
  "mapping-missing": usage(
    "The mapping file, or a file that it names, does not exist or cannot be read.",
    "Check the path and its permissions, then run the command again.",
    "`rowferry check maps/manifests.yaml` where there is no folder maps.",
  ),
  "text-not-utf8": usage(
    "A mapping, its cases, a settings file or `.env` is not UTF-8, so some of its letters cannot be read.",
    "Save the file as UTF-8 (in most editors: Save as, Encoding). Only data files may have another encoding.",
    "A mapping saved as ANSI, with `name: Pesagem não fiscal` in it.",
  ),
  "mapping-too-large": usage(
    "The mapping is larger, deeper or more repetitive than any mapping needs to be.",
    "Split the mapping, move long value lists into a CSV file next to it, and write out what aliases repeat.",
    "Ten anchors, each repeating the one before ten times.",
  ),
  "mapping-syntax": usage(
    "The mapping is not valid YAML.",
    "Correct the line named; an editor with YAML support shows the place.",
    '`type: =a == "x" ? "y" : "z"` without quotes around it: YAML ends the text at `: `.',
  ),
  "mapping-unknown-key": usage(
    "The mapping uses a name that the language does not have.",
    "Use the name suggested, or see docs/reference/mapping.md for the names allowed there.",
    "`colums:`; the message suggests `columns`.",
  ),
  "mapping-value": usage(
    "Something is missing in the mapping, or has a value that is not allowed there.",
    "Write what the message asks for; docs/reference/mapping.md describes every setting.",
    "`isPublic: yes please`, or `name: generator` where `=generator` was meant.",
  ),
  "mapping-reference": usage(
    "A record refers to a participant, address or document that the mapping does not define.",
    "Use a name of the same input, `{ ref: …, key: … }` for a record of another row or input, or list the name under `elsewhere`.",
    "`participant: generatr` where the input defines `generator`.",
  ),
  "mapping-event-key": usage(
    "An event does not say what distinguishes it from others of its name on its document.",
    "Write `key: once`, a formula, a list of formulas, or `key: content` with `within: file` or `within: import`.",
    "A weighing without `key:`; two weighings of one manifest would be taken for one.",
  ),
  "mapping-expression": usage(
    "A formula cannot be parsed, uses an unknown name, or combines types that do not fit.",
    "Correct it at the caret. A column is text unless it says `as: number` or another type.",
    "`=weight > 10` where `weight: Peso` is text; `weight: { header: Peso, as: number }` is right.",
  ),
  "mapping-pattern": usage(
    "A regular expression cannot be compiled, or is too large.",
    "Write it in RE2 syntax: no look-around, no back references, at most 1,000 characters.",
    '`pattern: "(?=x)"`.',
  ),
  "mapping-rule": usage(
    "The mapping describes something that the service always refuses.",
    "Change it as the message says; the rule is named in it.",
    "A CANCEL event without an attribute named exactly `reason`.",
  ),
  "mapping-functions": usage(
    "The module with custom functions cannot be loaded, or exports something that a formula cannot call.",
    "Make it an ES module next to the mapping whose exports are plain functions with at least one parameter.",
    "`functions: ./fns.mjs` where fns.mjs throws while it loads.",
  ),
  "mapping-lookup": usage(
    "A table that the mapping names lacks a column, cannot be read, or has two rows with the same key.",
    "Correct the CSV file named: it needs a header, and one row for each key.",
    "`SP` appears twice in states.csv with different codes.",
  ),
  "mapping-files": usage(
    "A file fits none of the mapping's inputs, or more than one.",
    "Adjust the `files:` patterns of the inputs, or rename the file.",
    "`import m.yaml scales.csv` where the inputs read `*manifest*.csv` and `*weighing*.csv`.",
  ),
  "mapping-invalid": usage(
    "The mapping has several mistakes; all of them are listed.",
    "Correct them, starting with the first, then check the mapping with `rowferry check <mapping>`.",
    "A misspelt setting, an unknown record name and a formula of the wrong type.",
  ),
  "mapping-doubtful": usage(
    'The mapping is valid, but says something that is seldom intended. A warning; an error if a "?" was left where an id belongs.',
    "Look at the place named; change it, or keep it if it is intended.",
    "`key: content`: an edited row becomes a new event instead of a changed one.",
  ),
  "mapping-draft": usage(
    "The mapping is a draft: it leaves open decisions that only a person can make.",
    "Decide each line that begins with `# decide:` and remove it; then remove `draft: true`. Until then, rehearse with `--sandbox`.",
    "`# decide: which column is the key, Ticket or Nr?` in a mapping that `rowferry guess` wrote.",
  ),
};
