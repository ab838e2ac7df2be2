/**
 * The signature of an error: the line that names its cause, with everything masked that differs between two occurrences of the same
 * error. Headings, summaries, progress, tests that pass and lines of code are no causes. Codes such as `TS2345`, `E0308` and `ENOENT` are kept.
 */
import type { ErrorSignature } from "./SessionView.ts"

/** Null if the message has no words. `family`: of the command that failed. */
export const errorSignature = (message: string, family: string | null): ErrorSignature | null => {
  const lines = message
    .replaceAll(escapeSequence, "")
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^\[ERROR\]\s+/, ""))
    .filter((line) => line !== "" && !/^(?:exit code \d+|error: exit code \d+)$/i.test(line))
  const line = causeIn(lines)
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

/** The first line of the most telling shape that any line has. Undefined without lines. */
const causeIn = (lines: ReadonlyArray<string>): string | undefined => {
  const telling = lines.filter((line) => !isAside.test(line))
  for (const shape of [cause, place, errorWord]) {
    const at = telling.findIndex((line) => shape.test(line))
    // Rust has the message of a panic on the next line.
    if (at >= 0) return (/ panicked at \S+:$/.test(telling[at]!) ? telling[at + 1] : undefined) ?? telling[at]
  }
  return telling[0] ?? lines.find((line) => errorWord.test(line)) ?? lines[0]
}

const anyOf = (...patterns: ReadonlyArray<RegExp>): RegExp => new RegExp(patterns.map(({ source }) => source).join("|"))

/** What surrounds an error. */
const isAside = anyOf(
  // Rulers and headings between them.
  /^[=_*#~!⎯─-]{3,}/,
  // Echoed commands, marked lines of code, differences, notes.
  /^(?:[>$+] |\d+ \||[|^~]|\* |\w*[Ww]arn(?:ing)?\b|WARN(?:ING)?\b|\[(?:INFO|WARNING)\]|[Nn]ote:|[Hh]int:)/,
  // Tests that pass, and progress.
  /^(?:✓|✔|√|ok\b|PASS\b|\(pass\)|RUN\b|(?:---|===) (?:PASS|RUN|CONT|PAUSE)|test .* \.\.\. ok$)/,
  /^(?:Compiling|Building|Checking|Running|Finished|Downloading|Downloaded|Installing|Collecting|cc|gcc|g\+\+|clang|platform|rootdir:|plugins:|collected) /,
  /^make(?:\[\d+\])?: (?:Entering|Leaving) directory/,
  // Which tests failed, how many, and that something failed.
  /^(?:FAIL(?:ED|URE)?\b|\(fail\)|--- FAIL|[×✗❯●]|test .* \.\.\. FAILED$|COMPILATION ERROR|BUILD FAIL|\S+ > .* FAILED$)/,
  /^(?:Tests?(?: Suites| Files| run)?:?\s|Found \d+ errors?\b|\d+ (?:tests?|examples?|errors?|problems?|pass(?:ed|ing)?|fail(?:ed|ing|ures?)?)\b|✖ \d+ problems?)/,
  /^(?:error: (?:aborting due to|could not compile|test failed|script ".*" exited)|Failed to execute goal|npm (?:ERR!|error) Lifecycle|make(?:\[\d+\])?: \*\*\* .* Error \d+$)/
)

/** An exception, a diagnostic of a compiler or linter, a failed expectation, or why a program could not run. */
const cause = anyOf(
  /^(?:Uncaught |Caused by: )?(?:[\w$]+\.)*\w*(?:Error|Exception)(?: \[\w+\])?(?:: | at |$)/,
  /(?:^|[:\s-])(?:[Ff]atal )?(?:error|ERROR|Error)(?:\[\w+\]| [A-Z]+\d+)?: \S/,
  /^\d+:\d+ +error /,
  /^(?:fatal|panic): | panicked at |^Failure\/Error: |^expect\((?:received|jest\.fn\(\))\)|^E {2,}\S/,
  /^npm (?:ERR!|error) code E/,
  /: not found$|command not found|No such file or directory|[Pp]ermission denied|Connection refused|No rule to make target|\bE[A-Z]{4,}:/
)

/** A message with the line of a file. */
const place = /^\S+\.\w+:(?:\d+(?::\d+)?:|\[\d+,\d+\]) (?!\w*[Ww]arning)\S/

/** Words of an error, in any line. */
const errorWord =
  /\b(?:error|fatal|panic(?:ked)?|exception|failed|failure|cannot|can't|could not|denied|not found|no such|undefined|unresolved|unexpected|invalid|missing|refused)\b/i

/** With a date, as ISO 8601, web servers and syslog write it. */
const timestamp =
  /\b\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z\b|[+-]\d\d:?\d\d))?)?|\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2}|\d\d[ /](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ /]\d{4}),?[ :]\d\d:\d\d:\d\d(?:\.\d+)?(?: (?:GMT|UTC|[+-]\d{4}))?(?: \d{4}\b)?/g

const maskedLine = (line: string): string =>
  line
    .replace(/^E {2,}/, "")
    .replaceAll(timestamp, "<n>")
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
  if (/^(?:eslint|oxlint)$/.test(program) || /^\d+:\d+ +error /.test(line)) {
    const code = ruleOfScript.exec(line)?.[0]
    if (code !== undefined) return `error:${program === "oxlint" ? program : "eslint"}:${code}`
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
