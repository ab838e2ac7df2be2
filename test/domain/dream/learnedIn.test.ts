import { expect, test } from "bun:test"
import type { Artifact } from "../../../src/domain/dream/Artifact.ts"
import { learnedIn } from "../../../src/domain/dream/learnedIn.ts"

const envelope = {
  v: 2,
  id: "x",
  confidence: 0.9,
  stats: { s: 9, f: 0, sessions: 4 },
  created_at: 1_788_220_800,
  last_seen_at: 0,
  last_used_at: null,
  uses: 0,
  helped: 0,
  hurt: 0,
  sources: [],
  origin: "hook"
} as const

const convention = (key: string, confidence = 0.9): Artifact => ({
  ...envelope,
  type: "ProjectConvention",
  domain: "naming",
  pattern: "the sentence",
  evidence_count: 9,
  key,
  confidence
})

const repair: Artifact = {
  ...envelope,
  type: "RepairPattern",
  error_signature: "ENOENT <path>",
  fix_action: "mkdir -p",
  occurrences: 3,
  key: "r"
}

const cluster = (signature: string, files: ReadonlyArray<string>) => ({
  clusters: [
    { signature, trigger: null, sample: "", count: 1, firstStep: 1, lastStep: 1, files, commands: [], resolved: true }
  ]
})

test("conventions of files come with their habit, their sessions and the day of the first", () => {
  expect(learnedIn([convention("naming:ts:=kebab-case")], [])).toEqual([
    {
      id: "x",
      kind: "convention",
      title: "the sentence",
      habit: { slot: "naming:ts:", value: "kebab-case" },
      files: [],
      rule: null,
      confidence: 0.9,
      from: { sessions: 4, since: "2026-09-01" }
    }
  ])
})

test("conventions of commits and commands, uncertain ones and unreadable keys are left out", () => {
  const keys = ["commits:case=lower", "commands:test=bun test", "no key"]
  expect(learnedIn([...keys.map((key) => convention(key)), convention("naming:ts:=kebab-case", 0.69)], [])).toEqual([])
})

test("a repair comes with the files in which its error occurred, and not without any", () => {
  const profiles = [
    cluster("ENOENT <path>", ["a.ts"]),
    cluster("ENOENT <path>", ["a.ts", "b.ts"]),
    cluster("x", ["c.ts"])
  ]
  expect(learnedIn([repair], profiles)).toMatchObject([
    { kind: "repair", title: 'after the error "ENOENT <path>", this helped: mkdir -p', files: ["a.ts", "b.ts"] }
  ])
  expect(learnedIn([repair], [])).toEqual([])
})
