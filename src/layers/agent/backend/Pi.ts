/**
 * The pi coding agent as a backend: `pi --mode json`, with its own login or the key of its provider.
 *
 * It has tools to read, find, search and list, for a fix also to edit and write, and none to run programs. pi does not limit
 * where its tools write, so dd adds an extension that allows only the file of the fix. No other extensions, skills,
 * templates, themes or context files are loaded; no session is stored. The prompt is passed on standard input. What its
 * tools may read is not limited: see docs/decisions/0020. Source: pi's packages/coding-agent (README, docs/json.md,
 * src/cli/args.ts).
 */
import { Effect } from "effect"
import {
  type Call,
  type CallInput,
  type Cli,
  type CliOptions,
  longestArgument,
  type WritableFile
} from "./cli/CliBackend.ts"
import { PiDecoder } from "./cli/PiDecoder.ts"

export interface PiOptions extends CliOptions {
  /** pi's name of it; null: the prefix of the model's name before the slash, else pi's default, which may be any. */
  readonly provider: string | null
}

/** The keys of pi's providers, as its help names them. */
const keys = new Map([
  ["anthropic", ["ANTHROPIC_API_KEY", "ANTHROPIC_OAUTH_TOKEN"]],
  ["openai", ["OPENAI_API_KEY"]],
  ["google", ["GEMINI_API_KEY"]],
  ["groq", ["GROQ_API_KEY"]],
  ["cerebras", ["CEREBRAS_API_KEY"]],
  ["xai", ["XAI_API_KEY"]],
  ["openrouter", ["OPENROUTER_API_KEY"]],
  ["vercel-ai-gateway", ["AI_GATEWAY_API_KEY"]],
  ["zai", ["ZAI_API_KEY"]],
  ["mistral", ["MISTRAL_API_KEY"]],
  ["minimax", ["MINIMAX_API_KEY"]],
  ["kimi-coding", ["KIMI_API_KEY"]]
])

const own = ["PI_CODING_AGENT_DIR", "PI_PACKAGE_DIR"]

/** The key of a known provider, else the keys of all providers. */
export const variables = (provider: string | null): ReadonlyArray<string> => [
  ...own,
  ...(keys.get(provider ?? "") ?? [...keys.values()].flat())
]

const fixed = { PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" }

const reading = "read,grep,find,ls"

/**
 * An extension of pi (docs/extensions.md, event `tool_call`): edits and writes are blocked unless they name the file exactly.
 * pi expands `~` and `@` at the beginning of a path.
 */
const guardOf = ({ absolute, relative }: WritableFile): string => {
  const allowed = [absolute, ...(/^[~@]/.test(relative) ? [] : [relative, `./${relative}`])]
  return `const allowed = ${JSON.stringify(allowed)}
export default (pi) =>
  pi.on("tool_call", ({ toolName, input }) => {
    if (["read", "grep", "find", "ls"].includes(toolName)) return undefined
    const isWrite = toolName === "edit" || toolName === "write"
    if (isWrite && allowed.includes(input.path) && !("file_path" in input)) return undefined
    return { block: true, reason: "Only this file may be changed: " + allowed[0] }
  })
`
}

const call =
  ({ effort, model, provider }: Pick<PiOptions, "effort" | "model" | "provider">) =>
  ({ system, tools, user, writable }: CallInput): Call => {
    const fits = Buffer.byteLength(system) <= longestArgument
    return {
      arguments: [
        "--mode",
        "json",
        "--print",
        "--no-session",
        "--no-extensions",
        "--no-skills",
        "--no-prompt-templates",
        "--no-themes",
        "--no-context-files",
        ...(writable === null ? [] : ["--extension", writable.guard]),
        ...(tools === "none" ? ["--no-tools"] : ["--tools", writable === null ? reading : `${reading},edit,write`]),
        ...(provider === null ? [] : ["--provider", provider]),
        ...(model === null ? [] : ["--model", model]),
        ...(effort === null ? [] : ["--thinking", effort === "none" ? "off" : effort]),
        ...(fits ? ["--append-system-prompt", system] : [])
      ],
      input: fits ? user : `${system}\n\n${user}`
    }
  }

export const cli = (options: PiOptions): Cli => ({
  name: "pi",
  variables: Effect.succeed(variables(options.provider ?? options.model?.split("/")[0] ?? null)),
  fixed,
  guard: guardOf,
  call: call(options),
  decoder: () => new PiDecoder()
})
