/** Which changed files are read as code, and what coverage and brief say about the others, through the compiled binary. */
import { describe, expect, test } from "bun:test"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

type Files = Readonly<Record<string, string>>

/** The review of a commit with the second files on one with the first. `args`: files to delete, or `--diff-file`. */
const reviewOf = async (before: Files, after: Files, ...args: ReadonlyArray<string>) => {
  using place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("Begin", { "README.md": "# Shop\n", ...before })
  for (const path of args.filter((each) => each in before)) rmSync(repository.path(path))
  repository.commit("Change", after)
  const patch = join(place.path, "change.patch")
  writeFileSync(patch, repository.git("diff", "--no-ext-diff", "--binary", "HEAD~1", "HEAD"))
  const env = { PATH: systemPath, HOME: place.path }
  const selected = args.includes("--diff-file") ? ["--diff-file", patch] : ["--commit", "HEAD"]
  const call = await run([dd, "review", ...selected, "--format", "json"], { cwd: repository.root, env })
  const report = JSON.parse(call.stdout)
  const text = await run([dd, "review", ...selected], { cwd: repository.root, env })
  const found: ReadonlyArray<{ rule: string; file: string; line: number; column?: number; description: string }> =
    report.findings
  const coverage: ReadonlyArray<{ path: string; status: string; reason: string }> = report.coverage.files
  return {
    places: found.map(({ file, line, rule }) => `${rule} ${file}:${line}`).sort(),
    found,
    coverage: Object.fromEntries(coverage.map(({ path, reason, status }) => [path, `${status}: ${reason}`])),
    status: report.status,
    text: text.stdout
  }
}

const python = "def total(items, seen=[]):\n    breakpoint()\n    seen.append(1)\n    return seen\n"
const script = "function total(items) {\n  debugger;\n  return items;\n}\n"

