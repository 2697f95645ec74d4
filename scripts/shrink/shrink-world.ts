/** A failing world cut down, and told. */
import { shrink } from "./shrink.js";
import { live } from "../../test/nights/worlds/live.js";
import type { World } from "../../test/nights/worlds/world.js";
import { writeMapping } from "../../test/nights/worlds/write-mapping.js";

/** What is wrong, without its numbers and values: cutting must not arrive at another difference. */
function kinds(differences: readonly string[]): string[] {
  return differences.map((difference) =>
    difference
      .replace(/^step \d+ \(\w+\): /, "")
      .replace(
        /^(\w+): (\d+) expected, (\d+) said/,
        (_, name: string, a: string, b: string) => `${name} ${Math.sign(Number(a) - Number(b))}`,
      )
      .replace(/^document (invoice|load) .* (is missing|is not expected).*/, "document $2")
      .replace(/^.*?: (missing|not expected) .*/, "event $1"),
  );
}

/** The world cut down to what it needs to differ in the same way. */
export function shrinkWorld(world: World, differences: readonly string[]): Promise<World> {
  const known = kinds(differences);
  return shrink(world, async (candidate) => {
    const found = kinds((await live(candidate)).differences);
    return found.includes(known[0] ?? "") && found.every((one) => known.includes(one) || one.startsWith("told"));
  });
}

/** The world as a person can type it in. */
export function describeWorld(world: World): string {
  const used = new Set(world.steps.flatMap((step) => ("mapping" in step ? [step.mapping] : [])));
  const mappings = [...used].map((index) => `mapping ${index}:\n${writeMapping(world.mappings[index] as never)}`);
  const steps = world.steps.map((step) => {
    if (step.do === "correct") {
      const { of, rows } = step.correction;
      const back = rows.map(
        ({ was, row }) =>
          `${was}: ${Object.values(row.cells)
            .map(({ text }) => text)
            .join(" | ")}`,
      );
      return [`correct ${of.name} with mapping ${step.mapping}`, ...back].join("\n  ");
    }
    if (step.do === "dismiss") return `dismiss row ${step.row} of ${step.file.name}`;
    if (step.do !== "import") return JSON.stringify(step);
    const files = step.files.map(({ name, headers, rows, input, form }) => {
      const { columns } = world.mappings[step.mapping]?.inputs.find((one) => one.name === input) ?? { columns: [] };
      const lines = rows.map((row) =>
        headers.map((header) => {
          const cell = row.cells[columns.find((column) => column.header === header)?.name ?? ""];
          const text = cell?.text ?? row.extra?.[header] ?? "";
          return form.kind === "xlsx" && cell?.typed !== undefined ? JSON.stringify(cell.typed) : text;
        }),
      );
      return [`${name} (${JSON.stringify(form)})`, ...[headers, ...lines].map((cells) => cells.join(" | "))].join(
        "\n  ",
      );
    });
    return `import with mapping ${step.mapping}: ${files.join("\n")}`;
  });
  return [...mappings, ...steps].join("\n");
}
