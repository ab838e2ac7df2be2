/** What compiles and then fails, or never ends, at run time: leaks, panics and captures that one function shows. */

import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { linesOf, type SyntaxRule } from "../domain/finding/Rule.ts"
import { enclosing, parts, squeezed, within } from "../languages/tree.ts"
import { go, listOf, memberOf } from "./go/goTree.ts"
import { nodeRules } from "./nodeRule.ts"
import { identifiers, script } from "./script/scriptTree.ts"

const goFunctions = ["function_declaration", "method_declaration", "func_literal"]

/** Is the file only read from or written to here, and never handed on, kept or closed? */
const staysOpen = (word: SyntaxNode): boolean => {
  const member = word.parent
  if (member?.type !== "selector_expression" || member.childForFieldName("operand")?.id !== word.id) return false
  return /^(Read|ReadAt|ReadString|Write|WriteString|WriteAt|Stat|Seek|Name|Sync|Next|Scan|Columns|Err|Fd)$/.test(
    member.childForFieldName("field")?.text ?? ""
  )
}

const goFileNotClosed = go({
  id: "go/file-or-rows-not-closed",
  severity: "medium",
  confidence: "HIGH",
  title: "What is opened here is never closed",
  why: "Each call keeps a file descriptor or a database connection; under load the process runs out of them.",
  fix: "After the error check: `defer f.Close()`.",
  reference: "CWE-772",
  keywords: ["os.Open", "os.Create", ".Query(", ".QueryContext(", ".Queryx("],
  query: "(short_var_declaration) @claim",
  check: (claim) => {
    const [opened] = listOf(claim, "left")
    const [call] = listOf(claim, "right")
    if (opened?.type !== "identifier" || opened.text === "_" || call === undefined) return false
    const called = memberOf(call)
    const isRows = /(?:^|\.)(?:db|tx|conn|DB|Tx)\.(?:Query|QueryContext|Queryx)$/.test(called)
    if (!/^os\.(?:Open|OpenFile|Create)$/.test(called) && !isRows) return false
    const owner = enclosing(claim, goFunctions)
    const uses = (owner?.descendantsOfType("identifier") ?? []).filter(
      (word) => word.text === opened.text && word.id !== opened.id
    )
    // `for rows.Next()` to its end closes them; only a way out in the middle leaves them open.
    if (isRows && uses.some((word) => word.parent?.text === `${opened.text}.Next`)) return false
    return uses.length > 0 && uses.every(staysOpen)
  },
  inTests: false,
  examples: {
    bad: [
      "package p\n\nfunc size(p string) (int64, error) {\n\tf, err := os.Open(p)\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\tinfo, err := f.Stat()\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\treturn info.Size(), nil\n}\n",
      'package p\n\nfunc f(p string) error {\n\tout, err := os.Create(p)\n\tif err != nil {\n\t\treturn err\n\t}\n\t_, err = out.WriteString("x")\n\treturn err\n}\n',
      'package p\n\nfunc f(db *sql.DB) ([]string, error) {\n\trows, err := db.Query("select 1")\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\treturn rows.Columns()\n}\n'
    ],
    good: [
      "package p\n\nfunc f(p string) error {\n\tf, err := os.Open(p)\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer f.Close()\n\t_, err = f.Stat()\n\treturn err\n}\n",
      "package p\n\nfunc f(p string) (*os.File, error) {\n\tf, err := os.Open(p)\n\treturn f, err\n}\n",
      "package p\n\nfunc f(p string) error {\n\tf, err := os.Open(p)\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn parse(f)\n}\n",
      'package p\n\nfunc f(db *sql.DB) {\n\trows, _ := db.Query("select 1")\n\tfor rows.Next() {\n\t\trows.Scan(&x)\n\t}\n}\n'
    ]
  }
})

