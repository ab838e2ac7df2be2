/** The words of the finding about a `dd-ignore` comment that suppresses nothing. */
import type { RepositoryRule } from "../../domain/finding/Rule.ts"

const added = (path: string, text: string) => ({ [path]: [null, text] as const })

export const unusedSuppressionRule = "dd/unused-suppression"

export const suppressionRules: ReadonlyArray<RepositoryRule> = [
  {
    _tag: "Repository",
    stack: "structure",
    id: unusedSuppressionRule,
    severity: "low",
    confidence: "HIGH",
    title: "A dd-ignore comment suppresses nothing",
    why: "A suppression that nothing needs hides the finding that comes later, and one with a misspelled rule does not work.",
    fix: "Remove the comment, or correct the rule that it names.",
    reference: "https://cwe.mitre.org/data/definitions/1116.html",
    examples: {
      bad: [
        added("a.py", "eval(x)  # dd-ignore py/no-such-rule: trusted\n"),
        added("src/a.ts", "// dd-ignore-next-line tss/loose-equality: both are numbers\nexport const same = a == b\n"),
        added("a.go", "package a\n\nvar x = 1 // dd-ignore goo/*: mine\n")
      ],
      good: [
        added("a.py", 'print("dd-ignore py/no-such-rule: in a string")\n'),
        {
          "a.py": ["eval(x)  # dd-ignore py/no-such-rule: old\n", "eval(x)  # dd-ignore py/no-such-rule: old\ny = 1\n"]
        },
        // A moved comment is not a new one.
        {
          "a.py": ["eval(x)  # dd-ignore py/no-such-rule: old\n", null],
          "b.py": [null, "eval(x)  # dd-ignore py/no-such-rule: old\n"]
        }
      ]
    }
  }
]
