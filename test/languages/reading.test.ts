import { describe, expect, test } from "bun:test"
import { grammars } from "../../src/domain/change/Grammar.ts"
import { isPointer } from "../../src/domain/change/remote/pointers.ts"
import { kindByName, kindOf, namesOf } from "../../src/languages/fileKinds.ts"
import { readingOf } from "../../src/languages/reading.ts"

const grammarOf = (path: string, ...lines: ReadonlyArray<string>) => kindOf(path, lines)?.grammar ?? null
const codeOf = (path: string, text: string) => {
  const code = readingOf(path, text.split("\n"))
  if (code === null || typeof code === "string") return code
  return { grammar: code.grammar, text: code.lines?.join("\n") }
}

describe("what a file is", () => {
  test("is in its name, whatever the case of its ending", () => {
    for (const grammar of grammars) {
      for (const name of namesOf(grammar)) {
        const paths = name.startsWith(".") ? [`a/b${name}`, `a/b${name.toUpperCase()}`] : [`a/${name}`]
        // A header in upper case is one of C++.
        for (const path of paths) expect([grammar, "cpp"]).toContain(kindByName(path)?.grammar ?? "none")
        expect(kindByName(paths[0]!)?.grammar).toBe(grammar)
      }
    }
    for (const path of ["py", "a.py/b", ".py", "xSConstruct", "a.json"])
      expect([path, kindByName(path)]).toEqual([path, null])
  })

  test("is in the first line or a modeline, if the name does not say it", () => {
    expect(grammarOf("tool", "#!/usr/bin/env python3")).toBe("python")
    expect(grammarOf("tool", "#! /usr/local/bin/python3.12 -u")).toBe("python")
    expect(grammarOf("tool", "#!/usr/bin/env -S A=1 uv run --script")).toBe("python")
    expect(grammarOf("tool", "#!/usr/bin/env -Snode --flag")).toBe("javascript")
    expect(grammarOf("tool", "#!/usr/bin/env bun")).toBe("typescript")
    expect(grammarOf("tool", "#!C:/Ruby/ruby.exe")).toBe("ruby")
    expect(grammarOf("tool", "", "# -*- coding: utf-8; mode: python -*-")).toBe("python")
    expect(grammarOf("tool", "// -*- C++ -*-")).toBe("cpp")
    expect(grammarOf("tool", "a", "b", "c", "d", "e", "f", "# vim: set sw=2 ft=ruby :")).toBe("ruby")
    expect(kindOf("tool", ["#!/bin/sh"])?.title).toBe("shell")
    expect(grammarOf("tool", "#!/usr/bin/env -S npx tsx")).toBe("typescript")
    expect(grammarOf("tool", "#!/usr/bin/env -S bundle exec ruby")).toBe("ruby")
    expect(grammarOf("tool", "#!/usr/bin/env nix-shell -i python3")).toBe("python")
    expect(grammarOf("tool", "#!/bin/sh", "# -*- mode: python -*-")).toBe("python")
    expect(grammarOf("tool.cgi", "#!/usr/bin/env python3")).toBe("python")
    expect(grammarOf("tool", "print(1)", "#!/usr/bin/env python3")).toBeNull()
    expect(grammarOf("tool", "#!/usr/bin/env pythonic")).toBeNull()
    // Names decide first, and a document only shows code.
    expect(grammarOf("a.rb", "#!/usr/bin/env python3")).toBe("ruby")
    expect(grammarOf("a.md", "#!/usr/bin/env python3")).toBeNull()
    expect(grammarOf("a.json", "-*- python -*-")).toBeNull()
  })

  test("is no data and no document, if its ending is not known", () => {
    const others = [
      "a.xyz",
      "b/A.Foo",
      "a.csx",
      "a.pyx",
      "Snakefile",
      "a.smk",
      "a.proto",
      "a.tf",
      "a.gd",
      "a.ipy",
      "a.cgi"
    ]
    for (const path of others) expect([path, kindOf(path, ["x"]) === null]).toEqual([path, false])
    const texts =
      "a.json LICENSE LICENSE.MIT README.fr .env.local Dockerfile.dev notes a.1 a.TXT a.css Makefile CMakeLists.txt go.sum"
    for (const path of texts.split(" ")) expect([path, kindOf(path, ["x"])]).toEqual([path, null])
    expect<ReadonlyArray<string | null>>(
      ["a.jsm", "a.es6", "Jakefile", "a.wsgi", "a.rbw", "a.thor", "a.jbuilder"].map((path) => grammarOf(path))
    ).toEqual(["javascript", "javascript", "javascript", "python", "ruby", "ruby", "ruby"])
  })
})

