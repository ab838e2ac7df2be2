/** What is told after each of twenty sessions; each sentence was judged by hand. */
import { expect } from "bun:test"
import { Effect } from "effect"
import type { Artifact } from "../../../src/domain/dream/Artifact.ts"
import { emptyBase, withSessions } from "../../../src/domain/dream/artifacts/ArtifactBase.ts"
import { artifactsOf } from "../../../src/domain/dream/artifacts/artifactsOf.ts"
import { itemsThatHold, renderedPacket } from "../../../src/domain/dream/packet/packetText.ts"
import type { SessionProfile } from "../../../src/domain/dream/SessionProfile.ts"
import { outcomeAt, viewOfSession } from "../../../src/domain/dream/viewOfSession.ts"
import { tasks } from "../../../src/layers/DreamLive.ts"
import { digest } from "../../../src/layers/dream/spoolPlace.ts"
import { pass } from "../../support/dreamScores.ts"
import { it } from "../../support/effect.ts"
import { emptyRepository, PlantedSession, Random } from "../../support/plantedSessions.ts"
import { plantedRepository } from "../../support/projectPlants.ts"
import { toldSessions } from "../../support/toldSessions.ts"

const day = 86_400_000

it.effect("each sentence is true of the session that it is about", () =>
  Effect.gen(function* () {
    let profiles: ReadonlyArray<SessionProfile> = []
    let artifacts: ReadonlyArray<Artifact> = []
    const told: Array<string> = []
    for (const [at, [what, plant]] of toldSessions.entries()) {
      const planted = new PlantedSession(`session-${at}`, new Random(at), 1_788_220_800_000 + at * day)
      plant(planted)
      const view = viewOfSession(planted.events)!
      const now = view.lastAt + 3_600_000
      const session = { ...view, outcome: outcomeAt(view, planted.events, now) }
      const repository = { ...emptyRepository, ...plantedRepository }
      const profile = yield* pass({ session, profiles, artifacts, repository, found: {}, now })
      const packet = profile.packet!
      const items = itemsThatHold(
        { ...packet, items: packet.items.map(({ commands: _, ...item }) => item) },
        {
          changedAt: () => 0,
          text: () => null
        }
      )
      const start = { root: packet.root, branch: packet.branch, head: packet.head, at: now + 3_600_000 }
      const text = renderedPacket(packet, items, start)?.text ?? "nothing"
      told.push(`## ${what}`, ...text.split("\n").filter((line) => !line.startsWith("Notes of dd")))
      profiles = [profile, ...profiles]
      artifacts = artifactsOf(withSessions(emptyBase, profiles, now, digest), now, digest)
    }
    expect(told.join("\n")).toMatchSnapshot()
  }).pipe(Effect.provide(tasks))
)
