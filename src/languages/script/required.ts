/** The names that `require` and `import()` bind, which the imports of a script do not have. Read from its text alone. */
import type { ImportedName } from "../../domain/code/Symbol.ts"

export const requiredNames = (text: string): ReadonlyArray<ImportedName> =>
  [...text.matchAll(required)].flatMap(({ 1: target = "", 3: module = "", 4: member, index }) => {
    const at = { module, line: text.slice(0, index).split("\n").length, guarded: false }
    return target.startsWith("{")
      ? Array.from(target.matchAll(listed), ([, name = "", local]) => ({ ...at, name, local: local ?? name }))
      : [{ ...at, name: member ?? null, local: target }]
  })

/** Not a module that is called at once: its result has no name. */
const required =
  /(\{[^{}]{0,2000}\}|(?<![\w$.])[\w$]+)\s*=\s*(?:await\s+)?(?:require|import)\(\s*(["'`])([^"'`\n]{1,500})\2\s*\)(?!\s*\()(?:\.([\w$]+))?/g
const listed = /(?<=[{,])\s*([\w$]+)\s*(?::\s*([\w$]+)\s*)?(?=[=,}])/g
