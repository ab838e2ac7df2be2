import { describe, expect, test } from "bun:test"
import type { NodeChecks } from "../../../src/rules/page/Checks.ts"
import { readPage } from "../../../src/rules/page/readPage.ts"
import { ruleOf } from "../../../src/rules/page/ruleOf.ts"
import { reviewBy } from "../../support/rules.ts"

const file = "src/rules/py/sample.md"

/** A page with this data, and these lines in place of its examples. */
const pageWith = (
  data: string,
  examples = "## Reported\n\n```python\nf()\n```\n\n## Not reported\n\n```python\ng()\n```"
) =>
  `---\n${data}\nreference: CWE-1\n---\n\n# A title\n\nThe first reason,\nin two lines.\n\nThe second reason.\n\n## Fix\n\nCorrect it.\n\n${examples}\n`

const problemsOf = (text: string) => readPage(file, text).problems.map(({ line, problem }) => `${line}: ${problem}`)

/** The rule of a page for Python, with these checks beside it. */
const ruleWith = (data: string, examples?: string, nodeChecks: NodeChecks = {}) => {
  const { page, problems } = readPage(file, pageWith(data, examples))
  expect(problems).toEqual([])
  return ruleOf(page, { py: { stack: "python", languages: ["python"], nodeChecks } })
}

const linesReported = async (rule: ReturnType<typeof ruleOf>, path: string, before: string | null, after: string) => {
  const { problems, records } = await reviewBy([rule], { [path]: [before, after] })
  expect(problems).toEqual([])
  return records.map(({ line }) => line)
}

