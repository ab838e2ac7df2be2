/** `dd prove`: what the project's own tests say about a change, without a review. */
import { Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import * as TreeSitter from "../../layers/code/syntax/TreeSitter.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import { daydreamHome } from "../../services/run/Settings.ts"
import { chosenChange } from "../review/chosenChange.ts"
import { reviewServices, run } from "../review/review.ts"
import {
  defaultReviewFlags,
  outputsOf,
  type ReviewFlags,
  reviewFlags,
  reviewGroups,
  writtenPaths
} from "../review/reviewFlags.ts"
import { selectionOf } from "../review/reviewSelection.ts"
import { FlagGroups } from "../system/HelpPage.ts"
import { mayWriteAll } from "../system/mayWrite.ts"

const {
  all,
  base,
  branch,
  commit,
  failOn,
  format,
  ignorePath,
  noArchive,
  output,
  quiet,
  runBudget,
  staged,
  target,
  verbose
} = reviewFlags

const flags = {
  target,
  ...{ base, branch, staged, commit, ignorePath },
  ...{ runBudget, failOn },
  ...{ format, output, all, quiet, verbose, noArchive }
}

const handler = Effect.fnUntraced(function* (given: Command.Command.Config.Infer<typeof flags>) {
  const asReview: ReviewFlags = {
    ...(yield* defaultReviewFlags),
    ...given,
    flow: Option.some("prove"),
    run: true,
    brief: Option.some("none" as const)
  }
  const outputs = yield* outputsOf(given.output)
  yield* mayWriteAll(writtenPaths(asReview, outputs))
  const selection = yield* selectionOf(asReview)
  yield* TreeSitter.begin
  const { repository, resolved, whole } = yield* chosenChange(given.target, selection)
  const facts = ReviewLive.blobFacts(repository, yield* daydreamHome)
  const sources = ReviewLive.sources(repository, resolved, facts)
  yield* run({
    flags: asReview,
    ...{ outputs, repository, whole },
    ...{ replay: null, resumable: null, interrupted: [], loop: null, feedback: null }
  }).pipe(Effect.provide(ReviewLive.userRules.pipe(Layer.provideMerge(sources))))
})

export const proveCommand = Command.make("prove", flags).pipe(
  Command.withShortDescription("Run the project's tests on small changes of a change"),
  Command.withDescription(`Run the project's own tests on small changes of the added lines, and report those that no test
  notices: an operand that may be dropped, a boundary that may be moved, a call that may be left
  out. Such a place is not tested, and may be wrong already.

  Runs code of the repository: in a copy, without a network and without your files where there is
  a sandbox (bubblewrap). Your working tree is not touched. Installs nothing.

  TypeScript and JavaScript with vitest, jest, mocha, ava, node --test or bun test; Python with
  pytest or unittest.`),
  Command.withExamples([
    { command: "dd prove", description: "Try the branch and uncommitted edits" },
    { command: "dd prove --commit HEAD~3 --run-budget 120", description: "Try one commit for two minutes" }
  ]),
  Command.annotate(FlagGroups, reviewGroups),
  Command.withHandler(handler),
  Command.provide(reviewServices)
)
