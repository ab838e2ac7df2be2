/**
 * Reads a transcript of Claude Code. The vendor calls the format internal: unknown types of lines are
 * skipped, and lines that are no JSON are counted.
 *
 * Lines refer to the one before them. What a person rewound stays in the file, so only the chain that ends with the last line
 * counts; results of calls belong to it if their calls do, because parallel calls branch. The lines of subagents are in
 * files of their own, in older versions in the same file (`isSidechain`). A session that was forked, or resumed into a new file,
 * begins with copies of the lines: another session id, and the same uuids. A call that Claude Code rejected before it ran, because its
 * arguments were not valid for example, is left out: no hook is called for it either.
 */
import {
  type Fields,
  fieldsIn,
  linesOf,
  type NamedSession,
  type PastEvent,
  type PastSession,
  textIn,
  timeIn
} from "./transcript.ts"

export const namedByClaude = (line: Fields): NamedSession | null => {
  const [session, cwd] = [textIn(line, "sessionId"), textIn(line, "cwd")]
  return session === "" || cwd === "" ? null : { session, cwd }
}

/** `subagents`: the files of the session's subagents, by their ids. Null if no line names the session and its folder. */
export const claudeTranscript = (text: string, subagents: ReadonlyMap<string, string>): PastSession | null => {
  const { lines, unreadable } = linesOf(text)
  const named = lines.map(namedByClaude).find((each) => each !== null)
  if (named === undefined) return null
  const aside = lines.filter(({ isSidechain }) => isSidechain === true)
  const others = [...subagents].map(([id, file]) => ({ id, ...linesOf(file) }))
  const events = [
    ...eventsOf(chainOf(lines.filter(({ isSidechain }) => isSidechain !== true)), null),
    ...(aside.length === 0 ? [] : eventsOf(aside, "sidechain")),
    ...others.flatMap(({ id, lines }) => eventsOf(lines, id))
  ].toSorted((a, b) => a.at - b.at)
  const damaged = [lines, ...others.map(({ lines }) => lines)].flat().filter((line) => isTalk(line) && !isPlaced(line))
  return {
    ...named,
    events,
    unreadable: others.reduce((sum, other) => sum + other.unreadable, unreadable) + damaged.length
  }
}

const isPlaced = (line: Fields): boolean => timeIn(line) !== null && textIn(line, "uuid") !== ""

const isTalk = ({ type }: Fields): boolean => type === "user" || type === "assistant"

/** The lines from the first to the last one of the conversation, and the results of their calls. */
const chainOf = (lines: ReadonlyArray<Fields>): ReadonlyArray<Fields> => {
  const talk = lines.filter(isTalk)
  const before = new Map(talk.map((line, at) => [line, talk[at - 1]]))
  // Of a line that is there twice, the first one: copies may have lost the line before them.
  const byId = new Map<unknown, Fields>(lines.toReversed().map((line) => [textIn(line, "uuid") || line, line]))
  const chain = new Set<Fields>()
  let line = talk.at(-1)
  while (line !== undefined && !chain.has(line)) {
    chain.add(line)
    // After a compaction the chain begins anew.
    const parent = textIn(line, "parentUuid") || textIn(line, "logicalParentUuid")
    const isFirst = parent === "" && line.parentUuid === null
    // A damaged line leads to none: the one before it in the file is the nearest.
    line = isFirst ? undefined : (byId.get(parent) ?? before.get(line))
  }
  const calls = new Set(
    [...chain].flatMap((line) => blocksOf(line).flatMap((block) => (block.type === "tool_use" ? [block.id] : [])))
  )
  const answers = (line: Fields) => blocksOf(line).some((block) => calls.has(block.tool_use_id))
  return lines.filter((line) => chain.has(line) || answers(line))
}

const blocksOf = (line: Fields): ReadonlyArray<Fields> => {
  const { content } = fieldsIn(line, "message")
  return Array.isArray(content) ? content.filter((block) => typeof block === "object" && block !== null) : []
}

const eventsOf = (lines: ReadonlyArray<Fields>, agent: string | null): ReadonlyArray<PastEvent> => {
  const calls = new Map<unknown, Fields>()
  const own = agent === null ? {} : { agent_id: agent }
  const rejected = new Set(
    lines.flatMap((line) => blocksOf(line).flatMap((block) => (isRejection(block) ? [block.tool_use_id] : [])))
  )
  return lines.flatMap((line) => {
    const at = timeIn(line)
    const uuid = textIn(line, "uuid")
    if (at === null || uuid === "") return []
    const branch = textIn(line, "gitBranch") || null
    const event = (key: string, hook_event_name: string, more: Fields): PastEvent => ({
      key,
      at,
      branch,
      payload: { hook_event_name, ...own, ...more }
    })
    if (line.isCompactSummary === true || line.subtype === "compact_boundary")
      return line.type === "system" ? [event(uuid, "PreCompact", fieldsIn(line, "compactMetadata"))] : []
    if (line.type === "assistant") {
      const begun = blocksOf(line).flatMap((block) => {
        if (block.type !== "tool_use" || rejected.has(block.id)) return []
        const call = { tool_name: block.name, tool_input: block.input, tool_use_id: block.id }
        calls.set(block.id, call)
        return [event(`${uuid} ${String(block.id)} call`, "PreToolUse", call)]
      })
      const isLast = fieldsIn(line, "message").stop_reason === "end_turn"
      return [...begun, ...(isLast ? [event(`${uuid} stop`, agent === null ? "Stop" : "SubagentStop", {})] : [])]
    }
    if (line.type !== "user") return []
    const results = blocksOf(line).flatMap((block) => {
      const call = calls.get(block.tool_use_id)
      return call === undefined
        ? []
        : [event(`${uuid} ${String(block.tool_use_id)} result`, ...resultOf(call, block, line))]
    })
    const prompt = promptOf(line)
    return [...results, ...(prompt === "" || agent !== null ? [] : [event(uuid, "UserPromptSubmit", { prompt })])]
  })
}

const isRejection = ({ content, is_error }: Fields): boolean =>
  is_error === true && wordsOf(content).startsWith("<tool_use_error>")

/** A person or a setting refused the call before it ran, or nobody was there to allow it. */
const refused =
  /^(?:The user doesn't want to (?:proceed with|take) this (?:tool use|action)|Permission to use |Claude requested permissions? to |This command requires approval|This Bash command contains multiple operations\. The following parts? requires? approval)/

const resultOf = (call: Fields, block: Fields, line: Fields): [string, Fields] => {
  const text = wordsOf(block.content)
  if (block.is_error !== true) {
    const response = line.toolUseResult
    return [
      "PostToolUse",
      { ...call, tool_response: typeof response === "object" && response !== null ? response : text }
    ]
  }
  if (refused.test(text)) return ["PermissionDenied", call]
  const is_interrupt = text.startsWith("[Request interrupted by user")
  return ["PostToolUseFailure", { ...call, error: text, is_interrupt }]
}

const wordsOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .flatMap((block) => (typeof block?.text === "string" && block.type === "text" ? [block.text] : []))
    .join("\n")
}

/** What an IDE and the program put before the words of a person. */
const contextOfProgram = /^(?:\s*<(ide_\w+|system-reminder)>[\s\S]*?<\/\1>\s*)+/

/** What a person wrote; "" for lines that the program added. */
const promptOf = (line: Fields): string => {
  if (line.isMeta === true) return ""
  const text = wordsOf(fieldsIn(line, "message").content).replace(contextOfProgram, "")
  return /^(?:<(?:command|local-command|bash)|\[Request interrupted by user|Caveat: )/.test(text) ? "" : text
}
