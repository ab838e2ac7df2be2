/**
 * The settings: their kinds, the places that set them, and which of them a reviewed repository may set.
 *
 * Values are first read as written (flags, environment, files), then resolved. The first place with a value takes
 * precedence; lists of all places are joined. A repository may only make a review stricter (product.md, safety rule 2).
 */

import { Result } from "effect"
import { isRulePattern } from "../finding/RulePattern.ts"
import type { PackPolicy } from "../pack/PackPolicy.ts"
import { defaultPackBudget } from "../pack/packBudget.ts"
import { parseAge, parseSize } from "../system/amounts.ts"
import { colourChoices } from "../system/ColourChoice.ts"
import { globFault } from "../text/PathGlob.ts"
import { oneLine } from "../text/Printable.ts"
import { didYouMean, nearest } from "../text/Suggestion.ts"
import {
  type BackendChoice,
  type BackendName,
  backends,
  defaultEfforts,
  type Effort,
  efforts,
  type Phase,
  type PhaseChoice,
  phases
} from "./BackendChoice.ts"
import { type Origin, originText, type Setting } from "./Setting.ts"
import { choice, count, dollars, type Kind, list, onOff, share, shown, text } from "./settingKinds.ts"

const failOnLevels = ["none", "high", "medium", "low"] as const
export type FailOn = (typeof failOnLevels)[number]

const onInconclusiveChoices = ["pass", "fail"] as const
export type OnInconclusive = (typeof onInconclusiveChoices)[number]

export const formats = ["text", "json", "jsonl", "markdown", "sarif", "rdjsonl", "gitlab", "github"] as const

/** Servers that are compatible with OpenAI's API and differ in details. */
export const chatServers = ["openai", "ollama", "llama.cpp", "lm-studio", "vllm", "openrouter", "other"] as const
export type ChatServer = (typeof chatServers)[number]

/** How a model behind an OpenAI-compatible API calls tools. */
const toolChoices = ["native", "words", "none"] as const

/** How a server is asked for vectors. */
const embedderApis = ["openai", "ollama"] as const
export type EmbedderApi = (typeof embedderApis)[number]

/** A coding CLI would record its own session. */
const synthesisBackends = ["anthropic", "openai"] as const

const sandboxChoices = ["auto", "on", "off"] as const

export const briefChoices = ["none", "short", "full", "diff"] as const

/** The value of one key at one place, as written. */
export interface WrittenSetting {
  readonly key: string
  readonly value: unknown
  readonly origin: Origin
  /** `trusted`: a file of the repository that the user trusts. */
  readonly from: "user" | "trusted" | "repository"
}

/** An invalid value: its place, its key and the error. */
export interface Problem {
  /** Empty if the error begins with it. */
  readonly place: string
  readonly key: string
  readonly problem: string
  /** Where it is in a file: problems of one file with the same words are one line. */
  readonly at?: Extract<Origin, { readonly _tag: "File" }>
}

interface Resolved {
  readonly settings: ReviewSettings
  /** Settings of a repository that were not applied. */
  readonly refused: ReadonlyArray<Problem>
}

interface Surroundings {
  readonly ci: boolean
  /** Is the output a terminal? */
  readonly terminal: boolean
}

interface Default<Value> {
  readonly value: Value
  readonly because: string
}

interface Options<Value> {
  /** `--fail-on`; null if there is no flag. */
  readonly flag: string | null
  /** Null if there is no variable. */
  readonly env: string | null
  /** May a repository set this value? */
  readonly repository: (value: unknown) => boolean
  /** May a file of a repository set it if the user trusts the file? */
  readonly trusted: boolean
  /** The default, if it depends on the environment. */
  readonly defaultIn?: (surroundings: Surroundings) => Default<Value>
}

interface Key<Value, DefaultValue> extends Options<Value> {
  readonly kind: Kind<Value>
  readonly defaultValue: DefaultValue
}

type ListKey = Key<ReadonlyArray<string>, ReadonlyArray<string>>
type AnyKey = Key<string | number, string | number | null> | ListKey

const isList = (key: AnyKey): key is ListKey => key.kind.isList

const never = () => false
const always = () => true

