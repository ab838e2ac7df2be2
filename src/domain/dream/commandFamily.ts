/**
 * What a shell command is for, and the family by which two runs of the same check are compared.
 *
 * `cd web && CI=1 npx vitest run a.test.ts 2>&1 | tail -5` is of the family `vitest`, its purpose is `test`, and its exit code
 * hides the result of vitest. A reading of words, not a shell: quotes are respected, expansions are not.
 */
import { shellCommands } from "../system/shellWords.ts"
import type { CommandPurpose } from "./SessionView.ts"

/** Is a success of such a command a milestone of its session? */
export const isMilestone = (
  purpose: CommandPurpose | null
): purpose is "build" | "check" | "commit" | "deploy" | "test" =>
  purpose === "build" || purpose === "test" || purpose === "check" || purpose === "commit" || purpose === "deploy"

export interface ReadCommand {
  readonly family: string
  readonly purpose: CommandPurpose
  /** The words after the family that are no flags: files, names of tests. Empty: the check covers everything. */
  readonly scope: ReadonlyArray<string>
  /** Does the exit code of the whole command say nothing of this part? */
  readonly hidesExit: boolean
  /** Is its output that of the whole command, from beginning to end, and does nothing before it fail without a word? */
  readonly isWhole: boolean
  /** Is the exit code 1 an answer of it, and no failure: nothing found, not equal, not there? */
  readonly answers: boolean
}

/** The most telling part of the command: the last one with a purpose, else the last one. Null for an empty command. */
export const readCommand = (command: string): ReadCommand | null => {
  const parts = partsOf(command)
  const others = parts.filter(({ words }) => !isPassive(words)).length
  const isWhole = others <= 1 && !/(?:^|[^&>])&(?![&>\d])|>(?!&1)/.test(command)
  const deciding = parts.filter((part) => !part.hidesExit && !isPassive(part.words))
  const answers = deciding.length > 0 && deciding.every(({ words }) => isQuestion(words))
  const read = parts.flatMap(({ hidesExit, words }) => {
    const part = readWords(words)
    return part === null ? [] : [{ ...part, hidesExit, isWhole, answers }]
  })
  const last = read.findLast(({ purpose }) => purpose !== "other") ?? read.at(-1)
  if (last === undefined) return null
  // The exit code of `pytest a; pytest b` is that of the second one.
  return { ...last, hidesExit: read.some(({ hidesExit, purpose }) => hidesExit && purpose === last.purpose) }
}

/** One command of a list; null if it is only assignments or a change of the folder. */
export const readWords = (words: ReadonlyArray<string>): Pick<ReadCommand, "family" | "purpose" | "scope"> | null => {
  const own = withoutWrappers(words)
  if (own.length === 0) return null
  const family = familyOf(own)
  const named = family.split(" ")
  const scope = own.slice(1).filter((word) => !/^(?:-.*|run)$/.test(word) && !named.includes(word))
  const about = aboutIn(own)
  if (about === undefined) return { family, purpose: purposeOf(own), scope }
  // Another family: it says nothing of a run of the check.
  return { family: named.includes(about) ? family : `${family} ${about}`, purpose: "other", scope }
}

/** Prints or passes on what others print, or only prepares. */
const isPassive = ([first = ""]: ReadonlyArray<string>): boolean =>
  /^(?:cd|pushd|set|export|source|echo|printf|true|cat|tee|head|tail|sleep)$/.test(first)

