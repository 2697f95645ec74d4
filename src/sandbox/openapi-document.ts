/** Settings of the OpenAPI description, and dropping the schemas that nothing in it refers to. */
import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";

type OpenApiDocument = ReturnType<typeof jsonSchemaTransformObject>;

export const openapiSettings: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: "3.1.0",
    info: {
      title: "Participant and Document Event Service (sandbox)",
      description: "A local implementation of the service. Tokens come from POST /oauth/token (client credentials).",
      version: "1",
    },
    components: {
      securitySchemes: {
        oauth: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "/oauth/token", scopes: {} } } },
      },
    },
  },
  transform: jsonSchemaTransform,
  transformObject: (document) => withoutUnused(jsonSchemaTransformObject(document)),
};

/** The type provider writes every schema twice, as input and as output. */
function withoutUnused(document: OpenApiDocument): OpenApiDocument {
  const { components, ...rest } = document as { components?: { schemas?: Record<string, unknown> } };
  const schemas = components?.schemas ?? {};
  const used = new Set<string>();
  const pending = referencesIn(rest);
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (used.has(name)) continue;
    used.add(name);
    pending.push(...referencesIn(schemas[name]));
  }
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
  return { ...document, components: { ...components, schemas: kept } } as OpenApiDocument;
}

function referencesIn(part: unknown): string[] {
  return [...JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? "");
}
