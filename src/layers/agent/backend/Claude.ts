/**
 * Claude Code as a backend: `claude -p`, with its own login and the user's own settings.
 *
 * It may only read, search and list, and edit in its directory if the task is a fix: no other tools exist in the call,
 * anything outside its directory would need a permission that nobody can grant, and `/proc` and the usual places of keys
 * are denied. No settings, hooks,
 * instructions or servers of a project, no hooks of the user, no MCP servers, no slash commands, no stored session.
 * Source: the CLI's documentation at code.claude.com/docs ("CLI reference", "Settings",
 * "Identity and access management").
 */
import { Effect } from "effect"
import { ClaudeDecoder } from "./cli/ClaudeDecoder.ts"
import { type Call, type CallInput, type Cli, type CliOptions, longestArgument } from "./cli/CliBackend.ts"
import { isSet } from "./cli/childEnvironment.ts"

/** Other hosts that the user may have chosen for its requests, with the variables that each needs. */
const clouds = [
  [
    "CLAUDE_CODE_USE_BEDROCK",
    [
      "AWS_REGION",
      "AWS_DEFAULT_REGION",
      "AWS_PROFILE",
      "AWS_ACCESS_KEY_ID",
      "AWS_SECRET_ACCESS_KEY",
      "AWS_SESSION_TOKEN",
      "AWS_BEARER_TOKEN_BEDROCK",
      "AWS_CONFIG_FILE",
      "AWS_SHARED_CREDENTIALS_FILE",
      "ANTHROPIC_BEDROCK_BASE_URL"
    ]
  ],
  [
    "CLAUDE_CODE_USE_VERTEX",
    ["CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID", "ANTHROPIC_VERTEX_BASE_URL", "GOOGLE_APPLICATION_CREDENTIALS"]
  ]
] as const

const own = [
  "CLAUDE_CONFIG_DIR",
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_BASE_URL",
  "CLAUDE_CODE_OAUTH_TOKEN"
]

export const variables = Effect.gen(function* () {
  const chosen = yield* Effect.filter(clouds, ([chooses]) => isSet(chooses))
  return [...own, ...chosen.flatMap(([chooses, needed]) => [chooses, ...needed])]
})

const denied = [
  "//proc/**",
  "//sys/**",
  "//dev/**",
  "//etc/**",
  "~/.ssh/**",
  "~/.aws/**",
  "~/.config/**",
  "~/.claude/**",
  "~/.netrc"
]

/** Overrides the user's settings, and only removes permissions. */
const settingsFor = (kinds: ReadonlyArray<"Read" | "Edit">) => ({
  disableAllHooks: true,
  permissions: { deny: kinds.flatMap((kind) => denied.map((place) => `${kind}(${place})`)) }
})

const toolsFor = { none: "", "read-only": "Read,Grep,Glob", write: "Read,Edit,Write,Grep,Glob" } as const

/** No requests other than those of the review. */
const fixed = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1"
}

const call =
  ({ effort, model }: Pick<CliOptions, "effort" | "model">) =>
  ({ reply, system, tools, user }: CallInput): Call => {
    const fits = Buffer.byteLength(system) <= longestArgument
    return {
      arguments: [
        "-p",
        "--output-format=stream-json",
        "--verbose",
        "--setting-sources=user",
        `--settings=${JSON.stringify(settingsFor(tools === "write" ? ["Read", "Edit"] : ["Read"]))}`,
        "--strict-mcp-config",
        "--disable-slash-commands",
        "--no-session-persistence",
        `--permission-mode=${tools === "write" ? "acceptEdits" : "default"}`,
        `--tools=${toolsFor[tools]}`,
        ...(reply === null ? [] : [`--json-schema=${JSON.stringify(reply.schema)}`]),
        ...(model === null ? [] : [`--model=${model}`]),
        ...(effort === null || effort === "none" ? [] : [`--effort=${effort}`]),
        ...(fits ? [`--append-system-prompt=${system}`] : [])
      ],
      input: fits ? user : `${system}\n\n${user}`
    }
  }

export const cli = (options: CliOptions): Cli => ({
  name: "claude",
  variables,
  fixed,
  call: call(options),
  decoder: () => new ClaudeDecoder()
})
