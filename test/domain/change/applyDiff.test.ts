import { describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { Effect, Result, Schema } from "effect"
import { applyDiff, reverseFile } from "../../../src/domain/change/applyDiff.ts"
import { creationPatch } from "../../../src/domain/change/creationPatch.ts"
import type { DiffFile } from "../../../src/domain/change/Diff.ts"
import { parseDiff } from "../../../src/domain/change/parseDiff.ts"
import { concatBytes } from "../../../src/domain/text/concatBytes.ts"
import { it } from "../../support/effect.ts"
import { makeRepository, type TestRepository, tryGit } from "../../support/repository.ts"

const encoder = new TextEncoder()
const bytes = (text: string) => encoder.encode(text)
const parsed = (patch: string | Uint8Array) =>
  Result.getOrThrow(parseDiff(typeof patch === "string" ? bytes(patch) : patch)).files

/** Numbers from a seed, the same on every machine. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state >>> 8) % below
  }
}

const nastyLines = [
  bytes("a\n"),
  bytes("b\n"),
  bytes("\n"),
  bytes("windows\r\n"),
  bytes("lone\rreturn\n"),
  bytes("-- a/x\n"),
  bytes("++ b/x\n"),
  bytes("@@ -1 +1 @@\n"),
  bytes("diff --git a/x b/x\n"),
  bytes("\\ No newline at end of file\n"),
  bytes("-- \n"),
  bytes("\ufeffbom \u2028 é 😀\n"),
  bytes(`${"long ".repeat(400)}\n`),
  Uint8Array.of(0xe9, 0x80, 0xff, 10),
  Uint8Array.of(0xed, 0xa0, 0x80, 13, 10)
]

const nastyContent = (next: (below: number) => number): Uint8Array => {
  const lines = Array.from({ length: next(30) }, () => nastyLines[next(nastyLines.length)]!)
  const whole = concatBytes(lines)
  return next(3) === 0 ? whole.subarray(0, Math.max(0, whole.length - 1)) : whole
}

const edited = (content: Uint8Array, next: (below: number) => number): Uint8Array => {
  const lines: Array<Uint8Array> = []
  for (let start = 0; start < content.length; ) {
    const newline = content.indexOf(10, start)
    const end = newline < 0 ? content.length : newline + 1
    lines.push(content.subarray(start, end))
    start = end
  }
  for (let edits = next(4); edits > 0; edits--) {
    lines.splice(next(lines.length + 1), next(3), ...Array.from({ length: next(3) }, () => nastyLines[next(15)]!))
  }
  return next(6) === 0 ? nastyContent(next) : concatBytes(lines)
}

/** Every text file of the diff, applied and undone, against the blobs git has. */
const expectBlobs = (repository: TestRepository, files: ReadonlyArray<DiffFile>) => {
  const texts = files.filter((file) => !file.binary && file.newMode !== "160000" && file.oldMode !== "160000")
  const oids = texts.flatMap((file) => [file.oldOid, file.newOid]).filter((oid) => oid !== null)
  const answer = tryGit(repository.root, ["cat-file", "--batch"], oids.join("\n"))
  const blobs = new Map<string, Uint8Array>()
  for (let at = 0; at < answer.stdout.length; ) {
    const header = answer.stdout.indexOf(10, at)
    const [oid = "", , size = ""] = new TextDecoder().decode(answer.stdout.subarray(at, header)).split(" ")
    blobs.set(oid, answer.stdout.slice(header + 1, header + 1 + Number(size)))
    at = header + 2 + Number(size)
  }
  const blob = (oid: string | null) => (oid === null ? new Uint8Array() : blobs.get(oid)!)
  for (const file of texts) {
    const head = Result.getOrThrow(applyDiff(file, blob(file.oldOid)))
    if (Buffer.compare(head, blob(file.newOid)) !== 0) throw new Error(`${file.path} is not what git has`)
    const base = Result.getOrThrow(applyDiff(reverseFile(file), blob(file.newOid)))
    if (Buffer.compare(base, blob(file.oldOid)) !== 0) throw new Error(`${file.path} undone is not what git had`)
  }
  return texts.length
}

describe("applyDiff", () => {
  it.live("returns git's own bytes for a history of nasty edits, names and modes", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const next = numbers(20260102)
      const names = [
        "plain",
        "a b",
        "x b/y",
        'q"uote',
        "tab\there",
        "new\nline",
        "back\\slash",
        "é",
        "-dash",
        ":colon",
        "t "
      ]
      const path = (index: number) => `${names[index % names.length]}${index}`
      const contents = new Map<string, Uint8Array>()
      for (let index = 0; index < 150; index++) {
        const content = index % 23 === 0 ? Uint8Array.of(0, 1, 2, index) : nastyContent(next)
        contents.set(path(index), content)
        repository.write(path(index), content, index % 7 === 0 ? 0o755 : 0o644)
      }
      // A name that is not UTF-8.
      const odd = Buffer.concat([Buffer.from(`${repository.root}/`), Buffer.of(0xff, 0x61)])
      writeFileSync(odd, "one\n")
      repository.link("link", "plain0")
      const base = repository.commit("base")

      let index = 0
      for (const [name, content] of contents) {
        index++
        if (index % 11 === 0) repository.remove(name)
        else if (index % 13 === 0) {
          repository.remove(name)
          repository.write(`moved ${index}`, edited(content, next))
        } else if (index % 17 === 0) repository.remove(name).link(name, "elsewhere")
        else repository.write(name, edited(content, next), index % 5 === 0 ? 0o755 : 0o644)
      }
      writeFileSync(odd, Buffer.of(0xfe, 10))
      repository.remove("link").write("link", "now a file\n").write("empty", "").write("fresh", "unlike all else\n")
      const head = repository.commit("head")

      for (const context of ["-U3", "-U0", "-U1000"]) {
        const patch = repository.gitBytes("diff", "--full-index", "-M", context, base, head)
        const files = parsed(patch)
        expect(new Set(files.map((file) => file.status))).toEqual(
          new Set(["added", "modified", "deleted", "renamed", "type-changed"])
        )
        expect(files.some((file) => file.path === "\\xffa")).toBe(true)
        expect(expectBlobs(repository, files)).toBeGreaterThan(80)
      }
      const quoted = repository.gitBytes("diff", "--full-index", "-M", base, head)
      const raw = repository.gitBytes("-c", "core.quotePath=false", "diff", "--full-index", "-M", base, head)
      expect(parsed(raw)).toEqual(parsed(quoted))
      const plain = repository.gitBytes("diff", "--full-index", "-M", "--no-prefix", base, head)
      expect(parsed(plain)).toEqual(parsed(quoted))

      // And the whole patch is what `git apply` makes of it.
      const full = repository.gitBytes("diff", "--binary", "--full-index", "-M", base, head)
      expect(parsed(full).length).toBe(parsed(quoted).length)
      repository.git("checkout", "--quiet", "--detach", base)
      const applied = tryGit(repository.root, ["apply", "--index", "--whitespace=nowarn", "-"], full)
      expect(applied.stderr).toBe("")
      expect(repository.git("write-tree")).toBe(repository.git("rev-parse", `${head}^{tree}`))
    })
  )

  it.live("returns git's own bytes for this project's history", () =>
    Effect.sync(() => {
      const git = (...args: ReadonlyArray<string>) => {
        const { status, stdout } = tryGit(import.meta.dir, args)
        return status === 0 ? stdout : null
      }
      const root = git("rev-parse", "--show-toplevel")
      // An unpacked release has no history to look at.
      if (root === null) return
      const repository = { root: new TextDecoder().decode(root).trim() } as TestRepository
      const shas = new TextDecoder()
        .decode(git("rev-list", "--max-count=5", "--no-merges", "HEAD")!)
        .trim()
        .split("\n")
      for (const sha of shas) {
        const files = parsed(git("show", "--full-index", "-M", "--no-ext-diff", "--no-textconv", "--format=", sha)!)
        expectBlobs(repository, files)
      }
    })
  )

  const Pieces = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: nastyLines.length - 1 })))
  it.prop("rebuilds any text file from its creation patch", Schema.Tuple([Pieces, Schema.Boolean]), ([pieces, cut]) => {
    const whole = concatBytes(pieces.map((piece) => nastyLines[piece]!))
    const content = cut ? whole.subarray(0, Math.max(0, whole.length - 1)) : whole
    const [file] = parsed(creationPatch({ path: 'n "1"\n', mode: "100755", content }))
    expect(file).toMatchObject({ status: "added", path: 'n "1"\n', newMode: "100755", oldPath: null })
    expect(Result.getOrThrow(applyDiff(file!, new Uint8Array()))).toEqual(Uint8Array.from(content))
  })

  it("refuses a base that has another text, is too short, or goes on", () => {
    const [file] = parsed("--- a/x\n+++ b/x\n@@ -2,2 +2,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n")
    const refusal = (base: string) => Result.getOrThrow(Result.flip(applyDiff(file!, bytes(base))))
    expect(refusal("0\nz\nb\n")).toMatchObject({ line: 2, reason: "another text stands there" })
    expect(refusal("0")).toMatchObject({ line: 1 })
    expect(refusal("0\na\nb")).toMatchObject({ line: 3 })
    const [ending] = parsed("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n\\ No newline at end of file\n+c\n")
    expect(Result.isFailure(applyDiff(ending!, bytes("b\n")))).toBe(true)
    expect(Result.isFailure(applyDiff(ending!, bytes("bb")))).toBe(true)
    expect(Result.getOrThrow(applyDiff(ending!, bytes("b")))).toEqual(bytes("c\n"))
  })

  it("refuses a binary file instead of inventing its content", () => {
    const [file] = parsed("diff --git a/b b/b\nindex 1..2 100644\nBinary files a/b and b/b differ\n")
    expect(Result.getOrThrow(Result.flip(applyDiff(file!, bytes("")))).message).toContain("binary")
  })

  it("reads and applies 200,000 changed lines", () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `const value${i} = ${i}\n`)
    const patch = bytes(
      `--- a/x\n+++ b/x\n@@ -1,100000 +1,100000 @@\n${lines.map((l) => `-${l}`).join("")}${lines.map((l) => `+  ${l}`).join("")}`
    )
    const [file] = parsed(patch)
    const head = Result.getOrThrow(applyDiff(file!, bytes(lines.join(""))))
    expect(head).toEqual(bytes(lines.map((line) => `  ${line}`).join("")))
  })
})
