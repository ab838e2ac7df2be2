/**
 * Made repetitions and made drifts: what dd finds of them, and what it makes up. Run
 * `bun scripts/bench/repeats.ts REPOSITORY [count] [seed]` after `bun run build`.
 *
 * In a clone that is thrown away afterwards, one commit each: a function of at least 6 statements is copied into another
 * file under a new name, with its own variables renamed (must be found), moved there instead (must not), or copied with
 * one statement more (must not); an environment variable is renamed in the code alone or outside of the code alone
 * (must be found), or everywhere (must not). The table: what was made, how often, and how often it was reported.
 */
import { dirname } from "node:path"
import { Effect, ManagedRuntime } from "effect"
import type { Grammar } from "../../src/domain/change/Grammar.ts"
import { isTestPath, isVendoredPath } from "../../src/domain/change/PathKind.ts"
import type { SyntaxNode } from "../../src/domain/code/Syntax.ts"
import { grammarOf } from "../../src/languages/languages.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import { functionsOf, hasShapes, isRequired, roleOf, shapeOf } from "../../src/rules/structure/functionShapes.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"
import { git, openScratchClone, shuffler } from "./scratchClone.ts"

const [repository, count = "10", seed = "1"] = process.argv.slice(2)
if (repository === undefined) {
  console.error("usage: bun scripts/bench/repeats.ts REPOSITORY [count] [seed]")
  process.exit(2)
}

const scratch = openScratchClone("repeats")
const { clone, read, write } = scratch
const shuffled = shuffler(Number(seed))

const parsing = ManagedRuntime.make(TreeSitter.layer)

/** A function as text: its lines, how its file goes on after it, and the names that are its own. */
interface Piece {
  readonly path: string
  readonly grammar: Grammar
  readonly name: string
  readonly holder: string
  readonly first: number
  readonly last: number
  readonly statements: number
  /** Its lines as a copy would have them. */
  readonly renamed: ReadonlyArray<string>
}

const holderOf = (node: SyntaxNode): string => {
  const at = node.type === "variable_declarator" ? node.parent : node
  const above = at?.parent?.type === "export_statement" ? at.parent.parent : at?.parent
  return above?.type ?? ""
}

const piecesIn = (path: string, grammar: Grammar): Promise<ReadonlyArray<Piece>> =>
  parsing.runPromise(
    SyntaxParser.pipe(
      Effect.flatMap((parser) => parser.parse(grammar, read(path))),
      Effect.map(({ root }) =>
        functionsOf(root, grammar, new Set(Array.from({ length: root.endPosition.row + 1 }, (_, row) => row)))
          .filter((each) => !isRequired(each))
          .map((each): Piece => {
            const { names, statements } = shapeOf(each, grammar)
            const first = each.node.startPosition.row
            return {
              path,
              grammar,
              name: each.name,
              holder: holderOf(each.node),
              first,
              last: each.node.endPosition.row,
              statements,
              renamed: renamedLines(
                each.node.type === "variable_declarator" ? (each.node.parent ?? each.node) : each.node,
                each.name,
                names.flatMap(({ shared, text }) =>
                  !shared && /^[a-z]\w{2,}$/.test(text) && !/^(?:self|this|super|cls|case|with)$/.test(text)
                    ? [text]
                    : []
                )
              )
            }
          })
      ),
      Effect.scoped,
      Effect.orElseSucceed((): ReadonlyArray<Piece> => [])
    )
  )

