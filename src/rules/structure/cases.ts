/** The words about closed lists of members, and the places that go through them. */
import type { StructureRule } from "../../domain/finding/Rule.ts"

const shared = { _tag: "Structure", stack: "structure", confidence: "HIGH" } as const

export const caseRules: ReadonlyArray<StructureRule> = [
  {
    ...shared,
    id: "xref/case-misses-new-member",
    misfit: "uncovered-case",
    severity: "medium",
    title: "A new member has no case where every other member has one",
    why: "Code that went through every member of a type does nothing, or fails, for the new one.",
    fix: "Add a case for the new member, or a last branch that is right for any value.",
    reference: "https://cwe.mitre.org/data/definitions/478.html",
    examples: {
      bad: [
        {
          "colors.py": [
            "from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n",
            "from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n    GREEN = 3\n"
          ],
          "names.py": [
            "from colors import Color\n\n\ndef name(color):\n    match color:\n        case Color.RED:\n            return 'r'\n        case Color.BLUE:\n            return 'b'\n",
            "from colors import Color\n\n\ndef name(color):\n    match color:\n        case Color.RED:\n            return 'r'\n        case Color.BLUE:\n            return 'b'\n"
          ]
        },
        {
          "src/color.ts": [
            "export enum Color {\n  Red,\n  Blue\n}\n",
            "export enum Color {\n  Red,\n  Blue,\n  Green\n}\n"
          ],
          "src/name.ts": [
            'import { Color } from "./color"\nexport const name = (color: Color) => {\n  switch (color) {\n    case Color.Red:\n      return "r"\n    case Color.Blue:\n      return "b"\n  }\n}\n',
            'import { Color } from "./color"\nexport const name = (color: Color) => {\n  switch (color) {\n    case Color.Red:\n      return "r"\n    case Color.Blue:\n      return "b"\n  }\n}\n'
          ]
        },
        {
          "color/color.go": [
            "package color\n\ntype Color int\n\nconst (\n\tRed Color = iota\n\tBlue\n)\n",
            "package color\n\ntype Color int\n\nconst (\n\tRed Color = iota\n\tBlue\n\tGreen\n)\n"
          ],
          "color/name.go": [
            'package color\n\nfunc (c Color) String() string {\n\tswitch c {\n\tcase Red:\n\t\treturn "r"\n\tcase Blue:\n\t\treturn "b"\n\t}\n\treturn ""\n}\n',
            'package color\n\nfunc (c Color) String() string {\n\tswitch c {\n\tcase Red:\n\t\treturn "r"\n\tcase Blue:\n\t\treturn "b"\n\t}\n\treturn ""\n}\n'
          ]
        },
        {
          "src/shop/Color.java": [
            "package shop;\n\npublic enum Color { RED,\n  BLUE }\n",
            "package shop;\n\npublic enum Color { RED,\n  BLUE, GREEN }\n"
          ],
          "src/shop/Names.java": [
            "package shop;\n\nclass Names {\n  int name(Color color) {\n    switch (color) {\n      case RED:\n        return 1;\n      case BLUE:\n        return 2;\n    }\n    return 0;\n  }\n}\n",
            "package shop;\n\nclass Names {\n  int name(Color color) {\n    switch (color) {\n      case RED:\n        return 1;\n      case BLUE:\n        return 2;\n    }\n    return 0;\n  }\n}\n"
          ]
        },
        {
          "src/kind.ts": ['export type Kind = "a" | "b" | "c"\n', 'export type Kind = "a" | "b" | "c" | "d"\n'],
          "src/name.ts": [
            'import type { Kind } from "./kind"\nexport const name = (kind: Kind) => {\n  switch (kind) {\n    case "a":\n      return 1\n    case "b":\n      return 2\n    case "c":\n      return 3\n    default:\n      throw new Error("unknown")\n  }\n}\n',
            'import type { Kind } from "./kind"\nexport const name = (kind: Kind) => {\n  switch (kind) {\n    case "a":\n      return 1\n    case "b":\n      return 2\n    case "c":\n      return 3\n    default:\n      throw new Error("unknown")\n  }\n}\n'
          ]
        }
      ],
      good: [
        {
          "colors.py": [
            "from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n",
            "from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n    GREEN = 3\n"
          ],
          "names.py": [
            "from colors import Color\n\n\ndef name(color):\n    match color:\n        case Color.RED:\n            return 'r'\n        case Color.BLUE:\n            return 'b'\n",
            "from colors import Color\n\n\ndef name(color):\n    match color:\n        case Color.RED:\n            return 'r'\n        case Color.BLUE:\n            return 'b'\n        case Color.GREEN:\n            return 'g'\n"
          ]
        },
        {
          "src/color.ts": [
            "export enum Color {\n  Red,\n  Blue\n}\n",
            "export enum Color {\n  Red,\n  Blue,\n  Green\n}\n"
          ],
          "src/name.ts": [
            'import { Color } from "./color"\nexport const name = (color: Color) => {\n  switch (color) {\n    case Color.Red:\n      return "r"\n    case Color.Blue:\n      return "b"\n    default:\n      return ""\n  }\n}\n',
            'import { Color } from "./color"\nexport const name = (color: Color) => {\n  switch (color) {\n    case Color.Red:\n      return "r"\n    case Color.Blue:\n      return "b"\n    default:\n      return ""\n  }\n}\n'
          ]
        },
        {
          "color/color.go": [
            "package color\n\ntype Color int\n\nconst (\n\tRed Color = iota\n\tBlue\n)\n",
            "package color\n\ntype Color int\n\nconst (\n\tRed Color = iota\n\tBlue\n\tGreen\n)\n"
          ],
          "color/name.go": [
            'package color\n\nfunc (c Color) String() string {\n\tswitch c {\n\tcase Red:\n\t\treturn "r"\n\t}\n\treturn ""\n}\n',
            'package color\n\nfunc (c Color) String() string {\n\tswitch c {\n\tcase Red:\n\t\treturn "r"\n\t}\n\treturn ""\n}\n'
          ]
        },
        {
          "colors.py": [
            "from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n",
            "from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n    GREEN = 3\n"
          ],
          "names.py": [
            "from other.colors import Color\n\n\ndef name(color):\n    match color:\n        case Color.RED:\n            return 'r'\n        case Color.BLUE:\n            return 'b'\n",
            "from other.colors import Color\n\n\ndef name(color):\n    match color:\n        case Color.RED:\n            return 'r'\n        case Color.BLUE:\n            return 'b'\n"
          ]
        },
        {
          "src/shop/Color.java": [
            "package shop;\n\npublic enum Color { RED,\n  BLUE }\n",
            "package shop;\n\npublic enum Color { RED,\n  BLUE, GREEN }\n"
          ],
          "src/shop/Names.java": [
            "package shop;\n\nclass Names {\n  int name(Color color) {\n    switch (color) {\n      case RED:\n        return 1;\n      case BLUE:\n        return 2;\n      default:\n        return 3;\n    }\n    return 0;\n  }\n}\n",
            "package shop;\n\nclass Names {\n  int name(Color color) {\n    switch (color) {\n      case RED:\n        return 1;\n      case BLUE:\n        return 2;\n      default:\n        return 3;\n    }\n    return 0;\n  }\n}\n"
          ]
        }
      ]
    }
  },
  {
    ...shared,
    id: "xref/match-no-longer-complete",
    misfit: "uncompiled-case",
    severity: "high",
    title: "A match that the compiler wants complete has no case for a new member",
    why: "The compiler refuses a match, or a table with every member as a key, that leaves a member out.",
    fix: "Add a case for the new member.",
    reference: "https://doc.rust-lang.org/reference/expressions/match-expr.html",
    examples: {
      bad: [
        {
          "src/color.rs": [
            "pub enum Color {\n    Red,\n    Blue,\n}\n",
            "pub enum Color {\n    Red,\n    Blue,\n    Green,\n}\n"
          ],
          "src/name.rs": [
            "use crate::color::Color;\n\npub fn name(color: &Color) -> u8 {\n    match color {\n        Color::Red => 1,\n        Color::Blue => 2,\n    }\n}\n",
            "use crate::color::Color;\n\npub fn name(color: &Color) -> u8 {\n    match color {\n        Color::Red => 1,\n        Color::Blue => 2,\n    }\n}\n"
          ]
        },
        {
          "src/color.ts": [
            "export enum Color {\n  Red,\n  Blue\n}\n",
            "export enum Color {\n  Red,\n  Blue,\n  Green\n}\n"
          ],
          "src/name.ts": [
            'import { Color } from "./color"\nexport const name = (color: Color) => {\n  switch (color) {\n    case Color.Red:\n      return "r"\n    case Color.Blue:\n      return "b"\n    default: {\n      const never: never = color\n      return never\n    }\n  }\n}\n',
            'import { Color } from "./color"\nexport const name = (color: Color) => {\n  switch (color) {\n    case Color.Red:\n      return "r"\n    case Color.Blue:\n      return "b"\n    default: {\n      const never: never = color\n      return never\n    }\n  }\n}\n'
          ]
        },
        {
          "src/kind.ts": ['export type Kind = "a" | "b" | "c"\n', 'export type Kind = "a" | "b" | "c" | "d"\n'],
          "src/name.ts": [
            'import type { Kind } from "./kind"\nexport const names: Record<Kind, string> = { a: "A", b: "B", c: "C" }\n',
            'import type { Kind } from "./kind"\nexport const names: Record<Kind, string> = { a: "A", b: "B", c: "C" }\n'
          ]
        },
        {
          "src/shop/Color.java": [
            "package shop;\n\npublic enum Color { RED,\n  BLUE }\n",
            "package shop;\n\npublic enum Color { RED,\n  BLUE, GREEN }\n"
          ],
          "src/shop/Names.java": [
            "package shop;\n\nclass Names {\n  int name(Color color) {\n    return switch (color) {\n      case RED -> 1;\n      case BLUE -> 2;\n    };\n  }\n}\n",
            "package shop;\n\nclass Names {\n  int name(Color color) {\n    return switch (color) {\n      case RED -> 1;\n      case BLUE -> 2;\n    };\n  }\n}\n"
          ]
        }
      ],
      good: [
        {
          "src/color.rs": [
            "pub enum Color {\n    Red,\n    Blue,\n}\n",
            "pub enum Color {\n    Red,\n    Blue,\n    Green,\n}\n"
          ],
          "src/name.rs": [
            "use crate::color::Color;\n\npub fn name(color: &Color) -> u8 {\n    match color {\n        Color::Red => 1,\n        Color::Blue => 2,\n        _ => 3,\n    }\n}\n",
            "use crate::color::Color;\n\npub fn name(color: &Color) -> u8 {\n    match color {\n        Color::Red => 1,\n        Color::Blue => 2,\n        _ => 3,\n    }\n}\n"
          ]
        },
        {
          "src/color.rs": [
            "pub enum Color {\n    Red,\n    Blue,\n}\n",
            "pub enum Color {\n    Red,\n    Blue,\n    Green,\n}\n"
          ],
          "src/name.rs": [
            "use crate::color::Color;\n\npub fn name(color: &Color) -> u8 {\n    match color {\n        Color::Red => 1,\n        Color::Blue => 2,\n    }\n}\n",
            "use crate::color::Color;\n\npub fn name(color: &Color) -> u8 {\n    match color {\n        Color::Red => 1,\n        Color::Blue => 2,\n        Color::Green => 3,\n    }\n}\n"
          ]
        },
        {
          "src/kind.ts": ['export type Kind = "a" | "b" | "c"\n', 'export type Kind = "a" | "b" | "c" | "d"\n'],
          "src/name.ts": [
            'import type { Kind } from "./kind"\nexport const names: Partial<Record<Kind, string>> = { a: "A", b: "B", c: "C" }\n',
            'import type { Kind } from "./kind"\nexport const names: Partial<Record<Kind, string>> = { a: "A", b: "B", c: "C" }\n'
          ]
        },
        {
          "src/kind.ts": ['export type Kind = "a" | "b" | "c"\n', 'export type Kind = "a" | "b" | "c" | "d"\n'],
          "src/name.ts": [
            'import type { Kind } from "./kind"\nimport { more } from "./more"\nexport const names: Record<Kind, string> = { a: "A", b: "B", c: "C", ...more }\n',
            'import type { Kind } from "./kind"\nimport { more } from "./more"\nexport const names: Record<Kind, string> = { a: "A", b: "B", c: "C", ...more }\n'
          ]
        }
      ]
    }
  },
  {
    ...shared,
    id: "xref/case-of-removed-member",
    misfit: "stale-case",
    severity: "high",
    title: "A case names a member that its type has no more",
    why: "The compiler refuses a case for a member that is not there, and nothing could ever reach the branch.",
    fix: "Remove the case, or name the member that took its place.",
    reference: "https://www.typescriptlang.org/docs/handbook/2/narrowing.html#exhaustiveness-checking",
    examples: {
      bad: [
        {
          "src/kind.ts": ['export type Kind = "a" | "b" | "c" | "d"\n', 'export type Kind = "a" | "b" | "c"\n'],
          "src/name.ts": [
            'import type { Kind } from "./kind"\nexport const name = (kind: Kind) => {\n  switch (kind) {\n    case "a":\n      return 1\n    case "b":\n      return 2\n    case "c":\n      return 3\n    case "d":\n      return 4\n  }\n}\n',
            'import type { Kind } from "./kind"\nexport const name = (kind: Kind) => {\n  switch (kind) {\n    case "a":\n      return 1\n    case "b":\n      return 2\n    case "c":\n      return 3\n    case "d":\n      return 4\n  }\n}\n'
          ]
        },
        {
          "src/color.rs": [
            "pub enum Color {\n    Red,\n    Blue,\n    Green,\n}\n",
            "pub enum Color {\n    Red,\n    Blue,\n}\n"
          ],
          "src/name.rs": [
            "use crate::color::Color;\n\npub fn name(color: &Color) -> u8 {\n    match color {\n        Color::Red => 1,\n        Color::Blue => 2,\n        Color::Green => 3,\n    }\n}\n",
            "use crate::color::Color;\n\npub fn name(color: &Color) -> u8 {\n    match color {\n        Color::Red => 1,\n        Color::Blue => 2,\n        Color::Green => 3,\n    }\n}\n"
          ]
        },
        {
          "src/shop/Color.java": [
            "package shop;\n\npublic enum Color { RED,\n  BLUE, GREEN }\n",
            "package shop;\n\npublic enum Color { RED,\n  BLUE }\n"
          ],
          "src/shop/Names.java": [
            "package shop;\n\nclass Names {\n  int name(Color color) {\n    switch (color) {\n      case RED:\n        return 1;\n      case BLUE:\n        return 2;\n      case GREEN:\n        return 3;\n    }\n    return 0;\n  }\n}\n",
            "package shop;\n\nclass Names {\n  int name(Color color) {\n    switch (color) {\n      case RED:\n        return 1;\n      case BLUE:\n        return 2;\n      case GREEN:\n        return 3;\n    }\n    return 0;\n  }\n}\n"
          ]
        },
        {
          "src/kind.ts": ['export type Kind = "a" | "b" | "c"\n', 'export type Kind = "a" | "b" | "e"\n'],
          "src/name.ts": [
            'import type { Kind } from "./kind"\nexport const name = (kind: Kind) => {\n  switch (kind) {\n    case "a":\n      return 1\n    case "b":\n      return 2\n    case "c":\n      return 3\n  }\n}\n',
            'import type { Kind } from "./kind"\nexport const name = (kind: Kind) => {\n  switch (kind) {\n    case "a":\n      return 1\n    case "b":\n      return 2\n    case "c":\n      return 3\n  }\n}\n'
          ]
        },
        {
          "src/kind.ts": ['export type Kind = "a" | "b" | "c" | "d"\n', 'export type Kind = "a" | "b" | "c"\n'],
          "src/name.ts": [
            'import type { Kind } from "./kind"\nexport const names: Record<Kind, number> = { a: 1, b: 2, c: 3, d: 4 }\n',
            'import type { Kind } from "./kind"\nexport const names: Record<Kind, number> = { a: 1, b: 2, c: 3, d: 4 }\n'
          ]
        }
      ],
      good: [
        {
          "src/color.rs": [
            "pub enum Color {\n    Red,\n    Blue,\n    Green,\n}\n",
            "pub enum Color {\n    Red,\n    Blue,\n}\n"
          ],
          "src/name.rs": [
            "use crate::color::Color;\n\npub fn name(color: &Color) -> u8 {\n    match color {\n        Color::Red => 1,\n        Color::Blue => 2,\n    }\n}\n",
            "use crate::color::Color;\n\npub fn name(color: &Color) -> u8 {\n    match color {\n        Color::Red => 1,\n        Color::Blue => 2,\n    }\n}\n"
          ]
        },
        {
          "src/kind.ts": ['export type Kind = "a" | "b" | "c" | "d"\n', 'export type Kind = "a" | "b" | "c"\n'],
          "src/name.ts": [
            'import type { Kind } from "./kind"\nexport const name = (kind: Kind) => {\n  switch (kind) {\n    case "a":\n      return 1\n    case "b":\n      return 2\n    case "c":\n      return 3\n    case "d":\n      return 4\n  }\n}\n',
            'import type { Kind } from "./kind"\nexport const name = (kind: Kind) => {\n  switch (kind) {\n    case "a":\n      return 1\n    case "b":\n      return 2\n    case "c":\n      return 3\n  }\n}\n'
          ]
        },
        {
          "src/kind.ts": ['export type Kind = "a" | "b" | "c" | "d"\n', 'export type Kind = "a" | "b" | "c"\n'],
          "src/name.ts": [
            'import type { Kind } from "./kind"\nexport const name = (kind: Kind) => {\n  switch (kind) {\n    case "a":\n      return 1\n    case "b":\n      return 2\n    case "c":\n      return 3\n  }\n}\n',
            'import type { Kind } from "./kind"\nexport const name = (kind: Kind) => {\n  switch (kind) {\n    case "a":\n      return 1\n    case "b":\n      return 2\n    case "c":\n      return 3\n  }\n}\n'
          ]
        },
        {
          "src/kind.ts": ['export type Kind = "a" | "b" | "c" | "d"\n', 'export type Kind = "a" | "b" | "c"\n'],
          "src/name.ts": [
            'import type { Kind } from "./other"\nexport const name = (kind: Kind) => {\n  switch (kind) {\n    case "a":\n      return 1\n    case "b":\n      return 2\n    case "c":\n      return 3\n    case "d":\n      return 4\n  }\n}\n',
            'import type { Kind } from "./other"\nexport const name = (kind: Kind) => {\n  switch (kind) {\n    case "a":\n      return 1\n    case "b":\n      return 2\n    case "c":\n      return 3\n    case "d":\n      return 4\n  }\n}\n'
          ]
        }
      ]
    }
  }
]
