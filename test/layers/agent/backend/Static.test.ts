import { expect } from "bun:test"
import { Effect, Layer, Stream } from "effect"
import { replies } from "../../../../src/domain/agent/Task.ts"
import * as Static from "../../../../src/layers/agent/backend/Static.ts"
import * as Patch from "../../../../src/layers/change/sources/Patch.ts"
import * as TreeSitter from "../../../../src/layers/code/syntax/TreeSitter.ts"
import * as Memory from "../../../../src/layers/record/recorder/Memory.ts"
import * as Secretlint from "../../../../src/layers/secret/secrets/Secretlint.ts"
import { Backend } from "../../../../src/services/agent/Backend.ts"
import { StaticReviews } from "../../../../src/services/agent/StaticReviews.ts"
import { Sources } from "../../../../src/services/change/Sources.ts"
import { RuleSet } from "../../../../src/services/finding/RuleSet.ts"
import { StaticReviewer } from "../../../../src/services/finding/StaticReviewer.ts"
import { FailPolicy } from "../../../../src/services/run/FailPolicy.ts"
import { type Block, backendContract, blocked } from "../../../support/backendContract.ts"
import { change, everyTask, stack } from "../../../support/builders.ts"
import { it } from "../../../support/effect.ts"
import { structural } from "../../../support/structural.ts"

const reviewers = StaticReviews.layer.pipe(Layer.provide(StaticReviewer.layer), Layer.provideMerge(structural))

const answering = Static.layer(2).pipe(
  Layer.provide(reviewers),
  Layer.provide([TreeSitter.layer, Secretlint.layer, RuleSet.layer, Patch.layer(change())]),
  Layer.provide(FailPolicy.layer),
  Layer.provide(Memory.layer)
)

/** Reads nothing to its end: the static reviewer waits for its sources. */
const waiting = (block: Block) => {
  const forever = Layer.succeed(Sources, {
    head: () => blocked(block),
    base: () => blocked(block),
    preload: () => blocked(block),
    blobOf: () => blocked(block),
    history: () => blocked(block),
    headPaths: blocked(block),
    submodules: blocked(block),
    containing: () => blocked(block),
    passing: () => blocked(block),
    baseFolder: () => blocked(block),
    soon: () => blocked(block),
    places: () => blocked(block),
    mentioning: () => blocked(block),
    failures: Effect.succeed([])
  })
  return Static.layer(2).pipe(
    Layer.provide(reviewers),
    Layer.provide([TreeSitter.layer, Secretlint.layer, RuleSet.layer, forever]),
    Layer.provide(FailPolicy.layer),
    Layer.provide(Memory.layer)
  )
}

backendContract("static", {
  // What it reads for comes first, so that it has something to stop.
  tasks: everyTask.toSorted((a, b) => Number(b._tag === "StackReview") - Number(a._tag === "StackReview")),
  answering,
  blocking: waiting
})

it.live("names the rules it applied, so that a text file is not said to be checked by all of them", () => {
  const readme = change({ "README.md": ["# Title"] })
  const reviewing = Static.layer(1).pipe(
    Layer.provide(reviewers),
    Layer.provide([TreeSitter.layer, Secretlint.layer, RuleSet.layer, Patch.layer(readme)]),
    Layer.provide(FailPolicy.layer),
    Layer.provide(Memory.layer)
  )
  return Effect.gen(function* () {
    const backend = yield* Backend
    const task = everyTask.find((each) => each._tag === "StackReview")!
    const asked = { ...task, change: readme, stack: stack("generic", "README.md") }
    const last = (yield* Stream.runCollect(backend.execute(asked))).at(-1)
    const { rules } = replies.StackReview.make(JSON.parse(JSON.stringify(last?._tag === "Result" ? last.output : null)))
    expect(rules).toContain("secret/url-password")
    expect(rules?.some((id) => id.startsWith("go/"))).toBe(false)
  }).pipe(Effect.provide(reviewing))
})
