/**
 * Runs the user's own extensions: steps, edits of flows, prompts and stack rules.
 *
 * An extension is applied completely or not at all, and an invalid one prevents the run. Its code is trusted like the
 * user's own; its results are not, and are decoded before they enter the state.
 *
 * A port: `layers/run/extensions/Directory.ts` finds the files.
 */
import { Context, Duration, Effect, Result, Runtime, Schema } from "effect"
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import {
  apiVersion,
  type EntryDefinition,
  type ExtensionRegistry,
  type ExtensionStop,
  FlowShape,
  GroupShape,
  type PromptRenderer,
  StackRuleShape,
  StepAnswer,
  type StepDefinition,
  StepShape,
  toRecord
} from "../../domain/run/Extension.ts"
import type { Facts } from "../../domain/run/Facts.ts"
import * as Flow from "../../domain/run/Flow.ts"
import { breakLoop, proceed, type Step, type StepOutline, step, stop } from "../../domain/run/Step.ts"
import * as Registry from "./Registry.ts"

/** The file, its fault, and a remedy. */
export class ExtensionBroken extends Schema.TaggedError<ExtensionBroken>()("ExtensionBroken", {
  file: Schema.String,
  reason: Schema.String,
  fix: Schema.String
}) {
  /** The user's configuration is invalid: exit code 2, and the run does not start. */
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return `extension ${this.file}: ${this.reason}; to fix it: ${this.fix}`
  }
}

export class ExtensionStepFailed extends Schema.TaggedError<ExtensionStepFailed>()("ExtensionStepFailed", {
  file: Schema.String,
  step: Schema.String,
  cause: Schema.Defect()
}) {
  /** The review could not be run. */
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `the step "${this.step}" of extension ${this.file} failed: ${words(this.cause)}`
  }
}

/** A file as found: its exports, or why it could not be loaded. */
export interface ExtensionFile {
  readonly file: string
  readonly exports: Result.Result<Readonly<Record<string, unknown>>, ExtensionBroken>
}

export class Extensions extends Context.Service<
  Extensions,
  {
    /** The directory of the files, as shown to the user. */
    readonly place: string
    /** All extension files in the order of application; fails if the directory itself is not trusted. */
    readonly files: Effect.Effect<ReadonlyArray<ExtensionFile>, ExtensionBroken>
  }
>()("dd/services/run/Extensions") {}

/** A step that waits forever must not keep the review from ending. */
const deadline = Duration.minutes(10)

/** A step of an extension with a checked definition. */
export interface ExtensionStep extends StepOutline {
  readonly definition: StepDefinition
}

/** The registry with an extension applied, and a sentence for each change it made. */
export interface Extended<T extends StepOutline> {
  readonly registry: Registry.Registry<T>
  readonly changes: ReadonlyArray<string>
}

/** Applies one extension, or explains why it cannot be applied. `toStep` makes a step of the registry. */
export const extend = <T extends StepOutline>(
  registry: Registry.Registry<T>,
  extension: ExtensionFile,
  toStep: (step: ExtensionStep) => T
): Result.Result<Extended<T>, ExtensionBroken> =>
  Result.gen(function* () {
    const { file } = extension
    const register = yield* entryPoint(file, yield* extension.exports)
    const facade = makeFacade(registry, file, toStep)
    const answer = yield* Result.try({
      try: () => register(facade.registry),
      catch: (cause) => new ExtensionBroken({ file, reason: `register failed: ${words(cause)}`, fix: fixFor(cause) })
    })
    const extended = facade.close()
    if (isThenable(answer)) {
      const reason = "register returned a promise; it must be synchronous"
      return yield* Result.fail(new ExtensionBroken({ file, reason, fix: "make register a plain function" }))
    }
    const unknown = Registry.firstUnknownStep(extended.registry)
    if (unknown !== null) {
      const fix = "add the step before a flow names it, or correct the name"
      return yield* Result.fail(new ExtensionBroken({ file, reason: unknown.message, fix }))
    }
    return extended
  })

/** Applies all extensions in order; the result is the first failure, if any. */
export const extendAll = <T extends StepOutline>(
  registry: Registry.Registry<T>,
  extensions: ReadonlyArray<ExtensionFile>,
  toStep: (step: ExtensionStep) => T
): Result.Result<Registry.Registry<T>, ExtensionBroken> =>
  Result.gen(function* () {
    let extended = registry
    for (const extension of extensions) extended = (yield* extend(extended, extension, toStep)).registry
    return extended
  })

/** The state of a run as an extension's step sees it, and how its result changes the state. */
export interface RunView<S, E> {
  readonly facts: (state: S, step: string) => Facts
  /** Adds claims that no gate has checked. */
  readonly add: (state: S, records: ReadonlyArray<ReviewRecord>, step: string) => S
  /** Records that the step ends the flow, and why. */
  readonly stopped: (state: S, stop: ExtensionStop) => S
  readonly failed: (failure: ExtensionStepFailed) => E
}