describe("the code of markup", () => {
  test("is its scripts, at the same lines and columns", () => {
    const text = [
      "<p>é😀 it's</p><script>a()</script><p>",
      "<SCRIPT TYPE='module' a=\">\">",
      "  b()",
      "</SCRIPT >",
      "<!-- <script>c()</script> -->",
      '<script type="application/json">{"d": 1}</script><script type="text/x-template"><p></script>',
      "<script>(e)()</script></html>"
    ]
    const code = codeOf("a.html", text.join("\n"))
    expect(code).toMatchObject({ grammar: "javascript" })
    const read = typeof code === "string" || code === null ? [] : (code.text?.split("\n") ?? [])
    expect(read.map((line) => line.length)).toEqual(text.map((line) => line.length))
    expect(read.map((line) => line.trim())).toEqual(["a()", ";", "b()", "", "", "", ";(e)()"])
    for (const call of ["a()", "b()", "(e)()"]) {
      expect(read.findIndex((line) => line.includes(call))).toBe(text.findIndex((line) => line.includes(call)))
      expect(read.find((line) => line.includes(call))?.indexOf(call)).toBe(
        text.find((line) => line.includes(call))?.indexOf(call)
      )
    }
  })

  test("is in templates and pages, and not in their examples", () => {
    const page = "text\n\n<script>\ndebugger;\n</script>\n"
    const endings = "erb njk ejs hbs twig liquid cshtml jsp md mdx markdown j2"
    for (const ending of endings.split(" ")) {
      expect([ending, codeOf(`a.${ending}`, page)]).toMatchObject([ending, { grammar: "javascript" }])
    }
    const script = "<script>debugger;</script>"
    const examples = [
      `\`\`\`html\n${script}\n\`\`\`\n`,
      `~~~\n${script}`,
      `    ${script}`,
      `a \`${script}\` b`,
      `\`\` ${script} \`\``
    ]
    for (const text of examples) expect([text, codeOf("a.md", text)]).toEqual([text, null])
    expect(codeOf("a.md", `${examples[0]}${script}`)).toMatchObject({ grammar: "javascript" })
    for (const mark of ["`", "` ``", "~~~\n", "`a\n"]) expect(codeOf("a.md", mark.repeat(200_000))).toBeNull()
  })

  test("has the language that its tags name", () => {
    expect(codeOf("a.vue", '<script lang="ts">a</script>')).toMatchObject({ grammar: "typescript" })
    expect(codeOf("a.vue", "<script setup lang=tsx>a</script>")).toMatchObject({ grammar: "tsx" })
    expect(codeOf("a.vue", "<script setup>a</script>")).toMatchObject({ grammar: "javascript" })
    expect(codeOf("a.html", '<script type="text/babel">a</script>')).toMatchObject({ grammar: "tsx" })
    expect(codeOf("a.astro", "---\na\n---\n<p/>")).toEqual({ grammar: "typescript", text: "   \na\n   \n    " })
  })

  test("is absent without a script that ends", () => {
    for (const text of ["<p>a</p>", "<script>a", "<script", '<script a="', "<!-- <script>a</script>", "---\na\n"]) {
      for (const path of ["a.html", "a.vue", "a.astro"]) expect(codeOf(path, text)).toBeNull()
    }
    for (const part of ["<script ", '<script "', "<script>", "<!--", "<script a='\n"]) {
      expect(codeOf("a.html", part.repeat(200_000))).toBeNull()
    }
  })
})

const notebook = (...cells: ReadonlyArray<string>) => {
  const codes = cells.map((source) => ({ cell_type: "code", source: source.split(/(?<=\n)/) }))
  return JSON.stringify({ cells: codes, metadata: {} }, null, 1)
}
const cellsOf = (...cells: ReadonlyArray<string>) => {
  const code = codeOf("a.ipynb", notebook(...cells))
  if (typeof code === "string" || code === null) return code
  return code.text?.split(/\n{2,}/).filter((cell) => cell.trim() !== "")
}

