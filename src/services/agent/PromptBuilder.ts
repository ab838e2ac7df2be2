/**
 * Collects the material of a prompt, redacted and within `PromptLimits`: the guidance of the repository, the profile of
 * the stack, the diff, and facts of the static reviewer and the symbol index. A prompt is made once for each task.
 */

import { Context, Effect, type FileSystem, Layer, type Path } from "effect"
import { skillFor, skillNamed } from "../../domain/agent/SkillFile.ts"
import type { Claim, Fixed, Task } from "../../domain/agent/Task.ts"
import { phaseOf } from "../../domain/agent/Task.ts"
import type { LearnedFact } from "../../domain/brief/Learned.ts"
import { learnedRepairs } from "../../domain/brief/learnedFacts.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { isSeen, type SeenLines } from "../../domain/change/SeenLines.ts"
import type { Exploration } from "../../domain/code/Exploration.ts"
import type { Stack } from "../../domain/code/Stack.ts"
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import { structureStack, titleOf } from "../../domain/finding/MergedItem.ts"
import type { Block } from "../../domain/pack/Block.ts"
import { type FactFinding, type Facts, recordFacts, stackFacts } from "../../domain/run/Facts.ts"
import { tokenEstimate } from "../../domain/text/tokenEstimate.ts"
import { diffText, sizeOf, widestDiffText } from "../../prompts/diffText.ts"
import { type CodeExcerpt, emptyMaterial, type Material, type Profile } from "../../prompts/Material.ts"
import type { Prompt } from "../../prompts/Prompt.ts"
import { builtInProfile } from "../../prompts/profiles.ts"
import { followUpPrompt, overridableText, promptOf, repairPrompt, withOverride } from "../../prompts/promptOf.ts"
import { cutToTokens, notesWithin } from "../../prompts/tokenBudget.ts"
import { Briefs } from "../brief/Briefs.ts"
import { LearnedArtifacts } from "../brief/LearnedArtifacts.ts"
import { learnedOf } from "../brief/learned.ts"
import { Sources } from "../change/Sources.ts"
import { ContextPacks, type RelatedCode } from "../pack/ContextPacks.ts"
import { FailPolicy } from "../run/FailPolicy.ts"
import { PromptOverrides } from "../run/PromptOverrides.ts"
import type { PromptSlot } from "../run/Registry.ts"
import { Redactor } from "../secret/Redactor.ts"
import { oncePerKey } from "../system/oncePerKey.ts"
import { withServices } from "../system/withServices.ts"
import type { Repair } from "./Backend.ts"
import { callSites } from "./callSites.ts"
import { changeFacts, learnedFactLines } from "./changeFacts.ts"
import { Dismissals, rejectedText } from "./Dismissals.ts"
import { fenceNonce } from "./fenceNonce.ts"
import { notesFor as projectNotes, skills as projectSkills } from "./guidance.ts"
import { ResumedRun } from "./ResumedRun.ts"
import { redactedTask } from "./redactedTask.ts"
import { treeSources } from "./runtime/treeSources.ts"
import { Skills } from "./Skills.ts"
import { StaticReviews } from "./StaticReviews.ts"

type StackReview = Extract<Task, { _tag: "StackReview" }>
type WholeChange = Pick<Material, "diff" | "isShared">

/** The size of each part of a prompt, in tokens by `tokenEstimate`. */
export const PromptLimits = Context.Reference<{
  /** Of a stack's diff, and of the whole change for the `structure` stack. */
  readonly diff: number
  /** Of changed files: the unchanged lines in the diff that are not next to a change; or their code, for verifiers and fixers. */
  readonly changedCode: number
  /** Of files that did not change. */
  readonly relatedCode: number
  /** Of the whole change, for tasks that need an overview. */
  readonly overview: number
  readonly guidance: number
  /** Of one file of it. */
  readonly note: number
  readonly profile: number
  /** Claims of rules that are named. */
  readonly ruleFindings: number
}>("dd/services/PromptBuilder/PromptLimits", {
  defaultValue: () => ({
    diff: 20_000,
    changedCode: 8_000,
    relatedCode: 8_000,
    overview: 8_000,
    guidance: 4_000,
    note: 2_000,
    profile: 4_000,
    ruleFindings: 40
  })
})

