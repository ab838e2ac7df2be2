/**
 * What Codex tells its model of a call: a head with the exit code, then the output; the same as JSON; or why there is no output.
 */

export interface CodexResult {
  readonly output: string
  readonly exit?: number
  /** The program still runs, under this name. */
  readonly running?: string
  /** The call did not end by itself. */
  readonly stopped?: "denied" | "failed" | "interrupted"
}

export const codexResult = (text: string): CodexResult => {
  const json = jsonResult(text)
  if (json !== null) return json
  const found = head().exec(text)?.[0] ?? ""
  const told = found.includes("Wall time: ") ? found : ""
  const output = text.slice(told.length)
  const exit = /^(?:Exit code:|Process exited with code) (-?\d+)$/m.exec(told)?.[1]
  const running = /^Process running with session ID (\d+)$/m.exec(told)?.[1]
  if (exit !== undefined) return { output, exit: Number(exit) }
  if (running !== undefined) return { output, running }
  const stopped = stops().find(([, pattern]) => pattern.test(output))?.[0]
  return stopped === undefined ? { output } : { output, stopped }
}

// In functions, like all patterns of files that `dd hook event` loads: it needs none of them for most events.
const head = (): RegExp =>
  /^(?:(?:Chunk ID: .*|Wall time: .*|(?:Exit code:|Process exited with code) -?\d+|Process running with session ID \d+|Original token count: \d+|Total output lines: \d+)(?:\n|$))+(?:Output:(?:\n|$))?(?:Warning: truncated output .*\n)?(?:Total output lines: \d+\n+)?/

/** A person or a setting refused the call, it could not begin, or a person stopped it. */
const stops = (): ReadonlyArray<readonly ["denied" | "failed" | "interrupted", RegExp]> => [
  [
    "denied",
    /^(?:(?:exec command|patch) rejected by user|This action was rejected due to unacceptable risk|`[^\n]*` rejected: |approval required by policy|exec_command failed for `[\s\S]*`: CreateProcess \{ message: "Rejected\()/
  ],
  ["interrupted", /^aborted by user/],
  [
    "failed",
    /^(?:exec_command failed for `|execution error: |apply_patch verification failed|failed to parse function arguments)/
  ]
]

const jsonResult = (text: string): CodexResult | null => {
  if (!text.startsWith('{"output":')) return null
  try {
    const { metadata, output } = JSON.parse(text)
    const exit = metadata?.exit_code
    return typeof output !== "string" ? null : { output, ...(typeof exit === "number" ? { exit } : {}) }
  } catch {
    return null
  }
}
