/**
 * The checks of the rules about GitHub Actions workflows: foreign text that reaches a shell, and permissions for foreign
 * code.
 *
 * They read lines and indentation, because a claim needs a line, which a parsed document does not have.
 */
import { matchOf, type Range, type RuleFile } from "../../domain/finding/Rule.ts"
import type { ChangeChecks, LineChecks } from "../page/Checks.ts"

const isWorkflow = (path: string): boolean => /(?:^|\/)\.github\/workflows\/[^/]+\.ya?ml$/.test(path)

const isAction = (path: string): boolean => isWorkflow(path) || /(?:^|\/)action\.ya?ml$/.test(path)

const isComment = (text: string): boolean => /^\s*#/.test(text)

const indentOf = (text: string): number => text.length - text.trimStart().length

/** The maximum number of lines above a line that are searched for the key of its block. */
const longestScript = 300

/** Is the line part of the value of one of these keys: on the line of the key, or in the block below it? */
const isUnder = (keys: RegExp, text: string, line: number, file: RuleFile): boolean => {
  if (keys.test(text)) return true
  let depth = indentOf(text)
  for (let at = line - 1; at >= Math.max(1, line - longestScript); at--) {
    const above = file.head?.[at - 1]
    if (above === undefined) return false
    if (above.trim() === "" || indentOf(above) >= depth) continue
    if (/^\s*(?:- )?[\w-]+:\s*[|>][+-]?\d?\s*(?:#.*)?$/.test(above)) return keys.test(above)
    depth = indentOf(above)
  }
  return false
}

const runKey = /^\s*(?:- )?(?:run|script):/

/** Values that the author of an issue, a pull request or a branch can choose. */
const chosenByOthers =
  /\$\{\{[^}]{0,200}\bgithub\.(?:head_ref\b|event\.(?:(?:issue|pull_request|discussion)\.(?:title|body)\b|(?:comment|review|review_comment)\.body\b|pull_request\.head\.(?:ref|label|repo\.default_branch)\b|head_commit\.(?:message|author\.(?:email|name))\b|workflow_run\.(?:head_branch|head_commit\.message|pull_requests)\b|pages\b[^}]{0,40}page_name\b))/

const headOfPullRequest =
  /^\s*(?:ref|repository):.*\$\{\{[^}]{0,200}(?:github\.event\.pull_request\.head\.(?:sha|ref|repo\.full_name)|github\.head_ref|github\.event\.pull_request\.merge_commit_sha)|^\s*ref:\s*["']?refs\/pull\//

/** Is the line an argument of an action that checks out code? Others only read the state of the commit. */
const isCheckout = ({ head }: RuleFile, at: number): boolean => {
  const used = head?.slice(0, at + 1).findLast((text) => /^\s*(?:- )?uses:/.test(text))
  return used === undefined || /check-?out/i.test(used)
}

/** The rest of a workflow step: the lines of the same list item, from a line on. */
const restOfStep = (line: number, file: RuleFile): ReadonlyArray<string> => {
  const rest: Array<string> = []
  for (const text of file.head?.slice(line, line + 40) ?? []) {
    if (/^\s*- /.test(text) || /^\s{0,4}\S/.test(text)) break
    rest.push(text)
  }
  return rest
}

/** Does the next line begin with a pipe or a redirection? */
const continuesInto = (next: string | undefined): boolean => next !== undefined && /^\s*[|>]/.test(next)

export const lineChecks: LineChecks = {
  "script-injection": (text, line, file) => {
    const found = isAction(file.path) && !isComment(text) ? chosenByOthers.exec(text) : null
    return found !== null && isUnder(runKey, text, line, file) && expressionAt(line, found.index, text)
  },
  "secret-to-moving-action": (text, line, file) => {
    if (!isAction(file.path)) return false
    const used =
      /^\s*(?:- )?uses:\s*["']?([\w.-]+)\/([\w./-]+)@(?:main|master|develop|dev|HEAD|trunk)["']?\s*(?:#.*)?$/.exec(text)
    // GitHub's own actions are trusted.
    if (used === null || ["actions", "github"].includes(used[1]!)) return false
    if (!restOfStep(line, file).some((below) => /\$\{\{\s*secrets\.(?!GITHUB_TOKEN\b)/.test(below))) return false
    const action = /[\w.-]+\/[\w./-]+@\w+/.exec(text)
    return action === null || matchOf(line, action)
  },
  "secret-printed": (text, line, file) => {
    const isPrinted =
      isAction(file.path) &&
      /\b(?:echo|printf|cat\s+<<<)\b[^|>]*\$\{\{\s*secrets\.(?!GITHUB_TOKEN\b)\w+\s*\}\}[^|>]*$/.test(text) &&
      !/add-mask|\$GITHUB_ENV/.test(text) &&
      !continuesInto(file.head?.[line]) &&
      !isComment(text) &&
      isUnder(runKey, text, line, file)
    return isPrinted && expressionAt(line, text.search(/\$\{\{\s*secrets\.(?!GITHUB_TOKEN\b)/), text)
  }
}

/** The expression `${{ ... }}` that begins at this index. */
const expressionAt = (line: number, start: number, text: string): Range => {
  const end = text.indexOf("}}", start)
  return { line, column: start + 1, endColumn: end < 0 ? text.trimEnd().length + 1 : end + 3 }
}

export const changeChecks: ChangeChecks = {
  "pull-request-target-checkout": ({ files }) =>
    files.flatMap((file) => {
      if (!isWorkflow(file.path) || file.head === null) return []
      const trigger = file.head.findIndex((text) => /\bpull_request_target\b/.test(text) && !isComment(text)) + 1
      const checkout = file.head.findIndex((text, at) => headOfPullRequest.test(text) && isCheckout(file, at)) + 1
      if (trigger === 0 || checkout === 0) return []
      const text = file.head[checkout - 1] ?? ""
      const expression = text.indexOf("${{")
      const range = expression < 0 ? matchOf(checkout, /\S.*/.exec(text)!) : expressionAt(checkout, expression, text)
      if (file.isAdded(checkout)) return [{ path: file.path, ...range }]
      return file.isAdded(trigger) ? [{ path: file.path, line: trigger }] : []
    })
}
