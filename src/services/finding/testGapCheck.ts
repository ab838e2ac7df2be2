/**
 * Checks changed and new functions against the tests that mention them.
 *
 * A changed contract is reported if tests that the change does not touch still call the old one; a new exported
 * function if no test mentions it although tests mention its neighbours. Tests are matched by words, so a name that is
 * defined twice is not reported. Deterministic, bounded.
 */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { deletedLines } from "../../domain/change/deletedLines.ts"
import { isGeneratedPath, isTestPath } from "../../domain/change/PathKind.ts"
import { isTestFile } from "../../domain/change/TestFile.ts"
import { eachAlone, placesText, type WordPlace } from "../../domain/change/WordPlace.ts"
import { signatureText } from "../../domain/code/brokenUses.ts"
import { type ContractChange, contractChanges } from "../../domain/code/contractChanges.ts"
import { isOldCall, mayHaveOldCalls } from "../../domain/code/oldCalls.ts"
import { longestLine } from "../../domain/code/SharedName.ts"
import { type Definition, type FileSymbols, wordPlaces } from "../../domain/code/Symbol.ts"
import { addedLines } from "../../domain/finding/Claims.ts"
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import { nothingReviewed } from "../../domain/finding/RepositoryReview.ts"
import type { RepositoryRule, Rule } from "../../domain/finding/Rule.ts"
import { ruleRecord, type TextAt } from "../../domain/finding/ruleRecord.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { hasImportWords, importWord } from "../../languages/imports.ts"
import { endingsOf, familyOf, isJudged, languageOf } from "../../languages/languages.ts"
import { testNamesOf } from "../../languages/tests.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import { Sources } from "../change/Sources.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"
import { RuleSet } from "./RuleSet.ts"
import { firstOf, isOwnFile, lineTexts } from "./structureCheck.ts"

export const oldContractRule = "test/old-contract-in-tests"
export const untestedRule = "test/new-export-without-test"

/** Test files that are read for one name; a word in more files is not only a function. */
const testsRead = 20
/** Files of a folder whose functions are checked for tests. */
const neighboursRead = 8
/** Shorter names are too common. */
const shortestName = 4
/** Changed files compared. */
const filesCompared = 100

interface Changed {
  readonly file: DiffFile
  readonly contract: Extract<ContractChange, { _tag: "Signature" }>
}

interface Fresh {
  readonly path: string
  readonly definition: Definition
  readonly neighbours: ReadonlyArray<string>
}

export const testGapCheck = Effect.fn("testGapCheck")(function* (change: Change) {
  const sources = yield* Sources
  const { rules } = yield* RuleSet
  const [oldContract, untested] = [ruleOf(rules, oldContractRule), ruleOf(rules, untestedRule)]
  const applied = [oldContract, untested].flatMap((rule) => (rule === undefined ? [] : [rule.id]))
  if (applied.length === 0) return nothingReviewed
  const own = change.diff.files.filter(isOwnCode)
  const { kept: files, omitted } = firstOf(own, filesCompared, "tests of", "changed files")
  if (files.length === 0) return nothingReviewed
  const paths = yield* sources.headPaths
  if (paths.length === 0) return nothingReviewed
  const touched = new Set(change.diff.files.filter(isTouched).map(({ path }) => path))
  const records: Array<ReviewRecord> = []
  const changed = oldContract === undefined ? [] : (yield* forEachFile("symbols", files, changedContracts)).flat()
  if (oldContract !== undefined && changed.length > 0) {
    const names = [...new Set(changed.map(({ contract }) => contract.name))]
    const places = yield* sources.places(eachAlone(names), allEndings(files))
    for (const each of changed) records.push(...(yield* reviewContract(oldContract, each, places, touched)))
  }
  if (untested !== undefined) records.push(...(yield* reviewExports(untested, files, change, paths)))
  return {
    records: records.sort((a, b) => compareText(a.file, b.file) || a.line - b.line),
    rulesApplied: applied.sort(compareText),
    omitted
  }
})

const ruleOf = (rules: ReadonlyArray<Rule>, id: string) =>
  rules.find((rule): rule is RepositoryRule => rule._tag === "Repository" && rule.id === id)

/** Changed contracts with which an old call may not fit, or mean something else. */
const changedContracts = Effect.fnUntraced(function* (file: DiffFile) {
  const index = yield* SymbolIndex
  if (file.newPath === null || file.oldPath === null || !isJudged(file.path)) return []
  const head = yield* index.symbols(file.newPath)
  const base = yield* index.symbolsBefore(file)
  if (head === null || base === null) return []
  return contractChanges(base, head, false).flatMap(
    (contract): ReadonlyArray<Changed> =>
      contract._tag === "Signature" && contract.name.length >= shortestName && mayHaveOldCalls(contract)
        ? [{ file, contract }]
        : []
  )
})

