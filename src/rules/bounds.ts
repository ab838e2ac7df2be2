/**
 * One past the end, in every language that dd has rules for: a loop that counts up to the length itself, and an
 * element read at the index of the length.
 */

import type { Grammar } from "../domain/change/Grammar.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { linesOf, type SyntaxRule } from "../domain/finding/Rule.ts"
import { squeezed } from "../languages/tree.ts"
import { nodeRules } from "./nodeRule.ts"

interface Language {
  /** The rule's area, as in its id. */
  readonly area: string
  readonly stack: string
  readonly grammars: ReadonlyArray<Grammar>
  readonly loop: string
  /** What the loop counts with and whose length it counts to, from the loop's node. */
  readonly counted: (
    loop: SyntaxNode
  ) => { readonly index: string; readonly list: string; readonly body: SyntaxNode } | null
  /** The types of nodes that read one element. */
  readonly elements: ReadonlyArray<string>
  /** An element of `list` at `index`, as written without white space. */
  readonly element: (list: string, index: string) => ReadonlyArray<string>
  /** The length of `list`, as written without white space. */
  readonly lengths: (list: string) => ReadonlyArray<string>
  readonly why: string
  readonly reference: string
  readonly keywords: ReadonlyArray<string>
  readonly examples: SyntaxRule["examples"]
}

/** From a loop whose parts are in fields: its condition or range as text, and its body. */
const fromText =
  (pattern: RegExp, field: string, indexField: string | null) =>
  (loop: SyntaxNode): ReturnType<Language["counted"]> => {
    const body = loop.childForFieldName("body")
    const counted = loop.childForFieldName(field)
    const match = counted === null ? null : pattern.exec(squeezed(counted).replace(/;$/, ""))
    const index = indexField === null ? match?.groups?.index : loop.childForFieldName(indexField)?.text
    const list = match?.groups?.list
    return body === null || index === undefined || list === undefined ? null : { index, list, body }
  }

/** An element of a list is short; what is longer is a chain of calls that would be read again for each of its links. */
const longestElement = 200

const bracketed = (list: string, index: string): ReadonlyArray<string> => [`${list}[${index}]`]

/** On the left of an assignment, alone or in Go's list of targets. */
const isWritten = (element: SyntaxNode): boolean => {
  const target = element.parent?.type === "expression_list" ? element.parent : element
  return target.parent?.childForFieldName("left")?.id === target.id
}

/** Elements at that index, read in the node itself or below it. */
const readsOf = (
  { elements, element }: Language,
  node: SyntaxNode,
  list: string,
  index: string
): ReadonlyArray<SyntaxNode> => {
  const wanted = element(list, index)
  return node.descendantsOfType([...elements]).filter((each) => wanted.includes(squeezed(each)) && !isWritten(each))
}

