/** Loops that try the same thing again for ever, without a pause and without counting. */

import type { Grammar } from "../domain/change/Grammar.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import type { SyntaxRule } from "../domain/finding/Rule.ts"
import { beginningOf, parts, squeezed, within } from "../languages/tree.ts"
import { nodeRules } from "./nodeRule.ts"

interface Language {
  readonly area: string
  readonly stack: string
  readonly grammars: ReadonlyArray<Grammar>
  readonly loop: string
  /** Does the endless loop do one thing, and begin anew whenever that fails? */
  readonly tries: (loop: SyntaxNode) => boolean
  readonly keywords: ReadonlyArray<string>
  readonly examples: SyntaxRule["examples"]
}

/** Whatever waits by itself, counts, or asks whether to go on. */
const waitsOrCounts =
  /sleep|delay|(?<!a)wait|backoff|timeout|timer|tick|retr(?:y|ies)|getkey|getch|\.get\(|attempt|tries|count|deadline|input|prompt|readline|recv|receive|accept|select|poll|queue|next|scan|read|random|rand|uuid|\+\+|\+=|-=|\bctx\b|<-|throw|raise|panic|exit/i

const endlessRetry = (language: Language): SyntaxRule =>
  nodeRules({ stack: language.stack, grammars: language.grammars })({
    id: `${language.area}/endless-retry`,
    severity: "medium",
    confidence: "HIGH",
    title: "This tries again for ever, as fast as it can",
    why: "When the cause lasts, the loop takes a whole processor and floods whatever it asks, just when that is in trouble.",
    fix: "Wait between the attempts, longer each time, and give up after a number of them.",
    reference: "CWE-835",
    inTests: false,
    keywords: language.keywords,
    query: `(${language.loop}) @claim`,
    check: (claim) => !waitsOrCounts.test(claim.text) && language.tries(claim) && beginningOf(claim),
    examples: language.examples
  })

const bodyOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const body = node.childForFieldName("body")
  return body === null ? [] : parts(body)
}

const speaksOnly = /^(?:[\w.]*\b(?:log|logger|logging|console|warn|error|print|slog)[\w.]*\(.*\);?|continue;?|pass)$/s

/** Nothing is done about the failure but to speak of it. */
const onlySpeaks = (statements: ReadonlyArray<SyntaxNode>): boolean =>
  statements.every((each) => speaksOnly.test(squeezed(each)))

const leavesAtEnd = (statements: ReadonlyArray<SyntaxNode>): boolean => {
  const last = statements.at(-1)
  return last !== undefined && /^(return|break)_statement$/.test(last.type)
}

