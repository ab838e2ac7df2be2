/** Gives a value the shape of a published JSON schema: only its keys, in their order. */
import { type Schema, SchemaAST } from "effect"

type CamelCase<Key> = Key extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Key

type NullableKeys<Json> = { [Key in keyof Json]: null extends Json[Key] ? Key : never }[keyof Json]

/** The value behind a JSON value: keys in camel case; a nullable field may also be absent. */
export type JsonSource<Json> =
  Json extends ReadonlyArray<infer Item>
    ? ReadonlyArray<JsonSource<Item>>
    : Json extends object
      ? { readonly [Key in Exclude<keyof Json, NullableKeys<Json>> as CamelCase<Key>]: JsonSource<Json[Key]> } & {
          readonly [Key in NullableKeys<Json> as CamelCase<Key>]?: JsonSource<Json[Key]> | undefined
        }
      : Json

export const jsonShape = <Json>(schema: Schema.Schema<Json>, value: JsonSource<Json>): Json =>
  shaped(schema.ast, value) as Json

const shaped = (ast: SchemaAST.AST, value: unknown): unknown => {
  if (SchemaAST.isArrays(ast) && Array.isArray(value)) {
    const [item] = ast.rest
    return item === undefined ? value : value.map((each) => shaped(item, each))
  }
  if (!SchemaAST.isObjects(ast)) return value ?? null
  const from = new Map(Object.entries(value ?? {}))
  return Object.fromEntries(
    ast.propertySignatures.map(({ name, type }) => [name, shaped(type, from.get(camelCase(String(name))))])
  )
}

const camelCase = (key: string): string => key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
