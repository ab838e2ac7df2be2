/**
 * Do folded hunks hide an edit? Run `bun scripts/bench/brief-form.ts [--seed N] [--each N] [--show] REPOSITORY...`.
 *
 * Makes changes of files of the repositories (bare or not): moves, renames and reformats, and the same with one real edit
 * inside. Prints how many of the pure lines are folded as form, and how many of the edits, by kind and language.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, ManagedRuntime, Result } from "effect"
import type { Form } from "../../src/domain/brief/Form.ts"
import type { Change } from "../../src/domain/change/Change.ts"
import { isMarkedGenerated } from "../../src/domain/change/PathKind.ts"
import { parseDiff } from "../../src/domain/change/parseDiff.ts"
import type { FileSymbols } from "../../src/domain/code/Symbol.ts"
import type { SyntaxNode } from "../../src/domain/code/Syntax.ts"
import { grammarFor, grammarOf, languageOf } from "../../src/languages/languages.ts"
import { layoutOf } from "../../src/languages/layout.ts"
import * as BlobFactsNone from "../../src/layers/change/facts/None.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import { formOf } from "../../src/services/brief/form.ts"
import { SymbolIndex } from "../../src/services/code/SymbolIndex.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"
import { SyntaxTrees } from "../../src/services/code/SyntaxTrees.ts"
import { changeOf, sourcesOf, type Texts } from "../../test/support/changeOf.ts"

const options = process.argv.slice(2)
const numberOf = (name: string, otherwise: number): number => {
  const at = options.indexOf(name)
  return at < 0 ? otherwise : Number(options.splice(at, 2)[1])
}
const seed = numberOf("--seed", 1)
const each = numberOf("--each", 200)
const shows = options.includes("--show")
const repositories = options.filter((option) => option !== "--show")

/** A linear congruential generator, so that every run makes the same changes. */
let state = seed
const random = (below: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}
const pick = <A>(all: ReadonlyArray<A>): A | undefined => all[random(all.length)]

const git = (...args: ReadonlyArray<string>): string =>
  Bun.spawnSync(["git", ...args], { stdout: "pipe", stderr: "pipe" }).stdout.toString()

