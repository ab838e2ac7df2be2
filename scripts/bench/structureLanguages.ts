/** What the structure benchmark breaks in each language, found and written by text alone. Paths are those of the clone. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

/** A type with a closed list of members, and the line after which another one can stand. */
export interface Enumeration {
  readonly path: string
  readonly name: string
  readonly members: ReadonlyArray<string>
  /** The last member's line, from 0, and the line that adds one behind it. */
  readonly last: number
  readonly more: string
}

/** A parent and a child that both have the method; `parameters` are the parent's as they are written. */
export interface Pair {
  readonly parent: string
  readonly child: string
  readonly type: string
  readonly method: string
  readonly parameters: string
  /** The line of the parent's method and of its type, from 0. */
  readonly line: number
  readonly start: number
}

export interface Language {
  readonly name: string
  readonly isFile: (path: string) => boolean
  readonly enumerations: (path: string, text: string) => ReadonlyArray<Enumeration>
  /** A file that goes through all members, with a last branch for any other value or without. */
  readonly plant: (
    subject: Enumeration,
    members: ReadonlyArray<string>,
    rest: boolean
  ) => readonly [path: string, text: string] | null
  readonly pairs: (texts: ReadonlyMap<string, string>) => ReadonlyArray<Pair>
  /** One more parameter, and one that nobody has to give; null where the language has none. */
  readonly required: string
  /** A method may leave parameters out, so that only one less breaks those that stand for it. */
  readonly leavesOut: boolean
  readonly optional: string | null
  /** One more method of the parent: to be implemented, and with a body or not needed. */
  readonly abstract: string | null
  readonly concrete: string | null
  /** Statements that import a file from another; null where there is none. */
  readonly nowhere: (path: string) => string | null
  readonly imports: (from: string, to: string, name: string | null) => string | null
  readonly exported: RegExp
  /** Where the imports of a text go. */
  readonly place: (text: string) => number
  /** The same import where it closes no circle. */
  readonly lazily: ((statement: string, name: string) => string) | null
  /** The files that a text imports, for those that the repository itself has. */
  readonly targets: (path: string, text: string, paths: ReadonlySet<string>) => ReadonlyArray<string>
}

const linesWith = (text: string, form: RegExp): ReadonlyArray<readonly [number, RegExpExecArray]> =>
  text.split("\n").flatMap((line, at) => {
    const found = form.exec(line)
    return found === null ? [] : [[at, found] as const]
  })