const goErrorAssertion = go({
  id: "go/error-type-assertion",
  severity: "high",
  confidence: "HIGH",
  title: "This type assertion panics on any other error",
  why: "An error may be of another type or wrapped in one; without the second result the assertion stops the program.",
  fix: "Use errors.As, or take the second result: `e, ok := err.(*T)`.",
  reference: "https://go.dev/ref/spec#Type_assertions",
  keywords: ["err.("],
  query: "(type_assertion_expression) @claim",
  check: (claim) => {
    if (claim.childForFieldName("operand")?.text !== "err") return false
    const list = claim.parent
    const statement = list?.type === "expression_list" ? list.parent : list
    const targets = statement === null || statement === undefined ? [] : listOf(statement, "left")
    if (targets.length === 2 || statement?.type === "var_spec") return false
    const owner = enclosing(claim, goFunctions)
    const before = owner?.text.slice(0, claim.startIndex - owner.startIndex) ?? ""
    // Asked before, here or by a switch on the type.
    return !/errors\.As\(|err\.\(|switch\b.*\btype\)|reflect\.TypeOf\(err\)/.test(before)
  },
  inTests: false,
  examples: {
    bad: [
      "package p\n\nfunc f() int {\n\terr := g()\n\treturn err.(*exec.ExitError).ExitCode()\n}\n",
      "package p\n\nfunc f() {\n\tif err := g(); err != nil {\n\t\te := err.(*MyError)\n\t\tuse(e)\n\t}\n}\n",
      "package p\n\nfunc f(err error) {\n\tlog(err.(net.Error).Timeout())\n}\n"
    ],
    good: [
      "package p\n\nfunc f(err error) {\n\tif e, ok := err.(*MyError); ok {\n\t\tuse(e)\n\t}\n}\n",
      "package p\n\nfunc f(err error) {\n\tvar e *MyError\n\tif errors.As(err, &e) {\n\t\tuse(e)\n\t}\n}\n",
      "package p\n\nfunc f(err error) {\n\tswitch e := err.(type) {\n\tcase *MyError:\n\t\tuse(e)\n\t}\n}\n"
    ]
  }
})

/** Calls whose outcome the outside world decides. */
const fromOutside =
  /(?:^|\b)(?:(?:std::)?env::var(?:_os)?|(?:std::)?fs::\w+|(?:tokio::)?fs::\w+|(?:fs::)?File::(?:open|create)|serde_json::from_\w+|toml::from_str|serde_yaml::from_\w+|(?:Tcp|Udp|Unix)\w*::(?:connect|bind)|reqwest::(?:blocking::)?get|Url::parse)(?:::<[^()]*>)?\([^;]*\)(?:\.await)?\.unwrap\(\)$/

const rustUnwrap = nodeRules({ stack: "rust", grammars: ["rust"] })({
  id: "rust/unwrap-of-outside-input",
  severity: "medium",
  confidence: "HIGH",
  title: "This panics on input that the function could report",
  why: "A missing file, a variable that is not set or a malformed document ends the thread, though the function can return the error.",
  fix: "Use `?`, with a context where the error alone does not say enough.",
  reference: "https://doc.rust-lang.org/book/ch09-03-to-panic-or-not-to-panic.html",
  keywords: [".unwrap()"],
  query: "(call_expression) @claim",
  check: (claim, file) => {
    const text = claim.endIndex - claim.startIndex > 300 ? "" : squeezed(claim)
    if (!text.endsWith(".unwrap()") || !fromOutside.test(text) || /^include_|"\{/.test(text)) return false
    const owner = enclosing(claim, ["function_item", "closure_expression", "async_block"])
    if (owner?.type !== "function_item" || /(^|\/)(build|main)\.rs$|(^|\/)(tests?|benches|examples)\//.test(file.path))
      return false
    if (!/\bResult\b/.test(owner.childForFieldName("return_type")?.text ?? "")) return false
    return !isTestCode(claim) && { ...linesOf(claim) }
  },
  inTests: false,
  examples: {
    bad: [
      "fn load(p: &Path) -> Result<Config, Error> {\n    let text = fs::read_to_string(p).unwrap();\n    parse(&text)\n}\n",
      'fn key() -> anyhow::Result<Key> {\n    let key = std::env::var("KEY").unwrap();\n    Key::new(&key)\n}\n',
      "fn read(text: &str) -> Result<Config, Error> {\n    let c: Config = serde_json::from_str(text).unwrap();\n    c.check()\n}\n"
    ],
    good: [
      "fn load(p: &Path) -> Result<Config, Error> {\n    let text = fs::read_to_string(p)?;\n    parse(&text)\n}\n",
      "fn load(p: &Path) -> Config {\n    let text = fs::read_to_string(p).unwrap();\n    parse(&text)\n}\n",
      "fn f(&self) -> Result<(), Error> {\n    let guard = self.m.lock().unwrap();\n    guard.check()\n}\n",
      '#[cfg(test)]\nmod tests {\n    fn load() -> Result<(), Error> {\n        let t = fs::read_to_string("a").unwrap();\n        check(t)\n    }\n}\n'
    ]
  }
})

/** Is the node in something that only tests compile? */
const isTestCode = (node: SyntaxNode): boolean => {
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
    for (let mark = at.previousNamedSibling; mark?.type === "attribute_item"; mark = mark.previousNamedSibling) {
      if (/\btest\b/.test(mark.text)) return true
    }
  }
  return false
}

/** Calls that keep the function they are given and call it when the loop is over. */
const callsLater =
  /^(?:window\.)?(?:setTimeout|setInterval|setImmediate|requestAnimationFrame|queueMicrotask|process\.nextTick)$|\.(?:then|addEventListener|on|once)$/

const varInLoop = script({
  id: "ts/loop-closure",
  severity: "high",
  confidence: "HIGH",
  title: "Every function made in this loop will see the loop variable's last value",
  why: "`var` makes one variable for the whole function; when the callbacks run, the loop is over.",
  fix: "Declare the loop variable with `let`, which makes one for each round.",
  reference: "https://developer.mozilla.org/docs/Web/JavaScript/Closures#creating_closures_in_loops_a_common_mistake",
  inTests: false,
  keywords: ["for (var", "for(var"],
  query: "[(for_statement) (for_in_statement)] @claim",
  check: (claim) => {
    const head = /^for\s*(?:await\s*)?\(\s*var\s+(\w+)/.exec(claim.text)
    const body = claim.childForFieldName("body")
    const name = head?.[1]
    if (name === undefined || body === null) return false
    for (const call of within(
      body,
      ["call_expression"],
      ["function_declaration", "function_expression", "arrow_function"]
    )) {
      if (!callsLater.test(call.childForFieldName("function")?.text ?? "")) continue
      const list = call.childForFieldName("arguments")
      const later = (list === null ? [] : parts(list)).find(({ type }) =>
        /^(arrow_function|function_expression)$/.test(type)
      )
      if (later === undefined) continue
      const own = identifiers(later.childForFieldName("parameters") ?? later.childForFieldName("parameter"))
      const reads = identifiers(later.childForFieldName("body")).some(({ text }) => text === name)
      if (reads && !own.some(({ text }) => text === name))
        return { ...linesOf(call), description: `The variable is \`${name}\`.` }
    }
    return false
  },
  examples: {
    bad: [
      "for (var i = 0; i < 3; i++) {\n  setTimeout(function () { show(i) }, 100)\n}\n",
      "for (var key in table) {\n  button(key).addEventListener('click', () => open(key))\n}\n",
      "for (var i = 0; i < urls.length; i++) {\n  fetch(urls[i]).then((r) => done(i, r))\n}\n"
    ],
    good: [
      "for (let i = 0; i < 3; i++) {\n  setTimeout(function () { show(i) }, 100)\n}\n",
      "for (var i = 0; i < 3; i++) {\n  xs.forEach((x) => show(x, i))\n}\n",
      "for (var i = 0; i < 3; i++) {\n  (function (i) { setTimeout(() => show(i), 100) })(i)\n}\n",
      "for (var i = 0; i < 3; i++) {\n  setTimeout(tick, 100)\n}\n"
    ]
  }
})

const swiftShell = nodeRules({ stack: "ios", grammars: ["swift"] })({
  id: "swift/shell-command-built",
  severity: "high",
  confidence: "HIGH",
  title: "A shell command line is put together from values",
  why: "A space, quote or semicolon in one of the values changes the command that runs.",
  fix: "Run the program itself and give it its arguments one by one.",
  reference: "CWE-78",
  inTests: false,
  keywords: ['-c"', '-lc"'],
  query: "(array_literal) @claim",
  check: (claim) => {
    const list = claim.endIndex - claim.startIndex < 500 ? squeezed(claim) : ""
    return /^\["-l?c","[^"]*\\\(/.test(list) || /^\["-l?c",(?:"[^"]*"\+)+\w/.test(list)
  },
  examples: {
    bad: [
      'let p = Process()\np.arguments = ["-c", "git clone \\(url)"]\n',
      'let p = Process()\np.arguments = ["-lc", "rm -r \\(path)/build"]\n',
      'func f(name: String) {\n  run("/bin/sh", ["-c", "open " + name])\n}\n'
    ],
    good: [
      'let p = Process()\np.arguments = ["clone", url]\n',
      'let p = Process()\np.arguments = ["-c", "git status"]\n',
      'let flags = ["-c", config]\n'
    ]
  }
})

export const runtimeFailureRules: ReadonlyArray<SyntaxRule> = [
  goFileNotClosed,
  goErrorAssertion,
  rustUnwrap,
  varInLoop,
  swiftShell
]