interface Sample {
  readonly path: string
  readonly text: string
}
const byGrammar = new Map<string, Array<{ repository: string; path: string }>>()
for (const repository of repositories) {
  for (const path of git("-C", repository, "ls-tree", "-r", "--name-only", "HEAD").split("\n")) {
    const grammar = grammarOf(path)
    if (grammar === null || /(?:^|\/)(?:vendor|dist|node_modules|testdata|snapshots?)\//.test(path)) continue
    const known = byGrammar.get(grammar) ?? []
    known.push({ repository, path })
    byGrammar.set(grammar, known)
  }
}
const sample = (grammar: string): Sample | null => {
  const found = pick(byGrammar.get(grammar) ?? [])
  if (found === undefined) return null
  const text = git("-C", found.repository, "show", `HEAD:${found.path}`)
  const lines = text.split("\n").length
  return lines < 30 || lines > 1200 || isMarkedGenerated(text.split("\n")) ? null : { path: found.path, text }
}

interface Leaf {
  readonly type: string
  readonly text: string
  readonly start: number
  readonly end: number
  readonly row: number
  readonly parents: ReadonlyArray<string>
}
interface Parsed {
  readonly leaves: ReadonlyArray<Leaf>
  readonly functions: ReadonlyArray<{
    row: number
    endRow: number
    start: number
    end: number
    list: boolean
    name: string
    /** Where the class or the block around it begins. */
    parent: number
  }>
  readonly symbols: FileSymbols | null
  readonly exactRows: ReadonlySet<number>
}

const functionType =
  /^(?:function_definition|function_declaration|method_definition|method_declaration|function_item|method|singleton_method|constructor_declaration)$/
const parsing = ManagedRuntime.make(TreeSitter.layer)
const parse = (path: string, text: string): Promise<Parsed | null> =>
  parsing.runPromise(
    Effect.gen(function* () {
      const grammar = grammarFor(path, text)
      if (grammar === null) return null
      const parser = yield* SyntaxParser
      const { root } = yield* parser.parse(grammar, text)
      if (root.hasError) return null
      const exact = layoutOf(grammar).exact
      const leaves: Array<Leaf> = []
      const functions: Array<Parsed["functions"][number]> = []
      const exactRows = new Set<number>()
      const visit = (node: SyntaxNode, parents: ReadonlyArray<string>): void => {
        const isElixir = node.type === "call" && /^defp? /.test(node.text.slice(0, 5))
        if (functionType.test(node.type) || isElixir) {
          const start = text.lastIndexOf("\n", node.startIndex - 1) + 1
          const isAlone =
            /^\s*(?:(?:export|default|pub(?:\(\w+\))?)\s+)*$/.test(text.slice(start, node.startIndex)) &&
            /^\s*$/.test(text.slice(node.endIndex).split("\n")[0]!)
          const above = text.slice(0, start).trimEnd().split("\n").at(-1)?.trim() ?? ""
          functions.push({
            row: node.startPosition.row,
            endRow: node.endPosition.row,
            start,
            end: node.endIndex,
            list: isAlone && !/^[@#[]/.test(above),
            name: node.childForFieldName("name")?.text ?? "",
            parent: (node.parent?.type === "export_statement" ? node.parent.parent : node.parent)?.startIndex ?? 0
          })
        }
        if (exact.has(node.type) || node.type.includes("comment") || node.children.length === 0) {
          const written = text.slice(node.startIndex, node.endIndex)
          for (let row = node.startPosition.row + 1; row <= node.endPosition.row; row++) exactRows.add(row)
          if (node.type.includes("comment") || written === "") return
          const { row } = node.startPosition
          leaves.push({ type: node.type, text: written, start: node.startIndex, end: node.endIndex, row, parents })
          return
        }
        for (const child of node.children) visit(child, [...parents, node.type])
      }
      visit(root, [])
      return { leaves, functions, exactRows, symbols: languageOf(path)?.symbols(root, path) ?? null }
    }).pipe(
      Effect.scoped,
      Effect.catch(() => Effect.succeed(null))
    )
  )

const isScript = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path)

type Pure = "move" | "rename" | "reformat"

/** The texts of the changed files, before and after, and the file that has the changed code. */
interface Made {
  readonly texts: Texts
  readonly path: string
  /** Lines that belong to the change and are no part of what is moved, such as imports. */
  readonly extra?: number
}

const folder = mkdtempSync(join(tmpdir(), "brief-form-"))

const formatted = (path: string, text: string): string | null => {
  if (isScript(path)) {
    const width = 50 + random(80)
    const result = Bun.spawnSync(
      [
        "biome",
        "format",
        `--stdin-file-path=${path.split("/").at(-1)}`,
        `--line-width=${width}`,
        `--indent-style=${random(2) === 0 ? "tab" : "space"}`,
        `--javascript-formatter-quote-style=${random(2) === 0 ? "double" : "single"}`,
        `--semicolons=${random(2) === 0 ? "always" : "as-needed"}`,
        `--trailing-commas=${random(2) === 0 ? "all" : "none"}`
      ],
      { stdin: Buffer.from(text), stdout: "pipe", stderr: "pipe", cwd: folder }
    )
    return result.exitCode === 0 ? result.stdout.toString() : null
  }
  if (path.endsWith(".rs")) {
    const result = Bun.spawnSync(
      ["rustfmt", "--edition", "2021", "--config", `max_width=${60 + random(60)},tab_spaces=${2 + random(3)}`],
      { stdin: Buffer.from(text), stdout: "pipe", stderr: "pipe", cwd: folder }
    )
    if (result.exitCode === 0) return result.stdout.toString()
  }
  return null
}

/** Other indentation, lists on more lines, and blank lines. */
const rewritten = (path: string, text: string, { exactRows, leaves }: Parsed): string => {
  const factor = path.endsWith(".go") ? 1 : 2
  const breaks = new Set<number>()
  if (!/\.(?:ex|exs|rb|kt|kts|swift|c|h|cc|cpp|hpp)$/.test(path)) {
    for (const { end, parents, text: written } of leaves) {
      const isInBrackets = /^(?:argument_list|arguments|(?:\w+_)?parameters|list|array|parameter_list)$/.test(
        parents.at(-1) ?? ""
      )
      if (written === "," && isInBrackets && !/lambda/.test(parents.at(-1) ?? "") && random(4) === 0) breaks.add(end)
    }
  }
  let broken = ""
  let at = 0
  for (const place of [...breaks].sort((a, b) => a - b)) {
    const rest = /^[ \t]*/.exec(text.slice(place))?.[0].length ?? 0
    if (/^[ \t]*(?:\n|$|\/\/|#)/.test(text.slice(place))) continue
    broken += `${text.slice(at, place)}\u0001`
    at = place + rest
  }
  broken += text.slice(at)
  return broken
    .split("\n")
    .map((line, row) => {
      if (exactRows.has(row)) return line.replaceAll("\u0001", " ")
      const indent = /^[ \t]*/.exec(line)![0]
      const written = indent.repeat(factor) + line.slice(indent.length)
      return written.replaceAll("\u0001", `\n${indent.repeat(factor)}        `)
    })
    .join("\n")
}

const reformat = ({ path, text }: Sample, parsed: Parsed): Made | null => {
  const after = formatted(path, text) ?? rewritten(path, text, parsed)
  return after === text ? null : { texts: { [path]: [text, after] }, path }
}

const rename = ({ path, text }: Sample, { functions, leaves }: Parsed): Made | null => {
  const around = pick(functions.filter(({ endRow, row }) => endRow - row > 4))
  if (around === undefined) return null
  const inside = leaves.filter(({ end, start }) => around.start <= start && end <= around.end)
  const declarations = inside.filter(
    ({ parents, text: written, type }, at) =>
      /^(?:identifier|simple_identifier|name)$/.test(type) &&
      written.length > 1 &&
      !/^[A-Z]/.test(written) &&
      (/declarator$|variable_declaration|short_var|let_declaration|pattern$|property_declaration/.test(
        parents.at(-1) ?? ""
      ) ||
        /^(?:=|:=|<-)$/.test(inside[at + 1]?.text ?? "")) &&
      !/default_parameter|keyword_argument|pair|attribute|parameter|member|field|selector|navigation/.test(
        parents.slice(-3).join(" ")
      ) &&
      !/^(?:\.|->|::|self|this|=)$/.test(inside[at - 1]?.text ?? "")
  )
  const declared = pick(declarations)
  if (declared === undefined) return null
  const old = declared.text
  const all = inside.filter((leaf) => leaf.text === old)
  const isPlain = all.every((leaf, at) => {
    const before = inside[inside.indexOf(leaf) - 1]?.text ?? ""
    const after = inside[inside.indexOf(leaf) + 1]?.text ?? ""
    return (
      leaf.type === declared.type &&
      at < 60 &&
      !/^(?:\.|\?\.|->|::|@|def|func|fn)$/.test(before) &&
      after !== ":" &&
      !/keyword_argument|shorthand|pair$|named|label|field_init|macro|token_tree/.test(leaf.parents.slice(-3).join(" "))
    )
  })
  // A string with code inside would need the new name too.
  const inString = new RegExp(`\\{[^}]*\\b${RegExp.escape(old)}\\b`)
  if (inside.some((leaf) => /^\w*["'`]/.test(leaf.text) && inString.test(leaf.text))) return null
  if (!isPlain || all.length < 2 || all[0] !== inside.find((leaf) => leaf.text === old)) return null
  // A name of an outer function may be captured.
  if (leaves.some((leaf) => leaf.text === old && leaf.end < around.start)) return null
  const fresh = `${old}Renamed`
  let after = ""
  let at = 0
  for (const { end, start } of all) {
    after += text.slice(at, start) + fresh
    at = end
  }
  return { texts: { [path]: [text, after + text.slice(at)] }, path }
}

const move = ({ path, text }: Sample, { functions, leaves, symbols }: Parsed): Made | null => {
  const movable = functions.filter(
    ({ endRow, list, row, start }) =>
      list && endRow - row >= 4 && !functions.some((other) => other.start < start && other.endRow >= endRow)
  )
  const picked = pick(movable)
  if (picked === undefined || picked.name === "") return null
  const moved = { ...picked, start: withCommentsAbove(text, picked.start) }
  if (functions.filter(({ name }) => name === moved.name).length > 1) return null
  const code = text.slice(moved.start, moved.end)
  const without = `${text.slice(0, moved.start).trimEnd()}\n\n${text.slice(moved.end).trimStart() === "" ? "" : text.slice(moved.end).replace(/^\n+/, "")}`
  if (random(2) === 0) {
    // To another place in the same class or file.
    const target = pick(movable.filter((other) => other !== picked && other.parent === moved.parent))
    if (target === undefined) return null
    // Code that runs between the two places may need the function.
    const between = text.slice(Math.min(moved.end, target.start), Math.max(moved.start, target.end))
    const mentions = new RegExp(`\\b${RegExp.escape(moved.name)}\\b`)
    if (mentions.test(between)) return null
    const targetCode = text.slice(target.start, target.end)
    const at = without.indexOf(targetCode)
    if (at < 0) return null
    const after = `${without.slice(0, at + targetCode.length)}\n\n${code}${without.slice(at + targetCode.length)}`
    return { texts: { [path]: [text, after] }, path }
  }
  if (/^\s/.test(code) || symbols === null) return null
  const used = new Set(
    leaves.filter(({ end, start }) => moved.start <= start && end <= moved.end).map((leaf) => leaf.text)
  )
  used.delete(moved.name)
  const mentions = new RegExp(`\\b${RegExp.escape(moved.name)}\\b`)
  const other = path.replace(/(\.\w+)$/, "Moved$1")
  const glue = glueFor(path, other, text, symbols, used)
  if (glue === null) return null
  const head = `${glue.top}${code}\n`
  let left = without
  if (mentions.test(without) && glue.back !== null) {
    if (isScript(path) && !code.startsWith("export ")) return null
    const first = symbols.imports.find(({ guarded, line, within }) => line > 0 && !guarded && within === undefined)
    if (first === undefined) return null
    const lines = without.split("\n")
    if (/^\s/.test(lines[first.line - 1] ?? "")) return null
    left = lines.toSpliced(first.line - 1, 0, glue.back(moved.name)).join("\n")
  }
  const extra = glue.top.split("\n").length - 1 + (left === without ? 0 : 1)
  return { texts: { [path]: [text, left], [other]: [null, head] }, path: other, extra }
}

/** Where the comments directly above begin. */
const withCommentsAbove = (text: string, start: number): number => {
  for (let at = start; ; ) {
    const above = text.lastIndexOf("\n", at - 2) + 1
    if (at === 0 || !/^\s*(?:\/[/*]|\*|#(?!!|\[))/.test(text.slice(above, at))) return at
    at = above
  }
}

interface Glue {
  /** What the new file has above the code. */
  readonly top: string
  /** The import of the moved function in the old file; null if it needs none. */
  readonly back: ((name: string) => string) | null
}

/** The imports that keep the meaning of each name; null if they cannot be made. */
const glueFor = (
  path: string,
  other: string,
  text: string,
  { bound, definitions, imports, stars }: FileSymbols,
  used: ReadonlySet<string>
): Glue | null => {
  if (stars.length > 0 || bound.size > 400) return null
  const [stem, otherStem] = [path, other].map((each) => (each.split("/").at(-1) ?? "").replace(/\.\w+$/, ""))
  const own = [
    ...new Set([
      ...definitions.flatMap(({ container, name }) => (container === null ? [name] : [])),
      // In Rust these are words of macros too.
      ...(path.endsWith(".rs") ? [] : bound)
    ])
  ].filter((name) => used.has(name))
  const needed = imports.filter(({ local, within }) => within === undefined && used.has(local))
  if (needed.some(({ guarded, local }) => guarded || local.includes("."))) return null
  if (path.endsWith(".go")) {
    const packages = imports.filter(({ local, module }) =>
      used.has(
        local ||
          (
            module
              .replace(/\/v\d+$/, "")
              .split("/")
              .at(-1) ?? ""
          ).replace(/\.v\d+$/, "")
      )
    )
    const clause = /^package \w+$/m.exec(text)?.[0]
    if (clause === undefined) return null
    const list = packages.map(({ local, module }) => `import ${local === "" ? "" : `${local} `}"${module}"\n`)
    return { top: `${clause}\n\n${list.join("")}\n`, back: null }
  }
  if (/\.pyi?$/.test(path)) {
    const list = needed.map(({ local, module, name }) => {
      const alias = local === (name ?? module) ? "" : ` as ${local}`
      return name === null ? `import ${module}${alias}` : `from ${module} import ${name}${alias}`
    })
    if (own.length > 0) list.push(`from .${stem} import ${own.join(", ")}`)
    return {
      top: list.map((line) => `${line}\n`).join("") + (list.length > 0 ? "\n\n" : ""),
      back: (name) => `from .${otherStem} import ${name}`
    }
  }
  if (isScript(path)) {
    const list = needed.map(({ local, module, name }) => {
      if (name === null) return `import * as ${local} from "${module}"`
      if (name === "default") return `import ${local} from "${module}"`
      return `import { ${name === local ? name : `${name} as ${local}`} } from "${module}"`
    })
    if (own.length > 0) list.push(`import { ${own.join(", ")} } from "./${stem}"`)
    return {
      top: list.map((line) => `${line}\n`).join("") + (list.length > 0 ? "\n" : ""),
      back: (name) => `import { ${name} } from "./${otherStem}"`
    }
  }
  if (path.endsWith(".rs")) {
    if (/^(?:mod|lib|main)$/.test(stem ?? "") || [...used].some((name) => /^(?:self|super)$/.test(name))) return null
    const list = needed.map(({ local, module, name }) => {
      const full = name === null ? module : `${module}::${name}`
      return `use ${full}${full.split("::").at(-1) === local ? "" : ` as ${local}`};`
    })
    if (own.length > 0) list.push(`use super::${stem}::{${own.join(", ")}};`)
    return {
      top: list.map((line) => `${line}\n`).join("") + (list.length > 0 ? "\n" : ""),
      back: (name) => `use super::${otherStem}::${name};`
    }
  }
  return null
}

/** A text with one real edit on an added line, and the rows where a reader sees it. */
interface Edited {
  readonly text: string
  readonly name: string
  /** Rows of the edited text. */
  readonly rows: ReadonlyArray<number>
  /** Deleted or moved lines, white space removed. */
  readonly deleted: ReadonlyArray<string>
}

const swap = (text: string, a: Leaf, b: Leaf): string =>
  text.slice(0, a.start) + b.text + text.slice(a.end, b.start) + a.text + text.slice(b.end)
const put = (text: string, { end, start }: Leaf, written: string): string =>
  text.slice(0, start) + written + text.slice(end)

const operators: Readonly<Record<string, string>> = {
  "==": "!=",
  "===": "!==",
  "!=": "==",
  "&&": "||",
  "||": "&&",
  and: "or",
  or: "and",
  "+": "-",
  "-": "+"
}
const bounds: Readonly<Record<string, string>> = { "<": "<=", ">": ">=", "<=": "<", ">=": ">" }

const edits: Readonly<
  Record<string, (path: string, text: string, leaves: ReadonlyArray<Leaf>, all: ReadonlyArray<Leaf>) => Edited | null>
> = {
  operator: (_, text, leaves) => {
    const leaf = pick(
      leaves.filter((each) => /binary|boolean|comparison/.test(each.parents.at(-1) ?? "") && each.text in operators)
    )
    return leaf === undefined ? null : made("operator", put(text, leaf, operators[leaf.text]!), leaf)
  },
  "off by one": (_, text, leaves) => {
    const leaf = pick(
      leaves.filter((each) => /binary|comparison/.test(each.parents.at(-1) ?? "") && each.text in bounds)
    )
    return leaf === undefined ? null : made("off by one", put(text, leaf, bounds[leaf.text]!), leaf)
  },
  arguments: (_, text, leaves) => {
    const pairs = leaves.flatMap((leaf, at) => {
      const [comma, next, after] = [leaves[at + 1], leaves[at + 2], leaves[at + 3]]
      const isList = /argument/.test(leaf.parents.at(-1) ?? "")
      const fits =
        comma?.text === "," &&
        next !== undefined &&
        /^[,)]$/.test(after?.text ?? "") &&
        /^[(,]$/.test(leaves[at - 1]?.text ?? "")
      return isList && fits && next.text !== leaf.text ? [[leaf, next] as const] : []
    })
    const pair = pick(pairs)
    return pair === undefined ? null : made("arguments", swap(text, ...pair), ...pair)
  },
  negation: (_, text, leaves) => {
    const leaf = pick(
      leaves.filter(
        (each) =>
          (each.text === "!" || each.text === "not") && /unary|prefix|not_operator/.test(each.parents.at(-1) ?? "")
      )
    )
    return leaf === undefined ? null : made("negation", put(text, leaf, ""), leaf)
  },
  constant: (_, text, leaves) => {
    const leaf = pick(leaves.filter((each) => /^\d+$/.test(each.text)))
    return leaf === undefined ? null : made("constant", put(text, leaf, `${Number(leaf.text) + 1}`), leaf)
  },
  await: (_, text, leaves) => {
    const leaf = pick(leaves.filter((each) => each.text === "await"))
    return leaf === undefined ? null : made("await", put(text, leaf, ""), leaf)
  },
  string: (_, text, leaves) => {
    const leaf = pick(leaves.filter((each) => /^["'`]\w[^\n]*\w["'`]$/.test(each.text)))
    return leaf === undefined
      ? null
      : made("string", put(text, leaf, `${leaf.text.slice(0, -1)} ${leaf.text.at(-1)}`), leaf)
  },
  names: (_, text, leaves) => {
    const names = leaves.filter((each) => /^(?:identifier|simple_identifier)$/.test(each.type))
    const [a, b] = [pick(names), pick(names)]
    return a === undefined || b === undefined || a.text === b.text ? null : made("names", put(text, a, b.text), a)
  },
  exchange: (_, text, leaves) => {
    // The order of imported names has no meaning.
    const names = leaves.filter(
      ({ parents, type }) => /^(?:identifier|simple_identifier)$/.test(type) && !/import|use_/.test(parents.join(" "))
    )
    const at = random(Math.max(1, names.length - 1))
    const [a, b] = [names[at], names[at + 1]]
    return a === undefined || b === undefined || a.text === b.text ? null : made("exchange", swap(text, a, b), a, b)
  },
  member: (_, text, leaves) => {
    const leaf = pick(
      leaves.filter((_, at) => /^(?:\.|\?\.|->)$/.test(leaves[at - 1]?.text ?? "") && /^\w+$/.test(leaves[at]!.text))
    )
    return leaf === undefined ? null : made("member", put(text, leaf, `${leaf.text}Else`), leaf)
  },
  "deleted line": (_, text, leaves) => {
    const lines = text.split("\n")
    const rows = [...new Set(leaves.map(({ row }) => row))].filter((row) =>
      /^\s*[\w.]+(?:\(.*\);?|\s*=\s*\w.*;?)$/.test(lines[row] ?? "")
    )
    const row = pick(rows)
    if (row === undefined) return null
    return {
      name: "deleted line",
      text: lines.toSpliced(row, 1).join("\n"),
      rows: [],
      deleted: [squeezed(lines[row]!)]
    }
  },
  block: (path, text, leaves) => {
    const lines = text.split("\n")
    const rows = [...new Set(leaves.map(({ row }) => row))]
    if (path.endsWith(".py")) {
      // The last statement of a block moves out of it.
      const found = rows.filter((row) => {
        const [line, next] = [lines[row] ?? "", lines[row + 1] ?? ""]
        const depth = indentOf(line)
        return (
          depth >= 8 &&
          next.trim() !== "" &&
          indentOf(next) < depth &&
          indentOf(lines[row - 1] ?? "") === depth &&
          /^\s*[\w.]+(?:\(.*\)| = \w.*)$/.test(line)
        )
      })
      const row = pick(found)
      if (row === undefined) return null
      const edited = lines.with(row, " ".repeat(indentOf(lines[row + 1]!)) + lines[row]!.trimStart())
      return { name: "block", text: edited.join("\n"), rows: [row], deleted: [] }
    }
    const row = pick(
      rows.filter(
        (at) =>
          /^\s*(?:\}|end)$/.test(lines[at + 1] ?? "") &&
          /^\s*[\w.]+(?:\(.*\);?|\s*=\s*\w.*;?)$/.test(lines[at] ?? "") &&
          indentOf(lines[at] ?? "") >= 4
      )
    )
    if (row === undefined) return null
    const edited = lines.with(row, lines[row + 1]!).with(row + 1, lines[row]!)
    return { name: "block", text: edited.join("\n"), rows: [row, row + 1], deleted: [squeezed(lines[row]!)] }
  }
}
const indentOf = (line: string): number => /^[ \t]*/.exec(line)![0].length
const squeezed = (line: string): string => line.replace(/Renamed|[\s;,'"]+/g, "")

const made = (name: string, text: string, ...leaves: ReadonlyArray<Leaf>): Edited => ({
  name,
  text,
  rows: leaves.map(({ row }) => row),
  deleted: []
})

const changed = (texts: Texts): Change => {
  rmSync(join(folder, "a"), { recursive: true, force: true })
  rmSync(join(folder, "b"), { recursive: true, force: true })
  for (const [side, at] of [
    ["a", 0],
    ["b", 1]
  ] as const) {
    mkdirSync(join(folder, side), { recursive: true })
    for (const [path, both] of Object.entries(texts)) {
      const text = both[at]
      if (text === null) continue
      const file = join(folder, side, path)
      mkdirSync(join(file, ".."), { recursive: true })
      writeFileSync(file, text)
    }
  }
  const patch = Bun.spawnSync(["git", "diff", "--no-index", "--no-color", "--no-renames", "--no-prefix", "a", "b"], {
    cwd: folder,
    stdout: "pipe"
  }).stdout
  const { files } = Result.getOrThrow(parseDiff(new Uint8Array(patch)))
  // Git names an added file by its folder.
  const plain = (path: string | null): string | null => (path === null || path in texts ? path : path.slice(2))
  const named = files.map((file) => ({
    ...file,
    path: plain(file.path) ?? file.path,
    oldPath: plain(file.oldPath),
    newPath: plain(file.newPath)
  }))
  return { ...changeOf(texts), diff: { files: named } }
}

const judge = async (texts: Texts): Promise<{ change: Change; form: Form }> => {
  const change = changed(texts)
  const layers = SymbolIndex.layer.pipe(
    Layer.provideMerge(SyntaxTrees.layer),
    Layer.provideMerge(TreeSitter.layer),
    Layer.provideMerge(BlobFactsNone.layer),
    Layer.provideMerge(sourcesOf(texts))
  )
  const { found } = await Effect.runPromise(Effect.provide(formOf(change), layers))
  return { change, form: found }
}

const isFolded = ({ hunks }: Form, file: string, row: number): boolean =>
  hunks.some((hunk) => hunk.file === file && hunk.line <= row + 1 && row + 1 < hunk.line + hunk.added)

const isDeletionFolded = (form: Form, change: Change, texts: ReadonlyArray<string>): boolean => {
  const rows = change.diff.files.flatMap(({ hunks, path }) =>
    hunks.flatMap(({ lines }) =>
      lines
        .filter(({ kind, text }) => kind === "deleted" && texts.map(squeezed).includes(squeezed(text)))
        .map(({ oldLine }) => [path, oldLine ?? 0] as const)
    )
  )
  if (rows.length === 0) return form.formal === form.lines
  return rows.every(([path, line]) =>
    form.hunks.some(
      (hunk) => hunk.file === path && hunk.base > 0 && hunk.base <= line && line < hunk.base + hunk.deleted
    )
  )
}

const makers: Readonly<Record<Pure, (sample: Sample, parsed: Parsed) => Made | null>> = { move, rename, reformat }
const grammars = [...byGrammar.keys()].sort()
const kinds = ["move", "rename", "reformat"] as const
interface Tally {
  pure: number
  folded: number
  lines: number
  formal: number
  hidden: number
  hiddenFolded: number
}
const table = new Map<string, Tally>()
const tally = (kind: string, language: string): ReadonlyArray<Tally> =>
  [`${kind} *`, `* ${language}`, `${kind} ${language}`].map((key) => {
    const known = table.get(key) ?? { pure: 0, folded: 0, lines: 0, formal: 0, hidden: 0, hiddenFolded: 0 }
    table.set(key, known)
    return known
  })

const byEdit = new Map<string, number>()
let [pure, hidden, folded, hiddenFolded, tries] = [0, 0, 0, 0, 0]
while ((pure < each || hidden < each) && tries++ < each * 400) {
  const grammar = grammars[tries % grammars.length]!
  const kind = kinds[Math.floor(tries / grammars.length) % kinds.length]!
  const from = sample(grammar)
  const parsed = from === null ? null : await parse(from.path, from.text)
  if (from === null || parsed === null) continue
  const result = makers[kind](from, parsed)
  if (result === null) continue
  const head = result.texts[result.path]![1]!
  const after = await parse(result.path, head)
  if (after === null) continue
  const { change, form } = await judge(result.texts)
  if (form.lines === 0) continue
  const isFoldedWhole = form.formal >= form.lines - (result.extra ?? 0)
  if (pure < each) {
    pure++
    if (isFoldedWhole) folded++
    else if (shows) {
      console.log(`--- not folded: ${kind} ${from.path} ${form.formal}/${form.lines}`)
      showUnfolded(change, form)
    }
    for (const row of tally(kind, grammar)) {
      row.pure++
      row.lines += form.lines
      row.formal += form.formal
      if (isFoldedWhole) row.folded++
    }
  }
  if (hidden >= each) continue
  const addedRows = new Set(
    change.diff.files
      .filter(({ path }) => path === result.path)
      .flatMap(({ hunks }) =>
        hunks.flatMap(({ lines }) =>
          lines.flatMap(({ kind: side, newLine }) => (side === "added" ? [(newLine ?? 0) - 1] : []))
        )
      )
  )
  const leaves = after.leaves.filter(({ row }) => addedRows.has(row))
  const names = Object.keys(edits)
  const start = random(names.length)
  for (let at = 0; at < names.length; at++) {
    const edited = edits[names[(start + at) % names.length]!]!(result.path, head, leaves, after.leaves)
    if (edited === null || (await parse(result.path, edited.text)) === null) continue
    const texts = { ...result.texts, [result.path]: [result.texts[result.path]![0], edited.text] as const }
    const judged = await judge(texts)
    hidden++
    byEdit.set(edited.name, (byEdit.get(edited.name) ?? 0) + 1)
    const isHidden =
      edited.rows.length > 0
        ? edited.rows.every((row) => isFolded(judged.form, result.path, row))
        : isDeletionFolded(judged.form, judged.change, edited.deleted)
    const isDeletedToo = edited.deleted.length === 0 || isDeletionFolded(judged.form, judged.change, edited.deleted)
    if (isHidden && isDeletedToo) {
      hiddenFolded++
      console.log(`!!! folded: ${kind} with ${edited.name} in ${from.path}, rows ${edited.rows.map((row) => row + 1)}`)
      if (shows) {
        const before = head.split("\n")
        const now = edited.text.split("\n")
        for (const row of edited.rows) console.log(`  - ${before[row]}\n  + ${now[row]}`)
        for (const text of edited.deleted) console.log(`  deleted ${text}`)
      }
    }
    for (const row of tally(kind, grammar)) {
      row.hidden++
      if (isHidden && isDeletedToo) row.hiddenFolded++
    }
    break
  }
}
rmSync(folder, { recursive: true, force: true })
await parsing.dispose()

function showUnfolded(change: Change, form: Form): void {
  for (const { hunks, path } of change.diff.files) {
    let shown = 0
    for (const { kind, newLine, oldLine, text } of hunks.flatMap(({ lines }) => lines)) {
      if (kind === "context" || shown > 6) continue
      const isOpen =
        kind === "added"
          ? !isFolded(form, path, (newLine ?? 0) - 1)
          : !form.hunks.some(
              (hunk) =>
                hunk.file === path &&
                hunk.base > 0 &&
                hunk.base <= (oldLine ?? 0) &&
                (oldLine ?? 0) < hunk.base + hunk.deleted
            )
      if (!isOpen) continue
      shown++
      console.log(`    ${kind === "added" ? "+" : "-"}${newLine ?? oldLine} ${text.slice(0, 140)}`)
    }
  }
}

console.log(
  `pure: ${folded} of ${pure} folded whole; hidden edits: ${hiddenFolded} of ${hidden} folded; tries ${tries}`
)
console.log([...byEdit].map(([name, count]) => `${name} ${count}`).join(", "))
console.log("kind       language     pure folded   lines  formal  hidden folded")
for (const [key, row] of [...table].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const [kind = "", language = ""] = key.split(" ")
  console.log(
    [
      kind.padEnd(10),
      language.padEnd(12),
      ...[row.pure, row.folded, row.lines, row.formal, row.hidden, row.hiddenFolded].map((value) =>
        String(value).padStart(6)
      )
    ].join(" ")
  )
}
