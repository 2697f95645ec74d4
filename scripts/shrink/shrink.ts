/** Cuts plain data down: items of its lists and switches go while it still fails in the same way. */

type Path = readonly (string | number)[];

/** Members that are switches: what is left out of them is as usual. */
const SWITCHES = new Set<string | number>(["sandbox", "settings"]);

/** Whatever may go, the larger before its parts. */
function* removable(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const here = [...path, Array.isArray(value) ? Number(name) : name];
    if (Array.isArray(value) || SWITCHES.has(path.at(-1) ?? "") || (name === "kill" && inner !== null)) yield here;
    yield* removable(inner, here);
  }
}

/** Null: there is nothing at that path any more. */
function without<Whole>(whole: Whole, path: Path): Whole | null {
  const candidate = structuredClone(whole);
  const last = path.at(-1) ?? 0;
  let parent: unknown = candidate;
  for (const step of path.slice(0, -1)) parent = (parent as Record<string | number, unknown> | undefined)?.[step];
  if (typeof parent !== "object" || parent === null || !Object.hasOwn(parent, last)) return null;
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (last === "kill") Object.assign(parent, { kill: null });
  else Reflect.deleteProperty(parent, last);
  return candidate;
}

/** `fails`: whether a candidate still fails as the whole does; one that throws does not. */
export async function shrink<Whole>(
  whole: Whole,
  fails: (candidate: Whole) => Promise<boolean>,
  most = 400,
): Promise<Whole> {
  let small = whole;
  let tries = 0;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const path of removable(small)) {
      const candidate = without(small, path);
      if (candidate === null || tries >= most) continue;
      tries += 1;
      if (!(await fails(candidate).catch(() => false))) continue;
      small = candidate;
      isSmaller = true;
    }
  }
  return small;
}
