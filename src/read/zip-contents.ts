/** What a zip file holds, as far as its list of entries tells: a workbook, one CSV file, or something to refuse. */
import { fromFdPromise, type Entry, type ZipFile } from "yauzl";
import { RowferryError } from "../model/error.js";
import type { OpenedFile } from "./opened-file.js";

/** More entries than any workbook has. */
const MAX_ENTRIES = 20_000;

export type ZipContents = { kind: "workbook" } | { kind: "csv"; zip: ZipFile; entry: Entry };

/**
 * Reads the list of entries. The file stays open; closing it is left to its owner.
 * @throws RowferryError `file-corrupt`, `file-refused`, `file-protected`, `archive-ambiguous`.
 */
export async function zipContents(file: OpenedFile): Promise<ZipContents> {
  const entries: Entry[] = [];
  let zip: ZipFile;
  try {
    zip = await fromFdPromise(file.handle.fd, { autoClose: false, lazyEntries: true });
    for await (const entry of zip.eachEntry()) {
      entries.push(entry);
      if (entries.length > MAX_ENTRIES) throw new Error(`more than ${MAX_ENTRIES} entries`);
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `it begins like a zip file or workbook but is damaged or cut off (${reason})`;
    throw new RowferryError("file-corrupt", message, { place: { file: file.name }, cause });
  }
  const names = entries.map((entry) => entry.fileName.replaceAll("\\", "/").replace(/^\/+/, "").toLowerCase());
  refuseOtherOffice(file, names);
  if (names.includes("[content_types].xml") || names.some((name) => name.startsWith("xl/")))
    return { kind: "workbook" };
  const files = entries.filter(({ fileName }) => !isClutter(fileName));
  const entry = files[0];
  if (entry === undefined || files.length > 1) {
    const shown = files.slice(0, 5).map(({ fileName }) => fileName);
    const what =
      entry === undefined ? "no file" : `${files.length} files (${shown.join(", ")}${files.length > 5 ? ", …" : ""})`;
    throw new RowferryError("archive-ambiguous", `the archive holds ${what}, not one`, { place: { file: file.name } });
  }
  if (entry.isEncrypted()) {
    throw new RowferryError("file-protected", `${entry.fileName} in the archive is protected with a password`, {
      place: { file: file.name },
    });
  }
  return { kind: "csv", zip, entry };
}

function refuseOtherOffice(file: OpenedFile, names: string[]): void {
  const what = names.includes("xl/workbook.bin")
    ? "an Excel workbook in the binary .xlsb format; save it as .xlsx"
    : names.some((name) => name.startsWith("word/"))
      ? "a Word document"
      : names.some((name) => name.startsWith("ppt/"))
        ? "a PowerPoint presentation"
        : names.includes("content.xml") && names.includes("mimetype")
          ? "an OpenDocument file (.ods); save it as .xlsx or CSV"
          : names.includes("index/document.iwa") || names.some((name) => name.endsWith(".iwa"))
            ? "a Numbers or Pages document; export it as .xlsx or CSV"
            : null;
  if (what !== null) throw new RowferryError("file-refused", `the file is ${what}`, { place: { file: file.name } });
}

/** Folders, hidden files, and what macOS and Windows add to archives by themselves. */
function isClutter(name: string): boolean {
  const last = name.split(/[\\/]/).at(-1) ?? "";
  return (
    last === "" || last.startsWith(".") || name.startsWith("__MACOSX/") || /^(thumbs\.db|desktop\.ini)$/i.test(last)
  );
}
