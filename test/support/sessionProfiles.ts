/** Builds what the tasks find in sessions, and arbitrary histories of sessions. */
import { Schema } from "effect"
import type { ArtifactBody, Contribution } from "../../src/domain/dream/Artifact.ts"
import type { SessionProfile } from "../../src/domain/dream/SessionProfile.ts"

export const day = 86_400_000
/** 2026-01-01. */
export const firstDay = 20_454

export const profileOf = (session: string, over: Partial<SessionProfile> = {}): SessionProfile => ({
  v: 1,
  session,
  host: "claude",
  root: "/repo",
  branch: "main",
  head: null,
  outcome: "clean",
  startedAt: (over.endedAt ?? firstDay * day) - 600_000,
  endedAt: firstDay * day,
  turns: 1,
  steps: 5,
  events: 12,
  analysedAt: firstDay * day,
  versions: {},
  arc: [],
  clusters: [],
  errors: [],
  loops: [],
  trust: null,
  pairs: [],
  edits: {},
  commands: [],
  injections: [],
  packet: null,
  contributions: [],
  ...over
})

export const playbook = (trigger: string, ...sequence: ReadonlyArray<string>): ArtifactBody => ({
  type: "DreamPlaybook",
  trigger,
  sequence
})
export const repair = (error_signature: string, fix_action: string): ArtifactBody => ({
  type: "RepairPattern",
  error_signature,
  fix_action
})
export const convention = (domain: string, pattern: string): ArtifactBody => ({
  type: "ProjectConvention",
  domain,
  pattern
})
export const sequence = (label: string, ...steps: ReadonlyArray<string>): ArtifactBody => ({
  type: "SuccessfulSequence",
  label,
  steps
})

export const seen = (key: string, body: ArtifactBody, s = 1, f = 0): Contribution => ({ key, body, s, f })

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))

/** Sessions of a project over a year, with few keys, so that sessions meet at the same artifacts. */
export const History = Schema.Array(
  Schema.Struct({
    day: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 365 })),
    host: Schema.Literals(["claude", "dd"]),
    found: Schema.Array(
      Schema.Struct({
        what: Schema.Literals([0, 1, 2, 3, 4, 5, 6]),
        s: Count,
        f: Count,
        repository: Schema.NullOr(Schema.Struct({ s: Count, f: Count }))
      })
    ).check(Schema.isMaxLength(5)),
    used: Schema.Array(Schema.Literals(["rp_1", "cv_1"])).check(Schema.isMaxLength(2)),
    value: Schema.Literals([-1, 0, 1])
  })
).check(Schema.isMaxLength(14))

const bodies: ReadonlyArray<readonly [string, ArtifactBody]> = [
  ["e1 a", playbook("error:typescript:TS2345", "read the call", "edit the call", "run tsc")],
  ["e1 b", playbook("error:typescript:TS2345", "add an import", "run tsc")],
  ["r1", repair("ENOENT: no such file", "mkdir -p")],
  ["testing:suffix", convention("testing", "tests end in .test.ts")],
  ["testing:suffix", convention("testing", "tests end in .spec.ts")],
  ["naming:ts", convention("naming", "files of TypeScript are kebab-case")],
  ["s1", sequence("fix", "read", "edit", "test")]
]

export const profilesOf = (history: (typeof History)["Type"]): ReadonlyArray<SessionProfile> =>
  history.map(({ day: at, found, host, used, value }, index) =>
    profileOf(`s${index}`, {
      host,
      endedAt: (firstDay + at) * day + index * 1000,
      contributions: found.map(({ f, repository, s, what }) => {
        const [key, body] = bodies[what]!
        return {
          ...seen(key, body, s, f),
          ...(body.type === "SuccessfulSequence" ? { trustDelta: s * 4 } : {}),
          ...(body.type === "ProjectConvention" && repository !== null ? { repository } : {})
        }
      }),
      injections: used.map((artifact, at) => ({ id: `i${at}`, sources: ["repair"], artifacts: [artifact], value }))
    })
  )
