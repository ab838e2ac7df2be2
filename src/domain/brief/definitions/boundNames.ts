import type { ImportedName } from "../../code/Symbol.ts"

/**
 * The names that a file imports, in languages and by statements that its imports do not have: `require` and `import()` of
 * scripts, `use` of PHP, `import` of Kotlin. Read from its text alone.
 */
export const boundNames = (family: string | null, text: string): ReadonlyArray<ImportedName> => {
  const read = family === null ? undefined : readers[family]
  return read === undefined
    ? []
    : [...text.matchAll(read.form)].flatMap((found) => {
        const line = text.slice(0, found.index).split("\n").length
        return read.names(found).map((each) => ({ ...each, line }))
      })
}

interface NamesReader {
  readonly form: RegExp
  readonly names: (found: RegExpExecArray) => ReadonlyArray<ImportedName>
}

const bound = (module: string, name: string | null, local: string): ImportedName => ({
  module,
  name,
  local,
  line: 0,
  guarded: false
})

const named = (module: string, name: string, local: string | undefined): ImportedName =>
  bound(module, name, local ?? name)

const lastPart = (path: string): string => path.slice(Math.max(path.lastIndexOf("."), path.lastIndexOf("\\")) + 1)

const kotlinImport = /^import[ \t]+([\w.]{1,300}?)(?:\.(\*)|[ \t]+as[ \t]+(\w+))?(?![\w.*])/gm
const phpUse = /^use\s+(?:function\s+|const\s+)?\\?([\w\\]{1,300})(?:\{([^{}]{0,2000})\}|\s+as\s+(\w+))?\s*;/gm
const listedUse = /([\w\\]+)(?:\s+as\s+(\w+))?/g

/** Not a module that is called at once: its result has no name. */
const required =
  /(\{[^{}]{0,2000}\}|(?<![\w$.])[\w$]+)\s*=\s*(?:await\s+)?(?:require|import)\(\s*(["'`])([^"'`\n]{1,500})\2\s*\)(?!\s*\()(?:\.([\w$]+))?/g
const listedName = /^\s*([\w$]+)\s*(?::\s*([\w$]+)\s*)?(?:=|$)/

const requiredNames = ([, target = "", , module = "", member]: RegExpExecArray): ReadonlyArray<ImportedName> =>
  target.startsWith("{")
    ? target
        .slice(1, -1)
        .split(",")
        .flatMap((part) => {
          const [, name, local] = listedName.exec(part) ?? []
          return name === undefined ? [] : [named(module, name, local)]
        })
    : [bound(module, member ?? null, target)]

const readers: Readonly<Record<string, NamesReader>> = {
  script: { form: required, names: requiredNames },
  kotlin: {
    form: kotlinImport,
    names: ([, path = "", star, local]) => [
      star === undefined ? named(path, lastPart(path), local) : bound(`${path}.*`, null, "")
    ]
  },
  php: {
    form: phpUse,
    names: ([, path = "", group, local]) =>
      group === undefined
        ? [named(path, lastPart(path), local)]
        : [...group.matchAll(listedUse)].map(([, name = "", alias]) => named(path + name, lastPart(name), alias))
  }
}
