/** The words about imports that do not fit the repository: circles, and ways to nowhere. */
import type { StructureRule } from "../../domain/finding/Rule.ts"

const shared = { _tag: "Structure", stack: "structure", confidence: "HIGH" } as const

export const importRules: ReadonlyArray<StructureRule> = [
  {
    ...shared,
    id: "xref/import-cycle-cannot-load",
    misfit: "broken-import-cycle",
    severity: "high",
    title: "A new import closes a circle that cannot be loaded or compiled",
    why: "Go refuses packages that import each other; a Python module has no name yet that is asked for while it loads.",
    fix: "Move what both need into a third module, or import it where it is used.",
    reference:
      "https://docs.python.org/3/faq/programming.html#what-are-the-best-practices-for-using-import-in-a-module",
    examples: {
      bad: [
        {
          "go.mod": ["module example.com/shop\n", "module example.com/shop\n"],
          "cart/cart.go": [
            "package cart\n\nfunc Total() int { return 1 }\n",
            'package cart\n\nimport "example.com/shop/order"\n\nfunc Total() int { return order.Count() }\n'
          ],
          "order/order.go": [
            'package order\n\nimport "example.com/shop/cart"\n\nfunc Count() int { return cart.Total() }\n',
            'package order\n\nimport "example.com/shop/cart"\n\nfunc Count() int { return cart.Total() }\n'
          ]
        },
        {
          "shop/__init__.py": ["", ""],
          "shop/cart.py": [
            "def total():\n    return 1\n",
            "from shop.order import count\n\n\ndef total():\n    return count()\n"
          ],
          "shop/order.py": [
            "from shop.cart import total\n\n\ndef count():\n    return total()\n",
            "from shop.cart import total\n\n\ndef count():\n    return total()\n"
          ]
        },
        {
          "shop/__init__.py": ["from .cart import total\n", "from .cart import total\n\nRATE = 1\n"],
          "shop/cart.py": ["def total():\n    return 1\n", "from shop import RATE\n\n\ndef total():\n    return RATE\n"]
        }
      ],
      good: [
        {
          "shop/__init__.py": ["", ""],
          "shop/cart.py": [
            "def total():\n    return 1\n",
            "def total():\n    from shop.order import count\n\n    return count()\n"
          ],
          "shop/order.py": [
            "from shop.cart import total\n\n\ndef count():\n    return total()\n",
            "from shop.cart import total\n\n\ndef count():\n    return total()\n"
          ]
        },
        {
          "go.mod": ["module example.com/shop\n", "module example.com/shop\n"],
          "cart/cart.go": [
            "package cart\n\nfunc Total() int { return 1 }\n",
            "package cart\n\nfunc Total() int { return 1 }\n"
          ],
          "cart/cart_test.go": [null, 'package cart_test\n\nimport "example.com/shop/order"\n\nvar _ = order.Count\n'],
          "order/order.go": [
            'package order\n\nimport "example.com/shop/cart"\n\nfunc Count() int { return cart.Total() }\n',
            'package order\n\nimport "example.com/shop/cart"\n\nfunc Count() int { return cart.Total() }\n'
          ]
        },
        {
          "shop/__init__.py": ["RATE = 1\nfrom .cart import total\n", "RATE = 1\nfrom .cart import total\n"],
          "shop/cart.py": [
            "def total():\n    return 1\n",
            "from .rates import rate\n\n\ndef total():\n    return rate\n"
          ],
          "shop/rates.py": [null, "rate = 1\n"]
        }
      ]
    }
  },
  {
    ...shared,
    id: "xref/new-import-cycle",
    misfit: "import-cycle",
    severity: "low",
    title: "A new import closes a circle of imports",
    why: "Files that load each other depend on who is loaded first, and can no longer be understood, tested or moved alone.",
    fix: "Move what both need into a third file, or pass it as an argument.",
    reference: "https://github.com/import-js/eslint-plugin-import/blob/main/docs/rules/no-cycle.md",
    examples: {
      bad: [
        {
          "src/a.ts": ["export const one = 1\n", 'import { two } from "./b"\nexport const one = () => two\n'],
          "src/b.ts": [
            'import { one } from "./a"\nexport const two = () => one\n',
            'import { one } from "./a"\nexport const two = () => one\n'
          ]
        },
        {
          "src/a.js": ["export const one = 1\n", 'import { three } from "./c.js"\nexport const one = () => three\n'],
          "src/b.js": ['export { one } from "./a.js"\n', 'export { one } from "./a.js"\n'],
          "src/c.js": [null, 'import { one } from "./b.js"\nexport const three = () => one\n']
        },
        {
          "shop/__init__.py": ["", ""],
          "shop/cart.py": [
            "def total():\n    return 1\n",
            "import shop.order\n\n\ndef total():\n    return shop.order.x\n"
          ],
          "shop/order.py": ["import shop.cart\n\nx = 1\n", "import shop.cart\n\nx = 1\n"]
        }
      ],
      good: [
        {
          "src/a.ts": ["export type One = 1\n", 'import type { Two } from "./b"\nexport type One = Two\n'],
          "src/b.ts": [
            'import { One } from "./a"\nexport type Two = One | 2\n',
            'import { One } from "./a"\nexport type Two = One | 2\n'
          ]
        },
        {
          "src/a.ts": [
            "export interface One { two: 2 }\n",
            'import { Two } from "./b"\nexport interface One { two: Two }\n'
          ],
          "src/b.ts": [
            'import { One } from "./a"\nexport type Two = { one: One }\n',
            'import { One } from "./a"\nexport type Two = { one: One }\n'
          ]
        },
        {
          "src/a.ts": [
            'import { two } from "./b"\nexport const one = () => two\n',
            'import { three } from "./c"\nimport { two } from "./b"\nexport const one = () => two + three\n'
          ],
          "src/b.ts": [
            'import { one } from "./a"\nexport * from "./c"\nexport const two = () => one\n',
            'import { one } from "./a"\nexport * from "./c"\nexport const two = () => one\n'
          ],
          "src/c.ts": ['export { one as three } from "./a"\n', 'export { one as three } from "./a"\n']
        }
      ]
    }
  },
  {
    ...shared,
    id: "xref/import-of-missing-file",
    misfit: "missing-file",
    severity: "high",
    title: "A new import leads to no file of the repository",
    why: "An import of a file that is not there fails as soon as the importing file is loaded or compiled.",
    fix: "Correct the path, or add the file to the change.",
    reference: "https://cwe.mitre.org/data/definitions/710.html",
    examples: {
      bad: [
        {
          "shop/__init__.py": ["", ""],
          "shop/cart.py": ["x = 1\n", "from .taxes import rate\n\nx = rate\n"]
        },
        {
          "src/a.ts": ["export const one = 1\n", 'import { two } from "./twoo"\nexport const one = two\n'],
          "src/two.ts": ["export const two = 2\n", "export const two = 2\n"]
        },
        {
          "go.mod": ["module example.com/shop\n", "module example.com/shop\n"],
          "main.go": [
            "package main\n\nfunc main() {}\n",
            'package main\n\nimport "example.com/shop/carts"\n\nfunc main() { carts.Run() }\n'
          ],
          "cart/cart.go": ["package cart\n", "package cart\n"]
        },
        {
          "tsconfig.json": [
            '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}\n',
            '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}\n'
          ],
          "src/a.ts": ["export const one = 1\n", 'import { two } from "@/twoo"\nexport const one = two\n'],
          "src/two.ts": ["export const two = 2\n", "export const two = 2\n"]
        }
      ],
      good: [
        {
          ".gitignore": ["_meta.py\n", "_meta.py\n"],
          "shop/__init__.py": ["", ""],
          "shop/cart.py": ["x = 1\n", "from ._meta import rate\n\nx = rate\n"]
        },
        {
          "src/a.ts": [
            "export const one = 1\n",
            'import "./a.css"\nimport two from "./two.js"\nimport { icon } from "./icons"\nexport const one = [two, icon]\n'
          ],
          "src/two.tsx": ["export default 2\n", "export default 2\n"],
          "src/icons.native.ts": ["export const icon = 2\n", "export const icon = 2\n"]
        },
        {
          "shop/__init__.py": ["", ""],
          "shop/_fast.pyx": ["", ""],
          "shop/cart.py": [
            "x = 1\n",
            "from ._fast import x\n\ntry:\n    from .faster import x\nexcept ImportError:\n    pass\n"
          ]
        },
        {
          "go.mod": [
            "module example.com/shop\n\nrequire example.com/shop/carts v1.0.0\n",
            "module example.com/shop\n\nrequire example.com/shop/carts v1.0.0\n"
          ],
          "main.go": [
            "package main\n\nfunc main() {}\n",
            'package main\n\nimport "example.com/shop/carts/x"\n\nfunc main() { x.Run() }\n'
          ]
        }
      ]
    }
  },
  {
    ...shared,
    id: "xref/import-of-missing-name",
    misfit: "missing-name",
    severity: "high",
    title: "A new import takes a name that its file does not offer",
    why: "An import of a name that nobody defines or exports fails to compile, or fails when the file is loaded.",
    fix: "Correct the name, or define and export it where it is looked for.",
    reference: "https://cwe.mitre.org/data/definitions/710.html",
    examples: {
      bad: [
        {
          "shop/__init__.py": ["", ""],
          "shop/tax.py": ["rate = 1\n", "rate = 1\n"],
          "shop/cart.py": ["x = 1\n", "from shop.tax import rates\n\nx = rates\n"]
        },
        {
          "src/a.ts": ["export const one = 1\n", 'import { three } from "./two"\nexport const one = three\n'],
          "src/two.ts": ["export const two = 2\n", "export const two = 2\n"]
        },
        {
          "src/a.tsx": ["export const one = 1\n", 'import Two from "./two"\nexport const one = Two\n'],
          "src/two.tsx": ["export const Two = 2\n", "export const Two = 2\n"]
        }
      ],
      good: [
        {
          "shop/__init__.py": ["", ""],
          "shop/tax.py": ["from .rates import *\n", "from .rates import *\n"],
          "shop/rates.py": ["rates = 1\n", "rates = 1\n"],
          "shop/cart.py": ["x = 1\n", "from shop.tax import rates\n\nx = rates\n"]
        },
        {
          "src/a.ts": ["export const one = 1\n", 'import { three } from "./two"\nexport const one = three\n'],
          "src/two.ts": ['export * from "outside"\n', 'export * from "outside"\n']
        },
        {
          "shop/__init__.py": ["def __getattr__(name):\n    return 1\n", "def __getattr__(name):\n    return 1\n"],
          "cart.py": ["x = 1\n", "from shop import anything\n\nx = anything\n"]
        }
      ]
    }
  }
]