/** Whether the name is defined once among the possible places. */
const isDefinedOnce = Effect.fnUntraced(function* (name: string, places: ReadonlyArray<WordPlace>) {
  const sources = yield* Sources
  let definitions = 0
  for (const { line, path } of places) {
    const source = yield* sources.head(path)
    const text = source._tag === "Text" ? (source.lines[line - 1] ?? "") : ""
    if (text.length <= longestLine && definesName(text, name)) definitions++
  }
  return definitions === 1
})

/** Calls in a test file that only the old contract permits; null if its words are ambiguous. */
const oldCallsIn = Effect.fnUntraced(function* (path: string, { contract, file }: Changed) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const { container, name } = contract
  const source = yield* sources.head(path)
  if (source._tag !== "Text") return null
  const own = testNamesOf(file.path).includes(path.slice(path.lastIndexOf("/") + 1))
  const word = container ?? importWord(file.path) ?? ""
  if (!own && wordPlaces(source.text, word).length === 0) return null
  const { occurrences } = yield* index.uses(path, [name])
  const places = occurrences.get(name) ?? []
  if (places.some(({ kind }) => kind === "binding" || kind === "definition")) return null
  const isStrict = !/\.[cm]?jsx?$/.test(path)
  return places.filter(
    ({ call, kind, receiver }) =>
      call !== null &&
      // A method is called on an object; a function is called without one, or on its module.
      (container === null ? kind === "use" || receiver !== null : kind === "member") &&
      isOldCall(contract, call, isStrict)
  )
})

const reviewContract = Effect.fnUntraced(function* (
  rule: RepositoryRule,
  changed: Changed,
  places: ReadonlyArray<WordPlace>,
  touched: ReadonlySet<string>
) {
  const sources = yield* Sources
  const { contract, file } = changed
  const named = places.filter(({ word }) => word === contract.name)
  const tests = [...new Set(named.map(({ path }) => path).filter(isTestFile))]
  if (tests.length === 0 || tests.length > testsRead || tests.some((path) => touched.has(path))) return []
  yield* sources.preload([...new Set(named.map(({ path }) => path))])
  if (!(yield* isDefinedOnce(contract.name, named))) return []
  const old: Array<WordPlace> = []
  for (const path of tests) {
    const calls = yield* oldCallsIn(path, changed)
    if (calls === null) continue
    old.push(...calls.map(({ line }) => ({ path, line, word: contract.name })))
  }
  if (old.length === 0) return []
  return [contractRecord(rule, file, contract, old, yield* lineTexts(sources, [file, ...old]))]
})

const newExports = Effect.fnUntraced(function* (
  file: DiffFile,
  isMoved: (name: string) => boolean,
  paths: ReadonlyArray<string>
) {
  const index = yield* SymbolIndex
  const path = file.newPath
  if (path === null || languageOf(path) === null) return []
  const head = yield* index.symbols(path)
  if (head === null) return []
  const base = file.oldPath === null ? null : yield* index.symbolsBefore(file)
  const before = new Set((base?.definitions ?? []).map(({ name }) => name))
  const added = new Set(addedLines(file).map(({ line }) => line))
  const fresh = offeredFunctions(head, path).filter(
    ({ endLine, line, name }) =>
      !before.has(name) && added.has(line) && endLine - line >= 3 && name.length >= shortestName && !isMoved(name)
  )
  if (fresh.length === 0) return []
  const beside = offeredFunctions(head, path).filter(({ name }) => before.has(name))
  if (beside.length < 2) {
    for (const each of siblings(path, paths).slice(0, neighboursRead)) {
      const symbols = yield* index.symbols(each)
      if (symbols !== null) beside.push(...offeredFunctions(symbols, each))
    }
  }
  const neighbours = [...new Set(beside.map(({ name }) => name).filter((name) => name.length >= shortestName))]
  return fresh.map((definition): Fresh => ({ path, definition, neighbours }))
})

