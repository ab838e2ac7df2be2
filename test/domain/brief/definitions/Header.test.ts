import { describe, expect, test } from "bun:test"
import { changedDefaults, headerKey, headerOf, headerText } from "../../../../src/domain/brief/definitions/Header.ts"
import { lexicons } from "../../../../src/domain/code/Comment.ts"
import type { Definition } from "../../../../src/domain/code/Symbol.ts"

const families = {
  python: lexicons.hash,
  script: lexicons.c,
  go: lexicons.c,
  rust: lexicons.rust,
  java: lexicons.c,
  kotlin: lexicons.c,
  csharp: lexicons.c,
  c: lexicons.c,
  elixir: lexicons.hash,
  ruby: lexicons.hash,
  php: lexicons.php,
  swift: lexicons.c
} as const

const read = (
  family: keyof typeof families,
  text: string,
  name = "total",
  kind: Definition["kind"] = "function",
  container: string | null = null
) => {
  const lines = text.split("\n")
  const definition: Definition = { name, kind, container, signature: null, line: 1, endLine: lines.length, shape: "" }
  const header = headerOf(definition, lines, { comments: families[family], family })
  if (header === null) throw new Error(`no header in ${text}`)
  return header
}

describe("a header", () => {
  test.each([
    [
      "python",
      "def total(items: list[int], *, tax=0) -> int:  # sum\n    return f(1)",
      "total(items: list[int], *, tax=0) -> int"
    ],
    [
      "python",
      "async def total(\n    items,  # of the cart\n    tax=(1, 2),\n):\n    pass",
      "total(items, tax=(1, 2))"
    ],
    [
      "script",
      "export function total<T>(items: Map<string, T>, tax?: number): Promise<T> {",
      "total<T>(items: Map<string, T>, tax?: number): Promise<T>"
    ],
    [
      "script",
      "const total = async ({ a, b }: Props): Promise<{ x: number }> => {",
      "total({ a, b }: Props): Promise<{ x: number }>"
    ],
    ["script", "function total(): { x: number } {\n  return { x: 1 }\n}", "total(): { x: number }"],
    ["script", "const total = item => item.price", "total(item)"],
    [
      "go",
      "func (c *Cart) total(items []Item, opts ...Option) (int, error) {",
      "total(items []Item, opts ...Option) (int, error)"
    ],
    ["go", "func total(a any) map[string]interface{} {", "total(a any) map[string]interface{}"],
    [
      "rust",
      "pub fn total<'a>(items: &'a [Item]) -> Result<u32, Error>\nwhere\n    T: Copy,\n{",
      "total<'a>(items: &'a [Item]) -> Result<u32, Error> where T: Copy,"
    ],
    [
      "java",
      '@Override\n@Path("total")\npublic static Map<String, Integer> total(final List<Item> items) throws IOException {',
      "Map<String, Integer> total(final List<Item> items) throws IOException"
    ],
    [
      "kotlin",
      "suspend fun total(items: List<Item>, tax: Int = 0): Int = items.sum()",
      "total(items: List<Item>, tax: Int = 0): Int"
    ],
    ["csharp", "public async Task<int> total(int a = 1) => a;", "Task<int> total(int a = 1)"],
    ["c", "static int total(const char *name) {", "int total(const char *name)"],
    ["elixir", "def total(items, tax \\\\ 0) do", "total(items, tax=0)"],
    ["ruby", "def total(items, tax: 0)\n  items.sum\nend", "total(items, tax: 0)"],
    [
      "php",
      "public function total(array $items, ?int $tax = null): int\n{",
      "total(array $items, ?int $tax = null): int"
    ],
    ["swift", "func total(of items: [Item]) -> Int {", "total(of items: [Item]) -> Int"]
  ] as const)("of %s (%#)", (family, text, expected) => {
    expect(headerText(read(family, text))).toBe(expected)
  })

  test("of a class has its type parameters, parents and a primary constructor", () => {
    expect(
      headerText(
        read("script", "export class Cart<T extends\n  Item = Item> extends Base<T> implements A {", "Cart", "class")
      )
    ).toBe("Cart<T extends Item = Item> extends Base<T> implements A")
    expect(headerText(read("kotlin", "data class Cart(val items: List<Item>) : Base()", "Cart", "class"))).toBe(
      "Cart(val items: List<Item>): Base()"
    )
    expect(headerText(read("python", "class Cart(Base, metaclass=Meta):\n    x = 1", "Cart", "class"))).toBe(
      "Cart(Base, metaclass=Meta)"
    )
  })

  test("of a constant has its value", () => {
    expect(read("go", "const total = 10 * time.Second", "total", "constant").value).toBe("10 * time.Second")
    expect(read("python", "total: int = 3", "total", "constant")).toMatchObject({ after: ": int", value: "3" })
  })

  test("is the same in another layout", () => {
    const before = read("script", "function total(items: A[], tax = 1): B {")
    const after = read("script", "function total(\n  items: A[], // all\n  tax = 2,\n): B\n{")
    const syntax = { comments: families.script, family: "script" }
    expect(headerKey(before, syntax)).toBe(headerKey(after, syntax))
    expect(changedDefaults(before, after, syntax)).toEqual([{ parameter: "tax", before: "1", after: "2" }])
  })

  test("has type parameters with their defaults, on any number of lines", () => {
    const lines = Array.from({ length: 12 }, (_, at) => `  T${at} = unknown`).join(",\n")
    expect(read("script", `total<\n${lines},\n>(a: T0): T1 {`).name).toMatch(
      /^total<T0 = unknown, .* T11 = unknown,?>$/
    )
  })

  test("leaves out what both sides have, if it is long", () => {
    const many = Array.from({ length: 12 }, (_, at) => `parameter${at}: LongTypeName${at}`).join(", ")
    const before = read("script", `function total(${many}) {`)
    const after = read("script", `function total(${many}, rate: number) {`)
    expect(headerText(after, before)).toBe("total(…, rate: number)")
  })

  test("has the words that differ if the parameters are only in another order", () => {
    const many = Array.from({ length: 12 }, (_, at) => `parameter${at}`)
    const [before, after] = [many.with(3, "*"), many.with(5, "*")].map((each) =>
      read("python", `def total(${each.filter((one) => !/[35]$/.test(one)).join(", ")}):`)
    )
    expect(headerText(before!, after)).toBe("total … *, parameter4, …")
    expect(headerText(after!, before)).toBe("total … parameter4, *, …")
  })

  test("is read from the first 80 lines and 8,000 characters, whatever follows", () => {
    const headerOfText = (text: string) => read("script", `function total(${text}`)
    for (const unit of ["(", "<", "total(", "a,", '"', "/*", "total<", "\n", "a,\n"]) {
      const text = unit.repeat(20_000)
      const seen = text.split("\n").slice(0, 80).join("\n").slice(0, 8_000)
      expect(headerOfText(`${text}rate) {}`)).toEqual(headerOfText(seen))
    }
  })
})
