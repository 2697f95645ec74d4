/** The mapping language as JSON Schema, for editors: completion, descriptions and validation while typing. */
import { z } from "zod";
import type { JsonObject } from "../model/json.js";
import { exactNumberSchema, fieldObjectSchema, jsonFieldSchema } from "./schema/field-schema.js";
import { mappingSchema } from "./schema/mapping-schema.js";

/** Draft 7, which editors know best. Fresh at every call. */
export function mappingJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(mappingSchema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === (fieldObjectSchema as z.core.$ZodType)) {
        jsonSchema.oneOf = ["column", "template", "expr", "value"].map((source) => ({ required: [source] }));
      }
      if (zodSchema === (exactNumberSchema as z.core.$ZodType)) jsonSchema.type = "number";
      if (zodSchema === (jsonFieldSchema as z.core.$ZodType)) {
        jsonSchema.type = ["object", "array", "string", "number", "boolean", "null"];
      }
    },
  });
  return schema as unknown as JsonObject;
}
