/** Imports real CSV text through a real mapping into a simulated world: what readers and mapper have a say in. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Summary } from "../../../src/model/summary.js";
import { runImport } from "../../../src/run/import.js";
import { unthrottled } from "../../../src/submit/throttle.js";
import { sandboxTransport } from "./sandbox-transport.js";
import type { World } from "./world.js";

/** Manifests with one participant and place, and weighings of them. `event`: the members of the event beside its name. */
export const weighingMapping = (parts: { event: string; input?: string; namespace?: string; documentKey?: string }) => `
version: 2
namespace: ${parts.namespace ?? "acme"}
defaults: { timezone: UTC, dates: ["yyyy-MM-dd HH:mm"], country: BR }
inputs:
  weighings:
${parts.input ?? ""}
    columns: { cnpj: { header: CNPJ, as: taxId, type: CNPJ }, mtr: MTR, ticket: Ticket, id: Id,
      date: { header: Date, as: timestamp }, at: { header: At, as: timestamp }, at_text: At,
      weight: Weight, kg: { header: Weight, as: number } }
    participants:
      generator: { taxId: =cnpj, name: Generator, type: COMPANY }
    addresses:
      origin: { participant: generator, name: Matriz, street: Rua A, number: "1", city: Campinas, countryState: SP }
    documents:
      manifest:
        key: ${parts.documentKey ?? "=mtr"}
        participant: generator
        address: origin
        fields: { category: MassID }
    events:
      weighing:
        name: Weighing
        isPublic: true
${parts.event}
`;

/** Writes mapping and file into the world's folder and imports them as one run. */
export function importText(
  world: World,
  mapping: string,
  file: string,
  text: string,
  options: { journal?: string } = {},
): Promise<Summary> {
  const mappingPath = join(world.target.stateFolder, "weighings.yaml");
  const path = join(world.target.stateFolder, file);
  writeFileSync(mappingPath, mapping);
  writeFileSync(path, text);
  return world.clock.run(
    runImport({
      target: world.target,
      mappingPath,
      files: [path],
      clock: world.clock,
      random: () => 0.5,
      signal: new AbortController().signal,
      observe: () => {},
      fresh: false,
      journal: options.journal ?? null,
      limits: { waitForLock: false },
      transport: sandboxTransport(world.sandbox, world.clock),
      throttle: unthrottled,
      ...options,
    }),
  );
}
