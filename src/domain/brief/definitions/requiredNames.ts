import type { ImportedName } from "../../code/Symbol.ts"

/** The names that `require` and `import()` bind, which the imports of a file do not have. Read from its text alone. */
export const requiredNames = (text: string): ReadonlyArray<ImportedName> =>
  [...text.matchAll(required)].flatMap(([, bound = "", , module = "", member]) => {
    const nameOf = (name: string | null, local: string): ImportedName => ({
      module,
      name,
      local,
      line: 0,
      guarded: false
    })
    if (!bound.startsWith("{")) return [nameOf(member ?? null, bound)]
    return bound
      .slice(1, -1)
      .split(",")
      .flatMap((part) => {
        const [, name, local = name] = listed.exec(part) ?? []
        return name === undefined || local === undefined ? [] : [nameOf(name, local)]
      })
  })

/** Not a module that is called at once: its result has no name. */
const required =
  /(\{[^{}]{0,2000}\}|(?<![\w$.])[\w$]+)\s*=\s*(?:await\s+)?(?:require|import)\(\s*(["'`])([^"'`\n]{1,500})\2\s*\)(?!\s*\()(?:\.([\w$]+))?/g
const listed = /^\s*([\w$]+)\s*(?::\s*([\w$]+)\s*)?(?:=|$)/