/** The step as a run executes it: it gets the facts, and its result is decoded. */
export const runnable =
  <S, E>(view: RunView<S, E>) =>
  (extension: ExtensionStep): Step<S, E> => {
    const { definition, name, origin: file } = extension
    const failed = (cause: unknown) => view.failed(new ExtensionStepFailed({ file, step: name, cause }))
    const enabled = (state: S): Result.Result<boolean, unknown> =>
      definition.enabled === undefined ? Result.succeed(true) : ask(definition.enabled, view.facts(state, name))

    const run = Effect.fnUntraced(function* (state: S) {
      // A condition that threw counts as true, so that its failure is reported here with a type.
      const wanted = enabled(state)
      if (Result.isFailure(wanted)) return yield* Effect.fail(failed(wanted.failure))
      const facts = frozen(view.facts(state, name))
      const returned = yield* Effect.tryPromise({
        try: (signal) => Promise.resolve(definition.run(facts, { signal })),
        catch: failed
      }).pipe(
        Effect.timeoutOrElse({
          duration: deadline,
          orElse: () => Effect.fail(failed(new Error(`it did not finish within ${Duration.format(deadline)}`)))
        })
      )
      const answer = yield* decodeAnswer(returned ?? {}).pipe(Effect.mapError(failed))
      const records = (answer.findings ?? []).map((stated, index) => toRecord(stated, index + 1, name))
      const next = records.length === 0 ? state : view.add(state, records, name)
      const summary = answer.summary ?? (records.length === 1 ? "1 finding" : `${records.length} findings`)
      if (answer.stop !== undefined) {
        const reason = answer.summary ?? ""
        return stop(view.stopped(next, { step: name, code: answer.stop, reason }), answer.stop, summary)
      }
      return answer.breakLoop === true ? breakLoop(next, summary) : proceed(next, summary)
    })

    const { definition: _, ...outline } = extension
    return step(outline, { enabled: (state) => Result.getOrElse(enabled(state), () => true), run })
  }

/** Only the outline, for listings. */
export const outlineOf = ({ definition: _, ...outline }: ExtensionStep): StepOutline & { readonly _tag: "Step" } => ({
  ...outline,
  _tag: "Step"
})

const decodeAnswer = Schema.decodeUnknownEffect(StepAnswer, { onExcessProperty: "error", errors: "all" })
const decodeStep = Schema.decodeUnknownResult(StepShape, { onExcessProperty: "error", errors: "all" })
const decodeGroup = Schema.decodeUnknownResult(GroupShape, { onExcessProperty: "error", errors: "all" })
const decodeFlow = Schema.decodeUnknownResult(FlowShape, { onExcessProperty: "error", errors: "all" })
const decodeStackRule = Schema.decodeUnknownResult(StackRuleShape, { onExcessProperty: "error", errors: "all" })

const entryPoint = (
  file: string,
  exports: Readonly<Record<string, unknown>>
): Result.Result<(registry: ExtensionRegistry) => unknown, ExtensionBroken> => {
  const { DAYDREAM_EXT_API: version, register } = exports
  const broken = (reason: string, fix: string) => Result.fail(new ExtensionBroken({ file, reason, fix }))
  if (version === undefined) {
    return broken("it does not export DAYDREAM_EXT_API", `add: export const DAYDREAM_EXT_API = ${apiVersion}`)
  }
  if (version !== apiVersion) {
    const written = typeof version === "number" ? String(version) : `a ${typeof version}`
    return broken(
      `it is written for extension API ${written}; this dd has API ${apiVersion}`,
      `adapt it, then: export const DAYDREAM_EXT_API = ${apiVersion}`
    )
  }
  if (typeof register !== "function") {
    return broken("it does not export a function register", "add: export const register = (registry) => { ... }")
  }
  return Result.succeed((registry) => register(registry))
}

