/**
 * Finds what an edited function no longer does although nothing else changed: a parameter that it no longer reads, or
 * a call that it no longer awaits.
 */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { isTestPath } from "../../domain/change/PathKind.ts"
import { type EditedFunction, unawaitedCalls, unreadParameters } from "../../domain/code/EditedFunction.ts"
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import { nothingReviewed } from "../../domain/finding/RepositoryReview.ts"
import type { Rule } from "../../domain/finding/Rule.ts"
import { ruleRecord } from "../../domain/finding/ruleRecord.ts"
import { Sources } from "../change/Sources.ts"
import { usesOf } from "../code/uses/usesOf.ts"
import { editsOf } from "./editsOf.ts"
import { RuleSet } from "./RuleSet.ts"
import { firstOf, isOwnFile, lineTexts } from "./structureCheck.ts"

const filesCompared = 100

export const lossCheck = Effect.fn("lossCheck")(function* (change: Change) {
  const { rules } = yield* RuleSet
  const sources = yield* Sources
  const applied = rules.flatMap((rule) => (losses[rule.id] === undefined ? [] : [rule]))
  if (applied.length === 0) return nothingReviewed
  // A test gets fixtures by the names of its parameters, and tries what happens without an argument.
  const own = change.diff.files.filter((file) => isOwnFile(file) && file.oldPath !== null && !isTestPath(file.path))
  const { kept, omitted } = firstOf(own, filesCompared, "functions of", "changed files")
  const edited = yield* editsOf(kept)
  const lost = edited.flatMap((each) =>
    applied.flatMap((rule) => losses[rule.id]!(each).map((loss) => ({ each, loss, rule })))
  )
  const callers = yield* callersOf(lost.flatMap(({ each, loss }) => (loss.hasCallers ? [each] : [])))
  const places = lost.map(({ each }) => [each, ...(callers.get(each) ?? [])])
  const textAt = yield* lineTexts(sources, places.flat())
  const records = lost.map(({ each, loss, rule }): ReviewRecord => {
    const { before, description, message, title, ...claim } = loss
    const [path, words] = [each.path, claim.words]
    const deleted = each.base.text.split("\n")[before - each.base.definition.line]
    const called = claim.hasCallers ? (callers.get(each) ?? []) : []
    return ruleRecord(
      rule,
      {
        ...claim,
        path,
        title,
        description: `${title}. ${description}`,
        quote: textAt(path, claim.line) ?? "",
        related: [
          { path, line: before, deleted, words, message },
          ...called.map((call) => ({ ...call, words: [each.head.definition.name], message: "called here" }))
        ]
      },
      textAt
    )
  })
  return { records, omitted, rulesApplied: applied.map(({ id }) => id) }
})

/** The nearest place that certainly calls each function, not in a test if there is another. */
const callersOf = Effect.fnUntraced(function* (functions: ReadonlyArray<EditedFunction>) {
  const sources = yield* Sources
  if (functions.length === 0) return new Map<EditedFunction, ReadonlyArray<Place>>()
  const targets = functions.map(({ head: { definition }, path }) => {
    const { container, endLine, line, name } = definition
    return { name, container, path, line, endLine, shown: name, isAlone: false }
  })
  const { uses } = yield* usesOf(targets, yield* sources.headPaths)
  return new Map(
    functions.map((each, at) => {
      const calls = (uses[at] ?? []).filter(({ certain, kind }) => certain && kind === "call")
      const call = calls.find(({ path }) => !isTestPath(path)) ?? calls[0]
      return [each, call === undefined ? [] : [{ path: call.path, line: call.line }]] as const
    })
  )
})

interface Place {
  readonly path: string
  readonly line: number
}

interface Lost {
  readonly line: number
  readonly words: ReadonlyArray<string>
  readonly title: string
  readonly description: string
  /** The line before the change, and what was there. */
  readonly before: number
  readonly message: string
  /** Does it concern what callers pass? */
  readonly hasCallers: boolean
}

const losses: Readonly<Record<Rule["id"], (edited: EditedFunction) => ReadonlyArray<Lost>>> = {
  "lost/parameter-use": (edited) =>
    unreadParameters(edited).map(({ before, line, name }) => ({
      line,
      words: [name],
      title: `\`${nameOf(edited)}\` no longer reads its parameter \`${name}\``,
      description: `Before the change, line ${before} read it. What a caller passes has no effect.`,
      before,
      message: "was read here before the change",
      hasCallers: true
    })),
  "lost/await": (edited) =>
    unawaitedCalls(edited).map(({ before, line, name }) => ({
      line,
      words: [name],
      title: `\`${name}()\` is no longer awaited in \`${nameOf(edited)}\``,
      description: `Before the change, line ${before} awaited it.`,
      before,
      message: "was awaited here before the change",
      hasCallers: false
    }))
}

const nameOf = ({ head }: EditedFunction): string =>
  [head.definition.container, head.definition.name].filter((part) => part !== null).join(".")