/** What the user asks of the review; "" for nothing. */
export const ReviewInstructions = Context.Reference<string>("dd/services/PromptBuilder/ReviewInstructions", {
  defaultValue: () => ""
})

export class PromptBuilder extends Context.Service<
  PromptBuilder,
  {
    /** With a repair, the same prompt followed by the faults of the answer. */
    readonly promptFor: (task: Task, repair: Repair | null) => Effect.Effect<Prompt>
    /** For the context of the agent that reviewed the rest; null: an extension has its own words for the whole prompt. */
    readonly followUpFor: (task: StackReview) => Effect.Effect<Prompt | null>
  }
>()("dd/services/agent/PromptBuilder") {
  static readonly layer = Layer.effect(
    PromptBuilder,
    Effect.gen(function* () {
      const services = yield* Effect.context<FileSystem.FileSystem | Path.Path | Redactor | Sources>()
      const sources = yield* Sources
      const scope = yield* Effect.scope
      const guidance = yield* withServices({ projectNotes, projectSkills })
      const briefs = yield* Briefs
      const staticReviews = yield* StaticReviews
      const skills = yield* Skills
      const overrides = yield* PromptOverrides
      const redactor = yield* Redactor
      const onFailure = yield* FailPolicy
      const limits = yield* PromptLimits
      const packs = yield* ContextPacks
      const dismissals = yield* Dismissals
      const learnedArtifacts = yield* LearnedArtifacts
      const instructions = redactor.text(yield* ReviewInstructions)
      const nonce = (yield* ResumedRun)?.nonce ?? (yield* fenceNonce)
      const prompts = new WeakMap<Task, Prompt>()
      const related = oncePerKey<Change, RelatedCode>()
      const learned = oncePerKey<Change, ReadonlyArray<LearnedFact>>()
      const wholes = oncePerKey<Change, WholeChange | null>()

      const shownDiff = (files: ReadonlyArray<DiffFile>, tokens: number) =>
        Effect.map(Effect.forEach(files, packs.diff), (redacted) => diffText(redacted, tokens))

      const withShownPath = (block: Block) => ({ ...block, path: redactor.text(block.path) })

      const widestDiff = (change: Change, files: ReadonlyArray<DiffFile>) =>
        Effect.map(packs.widths(change, files), (widths) => widestDiffText(widths, limits.diff, limits.changedCode))

      /** The diff of the whole change; null if not all of it fits. */
      const wholeChange = (change: Change) =>
        wholes(
          change,
          Effect.gen(function* () {
            const { files } = change.diff
            const narrow = yield* shownDiff(files, Number.POSITIVE_INFINITY)
            if (tokenEstimate(narrow.text) > limits.diff) return null
            return { diff: yield* widestDiff(change, files), isShared: true }
          })
        )

      /** The same for all tasks if all of the change fits; otherwise of these files. */
      const diffMaterial = Effect.fnUntraced(function* (change: Change, files: ReadonlyArray<DiffFile>) {
        return (yield* wholeChange(change)) ?? { diff: yield* widestDiff(change, files) }
      })

      const relatedMaterial = Effect.fnUntraced(function* (change: Change) {
        const { blocks, left, warnings } = yield* related(change, packs.relatedCode(change, limits.relatedCode))
        return {
          relatedCode: blocks.map(withShownPath),
          relatedLeft: left.slice(0, mostMissing).map(redactor.text),
          missing: warnings.map(redactor.text)
        }
      })

      const ownSkills = yield* Effect.cached(
        Effect.gen(function* () {
          const { problems, skills: all } = yield* skills.found
          for (const detail of problems) {
            yield* onFailure.degrade({ step: "skills", error: "SkillUnreadable", detail })
          }
          return all
        })
      )

      const chosenFor = (stack: string) => (stack === structureStack ? null : skills.chosen)

      const profileFor = Effect.fnUntraced(function* (stack: string) {
        const chosen = chosenFor(stack)
        const rules = (yield* overrides.adopted)?.stackRules ?? []
        const rule = chosen === null ? rules.find(({ name }) => name === stack) : undefined
        const own = yield* ownSkills
        const skill = chosen === null ? skillFor(stack, own) : skillNamed(chosen, own)
        const given =
          rule?.profile != null
            ? { text: rule.profile, origin: rule.origin }
            : skill !== null
              ? { text: skill.text, origin: skill.origin }
              : null
        const name = chosen ?? stack
        if (given === null) return { stack: name, text: builtInProfile(name), origin: "dd", left: 0 } satisfies Profile
        const { left, text } = cutToTokens(redactor.text(given.text), limits.profile)
        return { stack: name, text, origin: redactor.words(given.origin), left } satisfies Profile
      })

      const notesOn = Effect.fnUntraced(function* (change: Change, paths: ReadonlyArray<string>) {
        const notes = yield* guidance.projectNotes(change, paths)
        return notesWithin(
          notes.map(({ path, text }) => ({ path: redactor.text(path), text: redactor.text(text) })),
          limits.guidance,
          limits.note
        )
      })

      /** The same for all tasks if all notes on the change fit; otherwise those on these files. */
      const notesFor = Effect.fnUntraced(function* (change: Change, paths: ReadonlyArray<string>) {
        const all = yield* notesOn(
          change,
          change.diff.files.map(({ path }) => path)
        )
        return all.left.length === 0 ? all : yield* notesOn(change, paths)
      })

      const teamNotesFor = Effect.fnUntraced(function* (change: Change, stack: string) {
        const skill = skillFor(chosenFor(stack) ?? stack, yield* guidance.projectSkills(change))
        if (skill === null) return []
        const { left, text } = cutToTokens(redactor.text(skill.text), limits.note)
        return [{ path: redactor.text(skill.origin), text, left }]
      })

      /** Repairs of findings like these, by their rules. */
      const repairsOf = (records: ReadonlyArray<ReviewRecord>) =>
        Effect.map(learnedArtifacts([]), (artifacts) => learnedRepairs(artifacts, records))

      /** `records`: findings of rules in these files. */
      const factsOn = Effect.fnUntraced(function* (
        change: Change,
        paths: ReadonlyArray<string>,
        exploration: Exploration,
        records: ReadonlyArray<ReviewRecord>
      ) {
        const ofChange = yield* briefs.of(change)
        const brief = { ...ofChange, learned: [...(ofChange.learned ?? []), ...(yield* repairsOf(records))] }
        const sites = yield* Effect.provideContext(callSites(brief, change, paths), services)
        return [...changeFacts(brief, change, paths, exploration).map(redactor.text), ...sites]
      })

      const dismissedIn = (paths: ReadonlyArray<string>) => {
        const own = new Set(paths)
        return Effect.map(
          dismissals(({ file }) => own.has(file), mostDismissals),
          (found) => found.map((each) => redactor.text(`${each.file} (line ${each.line} then): ${rejectedText(each)}`))
        )
      }

      const dismissedClaims = Effect.fnUntraced(function* (claims: ReadonlyArray<Claim>) {
        const ids = new Map(claims.map(({ fingerprint, id }) => [fingerprint, id]))
        const found = yield* dismissals(({ fingerprint }) => ids.has(fingerprint), ids.size)
        return new Map(found.map((each) => [ids.get(each.fingerprint) ?? 0, redactor.text(rejectedText(each))]))
      })

      const stackMaterial = Effect.fnUntraced(function* (task: StackReview) {
        const { change, exploration, stack } = task
        const isWhole = stack.name === structureStack
        const given = isWhole ? change.diff.files.map(({ path }) => path) : stack.files
        const files = task.remaining ?? stack.shard?.parts ?? filesOf(change, given)
        const paths = files.map(({ path }) => path)
        // Only a replay can fail here, and it needs no prompts.
        const { omitted, records } = yield* Effect.orDie(staticReviews.review(change, stack))
        const related = yield* relatedMaterial(change)
        return {
          ...(yield* changeMaterial(change, paths)),
          ...(yield* diffMaterial(change, files)),
          ...related,
          profiles: yield* Effect.forEach(profileNames(stack), profileFor),
          teamNotes: (yield* Effect.forEach(profileNames(stack), (name) => teamNotesFor(change, name))).flat(),
          ruleFindings: findingLines(records, limits.ruleFindings).map(redactor.text),
          dismissed: yield* dismissedIn(paths),
          surroundings: yield* factsOn(change, paths, exploration, records),
          missing: [
            ...related.missing,
            ...[...new Set([...exploration.omitted, ...omitted])].slice(0, mostMissing).map(redactor.text)
          ]
        }
      })

      const changeMaterial = Effect.fnUntraced(function* (change: Change, paths: ReadonlyArray<string>) {
        const { left, notes } = yield* notesFor(change, paths)
        return {
          change: {
            description: redactor.text(change.description),
            commits: change.commits.map(({ body, sha, subject }) => ({
              sha,
              subject: redactor.text(subject),
              body: redactor.text(body)
            }))
          },
          guidance: notes,
          guidanceLeft: left,
          files: filesOf(change, paths).map((file) => ({ path: redactor.text(file.path), size: sizeOf(file) }))
        }
      })

      const intentMaterial = Effect.fnUntraced(function* (change: Change) {
        const paths = change.diff.files.map(({ path }) => path)
        return {
          ...(yield* changeMaterial(change, paths)),
          diff: yield* shownDiff(change.diff.files, limits.overview)
        }
      })

      const alternativesMaterial = Effect.fnUntraced(function* (change: Change, exploration: Exploration) {
        const paths = change.diff.files.map(({ path }) => path)
        return {
          ...(yield* changeMaterial(change, paths)),
          ...(yield* diffMaterial(change, change.diff.files)),
          ...(yield* relatedMaterial(change)),
          surroundings: yield* factsOn(change, paths, exploration, [])
        }
      })

      /** Whether the prompt already has the definition around this line. */
      const isShown = (shown: ReadonlyArray<SeenLines>, { file, line }: ReviewRecord, count: number) =>
        shown.length === 0
          ? Effect.succeed(false)
          : Effect.map(packs.linesAround(file, Math.max(1, line)), ({ first, last }) =>
              isSeen(shown, { path: file, side: "head", from: Math.max(1, first), to: Math.min(count, last) })
            )

      /** `shown`: the code that the prompt has besides; it is not repeated. */
      const excerptsAround = Effect.fnUntraced(function* (
        claims: ReadonlyArray<{ readonly number: number; readonly record: ReviewRecord }>,
        from: Sources["Service"],
        shown: ReadonlyArray<SeenLines>
      ) {
        yield* from.preload([...new Set(claims.map(({ record }) => record.file))])
        const code = new Map<number, CodeExcerpt>()
        const files = new Map<string, ReadonlyArray<string>>()
        for (const { number, record } of claims.slice(0, mostExcerpts)) {
          const source = yield* from.head(record.file)
          if (source._tag !== "Text" || record.line < 1) continue
          if (yield* isShown(shown, record, source.lines.length)) continue
          const first = Math.max(1, record.line - linesAround)
          const last = Math.max(record.endLine ?? record.line, record.line) + linesAround
          const redacted = files.get(record.file) ?? redactor.lines(source.lines)
          files.set(record.file, redacted)
          const lines = redacted.slice(first - 1, last)
          code.set(number, { path: redactor.text(record.file), firstLine: first, lines })
        }
        return code
      })

      /**
       * The diff and the code of the files of these findings; where a file is too long, the lines around each finding.
       * `shown`: the code that the prompt has besides; it is not repeated.
       */
      const judgedMaterial = Effect.fnUntraced(function* (
        change: Change,
        claims: ReadonlyArray<{ readonly id: number; readonly record: ReviewRecord }>,
        from: Sources["Service"],
        shown: ReadonlyArray<SeenLines> = []
      ) {
        const byFile = Map.groupBy(claims, ({ record }) => record.file)
        const paths = [...byFile.keys()]
        const blocks = new Map<string, Block>()
        let left = limits.changedCode * Math.min(byFile.size, mostRooms)
        for (const [path, own] of byFile) {
          const source = yield* from.head(path)
          if (source._tag !== "Text") continue
          const count = source.lines.length
          const hidden = yield* Effect.filter(own, ({ record }) =>
            Effect.map(isShown(shown, record, count), (is) => !is)
          )
          if (hidden.length === 0) continue
          const places = hidden.map(({ record }) => Math.max(1, record.line))
          const block = yield* packs.codeAround(path, redactor.lines(source.lines), places, left)
          if (block === null) continue
          left -= tokenEstimate(block.text)
          blocks.set(path, { ...block, path: redactor.text(path) })
        }
        const others = claims.flatMap(({ id, record }) => (blocks.has(record.file) ? [] : [{ number: id, record }]))
        return {
          ...(yield* changeMaterial(change, paths)),
          files: [],
          diff: yield* shownDiff(filesOf(change, paths), limits.overview),
          ownCode: [...blocks.values()],
          code: yield* excerptsAround(others, from, shown)
        }
      })

      /** What the reviewers were given, for tasks that use the same tools. */
      const sharedMaterial = Effect.fnUntraced(function* (change: Change) {
        const whole: Partial<WholeChange> = (yield* wholeChange(change)) ?? {}
        return { ...(yield* relatedMaterial(change)), missing: [], ...whole }
      })

      /** With the file as it is in the tree. */
      const sourcesAfter = (fixed: Pick<Fixed, "path" | "tree"> | undefined) =>
        fixed === undefined
          ? Effect.succeed(sources)
          : Effect.provideContext(treeSources(fixed.tree, fixed.path), services)

      const fixMaterial = Effect.fnUntraced(function* (task: Extract<Task, { _tag: "Fix" }>) {
        const { change, findings, path } = task
        const ofChange = yield* learned(change, Effect.provideContext(learnedOf(change), services))
        const repairs = yield* repairsOf(findings.map(({ record }) => record))
        return {
          ...(yield* judgedMaterial(change, findings, yield* sourcesAfter(task))),
          surroundings: learnedFactLines([...ofChange, ...repairs], new Set([path])).map(redactor.text)
        }
      })

      const materialFor = Effect.fnUntraced(function* (task: Task) {
        switch (task._tag) {
          case "Intent":
            return yield* intentMaterial(task.change)
          case "Alternatives":
            return yield* alternativesMaterial(task.change, task.exploration)
          case "StackReview":
            return yield* stackMaterial(task)
          case "Arbitrate": {
            const { change } = task
            const ofFiles = yield* changeMaterial(change, [...new Set(task.contested.map(({ record }) => record.file))])
            const claims = task.contested.map(({ arbId, record }) => ({ number: arbId, record }))
            const shared = yield* sharedMaterial(change)
            const code = yield* excerptsAround(claims, sources, shared.diff?.shown ?? [])
            return { ...ofFiles, ...shared, files: [], code }
          }
          case "Verify": {
            const { change, claims } = task
            if (task.fixed !== undefined) return yield* judgedMaterial(change, claims, yield* sourcesAfter(task.fixed))
            const shared = yield* sharedMaterial(change)
            const own = yield* judgedMaterial(change, claims, sources, shared.diff?.shown)
            return { ...own, ...shared, dismissedClaims: yield* dismissedClaims(claims) }
          }
          case "Fix":
            return yield* fixMaterial(task)
          case "ParseReview":
          case "Merge":
            return {}
        }
      })

      const overridden = Effect.fnUntraced(function* (task: Task, prompt: Prompt) {
        const adopted = yield* overrides.adopted
        const slot = adopted === null ? null : slotOf(task, adopted.facts.flow)
        const override = slot === null ? undefined : adopted?.prompts.get(slot)
        if (adopted === null || override === undefined) return prompt
        const words = yield* override.render(overridableText(prompt), factsOf(task, adopted.facts)).pipe(
          Effect.map(redactor.text),
          // Without the override, dd's own prompt is used.
          onFailure.open("prompts", null)
        )
        return words === null ? prompt : withOverride(prompt, words)
      })

      const makePrompt = Effect.fnUntraced(function* (task: Task) {
        const material: Material = { ...emptyMaterial, nonce, instructions, ...(yield* materialFor(task)) }
        // While a model reads this, the material of the next prompts is collected.
        if (task._tag === "Intent") {
          yield* Effect.forkIn(Effect.andThen(relatedMaterial(task.change), wholeChange(task.change)), scope)
        }
        return yield* overridden(task, promptOf(redactedTask(task, redactor.text), material))
      })

      const promptFor = Effect.fn("PromptBuilder.promptFor")(function* (task: Task, repair: Repair | null) {
        const prompt = prompts.get(task) ?? (yield* makePrompt(task))
        prompts.set(task, prompt)
        if (repair === null) return prompt
        return repairPrompt(prompt, redactor.text(repair.answer), redactor.text(repair.fault), nonce)
      })

      const followUpFor = Effect.fn("PromptBuilder.followUpFor")(function* (task: StackReview) {
        const adopted = yield* overrides.adopted
        const slot = adopted === null ? null : slotOf(task, adopted.facts.flow)
        if (slot !== null && adopted?.prompts.has(slot) === true) return null
        const { change, remaining = [] } = task
        const files = remaining.map((file) => ({ path: redactor.text(file.path), size: sizeOf(file) }))
        const diff = yield* diffMaterial(change, remaining)
        return followUpPrompt(redactedTask(task, redactor.text), { ...emptyMaterial, nonce, files, ...diff })
      })

      return PromptBuilder.of({ promptFor, followUpFor })
    })
  )
}