/** Without options, a key that only the user's files can set. */
const key = <Value, const DefaultValue extends Value | null>(
  kind: Kind<Value>,
  defaultValue: DefaultValue,
  options: Partial<Options<NoInfer<Value>>> = {}
): Key<Value, DefaultValue> => ({
  kind,
  defaultValue,
  flag: null,
  env: null,
  repository: never,
  trusted: false,
  ...options
})

const terminalWords = (terminal: boolean): string => (terminal ? "on a terminal" : "not on a terminal")

const nameFault = (text: string) =>
  /^[\x21-\x7e]{1,200}$/.test(text) ? null : "a name has no spaces and at most 200 characters"
const modelName = text("a model's name", nameFault)
const variableName = text("a variable's name", (text) =>
  /^[A-Za-z_]\w*$/.test(text) ? null : "it is the name of a variable"
)
const address = text("an address", (text) => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return "it begins with http:// or https://"
  if (url.username !== "" || url.password !== "") return "keys do not belong in an address"
  // A key must not be sent over a network without encryption.
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  return url.protocol === "https:" || isLocal ? null : "http:// is only allowed for this machine"
})
const ruleNames = list("rules", (item) => (isRulePattern(item) ? null : "a rule is written py/name, an area py/*"))
const backendNames = list("backends", (item) =>
  backends.some((backend) => backend === item) ? null : `a backend is one of ${backends.join(", ")}`
)

const age = text("an age like 90d, or never", (text) =>
  text === "never" || parseAge(text) !== null ? null : "the units are m, h, d and w"
)
const size = text("a size like 500M, or never", (text) =>
  text === "never" || parseSize(text) !== null ? null : "the units are k, M, G and T"
)

const mostFindings = 20

const notEmpty = (text: string) => (text.trim() === "" ? "it is empty" : null)

/** In characters. */
export const longestInstructions = 20_000
const instructions = text("instructions", (text) =>
  text.length > longestInstructions ? `it has more than ${longestInstructions} characters` : notEmpty(text)
)

