/** `dd rules`: list, show, test and check rules. */

import { Console, Effect, Layer, Option, Runtime, Schema, Stdio } from "effect"
import { Argument, Command } from "effect/cli"
import type { Rule } from "../../domain/finding/Rule.ts"
import type { RuleExample } from "../../domain/finding/RuleExample.ts"
import type { UserExample } from "../../domain/finding/UserRule.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { didYouMean, nearest } from "../../domain/text/Suggestion.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import { shippedExamples, shippedRules } from "../../services/finding/RuleSet.ts"
import { allUserRules } from "../../services/run/userRules.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { reviewedAt } from "../run/config.ts"
import { canShowColour } from "../system/colour.ts"
import { lineWidth } from "../system/terminal.ts"
import { writeOut } from "../system/writeOut.ts"
import { formatFlag, textFlag } from "../text/flags.ts"
import { inkFor } from "../text/Ink.ts"
import { plainJson } from "../text/plainJson.ts"
import { findRule } from "./findRule.ts"
import { listedRules, listText, shownRule, shownText } from "./RulePage.ts"
import { ruleFileWords } from "./ruleNotes.ts"
import { checkCommand } from "./rulesCheck.ts"
import { testCommand } from "./rulesTest.ts"

export class RuleStackUnknown extends Schema.TaggedError<RuleStackUnknown>()("RuleStackUnknown", {
  stack: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return `no rules for the stack "${oneLine(this.stack)}"${didYouMean(nearest(this.stack, this.known))}; known: ${this.known.join(", ")}`
  }
}

const format = formatFlag(["text", "json"])

/** dd's rules, the user's, and those of the repository at the base. */
const rulesHere = Effect.gen(function* () {
  const { loaded, problems } = yield* allUserRules
  const words = ruleFileWords(problems)
  if (words !== null) yield* Effect.logWarning(words)
  return { rules: [...shippedRules, ...loaded.map(({ rule }) => rule)], own: loaded.map(({ written }) => written) }
})

const userRulesHere = Layer.unwrap(
  Effect.gen(function* () {
    const { repository, change, warnings } = yield* reviewedAt(".")
    for (const warning of warnings) yield* Effect.logWarning(warning)
    return ReviewLive.userRules.pipe(Layer.provideMerge(ReviewLive.sources(repository, change)))
  })
).pipe(Layer.provide(Changes.layer.pipe(Layer.provideMerge(Git.layer))))

const list = Command.make("list", {
  stack: textFlag("stack", "STACK", "Only rules for this stack, such as python or go"),
  format
}).pipe(
  Command.withDescription("List the rules by stack"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ stack, format }) {
      const { rules } = yield* rulesHere
      const stacks = [...new Set(rules.map((rule) => rule.stack))]
      if (Option.isSome(stack) && !stacks.includes(stack.value)) {
        return yield* new RuleStackUnknown({ stack: stack.value, known: stacks })
      }
      const listed = listedRules(
        rules.filter((rule) => Option.isNone(stack) || rule.stack === stack.value),
        (yield* Redactor).text
      )
      if (format === "json") return yield* writeOut(`${plainJson(listed)}\n`)
      yield* Console.log(listText(listed, inkFor(yield* canShowColour(1))))
    })
  ),
  Command.withExamples([{ command: "dd rules list --stack python", description: "List the rules for Python" }]),
  Command.provide(userRulesHere)
)

const showCommand = <const Name extends string>(name: Name, usage: string) =>
  Command.make(name, {
    id: Argument.String("id").pipe(Argument.withDescription("Id of a rule; see dd rules list")),
    format
  }).pipe(
    Command.withDescription("Show what a rule reports, why, how to fix it, and examples"),
    Command.withHandler(
      Effect.fnUntraced(function* ({ id, format }) {
        const { own, rules } = yield* rulesHere
        const rule = yield* findRule(rules, id)
        const written = own.find((each) => each.id === rule.id)
        const examples =
          written === undefined
            ? yield* shippedExamples(rule.id)
            : written.examples.map((each) => exampleOf(each, rule))
        const shown = shownRule(rule, examples, (yield* Redactor).text)
        if (format === "json") return yield* writeOut(`${plainJson(shown)}\n`)
        const width = yield* lineWidth(yield* (yield* Stdio.Stdio).stdoutIsTerminal)
        yield* Console.log(shownText(shown, examples, { ink: inkFor(yield* canShowColour(1)), width }))
      })
    ),
    Command.withExamples([{ command: `${usage} py/mutable-default`, description: "Explain this rule" }]),
    Command.provide(userRulesHere)
  )

const show = showCommand("show", "dd rules show")

/** The same as `dd rules show`. */
export const explainCommand = showCommand("explain", "dd explain")

const exampleOf = ({ kind, path, text }: UserExample, rule: Rule): RuleExample => ({
  isReported: kind === "bad",
  name: "",
  files: [{ path: rule._tag === "Syntax" ? null : path, before: null, after: text }]
})

export const rulesCommand = Command.make("rules").pipe(
  Command.withDescription("List, show, test and check rules"),
  Command.withSubcommands([list, show, testCommand, checkCommand])
)