const makeFacade = <T extends StepOutline>(
  given: Registry.Registry<T>,
  file: string,
  toStep: (step: ExtensionStep) => T
) => {
  let registry = given
  let open = true
  const changes: Array<string> = []

  const apply = (change: string, result: Result.Result<Registry.Registry<T>, Registry.RegistryError>) => {
    if (!open) throw new Error("the registry is closed: change it while register runs, not later")
    registry = Result.getOrThrow(result)
    changes.push(change)
  }
  const define = (definition: StepDefinition, replace: boolean): string => {
    const { name, phase, when, enabled, run } = Result.getOrThrow(decodeStep(definition))
    const made = toStep({
      name,
      phase: phase ?? name,
      when: when ?? (enabled === undefined ? "" : "if its extension enables it"),
      origin: file,
      definition: { name, run, ...(enabled === undefined ? {} : { enabled }) }
    })
    apply(`${replace ? "replaces" : "adds"} the step "${name}"`, Registry.registerStep(registry, made, { replace }))
    return name
  }
  const entryOf = (entry: EntryDefinition): Flow.FlowEntry => {
    if (typeof entry === "string") return entry
    return "run" in entry ? define(entry, false) : Result.getOrThrow(decodeGroup(entry))
  }
  const edit = (flow: string, change: string, how: Parameters<typeof Registry.editFlow>[2]) =>
    apply(`${change} in the flow ${flow}`, Registry.editFlow(registry, flow, how))

  const facade: ExtensionRegistry = {
    api: apiVersion,
    addStep: (definition) => void define(definition, false),
    replaceStep: (definition) => void define(definition, true),
    insertBefore: (flow, anchor, given) => {
      const entry = entryOf(given)
      edit(flow, `inserts "${Flow.entryName(entry)}" before "${anchor}"`, (f) => Flow.insertBefore(f, anchor, entry))
    },
    insertAfter: (flow, anchor, given) => {
      const entry = entryOf(given)
      edit(flow, `inserts "${Flow.entryName(entry)}" after "${anchor}"`, (f) => Flow.insertAfter(f, anchor, entry))
    },
    remove: (flow, name) => edit(flow, `removes "${name}"`, (f) => Flow.remove(f, name)),
    move: (flow, name, to) => {
      const [side, anchor] = "before" in to ? (["before", to.before] as const) : (["after", to.after] as const)
      edit(flow, `moves "${name}" ${side} "${anchor}"`, (f) => Flow.move(f, name, side, anchor))
    },
    replace: (flow, name, given) => {
      const entry = entryOf(given)
      edit(flow, `replaces "${name}" by "${Flow.entryName(entry)}"`, (f) => Flow.replace(f, name, entry))
    },
    defineFlow: (definition) => {
      const { name, description, entries } = Result.getOrThrow(decodeFlow(definition))
      const described = { name, description: description ?? `defined by ${file}`, entries }
      apply(`defines the flow "${name}"`, Registry.defineFlow(registry, described))
    },
    flow: (name) => frozen(Result.getOrThrow(Registry.getFlow(registry, name))),
    overridePrompt: (slot, render) => {
      if (typeof render !== "function") throw new TypeError(`the prompt "${slot}" needs a function that renders it`)
      apply(
        `overrides the prompt "${slot}"`,
        Registry.overridePrompt(registry, slot, promptOverride(slot, file, render))
      )
    },
    addStackRule: (rule) => {
      const { name, patterns, profile } = Result.getOrThrow(decodeStackRule(rule))
      const added = { name, patterns, profile: profile ?? null, origin: file }
      apply(`adds the stack "${name}" (${patterns.join(", ")})`, Registry.addStackRule(registry, added))
    }
  }
  const close = (): Extended<T> => {
    open = false
    return { registry, changes }
  }
  return { registry: Object.freeze(facade), close }
}

const promptOverride = (slot: string, origin: string, render: PromptRenderer): Registry.PromptOverride => ({
  origin,
  render: (rendered, facts) =>
    Effect.try({
      try: () => {
        const text: unknown = render(rendered, frozen(facts))
        if (typeof text !== "string") throw new TypeError(`it returned ${describe(text)} instead of text`)
        return text
      },
      catch: (cause) => new Registry.PromptOverrideFailed({ slot, origin, cause })
    })
})

const ask = (enabled: (facts: Facts) => boolean, facts: Facts): Result.Result<boolean, unknown> =>
  Result.try({
    try: () => {
      const answer: unknown = enabled(frozen(facts))
      if (typeof answer !== "boolean")
        throw new TypeError(`enabled returned ${describe(answer)} instead of true or false`)
      return answer
    },
    catch: (cause) => cause
  })

/** A copy that its reader cannot change, of plain data without cycles. */
const frozen = <A>(value: A): A => {
  if (typeof value !== "object" || value === null) return value
  const copy = Array.isArray(value)
    ? value.map(frozen)
    : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, frozen(inner)]))
  return Object.freeze(copy) as A
}

const isThenable = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

const describe = (value: unknown): string =>
  isThenable(value) ? "a promise" : value === undefined ? "nothing" : `a value of type ${typeof value}`

const words = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.message === "" ? cause.name : cause.message
}

const fixFor = (cause: unknown): string => {
  if (Schema.isSchemaError(cause)) return "correct the fields named above; docs/extensions.md has their shape"
  const tag = typeof cause === "object" && cause !== null && "_tag" in cause ? cause._tag : ""
  return tag === "FlowEditRefused" || tag === "RegistrationRefused" || tag === "FlowInvalid"
    ? "correct the name; see `dd flow list` and `dd flow show NAME`"
    : "correct the error in the file"
}