const isQuestion = (words: ReadonlyArray<string>): boolean => {
  if (words[0] === "command") return words[1] === "-v" || words[1] === "-V"
  const own = withoutWrappers(words)
  const program = programOf(own)
  if (program === "xargs") return own.some((_, at) => at > 0 && isQuestion(own.slice(at)))
  if (program === "git")
    return /^(?:grep|diff|check-ignore|config|show-ref|symbolic-ref|merge-base|ls-remote)$/.test(own[1] ?? "")
  return /^(?:[efz]?grep|rg|ag|ack|which|type|hash|diff|cmp|comm|pgrep|pkill|killall|test|\[\[?|expr|jq)$/.test(program)
}

/** The word with which a program tells about itself, or what it would do, instead of doing it; undefined if it has none. */
const aboutIn = (words: ReadonlyArray<string>): string | undefined => {
  const commands = words.slice(1, isMultiplexer(programOf(words)) ? 3 : 2)
  return (
    commands.find((word) => /^(?:help|version|list|init)$/.test(word)) ??
    words.find((word) => word.startsWith("-") && aboutOption().test(word.split("=", 1)[0]!))
  )
}

/** `--list-tests` and `--listTests`, but neither `--list-different` nor `--show-capture`: these are of a run. */
const aboutOption = (): RegExp =>
  /^(?:-h|--co|--?(?:help|version|usage|init|dry-?run|no-?run|just-print|collect-?only|fixtures|markers|explain|env-info|(?:list|show|print)(?:-?(?:all|only|tests?|config|settings|rules|files-?only))?))$/i

interface Part {
  readonly words: ReadonlyArray<string>
  readonly hidesExit: boolean
}

/**
 * The commands of a pipeline or list. Only the last command of a pipeline decides the exit code; `!` inverts it; `|| true` and `&`
 * hide that of all commands that `&&` joins before them.
 */
const partsOf = (command: string): ReadonlyArray<Part> => {
  const commands = shellCommands(command.slice(0, longestCommand))
  const sets = commands.flatMap(({ words }) => (words[0] === "set" ? words.slice(1) : []))
  const hasPipefail = sets.includes("pipefail")
  const parts: Array<Part> = []
  let chain = 0
  let isNewChain = false
  for (const { operator, words } of commands) {
    if (words.length === 0) continue
    if (isNewChain) chain = parts.length
    isNewChain = operator === ";" || operator === "\n" || operator === "&"
    parts.push({ words, hidesExit: words[0] === "!" || (operator === "|" && !hasPipefail) })
    if (operator !== "||" && operator !== "&") continue
    for (let at = chain; at < parts.length; at++) parts[at] = { ...parts[at]!, hidesExit: true }
  }
  // A list that goes on after `;` has the exit code of what is behind the last one.
  const stopsAtError = sets.some((word) => /^-\w*e/.test(word))
  return parts.map((part, at) => (at < chain && !stopsAtError ? { ...part, hidesExit: true } : part))
}

const longestCommand = 4_000

/** Programs that run the command after them, with the number of own arguments that follow their flags. */
const wrappers: Readonly<Record<string, number>> = {
  sudo: 0,
  time: 0,
  env: 0,
  nice: 0,
  nohup: 0,
  exec: 0,
  command: 0,
  timeout: 1,
  npx: 0,
  bunx: 0,
  xvfb: 0
}
const isTwoWordWrapper = (words: string): boolean =>
  /^(?:(?:npm|pnpm|yarn) exec|pnpm dlx|yarn dlx|(?:uv|poetry|pdm|pipenv|hatch|rye) run|bundle exec|python3? -m|bun x)$/.test(
    words
  )

const withoutWrappers = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  let rest = words
  for (;;) {
    const [first = "", second = ""] = rest
    if (/^\w+=/.test(first) || first === "!") rest = rest.slice(1)
    else if (first === "cd" || first === "pushd" || first === "set" || first === "export" || first === "source")
      return []
    else if (isTwoWordWrapper(`${first} ${second}`)) rest = rest.slice(2)
    else if (wrappers[first] !== undefined) {
      const own = rest.slice(1)
      const at = own.findIndex((word) => !word.startsWith("-"))
      rest = at < 0 ? [] : own.slice(at + wrappers[first])
    } else return rest
  }
}

/** Programs whose first argument is a command of their own. */
const isMultiplexer = (program: string): boolean =>
  /^(?:git|npm|pnpm|yarn|bun|deno|cargo|go|mix|swift|dotnet|gradle|gradlew|mvn|make|just|task|docker|kubectl|helm|terraform|pip3?|uv|poetry|composer|bundle|rails|rake|gh|brew|apt|apt-get|ruff|biome|ng|nx|turbo|flutter|dart|zig|cabal|stack|sbt|php|artisan|conda|fly|vercel|netlify|serverless|playwright|cypress|golangci-lint|pre-commit|phpstan)$/.test(
    program
  )
/** Programs that run a file: another file is another check. */
const isInterpreter = (program: string): boolean =>
  /^(?:node|python\d?(?:\.\d+)?|ruby|perl|php|bash|sh|zsh|tsx|ts-node|Rscript|lua)$/.test(program)

const familyOf = (words: ReadonlyArray<string>): string => {
  const program = programOf(words)
  const given = words.slice(1).filter((word) => !word.startsWith("-"))
  const [first, second] = given
  if (isInterpreter(program) && first !== undefined) return `${program} ${first}`
  if (!isMultiplexer(program) || first === undefined) return program
  if ((first === "run" || first === "compose" || first === "nextest") && second !== undefined)
    return `${program} ${first} ${second}`
  return isPath(first)
    ? `${program} ${program === "bun" || program === "deno" ? first : ""}`.trim()
    : `${program} ${first}`
}

const programOf = ([first = ""]: ReadonlyArray<string>): string => first.slice(first.lastIndexOf("/") + 1)

const isPath = (word: string): boolean => /[./]/.test(word)

/** The first line that fits decides. Made once, when first needed: `dd hook event` needs it for few commands. */
let purposes: ReadonlyArray<readonly [CommandPurpose, RegExp]> | undefined
const allPurposes = (): ReadonlyArray<readonly [CommandPurpose, RegExp]> => [
  ["commit", /^git commit\b/],
  ["push", /^(?:git push|gh pr create)\b/],
  [
    "deploy",
    /^(?:(?:kubectl|terraform) apply|helm (?:upgrade|install)|fly deploy|vercel(?:$| deploy)|netlify deploy|serverless deploy|docker push|(?:npm|cargo|bun|pnpm) publish)/
  ],
  [
    "install",
    /^(?:(?:npm|pnpm|bun) (?:ci|i|install|add)\b|yarn(?:$| add\b| install\b)|pip3? install|uv (?:sync|add|pip)|poetry (?:install|add)|cargo (?:add|install)|go (?:get|mod)|bundle install|composer (?:install|require)|(?:apt|apt-get|brew|conda) install|mix deps\.get)/
  ],
  [
    "format",
    /^(?:prettier|black|gofmt|goimports|rustfmt|clang-format|dprint|ruff format|cargo fmt|go fmt|mix format|biome format|(?:npm|pnpm|yarn|bun)(?: run)? (?:format|fmt)\b|make (?:format|fmt)\b)/
  ],
  [
    "test",
    /^(?:jest|vitest|mocha|ava|tap|pytest|nosetests|tox|nox|unittest|rspec|phpunit|ctest|cypress run|playwright test|(?:npm|pnpm|yarn|bun|deno|go|mix|swift|dotnet|gradle|gradlew|rake|rails|flutter|dart|zig|cabal|stack|sbt|composer) (?:run )?(?:[\w-]*:)?test|cargo (?:test|nextest run)|mvn (?:test|verify)|(?:make|just|task) (?:test|check)\b|turbo (?:run )?test|nx test)/
  ],
  [
    "check",
    /^(?:tsc|vue-tsc|eslint|oxlint|mypy|pyright|flake8|pylint|rubocop|shellcheck|golangci-lint run|staticcheck|phpstan analy[sz]e|psalm|hadolint|ruff check|biome (?:check|lint|ci)|cargo (?:check|clippy)|go vet|mix (?:credo|dialyzer)|(?:npm|pnpm|yarn|bun)(?: run)? (?:[\w-]*:)?(?:lint|check|typecheck|type-check|types)\b|(?:make|just) lint\b|pre-commit run)/
  ],
  [
    "build",
    /^(?:webpack|rollup|esbuild|ninja|cmake\b|make(?:$| all\b| build\b)|(?:npm|pnpm|yarn|bun|cargo|go|swift|dotnet|gradle|gradlew|docker|zig|cabal|stack|ng|nx|turbo|flutter|vite|next)(?: run)? (?:[\w-]*:)?(?:build|compile|assemble|package)|mvn (?:compile|package|install)|mix compile|sbt compile)/
  ]
]

const purposeOf = (words: ReadonlyArray<string>): CommandPurpose => {
  const plain = [programOf(words), ...words.slice(1).filter((word) => !word.startsWith("-"))].join(" ")
  purposes ??= allPurposes()
  return purposes.find(([, pattern]) => pattern.test(plain))?.[0] ?? "other"
}
