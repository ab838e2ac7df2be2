/**
 * Made-up tokens in the public formats of services, each on lines as people write them. `tokenShapes.tsv` has one format a
 * line: the service, the name it is assigned to if the value alone does not tell, and the value. `{x32}` is 32 characters
 * of a kind: x hexadecimal, l small letters and digits, L letters, a letters and digits, w also `-` and `_`, b base64, U
 * capitals and digits, d digits, S base32, g age's; `{u}` is a UUID, `{j}` a signed token.
 */

const alphabets: Readonly<Record<string, string>> = {
  x: "0123456789abcdef",
  l: "abcdefghijklmnopqrstuvwxyz0123456789",
  L: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
  a: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  w: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_",
  b: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
  U: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  d: "0123456789",
  S: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  g: "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
}

export interface MadeToken {
  readonly service: string
  readonly value: string
  readonly lines: ReadonlyArray<string>
}

/** The same for the same seed. */
export const madeTokens = async (seed: number): Promise<ReadonlyArray<MadeToken>> => {
  const pick = picker(seed)
  const table = await Bun.file(`${import.meta.dir}/tokenShapes.tsv`).text()
  return table
    .trimEnd()
    .split("\n")
    .map((row) => {
      const [service = "", name = "", shape = ""] = row.split("\t")
      const value = shape.replaceAll(/\{([a-zA-Z])(\d*)\}/g, (_, kind, count) => made(kind, Number(count), pick))
      return { service, value, lines: linesOf(service, name, value) }
    })
}

/** Twenty random values for each line of `secretLines.tsv`, in the same letters for kinds, with `{}` in the place of the value. */
export const madeLines = async (seed: number) => {
  const pick = picker(seed)
  const table = await Bun.file(`${import.meta.dir}/secretLines.tsv`).text()
  return table
    .trimEnd()
    .split("\n")
    .map((row) => {
      const [kind = "", line = ""] = row.split("\t")
      const values = Array.from({ length: 20 }, () => made(kind[0] ?? "", Number(kind.slice(1)), pick))
      return {
        line,
        made: values.map((value) => ({ value, text: `${line.replaceAll("\\n", "\n").replace("{}", () => value)}\n` }))
      }
    })
}

const made = (kind: string, count: number, pick: (from: string) => string): string => {
  const many = (of: string, length: number) => Array.from({ length }, () => pick(alphabets[of]!)).join("")
  if (kind === "u") return [8, 4, 4, 4, 12].map((length) => many("x", length)).join("-")
  if (kind === "j") {
    const part = (of: object) => Buffer.from(JSON.stringify(of)).toString("base64url")
    return `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: many("d", 6), iss: "acme" })}.${many("w", 43)}`
  }
  return many(kind, count)
}

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())

const linesOf = (service: string, name: string, value: string): ReadonlyArray<string> => {
  if (value.startsWith("Bearer "))
    return [`curl -H "Authorization: ${value}"`, `headers = {"Authorization": "${value}"}`]
  const any = name === "" ? `${service.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_")}_token` : name
  const assigned = [
    `${any.toUpperCase()}=${value}`,
    `  ${any}: ${value}`,
    `  "${camel(any)}": "${value}",`,
    `const ${camel(any)} = "${value}"`
  ]
  return name === "" ? [`connect("${value}")`, ...assigned] : assigned
}

/** Mulberry32. */
const picker = (seed: number): ((from: string) => string) => {
  let state = seed
  return (from) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return from[((mixed ^ (mixed >>> 14)) >>> 0) % from.length]!
  }
}
