/** The mapping language as JSON Schema, for editors. */
import { z } from "zod";
import type { JsonObject } from "../model/json.js";
import { mappingSchema } from "./language/mapping-schema.js";
import { exactNumberSchema, jsonSchema } from "./language/record-schema.js";

/** Draft 7, which editors support best. */
export function mappingJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(mappingSchema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema: written }) => {
      if (zodSchema === (exactNumberSchema as z.core.$ZodType)) written.type = "number";
      if (zodSchema === (jsonSchema as z.core.$ZodType))
        written.type = ["object", "array", "string", "number", "boolean", "null"];
    },
  });
  return schema as unknown as JsonObject;
}