/** Its lines under another name, with up to three of its own variables renamed. */
const renamedLines = (node: SyntaxNode, name: string, own: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = node
    .descendantsOfType([
      "identifier",
      "simple_identifier",
      "property_identifier",
      "field_identifier",
      "shorthand_property_identifier",
      "shorthand_property_identifier_pattern"
    ])
    .filter(({ startIndex, endIndex }) => startIndex >= node.startIndex && endIndex <= node.endIndex)
  const isWritten = (word: string) => !words.some(({ text, type }) => text === word && type.startsWith("shorthand"))
  const variables = new Set(own.filter((word) => word !== name && isWritten(word)).slice(0, 3))
  let { text } = node
  const places = words.toSorted((a, b) => b.startIndex - a.startIndex)
  let isNamed = false
  for (const word of places) {
    const at = word.startIndex - node.startIndex
    const isOwn = variables.has(word.text) && roleOf(word, word.parent) === "plain"
    // The definition's own name is the first of its words under that name.
    const isName =
      !isNamed && word.text === name && !places.some((each) => each.text === name && each.startIndex < word.startIndex)
    if (isName) isNamed = true
    if (isOwn || isName) text = `${text.slice(0, at)}${word.text}_b${text.slice(at + word.text.length)}`
  }
  return text.split("\n")
}

const indentOf = ({ first, path }: Piece): string => /^\s*/.exec(read(path).split("\n")[first] ?? "")?.[0] ?? ""

/** Puts lines behind a function of another file that is held by the same kind of thing. */
const insertBehind = (target: Piece, lines: ReadonlyArray<string>): void => {
  const text = read(target.path).split("\n")
  text.splice(target.last + 1, 0, "", ...lines)
  write(target.path, text.join("\n"))
}

const removeFrom = (piece: Piece): void => {
  const text = read(piece.path).split("\n")
  text.splice(piece.first, piece.last - piece.first + 1)
  write(piece.path, text.join("\n"))
}

/** One line of the copy's middle, twice. */
const longer = (lines: ReadonlyArray<string>): ReadonlyArray<string> | null => {
  const at = lines.findIndex((text, row) => row > 1 && /^\s+[\w.]+\([^()]*\);?$/.test(text))
  return at < 0 ? null : lines.toSpliced(at, 0, lines[at] ?? "")
}

const reviewed = (prefix: string): ReadonlyArray<string> =>
  scratch.reviewed().flatMap(({ description, rule }) => (rule.startsWith(prefix) ? [description] : []))

interface Made {
  readonly kind: string
  readonly prefix: string
  readonly about: string
  readonly expected: boolean
  /** False when it cannot be made of this. */
  readonly make: () => boolean
}

const start = (): string => git("-C", clone, "rev-parse", "HEAD").trim()

const tally = new Map<string, { made: number; reported: number; expected: boolean }>()
const attempt = (base: string, { about, expected, kind, make, prefix }: Made): boolean => {
  const known = tally.get(kind) ?? { made: 0, reported: 0, expected }
  if (known.made >= Number(count) || !make()) return false
  git("-C", clone, "commit", "--quiet", "--no-verify", "--all", "--allow-empty", "--message", kind)
  const said = reviewed(prefix)
  const isReported = said.length > 0
  tally.set(kind, { ...known, made: known.made + 1, reported: known.reported + (isReported ? 1 : 0) })
  if (isReported !== expected) console.error(`${kind}: ${about} ${said.join(" | ")}`)
  git("-C", clone, "reset", "--quiet", "--hard", base)
  return true
}

