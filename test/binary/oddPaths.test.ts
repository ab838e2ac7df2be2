/** Every path that git can hold, through whole runs: each step, format, record and hook has the file itself. */
import { describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { visiblePath } from "../../src/domain/text/Printable.ts"
import { pathBytes, quotePath } from "../../src/domain/text/quotePath.ts"
import { dd } from "../support/binary.ts"
import { modelReviews, nameOf, services } from "../support/modelReviews.ts"
import { agreeable, agreement, type Script, submitOf } from "../support/modelServer.ts"
import { oddPaths } from "../support/oddPaths.ts"
import { mutable, pullRequestWorld } from "../support/pullRequestWorld.ts"
import type { TestRepository } from "../support/repository.ts"

const before = "def total(items):\n    first = None\n    return first\n"
const after = "def total(items=[]):\n    items.append(1)\n    first = items[0]\n    return first\n"
const filesWith = (text: string) => Object.fromEntries(oddPaths.map((path) => [path, text]))

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

/** A byte that is no UTF-8 has a form of its own, and an address that is exact. */
const bytes = ["bad\\xff.py", "\\xe9t\\xe9.py", "\\xc3(.py", "\\xff/a.py"]
const all = [...oddPaths, ...bytes].toSorted()

const fill = (repository: TestRepository) => {
  repository.commit("Begin", filesWith(before))
  for (const [path, text] of Object.entries(filesWith(after))) repository.write(path, text)
  for (const path of bytes) {
    const file = Buffer.concat([Buffer.from(repository.path("/")), pathBytes(path)])
    mkdirSync(file.subarray(0, file.lastIndexOf("/")), { recursive: true })
    writeFileSync(file, after)
  }
  repository.commit("Share", {})
}

interface Suppressed {
  readonly finding: { readonly file: string }
  readonly place: { readonly file: string; readonly line: number }
  readonly reason: string
}
type Finding = { readonly file: string; readonly line: number; readonly source: string; readonly rule: string }

const filesOf = (findings: ReadonlyArray<{ readonly file: string }>) => findings.map(({ file }) => file).toSorted()

/** Claims one defect in each file, with paths as they are shown or as they are. */
const reviewer =
  (name: (path: string) => string): Script =>
  (asked, nth) => {
    const task = submitOf(asked)
    if (task === "submit_verification") return { calls: [{ name: task, input: agreement(asked.told) }] }
    if (task !== "submit_review" || !asked.told.includes("# Profile: python")) return agreeable(asked, nth)
    const issues = all.map((path, at) => ({
      file: name(path),
      line: 3,
      endLine: null,
      quote: "first = items[0]",
      evidence: `${name(path)}:3 takes the first`,
      title: `An empty list fails ${at}`,
      description: `IndexError for no items at all, case ${at}.`,
      rationale: "It follows from the line.",
      suggestion: null,
      confidence: "HIGH",
      severity: "medium"
    }))
    const coverage = all.map((path) => ({ path: name(path), status: "reviewed", reason: "" }))
    return { calls: [{ name: task, input: { review: "All of it.", issues, coverage } }] }
  }

describe("a review by rules", () => {
  test("reports each file in each format, from a commit, a patch and a record", async () => {
    await using at = await modelReviews(fill, agreeable)
    const outputs = ["json", "jsonl", "sarif", "rdjsonl", "gitlab", "github"]
    const paths = Object.fromEntries(outputs.map((format) => [format, join(at.place, `report.${format}`)]))
    const written = outputs.flatMap((format) => ["--output", `${format}=${paths[format]}`])
    const { status, stderr } = await at.review(["--commit", "HEAD", "--format", "text", ...written])
    expect([status, stderr]).toEqual([0, ""])
    const text = (format: string) => readFileSync(paths[format] ?? "", "utf8")
    const lines = (format: string) => text(format).trimEnd().split("\n")

    const report = JSON.parse(text("json"))
    expect(filesOf(report.findings)).toEqual(all)
    expect(report.dropped).toEqual([])
    expect(report.coverage.files.map(({ path }: { path: string }) => path).toSorted()).toEqual(all)
    const streamed = lines("jsonl").flatMap((line) => JSON.parse(line).finding ?? [])
    expect(filesOf(streamed)).toEqual(all)
    const diagnostics = lines("rdjsonl").map((line) => JSON.parse(line).location.path)
    expect(diagnostics.toSorted()).toEqual(all)
    expect(
      JSON.parse(text("gitlab"))
        .map((entry: { location: { path: string } }) => entry.location.path)
        .toSorted()
    ).toEqual(all)
    const annotated = text("github").matchAll(/^::(?:error|warning) file=([^,]*),/gm)
    const decoded = Array.from(annotated, ([, file = ""]) => file.replaceAll(/%(3A|2C|0A|0D|25)/g, decodeURIComponent))
    expect(decoded.toSorted()).toEqual(all)
    const uris: ReadonlyArray<string> = JSON.parse(text("sarif")).runs[0].results.map(
      (result: { locations: ReadonlyArray<{ physicalLocation: { artifactLocation: { uri: string } } }> }) =>
        result.locations[0]?.physicalLocation.artifactLocation.uri
    )
    const ofBytes = ["bad%FF.py", "%E9t%E9.py", "%C3(.py", "%FF/a.py"]
    for (const uri of ofBytes) expect(uris).toContain(uri)
    expect(
      uris
        .filter((uri) => !ofBytes.includes(uri))
        .map(decodeURIComponent)
        .toSorted()
    ).toEqual(oddPaths.toSorted())
    for (const uri of uris) expect(uri).toMatch(/^[\w.!~*'()/%-]+$/)

    // The record.
    expect(filesOf(at.kept("findings.json").findings)).toEqual(all)
    const replayed = await at.report(["--commit", "HEAD", "--replay", "latest"])
    expect(filesOf(replayed.result.findings)).toEqual(all)
    const last = report.findings.find(({ file }: Finding) => file === "\ttab.py").id
    expect(
      (await at.call(["archive", "label", "latest", "--finding", `${last}`, "--outcome", "accepted"])).status
    ).toBe(0)
    const found = join(at.place, "found.json")
    expect((await at.review(["--commit", "HEAD", "--findings-out", found])).status).toBe(0)
    const artifact = JSON.parse(readFileSync(found, "utf8"))
    expect(artifact.findings.map(({ path }: { path: string }) => path).toSorted()).toEqual(all)

    // The same change as a patch.
    const patch = join(at.place, "change.diff")
    writeFileSync(patch, at.repository.gitBytes("diff", emptyTree, "HEAD"))
    const ofPatch = await at.report(["--diff-file", patch])
    expect(filesOf(ofPatch.result.findings)).toEqual(all)
    for (const format of ["json", "text"]) {
      const brief = await at.call(["brief", "--commit", "HEAD", "--format", format, "--brief", "full"])
      expect([brief.status, brief.stderr]).toEqual([0, ""])
    }
  })

  test("leaves out each file by its line of .daydreamignore", async () => {
    const entryOf = (path: string) => {
      const pattern = `/${path.replaceAll(/[\\[\]()*?{}]/g, "\\$&")}`
      const quoted = quotePath(pattern)
      return `py/* ${quoted.startsWith('"') ? quoted : `"${pattern}"`} # ${oddPaths.indexOf(path)}`
    }
    await using at = await modelReviews((repository) => {
      const ignored = `${oddPaths.map(entryOf).join("\n")}\n`
      repository.commit("Begin", { ...filesWith(before), "z.py": before, ".daydreamignore": ignored })
      repository.commit("Share", { ...filesWith(after), "z.py": after })
    }, agreeable)
    const { result } = await at.report(["--commit", "HEAD"])
    expect(filesOf(result.findings)).toEqual(["z.py"])
    const suppressed: ReadonlyArray<Suppressed> = result.suppressed
    expect(filesOf(suppressed.map(({ finding }) => finding))).toEqual(oddPaths.toSorted())
    for (const { finding, place, reason } of suppressed) {
      expect([finding.file, place, reason]).toEqual([
        oddPaths[Number(reason)] ?? "",
        { file: ".daydreamignore", line: Number(reason) + 1 },
        reason
      ])
    }
  })

  test("stops a commit", async () => {
    await using at = await modelReviews((repository) => {
      repository.commit("Begin", filesWith(before))
      repository.git("init", "--quiet", "--bare", "../remote.git")
      repository.git("remote", "add", "origin", "../remote.git")
      repository.git("push", "--quiet", "origin", "main")
      for (const [path, text] of Object.entries(filesWith(after))) repository.write(path, text)
    }, agreeable)
    at.repository.git("add", "--all")
    const commit = await at.call(["hook", "pre-commit", "--fail-on", "low"])
    expect(commit.status).toBe(1)
    for (const path of oddPaths) expect(commit.stdout + commit.stderr).toContain(`${visiblePath(path)}:1`)
  })
})

describe("a review by a model", () => {
  for (const [form, name] of [
    ["as they are shown", visiblePath],
    ["as they are", (path: string) => path]
  ] as const) {
    test(`keeps every claim about paths ${form}: ${nameOf(services[0])}`, async () => {
      const [backend, env] = services[0]
      await using at = await modelReviews(fill, reviewer(name))
      const { result } = await at.report(["--commit", "HEAD", "--backend", backend, "--model", "m-1"], env)
      const claimed = (findings: ReadonlyArray<Finding>) => filesOf(findings.filter(({ source }) => source === "model"))
      expect(result.dropped.map(({ reason }: { reason: string }) => reason)).toEqual([])
      expect(claimed(result.findings)).toEqual(all)
      expect(result.degraded).toEqual([])
      expect([...new Set(result.coverage.files.map(({ status }: { status: string }) => status))]).toEqual(["reviewed"])
      const replayed = await at.report(["--commit", "HEAD", "--replay", "latest"])
      expect(claimed(replayed.result.findings)).toEqual(all)

      // Killed while its last agent is asked, and resumed.
      const heard = at.server.heard.length
      const again = ["--commit", "HEAD", "--backend", backend, "--model", "m-1"]
      const child = Bun.spawn([dd, "review", ...again], {
        ...{ cwd: at.repository.root, env: { ...at.env, ...env } },
        ...{ stdout: "ignore", stderr: "ignore" }
      })
      await Promise.race([at.server.answering(2 * heard - 1), child.exited])
      child.kill("SIGKILL")
      await child.exited
      const resumed = await at.report([...again, "--resume", "latest"], env)
      expect(resumed.result.dropped).toEqual([])
      expect(claimed(resumed.result.findings)).toEqual(all)
    })
  }
})

describe("dd post", () => {
  test("comments on the file itself", async () => {
    await using at = await pullRequestWorld()
    at.pushed(Object.fromEntries(oddPaths.map((path, nth) => [path, mutable(`add${nth}`)])))
    const first = await at.published()
    const paths = [...first.comments, ...first.summary].map(({ path }: { readonly path: string }) => path)
    expect(paths.toSorted()).toEqual(oddPaths.toSorted())
    expect(at.state.comments.map(({ path }) => path).toSorted()).toEqual(oddPaths.toSorted())
  })
})