const keys = {
  /** The exit code is 1 if there are findings of this severity or higher. */
  fail_on: key(choice(failOnLevels), "none", {
    flag: "--fail-on",
    env: "DD_FAIL_ON",
    repository: (value) => value !== "none"
  }),
  on_inconclusive: key(choice(onInconclusiveChoices), "fail", {
    flag: "--on-inconclusive",
    env: "DD_ON_INCONCLUSIVE",
    repository: (value) => value === "fail",
    // A script must not treat "inconclusive" as "no findings".
    defaultIn: ({ ci, terminal }): Default<OnInconclusive> => ({
      value: ci || !terminal ? "fail" : "pass",
      because: ci ? "CI is set" : terminalWords(terminal)
    })
  }),
  format: key(choice(formats), "text", { flag: "--format", env: "DD_FORMAT" }),
  /** Paths that are not reviewed. A repository's own are read from the base, and each skipped file is listed. */
  ignore_paths: key(list("path patterns", globFault), [], {
    flag: "--ignore-path",
    env: "DD_IGNORE_PATHS",
    repository: always
  }),
  /** The maximum number of findings in the text report; 0 for all. */
  max_findings: key(count(0, 10_000, "findings"), mostFindings, {
    flag: "--max-findings",
    env: "DD_MAX_FINDINGS",
    repository: (value) => value === 0 || (typeof value === "number" && value >= mostFindings),
    // The output in a pipe or a file can be searched.
    defaultIn: ({ terminal }) => ({ value: terminal ? mostFindings : 0, because: terminalWords(terminal) })
  }),
  /** Files that no context pack has. */
  "pack.exclude": key(list("path patterns", globFault), [], { flag: "--exclude", repository: always }),
  /** Files that a context pack may have although a filter leaves them out; never those with secrets. */
  "pack.include": key(list("path patterns", globFault), [], { flag: "--include" }),
  /** Paths and names of definitions that come first in a context pack. */
  "pack.focus": key(list("paths or names", notEmpty), [], { flag: "--focus", repository: always }),
  /** In tokens. */
  "pack.budget": key(count(1_000, 100_000_000, "tokens"), defaultPackBudget, {
    flag: "--budget",
    env: "DD_PACK_BUDGET"
  }),
  /** What the report says of the change beside findings. */
  brief: key(choice(briefChoices), "short", { flag: "--brief", env: "DD_BRIEF" }),
  /** What the user asks of reviews by a model, in words. A repository has its own files for that. */
  "review.instructions": key(instructions, null, { flag: "--instructions" }),
  /** The maximum number of changed files for one reviewer of all stacks; 0 turns this off. */
  shallow_fanout_threshold: key(count(0, 10_000, "files"), 2, {
    env: "DD_SHALLOW_FANOUT_THRESHOLD",
    repository: always
  }),
  /** The maximum number of concurrent agent calls. */
  fanout: key(count(1, 64, "concurrent calls"), 4, { env: "DD_FANOUT" }),
  /** The shell line that runs the project's tests; null: found in the project. */
  test_command: key(text("a command", notEmpty), null, {
    flag: "--test-command",
    env: "DD_TEST_COMMAND",
    trusted: true
  }),
  /** In seconds. */
  test_timeout: key(count(1, 86_400, "seconds"), 600, { env: "DD_TEST_TIMEOUT", trusted: true }),
  /** Do tests run in a sandbox? `auto`: if there is one. */
  test_sandbox: key(choice(sandboxChoices), "auto", {
    env: "DD_TEST_SANDBOX",
    repository: (value) => value === "on"
  }),
  color: key(choice(colourChoices), "auto", { flag: "--color", env: "DD_COLOR" }),
  /** Rules and areas (`py/*`) not to apply. */
  "rules.disable": key(ruleNames, [], { env: "DD_RULES_DISABLE", repository: always }),
  /** Rules and areas to apply although they are off by default, unless `rules.disable` names them. */
  "rules.enable": key(ruleNames, [], { env: "DD_RULES_ENABLE", repository: always }),
  backend: key(choice(backends), "static", { flag: "--backend", env: "DD_BACKEND" }),
  model: key(modelName, null, { flag: "--model", env: "DD_MODEL" }),
  effort: key(choice(efforts), null, { env: "DD_EFFORT" }),
  fallback: key(backendNames, [], { env: "DD_FALLBACK" }),
  /** The maximum cost of a run in US dollars. The default is for reviews, and only where prices are known. */
  max_cost: key(dollars, 1, { flag: "--max-cost", env: "DD_MAX_COST" }),
  /** The timeout of an answer in seconds; null: the backend's own limit. */
  timeout: key(count(1, 86_400, "seconds"), null, { env: "DD_TIMEOUT" }),
  /** The model of the backend if `model` is not set. */
  "anthropic.model": key(modelName, null),
  "openai.model": key(modelName, null),
  "claude.model": key(modelName, null),
  "codex.model": key(modelName, null),
  "pi.model": key(modelName, null),
  "pi.provider": key(text("a provider's name", nameFault), null),
  /** The provider of Claude: its vendor, Amazon or Google. */
  "anthropic.at": key(choice(["anthropic", "bedrock", "vertex"]), "anthropic"),
  "anthropic.region": key(text("a region's name", nameFault), null),
  /** The project in Google's cloud. */
  "anthropic.project": key(text("a project's name", nameFault), null),
  "anthropic.base_url": key(address, null, { env: "DD_ANTHROPIC_BASE_URL" }),
  /** The environment variable with the key. */
  "anthropic.key_env": key(variableName, "ANTHROPIC_API_KEY"),
  "openai.base_url": key(address, null, { env: "DD_OPENAI_BASE_URL" }),
  "openai.key_env": key(variableName, "OPENAI_API_KEY"),
  "openai.api": key(choice(["responses", "chat"]), null, { env: "DD_OPENAI_API" }),
  /** Null: derived from the address. */
  "openai.server": key(choice(chatServers), null),
  "openai.tools": key(choice(toolChoices), "native", { env: "DD_OPENAI_TOOLS" }),
  /** The maximum number of tokens of a request and its answer together. */
  "openai.context_tokens": key(count(4_000, 100_000_000, "tokens"), null, { env: "DD_OPENAI_CONTEXT_TOKENS" }),
  /** Is the run archived? */
  archive: key(onOff, "on", { flag: "--no-archive", env: "DD_ARCHIVE" }),
  /** Runs without a label are removed from the archive when they are older than this. */
  prune_after: key(age, "90d", { env: "DD_PRUNE_AFTER" }),
  /** The oldest runs without a label are removed while the archive is larger than this. */
  prune_above: key(size, "1G", { env: "DD_PRUNE_ABOVE" }),
  /** Is an archived run evaluated? */
  evaluate: key(onOff, "on", { flag: "--no-eval", env: "DD_EVALUATE" }),
  /** Is a review told what earlier sessions showed? */
  learned: key(onOff, "on", { flag: "--no-learned", env: "DD_LEARNED" }),
  /** Do hooks start the worker? They read this themselves (`layers/dream/startWorker.ts`). */
  "dream.worker": key(onOff, "on"),
  /** The server that computes vectors of texts; null: they are computed from their words. */
  "dream.embedder.base_url": key(address, null),
  "dream.embedder.model": key(modelName, null),
  /** The environment variable with the key; null: none is sent. */
  "dream.embedder.key_env": key(variableName, null),
  /** Null: derived from the address. */
  "dream.embedder.api": key(choice(embedderApis), null),
  /** The least cosine of two texts that mean the same: it differs from model to model. */
  "dream.embedder.alike_from": key(share, 0.7),
  /** What summarises artifacts; null: nothing does. */
  "dream.synthesis.backend": key(choice(synthesisBackends), null),
  /** Null: the model of the backend. */
  "dream.synthesis.model": key(modelName, null),
  /** In US dollars, for one pass of the worker. */
  "dream.synthesis.max_cost": key(dollars, 0.1),
  "dream.synthesis.max_cost_day": key(dollars, 0.5)
}

