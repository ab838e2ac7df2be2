/** What a report marks: the words that are wrong, not the line or the expression around them. */
import { describe, expect, test } from "bun:test"
import { splitLines } from "../../src/services/change/Sources.ts"
import type { Texts } from "../support/change.ts"
import { reviewBy, shipped } from "../support/rules.ts"

const marked = async (rule: string, texts: Texts) => {
  const { records } = await reviewBy(shipped(rule), texts)
  return records.flatMap(({ column, endColumn, file, line, related = [] }) =>
    [{ column, endColumn, line }, ...related].map((place) => {
      const head = texts[file]?.[1]
      const text = (typeof head === "string" ? splitLines(head) : [])[place.line - 1] ?? ""
      return place.column == null || place.endColumn == null ? null : text.slice(place.column - 1, place.endColumn - 1)
    })
  )
}

const added = (path: string, text: string): Texts => ({ [path]: [null, text] })

describe("a report marks", () => {
  test("each of several tokens on one line", async () => {
    const [one, two] = ["ghp_Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKpqA", "ghp_q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKp"]
    expect(await marked("secret/provider-token", added("a.py", `a, b = "${one}", "${two}"\n`))).toEqual([one, two])
    const keys = [
      "lin_api_9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT9uV8wX7yZ6",
      "lin_api_7yZ69aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT9uV8wX"
    ]
    expect(await marked("secret/provider-token", added("a.py", `a, b = "${keys.join('", "')}"\n`))).toEqual(keys)
  })

  for (const [rule, path, text, words] of [
    ["go/cancel-function-dropped", "a.go", "ctx, _ := context.WithTimeout(context.Background(), time.Second)", "_"],
    [
      "go/deferred-duration-measured-early",
      "a.go",
      'defer log.Println("took", time.Since(start))',
      "time.Since(start)"
    ],
    ["ts/async-for-each", "a.ts", "xs.forEach(async (x) => { await save(x) })", "xs.forEach"],
    ["ts/async-predicate", "a.ts", "users.some(async (u) => { return await u.isAdmin() })", "users.some"],
    ["ts/predictable-secret", "a.ts", "const resetToken = Math.random().toString(36).slice(2)", "Math.random()"],
    ["py/predictable-secret", "a.py", "user.otp = random.randint(100000, 999999)", "random.randint(100000, 999999)"],
    ["ts/index-past-end", "a.ts", "for (let i = 0; i <= xs.length; i += 1) print(xs[i])", "i <= xs.length"]
  ] as const) {
    const code = path.endsWith(".go") ? `package a\n\nfunc f() {\n\t${text}\n\tuse(ctx)\n}\n` : `${text}\n`
    test(`the words that are wrong: ${rule}`, async () => {
      expect((await marked(rule, added(path, code)))[0]).toBe(words)
    })
  }

  test("the import that breaks a convention, and no line for the name of a file", async () => {
    const text = 'import fs from "node:fs"\nimport { parse } from "./date-parser"\n'
    expect(await marked("history/learned-convention", added("src/report.ts", text))).toEqual(['"./date-parser"'])
    expect(await marked("history/learned-convention", added("src/dateReport.ts", "export const a = 1\n"))).toEqual([
      null
    ])
  })

  test("where a deleted check was, not the line that is there now", async () => {
    const texts: Texts = {
      "shop/order.py": [
        "def pay(order):\n    if order.customer is None:\n        raise MissingCustomer(order)\n    charge(order.customer)\n",
        "def pay(order):\n    charge(order.customer)\n"
      ]
    }
    expect((await marked("history/fix-undone", texts))[0]).toBe("c")
  })
})

describe("a note about a command", () => {
  const noteOf = async (rule: string, path: string, text: string) =>
    (await reviewBy(shipped(rule), added(path, text))).records.map(({ description }) => description.split("\n").at(-1))

  test("is in one line, whole, whatever ends the lines of the call", async () => {
    for (const end of ["\n", "\r\n"]) {
      const text = [
        "import subprocess",
        "def f(c):",
        "    subprocess.call(",
        '        "ls "',
        "        + c,",
        "        shell=True)",
        ""
      ]
      expect((await noteOf("py/shell-injection", "a.py", text.join(end)))[0]).toEndWith('The command is `"ls " + c`.')
    }
  })

  test("quotes a template once, and ends before quotes inside it", async () => {
    const note = async (command: string) =>
      (
        await noteOf(
          "ts/shell-injection",
          "a.ts",
          `import { exec } from "child_process"\nexport const f = (tag: string) => exec(${command})\n`
        )
      )[0]
    expect(await note('`git show-ref "refs/${tag}"`')).toEndWith('The command is `git show-ref "refs/${tag}"`.')
    expect(await note('`ls ${tag ? `-l ${tag}` : ""}`')).toEndWith("The command is `ls ${tag ? …`.")
  })
})
