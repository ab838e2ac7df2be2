/** The words of the cross-file findings: what a change took away from those who use it. */
import type { ContractRule } from "../../domain/finding/Rule.ts"

const shared = { _tag: "Contract", stack: "structure", confidence: "HIGH" } as const

export const contractRules: ReadonlyArray<ContractRule> = [
  {
    ...shared,
    id: "xref/removed-definition-still-used",
    breakage: "removed",
    severity: "high",
    title: "A removed or renamed definition is still used",
    why: "Code that uses a name nobody defines any more fails where it is compiled, imported or first reached.",
    fix: "Change the places that still use it, or keep the old name.",
    reference: "https://cwe.mitre.org/data/definitions/710.html",
    examples: {
      bad: [
        {
          "shop/cart.py": ["def total(items):\n    return sum(items)\n", "def sum_up(items):\n    return sum(items)\n"],
          "shop/order.py": [
            "from shop.cart import total\n\n\ndef order(items):\n    return total(items)\n",
            "from shop.cart import total\n\n\ndef order(items):\n    return total(items)\n"
          ]
        },
        {
          "src/cart.ts": ["export const total = (items: number[]) => items.length\n", "export const count = 1\n"],
          "src/order.ts": [
            'import { total } from "./cart"\nexport const order = () => total([])\n',
            'import { total } from "./cart"\nexport const order = () => total([])\n'
          ]
        },
        {
          "go.mod": ["module example.com/shop\n", "module example.com/shop\n"],
          "cart/cart.go": [
            "package cart\n\nfunc Total() int { return 1 }\n",
            "package cart\n\nfunc Sum() int { return 1 }\n"
          ],
          "main.go": [
            'package main\n\nimport "example.com/shop/cart"\n\nfunc main() { println(cart.Total()) }\n',
            'package main\n\nimport "example.com/shop/cart"\n\nfunc main() { println(cart.Total()) }\n'
          ]
        }
      ],
      good: [
        {
          "shop/cart.py": ["def total(items):\n    return sum(items)\n", "def sum_up(items):\n    return sum(items)\n"],
          "shop/order.py": [
            "from shop.cart import total\n\n\ndef order(items):\n    return total(items)\n",
            "from shop.cart import sum_up\n\n\ndef order(items):\n    return sum_up(items)\n"
          ]
        },
        {
          "src/cart.ts": [
            "export const total = (items: number[]) => items.length\n",
            'export { total } from "./sums"\n'
          ],
          "src/sums.ts": [null, "export const total = (items: number[]) => items.length\n"],
          "src/order.ts": [
            'import { total } from "./cart"\nexport const order = () => total([])\n',
            'import { total } from "./cart"\nexport const order = () => total([])\n'
          ]
        },
        {
          "cart/a.go": ["package cart\n\nfunc total() int { return 1 }\n", "package cart\n"],
          "cart/b.go": [
            "package cart\n\nfunc Sum() int { return total() }\n",
            "package cart\n\nfunc total() int { return 1 }\n\nfunc Sum() int { return total() }\n"
          ]
        }
      ]
    }
  },
  {
    ...shared,
    id: "xref/export-dropped-still-imported",
    breakage: "unexported",
    severity: "high",
    title: "A name that is no longer exported is still imported",
    why: "An import of a name that its module does not export fails to compile, or is undefined at run time.",
    fix: "Export it again, or change the files that import it.",
    reference: "https://developer.mozilla.org/docs/Web/JavaScript/Reference/Statements/export",
    examples: {
      bad: [
        {
          "src/a.ts": ["export const one = 1\n", "const one = 1\nconsole.log(one)\n"],
          "src/b.ts": ['import { one } from "./a"\none\n', 'import { one } from "./a"\none\n']
        },
        {
          "src/a.js": ["const one = 1\nexport { one }\n", "const one = 1\nexport const two = one\n"],
          "src/b.js": ['import { one } from "./a.js"\none\n', 'import { one } from "./a.js"\none\n']
        },
        {
          "src/a.tsx": ["export default function View() {}\n", "export function View() {}\n"],
          "src/b.tsx": ['import View from "./a"\nView()\n', 'import View from "./a"\nView()\n']
        }
      ],
      good: [
        {
          "src/a.ts": ["export const one = 1\n", "const one = 1\nexport { one }\n"],
          "src/b.ts": ['import { one } from "./a"\none\n', 'import { one } from "./a"\none\n']
        },
        {
          "src/a.ts": ["export const one = 1\n", "const one = 1\nconsole.log(one)\n"],
          "src/b.ts": ['import { one } from "./c"\none\n', 'import { one } from "./c"\none\n'],
          "src/c.ts": ["export const one = 2\n", "export const one = 2\n"]
        },
        {
          "src/a.tsx": ["export default function View() {}\n", "export function View() {}\n"],
          "src/b.tsx": ['import View from "./a"\nView()\n', 'import { View } from "./a"\nView()\n']
        }
      ]
    }
  },
  {
    ...shared,
    id: "xref/import-of-deleted-file",
    breakage: "file-gone",
    severity: "high",
    title: "A file that this change deletes or moves is still used",
    why: "Code that imports or names what a file defined fails, as soon as it is loaded or compiled, when that file is gone.",
    fix: "Take it from where it is now, or change what still uses it.",
    reference: "https://cwe.mitre.org/data/definitions/710.html",
    examples: {
      bad: [
        {
          "shop/__init__.py": ["", ""],
          "shop/tax.py": ["RATE = 1\n", null],
          "shop/cart.py": ["from .tax import RATE\n", "from .tax import RATE\n"]
        },
        {
          "src/tax.ts": ["export const rate = 1\n", null],
          "src/cart.ts": ['import { rate } from "./tax"\nrate\n', 'import { rate } from "./tax"\nrate\n']
        },
        {
          "src/tax.ts": ["export const rate = 1\n", null],
          "src/index.ts": ['export * from "./tax"\n', 'export * from "./tax"\n']
        }
      ],
      good: [
        {
          "shop/__init__.py": ["", ""],
          "shop/tax.py": ["RATE = 1\n", null],
          "shop/tax/__init__.py": [null, "RATE = 1\n"],
          "shop/cart.py": ["from .tax import RATE\n", "from .tax import RATE\n"]
        },
        {
          "src/tax.js": ["export const rate = 1\n", null],
          "src/tax.ts": [null, "export const rate = 1\n"],
          "src/cart.js": ['import { rate } from "./tax"\nrate\n', 'import { rate } from "./tax"\nrate\n']
        },
        {
          "shop/__init__.py": ["", ""],
          "shop/tax.py": ["RATE = 1\n", null],
          "shop/cart.py": [
            "try:\n    from .tax import RATE\nexcept ImportError:\n    RATE = 0\n",
            "try:\n    from .tax import RATE\nexcept ImportError:\n    RATE = 0\n"
          ]
        }
      ]
    }
  },
  {
    ...shared,
    id: "xref/call-no-longer-fits",
    breakage: "call",
    severity: "high",
    title: "A call no longer fits the changed parameters",
    why: "A call with arguments the function does not take, or without one it needs, fails when it is compiled or reached.",
    fix: "Change the calls, or give the new parameter a default.",
    reference: "https://cwe.mitre.org/data/definitions/628.html",
    examples: {
      bad: [
        {
          "shop/cart.py": ["def total(items):\n    return 1\n", "def total(items, tax):\n    return tax\n"],
          "shop/order.py": [
            "from shop.cart import total\n\nprint(total([]))\n",
            "from shop.cart import total\n\nprint(total([]))\n"
          ]
        },
        {
          "src/a.ts": [
            "export function total(items: number[]) { return 1 }\n",
            "export function total(items: number[], tax: number) { return tax }\n"
          ],
          "src/b.ts": [
            'import { total } from "./a"\nexport const x = total([])\n',
            'import { total } from "./a"\nexport const x = total([])\n'
          ]
        },
        {
          "cart/a.go": [
            "package cart\n\nfunc total(a int) int { return a }\n",
            "package cart\n\nfunc total(a, b int) int { return a }\n"
          ],
          "cart/b.go": [
            "package cart\n\nfunc Sum() int { return total(1) }\n",
            "package cart\n\nfunc Sum() int { return total(1) }\n"
          ]
        }
      ],
      good: [
        {
          "shop/cart.py": ["def total(items):\n    return 1\n", "def total(items, tax=0):\n    return tax\n"],
          "shop/order.py": [
            "from shop.cart import total\n\nprint(total([]))\n",
            "from shop.cart import total\n\nprint(total([]))\n"
          ]
        },
        {
          "src/a.ts": [
            "export function total(items: number[]) { return 1 }\n",
            "export function total(items: number[], tax?: number) { return tax }\n"
          ],
          "src/b.ts": [
            'import { total } from "./a"\nexport const x = total([])\n',
            'import { total } from "./a"\nexport const x = total([])\n'
          ]
        },
        {
          "shop/cart.py": ["def total(items):\n    return 1\n", "def total(items, tax):\n    return tax\n"],
          "shop/order.py": [
            "from shop.cart import total\n\nprint(total(*values))\n",
            "from shop.cart import total\n\nprint(total(*values))\n"
          ]
        }
      ]
    }
  },
  {
    ...shared,
    id: "xref/now-async-not-awaited",
    breakage: "await",
    severity: "high",
    title: "A function became asynchronous and a caller does not wait for it",
    why: "The caller now gets a coroutine or promise where it expects the value itself, and its errors go unseen.",
    fix: "Await it, which makes the caller asynchronous too, or keep a synchronous function for these callers.",
    reference: "https://cwe.mitre.org/data/definitions/662.html",
    examples: {
      bad: [
        {
          "shop/cart.py": ["def save(items):\n    return 1\n", "async def save(items):\n    return 1\n"],
          "shop/order.py": ["from shop.cart import save\n\nsave([])\n", "from shop.cart import save\n\nsave([])\n"]
        },
        {
          "shop/cart.py": ["def load(key):\n    return {}\n", "async def load(key):\n    return {}\n"],
          "shop/order.py": [
            'from shop.cart import load\n\nprint(load(1)["a"])\n',
            'from shop.cart import load\n\nprint(load(1)["a"])\n'
          ]
        },
        {
          "src/a.ts": [
            "export function load(key: string) { return { a: 1 } }\n",
            "export async function load(key: string) { return { a: 1 } }\n"
          ],
          "src/b.ts": [
            'import { load } from "./a"\nexport const x = load("k").a\n',
            'import { load } from "./a"\nexport const x = load("k").a\n'
          ]
        }
      ],
      good: [
        {
          "shop/cart.py": ["def save(items):\n    return 1\n", "async def save(items):\n    return 1\n"],
          "shop/order.py": [
            "from shop.cart import save\n\n\ndef run():\n    save([])\n",
            "from shop.cart import save\n\n\nasync def run():\n    await save([])\n"
          ]
        },
        {
          "shop/cart.py": ["def load(key):\n    return {}\n", "async def load(key):\n    return {}\n"],
          "shop/order.py": [
            "import asyncio\nfrom shop.cart import load\n\nprint(asyncio.run(load(1)))\n",
            "import asyncio\nfrom shop.cart import load\n\nprint(asyncio.run(load(1)))\n"
          ]
        },
        {
          "src/a.ts": [
            "export function load(key: string) { return { a: 1 } }\n",
            "export async function load(key: string) { return { a: 1 } }\n"
          ],
          "src/b.ts": [
            'import { load } from "./a"\nexport const x = () => load("k")\n',
            'import { load } from "./a"\nexport const x = () => load("k")\n'
          ]
        }
      ]
    }
  },
  {
    ...shared,
    id: "xref/parameters-changed-places",
    breakage: "order",
    severity: "high",
    title: "Parameters changed places and a call still passes the old order",
    why: "The call still fits, so nothing complains, and each value arrives as the other one.",
    fix: "Swap the arguments of these calls, or keep the order.",
    reference: "https://cwe.mitre.org/data/definitions/683.html",
    examples: {
      bad: [
        {
          "shop/cart.py": ["def move(source, target):\n    return 1\n", "def move(target, source):\n    return 1\n"],
          "shop/order.py": ["from shop.cart import move\n\nmove(1, 2)\n", "from shop.cart import move\n\nmove(1, 2)\n"]
        },
        {
          "cart/a.go": [
            "package cart\n\nfunc move(source, target string) int { return 1 }\n",
            "package cart\n\nfunc move(target, source string) int { return 1 }\n"
          ],
          "cart/b.go": [
            "package cart\n\nfunc Sum(a, b string) int { return move(a, b) }\n",
            "package cart\n\nfunc Sum(a, b string) int { return move(a, b) }\n"
          ]
        },
        {
          "src/a.ts": [
            "export function move(source: string, target: string) { return 1 }\n",
            "export function move(target: string, source: string) { return 1 }\n"
          ],
          "src/b.ts": [
            'import { move } from "./a"\nexport const x = move("a", "b")\n',
            'import { move } from "./a"\nexport const x = move("a", "b")\n'
          ]
        }
      ],
      good: [
        {
          "shop/cart.py": ["def move(source, target):\n    return 1\n", "def move(target, source):\n    return 1\n"],
          "shop/order.py": [
            "from shop.cart import move\n\nmove(source=1, target=2)\n",
            "from shop.cart import move\n\nmove(source=1, target=2)\n"
          ]
        },
        {
          "shop/cart.py": ["def move(source, target):\n    return 1\n", "def move(target, source):\n    return 1\n"],
          "shop/order.py": ["from shop.cart import move\n\nmove(1, 2)\n", "from shop.cart import move\n\nmove(2, 1)\n"]
        },
        {
          "src/a.ts": [
            "export function move(source: string, count: string) { return 1 }\n",
            "export function move(from: string, times: string) { return 1 }\n"
          ],
          "src/b.ts": [
            'import { move } from "./a"\nexport const x = move("a", "b")\n',
            'import { move } from "./a"\nexport const x = move("a", "b")\n'
          ]
        }
      ]
    }
  },
  {
    ...shared,
    id: "xref/result-no-longer-fits",
    breakage: "results",
    severity: "high",
    title: "A call expects results that the function no longer gives",
    why: "Code that takes more or fewer values than a call gives does not compile, or works with nothing.",
    fix: "Change these callers, or keep what the function gives.",
    reference: "https://cwe.mitre.org/data/definitions/394.html",
    examples: {
      bad: [
        {
          "cart/a.go": [
            "package cart\n\nfunc load() int { return 1 }\n",
            "package cart\n\nfunc load() (int, error) { return 1, nil }\n"
          ],
          "cart/b.go": [
            "package cart\n\nfunc Sum() int {\n\ta := load()\n\treturn a\n}\n",
            "package cart\n\nfunc Sum() int {\n\ta := load()\n\treturn a\n}\n"
          ]
        },
        {
          "shop/Cart.java": [
            "package shop;\n\nclass Cart {\n  static int size() { return 1; }\n}\n",
            "package shop;\n\nclass Cart {\n  static void size() { }\n}\n"
          ],
          "shop/Order.java": [
            "package shop;\n\nclass Order {\n  int n = Cart.size();\n}\n",
            "package shop;\n\nclass Order {\n  int n = Cart.size();\n}\n"
          ]
        },
        {
          "Cargo.toml": ['[package]\nname = "shop"\n', '[package]\nname = "shop"\n'],
          "src/lib.rs": ["mod cart;\nmod order;\n", "mod cart;\nmod order;\n"],
          "src/cart.rs": ["pub fn size() -> u8 { 1 }\n", "pub fn size() { }\n"],
          "src/order.rs": [
            "use crate::cart::size;\n\nfn a() -> u8 {\n    size() + 1\n}\n",
            "use crate::cart::size;\n\nfn a() -> u8 {\n    size() + 1\n}\n"
          ]
        }
      ],
      good: [
        {
          "cart/a.go": [
            "package cart\n\nfunc load() int { return 1 }\n",
            "package cart\n\nfunc load() (int, error) { return 1, nil }\n"
          ],
          "cart/b.go": [
            "package cart\n\nfunc Sum() int {\n\ta := load()\n\treturn a\n}\n",
            "package cart\n\nfunc Sum() int {\n\ta, _ := load()\n\treturn a\n}\n"
          ]
        },
        {
          "cart/a.go": [
            "package cart\n\nfunc load() int { return 1 }\n",
            "package cart\n\nfunc load() (int, error) { return 1, nil }\n"
          ],
          "cart/b.go": ["package cart\n\nfunc Sum() {\n\tload()\n}\n", "package cart\n\nfunc Sum() {\n\tload()\n}\n"]
        },
        {
          "shop/Cart.java": [
            "package shop;\n\nclass Cart {\n  static int size() { return 1; }\n}\n",
            "package shop;\n\nclass Cart {\n  static long size() { return 1; }\n}\n"
          ],
          "shop/Order.java": [
            "package shop;\n\nclass Order {\n  long n = Cart.size();\n}\n",
            "package shop;\n\nclass Order {\n  long n = Cart.size();\n}\n"
          ]
        }
      ]
    }
  }
]
