/**
 * The checks of the rules about prompt injection: text that instructs reviewers and models, and invisible text.
 *
 * Only prose is checked: comments of code, and documents outside of quotes and code blocks. Text about such attacks usually
 * quotes them.
 */
import { matchOf, type RuleFile } from "../../domain/finding/Rule.ts"
import type { LineChecks } from "../page/Checks.ts"
import { isReadAsCode } from "../text/checks.ts"

const prose =
  /\.(?:mdx?|markdown|txt|rst|adoc|html?|org|tex)$|(?:^|\/)(?:README|CHANGELOG|CONTRIBUTING|NOTICE|LICENSE)$/i

const code =
  /\.(?:py|pyi|[cm]?[jt]sx?|go|rs|exs?|swift|java|kts?|rb|rake|c|h|cc|cpp|hpp|cs|php|scala|lua|sh|bash|zsh|ps1|sql|vue|svelte|ya?ml|toml|gradle|tf|mk|css|scss)$|(?:^|\/)(?:Dockerfile|Makefile|Gemfile|Rakefile)$/i

/** Notes for agents contain instructions by design; dd reads them from the base side and as data. */
const notesForAgents =
  /(?:^|\/)(?:AGENTS|CLAUDE|GEMINI|REVIEW|BUGBOT|SKILL|copilot-instructions)\.md$|\.(?:instructions\.md|mdc)$|(?:^|\/)\.(?:cursorrules|windsurfrules)$|(?:^|\/)(?:\.cursor|\.claude|\.github\/(?:instructions|prompts)|prompts?|agents|skills)\//i

/** Notes that every agent reads: they may give instructions, but have no reason to override those of others. */
const notesForEveryAgent =
  /(?:^|\/)(?:AGENTS|CLAUDE|GEMINI|REVIEW|BUGBOT|copilot-instructions)\.md$|(?:^|\/)\.(?:cursorrules|windsurfrules)$/i

/** Variants of "ignore all previous instructions". */
const override =
  /\b(?:ignore|disregard|forget|override)\s+(?:everything\s+(?:above|before)|(?:(?:all|any|every|each|of|the|these|those|your|my)\s+){0,4}(?:previous|prior|above|earlier|preceding|foregoing|existing|original|current|system)\s+(?:\w+\s+){0,2}(?:instructions?|prompts?|directives|orders))\b|\ball\s+(?:previous|prior|above|earlier)\s+(?:instructions|prompts|rules)\s+(?:are|is)\s+(?:void|cancell?ed|superseded|revoked|obsolete)\b/i

/** Without one of these words it may be for people ("on Windows, ignore the previous instructions"). */
const insists = /\b(?:all|any|every|your|my|system)\b/i

const machine =
  /\b(?:(?:AI|LLM|GPT|A\.I\.|automated|automatic|machine|ML|language[- ]model|Claude|Codex|Copilot|Gemini|CodeRabbit|ChatGPT|daydream)(?:[- ](?:based|powered|assisted|driven))?(?:[- ](?:code|PR|MR|pull[- ]request|merge[- ]request|security|static))*[- ](?:review(?:er|ers|s|ing)?|agents?|assistants?|models?|scanners?|analy[sz]ers?|bots?|tools?)|(?:code[- ])?review(?:er)?[- ](?:bots?|agents?|models?|AI)|(?:AI|LLM)s|(?:AI|LLM|Claude|Codex|Copilot|ChatGPT|Gemini)(?=\s*[:,]))\b/i

const order =
  /\b(?:(?:do\s+not|don['’]t|(?<=[:,]\s{0,3})(?:please\s+)?(?=skip|ignore|approve)|must\s+not|should\s+not|shouldn['’]t|never|need\s+not|please\s+(?:do\s+not|skip|ignore)|refrain\s+from|(?:can|may)\s+(?:skip|ignore)|are\s+(?:told|instructed|required|asked)\s+to)\s*(?:\w+\s+){0,2}?(?:report|flag|mention|raise|comment|review|warn|analy[sz]e|complain|criticise|criticize|approve|skip|ignore|pass|mark)(?:ing)?|(?:must|should|please|shall)\s+(?:\w+\s+){0,2}?(?:approve|pass|accept|lgtm)|(?:report|return|output|answer|respond\s+with)\s+(?:no|zero|an\s+empty)\s+(?:list\s+of\s+)?(?:issues?|findings?|problems?|vulnerabilit(?:y|ies)|comments?)|(?:treat|consider|mark)\s+(?:this|it|these|the)\s+(?:\w+\s+){0,4}?(?:as\s+)?(?:safe|approved|reviewed|clean|secure|a\s+false\s+positive))\b/i

