/** Actions of a reviewing agent on real repositories, asked as a runtime asks: by name, with arguments as JSON. */
import { Effect, Layer, Schema } from "effect"
import type { Change, Selection } from "../../src/domain/change/Change.ts"
import * as CodeLive from "../../src/layers/CodeLive.ts"
import * as NoFacts from "../../src/layers/change/facts/None.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import * as Re2 from "../../src/layers/finding/patterns/Re2.ts"
import * as ReviewLive from "../../src/layers/ReviewLive.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { ReviewActions } from "../../src/services/agent/ReviewActions.ts"
import type { Action, ActionAnswer } from "../../src/services/agent/runtime/Action.ts"
import { Changes } from "../../src/services/change/Changes.ts"
import { Git } from "../../src/services/change/Git.ts"
import type { Repository } from "../../src/services/change/openRepository.ts"
import { SymbolIndex } from "../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../src/services/code/SyntaxTrees.ts"

const live = Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer))

export type Ask = (name: string, input?: object) => Effect.Effect<ActionAnswer>

/** Calls one of these actions; wrong arguments are an answer, as they are to a model. */
export const askOf =
  (actions: ReadonlyArray<Action>): Ask =>
  (name, input = {}) => {
    const action = actions.find((each) => each.name === name)
    if (action === undefined) throw new Error(`no action ${name}`)
    return Schema.decodeUnknownEffect(action.input)(input).pipe(
      Effect.flatMap(action.act),
      Effect.catch((error) => Effect.succeed({ text: `arguments: ${String(error)}`, isError: true }))
    )
  }

const actionsOf = (repository: Repository | null, change: Change) => {
  const sources = ReviewLive.sources(repository, change)
  return ReviewActions.layer({ repository, change }).pipe(
    Layer.provide(CodeLive.codeQueries),
    Layer.provide(SymbolIndex.layer),
    Layer.provide(SyntaxTrees.layer),
    Layer.provide([sources, TreeSitter.layer, NoFacts.layer, Re2.layer])
  )
}

/** All actions on a change of a repository. */
export const withActions = <A, E, R>(
  root: string,
  selection: Selection,
  use: (actions: ReviewActions["Service"], change: Change) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const opened = yield* Git.use((git) => git.open(root))
    const change = yield* Changes.use((changes) => changes.resolve(opened, selection))
    return yield* ReviewActions.use((actions) => use(actions, change)).pipe(Effect.provide(actionsOf(opened, change)))
  }).pipe(Effect.provide(live))

/** The reading ones, ready to be asked. */
export const asking = <A, E, R>(
  root: string,
  selection: Selection,
  use: (ask: Ask, change: Change) => Effect.Effect<A, E, R>
) => withActions(root, selection, ({ readOnly }, change) => use(askOf(readOnly), change))

/** On a patch with no repository around it. */
export const askingOfPatch = <A, E, R>(text: Uint8Array, use: (ask: Ask) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const change = yield* Changes.use((changes) => changes.resolve(null, { _tag: "Patch", origin: "a patch", text }))
    return yield* ReviewActions.use(({ readOnly }) => use(askOf(readOnly))).pipe(
      Effect.provide(actionsOf(null, change))
    )
  }).pipe(Effect.provide(live))

export const lastCommit: Selection = { _tag: "Commit", commit: "HEAD" }
export const byDefault: Selection = { _tag: "Default" }
export const staged: Selection = { _tag: "Staged" }
