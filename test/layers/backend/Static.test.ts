import { expect } from "bun:test"
import { Effect, Layer, Stream } from "effect"
import { replies } from "../../../src/domain/Task.ts"
import * as Static from "../../../src/layers/backend/Static.ts"
import * as Memory from "../../../src/layers/recorder/Memory.ts"
import * as Patch from "../../../src/layers/sources/Patch.ts"
import * as TreeSitter from "../../../src/layers/syntax/TreeSitter.ts"
import { Backend } from "../../../src/services/Backend.ts"
import { ContractReviewer } from "../../../src/services/ContractReviewer.ts"
import { FailPolicy } from "../../../src/services/FailPolicy.ts"
import { JavaNames } from "../../../src/services/JavaNames.ts"
import { JavaUses } from "../../../src/services/JavaUses.ts"
import { MemberSources } from "../../../src/services/MemberSources.ts"
import { MemberUses } from "../../../src/services/MemberUses.ts"
import { ModuleUses } from "../../../src/services/ModuleUses.ts"
import { NameResolver } from "../../../src/services/NameResolver.ts"
import { PackageUses } from "../../../src/services/PackageUses.ts"
import { RuleSet } from "../../../src/services/RuleSet.ts"
import { RustPaths } from "../../../src/services/RustPaths.ts"
import { RustUses } from "../../../src/services/RustUses.ts"
import { Sources } from "../../../src/services/Sources.ts"
import { StaticReviewer } from "../../../src/services/StaticReviewer.ts"
import { SymbolIndex } from "../../../src/services/SymbolIndex.ts"
import { TypeResolver } from "../../../src/services/TypeResolver.ts"
import { UseFinder } from "../../../src/services/UseFinder.ts"
import { type Block, backendContract, blocked } from "../../support/backendContract.ts"
import { change, everyTask, stack } from "../../support/builders.ts"
import { it } from "../../support/effect.ts"

const reviewers = Layer.merge(
  StaticReviewer.layer,
  ContractReviewer.layer.pipe(
    Layer.provide(UseFinder.layer),
    Layer.provide([ModuleUses.layer, PackageUses.layer, MemberUses.layer, RustUses.layer, JavaUses.layer]),
    Layer.provide([MemberSources.layer, TypeResolver.layer]),
    Layer.provide([NameResolver.layer, RustPaths.layer, JavaNames.layer]),
    Layer.provide(SymbolIndex.layer)
  )
)

const answering = Static.layer(2).pipe(
  Layer.provide(reviewers),
  Layer.provide([TreeSitter.layer, RuleSet.layer, Patch.layer(change())]),
  Layer.provide(FailPolicy.layer),
  Layer.provide(Memory.layer)
)

/** Reads nothing to its end: the static reviewer waits for its sources. */
const waiting = (block: Block) => {
  const forever = Layer.succeed(Sources, {
    head: () => blocked(block),
    base: () => blocked(block),
    preload: () => blocked(block),
    headPaths: blocked(block),
    mentioning: () => blocked(block)
  })
  return Static.layer(2).pipe(
    Layer.provide(reviewers),
    Layer.provide([TreeSitter.layer, RuleSet.layer, forever]),
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
    Layer.provide([TreeSitter.layer, RuleSet.layer, Patch.layer(readme)]),
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
