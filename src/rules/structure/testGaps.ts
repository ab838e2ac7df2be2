/** The words of the findings about tests that a change leaves behind. */
import type { RepositoryRule } from "../../domain/finding/Rule.ts"

const shared = { _tag: "Repository", stack: "structure" } as const
const same = (text: string): readonly [string, string] => [text, text]

const cart = (parameters: string) =>
  `class Cart:\n    def add_line(self, ${parameters}):\n        self.lines.append((${parameters.replace(/=\w+/g, "")},))\n`
const cartTest = (call: string) =>
  `from shop.cart import Cart\n\n\ndef test_adds_a_line():\n    cart = Cart()\n    cart.add_line(${call})\n    assert cart.lines\n`

const functions = (...names: ReadonlyArray<string>) =>
  names
    .map(
      (name) =>
        `def ${name}(items):\n    found = []\n    for item in items:\n        found.append(item)\n    return found\n`
    )
    .join("\n\n")

export const testGapRules: ReadonlyArray<RepositoryRule> = [
  {
    ...shared,
    id: "test/old-contract-in-tests",
    severity: "medium",
    confidence: "MEDIUM",
    title: "Parameters changed, and tests left alone still call the old way",
    why: "A test that still calls by the old contract fails, or passes and shows nothing of the new one.",
    fix: "Change the tests with the contract they hold.",
    reference: "https://cwe.mitre.org/data/definitions/628.html",
    examples: {
      bad: [
        {
          "shop/cart.py": [cart("item"), cart("item, quantity")],
          "tests/test_cart.py": same(cartTest('"pen"'))
        },
        {
          "src/cart.ts": [
            "export class Cart {\n  addLine(item: string) {\n    return [item]\n  }\n}\n",
            "export class Cart {\n  addLine(item: string, quantity: number) {\n    return [item, quantity]\n  }\n}\n"
          ],
          "src/cart.test.ts": same(
            'import { Cart } from "./cart"\n\ntest("adds a line", () => {\n  expect(new Cart().addLine("pen")).toEqual(["pen"])\n})\n'
          )
        },
        // The same number of arguments, in another order.
        {
          "src/range.js": [
            "export function rangeOf(first, last) {\n  return [first, last]\n}\n",
            "export function rangeOf(last, first) {\n  return [first, last]\n}\n"
          ],
          "src/range.test.js": same(
            'import { rangeOf } from "./range.js"\n\ntest("a range", () => {\n  expect(rangeOf(1, 2)).toEqual([1, 2])\n})\n'
          )
        }
      ],
      good: [
        // Tests need not know of what is optional.
        {
          "shop/cart.py": [cart("item"), cart("item, quantity=1")],
          "tests/test_cart.py": same(cartTest('"pen"'))
        },
        // The tests changed with it.
        {
          "shop/cart.py": [cart("item"), cart("item, quantity")],
          "tests/test_cart.py": [cartTest('"pen"'), cartTest('"pen", 1')]
        },
        // Another class has a method of that name.
        {
          "shop/cart.py": [cart("item"), cart("item, quantity")],
          "shop/order.py": same("class Order:\n    def add_line(self, item):\n        self.lines = [item]\n"),
          "tests/test_cart.py": same(cartTest('"pen"'))
        },
        // A parameter under another name, where names do not count.
        {
          "src/range.js": [
            "export function rangeOf(first, last) {\n  return [first, last]\n}\n",
            "export function rangeOf(from, to) {\n  return [from, to]\n}\n"
          ],
          "src/range.test.js": same(
            'import { rangeOf } from "./range.js"\n\ntest("a range", () => {\n  expect(rangeOf(1, 2)).toEqual([1, 2])\n})\n'
          )
        }
      ]
    }
  },
  {
    ...shared,
    id: "test/new-export-without-test",
    severity: "low",
    confidence: "MEDIUM",
    offByDefault: true,
    title: "A new exported function has no test, unlike those beside it",
    why: "Where the functions beside it are tested, one that no test mentions can break without anybody seeing it.",
    fix: "Add a test for it, or say why it needs none.",
    reference: "https://cwe.mitre.org/data/definitions/1059.html",
    examples: {
      bad: [
        {
          "shop/rows.py": [functions("first_rows", "last_rows"), functions("first_rows", "last_rows", "every_row")],
          "tests/test_rows.py": same(
            "from shop.rows import first_rows, last_rows\n\n\ndef test_rows():\n    assert first_rows([]) == last_rows([])\n"
          )
        },
        {
          "shop/rows.py": same(functions("first_rows", "last_rows")),
          "shop/columns.py": [null, functions("every_column")],
          "tests/test_rows.py": same(
            "from shop.rows import first_rows, last_rows\n\n\ndef test_rows():\n    assert first_rows([]) == last_rows([])\n"
          )
        },
        {
          "cart/sum.go": [
            "package cart\n\nfunc Total() int {\n\treturn 1\n}\n\nfunc Count() int {\n\treturn 2\n}\n",
            "package cart\n\nfunc Total() int {\n\treturn 1\n}\n\nfunc Count() int {\n\treturn 2\n}\n\nfunc Mean() int {\n\ta := Total()\n\tb := Count()\n\treturn a / b\n}\n"
          ],
          "cart/sum_test.go": same(
            "package cart\n\nfunc TestSum(t *testing.T) {\n\tif Total() > Count() {\n\t\tt.Fail()\n\t}\n}\n"
          )
        }
      ],
      good: [
        {
          "shop/rows.py": [functions("first_rows", "last_rows"), functions("first_rows", "last_rows", "every_row")],
          "tests/test_rows.py": same(
            "from shop.rows import *\n\n\ndef test_rows():\n    assert first_rows([]) == last_rows([]) == every_row([])\n"
          )
        },
        // Nothing beside it is tested either.
        {
          "shop/rows.py": [functions("first_rows", "last_rows"), functions("first_rows", "last_rows", "every_row")],
          "tests/test_other.py": same("def test_other():\n    assert True\n")
        },
        // Not for others.
        {
          "shop/rows.py": [functions("first_rows", "last_rows"), functions("first_rows", "last_rows", "_every_row")],
          "tests/test_rows.py": same(
            "from shop.rows import first_rows, last_rows\n\n\ndef test_rows():\n    assert first_rows([]) == last_rows([])\n"
          )
        }
      ]
    }
  }
]
