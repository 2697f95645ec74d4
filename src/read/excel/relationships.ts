/** How a workbook's parts refer to each other: the `.rels` part beside each of them. */
import { walkPart } from "./xml.js";
import type { Zip } from "../zip.js";

export interface Relationship {
  id: string;
  /** The last segment of its type: `worksheet`, `sharedStrings`; the same in transitional and strict workbooks. */
  type: string;
  /** The part's name in the zip, without leading slash. */
  target: string;
}

/** More than any workbook has. */
const MAX_RELATIONSHIPS = 50_000;

/** The relationships of a part ("" for the package itself); empty where there are none. External ones are left out. */
export async function readRelationships(parts: Zip, source: string): Promise<Relationship[]> {
  const slash = source.lastIndexOf("/") + 1;
  const folder = source.slice(0, slash);
  const name = `${folder}_rels/${source.slice(slash)}.rels`;
  if (!parts.has(name)) return [];
  const found: Relationship[] = [];
  await walkPart(parts, name, {
    open(element, attributes) {
      if (element !== "Relationship" || attributes["TargetMode"]?.toLowerCase() === "external") return;
      if (found.length === MAX_RELATIONSHIPS) throw new Error(`it has more than ${MAX_RELATIONSHIPS} relationships`);
      const [id = "", type = "", target = ""] = ["Id", "Type", "Target"].map((key) => attributes[key]);
      found.push({ id, type: type.slice(type.lastIndexOf("/") + 1), target: resolveTarget(parts, folder, target) });
    },
    close() {},
    text() {},
  });
  return found;
}

/** A target as a part name: absolute or relative to the source's folder, percent-encoded or not. */
function resolveTarget(parts: Zip, folder: string, target: string): string {
  const [path = ""] = target.trim().replaceAll("\\", "/").split(/[?#]/, 1);
  const plain = normalize(path.startsWith("/") ? path : folder + path);
  if (parts.has(plain)) return plain;
  const decoded = decode(plain);
  if (decoded !== plain && parts.has(decoded)) return decoded;
  // Some writers mean the package's root where they leave out the slash: `xl/worksheets/sheet1.xml`.
  const rooted = normalize(path);
  return parts.has(rooted) ? rooted : plain;
}

function normalize(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments.join("/");
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