describe("the rules of its language run on a file", () => {
  test("that is code by its name, by its ending in any case, by its first line or by a modeline", async () => {
    const ofPython = { "A.PY": "", SConstruct: "", wscript: "", "w.pyw": "", "sub/SConscript": "" }
    const shebangs = {
      tool: "#!/usr/bin/env python3\n",
      uvtool: "#!/usr/bin/env -S uv run --script\n",
      pytool: "#!/usr/bin/python3.12 -u\n",
      polyglot: "#!/bin/sh\n# -*- mode: python -*-\n",
      emacs: "# -*- mode: python; coding: utf-8 -*-\n",
      vim: "# vim: set ft=python :\n"
    }
    const after = {
      ...Object.fromEntries(Object.keys(ofPython).map((path) => [path, python])),
      ...Object.fromEntries(Object.entries(shebangs).map(([path, first]) => [path, `${first}${python}`])),
      "a.JS": script,
      "b.Cjs": script,
      bin: `#!/usr/bin/env node\n${script}`,
      dev: `#!/usr/bin/env -S deno run --allow-all\n${script}`,
      "rtool.cgi": "#!/usr/bin/ruby\ndef total\n  binding.pry\nend\n",
      Guardfile: "def total\n  binding.pry\nend\n"
    }
    const { coverage, places } = await reviewOf({}, after)
    expect(coverage).toEqual(Object.fromEntries(Object.keys(after).map((path) => [path, "reviewed: "])))
    expect(places).toEqual(
      [
        ...Object.keys(ofPython).flatMap((path) => [`py/breakpoint-left ${path}:2`, `py/mutable-default ${path}:1`]),
        ...Object.entries(shebangs).flatMap(([path, first]) => {
          const line = first.split("\n").length
          return [`py/breakpoint-left ${path}:${line + 1}`, `py/mutable-default ${path}:${line}`]
        }),
        "js/breakpoint-left a.JS:2",
        "js/breakpoint-left b.Cjs:2",
        "js/breakpoint-left bin:3",
        "js/breakpoint-left dev:3",
        "rb/breakpoint-left Guardfile:2",
        "rb/breakpoint-left rtool.cgi:3"
      ].sort()
    )
  })

  test("whose edited lines are far from the first line, which names the language", async () => {
    const far = Array.from({ length: 40 }, (_, at) => `x${at} = ${at}\n`).join("")
    const before = `#!/usr/bin/env python3\n${far}`
    const { coverage, places, text } = await reviewOf({ tool: before }, { tool: `${before}${python}` })
    expect(coverage).toEqual({ tool: "reviewed: " })
    expect(places).toEqual(["py/breakpoint-left tool:43", "py/mutable-default tool:42"])
    expect(text).toContain("added function total(items, seen=[])  tool:42")
  })

  test("that has scripts, at their lines and columns, and coverage says what was read", async () => {
    const after = {
      "C.vue":
        '<template>\n  <p>debugger</p>\n</template>\n<script setup lang="ts">\nconst x: number = 1\ndebugger;\nif (x == NaN) y()\n</script>\n',
      "S.svelte": "<script>\n  let x = 1;\n  debugger;\n</script>\n<p>{x}</p>\n",
      "i.html":
        '<body>\n<!-- <script>debugger;</script> -->\n<script type="application/json">{"a": 1}</script>\n<p a=">">é</p><script>x(); debugger;</script>\n</body>\n',
      "p.astro": "---\nconst x = 1;\ndebugger;\n---\n<p>{x}</p>\n<script>\n  debugger;\n</script>\n"
    }
    const { coverage, found, places } = await reviewOf({}, after)
    expect(places).toEqual([
      "js/breakpoint-left C.vue:6",
      "js/breakpoint-left S.svelte:3",
      "js/breakpoint-left i.html:4",
      "js/breakpoint-left p.astro:3",
      "js/breakpoint-left p.astro:7",
      "ts/nan-comparison C.vue:7"
    ])
    expect(found.find(({ file }) => file === "i.html")?.column).toBe(28)
    expect(coverage).toEqual(
      Object.fromEntries(Object.keys(after).map((path) => [path, "reviewed: only its scripts were checked"]))
    )
  })

  test("that is a notebook, with the cell and its line, or the notebook is unread", async () => {
    const cells = [
      { cell_type: "markdown", metadata: {}, source: ["breakpoint()\n", "text"] },
      { cell_type: "code", execution_count: null, metadata: {}, outputs: [], source: ["%%bash\n", "breakpoint()\n"] },
      {
        cell_type: "code",
        execution_count: null,
        metadata: {},
        outputs: [{ output_type: "stream", name: "stdout", text: ["breakpoint()\n"] }],
        source: ["!pip install x\n", "def total(items, seen=[]):\n", '    seen.append("a\\n")\n', "    breakpoint()"]
      }
    ]
    const book = { cells, metadata: { kernelspec: { language: "python" } }, nbformat: 4, nbformat_minor: 5 }
    const other = { ...book, metadata: { kernelspec: { language: "R" } } }
    const { coverage, found, status } = await reviewOf(
      {},
      {
        "a.ipynb": `${JSON.stringify(book, null, 1)}\n`,
        "line.ipynb": JSON.stringify(book),
        "r.ipynb": JSON.stringify(other, null, 1),
        "old.ipynb": "{}\n"
      }
    )
    expect(found.map(({ description, file, rule }) => `${rule} ${file}: ${description}`)).toEqual([
      "py/breakpoint-left a.ipynb: Breakpoint is left in the code: `breakpoint()`. Cell 3, line 4.",
      "py/mutable-default a.ipynb: Mutable default argument is modified: `def total(items, seen=[]):`. Cell 3, line 2."
    ])
    const lines = JSON.stringify(book, null, 1).split("\n")
    expect(found.map(({ line }) => lines[line - 1]?.trim())).toEqual([
      '"    breakpoint()"',
      '"def total(items, seen=[]):\\n",'
    ])
    expect(coverage).toEqual({
      "a.ipynb": "reviewed: only its code cells were checked",
      "line.ipynb": "unread: a notebook that does not have each line of code on a line of its own",
      "r.ipynb": "unread: a notebook in R, a language without rules",
      "old.ipynb": "unread: not a notebook that dd can read: it needs the format 4"
    })
    expect(status).toBe("partial")
  })
})

