/** Workflows for a planted month: those that sessions have in common, and what is none. A commit separates them. */
import { isSupported } from "../../src/domain/dream/confidence.ts"
import type { Judge } from "./dreamScores.ts"
import type { Plant, PlantedSession, Truth } from "./plantedSessions.ts"

const sequence = (...steps: ReadonlyArray<string>): ReadonlyArray<Truth> => [
  { task: "successful sequences", found: steps.join("; "), sessions: 2 }
]

const begin = (session: PlantedSession): void => session.run("git commit -am 'chore: save the state'")
const edits = (session: PlantedSession, folder: string, count: number): void => {
  for (let done = 0; done < count; done++) session.edit(`${folder}/${session.fresh("unit")}.ts`)
}

const feature: Plant = (session) => {
  begin(session)
  session.read("test/cart.test.ts")
  edits(session, "src/cart", 1 + session.random.below(3))
  session.edit("test/cart.test.ts")
  session.fail("bun test", "error: expected 3 and received 4")
  session.run("ls src/cart")
  edits(session, "src/cart", 1)
  session.run("bun test")
  const end = ["run bun test", "fix the failures", "run bun test again"]
  return sequence("read the tests", "edit the source", "edit the tests", ...end)
}

const settings: Plant = (session) => {
  begin(session)
  session.read("tsconfig.json")
  session.edit("tsconfig.json")
  edits(session, "src/web", 6)
  session.run("tsc")
  return sequence("read the settings", "edit the settings", "edit the source", "run tsc")
}

const dependencies: Plant = (session) => {
  begin(session)
  session.run("npm install left-pad")
  session.read("docs/pads.md")
  edits(session, "src/mail", 7)
  session.run("npm run build")
  return sequence("install dependencies", "read the documentation", "edit the source", "run npm run build")
}

const endsRed: Plant = (session) => {
  begin(session)
  session.read("test/mail.test.ts")
  edits(session, "test", 4)
  session.fail("mocha", "Error: no mail was sent")
  begin(session)
  return []
}

const tooShort: Plant = (session) => {
  begin(session)
  edits(session, "src/jobs", 6)
  session.run("tsc")
  return []
}

/** One edit never lowers trust below its maximum. */
const withoutGain: Plant = (session) => {
  begin(session)
  session.run("eslint src")
  begin(session)
  session.read("src/types.ts")
  edits(session, "src/jobs", 1)
  session.run("eslint src")
  return []
}

/** No other session runs this check. */
const onlyOnce: Plant = (session) => {
  begin(session)
  session.read("docs/plan.md")
  edits(session, "docs", 6)
  session.run(`npm run check:${session.id}`)
  return [{ task: "successful sequences", found: `only in ${session.id}`, sessions: 2 }]
}

export const workflowPlants: ReadonlyArray<Plant> = [
  ...[feature, settings, dependencies, endsRed, tooShort, withoutGain, onlyOnce]
]

export const workflowJudge: Judge = {
  task: "successful sequences",
  found: (profiles) => {
    const all = profiles.flatMap(({ contributions }) => contributions)
    return [...Map.groupBy(all, ({ key }) => key).values()].flatMap((same) => {
      const { body } = same[0]!
      const s = same.reduce((sum, contribution) => sum + contribution.s, 0)
      const isFound =
        body.type === "SuccessfulSequence" && isSupported(body.type, { s, f: 0, items: s, sessions: same.length })
      return isFound ? [body.steps.join("; ")] : []
    })
  }
}
