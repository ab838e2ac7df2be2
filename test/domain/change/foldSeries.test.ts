import { describe, expect } from "bun:test"
import { Effect, Result } from "effect"
import { applyDiff, reverseFile } from "../../../src/domain/change/applyDiff.ts"
import type { DiffFile } from "../../../src/domain/change/Diff.ts"
import { foldPatches } from "../../../src/domain/change/foldSeries.ts"
import { seriesSteps } from "../../../src/domain/change/parseDiff.ts"
import { atOnce } from "../../../src/domain/system/Steps.ts"
import { it } from "../../support/effect.ts"
import { makeRepository } from "../../support/repository.ts"

const encoder = new TextEncoder()
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const folded = (patch: Uint8Array | string) =>
  foldPatches(Result.getOrThrow(atOnce(seriesSteps(typeof patch === "string" ? encoder.encode(patch) : patch)))).files

const shown = (files: ReadonlyArray<DiffFile>) =>
  files.map(({ status, oldPath, newPath, unread }) =>
    [status, oldPath, newPath, ...(unread === undefined ? [] : ["unread"])].join(" ")
  )

/** Numbers from a seed, the same on every machine. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state >>> 8) % below
  }
}

describe("foldPatches", () => {
  it.live("takes any series that follows itself to where git takes it, and back", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= 12; seed++) {
        const next = numbers(seed)
        const repository = yield* makeRepository
        const line = () => `${["a", "b", "c", "d", `u${next(1000)}`][next(5)]}\n`
        let lines = Array.from({ length: next(30) }, line)
        const content = () => lines.join("") + (next(4) === 0 ? "end" : "")
        const base = content()
        const first = repository.commit("base", { f: base })
        const count = 2 + next(4)
        for (let at = 0; at < count; at++) {
          for (let edits = next(4); edits >= 0; edits--) {
            const place = next(lines.length + 1)
            lines = lines.toSpliced(place, next(4), ...Array.from({ length: next(4) }, line))
          }
          repository.commit(`edit ${at}`, { f: content() })
        }
        const head = text(repository.gitBytes("show", "HEAD:f"))
        const patch = repository.gitBytes("format-patch", "--stdout", `-U${next(4)}`, first)
        const files = folded(patch)
        const log = ["log", "-p", "--format=commit %H%n%n%B", `-U${next(4)}`, `${first}..`]
        for (const given of [repository.gitBytes(...log), repository.gitBytes(...log, "--reverse")]) {
          const same = (file: DiffFile | undefined) => text(Result.getOrThrow(applyDiff(file!, encoder.encode(base))))
          expect([seed, shown(folded(given))]).toEqual([seed, shown(files)])
          if (base !== head) expect([seed, same(folded(given)[0])]).toEqual([seed, head])
        }
        if (base === head) {
          expect([seed, files]).toEqual([seed, []])
          continue
        }
        expect([seed, shown(files)]).toEqual([seed, ["modified f f"]])
        const [file] = files
        expect(text(Result.getOrThrow(applyDiff(file!, encoder.encode(base))))).toBe(head)
        expect(text(Result.getOrThrow(applyDiff(reverseFile(file!), encoder.encode(head))))).toBe(base)
        const headLines = head.split("\n")
        for (const { newLine, text: shownText } of file!.hunks.flatMap((hunk) => hunk.lines)) {
          if (newLine !== null) expect(headLines[newLine - 1]).toBe(shownText)
        }
      }
    })
  )

  it.live("names each path once, through renames, copies, creations and deletions", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const long = "1\n2\n3\n4\n5\n6\n7\n8\n"
      const first = repository.commit("base", { old: long, gone: long.repeat(2), back: "x\n", stays: "s\n" })
      repository.git("mv", "old", "middle")
      repository.commit("one", { middle: `${long}9\n`, gone: "1\n", new: "n\n", brief: "b\n", stays: "t\n" })
      repository.git("mv", "middle", "last")
      repository.remove("gone").remove("brief").remove("back")
      repository.commit("two", { new: "n\nm\n", stays: "s\n", last: `0\n${long}9\n` })
      repository.commit("three", { back: "y\n" })
      const files = folded(repository.gitBytes("format-patch", "--stdout", first))
      expect(shown(files).toSorted()).toEqual(["added  new", "deleted gone ", "modified back back", "renamed old last"])
      const added = files.find(({ path }) => path === "last")?.hunks.flatMap((hunk) => hunk.lines)
      expect(added?.filter(({ kind }) => kind === "added").map(({ newLine }) => newLine)).toEqual([1, 10])
    })
  )

  it("leaves one diff as it is, also where a new file takes the name of one that was renamed", () => {
    const patch =
      "diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n" +
      "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n"
    expect(shown(folded(patch))).toEqual(["added  a", "renamed a b"])
    expect(folded("")).toEqual([])
  })

  const edit = (from: string, to: string, line = 1) =>
    `diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -${line} +${line} @@\n-${from}\n+${to}\n`

  it("joins consecutive patches with nothing between them", () => {
    const files = folded(edit("1", "2") + edit("2", "3"))
    expect(files.map((file) => file.hunks[0]?.lines.map(({ text }) => text))).toEqual([["1", "3"]])
    expect(folded(edit("1", "2") + edit("2", "1"))).toEqual([])
  })

  it("reverses a series that can be joined only newest first, and the renames of `git log -p`", () => {
    const joined = folded(edit("2", "3") + edit("1", "2"))
    expect(joined.map((file) => file.hunks[0]?.lines.map(({ text }) => text))).toEqual([["1", "3"]])
    const move = (from: string, to: string, blobs: string, lines: string) =>
      `commit x\n\ndiff --git a/${from} b/${to}\nsimilarity index 60%\nrename from ${from}\nrename to ${to}\n` +
      `index ${blobs} 100644\n--- a/${from}\n+++ b/${to}\n@@ -1 +1 @@\n${lines}`
    const moves = move("b", "c", "22..33", "-2\n+3\n") + move("a", "b", "11..22", "-1\n+2\n")
    expect(shown(folded(moves))).toEqual(["renamed a c"])
  })

  it("never calls a path read whose patches do not follow each other", () => {
    expect(shown(folded(edit("1", "2") + edit("7", "3")))).toEqual(["modified a a unread"])
    const binary = "diff --git a/a b/a\nindex 1..2 100644\nBinary files a/a and b/a differ\n"
    const next = edit("1", "2").replace("\n", "\nindex 2..3 100644\n")
    expect(shown(folded(binary + next))).toEqual(["modified a a unread"])
    expect(shown(folded(edit("1", "2") + edit("7", "3") + edit("3", "4")))).toEqual(["modified a a unread"])
    const gone = "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"
    expect(shown(folded(gone + edit("1", "2")))).toEqual(["modified a a unread"])
  })
})
