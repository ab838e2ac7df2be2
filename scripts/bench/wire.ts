/**
 * What whole reviews send to each wire format, and what it costs. Run
 * `bun scripts/bench/wire.ts [--binary PATH] [--formats messages,responses,chat,marked,ollama] [--max-cost USD] REPOSITORY@COMMIT…`.
 *
 * The compiled binary reviews each commit against a server that refuses what providers refuse and has a prompt cache
 * (`test/support/requestRules`, `promptCache.ts`). The model is a script: intent at once; alternatives after one file;
 * reviewers read two to four files, think, and claim two things, one with a quote that is not in the file; verifiers read a
 * file and agree. Turns happen in rounds: answers begin when dd has sent what it sends at once, and all of them end when it
 * sends nothing more. So `path` is the number of turns that must follow each other, and a request reads nothing that one
 * sent at the same time writes. A round takes 20 seconds of the cache's time.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { choiceText } from "../../src/prompts/callingInWords.ts"
import type { Asked } from "../../test/support/Asked.ts"
import { agreement, type Metered, type Script, startModel, submitOf } from "../../test/support/modelServer.ts"
import { type CacheUse, PromptCache, tokensOf } from "../../test/support/promptCache.ts"
import type { ScriptedTurn } from "../../test/support/scriptedTurn.ts"
import { git } from "./scratchClone.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    binary: { type: "string", default: join(import.meta.dir, "../../dist/dd") },
    formats: { type: "string", default: "messages,responses,chat,ollama" },
    "max-cost": { type: "string", default: "50" }
  }
})
if (positionals.length === 0) {
  console.error("usage: bun scripts/bench/wire.ts [--binary PATH] [--formats LIST] REPOSITORY@COMMIT…")
  process.exit(2)
}

interface Format {
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly config: string
}

/** A model of each format: with a price, except the local one. */
const formats: Readonly<Record<string, Format>> = {
  messages: { args: ["--backend", "anthropic", "--model", "claude-sonnet-5"], env: {}, config: "" },
  responses: {
    args: ["--backend", "openai", "--model", "gpt-5.6-sol"],
    env: { DD_OPENAI_API: "responses" },
    config: ""
  },
  chat: { args: ["--backend", "openai", "--model", "gpt-5"], env: { DD_OPENAI_API: "chat" }, config: "" },
  marked: { args: ["--backend", "openai", "--model", "gpt-5.6-sol"], env: { DD_OPENAI_API: "chat" }, config: "" },
  ollama: {
    args: ["--backend", "openai", "--model", "qwen3-coder"],
    env: { DD_OPENAI_API: "chat", DD_OPENAI_CONTEXT_TOKENS: "131072" },
    config: '[openai]\nserver = "ollama"\n'
  }
}

// --- the model ---

interface Shown {
  readonly path: string
  /** An added line that is long enough to be quoted. */
  readonly added: { readonly line: number; readonly text: string } | null
}

/** The files of the diff in a prompt, in order. */
const shownIn = (told: string): ReadonlyArray<Shown> =>
  told
    .split(/^=== /m)
    .slice(1)
    .map((section) => {
      const added = /^ *(\d+) \+ (.*\S.{12,})$/m.exec(section)
      return {
        path: /^(.*) \(/.exec(section)?.[1] ?? "",
        added: added === null ? null : { line: Number(added[1]), text: added[2] ?? "" }
      }
    })

/** The files of the task, of the list at its end. */
const filesOf = (told: string): ReadonlyArray<string> => {
  const listed = told.slice(told.lastIndexOf("The files of this task"))
  return [...listed.matchAll(/^(\S.*) \((?:added|modified|deleted|renamed)[^)]*\)$/gm)].map(([, path = ""]) => path)
}

const thought = (asked: Asked): string =>
  `The files are ${filesOf(asked.told).join(", ")}. What did they promise before, and what now? ${"One case after the other. ".repeat(30)}`

const claim = (file: string, line: number, quote: string, title: string) => ({
  file,
  line,
  endLine: null,
  quote,
  evidence: `${file}:${line}`,
  rationale: "With an empty list the line has another result than before, and the caller does not expect it.",
  description: "The value is not checked before it is used. Check it, or say in the documentation what must hold.",
  title,
  suggestion: null,
  confidence: "HIGH",
  severity: "high"
})

