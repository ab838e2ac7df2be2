/**
 * The nodes on which a syntax rule reports what it reported before the change, there or elsewhere in the changed files.
 *
 * Applies the rule to both sides of the changed files, so it is for rules that report something. A side that cannot be
 * read has no sites.
 */
import { Effect, Result } from "effect"
import { enclosingFunction } from "../../domain/code/CodeQuery.ts"
import type { Definition } from "../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { codeOnlyOf, syntaxClaims, touches } from "../../domain/finding/Claims.ts"
import { comparableCode, introduced, recognisable, type Site } from "../../domain/finding/comparison/introduced.ts"
import { linesOf, type RuleFile, type SyntaxRule } from "../../domain/finding/Rule.ts"
import { languages } from "../../languages/languages.ts"
import type { ParsedFile, SyntaxParser } from "../code/SyntaxParser.ts"
import { oncePerKey } from "../system/oncePerKey.ts"

/** A changed file as rules see it, and the same for its text before the change. */
export interface BothSides {
  readonly file: RuleFile
  readonly before: RuleFile
}

interface NodeSite extends Site {
  readonly place: string
}

/** Was what the rule reports on this node there before the change, or can this not be determined for an untouched node? */
export type IsOld = (path: string, node: SyntaxNode) => boolean

/** `changed`: the changed files that are compared for findings in the file of a path, and a name for this set of files. */
export const reportedBefore = (
  parser: SyntaxParser["Service"],
  changed: (path: string) => { readonly name: string; readonly files: Effect.Effect<ReadonlyArray<BothSides>> }
): ((rule: SyntaxRule, path: string) => Effect.Effect<IsOld>) => {
  const known = oncePerKey<string, IsOld>()

  const parsedSide = (side: RuleFile) =>
    Effect.gen(function* () {
      const lines = side.code?.lines ?? null
      return lines === null || side.code === null ? null : yield* parser.parse(side.code.grammar, lines.join("\n"))
    })

  const functionsOf = (side: RuleFile) =>
    Effect.gen(function* () {
      const parsed = yield* parsedSide(side)
      const all = parsed === null ? [] : yield* parsed.read((root) => definitionsIn(root, side))
      return new Set(all.map(scopeOf))
    })

  /** Null if it is not known what the rule reports on this side. */
  const sitesOf = (rule: SyntaxRule, side: RuleFile, { before, file }: BothSides) =>
    Effect.gen(function* () {
      if (side.code === null || !rule.grammars.includes(side.code.grammar)) return null
      if (rule.keywords.length > 0 && !side.head?.some((text) => rule.keywords.some((word) => text.includes(word))))
        return []
      const parsed = yield* parsedSide(side)
      if (parsed === null) return null
      // A syntax error can hide what the rule reports.
      if (rule.wholeFile === true && parsed.root.hasError) return null
      const matches = yield* matchesOf(parsed, rule)
      const sites = yield* parsed.read((root) => {
        const everyLine = { ...codeOnlyOf(side), isAdded: () => true }
        // A rule that fails on the other side of the change is reported where it fails on the changed one.
        const claims = Result.try({ try: () => syntaxClaims(rule, everyLine, matches), catch: (cause) => cause })
        if (Result.isFailure(claims)) return null
        if (claims.success.length === 0) return []
        const definitions = definitionsIn(root, side)
        return claims.success.map(({ node }) => {
          const { endLine, line } = linesOf(node)
          const around = enclosingFunction(definitions, line)
          return {
            path: file.path,
            place: placeOf(file.path, node),
            scope: around === null ? null : scopeOf(around),
            unnamed: around === null ? null : withoutName(around, side.code?.lines ?? []),
            code: comparableCode(node.text),
            context: contextOf(node, recognisable.inNewFunction),
            longContext: contextOf(node, recognisable.anywhere),
            isTouched: touches(side, line, endLine)
          }
        })
      })
      if (sites === null) return null
      if (sites.length === 0) return []
      const others = yield* functionsOf(side === file ? before : file)
      return sites.map((site): NodeSite => ({ ...site, isInBoth: site.scope !== null && others.has(site.scope) }))
    }).pipe(
      Effect.scoped,
      Effect.match({ onSuccess: (sites): ReadonlyArray<NodeSite> | null => sites, onFailure: () => null })
    )

  return (rule, path) => {
    const { files: comparing, name } = changed(path)
    return known(
      `${rule.id} ${name}`,
      Effect.gen(function* () {
        const files = yield* comparing
        const base = yield* Effect.forEach(files, (both) => sitesOf(rule, both.before, both))
        const head = yield* Effect.forEach(files, (both) => sitesOf(rule, both.file, both))
        const known = (sides: typeof base) => sides.flatMap((sites) => sites ?? [])
        const fresh = new Set(introduced(known(head), known(base)).map(({ place }) => place))
        const old = new Set(known(head).flatMap(({ place }) => (fresh.has(place) ? [] : [place])))
        const compared = new Map(files.map(({ file }, at) => [file.path, { file, isKnown: base[at] !== null }]))
        return (path, node) => {
          const place = placeOf(path, node)
          const both = compared.get(path)
          const { endLine, line } = linesOf(node)
          // Without the sites of one side more is reported where the change touches a node, and less elsewhere.
          if (both === undefined || touches(both.file, line, endLine)) return old.has(place)
          return !both.isKnown || !fresh.has(place)
        }
      })
    )
  }
}

/** By rows and columns: an index in the text counts the ends of lines, which are not known here. */
const withoutName = ({ endLine, line, name }: Definition, lines: ReadonlyArray<string>): string =>
  comparableCode(
    lines
      .slice(line - 1, endLine)
      .join("\n")
      .replace(new RegExp(`\\b${RegExp.escape(name)}\\b`, "g"), "")
  )

const placeOf = (path: string, { endPosition, startPosition }: SyntaxNode): string =>
  [startPosition.row, startPosition.column, endPosition.row, endPosition.column, path].join(" ")

const contextOf = (node: SyntaxNode, length: number): string => {
  const code = comparableCode(node.text)
  return code.length >= length || node.parent === null ? code : contextOf(node.parent, length)
}

const definitionsIn = (root: SyntaxNode, { code, path }: RuleFile): ReadonlyArray<Definition> =>
  code === null ? [] : languages[code.grammar].symbols(root, path).definitions

const scopeOf = ({ container, name }: Definition): string => `${container ?? ""}.${name}`

/** All nodes of the file that the rule checks. */
const matchesOf = (parsed: ParsedFile, { pattern }: SyntaxRule) =>
  pattern._tag === "Query"
    ? parsed.query(pattern.query, pattern.owner)
    : Effect.map(parsed.nodes(pattern.types), (nodes) => nodes.map((node) => ({ claim: [node] })))
