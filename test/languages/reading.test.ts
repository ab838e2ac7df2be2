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
    expect(["py", "a.py/b", ".py", "xSConstruct", "README.md", "a.json"].map(kindByName)).toEqual(
      Array.from({ length: 6 }, () => null)
    )
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
    expect(grammarOf("tool", "print(1)", "#!/usr/bin/env python3")).toBeNull()
    expect(grammarOf("tool", "#!/usr/bin/env pythonic")).toBeNull()
    // Names decide first, and a document only shows code.
    expect(grammarOf("a.rb", "#!/usr/bin/env python3")).toBe("ruby")
    expect(grammarOf("a.md", "#!/usr/bin/env python3")).toBeNull()
    expect(grammarOf("a.json", "-*- python -*-")).toBeNull()
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
    expect(is("version https://git-lfs.github.com/spec/v1\n")).toBe(false)
    expect(is("")).toBe(false)
  })
})
