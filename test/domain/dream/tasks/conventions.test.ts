import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import type { Artifact, Contribution } from "../../../../src/domain/dream/Artifact.ts"
import type { RepositoryView } from "../../../../src/domain/dream/RepositoryView.ts"
import {
  type ConventionsInput,
  conventionsOf,
  countRepository
} from "../../../../src/domain/dream/tasks/conventions.ts"
import { viewOfSession } from "../../../../src/domain/dream/viewOfSession.ts"
import { it } from "../../../support/effect.ts"
import { edit, eventsOf, fail, prompt, read, run } from "../../../support/sessionEvents.ts"

type Steps = Parameters<typeof eventsOf>[0]

const repositoryOf = (
  files: Readonly<Record<string, string>>,
  subjects: ReadonlyArray<string> = []
): RepositoryView => ({
  root: "/repo",
  branch: "main",
  head: "1",
  files: Object.keys(files).sort(),
  subjects,
  commits: [],
  commands: new Set(),
  text: (path) => files[path] ?? null
})

const named = (...paths: ReadonlyArray<string>) => repositoryOf(Object.fromEntries(paths.map((path) => [path, ""])))

let writes = 0
const write = (file: string): Steps =>
  edit(file).map((event) => ({ ...event, tool: "Write", args: `write ${writes++}` }))

const found = (
  repository: RepositoryView,
  steps: ReadonlyArray<Steps>,
  more: Partial<Pick<ConventionsInput, "artifacts">> = {}
): ReadonlyArray<Contribution> => {
  const session = viewOfSession(eventsOf([prompt(), ...steps.flat()]))!
  const counting = countRepository(repository)
  let next = counting.next()
  while (!next.done) next = counting.next()
  return conventionsOf({ session, repository, artifacts: [], ...more }, next.value)
}

const keysOf = (contributions: ReadonlyArray<Contribution>) => contributions.map(({ key }) => key)

const stored = (key: string): Artifact => ({
  type: "ProjectConvention",
  domain: "naming",
  pattern: "x",
  evidence_count: 10,
  v: 2,
  id: "cv_1",
  key,
  confidence: 0.9,
  stats: { s: 10, f: 0, sessions: 1 },
  created_at: 0,
  last_seen_at: 0,
  last_used_at: null,
  uses: 0,
  helped: 0,
  hurt: 0,
  sources: [],
  origin: "hook"
})

const five = ["a-a.ts", "a-b.ts", "a-c.ts", "a-d.ts", "a-e.ts"]

describe("conventions of files", () => {
  test("what the repository has and the session follows is a convention, in words that can be checked", () => {
    expect(found(named(...five), [write("a-f.ts")])).toEqual([
      {
        key: "naming:ts:=kebab-case",
        body: {
          type: "ProjectConvention",
          domain: "naming",
          pattern: "names of .ts files, if they have several words, are in kebab-case"
        },
        s: 1,
        f: 0,
        repository: { s: 5, f: 0 }
      }
    ])
  })

  test("four items are too few, and 85 of 100 are too many exceptions", () => {
    expect(found(named(...five.slice(0, 3)), [write("a-f.ts")])).toEqual([])
    const files = Array.from({ length: 100 }, (_, at) => (at < 85 ? `a-${at}.ts` : `aB${at}.ts`))
    expect(found(named(...files), [edit("a-1.ts")])).toEqual([])
    expect(keysOf(found(named(...files.slice(0, 94)), [edit("a-1.ts")]))).toEqual(["naming:ts:=kebab-case"])
  })

  test("a tie is no convention", () => {
    const files = five.flatMap((name) => [name, name.replace("-", "_")])
    expect(found(named(...files), [edit("a-a.ts")])).toEqual([])
  })

  test("a session that breaks a habit does not make it a convention", () => {
    const many = Array.from({ length: 40 }, (_, at) => `a-${at}.ts`)
    expect(found(named(...many), [write("aBroken.ts")])).toEqual([])
  })

  test("a session lowers a stored convention that it breaks, and one that the repository no longer has", () => {
    const key = "naming:ts:=kebab-case"
    const many = Array.from({ length: 40 }, (_, at) => `a-${at}.ts`)
    expect(found(named(...many), [write("aBroken.ts")], { artifacts: [stored(key)] })).toMatchObject([
      { key, s: 0, f: 1, repository: { s: 40, f: 0 } }
    ])
    const renamed = five.map((name) => name.replace("-", "_"))
    expect(found(named(...renamed), [edit("a_a.ts")], { artifacts: [stored(key)] })).toMatchObject([
      { key: "naming:ts:=snake_case", s: 0, f: 0, repository: { s: 5, f: 0 } },
      { key, s: 0, f: 0, repository: { s: 0, f: 5 } }
    ])
  })

  test("a session supports nothing that it did not work on", () => {
    expect(found(named(...five), [read("a-a.ts"), edit("README.md")])).toEqual([])
  })

  test("a file that the repository already has is not counted twice", () => {
    expect(found(named(...five), [write("a-a.ts")])).toMatchObject([{ s: 0, f: 0, repository: { s: 5, f: 0 } }])
  })

  test("what holds everywhere is not repeated for each folder, and a folder of its own is", () => {
    const files = five.flatMap((name) => [`src/${name}`, `lib/${name}`, `ui/${name.charAt(2).toUpperCase()}x.ts`])
    expect(keysOf(found(named(...files), [edit("src/a-a.ts"), edit("lib/a-a.ts"), edit("ui/Ax.ts")]))).toEqual([
      "naming:ts:lib=kebab-case",
      "naming:ts:src=kebab-case",
      "naming:ts:ui=PascalCase"
    ])
    expect(keysOf(found(named(...files.filter((path) => !path.startsWith("ui"))), [edit("src/a-a.ts")]))).toEqual([
      "naming:ts:=kebab-case"
    ])
  })

  test("the texts of files show how tests are written", () => {
    const spec = 'import { it } from "vitest"\ndescribe("a", () => {\n  it("b", () => {})\n})\n'
    const files = Object.fromEntries(
      ["a", "b", "c", "d", "e"].flatMap((name) => [
        [`${name}.spec.ts`, spec],
        [`${name}.ts`, ""]
      ])
    )
    const repository = repositoryOf({ ...files, "f.ts": "", "f.spec.ts": spec })
    const contributions = found(repository, [write("f.spec.ts")])
    expect(contributions.flatMap(({ body }) => (body.type === "ProjectConvention" ? [body.pattern] : []))).toEqual([
      "tests are written with describe and it",
      ".ts test files are next to their sources",
      "JavaScript and TypeScript tests import vitest",
      "test files use the suffix .spec.ts"
    ])
  })
})

