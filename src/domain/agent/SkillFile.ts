/**
 * A skill file (`SKILL.md`): front matter between two lines of `---`, then the words. Of the front matter dd reads
 * `name`, `description` and `stack`; what else stands there is another tool's. Pure; a file without front matter is all
 * words.
 */

export interface Skill {
  /** As its folder is called. */
  readonly name: string
  readonly description: string
  /** The stack it says it is for; null: its name tells. */
  readonly stack: string | null
  readonly text: string
  /** The file, in words its owner can follow. */
  readonly origin: string
}

export const skillOf = (name: string, origin: string, file: string): Skill => {
  const { body, fields } = frontMatter(file)
  return {
    name,
    origin,
    description: fields.get("description") ?? "",
    stack: fields.get("stack")?.toLowerCase() ?? null,
    text: body.trim()
  }
}

/** Plain `key: value` lines; lists, maps and texts of several lines are passed over. */
export const frontMatter = (file: string): { readonly fields: ReadonlyMap<string, string>; readonly body: string } => {
  const text = file.replace(/^\ufeff/, "").replace(/\r\n/g, "\n")
  const end = text.startsWith("---\n") ? text.indexOf("\n---", 3) : -1
  if (end === -1) return { fields: new Map(), body: text }
  const fields = new Map<string, string>()
  for (const line of text.slice(4, end).split("\n")) {
    const [, key, value] = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line) ?? []
    if (key === undefined || value === undefined || /^[|>]/.test(value)) continue
    fields.set(key.toLowerCase(), value.trim().replace(/^(["'])(.*)\1$/, "$2"))
  }
  const rest = text.indexOf("\n", end + 1)
  return { fields, body: rest === -1 ? "" : text.slice(rest + 1) }
}

/**
 * The skill that reviews a stack: one that says so, else one of its name, else one named for reviewing it. Of several, the
 * first. The names are also those of Claude plugins that review (reference §9).
 */
export const skillFor = (stack: string, skills: ReadonlyArray<Skill>): Skill | null => {
  const names = [stack, `review-${stack}`, ...(stack === "react" ? ["review-frontend"] : [])]
  const usable = skills.filter(({ text }) => text !== "")
  return (
    usable.find((skill) => skill.stack === stack) ??
    names.flatMap((name) => usable.filter((skill) => skill.stack === null && skill.name.toLowerCase() === name))[0] ??
    null
  )
}
