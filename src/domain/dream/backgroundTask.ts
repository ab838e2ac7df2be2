/**
 * Commands whose call returns before they end. The call of a background command only says that it started. That it ended, and with
 * which exit code, is the result of a later call of `BashOutput` or `TaskOutput`, or a notice among the prompts. A call that was
 * stopped, by a person or by its timeout, says nothing of the result of its command.
 */

type Fields = Readonly<Record<string, unknown>>

/** Does the result of a call come before the end of its command? */
export const isUnfinished = (input: Fields, response: unknown, output: string): boolean => {
  if (input.run_in_background === true || input.is_background === true) return true
  if (isFields(response) && (response.interrupted === true || response.backgroundTaskId !== undefined)) return true
  for (const line of stopped) if (output.startsWith(line) || output.includes(`\n${line}`)) return true
  return false
}

/** The beginnings of lines with which an assistant says that it ended the command, or no longer waits for it. */
const stopped = [
  "Command timed out after ",
  "command timed out after ",
  "Command was automatically cancelled because ",
  "Command was cancelled by user",
  "Command moved to background "
]

/** The host's id of the background command that a call started or asks for; "" if there is none. */
export const taskOf = (input: Fields, response: unknown): string => {
  const started = isFields(response) ? response.backgroundTaskId : undefined
  for (const id of [started, input.bash_id, input.task_id]) if (typeof id === "string" && id !== "") return id
  return input.run_in_background === true && typeof response === "string"
    ? (/^Command running in background with ID: ([\w-]+)/.exec(response)?.[1] ?? "")
    : ""
}

/** How a background command ended. */
export interface TaskEnd {
  readonly exit: number
  readonly output: string
}

/** From the result of a call that asks for it. Undefined while it runs, and if it was killed. */
export const taskEnd = (response: unknown): TaskEnd | undefined => {
  if (typeof response === "string") return endIn(response)
  if (!isFields(response)) return undefined
  const task = isFields(response.task) ? response.task : response
  const exit = task.exitCode
  if (typeof exit !== "number" || task.status === "killed") return undefined
  const texts = [task.stdout, task.stderr, task.output].filter((text) => typeof text === "string" && text !== "")
  return { exit, output: texts.join("\n") }
}

const endIn = (text: string): TaskEnd | undefined => {
  const [head = "", ...outputs] = text.split(/<\/?(?:stdout|stderr|output)>/)
  const exit = /<exit_code>(-?\d+)<\/exit_code>/.exec(head)?.[1]
  if (exit === undefined || head.includes("<status>killed<")) return undefined
  return { exit: Number(exit), output: outputs.join("").trim() }
}

const notice = "<task-notification>"

/** Is the prompt a notice of the program, not the words of a person? */
export const isNotice = (prompt: string): boolean => prompt.startsWith(notice)

/** From a notice. Null if it names no exit code: the task was killed, or is no command. */
export const noticedEnd = (prompt: string): { readonly task: string; readonly exit: number } | null => {
  const [, task] = /<task-id>([\w-]+)<\/task-id>/.exec(prompt) ?? []
  const [, exit] =
    /<summary>Background command "[\s\S]*" (?:completed|failed) (?:\(|with )exit code (-?\d+)/.exec(prompt) ?? []
  return task === undefined || exit === undefined ? null : { task, exit: Number(exit) }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)