describe("the page of a rule", () => {
  test("contains the rule, in its front matter and its prose", () => {
    const { examples, page, problems } = readPage(
      file,
      pageWith("severity: high\nconfidence: medium\nnodes: [call]\nkeywords: ['f(']\nin_tests: false\nstack: generic")
    )
    expect(problems).toEqual([])
    expect(page).toEqual({
      id: "py/sample",
      severity: "high",
      confidence: "MEDIUM",
      title: "A title",
      why: "The first reason, in two lines. The second reason.",
      fix: "Correct it.",
      reference: "CWE-1",
      subject: { _tag: "Nodes", types: ["call"], condition: { where: null, unless: null } },
      inTests: false,
      keywords: ["f("],
      stack: "generic"
    })
    expect(examples).toEqual([
      { isReported: true, name: "", files: [{ path: null, before: null, after: "f()\n" }] },
      { isReported: false, name: "", files: [{ path: null, before: null, after: "g()\n" }] }
    ])
  })

  test("has a label that is short and does not repeat the title, which its findings get", async () => {
    const labelled = (label: string) => pageWith(`severity: high\nnodes: [call]\nwhere: '^f'\nlabel: ${label}`)
    expect(problemsOf(labelled("runs twice"))).toEqual([])
    expect(problemsOf(labelled("a Title"))).toEqual(["5: label: it repeats the title; remove it"])
    expect(problemsOf(labelled("x".repeat(61)))).toEqual(["5: label: it has 61 characters; shorten it to 60"])
    const rule = ruleWith("severity: high\nnodes: [call]\nwhere: '^f'\nlabel: runs twice")
    const { records } = await reviewBy([rule], { "a.py": [null, "f()\n"] })
    expect(records).toMatchObject([{ label: "runs twice", column: 1, endColumn: 4 }])
  })

  test("shows code as it is: fences in fences, empty files, characters that have a placeholder", () => {
    const examples = [
      "## Reported\n\n````markdown a.md\n```\ncode\n```\n````\n\nThis one is empty.\n\n```text b.txt\n```",
      "## Not reported\n\n```python c.py\nx⟨ZWSP⟩ = 1\n```"
    ].join("\n\n")
    const read = readPage(file, pageWith(`severity: low\nkind: line\nplaceholders:\n  '⟨ZWSP⟩': "\\u200B"`, examples))
    expect(read.problems).toEqual([])
    expect(read.examples.map(({ files, name }) => [files[0]?.after, name])).toEqual([
      ["```\ncode\n```\n", ""],
      ["", "This one is empty."],
      ["x\u200b = 1\n", ""]
    ])
  })

  test("shows changes by the sides of their files, with modes", () => {
    const examples = [
      "## Reported\n\n### Two files\n\n```text a after\nnew\n```\n\n```text a before\nold\n```\n\n```text b unchanged\nb\n```",
      "### A link\n\n```text l added link\n/etc\n```\n\n```text p deleted\np\n```",
      "## Not reported\n\n### A mode\n\n```text t before\nt\n```\n\n```text t after executable\nt\n```",
      "### A long text\n\n```text w added 3 times\nw\n```"
    ].join("\n\n")
    const read = readPage(file, pageWith("severity: low\nkind: change", examples))
    expect(read.problems).toEqual([])
    expect(read.examples.map(({ files, name }) => [name, ...files])).toEqual([
      ["Two files", { path: "a", before: "old\n", after: "new\n" }, { path: "b", before: "b\n", after: "b\n" }],
      [
        "A link",
        { path: "l", before: null, after: "/etc", modes: ["120000", "120000"] },
        { path: "p", before: "p\n", after: null }
      ],
      ["A mode", { path: "t", before: "t\n", after: "t\n", modes: ["100644", "100755"] }],
      ["A long text", { path: "w", before: null, after: { text: "w\n", times: 3 } }]
    ])
  })

  test("is enough for a rule that finds text in a line; a moved line is not reported", async () => {
    const rule = ruleWith(
      "severity: low\nline: '\\bTODO\\b'\nunless: 'TODO\\('\npaths: ['src/**']",
      "## Reported\n\n```python src/a.py\n# TODO\n```\n\n## Not reported\n\n```python lib/a.py\n# TODO\n```"
    )
    expect(await linesReported(rule, "src/a.py", "# TODO a\n", "\n# TODO a\n# TODO b\n# TODO(me)\n")).toEqual([3])
    expect(await linesReported(rule, "lib/a.py", null, "# TODO b\n")).toEqual([])
    // The area is one of Python.
    expect(await linesReported(rule, "src/a.ts", null, "# TODO b\n")).toEqual([])
  })

  test("is enough for a rule that finds nodes by their text; a check of its name applies as well", async () => {
    const nodes = ruleWith("severity: low\nnodes: [call]\nwhere: '^eval'\nunless: 'literal'")
    expect(await linesReported(nodes, "a.py", null, "eval(x)\nsafe(x)\neval(literal)\n")).toEqual([1])
    const checks = { sample: (node: { readonly text: string }) => node.text.endsWith("(y)") }
    const both = ruleWith("severity: low\nnodes: [call]\nwhere: '^eval'", undefined, checks)
    expect(await linesReported(both, "a.py", null, "eval(x)\nsafe(y)\neval(y)\n")).toEqual([3])
  })

  test("needs a check of its name for conditions that it cannot express, and fails without one", async () => {
    const checks = { sample: (node: { readonly text: string }) => node.text.startsWith("eval") }
    const rule = ruleWith("severity: low\nnodes: [call]", undefined, checks)
    expect(await linesReported(rule, "a.py", null, "safe(x)\neval(x)\n")).toEqual([2])
    expect(() => ruleWith("severity: low\nnodes: [call]")).toThrow(
      'src/rules/py/sample.md: nothing decides what it reports; add "sample" to nodeChecks in src/rules/py/checks.ts'
    )
    const { page } = readPage(file, pageWith("severity: low\nkind: repository"))
    expect(() => ruleOf(page, {})).toThrow("src/rules/py/sample.md: py is no area; add it to the areas")
  })

  test("suggests the first replacement that matches the node or the line", async () => {
    const suggested = async (data: string, path: string, after: string) => {
      const examples = "## Reported\n\n```ts a.ts\nx\n```\n\n## Not reported\n\n```ts a.ts\ny\n```"
      const { records } = await reviewBy([ruleWith(data, examples)], { [path]: [null, after] })
      return records.map(({ suggestion }) => suggestion)
    }
    const call = "severity: low\nnodes: [call]\nwhere: '^(f|g|h)'\nreplace:\n  '^f\\((.*)\\)$': 'safe($1)'\n  '^g': 'k'"
    expect(await suggested(call, "a.py", "x = f(1)\ng(2)\nh(3)\n")).toEqual(["x = safe(1)", "k(2)", undefined])
    const line = "severity: low\nline: 'TODO'\nreplace:\n  '^\\s*# TODO$': ''\n  ' # TODO$': ''"
    expect(await suggested(line, "a.py", "# TODO\nf() # TODO\n# TODO x\n")).toEqual(["", "f()", undefined])
  })

  test("shows the fixed code below the code that is reported", () => {
    const fences = "```python\nf()\n```\n\n```python fixed\ng()\n```\n\n"
    const { examples, problems } = readPage(
      file,
      pageWith("severity: low\nnodes: [call]", `## Reported\n\n${fences}## Not reported\n\n\`\`\`python\ng()\n\`\`\``)
    )
    expect(problems).toEqual([])
    expect(examples.map(({ files }) => files[0]?.fixed)).toEqual(["g()\n", undefined])
    expect(
      problemsOf(pageWith("severity: low\nnodes: [call]", `## Reported\n\n${fences}## Not reported\n\n${fences}`))
    ).toEqual(["34: it fixes nothing; put it below the code that the rule reports"])
    const change = `## Reported\n\n### A\n\n\`\`\`text a added\nold\n\`\`\`\n\n\`\`\`text b fixed\nnew\n\`\`\`\n\n## Not reported\n\n### B\n\n\`\`\`text a added\n\n\`\`\``
    expect(problemsOf(pageWith("severity: low\nkind: change", change))).toEqual([
      "26: the example has no file b; name one of its files"
    ])
  })

  test("that is broken is reported with every line and what to do", () => {
    expect(problemsOf("# No front matter\n")).toContain(
      "1: the front matter is missing; begin the page with --- and end its data with ---"
    )
    expect(
      problemsOf(pageWith("severity: hgh\nnode: [call]\nnodes: [call\nkeywords: f\nin_tests: maybe\nseverity: low"))
    ).toEqual([
      "2: severity: write one of high, medium, low",
      '3: node is not a key of a page (did you mean "nodes"?)',
      "4: nodes: YAML Parse error: Unexpected token; put its text in single quotes",
      "5: keywords: write a list of texts: [one, two]",
      "6: in_tests: write true or false",
      "7: severity is given twice; remove one"
    ])
    expect(problemsOf(pageWith("severity: low\nnodes: [call]\nline: x\nwhere: '('"))).toEqual([
      "1: nodes and line exclude each other; keep one",
      "5: where: Invalid regular expression: missing ); correct the regular expression"
    ])
    expect(problemsOf(pageWith("severity: low\nmisfit: overide\nlanguages: [phyton]", "## Reportd\n"))).toEqual([
      "3: misfit: write one of import-cycle, broken-import-cycle, missing-file, missing-name, uncovered-case, uncompiled-case, stale-case, override, missing-method, stray-override",
      expect.stringContaining('4: languages: phyton is not known (did you mean "python"?)'),
      "6: ## Reported has no example; add one in a fence",
      "6: ## Not reported has no example; add one in a fence",
      '19: there is no section "Reportd"; known: Fix, Reported, Not reported'
    ])
  })

  test("whose examples cannot be read is reported too", () => {
    const lines = "## Reported\n\n```ts\nx\n```\n\n## Not reported\n\n```ts a.ts\nx\n"
    expect(problemsOf(pageWith("severity: low\nkind: line", lines))).toEqual([
      "20: the example needs a path; write it after the language: ```ts src/a.ts",
      "24: ## Not reported has no example; add one in a fence",
      "26: the fence is not closed; end it with ```"
    ])
    const changes =
      "## Reported\n\n```ts a.ts afterwards\nx\n```\n\n## Not reported\n\n### A\n\n```ts a.ts after twice\nx\n```\n"
    expect(problemsOf(pageWith("severity: low\nkind: change", changes))).toEqual([
      "20: an example of a change needs a heading; write ### and what it shows",
      "20: write the path and one of before, after, unchanged, added, deleted after the language: ```ts src/a.ts after",
      '28: "twice" is not known; write link, executable or 3 times'
    ])
  })
})