const review = (asked: Asked) => {
  const own = filesOf(asked.told)
  const quoted = shownIn(asked.told).find(({ added, path }) => added !== null && own.includes(path))
  const issues =
    quoted?.added === undefined || quoted.added === null
      ? []
      : [
          claim(quoted.path, quoted.added.line, quoted.added.text, "The value may be missing"),
          claim(quoted.path, quoted.added.line, "thisLine.isNot(anywhere)", "The result is used twice")
        ]
  const coverage = own.map((path) => ({ path, reason: "", status: "reviewed" }))
  return { review: "The change is sound but for the claims.", issues, coverage }
}

const call = (name: string, input: object) => ({ name, input })
const read = (path: string) => call("read_file", { path })

/** One turn: it reads on until it has read as much as such an agent does. */
const turnOf = (asked: Asked): ScriptedTurn => {
  const submit = submitOf(asked)
  const paths = filesOf(asked.told).length > 0 ? filesOf(asked.told) : shownIn(asked.told).map(({ path }) => path)
  const reads = (from: number, to: number) => paths.slice(from, to).map(read)
  const mustSubmit = asked.choice === submit || asked.told.trimEnd().endsWith(choiceText({ tool: submit }) ?? "\n")
  const isWaiting = (turns: number) => asked.turns < turns && !mustSubmit && paths.length > 0
  switch (submit) {
    case "submit_alternatives":
      return isWaiting(1) ? { calls: reads(0, 1) } : { calls: [call(submit, { issues: [] })] }
    case "submit_review": {
      if (isWaiting(1)) return { calls: reads(0, 2) }
      if (isWaiting(2)) {
        const more = reads(2, 4)
        return { calls: more.length > 0 ? more : [call("grep", { pattern: "TODO" })] }
      }
      return { calls: [call(submit, review(asked))] }
    }
    case "submit_verification":
      return isWaiting(1) ? { calls: reads(0, 1) } : { calls: [call(submit, agreement(asked.told))] }
    case "submit_intent":
      return { calls: [call(submit, { intent: "It changes what its commits say, and nothing else." })] }
    case "submit_verdicts":
      return { calls: [call(submit, { findings: numbered(asked.told).map(kept) })] }
    case "submit_notes":
      return { calls: [call(submit, { notes: [] })] }
    default:
      return { text: "Nothing stands out." }
  }
}
const kept = (arb_id: number) => ({
  arb_id,
  evidence: "The line is as the claim says.",
  rationale: "Nothing checks the value before.",
  description: null,
  confidence: "MEDIUM",
  severity: "high",
  keep: true
})
const numbered = (told: string) => [...told.matchAll(/^Number (\d+):$/gm)].map(([, id]) => Number(id))

// --- time and tokens ---

/** How long nothing more comes, in milliseconds, before answers begin, and before they end. */
const [briefly, quiet] = [100, 300]
const roundMillis = 20_000

/** Promises that resolve together, when none was added for a while. */
class Batch {
  #waiting: Array<() => void> = []
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #millis: number
  readonly #then: () => void

  constructor(millis: number, then: () => void) {
    this.#millis = millis
    this.#then = then
  }

  wait(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    this.defer()
    return promise
  }