interface PhaseKeys {
  readonly backend: Key<BackendName, BackendName | null>
  readonly model: Key<string, null>
  readonly effort: Key<Effort, null>
}

const keysOfPhase = (): PhaseKeys => ({
  backend: key(choice(backends), null),
  model: key(modelName, null),
  effort: key(choice(efforts), null)
})

/** The settings of one phase: `[phases.arbiter]`, `model = "..."`. */
const phaseKeys = Object.fromEntries(phases.map((phase) => [phase, keysOfPhase()])) as Readonly<
  Record<Phase, PhaseKeys>
>

export type SettingKey = keyof typeof keys | `phases.${Phase}.${keyof PhaseKeys}`

/** In the order of the output. */
const byName = new Map<string, AnyKey>([
  ...Object.entries(keys),
  ...phases.flatMap((phase) =>
    Object.entries(phaseKeys[phase]).map(([name, key]) => [`phases.${phase}.${name}`, key] as const)
  )
])
const isSettingKey = (name: string): name is SettingKey => byName.has(name)
export const settingKeys: ReadonlyArray<SettingKey> = [...byName.keys()].filter(isSettingKey)

const keyOf = (name: SettingKey): AnyKey => byName.get(name)!

export const environmentOf = (key: SettingKey): string | null => keyOf(key).env
export const flagOf = (key: SettingKey): string | null => keyOf(key).flag

/**
 * Reads the value of a flag or a variable: a count becomes a number, a list is split at commas. An invalid value stays a
 * text, and `resolveSettings` reports it.
 */
export const settingFromText = (key: SettingKey, text: string): unknown => keyOf(key).kind.read(text)

/** Keys of other builds of dd: they are refused, because they have no effect in this build. */
const later = new Set([
  "api_key",
  "api_key_cmd",
  "archive_dir",
  "bench",
  "extensions",
  "hooks",
  "improve",
  "precision_mode",
  "prices",
  "reasoning_effort",
  "skills",
  "supervisor",
  "tools",
  "workspace"
])

/** Tables that a repository may not set. */
const usersOnly = new Set(["anthropic", "base_url", "claude", "codex", "openai", "phases", "pi"])

