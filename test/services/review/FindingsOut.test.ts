import { describe, expect } from "bun:test"
import { Effect, FileSystem, Layer } from "effect"
import { withoutRules } from "../../../src/domain/change/Coverage.ts"
import { Finding } from "../../../src/domain/finding/Finding.ts"
import { findingsArtifactOf } from "../../../src/domain/review/FindingsArtifact.ts"
import { plainRedaction } from "../../../src/domain/secret/Redaction.ts"
import * as BlobFactsNone from "../../../src/layers/change/facts/None.ts"
import * as SourcesFiles from "../../../src/layers/change/sources/Files.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { FindingsOut } from "../../../src/services/review/FindingsOut.ts"
import { FailPolicy } from "../../../src/services/run/FailPolicy.ts"
import { change } from "../../support/builders.ts"
import { changeOf } from "../../support/change.ts"
import { it } from "../../support/effect.ts"
import * as MemoryRecorder from "../../support/MemoryRecorder.ts"

const finding = Finding.make({
  id: 1,
  rule: "py/bare-except",
  title: "It swallows everything",
  description: "It swallows everything",
  file: "a.py",
  line: 4,
  endLine: 4,
  column: null,
  endColumn: null,
  label: null,
  related: [],
  severity: "medium",
  confidence: "HIGH",
  lens: "per-stack",
  stack: "python",
  source: "static",
  rationale: "Nobody learns of it.",
  evidence: "a.py:4",
  fingerprint: "dd1:0123456789abcdef",
  suggestion: null,
  verdict: null,
  new: true
})

const nothing = { findings: [], suppressed: [], coverage: [] }

const writing = <A, E>(
  body: (out: FindingsOut["Service"], dir: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, FailPolicy>
) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return yield* body(yield* FindingsOut, yield* fs.makeTempDirectoryScoped(), fs)
  }).pipe(
    Effect.scoped,
    Effect.provide(
      FindingsOut.layer({ number: 7, repo: "acme/shop" }).pipe(
        Layer.provide(SourcesFiles.layer({ files: new Map(), root: null }).pipe(Layer.provide(BlobFactsNone.layer))),
        Layer.provideMerge(FailPolicy.layer.pipe(Layer.provide(MemoryRecorder.layer))),
        Layer.provideMerge(Platform.layer)
      )
    )
  )

describe("the findings file", () => {
  it("places a finding outside of the diff where one of its places is in the diff, without its suggestion", () => {
    const place = { column: null, endColumn: null, message: "removed here" }
    const related = [
      { ...place, file: "b.py", line: 1 },
      { ...place, file: "cart.py", line: 2 }
    ]
    const [placed] = findingsArtifactOf(
      changeOf({ "cart.py": ["a\nb\nc\n", "a\nc\n"] }),
      null,
      { ...nothing, findings: [Finding.make({ ...finding, related, suggestion: "x" })] },
      true,
      plainRedaction.text
    ).findings
    expect(placed).toMatchObject({ path: "cart.py", line: 2, end_line: 2, placement: "inline", suggestion: null })
  })

  it("places a finding inline where it has a line, and in the body where it has none or spans stacks", () => {
    const placed = findingsArtifactOf(
      change(),
      null,
      {
        ...nothing,
        findings: [finding, Finding.make({ ...finding, line: 0 }), Finding.make({ ...finding, lens: "cross-stack" })]
      },
      true,
      plainRedaction.text
    ).findings.map(({ line, placement, is_cross_stack }) => [line, placement, is_cross_stack])
    expect(placed).toEqual([
      [4, "inline", false],
      [null, "body", false],
      [4, "body", true]
    ])
  })

  it("names the files that were reviewed, and what was suppressed", () => {
    const { files, suppressed } = findingsArtifactOf(
      change(),
      null,
      {
        findings: [],
        suppressed: [{ finding, by: "a.py:3", place: { file: "a.py", line: 3 }, reason: "", addedByChange: true }],
        coverage: [
          { path: "a.py", status: "reviewed", reason: "" },
          { path: "b.txt", ...withoutRules("text") },
          { path: "c.png", status: "skipped", reason: "binary" },
          { path: "d.py", status: "unread", reason: "no reviewer reported on it" }
        ]
      },
      true,
      plainRedaction.text
    )
    expect(files).toEqual(["a.py", "b.txt"])
    expect(suppressed).toEqual([{ fingerprint: finding.fingerprint, path: "a.py", rule: "py/bare-except" }])
  })

  it.live("says whether the review was complete", () =>
    writing((out, dir, fs) =>
      Effect.gen(function* () {
        const onFailure = yield* FailPolicy
        const path = `${dir}/findings.json`
        const isComplete = Effect.gen(function* () {
          yield* out.write(path, change(), nothing)
          return JSON.parse(yield* fs.readFileString(path)).complete
        })
        yield* onFailure.degrade({ step: "arbiter", error: "X", detail: "" })
        expect(yield* isComplete).toBe(true)
        yield* onFailure.degrade({ step: "review", error: "X", detail: "", unchecked: "a rule" })
        expect(yield* isComplete).toBe(false)
      })
    )
  )

  it.live("is written completely, with the directories on its way, and replaces an older one", () =>
    writing((out, dir, fs) =>
      Effect.gen(function* () {
        const path = `${dir}/out/findings.json`
        yield* out.write(path, change(), { ...nothing, findings: [finding] })
        yield* out.write(path, change(), nothing)
        expect(JSON.parse(yield* fs.readFileString(path))).toMatchObject({ schema_version: 1, findings: [] })
        expect(yield* fs.readDirectory(`${dir}/out`)).toEqual(["findings.json"])
      })
    )
  )

  it.live("is not written through a link that lies under its draft's name", () =>
    writing((out, dir, fs) =>
      Effect.gen(function* () {
        yield* fs.writeFileString(`${dir}/victim`, "precious")
        yield* fs.symlink(`${dir}/victim`, `${dir}/findings.json.draft`)
        yield* out.write(`${dir}/findings.json`, change(), { ...nothing, findings: [finding] })
        expect(yield* fs.readFileString(`${dir}/victim`)).toBe("precious")
      })
    )
  )

  it.live("that cannot be written is an error that names it", () =>
    writing((out, dir, fs) =>
      Effect.gen(function* () {
        yield* fs.writeFileString(`${dir}/file`, "")
        const failed = yield* Effect.flip(out.write(`${dir}/file/findings.json`, change(), nothing))
        expect(failed.message).toContain(`${dir}/file/findings.json`)
      })
    )
  )
})