const notebook = (...cells: ReadonlyArray<string>) => {
  const codes = cells.map((source) => ({
    cell_type: "code",
    metadata: {},
    outputs: [],
    source: source.split(/(?<=\n)/)
  }))
  return `${JSON.stringify({ cells: codes, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`
}

describe("the last value of a cell of a notebook", () => {
  test("is shown, so its statement has a use", async () => {
    const last = [
      "breakpoint()",
      "df = pd.read_csv('x')\ndf.head()",
      "%time x.state == 1",
      "f.close",
      "x.state == 1",
      "sorted(x)"
    ]
    const { places, text } = await reviewOf({}, { "a.ipynb": notebook(...last) })
    expect(places.map((place) => place.replace(/:\d+$/, ""))).toEqual(["py/breakpoint-left a.ipynb"])
    expect(text).not.toMatch(/\b_\b/)
    const others = notebook(...[...last.slice(3), "ValueError('a')"].map((cell) => `${cell}\ny = 1`))
    expect((await reviewOf({}, { "a.ipynb": others })).places.map((place) => place.replace(/ .*/, ""))).toEqual([
      "py/exception-not-raised",
      "py/method-not-called",
      "py/result-ignored"
    ])
  })

  test("is no fact, and neither is a cell whose brackets do not end", async () => {
    const { places, text } = await reviewOf(
      { "a.ipynb": notebook("def total(x):\n    return x", "y = 1") },
      { "a.ipynb": notebook("def total(x):\n    return (x", "y = 1", "breakpoint()\ndf.head()", "files = !ls") }
    )
    expect(places.map((place) => place.replace(/:\d+$/, ""))).toEqual(["py/breakpoint-left a.ipynb"])
    expect(text).not.toMatch(/removed|\b_\b|total\(/)
    expect(text).toMatch(/definitions at a\.ipynb:\d+, which the parser did not understand/)
  })
})

describe("a file on which the rules of its language did not run", () => {
  test("is not reviewed, unless it is data or a document", async () => {
    const { coverage } = await reviewOf(
      {},
      {
        btool: "#!/bin/bash\necho a\n",
        ptool: "#!/usr/bin/env perl\nprint 1;\n",
        "a.html": "<p>a</p>\n",
        "a.css": "a {}\n",
        Makefile: "all:\n",
        "a.KT": "fun a() = 1\n",
        "a.json": "{}\n",
        "a.proto": 'syntax = "proto3";\n',
        "a.tf": 'resource "a" "b" {}\n',
        "a.xyz": "a\n",
        "a.cgi": "a\n",
        "a.erb": "<p><%= a %></p>\n",
        ".gitignore": "dist\n",
        LICENSE: "MIT\n",
        "notes.md": "#!/usr/bin/env python3\n"
      }
    )
    const without = (language: string) =>
      `skipped: no rules for ${language}; searched only for secrets, conflict markers, hidden characters and prompt injection`
    expect(coverage).toEqual({
      btool: without("shell"),
      ptool: without("Perl"),
      "a.html": "reviewed: ",
      "a.css": "reviewed: ",
      Makefile: "reviewed: ",
      "a.KT": without("Kotlin"),
      "a.json": "reviewed: ",
      "a.proto": without(".proto"),
      "a.tf": without(".tf"),
      "a.xyz": without(".xyz"),
      "a.cgi": without(".cgi"),
      "a.erb": "reviewed: only its tags were checked",
      ".gitignore": "reviewed: ",
      LICENSE: "reviewed: ",
      "notes.md": "reviewed: "
    })
  })
})

const pointer = (digit: string) =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${digit.repeat(64)}\nsize 12345\n`
const endings = ["ts", "go", "rs", "py", "vue", "png", "onnx"]
const pointers = (digit: string) => Object.fromEntries(endings.map((ending) => [`src/a.${ending}`, pointer(digit)]))

describe("a pointer of Git LFS", () => {
  test.each([
    ["that is new", {}, "1"],
    ["that changes", pointers("2"), "1"]
  ])("%s is not reviewed, and the brief has no facts from it", async (_, before, digit) => {
    for (const args of [[], ["--diff-file"]]) {
      const { coverage, places, status, text } = await reviewOf(before, pointers(digit), ...args)
      const reason = "a Git LFS pointer: the content of the file is not in the repository"
      expect(coverage).toEqual(
        Object.fromEntries(
          endings.map((ending) => [`src/a.${ending}`, `${/png|onnx/.test(ending) ? "skipped" : "unread"}: ${reason}`])
        )
      )
      expect({ places, status }).toEqual({ places: [], status: "partial" })
      expect(text).not.toMatch(/sha256|git-lfs|No findings/)
    }
  })

  test("that becomes source is reviewed, and its definitions are new", async () => {
    const { coverage, places, text } = await reviewOf({ "a.py": pointer("1") }, { "a.py": python })
    expect(coverage).toEqual({ "a.py": "reviewed: " })
    expect(places).toEqual(["py/breakpoint-left a.py:2", "py/mutable-default a.py:1"])
    expect(text).toContain("added function total(items, seen=[])  a.py:1")
    expect(text).not.toContain("sha256")
  })
})

const long = `${Array.from({ length: 30 }, (_, at) => `x${at} = ${at}\n`).join("")}${python}`

describe("a file that moves into the sources", () => {
  test.each(["vendor", "generated", "third_party", "web/node_modules", "dist", "_vendor/x"])(
    "from %s is reviewed as new",
    async (folder) => {
      const expected = ["py/breakpoint-left src/a.py:32", "py/mutable-default src/a.py:31"]
      const from = `${folder}/a.py`
      expect((await reviewOf({ [from]: long }, { "src/a.py": long }, from)).places).toEqual(expected)
      expect((await reviewOf({ [from]: long }, { "src/a.py": `${long}# more\n` }, from)).places).toEqual(expected)
    }
  )

  test.each(["linguist-vendored", "linguist-generated=true"])(
    "from a folder marked with %s is reviewed as new",
    async (mark) => {
      const expected = ["py/breakpoint-left src/a.py:32", "py/mutable-default src/a.py:31"]
      const before = { ".gitattributes": `extern/** ${mark}\n`, "extern/a.py": long }
      expect((await reviewOf(before, { "src/a.py": long }, "extern/a.py")).places).toEqual(expected)
      expect((await reviewOf(before, { "extern/b.py": long }, "extern/a.py")).places).not.toContain(expected[0])
    }
  )

  test("from other sources is not", async () => {
    expect((await reviewOf({ "lib/a.py": long }, { "src/a.py": `${long}# more\n` }, "lib/a.py")).places).toEqual([])
  })
})