/** Resolves the written values, in order of precedence; fails with all errors. */
export const resolveSettings = (
  written: ReadonlyArray<WrittenSetting>,
  surroundings: Surroundings
): Result.Result<Resolved, ReadonlyArray<Problem>> => {
  const problems: Array<Problem> = []
  const refused: Array<Problem> = []
  const accepted: Accepted = new Map()
  for (const { key, value: asWritten, origin, from } of written) {
    const place = originText(origin)
    const at = origin._tag === "File" ? { at: origin } : {}
    if (!isSettingKey(key)) {
      const name = key.split(".", 1)[0]!
      if (from !== "user" && (later.has(name) || usersOnly.has(name))) {
        refused.push({ place, key: name, problem: `a repository may not set ${name}`, ...at })
      } else if (later.has(name)) problems.push({ place, key: name, problem: `${name} is not in this build`, ...at })
      else problems.push({ place, key, problem: unknownKey(key), ...at })
      continue
    }
    const known = keyOf(key)
    const value = known.kind.plain(asWritten)
    const fault = known.kind.fault(value)
    const isAllowed = from === "user" || (from === "trusted" && known.trusted) || known.repository(value)
    if (fault !== null && (isAllowed || known.repository !== never)) {
      // A flag or a variable has the name of its setting already.
      const isFile = origin._tag === "File"
      problems.push(
        isFile ? { place, key, problem: `${key} ${fault}`, ...at } : { place: "", key, problem: `${place} ${fault}` }
      )
    } else if (!isAllowed) {
      const problem =
        known.repository === never
          ? `a repository may not set ${key}${known.trusted ? ", unless you trust this file with dd trust" : ""}`
          : `a repository may only tighten ${key}; ${shown(value)} is ignored`
      refused.push({ place, key, problem, ...at })
    } else {
      accepted.set(known, [...(accepted.get(known) ?? []), { value, origin }])
    }
  }
  if (problems.length > 0) return Result.fail(problems)
  return Result.succeed({ settings: settingsOf(accepted, surroundings), refused })
}

/** The most lines for the problems of all files. */
const mostLines = 6

/**
 * `.daydream.toml:3 (base): fail_on must be ...`, `--fail-on must be ...`. Problems of one file with the same words are one line:
 * `.daydream.toml:2, 3 (base): a repository may not set backend, model`.
 */
export const problemLines = (problems: ReadonlyArray<Problem>): ReadonlyArray<string> => {
  const wordsOf = ({ key, problem }: Problem) => (key === "" ? problem : problem.replace(key, () => "\0"))
  const groups = [
    ...Map.groupBy(problems, ({ at, ...each }) =>
      JSON.stringify(at === undefined ? each : [at.path, at.ofBase, wordsOf(each)])
    ).values()
  ]
  const lines = groups.map((group) => {
    const [{ at, place, problem }] = group as [Problem, ...ReadonlyArray<Problem>]
    if (at === undefined || group.length === 1) return place === "" ? problem : `${place}: ${problem}`
    const words = wordsOf(group[0]!)
    const keys = [...new Set(group.map(({ key }) => key))].join(words.includes('"\0"') ? '", "' : ", ")
    const numbers = [...new Set(group.map((each) => each.at?.line ?? at.line))].join(", ")
    return `${oneLine(at.path)}:${numbers}${at.ofBase ? " (base)" : ""}: ${words.replace("\0", () => keys)}`
  })
  if (lines.length <= mostLines) return lines
  const rest = groups.slice(mostLines - 1).flat()
  return [
    ...lines.slice(0, mostLines - 1),
    `and ${rest.length} more, of ${rest.map(({ key, place }) => key || place).join(", ")}`
  ]
}

const unknownKey = (key: string): string => `unknown setting ${shown(key)}${didYouMean(nearest(key, settingKeys))}`

const defaultEffort = (phase: Phase): Setting<string> => ({
  value: defaultEfforts[phase],
  origin: { _tag: "Default", because: "for models with an API" }
})

export type ReviewSettings = ReturnType<typeof settingsOf>

type Accepted = Map<AnyKey, ReadonlyArray<Setting<unknown>>>

