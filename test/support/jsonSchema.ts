/** Says how a value breaks a JSON Schema: an empty list when it fits. */
import Ajv, { type AnySchemaObject } from "ajv"
import Ajv2020 from "ajv/dist/2020"

const formats = {
  uri: (text: string) => /^[a-z][a-z0-9+.-]*:/i.test(text) && !/[\s<>"{}|\\^`]/.test(text),
  "uri-reference": (text: string) => !/[\s<>"{}|\\^`]/.test(text) && !/%(?![0-9A-Fa-f]{2})/.test(text),
  "date-time": (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)
}

export const breachesOf = (schema: AnySchemaObject): ((value: unknown) => ReadonlyArray<string>) => {
  const draft04 = String(schema.$schema ?? "").includes("draft-04")
  const options = { allErrors: true, strict: false, unicodeRegExp: false, formats }
  // What our schemas of draft 4 use means the same in later drafts, but for the names of these two keys.
  const { $schema: _, id: __, ...rest } = schema
  const validate = draft04 ? new Ajv(options).compile(rest) : new Ajv2020(options).compile(schema)
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`)
}
