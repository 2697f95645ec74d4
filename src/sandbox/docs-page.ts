/** The interface as one HTML page, without scripts or network. */

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

const STYLE =
  "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}" +
  "details{border:1px solid #8886;border-radius:6px;margin:.5rem 0;padding:.4rem .8rem}summary{cursor:pointer}" +
  "code,pre{font:13px/1.45 ui-monospace,monospace}pre{overflow:auto;background:#8881;padding:.6rem}" +
  ".method{display:inline-block;min-width:3.5rem;font-weight:bold;text-transform:uppercase}";

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => escapes[found] ?? found);
const block = (title: string, value: unknown): string =>
  value === undefined ? "" : `<h4>${escaped(title)}</h4><pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;

interface Operation {
  summary?: string;
  parameters?: unknown;
  requestBody?: unknown;
  responses?: Record<string, unknown>;
}

/** `description`: an OpenAPI 3.1 document. */
export function docsPage(description: object): string {
  const { info, paths, components } = description as {
    info?: { title?: string; description?: string };
    paths?: Record<string, Record<string, Operation>>;
    components?: { schemas?: Record<string, unknown> };
  };
  const operations = Object.entries(paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [operationBlock(method, path, operation)];
    }),
  );
  const schemas = Object.entries(components?.schemas ?? {}).map(
    ([name, schema]) => `<details><summary><code>${escaped(name)}</code></summary>${block("Schema", schema)}</details>`,
  );
  const title = escaped(info?.title ?? "Sandbox");
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style></head><body>` +
    `<h1>${title}</h1><p>${escaped(info?.description ?? "")} The same as data: <a href="/openapi.json">/openapi.json</a></p>` +
    `<h2>Endpoints</h2>${operations.join("")}<h2>Schemas</h2>${schemas.join("")}</body></html>`
  );
}

function operationBlock(method: string, path: string, operation: Operation): string {
  const answers = Object.entries(operation.responses ?? {}).map(([status, answer]) =>
    block(`Answer ${status}`, answer),
  );
  return (
    `<details><summary><span class="method">${method}</span> <code>${escaped(path)}</code> ${escaped(operation.summary ?? "")}` +
    `</summary>${block("Parameters", operation.parameters)}${block("Body", operation.requestBody)}${answers.join("")}</details>`
  );
}