const languages: ReadonlyArray<Language> = [
  {
    area: "py",
    stack: "python",
    grammars: ["python"],
    loop: "while_statement",
    tries: (loop) => {
      const [attempt, ...others] = bodyOf(loop)
      if (!/^(True|1)$/.test(loop.childForFieldName("condition")?.text ?? "")) return false
      if (attempt?.type !== "try_statement" || others.length > 0 || !leavesAtEnd(bodyOf(attempt))) return false
      const excepts = within(attempt, ["except_clause"], ["function_definition"])
      const isBroad = excepts.some((each) =>
        /^except(?:\s+(?:Exception|OSError|ConnectionError|[\w.]*(?:RequestException|HTTPError|URLError)))?(?:\s+as\s+\w+)?\s*:/.test(
          each.text
        )
      )
      return isBroad && excepts.every((each) => onlySpeaks(parts(parts(each).at(-1) ?? each)))
    },
    keywords: ["while True", "while 1"],
    examples: {
      bad: [
        "def f():\n    while True:\n        try:\n            return connect(url)\n        except Exception:\n            pass\n",
        "def f():\n    while True:\n        try:\n            r = requests.post(url)\n            break\n        except requests.RequestException as e:\n            log.warning(e)\n",
        "def f():\n    while 1:\n        try:\n            return load()\n        except OSError:\n            continue\n"
      ],
      good: [
        "def f():\n    while True:\n        try:\n            return connect(url)\n        except Exception:\n            time.sleep(1)\n",
        "def f():\n    while True:\n        try:\n            return int(input())\n        except ValueError:\n            print('a number, please')\n",
        "def f():\n    for attempt in range(3):\n        try:\n            return connect(url)\n        except Exception:\n            pass\n",
        "def f():\n    while True:\n        try:\n            handle(job)\n        except Exception:\n            log.exception('failed')\n"
      ]
    }
  },
  {
    area: "ts",
    stack: "typescript",
    grammars: ["typescript", "tsx", "javascript"],
    loop: "while_statement",
    tries: (loop) => {
      const [attempt, ...others] = bodyOf(loop)
      if (!/^\(true\)$/.test(loop.childForFieldName("condition")?.text ?? "")) return false
      if (attempt?.type !== "try_statement" || others.length > 0 || !leavesAtEnd(bodyOf(attempt))) return false
      const handler = attempt.childForFieldName("handler")
      return handler !== null && onlySpeaks(bodyOf(handler))
    },
    keywords: ["while (true)", "while(true)"],
    examples: {
      bad: [
        "async function f() {\n  while (true) {\n    try {\n      return await connect(url)\n    } catch {\n    }\n  }\n}\n",
        "async function f() {\n  while (true) {\n    try {\n      await send(x)\n      break\n    } catch (e) {\n      console.error(e)\n    }\n  }\n}\n",
        "function f() {\n  while (true) {\n    try {\n      return load()\n    } catch (e) {\n      continue\n    }\n  }\n}\n"
      ],
      good: [
        "async function f() {\n  while (true) {\n    try {\n      return await connect(url)\n    } catch {\n      await sleep(1000)\n    }\n  }\n}\n",
        "async function f() {\n  while (true) {\n    try {\n      return await connect(url)\n    } catch (e) {\n      if (!isTransient(e)) throw e\n    }\n  }\n}\n",
        "async function f() {\n  while (true) {\n    try {\n      await handle(job)\n    } catch (e) {\n      console.error(e)\n    }\n  }\n}\n"
      ]
    }
  },
  {
    area: "go",
    stack: "go",
    grammars: ["go"],
    loop: "for_statement",
    tries: (loop) => {
      if (
        parts(loop).some(({ type }) =>
          /_clause$|^(binary|unary|call|parenthesized)_expression$|^identifier$/.test(type)
        )
      )
        return false
      const statements = bodyOf(loop).flatMap((each) => (each.type === "statement_list" ? parts(each) : [each]))
      const failed = statements.findIndex(
        (each) => each.type === "if_statement" && squeezed(each.childForFieldName("condition") ?? each) === "err!=nil"
      )
      const consequence = failed < 0 ? null : (statements[failed]?.childForFieldName("consequence") ?? null)
      if (consequence === null || !leavesAtEnd(statements.slice(failed + 1))) return false
      const done = parts(consequence).flatMap((each) => (each.type === "statement_list" ? parts(each) : [each]))
      return done.at(-1)?.type === "continue_statement" && onlySpeaks(done)
    },
    keywords: ["for {"],
    examples: {
      bad: [
        "package p\n\nfunc f() *Conn {\n\tfor {\n\t\tc, err := dial(addr)\n\t\tif err != nil {\n\t\t\tcontinue\n\t\t}\n\t\treturn c\n\t}\n}\n",
        "package p\n\nfunc f() {\n\tfor {\n\t\terr := send(x)\n\t\tif err != nil {\n\t\t\tlog.Println(err)\n\t\t\tcontinue\n\t\t}\n\t\tbreak\n\t}\n}\n",
        'package p\n\nfunc f() {\n\tfor {\n\t\tif err := ping(); err != nil {\n\t\t\tslog.Warn("again")\n\t\t\tcontinue\n\t\t}\n\t\treturn\n\t}\n}\n'
      ],
      good: [
        "package p\n\nfunc f() *Conn {\n\tfor {\n\t\tc, err := dial(addr)\n\t\tif err != nil {\n\t\t\ttime.Sleep(time.Second)\n\t\t\tcontinue\n\t\t}\n\t\treturn c\n\t}\n}\n",
        "package p\n\nfunc f() {\n\tfor {\n\t\tjob, err := take()\n\t\tif err != nil {\n\t\t\tcontinue\n\t\t}\n\t\thandle(job)\n\t}\n}\n",
        "package p\n\nfunc f() error {\n\tfor i := 0; i < 3; i++ {\n\t\tif err := ping(); err != nil {\n\t\t\tcontinue\n\t\t}\n\t\treturn nil\n\t}\n\treturn errPing\n}\n"
      ]
    }
  }
]

export const retryRules: ReadonlyArray<SyntaxRule> = languages.map(endlessRetry)