const mostExcerpts = 40
/** The claims of several files have the room of as many, up to this number. */
const mostRooms = 3
const mostDismissals = 20
const linesAround = 12
const mostMissing = 10

const filesOf = ({ diff }: Change, paths: ReadonlyArray<string>): ReadonlyArray<DiffFile> => {
  const given = new Set(paths)
  return diff.files.filter(({ path }) => given.has(path))
}

const findingLines = (records: ReadonlyArray<ReviewRecord>, most: number): ReadonlyArray<string> => {
  const lines = records
    .slice(0, most)
    .map((record) => `${record.file}:${record.line} ${record.rule ?? ""} (${record.severity}): ${titleOf(record)}`)
  return records.length > most ? [...lines, `(${records.length - most} more)`] : lines
}

/** The profiles for a stack: its own, or those of the languages of a shard. */
const profileNames = ({ name, shard }: Stack): ReadonlyArray<string> => shard?.profiles ?? [name]

/** The name by which an extension replaces the prompt; null if it cannot. */
export const slotOf = (task: Task, flow: string): PromptSlot | null => {
  switch (task._tag) {
    case "Intent":
      return "intent"
    case "Alternatives":
      return "alternatives"
    case "StackReview":
      if (flow === "shallow") return "review"
      if (task.stack.name === structureStack) return "structural"
      return profileNames(task.stack)[0] === "generic" ? "generic-fallback" : "per-stack"
    case "Arbitrate":
      return "arbiter"
    case "Merge":
      return "merge"
    case "Verify":
      return "verify"
    case "Fix":
      return "fix"
    case "ParseReview":
      return null
  }
}

const factsOf = (task: Task, run: Facts): Facts => ({
  ...run,
  step: phaseOf[task._tag],
  ...("stack" in task ? { stacks: stackFacts([task.stack]) } : {}),
  intent: "intent" in task ? task.intent : run.intent,
  findings: findingsIn(task)
})

const findingsIn = (task: Task): ReadonlyArray<FactFinding> => {
  if (task._tag === "Arbitrate") return task.contested.map(({ record, stack }) => recordFacts(record, stack))
  if (task._tag === "Verify") {
    return task.claims.map(({ id, record, stack }) => ({ ...recordFacts(record, stack), id }))
  }
  if (task._tag === "Fix") return task.findings.map(({ id, record }) => ({ ...recordFacts(record, null), id }))
  if (task._tag !== "Merge") return []
  return task.items.map(({ id, record, stacks }) => ({ ...recordFacts(record, stacks.join(", ")), id }))
}
