/**
 * The signature of an error: the line that names it, with everything masked that differs between two occurrences of the same
 * error. Codes such as `TS2345`, `E0308` and `ENOENT` are kept. Source: seed 001 (task 2), reference warden §2.1.
 */
import type { ErrorSignature } from "./SessionView.ts"

/** Null if the message has no words. `family`: of the command that failed. */
export const errorSignature = (message: string, family: string | null): ErrorSignature | null => {
  const lines = message
    .replaceAll(escapeSequence, "")
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(?:exit code \d+|error: exit code \d+)$/i.test(line))
  const line = lines.find((each) => errorShape.test(each)) ?? lines[0]
  if (line === undefined) return null
  const masked = maskedLine(line).slice(0, longestSignature)
  return masked === "" ? null : { masked, trigger: triggerOf(line, message, family) }
}

/** Paths relative to the root, in the order in which the message names them; those of dependencies are left out. */
export const filesNamedIn = (message: string, root: string): ReadonlyArray<string> => {
  const files = message
    .replaceAll(escapeSequence, "")
    .split(/[^\w.@~/\\+-]+/)
    .flatMap((word) => {
      const path = word.startsWith(`${root}/`) ? word.slice(root.length + 1) : word.replace(/^\.\//, "")
      return sourceFile.test(path) && !notOfProject.test(path) ? [path] : []
    })
  return [...new Set(files)].slice(0, 5)
}

const sourceFile = /\w\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|swift|c|cc|cpp|h|php|exs?|css|json|ya?ml|toml|sh)$/
const notOfProject = /^(?:[/\\~]|\.\.)|(?:^|\/)(?:node_modules|site-packages|dist-packages|vendor)\//

const longestSignature = 160

const escapeSequence = /\u001b\[[0-9;?]*[ -/]*[@-~]/g

/** A line that names an error, rather than one that leads to it. */
const errorShape =
  /\b(?:error|fatal|panic(?:ked)?|exception|failed|failure|cannot|can't|could not|denied|not found|no such|undefined|unresolved|unexpected|invalid|missing|refused|E[A-Z]{3,})\b|\b\w+(?:Error|Exception)\b/i

const maskedLine = (line: string): string =>
  line
    .replaceAll(/(["'`‘’“”])(?:(?!\1).){1,200}?["'`‘’“”]/g, "<q>")
    .replaceAll(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, "<n>")
    .replaceAll(/(?:[A-Za-z]:)?(?:[\w.@~-]*[\\/])+[\w.@+-]*(?::\d+)*/g, "<path>")
    .replaceAll(
      /\b[\w-]+\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|swift|c|cc|cpp|h|php|exs?|css|json|ya?ml|toml|sh)\b(?:[:(]\d+[:,]?\d*\)?)?/g,
      "<path>"
    )
    .replaceAll(/\b0x[0-9a-f]+\b|\b[0-9a-f]{7,}\b(?=\W|$)/gi, (found) => (/\d/.test(found) ? "<n>" : found))
    .replaceAll(/(?<![A-Za-z0-9_])\d+(?:[.:]\d+)*(?:ms|s|m|h|%|[KMG]i?B)?\b/g, "<n>")
    .replaceAll(/\s+/g, " ")
    .trim()

const codes: ReadonlyArray<readonly [string, RegExp]> = [
  ["typescript", /\bTS\d{3,5}\b/],
  ["rust", /(?<=\berror\[)E\d{4}(?=\])/],
  ["csharp", /\bCS\d{4}\b/],
  [
    "system",
    /\bE(?:ACCES|ADDRINUSE|CONNREFUSED|CONNRESET|EXIST|INVAL|ISDIR|MFILE|NOENT|NOSPC|NOTDIR|NOTEMPTY|NOTFOUND|PERM|PIPE|ROFS|TIMEDOUT|XDEV)\b/
  ],
  ["java", /(?<=\b(?:java|javax|kotlin)\.[\w.]*)\b[A-Z]\w+(?:Exception|Error)\b/],
  ["npm", /(?<=npm (?:ERR!|error) code )E[A-Z]+/]
]
const ruleOfPython = /\b[A-Z]{1,4}\d{3,4}\b/
const ruleOfScript = /(?:@[\w-]+\/)?[a-z]+(?:-[a-z]+)+(?=\s*$)/
const namedError = /\b[A-Z]\w*(?:Error|Exception)\b/

const triggerOf = (line: string, message: string, family: string | null): string | null => {
  for (const [area, pattern] of codes) {
    const code = pattern.exec(line)?.[0]
    if (code !== undefined) return `error:${area}:${code}`
  }
  const program = family?.split(" ")[0] ?? ""
  if (/^(?:ruff|flake8|pylint|mypy)$/.test(program)) {
    const code = ruleOfPython.exec(line)?.[0]
    if (code !== undefined) return `error:${program}:${code}`
  }
  if (/^(?:eslint|oxlint)$/.test(program)) {
    const code = ruleOfScript.exec(line)?.[0]
    if (code !== undefined) return `error:${program}:${code}`
  }
  const name = namedError.exec(line)?.[0]
  if (name === undefined) return null
  const area = languageOf(name, message, program)
  return area === null ? `error:${name}` : `error:${area}:${name}`
}

/** The first that fits decides; each language by what only it writes, then by what it may share with others. */
const languages: ReadonlyArray<{
  readonly area: string
  readonly message?: RegExp
  readonly program?: RegExp
  readonly name?: RegExp
}> = [
  {
    area: "ruby",
    message: /\.rb:\d|undefined (?:local variable or )?method\b/,
    program: /^(?:ruby|rspec|rails|rake|minitest)$/
  },
  {
    area: "python",
    message: /Traceback \(most recent|File "[^"]*", line \d|^E {3}|\.py:\d/m,
    program: /^(?:python[\d.]*|pytest|uv|tox|nox|unittest|nosetests)$/
  },
  { area: "javascript", message: /\bat .*\.[cm]?[jt]sx?:\d+:\d+|\(node:internal/, program: /^(?:node|bun|deno)$/ },
  { area: "ruby", name: /^(?:NoMethod|Frozen|Load|UncaughtThrow)Error$/ },
  {
    area: "python",
    name: /^(?:Name|Attribute|Import|ModuleNotFound|Value|Key|Index|Indentation|Tab|UnboundLocal|FileNotFound|Permission|NotImplemented|Recursion|ZeroDivision|UnicodeDecode|UnicodeEncode)Error$/
  },
  { area: "javascript", name: /^(?:Reference|Range|URI|Aggregate)Error$/ },
  { area: "javascript", program: /^(?:npm|npx|pnpm|yarn|jest|vitest|mocha|ava|tsx|ts-node)$/ }
]

/** Null if nothing tells the language. */
const languageOf = (name: string, message: string, program: string): string | null =>
  languages.find(
    (each) =>
      each.message?.test(message) === true || each.program?.test(program) === true || each.name?.test(name) === true
  )?.area ?? null

/** The code without the language: `TS2345`, `NameError`. */
export const codeOf = (trigger: string): string | null =>
  trigger.startsWith("error:") ? trigger.slice(trigger.lastIndexOf(":") + 1) : null
