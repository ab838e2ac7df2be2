/** Fields of a schema that have the same type, by their names. */
export const fieldsOf = <const Name extends string, S>(
  schema: S,
  names: ReadonlyArray<Name>
): { readonly [Field in Name]: S } =>
  // TypeScript does not infer the names.
  Object.fromEntries(names.map((name) => [name, schema])) as { readonly [Field in Name]: S }