describe("the code of a notebook", () => {
  test("is its cells as they are", () => {
    const cells = [
      "breakpoint()",
      "df = pd.read_csv('x')\ndf.head()",
      "x == 1",
      "await f()\nreturn 5",
      "@a\ndef f(x=[]):\n    x.append(1)",
      "s = '''\n%d !ls\n'''\nt = (1\n  % 2)",
      'a = "#(" # (["',
      'r = "\\"("',
      "y = 1 + \\\n  2"
    ]
    expect(cellsOf(...cells)).toEqual(cells)
  })

  test("has no commands, which stand in the place of a statement or of a value", () => {
    expect(
      cellsOf(
        "%matplotlib inline\n!ls\nif x:\n    !pip install a \\\n      b\n    c()",
        "files = !ls\na.b[0] = %pwd\nx = a != b\ny = a % b",
        "os?\n?os\nos.path??",
        "%time f()\n%timeit -n 10 -r3 g(1)",
        "%%time\nf()"
      )
    ).toEqual([
      "pass\npass\nif x:\n    pass",
      "    c()",
      "files = get_ipython()\na.b[0] = get_ipython()\nx = a != b\ny = a % b",
      "pass\npass\npass",
      "f()\ng(1)",
      "pass\nf()"
    ])
  })

  test("with conflicts is that of the first side", () => {
    const text = notebook("breakpoint()", "x = 1").replace(/^.*x = 1.*$/m, "<<<<<<< a\n$&\n=======\n  2\n>>>>>>> b")
    expect(codeOf("a.ipynb", text)).toMatchObject({ text: expect.stringMatching(/breakpoint[\s\S]*x = 1/) })
    expect(codeOf("a.ipynb", `${text}}`)).toBe("its conflicts leave no notebook")
  })

  test("is not read in a cell whose strings and brackets do not end, and is in the next", () => {
    const broken = ['print("unfinished', "f(1,", "x = '''", "y = 1 + \\", "d = {\n  'a': [1,\n}", "s = 'a\nb()"]
    for (const cell of broken) {
      const unread = cell.replaceAll(/^/gm, "$#")
      expect([cell, cellsOf("a()", cell, "breakpoint()")]).toEqual([cell, ["a()", unread, "breakpoint()"]])
    }
  })
})

describe("the code of a file with conflicts", () => {
  test("is its first side in every language, with as many lines", () => {
    const text = "a\n<<<<<<< x\nb\n||||||| y\nc\n=======\nd\n>>>>>>> z\ne\n=======\n<<<<<<< x\nf\n"
    for (const grammar of grammars) {
      const [ending] = namesOf(grammar)
      expect(codeOf(`a${ending}`, text)).toMatchObject({ text: "a\n\nb\n\n\n\n\n\ne\n=======\n<<<<<<< x\nf\n" })
    }
    expect(codeOf("a.vue", `<script>\n${text}</script>`)).toMatchObject({ text: expect.stringContaining("\nb\n\n") })
  })
})

describe("markers of a conflict in a text", () => {
  const inside = "<<<<<<< x\nb\n=======\nd\n>>>>>>> z\n"
  for (const [path, open, close] of [
    ["a.py", 'x = """', '"""'],
    ["a.py", "x = '''", "'''"],
    ["a.ts", "const x = `", "`"],
    ["a.js", "const x = `", "`"],
    ["a.go", "x := `", "`"],
    ["A.java", 'String x = """', '""";'],
    ["a.kt", 'val x = """', '"""'],
    ["a.swift", 'let x = """', '"""'],
    ["a.cs", 'var x = """', '""";'],
    ["a.ex", 'x = """', '"""'],
    ["a.ts", "/*", "*/"]
  ] as const)
    test(`are text: ${path}, ${open}`, () => {
      const text = `${open}\n${inside}${close}\ny\n`
      expect(codeOf(path, text)).toMatchObject({ text })
    })
})

describe("the Ruby of a template", () => {
  test("is that of its tags, at its places", () => {
    const text = "<p>debugger</p>\n<% items.each do |i| %>\n  <b><%= i.name -%></b><%# note %><%% x %>\n<%- end -%>\n"
    const code = codeOf("a.html.erb", text)
    expect(code).toMatchObject({ grammar: "ruby" })
    const lines = (typeof code === "string" ? code : (code?.text ?? "")).split("\n")
    expect(lines.map((line) => line.trim().replaceAll(/ +/g, " "))).toEqual([
      "",
      "items.each do |i|",
      "; i.name",
      "; end",
      ""
    ])
    expect(lines.map(({ length }) => length)).toEqual(text.split("\n").map(({ length }) => length))
    expect(lines[2]?.indexOf("i.name")).toBe(text.split("\n")[2]?.indexOf("i.name"))
  })
})

describe("a pointer of Git LFS", () => {
  test("is recognised by all of its lines", () => {
    const is = (text: string) => isPointer(new TextEncoder().encode(text))
    const oid = `oid sha256:${"0a".repeat(32)}`
    expect(is(`version https://git-lfs.github.com/spec/v1\n${oid}\nsize 1\n`)).toBe(true)
    expect(is(`version https://hawser.github.com/spec/v1\next-0-foo sha256:${"1".repeat(64)}\n${oid}\nsize 1\n`)).toBe(
      true
    )
    expect(is(`version https://git-lfs.github.com/spec/v1\n${oid}\nsize 1\nx = 1\n`)).toBe(false)
    expect(is(`version https://git-lfs.github.com/spec/v1\r\n${oid}\r\nsize 1\r\n`)).toBe(true)
    expect(is("version https://git-lfs.github.com/spec/v1\n")).toBe(false)
    expect(is("")).toBe(false)
  })
})