const reviewExports = Effect.fnUntraced(function* (
  rule: RepositoryRule,
  files: ReadonlyArray<DiffFile>,
  change: Change,
  paths: ReadonlyArray<string>
) {
  const sources = yield* Sources
  const { defines } = deletedLines(change.diff)
  const fresh = (yield* forEachFile("symbols", files, (file) => newExports(file, defines, paths))).flat()
  const words = [...new Set(fresh.flatMap(({ definition, neighbours }) => [definition.name, ...neighbours]))]
  if (words.length === 0) return []
  const places = yield* sources.places(eachAlone(words), allEndings(files))
  const tested = new Set(places.filter(({ path }) => isTestFile(path)).map(({ word }) => word))
  const textAt = yield* lineTexts(sources, fresh)
  return fresh.flatMap(({ definition, neighbours, path }) => {
    const known = neighbours.filter((name) => tested.has(name))
    if (tested.has(definition.name) || known.length < 2 || known.length * 2 < neighbours.length) return []
    return [exportRecord(rule, { ...definition, path }, { known: known.length, all: neighbours.length }, textAt)]
  })
})

const isOwnCode = (file: DiffFile): boolean => isOwnFile(file) && hasImportWords(file.path) && !isTestPath(file.path)

const isTouched = ({ hunks, newPath, oldPath }: DiffFile): boolean => hunks.length > 0 || newPath !== oldPath

const allEndings = (files: ReadonlyArray<DiffFile>): ReadonlyArray<string> =>
  [...new Set(files.flatMap(({ path }) => familyOf(path) ?? []))].flatMap(endingsOf)

/** Whether the line defines the name: as a function, a method, or a variable with a function. */
const definesName = (text: string, name: string): boolean => {
  const word = `(?<![\\w$])${name.replace(/[^\w]/g, "\\$&")}`
  return new RegExp(
    `\\b(?:def|defp|fn|function\\*?)\\s+(?:self\\.)?${word}\\b|\\bfunc\\s+(?:\\([^)]*\\)\\s*)?${word}\\s*[(\\[]|\\b(?:const|let|var)\\s+${word}\\b|^\\s*(?:(?:public|private|protected|static|async|override|abstract|readonly|final|synchronized|get|set|export)\\s+)+[\\w<>\\[\\], .]*${word}\\s*[(<=]|^\\s*${word}\\s*(?:<[^>]*>)?\\([^)]*\\)\\s*(?::[^;]+)?\\{|${word}\\s*[:=]\\s*(?:async\\s*)?(?:function\\b|\\([^)]*\\)\\s*(?::[^=]+)?=>|lambda\\b)|\\b${word}\\([^)]*\\)\\s+[\\w*\\[\\]().]+$`
  ).test(text)
}

const offeredFunctions = (symbols: FileSymbols, path: string): Array<Definition> =>
  symbols.definitions.filter(
    ({ container, kind, name }) =>
      kind === "function" &&
      container === null &&
      (symbols.exports !== null
        ? symbols.exports.some((each) => each.name === name)
        : path.endsWith(".go")
          ? /^[A-Z]/.test(name)
          : !name.startsWith("_"))
  )

/** Files of the same folder and language that are not tests. */
const siblings = (path: string, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folder = path.slice(0, path.lastIndexOf("/") + 1)
  return paths.filter(
    (each) =>
      each !== path &&
      each.startsWith(folder) &&
      !each.includes("/", folder.length) &&
      familyOf(each) === familyOf(path) &&
      !isTestPath(each) &&
      !isGeneratedPath(each)
  )
}

const contractRecord = (
  rule: RepositoryRule,
  file: DiffFile,
  { after, before, container, name }: Extract<ContractChange, { _tag: "Signature" }>,
  old: ReadonlyArray<WordPlace>,
  textAt: TextAt
): ReviewRecord => {
  const shown = container === null ? name : `${container}.${name}`
  const title = `\`${shown}\` takes other arguments now, but unchanged tests still use the old ones`
  const was = before.signature === null ? "" : signatureText(name, before.signature)
  const is = after.signature === null ? "" : signatureText(name, after.signature)
  return ruleRecord(
    rule,
    {
      title,
      description: `${title}. It was ${was} and is ${is}. Called at ${placesText(old)}.`,
      path: file.path,
      line: after.line,
      words: [name],
      label: `was ${was}`,
      related: old.map(({ line, path }) => ({ path, line, words: [name], message: "called with the old arguments" }))
    },
    textAt
  )
}

const exportRecord = (
  rule: RepositoryRule,
  { line, name, path }: Definition & { readonly path: string },
  { all, known }: { readonly known: number; readonly all: number },
  textAt: TextAt
): ReviewRecord => {
  const title = `No test mentions the new function \`${name}\``
  const description = `${title}, although tests mention ${known} of the ${all} exported functions beside it.`
  return ruleRecord(rule, { title, description, path, line, words: [name] }, textAt)
}
