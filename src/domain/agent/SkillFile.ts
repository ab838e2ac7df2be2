/** A skill file (`SKILL.md`): optional front matter, of which dd reads `stack`, then the text. */

export interface Skill {
  /** The name of its folder. */
  readonly name: string
  /** The stack in its front matter; null: the stack follows from the name. */
  readonly stack: string | null
  readonly text: string
  /** The file, as messages name it. */
  readonly origin: string
}

export const skillOf = (name: string, origin: string, file: string): Skill => {
  const { body, fields } = frontMatter(file)
  return {
    name,
    origin,
    stack: fields.get("stack")?.toLowerCase() ?? null,
    text: body.trim()
  }
}

/** Plain `key: value` lines; lists, maps and multi-line texts are ignored. */
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

/** Names of skills for a stack, by precedence; also those of Claude plugins for reviews. */
export const skillNames = (stack: string): ReadonlyArray<string> => [
  stack,
  `review-${stack}`,
  ...(stack === "react" ? ["review-frontend"] : [])
]

/** The skill of this name, else the one for the stack of this name. */
export const skillNamed = (name: string, skills: ReadonlyArray<Skill>): Skill | null =>
  skills.find((skill) => skill.name === name && skill.text !== "") ?? skillFor(name, skills)

/** The first skill whose front matter names the stack, else the first with one of its names. */
export const skillFor = (stack: string, skills: ReadonlyArray<Skill>): Skill | null => {
  const usable = skills.filter(({ text }) => text !== "")
  return (
    usable.find((skill) => skill.stack === stack) ??
    skillNames(stack).flatMap((name) =>
      usable.filter((skill) => skill.stack === null && skill.name.toLowerCase() === name)
    )[0] ??
    null
  )
}
