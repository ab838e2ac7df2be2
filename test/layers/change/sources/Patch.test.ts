import { describe, expect } from "bun:test"
import { Effect, Result } from "effect"
import type { Change } from "../../../../src/domain/change/Change.ts"
import { parseDiff } from "../../../../src/domain/change/parseDiff.ts"
import * as SourcesPatch from "../../../../src/layers/change/sources/Patch.ts"
import { Sources } from "../../../../src/services/change/Sources.ts"
import { it } from "../../../support/effect.ts"

const changeOf = (patch: string): Change => {
  const bytes = new TextEncoder().encode(patch)
  const diff = Result.getOrThrow(parseDiff(bytes))
  const unknown = { _tag: "Unknown" } as const
  return { description: "", base: unknown, head: unknown, branch: null, commits: [], diff, patch: bytes }
}

const reading = <A>(patch: string, use: (sources: Sources["Service"]) => Effect.Effect<A>) =>
  Sources.use(use).pipe(Effect.provide(SourcesPatch.layer(changeOf(patch))))

const created = "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n"

describe("sources from a patch", () => {
  it.effect("returns complete texts only where the patch shows complete files", () =>
    reading(
      `${created}diff --git a/d b/d\ndeleted file mode 100644\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n` +
        "diff --git a/m b/m\n--- a/m\n+++ b/m\n@@ -1 +1 @@\n-x\n+y\n" +
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n" +
        "diff --git a/b b/b\nnew file mode 100644\nBinary files /dev/null and b/b differ\n" +
        "diff --git a/o b/r\nsimilarity index 100%\nrename from o\nrename to r\n" +
        "diff --git a/e b/e\nnew file mode 100644\n",
      (sources) =>
        Effect.gen(function* () {
          const tags = (path: string) =>
            Effect.map(Effect.all([sources.base(path), sources.head(path)]), (texts) => texts.map((text) => text._tag))
          expect(yield* sources.head("n")).toEqual({ _tag: "Text", text: "a\nb\n", lines: ["a", "b"] })
          expect(yield* sources.base("d")).toEqual({ _tag: "Text", text: "x", lines: ["x"] })
          expect(yield* tags("n")).toEqual(["Absent", "Text"])
          expect(yield* tags("d")).toEqual(["Text", "Absent"])
          expect(yield* tags("m")).toEqual(["Partial", "Partial"])
          expect(yield* sources.head("l")).toEqual({ _tag: "Link", target: "target" })
          expect(yield* tags("b")).toEqual(["Absent", "Binary"])
          expect(yield* tags("o")).toEqual(["Partial", "Absent"])
          expect(yield* tags("r")).toEqual(["Absent", "Partial"])
          expect(yield* sources.head("e")).toEqual({ _tag: "Text", text: "", lines: [] })
          expect(yield* tags("elsewhere")).toEqual(["Unreadable", "Unreadable"])
          expect(yield* sources.headPaths).toEqual([])
        })
    )
  )

  it.effect("follows a file through a series of patches", () =>
    reading(
      `${created}diff --git a/n b/n\n--- a/n\n+++ b/n\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n` +
        "diff --git a/n b/o\nsimilarity index 100%\nrename from n\nrename to o\n",
      (sources) =>
        Effect.gen(function* () {
          expect(yield* sources.head("o")).toMatchObject({ _tag: "Text", text: "a\nc\n" })
          expect(yield* sources.head("n")).toEqual({ _tag: "Absent" })
          expect(yield* sources.base("n")).toEqual({ _tag: "Absent" })
        })
    )
  )

  it.effect("does not invent a text when a series contradicts itself", () =>
    reading(`${created}diff --git a/n b/n\n--- a/n\n+++ b/n\n@@ -1,2 +1,2 @@\n a\n-other\n+c\n`, (sources) =>
      Effect.map(sources.head("n"), (text) => expect(text._tag).toBe("Unreadable"))
    )
  )
})