describe("conventions of commits and commands", () => {
  const subjects = ["fix: a thing", "feat(ui): add it", "docs: say why", "test: cover it", "chore: tidy up"]

  test("subjects of commits that the session follows", () => {
    const commit = run("git commit -m 'fix: the order'")
    expect(keysOf(found(repositoryOf({}, subjects), [commit]))).toEqual([
      "commits:case=lower",
      "commits:length=72",
      "commits:prefix=conventional"
    ])
    const other = run("git commit -m 'Fixed the order'")
    expect(keysOf(found(repositoryOf({}, subjects), [other]))).toEqual(["commits:length=72"])
  })

  test("each command that succeeded, whatever other sessions ran: all of a purpose are one convention", () => {
    const own = [run("pnpm test"), run("pnpm test"), run("npm test"), fail("pnpm lint", "x"), run("ls")]
    expect(
      found(repositoryOf({}), own).map(({ body, f, key, s }) => [key, "pattern" in body && body.pattern, s, f])
    ).toEqual([
      ["commands:manager", "packages are managed with `pnpm`", 2, 0],
      ["commands:test", "tests are run with `pnpm test`", 2, 0],
      ["commands:manager", "packages are managed with `npm`", 1, 0],
      ["commands:test", "tests are run with `npm test`", 1, 0]
    ])
  })

  test("a package manager that has no lock file, where another has one, is no convention", () => {
    const locked = named("pnpm-lock.yaml")
    const own = Array.from({ length: 6 }, () => run("npm test"))
    expect(keysOf(found(locked, own))).toEqual(["commands:test"])
  })
})

describe("laws", () => {
  const name = Schema.Literals(["a-b.ts", "c-d.ts", "eF.ts", "gH.ts", "IJ.tsx", "kl.test.ts", "s/m-n.ts", "s/oP.ts"])

  it.prop(
    "each contribution has its thresholds or is against something stored; the order of files changes nothing",
    Schema.Tuple([Schema.Array(name), Schema.Array(name)]),
    ([files, edited]) => {
      const repository = named(...new Set(files))
      const steps = edited.map((file) => write(file))
      const contributions = found(repository, steps)
      for (const { f, repository: known, s } of contributions) {
        const [all, against] = [s + f + (known?.s ?? 0) + (known?.f ?? 0), f + (known?.f ?? 0)]
        expect(all).toBeGreaterThanOrEqual(5)
        expect(against / all).toBeLessThanOrEqual(0.1)
      }
      expect(found(named(...[...new Set(files)].reverse()), steps)).toEqual(contributions)
      expect(contributions.length).toBeLessThanOrEqual(20)
    }
  )
})
