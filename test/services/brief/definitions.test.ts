import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as NoFacts from "../../../src/layers/change/facts/None.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { definitionsOf } from "../../../src/services/brief/definitions.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/change.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

const found = (texts: Texts) =>
  parsing.runPromise(
    definitionsOf(changeOf(texts)).pipe(
      Effect.provide(
        SymbolIndex.layer.pipe(
          Layer.provideMerge(SyntaxTrees.layer),
          Layer.provideMerge(sourcesOf(texts, {})),
          Layer.provide(NoFacts.layer)
        )
      )
    )
  )

/** `change kind name line: before -> after`, with `private` in front of what other files cannot use. */
const said = async (texts: Texts): Promise<ReadonlyArray<string>> =>
  (await found(texts)).found.definitions.map(
    ({ after, before, change, file, kind, line, name, public: isPublic }) =>
      `${isPublic ? "" : "private "}${change} ${kind} ${name} ${file}:${line}${before === null ? "" : `: ${before}`}${after === null ? "" : ` -> ${after}`}`
  )

const valued = async (texts: Texts): Promise<ReadonlyArray<string>> =>
  (await found(texts)).found.values.map(
    ({ after, before, change, file, kind, line, name }) =>
      `${change} ${kind} ${name} ${file}:${line}: ${before} -> ${after}`
  )