/** The start of a turn in chat formats and of agents. */
const turn =
  /<\|im_start\|>\s*(?:system|user|assistant)|<\|(?:system|user|assistant)\|>|<\/?system-reminder>|\[\/?INST\]|<<\/?SYS>>|<(?:tool_result|function_results|function_calls|antml:[a-z_]+)>/i

const demand =
  /\b(?:ignore|approve|do not|don['’]t|you (?:are|must|will|should)|report|flag|findings?|issues?|instructions?)\b/i

const longestRead = 1_000

const mayOrder =
  /ignore|disregard|forget|override|instructions|prompts|\bAI\b|\bLLM|GPT|automat|Claude|Codex|Copilot|Gemini|CodeRabbit|daydream|review|model|machine|<\||INST\]|SYS>>|system-reminder|<(?:tool_|function_|antml)/i

/** The prose on a line, or null: the text of a comment, or of a document outside of code blocks. */
const spoken = (text: string, line: number, file: RuleFile): string | null => {
  if (prose.test(file.path)) return isInCodeBlock(line, file) ? null : text
  if (!code.test(file.path)) return null
  const trimmed = text.trim()
  if (/^(?:\/\/|#(?![![])|--(?!\w)|\*|\/\*|<!--|;;|%%|"""|''')/.test(trimmed)) return trimmed
  const behind = /(?:^|\s)(?:\/\/|#|--|\/\*|<!--)\s(.*)$/.exec(text)
  return behind?.[1] ?? null
}

const isInCodeBlock = (line: number, { head }: RuleFile): boolean => {
  let open = false
  for (const each of head?.slice(0, line - 1) ?? []) if (/^\s*(?:```|~~~)/.test(each)) open = !open
  return open
}

const overrideIn = (words: string): string | null => {
  const found = override.exec(words)
  return found !== null && insists.test(found[0]) && !isQuoted(words, found.index) ? found[0] : null
}

const orderIn = (words: string): string | null => {
  const overriding = overrideIn(words)
  if (overriding !== null) return overriding
  const to = machine.exec(words)
  if (to !== null && !isQuoted(words, to.index)) {
    const told = order.exec(words)
    // The text addresses the model, and an instruction follows shortly after.
    if (told !== null && told.index > to.index && told.index - to.index - to[0].length < 60) {
      return words.slice(to.index, told.index + told[0].length)
    }
  }
  const began = turn.exec(words)
  return began !== null && !isQuoted(words, began.index) && demand.test(words.slice(began.index + began[0].length))
    ? words.slice(began.index, began.index + 120).trim()
    : null
}

/** Is it between quotes or backticks? */
const isQuoted = (text: string, at: number): boolean => {
  const [before, behind] = [text.slice(0, at), text.slice(at)]
  const isBetween = (mark: string) => before.split(mark).length % 2 === 0 && behind.includes(mark)
  if (isBetween('"') || isBetween("`")) return true
  return before.lastIndexOf("“") > before.lastIndexOf("”") && behind.includes("”")
}

const hiddenRun = /[\u{e0020}-\u{e007e}]{4,}/u

/** The text of a run of tag characters; null for the region of a flag. */
const hiddenWords = (text: string): string | null => {
  for (const { 0: run, index } of text.matchAll(/[\u{e0020}-\u{e007e}]{4,}/gu)) {
    if (/🏴$/u.test(text.slice(0, index)) && run.length <= 2 * 6) continue
    return [...run].map((char) => String.fromCharCode((char.codePointAt(0) ?? 0) - 0xe0000)).join("")
  }
  return null
}

export const lineChecks: LineChecks = {
  instruction: (text, line, file) => {
    // The fast check first: almost no line addresses a model.
    if (text.length > longestRead || !mayOrder.test(text)) return false
    const isNote = notesForAgents.test(file.path)
    if (isNote && !notesForEveryAgent.test(file.path)) return false
    const words = isNote && !prose.test(file.path) ? text : spoken(text, line, file)
    const found = words === null ? null : isNote ? overrideIn(words) : orderIn(words)
    if (found === null) return false
    const column = text.indexOf(found) + 1
    const columns = column === 0 ? {} : { column, endColumn: column + found.length }
    return { line, ...columns, description: `The text is: “${found}”.` }
  },
  "hidden-text": (text, line, file) => {
    // In code, another rule reports every such character.
    const run = isReadAsCode(file) ? null : hiddenRun.exec(text)
    const words = run === null ? null : hiddenWords(text)
    if (run === null || words === null) return false
    return { ...matchOf(line, run), description: `The hidden text is: “${words.slice(0, 120)}”.` }
  }
}
