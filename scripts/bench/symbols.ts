/**
 * What the symbol readers see of a repository, and how long they take. Run `bun scripts/bench/symbols.ts REPOSITORY`.
 *
 * Every tracked file of a language whose symbols are known is parsed and read from scratch. The table, a line a
 * language: files, how many of them could not be parsed as a whole, megabytes, definitions, imports, places where a
 * name stands (`--references` asks for these too; it takes longer than everything else), and milliseconds a megabyte
 * for parsing, for reading and for the places. With `--list PATTERN`: the definitions of the files whose path
 * contains it, one a line.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, ManagedRuntime, Result } from "effect"
import type { Grammar } from "../../src/domain/change/Grammar.ts"
import { signatureText } from "../../src/domain/code/brokenUses.ts"
import type { SyntaxNode } from "../../src/domain/code/Syntax.ts"
import { grammarFor, languageOf } from "../../src/languages/languages.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"

const [repository, ...options] = process.argv.slice(2)
if (repository === undefined) {
  console.error("usage: bun scripts/bench/symbols.ts REPOSITORY [--references] [--list PATTERN]")
  process.exit(2)
}
const wantsReferences = options.includes("--references")
const listed = options.includes("--list") ? options[options.indexOf("--list") + 1] : undefined

const listing = Bun.spawnSync(["git", "-C", repository, "ls-files", "-z"], { stdout: "pipe" })
const paths = listing.stdout
  .toString()
  .split("\0")
  .filter((path) => languageOf(path) !== null)

interface Row {
  files: number
  broken: number
  refused: number
  bytes: number
  definitions: number
  imports: number
  places: number
  parsing: number
  reading: number
  placing: number
}
const rows = new Map<Grammar, Row>()
const rowOf = (grammar: Grammar): Row => {
  const known = rows.get(grammar)
  if (known !== undefined) return known
  const row = {
    files: 0,
    broken: 0,
    refused: 0,
    bytes: 0,
    definitions: 0,
    imports: 0,
    places: 0,
    parsing: 0,
    reading: 0,
    placing: 0
  }
  rows.set(grammar, row)
  return row
}

/** The node types that a word of code has in some language. */
const words = `identifier simple_identifier type_identifier field_identifier property_identifier namespace_identifier
  package_identifier shorthand_property_identifier constant name alias`.split(/\s+/)

const readFile = (path: string, text: string, grammar: Grammar) =>
  Effect.gen(function* () {
    const row = rowOf(grammar)
    const language = languageOf(path)
    if (language === null) return
    const parser = yield* SyntaxParser
    const started = performance.now()
    const parsed = yield* Effect.result(parser.parse(grammar, text))
    const done = performance.now()
    row.files++
    row.bytes += Buffer.byteLength(text)
    row.parsing += done - started
    if (Result.isFailure(parsed)) {
      row.refused++
      return
    }
    const root: SyntaxNode = parsed.success.root
    const symbols = language.symbols(root, path)
    const read = performance.now()
    if (root.hasError) row.broken++
    row.definitions += symbols.definitions.length
    row.imports += symbols.imports.length
    row.reading += read - done
    if (wantsReferences) {
      for (const node of root.descendantsOfType(words)) if (language.occurrence(node) !== null) row.places++
      row.placing += performance.now() - read
    }
    if (listed === undefined || !path.includes(listed)) return
    for (const { container, endLine, kind, line, name, signature, visibility } of symbols.definitions) {
      const full = container === null ? name : `${container} . ${name}`
      const shown = signature === null ? full : signatureText(full, signature)
      console.log(`${path}:${line}-${endLine} ${visibility ?? ""} ${kind} ${shown}`)
    }
  }).pipe(Effect.scoped)

const parsing = ManagedRuntime.make(TreeSitter.layer)
const began = performance.now()
for (const path of paths) {
  let text: string
  try {
    text = readFileSync(join(repository, path), "utf8")
  } catch (cause) {
    console.error(`not read: ${path}: ${cause}`)
    continue
  }
  const grammar = grammarFor(path, text)
  if (grammar !== null) await parsing.runPromise(readFile(path, text, grammar))
}
const total = performance.now() - began
await parsing.dispose()

console.log("language    files broken refused     MB  definitions  imports   places  ms/MB parse   read  places")
for (const [grammar, row] of rows) {
  const mb = row.bytes / 1e6
  const each = (milliseconds: number) => (milliseconds / mb).toFixed(0)
  console.log(
    [
      grammar.padEnd(11),
      String(row.files).padStart(5),
      String(row.broken).padStart(6),
      String(row.refused).padStart(7),
      mb.toFixed(2).padStart(6),
      String(row.definitions).padStart(12),
      String(row.imports).padStart(8),
      String(row.places).padStart(8),
      each(row.parsing).padStart(12),
      each(row.reading).padStart(6),
      each(row.placing).padStart(7)
    ].join(" ")
  )
}
console.log(`${(total / 1000).toFixed(1)} s in all, ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`)
