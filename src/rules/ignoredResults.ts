/** Calls whose result is all they are for, and is thrown away. */

import type { Grammar } from "../domain/change/Grammar.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import type { SyntaxRule } from "../domain/finding/Rule.ts"
import { parts, squeezed } from "../languages/tree.ts"
import { nodeRules } from "./nodeRule.ts"

interface Language {
  readonly area: string
  readonly stack: string
  readonly grammars: ReadonlyArray<Grammar>
  readonly call: string
  /** The beginning of a call that does nothing but answer. */
  readonly pure: RegExp
  readonly keywords: ReadonlyArray<string>
  readonly examples: SyntaxRule["examples"]
}

const isLastOfBlock = (statement: SyntaxNode): boolean => {
  const { parent } = statement
  return parent !== null && parts(parent).at(-1)?.id === statement.id
}

const resultIgnored = (language: Language): SyntaxRule =>
  nodeRules({ stack: language.stack, grammars: language.grammars })({
    id: `${language.area}/result-ignored`,
    severity: "high",
    confidence: "HIGH",
    title: "The result is thrown away, so this line does nothing",
    why: "The call changes nothing where it stands; it gives the new value back, and nobody takes it.",
    fix: "Assign the result, or remove the line.",
    reference: "CWE-252",
    keywords: language.keywords,
    query: "(expression_statement) @claim",
    check: (claim) => {
      const [call, ...others] = parts(claim)
      if (call === undefined || others.length > 0 || call.type !== language.call) return false
      if (call.endIndex - call.startIndex > 200) return false
      return language.pure.test(squeezed(call)) && !(language.area === "py" && isInRaises(claim))
    },
    inTests: false,
    examples: language.examples
  })

/** A call that is made to see it fail: `with raises(...)`, or the last thing in a `try`. */
const isInRaises = (statement: SyntaxNode): boolean => {
  const holder = statement.parent?.parent
  if (holder?.type === "try_statement") return isLastOfBlock(statement)
  return holder?.type === "with_statement" && /raises|suppress/.test(holder.text.slice(0, 100))
}

const languages: ReadonlyArray<Language> = [
  {
    area: "py",
    stack: "python",
    grammars: ["python"],
    call: "call",
    pure: /^(?:sorted|reversed|enumerate|zip|len|sum|str|tuple|frozenset|filter|map)\((?!\*)|^[\w.[\]]+\.(?:strip|lstrip|rstrip|upper|lower|capitalize|casefold|startswith|endswith|removeprefix|removesuffix|zfill|ljust|rjust|splitlines)\([^()]*\)$|^(?:f?["'].*["'])\.(?:format|join|replace|split)\(/,
    keywords: [
      "sorted(",
      "reversed(",
      "strip(",
      "upper(",
      "lower(",
      "capitalize(",
      "casefold(",
      "with(",
      "remove",
      ".format(",
      ".join(",
      "map(",
      "filter(",
      "zip(",
      "len(",
      "sum(",
      "str(",
      "tuple("
    ],
    examples: {
      bad: [
        "def f(xs):\n    sorted(xs)\n    return xs\n",
        "def f(name):\n    name.strip()\n    return name\n",
        "def f(self):\n    self.title.lower()\n    save(self)\n",
        'def f(x):\n    "{} of {}".format(x, 2)\n'
      ],
      good: [
        "def f(xs):\n    xs.sort()\n    return xs\n",
        "def f(name):\n    name = name.strip()\n    return name\n",
        "def f(path, target):\n    path.replace(target)\n",
        "def f(x):\n    try:\n        len(x)\n    except TypeError:\n        return False\n",
        "def f(ax):\n    ax.title('x')\n    plt.title('y')\n"
      ]
    }
  },
  {
    area: "ts",
    stack: "typescript",
    grammars: ["typescript", "tsx", "javascript"],
    call: "call_expression",
    pure: /^[\w.$[\]]+\.(?:trim|trimStart|trimEnd|toUpperCase|toLowerCase|padStart|padEnd|startsWith|endsWith|toSorted|toReversed|toSpliced|toFixed)\([^()]*\)$|^(?:Object\.(?:keys|values|entries|fromEntries)|Array\.(?:from|of|isArray)|JSON\.stringify|String|Number|parseInt|parseFloat|encodeURIComponent|Math\.\w+)\([\w.,'"$[\]]*\)$/,
    keywords: ["trim", "Case(", "pad", "sWith(", "to", "Object.", "Array.", "JSON.", "parse", "Math.", "encodeURI"],
    examples: {
      bad: [
        "function f(name) {\n  name.trim()\n  return name\n}\n",
        "function f(xs) {\n  xs.toSorted()\n  return xs\n}\n",
        "function f(x) {\n  JSON.stringify(x)\n  save(x)\n}\n"
      ],
      good: [
        "function f(name) {\n  return name.trim()\n}\n",
        "function f(xs) {\n  xs.sort()\n  return xs\n}\n",
        "function f() {\n  location.replace('/a')\n}\n",
        "function f(xs) {\n  Array.from(xs, (x) => x.close())\n}\n"
      ]
    }
  },
  {
    area: "go",
    stack: "go",
    grammars: ["go"],
    call: "call_expression",
    pure: /^(?:strings\.(?:Trim\w*|To(?:Upper|Lower|Title)|Replace(?:All)?|Split\w*|Join|Repeat|Fields|HasPrefix|HasSuffix|Contains)|fmt\.(?:Sprint(?:f|ln)?|Errorf)|errors\.(?:New|Wrapf?)|strconv\.(?:Itoa|Quote|FormatInt)|filepath\.(?:Join|Base|Dir|Clean)|path\.(?:Join|Base|Dir|Clean)|time\.(?:Now|Since)|context\.(?:WithValue|Background))\(/,
    keywords: ["strings.", "fmt.", "errors.", "strconv.", "filepath.", "path.", "time.", "context."],
    examples: {
      bad: [
        "package p\n\nfunc f(s string) string {\n\tstrings.TrimSpace(s)\n\treturn s\n}\n",
        'package p\n\nfunc f() error {\n\tif bad {\n\t\tfmt.Errorf("bad")\n\t}\n\treturn nil\n}\n',
        'package p\n\nfunc f(x int) {\n\tfmt.Sprintf("%d", x)\n}\n'
      ],
      good: [
        "package p\n\nfunc f(s string) string {\n\treturn strings.TrimSpace(s)\n}\n",
        'package p\n\nfunc f() error {\n\treturn fmt.Errorf("bad")\n}\n',
        'package p\n\nfunc f(x int) {\n\tfmt.Printf("%d", x)\n}\n',
        'package p\n\nfunc f() {\n\t_ = strings.TrimSpace("x")\n}\n'
      ]
    }
  }
]

export const ignoredResultRules: ReadonlyArray<SyntaxRule> = languages.map(resultIgnored)