describe("a file with conflict markers", () => {
  test("has the facts of its first side in the brief, which says that it did not read the others", async () => {
    const side = (name: string) => `def total(items, ${name}):\n    return sum(items)\n`
    const conflict = `<<<<<<< HEAD\n${side("tax")}||||||| base\n${side("old")}=======\n${side("rate")}>>>>>>> other\n`
    const { coverage, places, text } = await reviewOf(
      { "a.py": "def total(items):\n    return sum(items)\n" },
      { "a.py": `${conflict}\n\ndef fresh(seen=[]):\n    seen.append(1)\n    return seen\n` }
    )
    expect(text).toContain("total(items) → total(items, tax)  a.py:2")
    expect(text).toContain("added function fresh(seen=[])  a.py:13")
    expect(text).toContain("definitions in a.py on the other sides of its conflicts")
    expect(text).not.toMatch(/\brate\) {2}a\.py|added function total/)
    expect(coverage).toEqual({ "a.py": "reviewed: of each conflict, only the first side was parsed" })
    expect(places).toEqual(["meta/conflict-marker a.py:1", "py/mutable-default a.py:13"])
  })
})

describe("a report that lists the first 1,000 findings of a rule in a file", () => {
  test("says so in its headline", async () => {
    const { found, status, text } = await reviewOf({}, { "a.js": "debugger;\n".repeat(1_003) })
    expect(found.length).toBe(1_000)
    expect(status).toBe("partial")
    expect(text).toContain("Not checked: findings of js/breakpoint-left after the first 1000 in a file.")
  })
})
