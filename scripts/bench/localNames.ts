/**
 * Whether the locals of real files stay local. Run `bun scripts/bench/localNames.ts FOLDER... [--files 200] [--show 3]`.
 *
 * Of each language it reads some files of the folders. A local is a name that a function binds, all of whose words are in
 * this function and are variables there, by text and by the reader of words alone, not by the resolver of scopes. It gets
 * the name of something that the file imports or defines and the function does not mention. The places of that name must
 * stay what they were. Prints by language: files, locals, those that changed a place, and examples.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, ManagedRuntime } from "effect"
import type { Grammar } from "../../src/domain/change/Grammar.ts"
import { type Definition, wordPlaces } from "../../src/domain/code/Symbol.ts"
import type { SyntaxNode } from "../../src/domain/code/Syntax.ts"
import { grammarFor, languages } from "../../src/languages/languages.ts"
import { wordUsesIn } from "../../src/languages/wordUses.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"
import { shuffler } from "./scratchClone.ts"

const options = new Map<string, string>()
const folders = process.argv.slice(2).filter((word, at, all) => {
  if (word.startsWith("--")) options.set(word, all[at + 1] ?? "")
  return !word.startsWith("--") && !all[at - 1]?.startsWith("--")
})
const files = Number(options.get("--files") ?? 200)
const shown = Number(options.get("--show") ?? 3)
const localsOfFile = 40

const parsing = ManagedRuntime.make(TreeSitter.layer)
const asked = <A>(grammar: Grammar, text: string, ask: (root: SyntaxNode) => A): Promise<A> =>
  parsing.runPromise(
    SyntaxParser.use((parser) => parser.parse(grammar, text)).pipe(
      Effect.map(({ root }) => ask(root)),
      Effect.scoped
    )
  )

interface Local {
  readonly name: string
  readonly places: ReadonlyArray<number>
  readonly inside: Definition
}

/** The locals of a file, and the names that it has at its top. */
const namesIn = (grammar: Grammar, path: string, text: string, root: SyntaxNode) => {
  const { occurrence, symbols } = languages[grammar]
  const { definitions, imports, inner = [] } = symbols(root, path)
  const functions = [...definitions, ...inner].filter(({ kind }) => kind === "function" || kind === "method")
  const top = [
    ...definitions.filter(({ container }) => container === null).map(({ name }) => name),
    ...imports.map(({ local }) => local)
  ]
  const words = [...new Set(text.match(/[A-Za-z_]\w+/g) ?? [])]
  const locals = words.flatMap((name): ReadonlyArray<Local> => {
    const places = wordPlaces(text, name)
    const found = places.map((at) => {
      const node = root.descendantForIndex(at, at + name.length)
      const isWord = node?.startIndex === at && node.endIndex === at + name.length
      const place = node === null || !isWord ? null : occurrence(node)
      return place === null || place.receiver !== null ? null : { ...place, at, type: node!.type }
    })
    const line = found[0]?.line ?? 0
    const inside = functions.find((each) => each.line < line && line <= each.endLine)
    const isLocal =
      inside !== undefined &&
      found.some((place) => place?.kind === "binding") &&
      found.every(
        (place) =>
          place !== null &&
          (place.kind === "binding" || (place.kind === "use" && place.call === null)) &&
          place.type !== "shorthand_property_identifier_pattern" &&
          place.type !== "shorthand_property_identifier" &&
          place.type !== "shorthand_field_identifier" &&
          place.line > inside.line &&
          place.line <= inside.endLine
      )
    return isLocal ? [{ name, places, inside }] : []
  })
  return { hasError: root.hasError, locals, top: [...new Set(top)].filter((name) => /^[A-Za-z_]\w+$/.test(name)) }
}

const renamed = (text: string, { name, places }: Local, other: string): string => {
  let [result, from] = ["", 0]
  for (const at of places) {
    result += text.slice(from, at) + other
    from = at + name.length
  }
  return result + text.slice(from)
}

const placesOf = (grammar: Grammar, text: string, word: string) =>
  asked(grammar, text, (root) =>
    (wordUsesIn(grammar, root, text, [word]).uses.get(word) ?? []).map(
      ({ kind, line, receiver }) => `${line} ${kind} ${receiver}`
    )
  )

const shuffled = shuffler(1)
const byFamily = new Map<string, Array<{ readonly path: string; readonly grammar: Grammar; readonly text: string }>>()
for (const folder of folders) {
  const listed = Bun.spawnSync(["git", "-C", folder, "ls-files"]).stdout.toString().split("\n")
  for (const path of shuffled(listed)) {
    let text: string
    try {
      text = readFileSync(join(folder, path), "utf8")
    } catch {
      continue
    }
    const grammar = text.length > 200_000 ? null : grammarFor(path, text)
    if (grammar === null) continue
    const { family } = languages[grammar]
    const some = byFamily.get(family) ?? []
    byFamily.set(family, some)
    some.push({ path: join(folder, path), grammar, text })
  }
}

for (const [family, all] of byFamily) {
  let [read, tried, changed] = [0, 0, 0]
  const examples: Array<string> = []
  for (const { grammar, path, text } of shuffled(all)) {
    if (read >= files) break
    const { hasError, locals, top } = await asked(grammar, text, (root) => namesIn(grammar, path, text, root))
    if (hasError || locals.length === 0) continue
    read++
    for (const local of shuffled(locals).slice(0, localsOfFile)) {
      const body = text
        .split("\n")
        .slice(local.inside.line - 1, local.inside.endLine)
        .join("\n")
      const isLike = (name: string) => /^[A-Z]/.test(name) === /^[A-Z]/.test(local.name)
      const other = top.find((name) => isLike(name) && wordPlaces(body, name).length === 0) ?? "ddOtherName"
      tried++
      const [before, after] = [
        await placesOf(grammar, text, other),
        await placesOf(grammar, renamed(text, local, other), other)
      ]
      if (before.join() === after.join()) continue
      changed++
      const odd = after.filter((place) => !before.includes(place))
      if (examples.length < shown) examples.push(`  ${path}: ${local.name} as ${other}: ${odd.slice(0, 3).join(", ")}`)
    }
  }
  console.log([`${family}: ${read} files, ${tried} locals, ${changed} changed a place`, ...examples].join("\n"))
}
process.exit(0)
