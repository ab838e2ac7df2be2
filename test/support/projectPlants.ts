/**
 * Habits, pairs of files, commands and injections for a planted month, and what only looks like them: 85 of 100 files that
 * conform, a tie, four files, files that are edited together by chance, a command that is denied at times.
 */

import { emptyBase, withSessions } from "../../src/domain/dream/artifacts/ArtifactBase.ts"
import { artifactsOf } from "../../src/domain/dream/artifacts/artifactsOf.ts"
import type { RepositoryView } from "../../src/domain/dream/RepositoryView.ts"
import type { InjectedContext } from "../../src/domain/dream/SessionEvent.ts"
import { commandSuggestions } from "../../src/domain/dream/tasks/commandFrequency.ts"
import { relatedFiles } from "../../src/domain/dream/tasks/fileRelationships.ts"
import { digest } from "../../src/layers/dream/spoolPlace.ts"
import { inEachSession, type Judge } from "./dreamScores.ts"
import type { Plant, PlantedSession, Truth } from "./plantedSessions.ts"

const conventions = (...keys: ReadonlyArray<string>): ReadonlyArray<Truth> =>
  keys.map((found) => ({ task: "conventions", found }))
const ofMonth = (task: string, sessions: number, ...found: ReadonlyArray<string>): ReadonlyArray<Truth> =>
  found.map((words) => ({ task, found: words, sessions }))

const component: Plant = (session) => {
  const isBroken = session.random.chance(0.3)
  session.write(`web/${isBroken ? "newThing" : "NewThing"}${session.fresh("")}.tsx`, "")
  return isBroken ? [] : conventions("naming:tsx:=PascalCase")
}

const rubySpec: Plant = (session) => {
  session.write(`spec/${session.fresh("order_line")}_spec.rb`, "")
  return conventions("testing:suffix:rb=_spec", "testing:location:rb=spec")
}

const pythonModule: Plant = (session) => {
  session.read("shop/price_list3.py")
  session.edit("shop/price_list3.py")
  return conventions("naming:py:=snake_case", "imports:path:py=relative")
}

/** 85 of 100, a tie, and four files: no conventions. */
const nearHabits: Plant = (session) => {
  session.edit(`lib/order_${session.random.below(80)}.php`)
  session.edit(`old/order-${session.random.below(6)}.js`)
  session.edit(`cmd/order-${session.random.below(4)}.go`)
  return []
}

const commit: Plant = (session) => {
  const isBroken = session.random.chance(0.3)
  session.run(`git commit -m '${isBroken ? "Fixed the total" : `fix: keep the total ${session.fresh("of")}`}'`)
  return conventions("commits:length=72", ...(isBroken ? [] : ["commits:prefix=conventional", "commits:case=lower"]))
}

const tests: Plant = (session) => {
  session.run("pnpm test")
  return [
    ...ofMonth("commands of the month", 5, "tests are run with `pnpm test`", "packages are managed with `pnpm`"),
    ...ofMonth("command frequency", 5, "always allowed: pnpm test")
  ]
}

const together: Plant = (session) => {
  const name = session.random.pick(["bill", "cart", "item", "mail", "order", "price", "stock", "user"])
  session.edit(`pair/${name}.ts`)
  session.noise(1)
  session.edit(`pair/${name}.sql`)
  return [
    ...ofMonth("file relationships", 3, `pair/${name}.sql + pair/${name}.ts`),
    ...ofMonth("file relationships", 1, "db/schema.sql + db/types.ts")
  ]
}

/** A hub is edited with everything, and a file is now and then edited with another. */
const byChance: Plant = (session) => {
  session.edit("hub/index.ts")
  session.edit(`hub/${session.random.pick(["a", "b", "c", "d", "e"])}.ts`)
  session.edit("hub/often.ts")
  if (session.random.chance(0.3)) session.edit("hub/rarely.ts")
  return ofMonth("file relationships", 3, "hub/index.ts + hub/often.ts")
}

const denied: Plant = (session) => {
  session.deny("git push --force")
  session.deny("git push origin main --force")
  return ofMonth("command frequency", 2, "always denied: git push")
}

const sometimesDenied: Plant = (session) => {
  if (session.random.chance(0.4)) session.run("docker push shop/web")
  else session.deny("docker push shop/web")
  if (session.random.chance(0.2)) {
    session.deny("make lint")
    return []
  }
  session.run("make lint")
  return ofMonth("commands of the month", 5, "the code is checked with `make lint`")
}