const makeClones = async (base: string, files: ReadonlyArray<string>): Promise<void> => {
  const byGrammar = Map.groupBy(files, (path) => grammarOf(path))
  for (const [grammar, paths] of byGrammar) {
    if (grammar === null || !hasShapes(grammar) || paths.length < 5) continue
    const pieces: Array<Piece> = []
    for (const path of shuffled(paths).slice(0, 150)) pieces.push(...(await piecesIn(path, grammar)))
    const subjects = pieces.filter(
      ({ first, last, statements }) => statements >= 6 && last - first >= 5 && last - first < 80
    )
    for (const piece of shuffled(subjects)) {
      const target = shuffled(pieces).find(
        (each) => each.holder === piece.holder && each.path !== piece.path && indentOf(each) === indentOf(piece)
      )
      if (target === undefined) continue
      const about = `${piece.path}:${piece.first + 1} ${piece.name} -> ${target.path}:${target.last + 2}`
      const lines = [`${indentOf(piece)}${piece.renamed[0] ?? ""}`, ...piece.renamed.slice(1)]
      attempt(base, {
        kind: `${grammar}: copied, renamed`,
        prefix: "clone/",
        about,
        expected: true,
        make: () => {
          insertBehind(target, lines)
          return true
        }
      })
      attempt(base, {
        kind: `${grammar}: moved`,
        prefix: "clone/",
        about,
        expected: false,
        make: () => {
          insertBehind(target, lines)
          removeFrom(piece)
          return true
        }
      })
      attempt(base, {
        kind: `${grammar}: one statement more`,
        prefix: "clone/",
        about,
        expected: false,
        make: () => {
          const more = longer(lines)
          if (more !== null) insertBehind(target, more)
          return more !== null
        }
      })
    }
  }
}

const asked =
  /(?:environ(?:\.get)?[[(]\s*["']|getenv\(\s*["']|process\.env\.|Getenv\("|LookupEnv\("|ENV(?:\.fetch)?[[(]\s*["']|(?:get_env|fetch_env!)\("|env::var\(")([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)/g

const makeDrifts = (base: string, all: ReadonlyArray<string>): void => {
  const texts = all.flatMap((path) => {
    try {
      return [{ path, text: read(path), isCode: grammarOf(path) !== null }]
    } catch {
      return []
    }
  })
  const names = new Set(
    texts.flatMap(({ isCode, text }) => (isCode ? [...text.matchAll(asked)].map((m) => m[1] ?? "") : []))
  )
  const usable = [...names].filter((name) => {
    const word = new RegExp(`(?<![\\w.])${name}\\s*[:=]`)
    const holding = texts.filter(({ text }) => text.includes(name))
    return (
      holding.length < 15 &&
      holding.some(
        ({ isCode, path, text }) =>
          !isCode && /\.(?:ya?ml|env[\w.]*|sample|example|toml|sh)$|Dockerfile|\.env/.test(path) && word.test(text)
      )
    )
  })
  const rename = (name: string, which: (isCode: boolean) => boolean): boolean => {
    const [head = "", ...rest] = name.split("_")
    const other = [head, "NEXT", ...rest].join("_")
    let changed = false
    for (const { isCode, path, text } of texts) {
      if (!which(isCode)) continue
      const after = text.replace(new RegExp(`(?<![A-Za-z0-9_])${name}(?![A-Za-z0-9_])`, "g"), other)
      if (after !== text) {
        write(path, after)
        changed = true
      }
    }
    return changed
  }
  for (const name of shuffled(usable)) {
    const made = { prefix: "drift/environment", about: name }
    attempt(base, { ...made, kind: "variable renamed in code", expected: true, make: () => rename(name, (is) => is) })
    attempt(base, { ...made, kind: "variable renamed outside", expected: true, make: () => rename(name, (is) => !is) })
    attempt(base, {
      ...made,
      kind: "variable renamed everywhere",
      expected: false,
      make: () => rename(name, () => true)
    })
  }
}

try {
  git("clone", "--quiet", "--no-hardlinks", repository, clone)
  const base = start()
  const all = git("-C", clone, "ls-files")
    .split("\n")
    .filter((path) => path !== "" && !isVendoredPath(path))
  await makeClones(
    base,
    all.filter((path) => !isTestPath(path) && !/(?:^|\/)(?:migrations?|migrate)\//.test(path) && dirname(path) !== "")
  )
  makeDrifts(base, all)
  for (const [kind, { expected, made, reported }] of tally) {
    console.log(`${kind.padEnd(32)} ${made} made, ${reported} ${expected ? "found" : "wrongly reported"}`)
  }
} finally {
  await parsing.dispose()
  scratch.close()
}
