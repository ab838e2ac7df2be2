/** What somebody left behind after looking for a fault: breakpoints, and prints that say nothing. */

import { isTestFile } from "../../domain/change/TestFile.ts"
import type { LineRule, RuleFile } from "../../domain/finding/Rule.ts"
import { isMovedLine } from "../movedLine.ts"

/** A statement on its own that stops the program and waits for a debugger. */
const breakpoints = {
  py: /^\s*(?:breakpoint\(\)|(?:import i?pdb\s*;\s*)?(?:i?pdb|pudb|wdb|web_pdb)\.set_trace\(\)|import pudb\s*;.*)\s*(?:#.*)?$/,
  rb: /^\s*(?:binding\.(?:pry|irb|break|b)|byebug|debugger)(?:\s*(?:#.*|(?:if|unless)\s.*))?$/,
  ex: /^\s*(?:(?:require IEx\s*;\s*)?IEx\.(?:pry|break!)\b.*)$/,
  js: /^\s*debugger\s*;?\s*(?:\/\/.*)?$/
}

const breakpointRule = (
  language: keyof typeof breakpoints,
  stack: string,
  paths: RegExp,
  examples: LineRule["examples"]
): LineRule => ({
  _tag: "Line",
  id: `${language}/breakpoint-left`,
  stack,
  severity: "high",
  confidence: "HIGH",
  title: "A breakpoint is left in the code",
  why: "The program stops here: for everybody who has a debugger or an inspector attached, and in some runtimes for everybody.",
  fix: "Delete the line.",
  reference: "CWE-489",
  inTests: true,
  check: (text, line, file) =>
    text.length < 500 &&
    paths.test(file.path) &&
    breakpoints[language].test(text) &&
    !isOfferedAs(file, line) &&
    !isMovedLine(file, text),
  examples
})

/** The whole body of a function that is named for it, as in `debugger() { debugger }`: a breakpoint for others to call. */
const isOfferedAs = (file: RuleFile, line: number): boolean =>
  /\b(?:debugger|breakpoint|set_trace)\s*\([^()]*\)\s*(?:=>\s*)?[{:]\s*$/.test(file.head?.[line - 2] ?? "")

/** A print whose whole message is a word people type to see whether a line is reached. */
const noisyPrint =
  /^\s*(?:console\.(?:log|debug|info|warn|error)|print|println!?|eprintln!?|puts|p|pp|NSLog|fmt\.Print(?:ln|f)?|log\.Print(?:ln|f)?|System\.(?:out|err)\.println|IO\.puts|IO\.inspect|os\.Stderr\.WriteString)\s*[( ]\s*[@bf]?(["'`])\s*(?:here+|(?:got|i'?m|we are|reached) here|asdf+|qwe(?:rty)?|x{3,}|a{3,}|[!?]{3,}|>{3,}|debug(?:ging)?|wtf+|lol|foo|bar|test(?:ing)?(?: ?\d+)?|ping|hello|\d{1,4}|[>=*#-]+ ?(?:here|debug|test) ?[<=*#-]*)\s*[!.:]*\s*\1\s*\)?\s*;?\s*$/i

const isCode = (file: RuleFile): boolean =>
  !isTestFile(file.path) &&
  !/\.(?:md|livemd|rst|txt|adoc|ipynb)$/.test(file.path) &&
  !/(?:^|\/)(?:scripts?|bin|examples?|demos?|docs?|playground|__\w*fixtures__|bench(?:marks?)?)\//.test(file.path)

export const debugRules: ReadonlyArray<LineRule> = [
  breakpointRule("py", "python", /\.py$/, {
    path: "src/orders.py",
    bad: [
      "def total(items):\n    breakpoint()\n    return sum(items)\n",
      "import pdb; pdb.set_trace()\n",
      "    ipdb.set_trace()  # look here\n"
    ],
    good: ["# breakpoint()\n", "breakpoint = 5\n", "add_breakpoint()\n", 'run("pdb.set_trace()")\n']
  }),
  breakpointRule("js", "typescript", /\.(?:[cm]?[jt]sx?|vue|svelte)$/, {
    path: "src/cart.ts",
    bad: ["  debugger\n", "debugger;\n", "if (x) {\n  debugger // why?\n}\n"],
    good: [
      "// debugger\n",
      "const env = {\n  debugger() {\n    debugger;\n  }\n}\n",
      "attach(debugger_)\n",
      "const debugger_ = 1\n",
      "start('debugger')\n"
    ]
  }),
  breakpointRule("rb", "ruby", /\.(?:rb|rake|erb)$/, {
    path: "app/cart.rb",
    bad: ["  binding.pry\n", "byebug\n", "  binding.irb if items.empty?\n"],
    good: ["# binding.pry\n", "binding.local_variables\n", "gem 'byebug'\n", "pry = binding\n"]
  }),
  breakpointRule("ex", "elixir", /\.exs?$/, {
    path: "lib/shop/cart.ex",
    bad: ["    IEx.pry()\n", "    require IEx; IEx.pry\n", "    IEx.pry\n"],
    good: ["    # IEx.pry()\n", "    iex_pry()\n", '    "IEx.pry()"\n']
  }),
  {
    _tag: "Line",
    id: "debug/dbg-macro",
    stack: "rust",
    severity: "medium",
    confidence: "HIGH",
    title: "A dbg! call is left in the code",
    why: "The macro prints to standard error on every call; its own documentation says not to check it in.",
    fix: "Delete the macro and keep the expression in it, or log through the crate's logger.",
    reference: "https://doc.rust-lang.org/std/macro.dbg.html",
    inTests: false,
    check: (text, line, file) =>
      file.path.endsWith(".rs") &&
      /(?:^|[\s(=,{])dbg!\(/.test(text) &&
      !/^\s*\/\/|["'].*dbg!\(/.test(text) &&
      !isBelowRustTests(file, line) &&
      !isAskedFor(file, line) &&
      !/(?:^|\/)test\w*\.rs$/.test(file.path) &&
      isCode(file) &&
      !isMovedLine(file, text),
    examples: {
      path: "src/parse.rs",
      bad: ["fn f(x: u8) -> u8 {\n    dbg!(x)\n}\n", "let n = dbg!(n * 2) + 1;\n", "    g(dbg!(h()));\n"],
      good: [
        "// dbg!(x)\n",
        "/// Like `dbg!(x)`.\n",
        'println!("use dbg!(x)");\n',
        "#[cfg(test)]\nmod tests {\n    fn t() { dbg!(1); }\n}\n",
        "my_dbg!(x);\n",
        "fn f(x: u8) {\n    if debugging {\n        let found = 1;\n        dbg!(found, x);\n    }\n}\n"
      ]
    }
  },
  {
    _tag: "Line",
    id: "debug/inspect",
    stack: "elixir",
    severity: "low",
    confidence: "MEDIUM",
    title: "A debugging inspect is left in the code",
    why: "It prints to standard output on every call, past the logger and its levels, and may show user data.",
    fix: "Delete the call, or use Logger with a level.",
    reference: "https://hexdocs.pm/elixir/debugging.html",
    inTests: false,
    check: (text, _line, file) =>
      (/^\s*(?:\|>\s*)?IO\.inspect\(/.test(text) ||
        /^\s*\|>\s*dbg\(\)/.test(text) ||
        /^\s*dbg\(\w*\)\s*$/.test(text)) &&
      /\.ex$/.test(file.path) &&
      !/(?:^|\/)(?:mix\/tasks|priv)\//.test(file.path) &&
      !/:stderr|device/.test(text) &&
      isCode(file) &&
      !isMovedLine(file, text),
    examples: {
      path: "lib/shop/cart.ex",
      bad: ['    |> IO.inspect(label: "items")\n', "    IO.inspect(conn)\n", "    items\n    |> dbg()\n"],
      good: [
        "    # IO.inspect(conn)\n",
        "    inspect(conn)\n",
        "    Logger.debug(inspect(conn))\n",
        "    IO.inspect(:stderr, error, [])\n"
      ]
    }
  },
  {
    _tag: "Line",
    id: "debug/noise-print",
    stack: "generic",
    severity: "low",
    confidence: "HIGH",
    title: "A debugging print is left in the code",
    why: "The message says nothing to a user or an operator; it was written to see whether the line is reached.",
    fix: "Delete the line.",
    reference: "CWE-489",
    inTests: false,
    check: (text, _line, file) =>
      text.length < 200 && noisyPrint.test(text) && isCode(file) && !isMovedLine(file, text),
    examples: {
      path: "src/cart.ts",
      bad: [
        'console.log("here")\n',
        "  console.log('>>>');\n",
        'console.log("got here!")\n',
        "console.log('test 2')\n"
      ],
      good: [
        'console.log("server listening")\n',
        'console.log("here", value)\n',
        'logger.info("here")\n',
        '// console.log("here")\n',
        "console.log(`here ${x}`)\n",
        'console.log("--------")\n',
        'console.log("=====")\n'
      ]
    }
  },
  {
    _tag: "Line",
    id: "debug/console-in-component",
    stack: "react",
    severity: "low",
    confidence: "MEDIUM",
    title: "A console.log is left in a component",
    why: "It runs on every render in every user's browser, and keeps what it logs alive for the length of the session.",
    fix: "Delete the line.",
    reference: "https://developer.mozilla.org/docs/Web/API/console/log_static",
    inTests: false,
    check: (text, _line, file) =>
      /\.[jt]sx$/.test(file.path) &&
      /^\s*console\.log\(/.test(text) &&
      // Under a tag of its own it is a log that somebody keeps.
      !/^\s*console\.log\(\s*["'`]\[/.test(text) &&
      // The rule above says more of such a line.
      !noisyPrint.test(text) &&
      isCode(file) &&
      !/logg(?:er|ing)/i.test(file.path) &&
      !isMovedLine(file, text),
    examples: {
      path: "src/Cart.tsx",
      bad: ["  console.log(props)\n", "    console.log('cart', items);\n", "  console.log({ items })\n"],
      good: [
        "  // console.log(props)\n",
        "  console.log('here')\n",
        "  console.error(error)\n",
        "  onClick={() => console.log('x')}\n",
        "  log(props)\n",
        "  console.log('[Cart] loaded', items)\n"
      ]
    }
  }
]

/** Under a condition by which the user asks for it, as in `if debugging {`. */
const isAskedFor = (file: RuleFile, line: number): boolean => {
  const indent = (text: string) => text.length - text.trimStart().length
  const own = indent(file.head?.[line - 1] ?? "")
  for (let at = line - 2; at >= Math.max(0, line - 10); at--) {
    const text = file.head?.[at] ?? ""
    if (text.trim() !== "" && indent(text) < own) return /\bif\b.*(?:debug|verbose|trace)/i.test(text)
  }
  return false
}

/** Is the line inside a Rust file's test module? The convention puts it last in the file. */
const isBelowRustTests = (file: RuleFile, line: number): boolean =>
  file.head?.slice(0, line).some((text) => text.startsWith("#[cfg(test)]")) === true