  /** Waits longer if anything waits. */
  defer(): void {
    clearTimeout(this.#timer)
    if (this.#waiting.length === 0) return
    this.#timer = setTimeout(() => {
      this.#then()
      for (const resolve of this.#waiting.splice(0)) resolve()
    }, this.#millis)
  }
}

interface Turn extends CacheUse {
  readonly kind: string
  readonly isFirst: boolean
  readonly output: number
}

const reviewed = async (repository: string, commit: string, { args, config, env }: Format) => {
  const place = mkdtempSync(join(tmpdir(), "dd-wire-"))
  const home = join(place, "home")
  mkdirSync(join(home, ".daydream"), { recursive: true })
  writeFileSync(join(home, ".daydream", "config.toml"), config)
  git("clone", "-q", "--shared", "--no-checkout", repository, join(place, "clone"))
  let [round, begun] = [0, 0]
  const beginnings = new Batch(briefly, () => begun++)
  const ends = new Batch(quiet, () => round++)
  const cache = new PromptCache()
  const turns: Array<Turn> = []
  const metered: Metered = async (asked) => {
    ends.defer()
    await beginnings.wait()
    const now = round * roundMillis + 2 * begun
    const use = cache.take(asked, now, now + 1)
    const count = (turn: ScriptedTurn): ScriptedTurn => {
      const reasoning = tokensOf(turn.thinking ?? "")
      const output = reasoning + tokensOf(turn.text ?? "") + tokensOf(JSON.stringify(turn.calls ?? []))
      turns.push({ ...use, kind: submitOf(asked).replace("submit_", ""), isFirst: asked.turns === 0, output })
      const usage = { prompt: use.prompt, cached: use.read, written: use.written, completion: output, reasoning }
      return { ...turn, usage }
    }
    return { count, rest: ends.wait() }
  }
  const script: Script = (asked) => ({ thinking: thought(asked), ...turnOf(asked) })
  const server = await startModel(script, undefined, 0, undefined, metered)
  const url = `http://127.0.0.1:${server.port}`
  const run = async (more: ReadonlyArray<string>) => {
    const child = Bun.spawn(
      [
        values.binary,
        "review",
        ...["--commit", commit, "--format", "json", "--no-archive", "--fail-on", "none"],
        ...args,
        ...more
      ],
      {
        cwd: join(place, "clone"),
        env: {
          PATH: "/usr/bin:/bin",
          HOME: home,
          ANTHROPIC_API_KEY: "key",
          OPENAI_API_KEY: "key",
          DD_ANTHROPIC_BASE_URL: url,
          DD_OPENAI_BASE_URL: `${url}/v1`,
          ...env
        },
        stdout: "pipe",
        stderr: "pipe"
      }
    )
    const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    if (out === "") throw new Error(`${commit}: ${errors.slice(0, 500)}`)
    return { report: JSON.parse(out), errors }
  }
  try {
    const { report: preview } = await run(["--preview"])
    const { errors, report } = await run(
      ["--max-cost", values["max-cost"]].slice(0, env.DD_OPENAI_CONTEXT_TOKENS === undefined ? 2 : 0)
    )
    return { errors, preview: preview.preview, report, rounds: round, turns }
  } finally {
    await server.close()
    rmSync(place, { recursive: true, force: true })
  }
}

// --- tables ---

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, each) => all + each, 0)
const percent = (part: number, all: number): string => (all === 0 ? "-" : `${Math.round((100 * part) / all)} %`)
const dollars = (usd: number | null | undefined): string => (usd === null || usd === undefined ? "-" : usd.toFixed(2))
const thousands = (tokens: number): string => `${(tokens / 1000).toFixed(0)}k`
const row = (cells: ReadonlyArray<string | number>): void => console.log(`| ${cells.join(" | ")} |`)

for (const name of values.formats.split(",")) {
  const format = formats[name]
  if (format === undefined) throw new Error(`no format ${name}`)
  console.log(`\n## ${name}: ${format.args.at(-1)}\n`)
  row([
    "commit",
    "files",
    "agents planned",
    "asked",
    "turns",
    "path",
    "input",
    "cached after the first agent",
    "least",
    "expected",
    "cost",
    "reviewed",
    "claims judged",
    "status"
  ])
  row(["---", ...Array.from({ length: 13 }, () => "---:")])
  const all: Array<Turn> = []
  for (const place of positionals) {
    const [repository = "", commit = ""] = place.split("@")
    const { errors, preview, report, rounds, turns } = await reviewed(repository, commit, format)
    const later = turns.filter(({ kind }) => kind !== turns[0]?.kind)
    all.push(...turns)
    const claims = report.findings.filter(({ source }: { source: string }) => source === "model")
    const judged = claims.filter(({ verdict }: { verdict: unknown }) => verdict !== null)
    row([
      `${repository
        .replace(/\/(?:repo)?$/, "")
        .split("/")
        .at(-1)
        ?.replace("+", "/")} ${commit}`,
      report.coverage.files.length,
      preview?.agents_planned ?? "-",
      turns.filter(({ isFirst }) => isFirst).length,
      turns.length,
      rounds,
      thousands(sum(turns.map(({ prompt }) => prompt))),
      percent(sum(later.map(({ read: cached }) => cached)), sum(later.map(({ prompt }) => prompt))),
      dollars(preview?.cost_usd),
      dollars(preview?.expected_usd),
      dollars(report.cost?.usd),
      report.coverage.files.filter(({ status }: { status: string }) => status === "reviewed").length,
      `${judged.length} of ${claims.length}`,
      report.status
    ])
    if (errors !== "") console.error(errors.trim().slice(0, 600))
  }
  console.log("")
  row(["step", "agents", "turns", "input", "cached", "written", "output"])
  row(["---", ...Array.from({ length: 6 }, () => "---:")])
  for (const [kind, turns] of Map.groupBy(all, (turn) => turn.kind)) {
    const prompt = sum(turns.map((turn) => turn.prompt))
    row([
      kind,
      turns.filter(({ isFirst }) => isFirst).length,
      turns.length,
      thousands(prompt),
      percent(sum(turns.map((turn) => turn.read)), prompt),
      thousands(sum(turns.map(({ written }) => written))),
      thousands(sum(turns.map(({ output }) => output)))
    ])
  }
}