export const projectPlants: ReadonlyArray<Plant> = [
  component,
  rubySpec,
  pythonModule,
  nearHabits,
  commit,
  tests,
  together,
  byChance,
  denied,
  sometimesDenied
]

let injections = 0
const inject = (session: PlantedSession, value: -1 | 0 | 1): ReadonlyArray<Truth> => {
  const id = `i${injections++}`
  const injection: InjectedContext = { id, sources: ["repair"], artifacts: ["rp_1"], bytes: 200 }
  session.inject(injection)
  return [{ task: "injection effectiveness", found: `${id}: ${value}` }]
}

const steady = (session: PlantedSession, rounds: number): void => {
  for (let done = 0; done < rounds; done++) {
    session.noise(4)
    session.run("tsc --noEmit")
  }
}
const failures = (session: PlantedSession): void => {
  for (let done = 0; done < 6; done++) session.fail(`node ${session.fresh("job")}.js`, `Error: job ${done} stopped`)
}

const helpful: Plant = (session) => {
  steady(session, 12)
  failures(session)
  const truths = inject(session, 1)
  steady(session, 5)
  return truths
}
const harmful: Plant = (session) => {
  steady(session, 12)
  const truths = inject(session, -1)
  session.noise(14)
  failures(session)
  steady(session, 1)
  return truths
}
const neutral: Plant = (session) => {
  steady(session, 12)
  const truths = inject(session, 0)
  steady(session, 5)
  return truths
}

export const injectionPlants: ReadonlyArray<Plant> = [helpful, harmful, neutral]

const range = (count: number, name: (at: number) => string) => Array.from({ length: count }, (_, at) => name(at))

const modules = range(12, (at) => `shop/price_list${at}.py`)

export const plantedRepository: Partial<RepositoryView> = {
  files: [
    ...range(30, (at) => `web/OrderPage${at}.tsx`),
    ...range(20, (at) => `spec/customer${at}_spec.rb`),
    ...modules,
    ...range(85, (at) => `lib/order_${at}.php`),
    ...range(15, (at) => `lib/order${at}Line.php`),
    ...range(6, (at) => `old/order-${at}.js`),
    ...range(6, (at) => `old/order${at}Line.js`),
    ...range(4, (at) => `cmd/order-${at}.go`)
  ].sort(),
  subjects: [
    ...range(45, (at) => `feat(cart): count ${at} more things`),
    ...range(2, (at) => `count ${at} more things`),
    ...range(10, (at) => `Merge pull request #${at}`)
  ],
  commits: [
    ...range(4, () => "db/schema.sql db/types.ts"),
    ...range(3, () => "db/schema.sql db/seed.sql"),
    ...range(20, () => "db/seed.sql")
  ].map((files) => files.split(" ")),
  text: (path) => (modules.includes(path) ? "from .money import Price\n" : "")
}

const habitKeys = (prefix: RegExp): Judge["found"] =>
  inEachSession(({ contributions }) =>
    contributions.flatMap(({ body, f, key }) =>
      body.type === "ProjectConvention" && f === 0 && prefix.test(key) ? [key] : []
    )
  )

export const projectJudges: ReadonlyArray<Judge> = [
  { task: "conventions", found: habitKeys(/^(?!commands:)/) },
  {
    task: "commands of the month",
    found: (profiles) => {
      const now = Math.max(...profiles.map(({ endedAt }) => endedAt))
      return artifactsOf(withSessions(emptyBase, profiles, now, digest), now, digest).flatMap((artifact) =>
        artifact.type === "ProjectConvention" && artifact.domain === "commands" ? [artifact.pattern] : []
      )
    }
  },
  {
    task: "file relationships",
    found: (profiles) => relatedFiles(profiles, plantedRepository.commits ?? []).map(({ files }) => files.join(" + "))
  },
  {
    task: "command frequency",
    found: (profiles) => commandSuggestions(profiles).map(({ family, kind }) => `${kind}: ${family}`)
  }
]

export const injectionJudge: Judge = {
  task: "injection effectiveness",
  found: inEachSession(({ injections }) => injections.map(({ id, value }) => `${id}: ${value}`))
}