const settingsOf = (accepted: Accepted, surroundings: Surroundings) => {
  const one = <Value extends string | number, DefaultValue extends string | number | null>(
    key: Key<Value, DefaultValue>
  ): Setting<Value | DefaultValue> => {
    const found = accepted.get(key)?.[0]
    if (found !== undefined && key.kind.accepts(found.value)) return { value: found.value, origin: found.origin }
    const { value, because } = key.defaultIn?.(surroundings) ?? { value: key.defaultValue, because: "" }
    return { value, origin: { _tag: "Default", because } }
  }
  const all = (key: ListKey): ReadonlyArray<Setting<string>> =>
    (accepted.get(key) ?? []).flatMap(({ value, origin }) =>
      key.kind.accepts(value) ? value.map((item) => ({ value: item, origin })) : []
    )
  const shownSetting = (key: AnyKey): Setting<string | number | null> | ReadonlyArray<Setting<string>> =>
    isList(key) ? all(key) : one(key)
  const writtenBackend = accepted.get(keys.backend)?.find(({ origin }) => origin._tag === "File")
  const models = {
    anthropic: one(keys["anthropic.model"]),
    openai: one(keys["openai.model"]),
    claude: one(keys["claude.model"]),
    codex: one(keys["codex.model"]),
    pi: one(keys["pi.model"])
  }
  const phaseChoice = ({ backend, effort, model }: PhaseKeys): PhaseChoice => ({
    backend: one(backend),
    model: one(model),
    effort: one(effort)
  })
  const backendChoice: BackendChoice = {
    ...phaseChoice(keys),
    phases: Object.fromEntries(phases.map((phase) => [phase, phaseChoice(phaseKeys[phase])])) as Record<
      Phase,
      PhaseChoice
    >,
    written: backends.find((backend) => backend === writtenBackend?.value) ?? null,
    models: {
      anthropic: models.anthropic.value,
      openai: models.openai.value,
      claude: models.claude.value,
      codex: models.codex.value,
      pi: models.pi.value
    },
    fallback: all(keys.fallback).flatMap(({ value }) => backends.filter((backend) => backend === value))
  }
  const values = (key: ListKey) => all(key).map(({ value }) => value)
  const packPolicy: PackPolicy = {
    exclude: values(keys["pack.exclude"]),
    include: values(keys["pack.include"]),
    focus: values(keys["pack.focus"])
  }
  return {
    failOn: one(keys.fail_on),
    onInconclusive: one(keys.on_inconclusive),
    format: one(keys.format),
    ignorePaths: all(keys.ignore_paths),
    maxFindings: one(keys.max_findings),
    packPolicy,
    packBudget: one(keys["pack.budget"]),
    brief: one(keys.brief),
    instructions: one(keys["review.instructions"]),
    shallowFanoutThreshold: one(keys.shallow_fanout_threshold),
    testCommand: one(keys.test_command),
    testTimeout: one(keys.test_timeout),
    testSandbox: one(keys.test_sandbox),
    fanout: one(keys.fanout),
    color: one(keys.color),
    rulesDisable: all(keys["rules.disable"]),
    rulesEnable: all(keys["rules.enable"]),
    backendChoice,
    maxCost: one(keys.max_cost),
    timeout: one(keys.timeout),
    models,
    piProvider: one(keys["pi.provider"]),
    anthropic: {
      at: one(keys["anthropic.at"]),
      region: one(keys["anthropic.region"]),
      project: one(keys["anthropic.project"]),
      baseUrl: one(keys["anthropic.base_url"]),
      keyEnv: one(keys["anthropic.key_env"])
    },
    openai: {
      baseUrl: one(keys["openai.base_url"]),
      keyEnv: one(keys["openai.key_env"]),
      api: one(keys["openai.api"]),
      server: one(keys["openai.server"]),
      tools: one(keys["openai.tools"]),
      contextTokens: one(keys["openai.context_tokens"])
    },
    archive: one(keys.archive),
    evaluate: one(keys.evaluate),
    pruneAfter: one(keys.prune_after),
    pruneAbove: one(keys.prune_above),
    learned: one(keys.learned),
    embedder: {
      baseUrl: one(keys["dream.embedder.base_url"]),
      model: one(keys["dream.embedder.model"]),
      keyEnv: one(keys["dream.embedder.key_env"]),
      api: one(keys["dream.embedder.api"]),
      alikeFrom: one(keys["dream.embedder.alike_from"])
    },
    synthesis: {
      backend: one(keys["dream.synthesis.backend"]),
      model: one(keys["dream.synthesis.model"]),
      maxCost: one(keys["dream.synthesis.max_cost"]),
      maxCostDay: one(keys["dream.synthesis.max_cost_day"])
    },
    /** Every setting in the order of `settingKeys`. */
    byKey: new Map([
      ...settingKeys.map((name) => [name, shownSetting(keyOf(name))] as const),
      ...phases.flatMap((phase) =>
        backendChoice.effort.value === null && backendChoice.phases[phase].effort.value === null
          ? [[`phases.${phase}.effort` as const, defaultEffort(phase)] as const]
          : []
      )
    ])
  }
}