const beyondEnd = (language: Language): SyntaxRule =>
  nodeRules({ stack: language.stack, grammars: language.grammars })({
    id: `${language.area}/index-past-end`,
    severity: "high",
    confidence: "HIGH",
    title: "This reads one element past the end",
    why: language.why,
    fix: "The last index is the length less one: count with `<`, or end the range before the length.",
    reference: language.reference,
    inTests: false,
    keywords: language.keywords,
    query: `[${[...new Set([language.loop, ...language.elements])].map((type) => `(${type})`).join(" ")}] @claim`,
    check: (claim) => {
      if (claim.type !== language.loop) {
        if (claim.endIndex - claim.startIndex > longestElement) return false
        const list = /^([\w.$]+?)(?:\[|\.get\(|\.charAt\()/.exec(squeezed(claim))?.[1]
        if (list === undefined || isWritten(claim)) return false
        return language.lengths(list).some((length) => language.element(list, length).includes(squeezed(claim)))
      }
      const counted = language.counted(claim)
      if (counted === null) return false
      const { body, index, list } = counted
      const text = squeezed(body)
      // A loop that knows about the end goes there on purpose; one that changes the list may not reach it.
      if (language.lengths(list).some((length) => text.includes(length)) || /\b(undefined|break)\b/.test(body.text))
        return false
      const [read] = readsOf(language, body, list, index)
      return (
        read !== undefined && {
          line: linesOf(claim).line,
          description: `\`${list}\` is read at \`${index}\` on line ${linesOf(read).line}.`
        }
      )
    },
    examples: language.examples
  })

const languages: ReadonlyArray<Language> = [
  {
    area: "py",
    stack: "python",
    grammars: ["python"],
    loop: "for_statement",
    counted: fromText(/^range\((?:0,)?len\((?<list>[\w.]+)\)\+1\)$/, "right", "left"),
    elements: ["subscript"],
    element: bracketed,
    lengths: (list) => [`len(${list})`],
    why: "There is no element at the length of a list: Python raises an IndexError.",
    reference: "https://docs.python.org/3/library/exceptions.html#IndexError",
    keywords: ["len("],
    examples: {
      bad: [
        "for i in range(len(xs) + 1):\n    use(xs[i])\n",
        "last = xs[len(xs)]\n",
        "def f(self):\n    for i in range(0, len(self.rows) + 1):\n        print(self.rows[i].name)\n"
      ],
      good: [
        "for i in range(len(xs)):\n    use(xs[i])\n",
        "for i in range(len(xs) + 1):\n    use(xs[:i])\n",
        "ids[len(ids)] = name\n",
        "for i in range(len(xs) + 1):\n    use(xs[i] if i < len(xs) else None)\n"
      ]
    }
  },
  {
    area: "ts",
    stack: "typescript",
    grammars: ["typescript", "tsx", "javascript"],
    loop: "for_statement",
    counted: fromText(/^(?<index>\w+)<=(?<list>[\w.$]+)\.length$/, "condition", null),
    elements: ["subscript_expression"],
    element: bracketed,
    lengths: (list) => [`${list}.length`],
    why: "There is no element at the length of a list: it reads undefined.",
    reference: "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Array/length",
    keywords: [".length"],
    examples: {
      bad: [
        "for (let i = 0; i <= xs.length; i++) {\n  use(xs[i].name)\n}\n",
        "const last = xs[xs.length]\n",
        "for (let i = 1; i <= this.rows.length; i += 1) print(this.rows[i])\n"
      ],
      good: [
        "for (let i = 0; i < xs.length; i++) {\n  use(xs[i])\n}\n",
        "for (let i = 1; i <= xs.length; i++) {\n  use(xs[i - 1])\n}\n",
        "xs[xs.length] = x\n",
        "for (let i = 0; i <= s.length; i++) {\n  if (i === s.length || s[i] === ',') cut(i)\n}\n"
      ]
    }
  },
  {
    area: "go",
    stack: "go",
    grammars: ["go"],
    loop: "for_statement",
    counted: (loop) => {
      const clause = loop.namedChildren.find(({ type }) => type === "for_clause")
      const body = loop.childForFieldName("body")
      const condition = clause?.childForFieldName("condition")
      const match = condition == null ? null : /^(\w+)<=len\(([\w.]+)\)$/.exec(squeezed(condition))
      return body === null || match === null ? null : { index: match[1] ?? "", list: match[2] ?? "", body }
    },
    elements: ["index_expression"],
    element: bracketed,
    lengths: (list) => [`len(${list})`],
    why: "There is no element at the length of a slice: the program panics.",
    reference: "https://go.dev/ref/spec#Index_expressions",
    keywords: ["len("],
    examples: {
      bad: [
        "package p\n\nfunc f(xs []int) {\n\tfor i := 0; i <= len(xs); i++ {\n\t\tuse(xs[i])\n\t}\n}\n",
        "package p\n\nfunc f(xs []int) int {\n\treturn xs[len(xs)]\n}\n",
        "package p\n\nfunc (t *T) f() {\n\tfor i := 0; i <= len(t.rows); i++ {\n\t\tt.rows[i].Print()\n\t}\n}\n"
      ],
      good: [
        "package p\n\nfunc f(xs []int) {\n\tfor i := 0; i < len(xs); i++ {\n\t\tuse(xs[i])\n\t}\n}\n",
        "package p\n\nfunc f(xs []int) {\n\tfor i := 0; i <= len(xs); i++ {\n\t\tuse(xs[:i])\n\t}\n}\n",
        'package p\n\nfunc f(m map[int]string) {\n\tm[len(m)] = "x"\n}\n'
      ]
    }
  },
  {
    area: "java",
    stack: "java",
    grammars: ["java"],
    loop: "for_statement",
    counted: fromText(/^(?<index>\w+)<=(?<list>[\w.]+?)\.(?:length|length\(\)|size\(\))$/, "condition", null),
    elements: ["array_access", "method_invocation"],
    element: (list, index) => [`${list}[${index}]`, `${list}.get(${index})`, `${list}.charAt(${index})`],
    lengths: (list) => [`${list}.length`, `${list}.size()`, `${list}.length()`],
    why: "There is no element at the length: Java throws an IndexOutOfBoundsException.",
    reference: "https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/IndexOutOfBoundsException.html",
    keywords: [".length", ".size()"],
    examples: {
      bad: [
        "class A {\n  void f(int[] xs) {\n    for (int i = 0; i <= xs.length; i++) {\n      use(xs[i]);\n    }\n  }\n}\n",
        "class A {\n  void f(List<String> xs) {\n    for (int i = 0; i <= xs.size(); i++) use(xs.get(i));\n  }\n}\n",
        "class A {\n  char last(String s) {\n    return s.charAt(s.length());\n  }\n}\n"
      ],
      good: [
        "class A {\n  void f(int[] xs) {\n    for (int i = 0; i < xs.length; i++) {\n      use(xs[i]);\n    }\n  }\n}\n",
        "class A {\n  void f(List<String> xs) {\n    for (int i = 1; i <= xs.size(); i++) use(xs.get(i - 1));\n  }\n}\n",
        "class A {\n  char last(String s) {\n    return s.charAt(s.length() - 1);\n  }\n}\n"
      ]
    }
  },
  {
    area: "rust",
    stack: "rust",
    grammars: ["rust"],
    loop: "for_expression",
    counted: fromText(/^\(?0\.\.=(?<list>[\w.]+)\.len\(\)\)?$/, "value", "pattern"),
    elements: ["index_expression"],
    element: bracketed,
    lengths: (list) => [`${list}.len()`],
    why: "There is no element at the length of a slice: the program panics.",
    reference: "https://doc.rust-lang.org/reference/expressions/array-expr.html#array-and-slice-indexing-expressions",
    keywords: [".len()"],
    examples: {
      bad: [
        "fn f(xs: &[u8]) {\n    for i in 0..=xs.len() {\n        touch(xs[i]);\n    }\n}\n",
        "fn f(xs: &[u8]) -> u8 {\n    xs[xs.len()]\n}\n",
        "fn f(&self) {\n    for i in 0..=self.rows.len() {\n        print(&self.rows[i]);\n    }\n}\n"
      ],
      good: [
        "fn f(xs: &[u8]) {\n    for i in 0..xs.len() {\n        touch(xs[i]);\n    }\n}\n",
        "fn f(xs: &[u8]) {\n    for i in 0..=xs.len() {\n        touch(&xs[..i]);\n    }\n}\n",
        "fn f(xs: &[u8]) -> u8 {\n    xs[xs.len() - 1]\n}\n"
      ]
    }
  },
  {
    area: "swift",
    stack: "ios",
    grammars: ["swift"],
    loop: "for_statement",
    counted: (loop) => {
      const match = /^for\s+(\w+)\s+in\s+0\s*\.\.\.\s*([\w.]+)\.count\s*\{/.exec(loop.text)
      return match === null
        ? null
        : { index: match[1] ?? "", list: match[2] ?? "", body: loop.namedChildren.at(-1) ?? loop }
    },
    elements: ["call_expression"],
    element: bracketed,
    lengths: (list) => [`${list}.count`],
    why: "There is no element at the count of a collection: the app stops.",
    reference: "https://developer.apple.com/documentation/swift/array/subscript(_:)-25iat",
    keywords: [".count"],
    examples: {
      bad: [
        "func f(xs: [Int]) {\n  for i in 0...xs.count {\n    use(xs[i])\n  }\n}\n",
        "func f(xs: [Int]) -> Int {\n  return xs[xs.count]\n}\n",
        "func g() {\n  for row in 0 ... items.count {\n    show(items[row])\n  }\n}\n"
      ],
      good: [
        "func f(xs: [Int]) {\n  for i in 0..<xs.count {\n    use(xs[i])\n  }\n}\n",
        "func f(xs: [Int]) {\n  for i in 0...xs.count {\n    use(xs.prefix(i))\n  }\n}\n",
        "func f(xs: [Int]) -> Int {\n  return xs[xs.count - 1]\n}\n"
      ]
    }
  }
]

export const boundsRules: ReadonlyArray<SyntaxRule> = languages.map(beyondEnd)
