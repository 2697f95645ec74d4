/** Walks the parts of a workbook: from their bytes to what their XML says, errors naming the part. */
import { RowferryError } from "../../model/error.js";
import { decodeXml } from "./decode-xml.js";
import { corrupt, reasonOf, refused } from "./fault.js";
import { DoctypeError, type XmlHandlers, XmlScanner } from "./xml-scanner.js";
import type { ZipParts } from "./zip-parts.js";

/** Walks one part to its end. @throws RowferryError naming the part. */
export async function walkPart(parts: ZipParts, name: string, handlers: XmlHandlers): Promise<void> {
  for await (const _ of walkInPieces(parts, name, handlers, "part"));
}

/** Walks one part, giving control back after every piece, for as long as it is asked to go on. */
export async function* walkInPieces(
  parts: ZipParts,
  name: string,
  handlers: XmlHandlers,
  kind: "part" | "sheet",
): AsyncGenerator<void> {
  try {
    const scanner = new XmlScanner(handlers);
    for await (const text of decodeXml(parts.read(name, kind))) {
      scanner.write(text);
      yield;
    }
    scanner.end();
    yield;
  } catch (cause) {
    throw partError(parts, name, cause);
  }
}

/** What went wrong in a part, as the file's error. */
export function partError(parts: ZipParts, name: string, cause: unknown): RowferryError {
  if (cause instanceof RowferryError) return cause;
  if (cause instanceof DoctypeError) {
    const message = `its part ${name} declares a document type, which no workbook has and which hides entity bombs`;
    return refused("file-refused", parts.file.name, message);
  }
  return corrupt(parts.file.name, `its part ${name} cannot be read: ${reasonOf(cause)}`, { cause });
}