describe("definitions of a brief", () => {
  test("names added and removed definitions with their signatures", async () => {
    expect(
      await said({
        "shop.py": [
          "def total(items, tax=0):\n    return 1\n",
          "def count(items: list[int], *, unit: str = 'kg') -> int:\n    return len(items)\n"
        ]
      })
    ).toEqual([
      "added function count shop.py:1 -> count(items: list[int], *, unit: str = 'kg') -> int",
      "removed function total shop.py:1: total(items, tax=0)"
    ])
  })

  test("shows a signature before and after", async () => {
    expect(
      await said({
        "shop.ts": [
          "export const total = async <T>(items: T[], tax = 0): Promise<number> => 1\nexport class Cart {\n  add(item: string): void {}\n}\n",
          "export const total = async <T>(items: T[], rate: number): Promise<number> => 1\nexport class Cart {\n  add(item: string, count?: number): void {}\n}\n"
        ]
      })
    ).toEqual([
      "signature function total shop.ts:1: total<T>(items: T[], tax=0): Promise<number> -> total<T>(items: T[], rate: number): Promise<number>",
      "signature method Cart.add shop.ts:3: Cart.add(item: string): void -> Cart.add(item: string, count?: number): void"
    ])
  })

  test("finds a rename, and the members of a renamed class", async () => {
    const methods =
      "  def add(self, item):\n    self.items.append(item)\n  def drop(self, item):\n    self.items.remove(item)\n"
    expect(await said({ "cart.py": [`class Cart:\n${methods}`, `class Basket:\n${methods}`] })).toEqual([
      "renamed class Basket cart.py:1: Cart -> Basket"
    ])
  })

  test("finds a definition in the file that has it now", async () => {
    const body =
      "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n    return result\n"
    expect(
      await said({ "a.py": [`import x\n${body}`, "import x\n"], "b.py": ["import y\n", `import y\n\n${body}`] })
    ).toEqual(["moved function total b.py:3: a.py:2 -> b.py:3"])
    const [edited, renamed] = [body.replace("price", "tax"), body.replace("price", "tax").replace("total", "sum")]
    expect(await said({ "a.py": [`import x\n${body}`, "import x\n"], "b.py": ["", edited] })).toEqual([
      "moved function total b.py:1: a.py:2 -> b.py:1",
      "body function total b.py:1"
    ])
    expect(await said({ "a.py": [body, renamed] })).toEqual([
      "renamed function sum a.py:1: total -> sum",
      "body function sum a.py:1"
    ])
  })

  test("reports visibility, export and async as changes of their own", async () => {
    expect(
      await said({
        "a.ts": [
          "function one() {}\nexport class Cart {\n  two(): void {}\n}\n",
          "export async function one() {}\nexport class Cart {\n  private two(): void {}\n}\n"
        ]
      })
    ).toEqual([
      "async function one a.ts:1: not async -> async",
      "visibility function one a.ts:1: not exported -> exported",
      "private visibility method Cart.two a.ts:3: public -> private"
    ])
  })

  test("counts no body where only a raw string of documentation changed", async () => {
    const text = (more: string) =>
      `def pay(\n    *names: str\n) -> int:\n    r"""Pay.\n\n    ${more}\n    """\n\n    return 1\n`
    expect(await said({ "a.py": [text("More."), text("Much more.")] })).toEqual([])
  })

  test("counts a body, but not white space, comments and documentation", async () => {
    expect(
      await said({
        "a.py": [
          'def one(a):\n    return a\n\ndef two(a):\n    """Old."""\n    return a  # old\n',
          'def one(a):\n    return a + 1\n\ndef two(a):\n    """New\n\n    text."""\n\n    return (\n        a)  # new\n'
        ]
      })
    ).toEqual(["body function one a.py:1", "body function two a.py:4"])
    expect(
      await said({
        "a.py": [
          'def two(a):\n    """Old."""\n    return f(a, b)  # old\n',
          'def two(a):\n    """New\n\n    text."""\n\n    return f(\n        a,\n        b,\n    )  # new\n'
        ]
      })
    ).toEqual([])
  })

  test("reads the members of types", async () => {
    expect(
      await said({
        "a.ts": [
          "export interface Options {\n  name: string\n  old: number\n}\n",
          "export interface Options {\n  name?: string\n  timeout: number\n}\n"
        ]
      })
    ).toEqual([
      "signature field Options.name a.ts:2: Options.name: string -> Options.name?: string",
      "removed field Options.old a.ts:3: Options.old: number",
      "added field Options.timeout a.ts:3 -> Options.timeout: number"
    ])
  })

  test("compares annotations, modifiers and receivers", async () => {
    expect(
      await said({
        "a.py": [
          "class A:\n    def total(self):\n        return 1\n    x: int\n",
          "class A:\n    @property\n    def total(self):\n        return 1\n    x: int = 0\n"
        ],
        "b.ts": [
          "export class B {\n  @Input() name: string\n  total() {}\n}\n",
          "export class B {\n  @Input() readonly name: string\n  static total() {}\n}\n"
        ],
        "c.go": [
          "package c\n\nfunc (c C) Total() {}\n\ntype D interface {\n\tM()\n}\n",
          "package c\n\nfunc (c *C) Total() {}\n\ntype D interface {\n\tM() error\n}\n"
        ],
        "d.rs": [
          "#[derive(Debug)]\npub struct D {\n    pub a: u8,\n}\npub enum E {\n    A(u8),\n}\n",
          "#[derive(Debug, Clone)]\npub struct D {\n    a: u8,\n}\nimpl Drop for D {}\npub enum E {\n    A(u16),\n}\n"
        ]
      })
    ).toEqual([
      "signature method A.total a.py:3: A.total() -> @property A.total()",
      "signature field A.x a.py:5: A.x: int -> A.x: int = 0",
      "signature field B.name b.ts:2: B.name: string -> readonly B.name: string",
      "signature method B.total b.ts:3: B.total() -> static B.total()",
      "signature method C.Total c.go:3: value receiver C.Total() -> pointer receiver C.Total()",
      "signature method D.M c.go:6: D.M() -> D.M() error",
      "signature type D d.rs:2: #[derive(Debug)] D -> #[derive(Debug, Clone)] D",
      "private visibility field D.a d.rs:3: public -> private",
      "signature field E.A d.rs:7: E.A(u8) -> E.A(u16)",
      "added implementation Drop for D d.rs:5 -> Drop for D"
    ])
  })

  test("finds a field below its annotations", async () => {
    const text = (type: string, added: string) =>
      `export class A {\n  @observable\n  name: ${type}\n${added}\n  run() {}\n}\n`
    expect(await said({ "a.ts": [text("string", ""), text("number", "\n  @observable\n  more: string\n")] })).toEqual([
      "signature field A.name a.ts:3: A.name: string -> A.name: number",
      "added field A.more a.ts:6 -> A.more: string"
    ])
  })

  test("keeps the annotations of a type apart from its members on the same line", async () => {
    const text = (traits: string) => `#[derive(${traits})]\npub struct P { pub x: u32, #[serde(skip)] pub y: u32 }\n`
    expect(await said({ "a.rs": [text("Debug, Clone"), text("Debug")] })).toEqual([
      "signature type P a.rs:2: #[derive(Debug, Clone)] P -> #[derive(Debug)] P"
    ])
  })

  test("compares annotations on lines of their own", async () => {
    const text = (route: string, rights: string) =>
      `class A {\n    @Post(${route})\n    @Override\n    public int x() {\n        return 1;\n    }\n\n    @Rights(\n        ${rights}\n    )\n    public int y() {\n        return 1;\n    }\n}\n`
    expect(await said({ "A.java": [text('"/a"', "1"), text('"/b"', "2")] })).toEqual([
      'signature method A.x A.java:4: @Post("/a") int A.x() -> @Post("/b") int A.x()',
      "signature method A.y A.java:11: @Rights(1) int A.y() -> @Rights(2) int A.y()"
    ])
  })

  test("compares exports by other names, and re-exports", async () => {
    expect(
      await said({
        "a.ts": [
          "function one() {}\nexport { one as first }\nexport { two } from './b'\nexport default { a: 1 }\n",
          "function one() {}\nexport { one as second }\nexport { three } from './b'\n"
        ],
        "b/__init__.py": ["from .c import one\nimport os\n", "from .c import two\nimport re\n"]
      })
    ).toEqual([
      "visibility function one a.ts:1: exported as first -> exported as second",
      "added export three a.ts:3 -> three from ./b",
      "removed export two a.ts:3: two from ./b",
      "removed export default a.ts:4: default",
      "added export two b/__init__.py:1 -> two from .c",
      "removed export one b/__init__.py:1: one from .c"
    ])
  })

  test("reads languages that are only indexed", async () => {
    expect(
      await said({
        "a.rb": ["def total(a)\n  a\nend\n", "def total(a, b: 1)\n  a\nend\n"],
        "b.ex": ["defmodule A do\n  def total(a), do: a\nend\n", "defmodule A do\n  defp total(a), do: a\nend\n"],
        "c.kt": ["fun total(a: Int): Int {\n  return a\n}\n", "fun total(a: Int): Int {\n  return a + 1\n}\n"]
      })
    ).toEqual([
      "signature function total a.rb:1: total(a) -> total(a, b: 1)",
      "private visibility function A.total b.ex:2: public -> private",
      "body function total c.kt:1"
    ])
  })

  test("reads the functions that a CommonJS module assigns", async () => {
    const lib =
      "module.exports = function pay(a) {\n  return a\n}\n\nexports.total = (a) => a\n\nCart.prototype.add = function (a) {\n  return a\n}\n\nmodule.exports.tax = function tax(a) {\n  return 1\n}\n"
    const texts = (text: string): Texts => ({
      "lib/pay.js": [text, text.replaceAll("(a)", "(a, b)").replace("1", "2")]
    })
    expect(await said(texts(lib))).toEqual([
      "signature function pay lib/pay.js:1: pay(a) -> pay(a, b)",
      "signature function total lib/pay.js:5: total(a) -> total(a, b)",
      "private signature method Cart.add lib/pay.js:7: Cart.add(a) -> Cart.add(a, b)",
      "signature function tax lib/pay.js:11: tax(a) -> tax(a, b)"
    ])
    expect(
      await said(texts("var app = exports = module.exports = {}\n\napp.use = function use(a) {\n  return a\n}\n"))
    ).toEqual(["signature method app.use lib/pay.js:3: app.use(a) -> app.use(a, b)"])
  })

  test("names changed constants and defaults", async () => {
    expect(
      await valued({
        "a.py": [
          "LIMIT = 10\nNAME = compute()\n\ndef total(items, tax=0):\n    return 1\n",
          "LIMIT = 20\nNAME = other()\n\ndef total(items, tax=1):\n    return 1\n"
        ]
      })
    ).toEqual(["changed constant LIMIT a.py:1: 10 -> 20", "changed default total(tax) a.py:4: 0 -> 1"])
  })

  test("takes the clauses of an Elixir function for its body, and names a changed struct", async () => {
    const text = (first: string, total: number) =>
      `defmodule Shop do\n  defstruct [:name, total: ${total}]\n\n${first}  def pay(nil), do: nil\n  def pay(x), do: x\n\n  def one(%{a: ${total}}), do: 1\nend\n`
    expect(await said({ "a.ex": [text("  def pay(%{a: a}), do: a\n", 0), text("", 1)] })).toEqual([
      "signature field Shop.defstruct a.ex:2: Shop.defstruct [:name, total: 0] -> Shop.defstruct [:name, total: 1]",
      "body function Shop.pay a.ex:4",
      "signature function Shop.one a.ex:7: Shop.one(%{a: 0}) -> Shop.one(%{a: 1})"
    ])
  })

  test("names constants and defaults of which only white space in a string changed", async () => {
    const texts = (gap: string): Record<string, string> => ({
      "a.py": `SEP = ",${gap}"\n\n\ndef cut(a, sep="${gap}"):\n    return a\n\n\n@app.route("/a${gap}b")\ndef page():\n    return 1\n`,
      "a.ts": `export const SEP = ",${gap}";\nexport const WORD = /a${gap}b/;\nexport enum E {\n  A = "x${gap}y",\n}\n`,
      "a.go": `package a\n\nconst Sep = ",${gap}"\n`,
      "a.rs": `pub const SEP: &str = ",${gap}";\n`,
      "A.java": `public class A {\n    public static final String SEP = ",${gap}";\n}\n`,
      "a.rb": `SEP = ",${gap}"\n`
    })
    const [base, head] = [texts("  "), texts(" ")]
    const both = Object.fromEntries(Object.keys(base).map((path) => [path, [base[path]!, head[path]!] as const]))
    expect(await valued(both)).toEqual([
      'changed constant A.SEP A.java:2: ",  " -> ", "',
      'changed constant Sep a.go:3: ",  " -> ", "',
      'changed constant SEP a.py:1: ",  " -> ", "',
      'changed default cut(sep) a.py:4: "  " -> " "',
      'changed constant SEP a.rb:1: ",  " -> ", "',
      'changed constant SEP a.rs:1: ",  " -> ", "',
      'changed constant SEP a.ts:1: ",  " -> ", "',
      'changed constant E.A a.ts:4: "x  y" -> "x y"'
    ])
    expect(await said(both)).toEqual([
      'signature function page a.py:9: @app.route("/a  b") page() -> @app.route("/a b") page()',
      "body constant WORD a.ts:2"
    ])
  })

  test("tells a tuple with one element from its element", async () => {
    const texts: Texts = {
      "a.py": [
        'NAMES = ("a",)\n\n\ndef pay(a, rates=(1,)):\n    return a\n\n\ndef same(a):\n    return pay(a)\n',
        'NAMES = ("a")\n\n\ndef pay(a, rates=(1)):\n    return a\n\n\ndef same(\n    a,\n):\n    return pay(\n        a,\n    )\n'
      ],
      "a.rs": [
        "pub fn one() -> (i32,) {\n    all()\n}\n\npub fn same() {\n    vec![f(1)]\n}\n",
        "pub fn one() -> (i32) {\n    all()\n}\n\npub fn same() {\n    vec![f(\n        1,\n    )]\n}\n"
      ]
    }
    expect(await valued(texts)).toEqual([
      'changed constant NAMES a.py:1: ("a",) -> ("a")',
      "changed default pay(rates) a.py:4: (1,) -> (1)"
    ])
    expect(await said(texts)).toEqual(["signature function one a.rs:1: one() -> (i32,) -> one() -> (i32)"])
  })

  test("names flags with another default, unless several have the name", async () => {
    const flags = (size: string, mode: string, port: string) => ({
      "a.py": `p.add_argument("--size", default=${size})\np.add_argument("--mode", choices=[${mode}], help="x")\n`,
      "a.go": `package a\n\nvar port = flag.Int("port", ${port}, "port ${port}")\n`,
      "c.py": `p.add_argument("--c"${size === "10" ? "" : ", default=False"})\np.add_argument("--d"${size === "10" ? "" : ", default=1"})\n`,
      "b.py": `p.add_argument("--b", default=${size})\nq.add_argument("--b", default=1)\n`
    })
    const [base, head] = [flags("10", '"a", "b"', "80"), flags("20", '"a"', "90")]
    expect(
      await valued({
        "a.py": [base["a.py"], head["a.py"]],
        "a.go": [base["a.go"], head["a.go"]],
        "b.py": [base["b.py"], head["b.py"]],
        "c.py": [base["c.py"], head["c.py"]]
      })
    ).toEqual([
      "changed flag port a.go:3: default=80 -> default=90",
      "changed flag size a.py:1: default=10 -> default=20",
      'changed flag mode a.py:2: choices=["a", "b"] -> choices=["a"]',
      "changed flag d c.py:2: no written default -> default=1"
    ])
  })

  test("names the one method that a route loses", async () => {
    const route = (methods: string) => `@app.route("/a", methods=[${methods}])\ndef a():\n    return 1\n`
    expect(await valued({ "a.py": [route('"GET", "POST"'), route('"GET"')] })).toEqual([
      "removed route POST /a a.py:1: null -> null"
    ])
  })

  test("leaves the comma after a member out of its value", async () => {
    expect(
      await valued({
        "a.ts": ["export enum A {\n  B = 2,\n  C = 3\n}\n", "export enum A {\n  B = 4,\n  C = 3,\n  D = 5\n}\n"]
      })
    ).toEqual(["changed constant A.B a.ts:2: 2 -> 4", "added member A.D a.ts:4: null -> null"])
  })

  test("names added and removed members of a type once", async () => {
    const texts: Texts = {
      "a.ts": [
        'export enum Color {\n  Red,\n  Green\n}\nexport type Size = "s" | "m"\n',
        'export enum Color {\n  Red,\n  Blue\n}\nexport type Size = "s" | "m" | "l"\n'
      ]
    }
    expect(await valued(texts)).toEqual([
      "removed member Color.Green a.ts:2: null -> null",
      "added member Color.Blue a.ts:3: null -> null",
      "added member Size.l a.ts:5: null -> null"
    ])
    expect(await said(texts)).toEqual([])
    const codes = (names: string) => `package a\n\ntype Code int\n\nconst (\n\tOK Code = iota\n${names})\n`
    expect(await said({ "a.go": [codes("\tBad\n"), codes("\tWarn\n\tBad\n")] })).toEqual([])
  })

  test("names environment variables, flags and columns without values, if they are new or gone", async () => {
    expect(
      await valued({
        "a.py": [
          'import os\nx = os.environ["OLD_NAME"]\ny = os.environ["KEPT_NAME"]\n',
          'import os\nx = os.environ["NEW_NAME"]\ny = os.environ["KEPT_NAME"]\nz = os.environ["KEPT_NAME"]\nparser.add_argument("--dry-start")\n'
        ],
        ".env.example": ["", "NEW_NAME=secret\n"],
        "db/migrations/1.sql": [
          null,
          "ALTER TABLE users ADD COLUMN nick_name text;\nALTER TABLE users DROP COLUMN old_nick;\n"
        ]
      })
    ).toEqual([
      "added environment NEW_NAME a.py:2: null -> null",
      "removed environment OLD_NAME a.py:2: null -> null",
      "added flag dry-start a.py:5: null -> null",
      "added column nick_name db/migrations/1.sql:1: null -> null",
      "removed column old_nick db/migrations/1.sql:2: null -> null"
    ])
  })

  test("reads dependencies in manifests and lock files", async () => {
    const { dependencies } = (
      await found({
        "package.json": [
          '{\n  "dependencies": {\n    "a": "^1.2.0",\n    "b": "0.3.1",\n    "gone": "1.0.0"\n  }\n}\n',
          '{\n  "dependencies": {\n    "a": "^2.0.0",\n    "b": "0.3.2",\n    "new": "1.0.0"\n  }\n}\n'
        ],
        "Cargo.lock": [
          '[[package]]\nname = "serde"\nversion = "1.0.1"\n\n[[package]]\nname = "rand"\nversion = "0.8.0"\n',
          '[[package]]\nname = "serde"\nversion = "1.0.2"\n\n[[package]]\nname = "rand"\nversion = "0.9.0"\n'
        ],
        ".github/workflows/ci.yml": ["      - uses: actions/checkout@v3\n", "      - uses: actions/checkout@v4\n"]
      })
    ).found
    expect(
      dependencies.map(
        ({ after, before, file, line, locked, major, name }) =>
          `${name} ${file}:${line} ${before} -> ${after}${major ? " major" : ""}${locked ? " locked" : ""}`
      )
    ).toEqual([
      "a package.json:3 ^1.2.0 -> ^2.0.0 major",
      "b package.json:4 0.3.1 -> 0.3.2",
      "gone package.json:5 1.0.0 -> null",
      "new package.json:5 null -> 1.0.0",
      "actions/checkout .github/workflows/ci.yml:1 v3 -> v4 major",
      "rand Cargo.lock:7 0.8.0 -> 0.9.0 major locked",
      "serde Cargo.lock:3 1.0.1 -> 1.0.2 locked"
    ])
  })

  test("reads the forms of requirements", async () => {
    const module = (...lines: ReadonlyArray<string>) => `module x\n\nrequire (\n\t${lines.join("\n\t")}\n)\n`
    const artifact = (version: string) =>
      `    <dependency>\n      <groupId>org.a</groupId>\n      <artifactId>b</artifactId>\n      <version>${version}</version>\n    </dependency>\n`
    const { dependencies } = (
      await found({
        "go.mod": [
          `${module("a.b/c/v2 v2.1.0", "a.b/d v1.0.0")}replace a.b/e => a.b/f v1.0.0\n`,
          `${module("a.b/c/v3 v3.0.0", "a.b/d/v2 v2.0.0")}replace a.b/e => a.b/f v1.1.0\n`
        ],
        "package.json": [
          '{"dependencies":{"a":"npm:@s/b@^1.0.0","g":"github:u/r"},"engines":{"node":">=16"},"overrides":{"h":"1.0.0"},"resolutions":{"i":"1.0.0"}}',
          '{"dependencies":{"a":"npm:@s/b@^2.0.0","g":"github:u/r#v2"},"engines":{"node":">=18"},"overrides":{"h":"1.1.0"},"resolutions":{"i":"1.1.0"}}'
        ],
        "requirements.txt": [
          "a>=1 ; python_version < '3.8'\nb @ git+https://h/b@v1\nc\n-e git+https://h/d.git@v1#egg=d\n",
          "a >= 2 ; python_version < '3.8'\nb @ git+https://h/b@v2\nc==1\n-e git+https://h/d.git@v2#egg=d\n"
        ],
        ".github/workflows/a.yml": ["    container: node:16\n", "    container: node:20\n"],
        "pom.xml": [artifact("1.0"), artifact("${b.version}")],
        "Cargo.toml": ['[workspace.dependencies]\na = "1.0"\n', '[workspace.dependencies]\na = { version = "1.1" }\n'],
        Gemfile: ['gem "rails", "~> 6.0"\n', 'gem "rails", "~> 7.0"\n']
      })
    ).found
    expect(
      dependencies.map(({ after, before, major, name }) => `${name} ${before} -> ${after}${major ? " major" : ""}`)
    ).toEqual([
      "a.b/c/v3 v2.1.0 -> v3.0.0 major",
      "a.b/d/v2 v1.0.0 -> v2.0.0 major",
      "a.b/f v1.0.0 -> v1.1.0",
      "a npm:@s/b@^1.0.0 -> npm:@s/b@^2.0.0 major",
      "g github:u/r -> github:u/r#v2",
      "h 1.0.0 -> 1.1.0",
      "i 1.0.0 -> 1.1.0",
      "node >=16 -> >=18 major",
      "a 1.0 -> 1.1",
      "rails ~>6.0 -> ~>7.0 major",
      "a >=1 -> >=2 major",
      "b @git+https://h/b@v1 -> @git+https://h/b@v2 major",
      "c  -> ==1",
      "d v1 -> v2 major",
      "node 16 -> 20 major",
      "org.a:b 1.0 -> ${b.version}"
    ])
  })

  test("names columns with another type", async () => {
    expect(
      await valued({
        "db/migrations/1.sql": [null, "ALTER TABLE users ALTER COLUMN age TYPE bigint;\n"],
        "schema.sql": ["CREATE TABLE a (\n  id int,\n  b text\n);\n", "CREATE TABLE a (\n  id bigint,\n  b text\n);\n"]
      })
    ).toEqual([
      "changed column age db/migrations/1.sql:1: null -> null",
      "changed column id schema.sql:2: int -> bigint"
    ])
  })

  test("reads operators, subscripts and members between #if of Swift", async () => {
    const text = (type: string) =>
      `public struct Cart {\n  public static func ~= (a: Cart, b: ${type}) -> Bool { true }\n  public subscript(id: ${type}) -> Int { 1 }\n}\nextension Cart {\n  #if DEBUG\n    @available(*, deprecated, message: "x")\n  #endif\n  public func scope(_ a: ${type}) -> Int {\n    1\n  }\n}\n`
    expect(await said({ "Cart.swift": [text("Int"), text("String")] })).toEqual([
      "signature method Cart.~= Cart.swift:2: Cart.~=(a: Cart, b: Int) -> Bool -> Cart.~=(a: Cart, b: String) -> Bool",
      "signature method Cart.subscript Cart.swift:3: Cart.subscript(id: Int) -> Int -> Cart.subscript(id: String) -> Int",
      "signature method Cart.scope Cart.swift:9: Cart.scope(_ a: Int) -> Int -> Cart.scope(_ a: String) -> Int"
    ])
    expect(
      await said({ "a.rb": ["class A\n  def ==(other)\n  end\nend\n", "class A\n  def ==(that)\n  end\nend\n"] })
    ).toEqual(["signature method A.== a.rb:2: A.==(other) -> A.==(that)"])
  })

  test("counts the body of a type for what has no entry of its own, also beside a changed member", async () => {
    const csharp = (type: string, route: string) =>
      `public class Cart\n{\n    public Cart(${type} size)\n    {\n    }\n\n    [Route("${route}")]\n    public void Add(${type} a)\n    {\n    }\n}\n`
    const kept = csharp("int", "/a").replace("Cart(int", "Cart(long")
    const go = (base: string, type: string) => `package a\n\ntype User struct {\n\t${base}\n\tName ${type}\n}\n`
    expect(
      await said({
        "A.cs": [csharp("int", "/a"), csharp("long", "/a")],
        "B.cs": [kept, csharp("long", "/b")],
        "a.go": [go("Base", "string"), go("*Base", "int")]
      })
    ).toEqual([
      "body class Cart A.cs:1",
      "signature method Cart.Add A.cs:8: void Cart.Add(int a) -> void Cart.Add(long a)",
      'signature method Cart.Add B.cs:8: [Route("/a")] void Cart.Add(int a) -> [Route("/b")] void Cart.Add(long a)',
      "body type User a.go:3",
      "signature field User.Name a.go:5: User.Name string -> User.Name int"
    ])
  })

  test("reads inline modules, extern blocks and re-exports of Rust", async () => {
    const text = (type: string, value: number, names: string) =>
      `pub mod m {\n    pub fn run(a: ${type}) {}\n\n    pub const K: u8 = ${value};\n\n    pub struct S {\n        pub a: ${type},\n    }\n\n    pub mod n {\n        pub struct T;\n    }\n}\n\nextern "C" {\n    pub fn ext(a: ${type}) -> u8;\n}\n\npub use util::${names};\nuse util::own;\n`
    const texts: Texts = { "a.rs": [text("u32", 1, "{one, two}"), text("u64", 2, "{one as first}")] }
    expect(await said(texts)).toEqual([
      "signature function m.run a.rs:2: m.run(a: u32) -> m.run(a: u64)",
      "signature field m.S.a a.rs:7: m.S.a: u32 -> m.S.a: u64",
      "signature function ext a.rs:16: ext(a: u32) -> u8 -> ext(a: u64) -> u8",
      "added export first a.rs:19 -> first from util::one",
      "removed export one a.rs:19: one from util::one",
      "removed export two a.rs:19: two from util::two"
    ])
    expect(await valued(texts)).toEqual(["changed constant m.K a.rs:4: 1 -> 2"])
  })

  test("states no name of a part that the parser does not understand, on either side", async () => {
    const read = 'import os\n\ndef f():\n    return os.environ["SHOP_RATE"]\n'
    const broken = 'import os\n\ndef f(:\n    return = os.environ["SHOP_RATE"] os.environ["SHOP_TAX"]\n'
    const flag = "\n\ndef g(p):\n    p.add_argument('--fast')\n"
    expect(await valued({ "a.py": [read, read + flag] })).toEqual(["added flag fast a.py:8: null -> null"])
    expect(await valued({ "a.py": [broken, read + flag] })).not.toContain(
      "added environment SHOP_RATE a.py:4: null -> null"
    )
    expect(await valued({ "a.py": ["import os\n", broken] })).toEqual([])
  })

  test("names files that the parser understands only in part", async () => {
    const text = (type: string) => `class A {\n  func a(b: ${type} {}\n}\n`
    expect((await found({ "a.swift": [text("Int"), text("String")] })).omitted).toEqual([
      "definitions at a.swift:2, which the parser did not understand"
    ])
  })

  test("states nothing of a part that the parser does not understand, in any language", async () => {
    const files: ReadonlyArray<readonly [string, string, string]> = [
      [
        "P.swift",
        "final class P {\n  var value: Int = 0\n  func run(a: Int) {}\n}\n",
        "final class P {\n  nonisolated(unsafe) var value: Int = 0\n  func run(a: Int) {}\n}\n"
      ],
      [
        "Q.swift",
        "func run(f: (Int) -> Void) {\n  f(1)\n}\n",
        "func run(f: @escaping @Sendable (Int) -> Void = ) {\n  f(1)\n}\n"
      ],
      [
        "a.kt",
        "class P {\n  val value = 1\n  fun run(a: Int) {}\n}\n",
        "class P {\n  val @ value = 1\n  fun run(a: Int) {}\n}\n"
      ],
      [
        "a.cpp",
        "struct P {\n  int value;\n  int run(int a);\n};\n",
        "struct P {\n  int @@ value;\n  int run(int a);\n};\n"
      ],
      [
        "a.cs",
        "class P {\n  int Value;\n  int Run(int a) { return a; }\n}\n",
        "class P {\n  int @@ Value;\n  int Run(int a) { return a; }\n}\n"
      ],
      [
        "a.php",
        "<?php\nclass P {\n  public $value = 1;\n  function run($a) {}\n}\n",
        "<?php\nclass P {\n  public @@ $value = 1;\n  function run($a) {}\n}\n"
      ],
      [
        "A.java",
        "class P {\n  public int value;\n  public int run(int a) { return a; }\n}\n",
        "class P {\n  public int @@ value;\n  public int run(int a) { return a; }\n}\n"
      ],
      [
        "a.ts",
        "export class P {\n  value = 1\n  run(a: number) {}\n}\n",
        "export class P {\n  @@ value = 1\n  run(a: number) {}\n}\n"
      ],
      ["a.py", "def value(a):\n    return a\n", "def value(a b):\n    return a\n"],
      [
        "a.go",
        "package a\n\nfunc Value(a int) int {\n\treturn a\n}\n",
        "package a\n\nfunc Value(a int @@ b) int {\n\treturn a\n}\n"
      ],
      ["a.rs", "pub fn value(a: u8) -> u8 {\n    a\n}\n", "pub fn value(a @@ u8) -> u8 {\n    a\n}\n"],
      ["a.rb", "class P\n  def value(a)\n    a\n  end\nend\n", "class P\n  def value(a @@ )\n    a\n  end\nend\n"]
    ]
    for (const [path, good, broken] of files) {
      for (const sides of [
        [good, broken],
        [broken, good]
      ] as const) {
        const texts: Texts = { [path]: sides }
        expect([path, await said(texts)]).toEqual([path, []])
        expect([path, (await found(texts)).omitted.join()]).toEqual([
          path,
          expect.stringContaining(`definitions at ${path}:`)
        ])
      }
    }
  })

  test("knows that members of a private type cannot be used elsewhere", async () => {
    const java = (type: string) =>
      `public class Outer {\n    private static class In {\n        public int run(${type} a) {\n            return 1;\n        }\n    }\n}\n`
    const swift = (more: string) => `private enum Kind {\n  case a\n${more}  var label: String { "a" }\n}\n`
    const csharp = (type: string) => `public interface IShape\n{\n    double Area(${type} unit);\n}\n`
    expect(
      await said({
        "A.cs": [csharp("int"), csharp("long")],
        "A.java": [java("int"), java("long")],
        "a.swift": [swift(""), swift("  var size: Int { 1 }\n")]
      })
    ).toEqual([
      "signature method IShape.Area A.cs:3: double IShape.Area(int unit) -> double IShape.Area(long unit)",
      "private signature method Outer.In.run A.java:3: int Outer.In.run(int a) -> int Outer.In.run(long a)",
      "private added field Kind.size a.swift:3 -> Kind.size: Int"
    ])
  })

  test("reads members on the line of their type, and only those that differ", async () => {
    expect(
      await said({
        "a.ts": [
          "export interface Opts { pay(a: number): void; size: number }\nexport class Till { static pay(a: number) { return a } b = 1 }\n",
          "export interface Opts { pay(a: string): void; size: number }\nexport class Till { static pay(a: string) { return a } b = 1 }\n"
        ],
        "Pay.java": [
          "public record Pay(int a) { public int pay(int b) { return b; } }\n",
          "public record Pay(int a) { public int pay(long b) { return b; } }\n"
        ],
        "Shop.java": ["public interface Shop { int buy(int a); }\n", "public interface Shop { int buy(long a); }\n"],
        "Pay.cs": [
          "public class Pay { public int PayOrder(int a) => a; }\n",
          "public class Pay { public int PayOrder(long a) => a; }\n"
        ],
        "Pay.php": [
          "<?php\nclass Pay { public function pay($a) { return $a; } public function other($a) { return 2; } }\n",
          "<?php\nclass Pay { public function pay($a, $b) { return $a; } public function other($a) { return 2; } }\n"
        ]
      })
    ).toEqual([
      "signature method Pay.PayOrder Pay.cs:1: int Pay.PayOrder(int a) -> int Pay.PayOrder(long a)",
      "signature method Pay.pay Pay.java:1: int Pay.pay(int b) -> int Pay.pay(long b)",
      "signature method Pay.pay Pay.php:2: Pay.pay($a) -> Pay.pay($a, $b)",
      "signature method Shop.buy Shop.java:1: int Shop.buy(int a) -> int Shop.buy(long a)",
      "signature field Opts.pay a.ts:1: Opts.pay(a: number): void -> Opts.pay(a: string): void",
      "signature method Till.pay a.ts:2: Till.pay(a: number) -> Till.pay(a: string)"
    ])
  })

  test("counts accessors, restricted visibility, a default body and the value of an alias", async () => {
    expect(
      await said({
        "A.cs": [
          "public class A {\n  public int Count { get; private set; }\n}\npublic enum Kind {\n  One = 1,\n}\n",
          "public class A {\n  public int Count { get; set; }\n}\npublic enum Kind {\n  One = 1,\n  Two = 2,\n}\n"
        ],
        "Rank.java": [
          "public interface Rank {\n  default int rank() {\n    return 1;\n  }\n}\n",
          "public interface Rank {\n  int rank();\n}\n"
        ],
        "a.go": [
          "package a\n\ntype Alias = User\n\ntype Num interface{ ~int | ~string }\n",
          "package a\n\ntype Alias User\n\ntype Num interface{ ~int }\n"
        ],
        "a.py": [
          "class A:\n    @property\n    def name(self):\n        return 1\n\n    @name.setter\n    def name(self, value):\n        pass\n",
          "class A:\n    @property\n    def name(self):\n        return 1\n"
        ],
        "a.rs": ["pub struct A {\n    pub(crate) total: u64,\n}\n", "pub struct A {\n    pub total: u64,\n}\n"]
      })
    ).toEqual([
      "signature field A.Count A.cs:2: int A.Count { get; private set; } -> int A.Count { get; set; }",
      "added field Kind.Two A.cs:6 -> Kind.Two = 2",
      "signature method Rank.rank Rank.java:2: int Rank.rank() { … } -> int Rank.rank()",
      "signature type Alias a.go:3: Alias = User -> Alias User",
      "signature type Num a.go:5: Num interface{ ~int | ~string } -> Num interface{ ~int }",
      "signature method A.name a.py:7: @name.setter A.name(value)",
      "visibility field A.total a.rs:2: internal -> public"
    ])
  })

  test("compares the value of each of several names", async () => {
    const texts: Texts = {
      "a.go": ["package a\n\nvar A, B = 1, 2\n", "package a\n\nvar A, B = 1, 3\n"],
      "a.ts": [
        'export enum Status { Open = "open", Closed = "closed" }\n',
        'export enum Status { Open = "open", Closed = "done" }\n'
      ],
      "b.ts": ["export enum Bit {\n  A = 1,\n  B = 2,\n}\n", "export enum Bit {\n  A = 1,\n  B = 4,\n}\n"]
    }
    expect(await said(texts)).toEqual([])
    expect(await valued(texts)).toEqual([
      "changed constant B a.go:3: 2 -> 3",
      'changed constant Status.Closed a.ts:1: "closed" -> "done"',
      "changed constant Bit.B b.ts:3: 2 -> 4"
    ])
  })

  test("leaves the tests in a Rust file out", async () => {
    const texts = (tests: string, type: string) =>
      `#[test]\nfn adds() {}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n${tests}}\n\npub fn last(a: ${type}) {}\n`
    expect(
      await said({
        "a.rs": [
          texts("", "u8"),
          `${texts("    #[test]\n    fn one() {}\n", "u16")}\n#[tokio::test]\n#[ignore]\nasync fn two() {}\n`
        ]
      })
    ).toEqual(["signature function last a.rs:11: last(a: u8) -> last(a: u16)"])
  })

  test("reads the manifests and lock files of more tools, and tells peers from dependencies", async () => {
    const texts = (peer: string, version: string): Readonly<Record<string, string>> => ({
      "package.json": `{\n  "peerDependencies": { "react": ">=${peer}" },\n  "devDependencies": { "react": "^18.0" }\n}\n`,
      "Package.resolved": `"location" : "https://h/o/swift-nav.git",\n"state" : {\n  "revision" : "a",\n  "version" : "${version}"\n`,
      Pipfile: `[packages]\nflask = "==${version}"\n`,
      "Pipfile.lock": `        "flask": {\n            "version": "==${version}"\n`,
      "packages.lock.json": `      "Json.Net": {\n        "requested": "[1, )",\n        "resolved": "${version}"\n`,
      "gradle.lockfile": `a.b:c:${version}=compileClasspath\n`,
      Podfile: `pod 'Pay', '~> ${version}'\n`,
      "Podfile.lock": `PODS:\n  - Pay (${version}):\n`,
      "pubspec.yaml": `dependencies:\n  http: ^${version}\n`,
      "pubspec.lock": `  http:\n    description:\n      name: http\n      sha256: "${version}"\n    version: "${version}"\n`
    })
    const [base, head] = [texts("16", "1.0.0"), texts("18", "1.1.0")]
    const changed = Object.fromEntries(Object.keys(base).map((path) => [path, [base[path]!, head[path]!] as const]))
    const { dependencies } = (await found(changed)).found
    expect(dependencies.map(({ after, before, line, name }) => `${name} ${before} -> ${after} ${line}`)).toEqual([
      "react (peer) >=16 -> >=18 2",
      "flask ==1.0.0 -> ==1.1.0 2",
      "Pay ~>1.0.0 -> ~>1.1.0 1",
      "http ^1.0.0 -> ^1.1.0 2",
      "swift-nav 1.0.0 -> 1.1.0 4",
      "flask 1.0.0 -> 1.1.0 2",
      "Json.Net 1.0.0 -> 1.1.0 3",
      "a.b:c 1.0.0 -> 1.1.0 1",
      "Pay 1.0.0 -> 1.1.0 2",
      "http 1.0.0 -> 1.1.0 5"
    ])
  })

  test("says that examples, manifests of tests and indirect dependencies are left out", async () => {
    const { found: facts, omitted } = await found({
      "samples/a.py": ["", "def a():\n    pass\n"],
      "tests/go.mod": ["module x\n", "module x\n\nrequire a.b/c v1.0.0\n"],
      "go.mod": ["module x\n\nrequire a.b/c v1.0.0 // indirect\n", "module x\n"]
    })
    expect(facts.dependencies).toEqual([])
    expect(omitted).toEqual([
      "definitions in 1 changed file of examples, fixtures and benchmarks",
      "dependencies in 1 changed manifests of tests and examples",
      "1 indirect dependencies that a manifest adds or removes"
    ])
  })

  test("leaves tests and vendored files out", async () => {
    expect(
      await said({
        "samples/a.py": ["", "def a():\n    pass\n"],
        "test_a.py": ["", "def test_a():\n    pass\n"],
        "vendor/a.py": ["", "def a():\n    pass\n"]
      })
    ).toEqual([])
  })

  test("reads packages below src/main whose name is that of examples", async () => {
    expect(
      await said({ "src/main/java/org/samples/A.java": ["class A {}\n", "class A {\n  public void b() {}\n}\n"] })
    ).toEqual(["added method A.b src/main/java/org/samples/A.java:2 -> void A.b()"])
  })

  test.each([
    ["a.ts", "export function b( { @@ ]] }\n", "export function b() { }\n", "export function c() { return 2 }\n"],
    ["b.js", "export const b = ( => {\n", "export const b = () => 1\n", "export const c = 2\n"],
    ["d.ts", "export function b() {\n", "export function b() {}\n", "export function c() { return 2 }\n"],
    ["m/__init__.py", "from .b import (b, @@\n", "from .b import b\n", "from .c import c\n"],
    ["a.rs", "pub use b::{b @@ ;\n", "pub use b::b;\n", "pub use c::c;\n"],
    ["a.kt", "fun b( { @@ ]] }\n", "fun b() { }\n", "fun c() = 2\n"],
    ["a.swift", "func b( { @@ ]] }\n", "func b() { }\n", "func c() -> Int { 2 }\n"],
    ["a.go", "func b( { @@ ]] }\n", "func b() { }\n", "func c() int { return 2 }\n"],
    ["a.php", "<?php function b( { @@ ]] }\n", "<?php function b() { }\n", "function c() { return 2; }\n"],
    ["a.cs", "class B { @@ ]] }\n", "class B { }\n", "class C { int d() { return 2; } }\n"],
    ["a.rb", "def b( { @@ ]]\nend\n", "def b\nend\n", "def c\n  2\nend\n"],
    ["a.java", "class B { @@ ]] }\n", "class B { }\n", "class C { int d() { return 2; } }\n"],
    ["a.c", "int b( { @@ ]] }\n", "int b() { }\n", "int c() { return 2; }\n"]
  ])("has no fact of what follows an unread part: %s", async (path, broken, repaired, rest) => {
    const names = (facts: ReadonlyArray<string>) => facts.filter((fact) => /\b[cdC]\b(?!\/|\.(?:ts|c):)/.test(fact))
    expect(names(await said({ [path]: [broken + rest, repaired + rest] }))).toEqual([])
    expect(names(await said({ [path]: [repaired + rest, broken + rest] }))).toEqual([])
  })

  test.each([
    [
      "a.swift",
      "class P {\n",
      "func run(_ f: @escaping (Int) -> Void) { go() }",
      "func run(_ f: @escaping (Int, Int) -> Void) { go() }"
    ],
    ["a.swift", "class P {\n", "init(_ f: @escaping () -> Int) { go() }", "init(_ f: @escaping () -> String) { go() }"],
    [
      "a.swift",
      "class P {\n",
      "func run(_ f: (@escaping (Int) -> Void)) { go() }",
      "func run(_ f: (@escaping (String) -> Void)) { go() }"
    ],
    [
      "a.swift",
      "class P {\n",
      "func run(f: @escaping @Sendable (Int) -> Void = { _ in }) { go() }",
      "func run(f: @escaping @Sendable (String) -> Void = { _ in }) { go() }"
    ],
    ["a.swift", "class P {\n", "func run(f: @escaping () -> Void) { go() }", "func run(f: () -> Void) { go() }"],
    ["a.swift", "class P {\n", "@inlinable func run() { go() }", "@inlinable nonisolated func run() { go() }"],
    [
      "a.swift",
      "protocol P {\n",
      "func run(_ f: @escaping (Int) -> Void)",
      "func run(_ f: @escaping (String) -> Void)"
    ],
    ["a.swift", "protocol P {\n", "var run: Int { get }", "var run: Int { get set }"],
    ["a.swift", "enum P {\n", "case run(error: Error)", "case run(error: any Error)"],
    ["a.swift", "enum P {\n", "case run(() -> Int)", "case run(@Sendable () -> Int)"],
    [
      "a.kt",
      "class P {\n",
      "fun run(f: @Composable () -> Unit) { go() }",
      "fun run(f: @Composable (Int) -> Unit) { go() }"
    ],
    ["a.kt", "interface P {\n", "fun run(f: Int)", "fun run(f: String)"],
    ["a.kt", "class P {\n", "infix fun run(f: Int) = go()", "fun run(f: Int) = go()"],
    [
      "a.php",
      "<?php\nclass P {\n",
      "#[A] public function run(int $x) { go(); }",
      "#[A] public function run(string $x) { go(); }"
    ],
    [
      "a.php",
      "<?php\nclass P {\n",
      "#[A] public function run(int $x) { go(); }",
      "#[B] public function run(int $x) { go(); }"
    ],
    ["a.php", "<?php\nclass P {\n", "private int $run = 1;", "private string $run = 1;"],
    [
      "a.php",
      "<?php\nclass P {\n",
      "private int $d = 1;\npublic function k() {}",
      "private string $d = 1;\npublic function k() {}"
    ],
    ["a.php", "<?php\nclass P {\n", "const int run = 1;", "const string run = 1;"],
    ["a.php", "<?php\nclass P {\n", "public int $run { get => 1; }", "public string $run { get => 1; }"],
    ["a.cs", "class P {\n", "private int run = 1;", "private string run = 1;"],
    ["a.cs", "class P {\n", "public partial int run() { go(); }", "public extern int run() { go(); }"],
    ["a.java", "class P {\n", "synchronized int run() { go(); }", "int run() { go(); }"],
    ["a.cpp", "class P {\n", "explicit P(int a) { go(); }", "P(int a) { go(); }"],
    ["a.ts", "class P {\n", "declare run: number", "declare run: string"],
    ["a.rs", "impl P {\n", "default fn run() { go() }", "fn run() { go() }"],
    ["a.go", "", "func run(f func(int)) { go_() }", "func run(f func(string)) { go_() }"],
    ["a.py", "class P:\n", " def run(self, f: int) -> int: go()", " def run(self, f: int) -> str: go()"],
    ["a.rb", "class P\n", "def run(f) = go", "def run(g) = go"]
  ])("never calls another header a body: %s %s%s", async (path, type, before, after) => {
    const close = /\.(?:py|go)$/.test(path) ? "" : path.endsWith("rb") ? "\nend" : "\n}"
    const facts = await said({ [path]: [`${type}${before}${close}\n`, `${type}${after}${close}\n`] })
    expect(facts).toHaveLength(1)
    expect(facts[0]).toMatch(/^(?:private )?signature /)
  })

  test.each([
    ["a.swift", "public struct P {}", "struct P {}", "public -> internal"],
    ["a.swift", "struct P {}", "fileprivate struct P {}", "internal -> fileprivate"],
    ["a.kt", "class P {}", "internal class P {}", "public -> internal"],
    [
      "a.php",
      "<?php class P { function run() { } }",
      "<?php class P { private function run() { } }",
      "public -> private"
    ]
  ])("tells a visibility that one side does not write: %s %s -> %s", async (path, before, after, told) => {
    const facts = await said({ [path]: [`${before}\n`, `${after}\n`] })
    expect(facts).toHaveLength(1)
    expect(facts[0]).toMatch(new RegExp(`^(?:private )?visibility .*: ${told}$`))
  })

  test.each([
    ["a.java", "enum P {\n  A(1);\n}\n", "enum P {\n  A(2);\n}\n"],
    ["a.kt", "enum class P(val x: Int) {\n  A(1)\n}\n", "enum class P(val x: Int) {\n  A(2)\n}\n"],
    ["a.swift", "let A = b(1)\n", "let A = b(2)\n"],
    ["a.ts", "export const A = b(1)\n", "export const A = b(2)\n"],
    ["a.ts", "export const A = (b: number) => c(1)\n", "export const A = (b: number) => c(2)\n"],
    ["a.kt", "val A by lazy { 1 }\n", "val A by lazy { 2 }\n"],
    ["a.cpp", "class P {\n  A() : b(1) {}\n};\n", "class P {\n  A() : b(2) {}\n};\n"],
    ["a.cpp", "int A(c(1));\n", "int A(c(2));\n"],
    ["a.cs", "class P {\n  int A => b(1);\n}\n", "class P {\n  int A => b(2);\n}\n"],
    ["a.go", "package p\n\nvar A = b(1)\n", "package p\n\nvar A = b(2)\n"],
    ["a.rs", "static A: B = b(1);\n", "static A: B = b(2);\n"],
    ["a.rb", "A = b(1)\n", "A = b(2)\n"],
    ["a.ex", "defmodule P do\n  def a, do: b(1)\nend\n", "defmodule P do\n  def a, do: b(2)\nend\n"],
    ["a.php", "<?php\nclass P {\n  const A = B + 1;\n}\n", "<?php\nclass P {\n  const A = B + 2;\n}\n"]
  ])("calls another value a body: %s %s", async (path, before, after) => {
    const facts = await said({ [path]: [before, after] })
    expect(facts.filter((fact) => !/^(?:private )?body /.test(fact))).toEqual([])
    expect(facts).not.toEqual([])
  })

  test("shows the annotations of a type of Swift", async () => {
    expect(
      await said({
        "a.swift": ["func run(_ f: @autoclosure () -> Int) {}\n", "func run(_ f: @autoclosure () -> Bool) {}\n"]
      })
    ).toEqual([
      "signature function run a.swift:1: run(_ f: @autoclosure () -> Int) -> run(_ f: @autoclosure () -> Bool)"
    ])
  })

  test("names a conversion of C++ that changed its type without a body", async () => {
    expect(
      await said({
        "a.cpp": ["class P {\n  operator int() { return 1; }\n};\n", "class P {\n  operator long() { return 1; }\n};\n"]
      })
    ).toEqual(["renamed method P.operator long a.cpp:2: P.operator int -> P.operator long"])
  })

  test("names the languages that it does not read", async () => {
    expect((await found({ "a.scala": ["object A", "object B"] })).omitted).toEqual([
      "definitions in Scala files, which dd cannot parse"
    ])
  })
})
