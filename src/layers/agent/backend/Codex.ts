/**
 * OpenAI's Codex CLI as a backend: `codex exec`, with its own login.
 *
 * Its commands run in its own sandbox, which can neither write nor reach the network, with few environment variables; for
 * a fix, it can write in its directory and nowhere else.
 * The user's configuration is not loaded, because it may name servers and programs, and a hostile text could make the
 * model use them. A project's configuration, rules and instructions are not loaded either, and web search is disabled.
 * A task without tools has no commands, connectors, plugins and skills. What Codex 0.155.0 to 0.171.0 then still offers neither runs a
 * program nor reads a file: patches, which the sandbox refuses, a clock, questions to the user, and sub-agents with as little. 0.125.0 and
 * 0.145.0 also keep the tool that shows an image.
 * The prompt is passed on standard input; no session is stored. What its commands may read is not limited: see
 * docs/decisions/0020. Sources: codex-rs/exec/src/cli.rs; the documentation at
 * developers.openai.com/codex ("Non-interactive mode", "Configuration reference").
 */
import { Effect } from "effect"
import type { Call, CallInput, Cli, CliOptions } from "./cli/CliBackend.ts"
import { CodexDecoder } from "./cli/CodexDecoder.ts"

export const variables = Effect.succeed(["CODEX_HOME", "OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL"])

/** Settings of this call, in TOML. Unknown keys have no effect. */
const settings = [
  'approval_policy="never"',
  'web_search="disabled"',
  "tools.web_search=false",
  "project_doc_max_bytes=0",
  "project_root_markers=[]",
  'shell_environment_policy.inherit="core"',
  "analytics.enabled=false",
  "check_for_update_on_startup=false",
  "features.hooks=false"
]

/** What reads, runs or reaches anything. */
const tools = [
  ...["shell_tool", "unified_exec", "view_image", "image_generation", "js_repl"],
  ...["apps", "plugins", "remote_plugin", "tool_suggest", "skill_search"],
  ...["browser_use", "browser_use_external", "computer_use"],
  ...["multi_agent", "memories", "goals", "sleep_tool"]
]
const withoutTools = [
  ...tools.map((each) => `features.${each}=false`),
  "skills.include_instructions=false",
  "skills.bundled.enabled=false"
]

/** The sandbox for a fix: no temporary directories, no other directories, no network. */
const writing = [
  "sandbox_workspace_write.network_access=false",
  "sandbox_workspace_write.exclude_tmpdir_env_var=true",
  "sandbox_workspace_write.exclude_slash_tmp=true",
  "sandbox_workspace_write.writable_roots=[]"
]

const more: Readonly<Record<CallInput["tools"], ReadonlyArray<string>>> = {
  none: withoutTools,
  "read-only": [],
  write: writing
}

const call =
  ({ effort, model }: Pick<CliOptions, "effort" | "model">) =>
  ({ directory, reply, system, tools, user }: CallInput): Call => ({
    arguments: [
      "exec",
      "--json",
      `--sandbox=${tools === "write" ? "workspace-write" : "read-only"}`,
      "--skip-git-repo-check",
      "--ephemeral",
      "--ignore-user-config",
      "--ignore-rules",
      "--color=never",
      `--cd=${directory}`,
      ...(reply === null ? [] : [`--output-schema=${reply.file}`]),
      ...[...settings, ...more[tools]].flatMap((each) => ["-c", each]),
      ...(model === null ? [] : [`--model=${model}`]),
      ...(effort === null ? [] : ["-c", `model_reasoning_effort="${effort}"`]),
      "-"
    ],
    input: `${system}\n\n${user}`
  })

export const cli = (options: CliOptions): Cli => ({
  name: "codex",
  variables,
  fixed: {},
  call: call(options),
  decoder: () => new CodexDecoder(options.model)
})