/** Members in the block that begins at a line, by the form of one line; null when any other line stands among them. */
const block = (
  path: string,
  text: string,
  head: RegExp,
  member: RegExp,
  end: RegExp,
  more: (name: string, line: string) => string
): ReadonlyArray<Enumeration> =>
  linesWith(text, head).flatMap(([at, found]) => {
    const lines = text.split("\n")
    const members: Array<string> = []
    let last = at
    for (let i = at + 1; i < lines.length && !end.test(lines[i]!); i++) {
      if (/^\s*(?:$|\/\/|#|"""|\/?\*)/.test(lines[i]!)) continue
      const name = member.exec(lines[i]!)?.[1]
      if (name === undefined) return []
      members.push(name)
      last = i
    }
    const name = found[1] ?? ""
    return members.length < 3 ? [] : [{ path, name, members, last, more: more(name, lines[last]!) }]
  })

const importEnd = (form: RegExp) => (text: string) => {
  const lines = text.split("\n")
  return Math.max(
    0,
    lines.findIndex((line) => form.test(line))
  )
}

const resolveScript = (path: string, module: string, paths: ReadonlySet<string>): ReadonlyArray<string> => {
  const at = normalize(join(dirname(path), module))
  return [".ts", ".tsx", "/index.ts", "/index.tsx", ""]
    .map((ending) => at + ending)
    .filter((each) => paths.has(each))
    .slice(0, 1)
}

/** The languages, as they are read in this clone. */
export const languagesOf = (clone: string): ReadonlyArray<Language> => {
  const read = (path: string): string => readFileSync(join(clone, path), "utf8")
  return [
    {
      name: "python",
      isFile: (path) => path.endsWith(".py") && !/(^|\/)(docs|examples?|tests?|t)\//.test(path),
      enumerations: (path, text) =>
        /^from enum import|^import enum/m.test(text)
          ? block(
              path,
              text,
              /^class (\w+)\((?:str, )?(?:enum\.)?(?:Str|Int)?Enum\):$/,
              /^ {4}([A-Z]\w*)\s*=/,
              /^\S|^ {4}(?:def|@|_)/,
              () => '    ADDED_MEMBER = "added member"'
            )
          : [],
      plant: ({ name, path }, members, rest) =>
        existsSync(join(clone, folderOf(path), "__init__.py")) && !path.endsWith("__init__.py")
          ? [
              `${folderOf(path)}planted_cases.py`,
              `from .${stemOf(path)} import ${name}\n\n\ndef planted(value):\n    match value:\n${members
                .map((member, at) => `        case ${name}.${member}:\n            return ${at}\n`)
                .join("")}${rest ? "        case _:\n            return -1\n" : ""}`
            ]
          : null,
      pairs: (texts) => {
        const classes = new Map<string, Array<string>>()
        for (const [path, text] of texts) {
          for (const [, name = ""] of text.matchAll(/^class (\w+)/gm))
            classes.set(name, [...(classes.get(name) ?? []), path])
        }
        return [...texts].flatMap(([child, text]) =>
          [...text.matchAll(/^class \w+\((\w+)\):\n((?:[ \t]+.*\n|\n)*)/gm)].flatMap(([, type = "", body = ""]) => {
            const at = classes.get(type) ?? []
            const parent = at[0]
            if (parent === undefined || at.length !== 1 || !new RegExp(`import [^#\\n]*\\b${type}\\b`).test(text))
              return []
            const lines = texts.get(parent)!.split("\n")
            const start = lines.findIndex((line) => line.startsWith(`class ${type}`))
            return [...body.matchAll(/^ {4}def ([a-z]\w+)\(self([^()*]*)\)(?: -> [^\n]*)?:$/gm)].flatMap(
              ([, method = ""]) => {
                for (let i = start + 1; i < lines.length && !/^\S/.test(lines[i]!); i++) {
                  const found = new RegExp(`^ {4}def ${method}\\((self[^()*]*)\\)(?: -> .*)?:$`).exec(lines[i]!)
                  if (found !== null && !/^\s*@/.test(lines[i - 1]!)) {
                    return [{ parent, child, type, method, parameters: found[1] ?? "", line: i, start }]
                  }
                }
                return []
              }
            )
          })
        )
      },
      required: "added_parameter",
      leavesOut: false,
      optional: "added_parameter=None",
      abstract: null,
      concrete: null,
      nowhere: (path) =>
        existsSync(join(clone, folderOf(path), "__init__.py")) ? "from .nothing_of_this_name import nothing" : null,
      imports: (from, to, name) =>
        folderOf(from) === folderOf(to) &&
        existsSync(join(clone, folderOf(from), "__init__.py")) &&
        !to.endsWith("__init__.py")
          ? `from .${stemOf(to)} import ${name ?? "nothing_of_this_name"}`
          : null,
      exported: /^(?:def|class) ([A-Za-z]\w{4,})/m,
      place: importEnd(/^(?:import|from) (?!__future__)\S+ import [^(]*$|^import \w+$/),
      lazily: (statement) => `def planted_import():\n    ${statement}\n`,
      targets: (path, text, paths) =>
        [...text.matchAll(/^from (\.\w+|[\w.]+) import|^import ([\w.]+)/gm)].flatMap(([, from, plain]) => {
          const module = from ?? plain ?? ""
          const at = module.startsWith(".") ? folderOf(path) + module.slice(1) : module.replaceAll(".", "/")
          // From a package its modules may be meant, as well as its names.
          return [`${at}.py`].filter((each) => paths.has(each))
        })
    },
    {
      name: "typescript",
      isFile: (path) =>
        /\.tsx?$/.test(path) &&
        !/\.(?:d|test|spec|stories)\.tsx?$|(^|\/)(?:__tests__|tests?|examples?|docs|e2e|dist|vendor)\//.test(path),
      enumerations: (path, text) =>
        block(
          path,
          text,
          /^export (?:const )?enum (\w+) \{$/,
          /^ {2,4}([A-Za-z]\w*)(?: = ["'\d][^,]*)?,?$/,
          /^\}/,
          (_, line) =>
            line.replace(
              /,?\s*$/,
              `,\n  AddedMember${/ = ["']/.test(line) ? ' = "added member"' : / = \d/.test(line) ? " = 9999" : ""},`
            )
        ),
      plant: ({ name, path }, members, rest) => [
        `${folderOf(path)}plantedCases.ts`,
        `import { ${name} } from "./${stemOf(path)}"\n\nexport const planted = (value: ${name}) => {\n  switch (value) {\n${members
          .map((member, at) => `    case ${name}.${member}:\n      return ${at}\n`)
          .join("")}${rest ? "    default:\n      return -1\n" : ""}  }\n}\n`
      ],
      pairs: (texts) =>
        pairsOf(
          texts,
          /^export interface (\w+)(?:<\w+>)? \{$/,
          /^ {2,4}(\w+)\(([^()]*)\): /,
          (name) => new RegExp(`\\bclass \\w+ implements ${name}\\b`),
          (method) => new RegExp(`^\\s+(?:public )?(?:async )?${method}\\(`, "m")
        ),
      required: "addedParameter: number",
      leavesOut: true,
      optional: null,
      abstract: "  addedMethod(): void",
      concrete: "  addedMethod?(): void",
      nowhere: () => 'import { nothing } from "./nothingOfThisName"',
      imports: (from, to, name) => {
        const way = normalize(
          join(...Array.from({ length: folderOf(from).split("/").length - 1 }, () => ".."), to)
        ).replace(/\.tsx?$/, "")
        return folderOf(from) === folderOf(to)
          ? `import { ${name ?? "nothingOfThisName"} } from "./${stemOf(to)}"${name === null ? "" : `\nvoid ${name}`}`
          : `import { ${name ?? "nothingOfThisName"} } from "${way}"${name === null ? "" : `\nvoid ${name}`}`
      },
      exported: /^export (?:const|function|class) ([A-Za-z]\w{3,})/m,
      place: () => 0,
      lazily: (statement) => statement.replace("import {", "import type {").replace(/\nvoid .*/, ""),
      targets: (path, text, paths) =>
        [...text.matchAll(/(?:^|\n)(?:import|export)\s(?!type\b)[^;"']*["'](\.[^"']+)["']/g)].flatMap(
          ([, module = ""]) => resolveScript(path, module, paths)
        )
    },
    {
      name: "go",
      isFile: (path) =>
        path.endsWith(".go") && !/_test\.go$|\.pb\.go$|(^|\/)(?:vendor|testdata|examples?)\//.test(path),
      enumerations: (path, text) => {
        const first = /^\t(\w+)\s+(\w+)\s+= (?:iota|"[^"]*")$/m
        return [...text.matchAll(/^const \(\n([\s\S]*?)^\)/gm)].flatMap(([whole, body = ""]) => {
          const type = first.exec(body)?.[2]
          const lines = body.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("//"))
          const members = lines.flatMap(
            (line) => /^\t([A-Za-z]\w*)(?:\s+\w+\s+= .*)?(?:\s*\/\/.*)?$/.exec(line)?.[1] ?? []
          )
          if (
            type === undefined ||
            /^(?:u?int|string)/.test(type) ||
            members.length !== lines.length ||
            members.length < 3
          )
            return []
          const [line = ""] = lines.slice(-1)
          const last = text.slice(0, text.indexOf(whole)).split("\n").length - 1 + whole.split("\n").lastIndexOf(line)
          const more = line.includes('"') ? `\tAddedMember ${type} = "added member"` : "\tAddedMember"
          return [{ path, name: type, members, last, more }]
        })
      },
      plant: ({ name, path }, members, rest) => [
        `${folderOf(path)}planted_cases.go`,
        `package ${/^package (\w+)/m.exec(read(path))?.[1]}\n\nfunc planted(value ${name}) int {\n\tswitch value {\n${members
          .map((member, at) => `\tcase ${member}:\n\t\treturn ${at}\n`)
          .join("")}${rest ? "\tdefault:\n\t\treturn -1\n" : ""}\t}\n\treturn -2\n}\n`
      ],
      pairs: (texts) =>
        pairsOf(
          texts,
          /^type (\w+) interface \{$/,
          /^\t([A-Z]\w*)\(([^()]*)\)/,
          (name) => new RegExp(`var _ (?:\\w+\\.)?${name} =`),
          (method) => new RegExp(`^func \\([^)]*\\) ${method}\\(`, "m")
        ),
      required: "addedParameter int",
      leavesOut: false,
      optional: null,
      abstract: "\tAddedMethod()",
      concrete: null,
      nowhere: () => {
        const module = existsSync(join(clone, "go.mod")) ? /^module (\S+)/m.exec(read("go.mod"))?.[1] : undefined
        return module === undefined ? null : `import _ "${module}/nothingofthisname"`
      },
      imports: (_, to, name) => {
        const module = existsSync(join(clone, "go.mod")) ? /^module (\S+)/m.exec(read("go.mod"))?.[1] : undefined
        return module === undefined || name === null || !to.includes("/")
          ? null
          : `import _ "${module}/${folderOf(to).slice(0, -1)}"`
      },
      exported: /^func ([A-Z]\w+)/m,
      place: (text) => text.split("\n").findIndex((line) => line.startsWith("package ")) + 1,
      lazily: null,
      targets: (_, text, paths) => {
        const module = existsSync(join(clone, "go.mod")) ? /^module (\S+)/m.exec(read("go.mod"))?.[1] : undefined
        if (module === undefined) return []
        const folders = [...text.matchAll(/"([^"\n]+)"/g)].flatMap(([, each = ""]) =>
          each.startsWith(`${module}/`) ? `${each.slice(module.length + 1)}/` : []
        )
        return [...paths].filter((path) => folders.includes(folderOf(path)))
      }
    },
    {
      name: "rust",
      isFile: (path) => path.endsWith(".rs") && !/(^|\/)(?:tests?|examples?|benches|target)\//.test(path),
      enumerations: (path, text) =>
        block(path, text, /^pub enum (\w+) \{$/, /^ {4}([A-Z]\w*),$/, /^\}/, () => "    AddedMember,"),
      plant: ({ name, path }, members, rest) => [
        `${folderOf(path)}planted_cases.rs`,
        `use super::${name};\n\npub fn planted(value: &${name}) -> i32 {\n    match value {\n${members
          .map((member, at) => `        ${name}::${member} => ${at},\n`)
          .join("")}${rest ? "        _ => -1,\n" : ""}    }\n}\n`
      ],
      pairs: (texts) =>
        pairsOf(
          texts,
          /^(?:pub(?:\(crate\))? )?trait (\w+)[^{]*\{$/,
          /^ {4}fn (\w+)\((&(?:mut )?self[^()]*)\)[^{]*;$/,
          (name) => new RegExp(`impl ${name} for`),
          (method) => new RegExp(`fn ${method}\\(`)
        ),
      required: "added_parameter: u8",
      leavesOut: false,
      optional: null,
      abstract: "    fn added_method(&self);",
      concrete: "    fn added_method(&self) {}",
      nowhere: () => null,
      imports: () => null,
      exported: /^pub fn (\w+)/m,
      place: () => 0,
      lazily: null,
      targets: () => []
    },
    {
      name: "java",
      isFile: (path) => path.endsWith(".java") && !/(^|\/)(?:test|generated|examples?)\//.test(path),
      enumerations: (path, text) => {
        const form = /^public enum (\w+)[^{]*\{\s*((?:[A-Z]\w*\s*,\s*)+[A-Z]\w*)\s*[;}]/m.exec(text)
        const members = form?.[2]?.split(",").map((each) => each.trim()) ?? []
        if (form === null || members.length < 3) return []
        const last = text.slice(0, form.index + form[0].lastIndexOf(members.at(-1)!)).split("\n").length - 1
        return [{ path, name: form[1]!, members, last, more: "" }]
      },
      plant: ({ name, path }, members, rest) => [
        `${folderOf(path)}PlantedCases.java`,
        `package ${/^package ([\w.]+);/m.exec(read(path))?.[1]};\n\nclass PlantedCases {\n    static int planted(${name} value) {\n        switch (value) {\n${members
          .map((member, at) => `            case ${member}:\n                return ${at};\n`)
          .join(
            ""
          )}${rest ? "            default:\n                return -1;\n" : ""}        }\n${rest ? "" : "        return -2;\n"}    }\n}\n`
      ],
      pairs: (texts) =>
        pairsOf(
          texts,
          /^public interface (\w+)[^{]*\{$/,
          /^(?: {2}| {4}|\t)\w[\w<>]* (\w+)\(([^()]*)\);$/,
          (name) => new RegExp(`class \\w+ implements ${name}\\b`),
          (method) => new RegExp(`@Override\\s+public [^(\\n]* ${method}\\(`)
        ),
      required: "int addedParameter",
      leavesOut: false,
      optional: null,
      abstract: "    void addedMethod();",
      concrete: "    default void addedMethod() { }",
      nowhere: () => null,
      imports: () => null,
      exported: /^public class (\w+)/m,
      place: () => 0,
      lazily: null,
      targets: () => []
    }
  ]
}

/** Interfaces and those that say that they implement them, by the forms of a language. */
function pairsOf(
  texts: ReadonlyMap<string, string>,
  head: RegExp,
  member: RegExp,
  implementing: (name: string) => RegExp,
  method: (name: string) => RegExp
): ReadonlyArray<Pair> {
  const declared = new Map<string, number>()
  const heads = [...texts].flatMap(([parent, text]) =>
    linesWith(text, head).map(([start, found]) => ({ parent, start, name: found[1] ?? "" }))
  )
  for (const { name } of heads) declared.set(name, (declared.get(name) ?? 0) + 1)
  return heads.flatMap(({ name, parent, start }) => {
    if (declared.get(name) !== 1) return []
    const form = implementing(name)
    const children = [...texts].filter(([, text]) => text.includes(name) && form.test(text))
    const lines = texts.get(parent)!.split("\n")
    const pairs: Array<Pair> = []
    for (let line = start + 1; line < lines.length && !/^\}/.test(lines[line]!); line++) {
      const found = member.exec(lines[line]!)
      const child = found === null ? undefined : children.find(([, text]) => method(found[1] ?? "").test(text))
      if (found === null || child === undefined) continue
      pairs.push({ parent, child: child[0], type: name, method: found[1]!, parameters: found[2] ?? "", line, start })
    }
    return pairs
  })
}

export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1)
const stemOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "")
