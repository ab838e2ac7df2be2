/** Checks git, dd's own directory and the archive. Reads only: missing directories are not created. */
import { DateTime, Effect, FileSystem, Option, Path } from "effect"
import { builtInPrices, staleness } from "../../../domain/agent/Prices.ts"
import type { Check } from "../../../domain/doctor/Check.ts"
import type { ReviewSettings } from "../../../domain/run/ReviewSettings.ts"
import { readPrices } from "../../../services/agent/PriceList.ts"
import { Git } from "../../../services/change/Git.ts"
import { leftPlans } from "../../../services/fix/applyJournal.ts"
import { ArchiveQuery } from "../../../services/record/ArchiveQuery.ts"
import { archiveDirectory, daydreamHome, pricesFile } from "../../../services/run/Settings.ts"
import { findProgram } from "../../agent/backend/cli/findProgram.ts"
import * as Query from "../../record/archive/Query.ts"
import { abandonedIn, systemTemporary, workFolder } from "../../system/abandonedCopies.ts"
import * as Proc from "../../system/process/Proc.ts"
import { programVersion } from "./programVersion.ts"

/** `target`: the directory of the review. */
export const gitChecks = Effect.fnUntraced(function* (target: string) {
  const git = yield* Git
  const found = yield* findProgram("git", null)
  if (found._tag === "NotFound") {
    return [checked("git", "git", "problem", "git is not on PATH: only a patch can be reviewed")]
  }
  const version = yield* programVersion(found.path, found.searched)
  const words = version._tag === "Said" ? version.words : version.reason
  const opened = yield* Effect.result(git.open(target))
  const program = checked("git", "git", version._tag === "Said" ? "ok" : "problem", `${found.path}, ${words}`)
  if (opened._tag === "Success") {
    const { bare, root, gitDir, shallow } = opened.success
    const kind = `${bare ? ", bare" : ""}${shallow ? ", shallow: older history is not here" : ""}`
    return [program, checked("git", "repository", "ok", `${root ?? gitDir}${kind}`)]
  }
  const { _tag, message } = opened.failure
  return [program, checked("git", "repository", _tag === "NotARepository" ? "note" : "problem", message)]
})

export const homeChecks = Effect.gen(function* () {
  const home = yield* daydreamHome
  return [...(yield* checksOfHome(home)), ...(yield* abandonedChecks(home)), ...(yield* applyingChecks)]
})

const checksOfHome = Effect.fnUntraced(function* (home: string | null) {
  const fs = yield* FileSystem.FileSystem
  if (home === null) {
    return [checked("home", "home", "note", "none (no HOME, no DD_HOME): no archive, no settings, no cache")]
  }
  const info = Option.getOrNull(yield* Effect.option(fs.stat(home)))
  if (info === null) {
    const file = yield* fileAbove(home)
    return [
      file === null
        ? checked("home", "home", "ok", `${home}, created by the first review`)
        : checked("home", "home", "problem", `${home} cannot be created: ${file} is not a directory`)
    ]
  }
  if (info.type !== "Directory") return [checked("home", "home", "problem", `${home} is not a directory`)]
  const checks = [privacyCheck(home, "home", info)]
  const paths = yield* Path.Path
  const config = paths.join(home, "config.toml")
  const file = Option.getOrNull(yield* Effect.option(fs.stat(config)))
  if (file !== null && (file.mode & 0o022) !== 0) {
    const mode = modeOf(file.mode)
    checks.push(
      checked("home", "config.toml", "problem", `other users may write ${config} (${mode}): run chmod 600 on it`)
    )
  }
  return checks
})

/** The date of the built-in prices, and errors in the user's price file. */
export const priceChecks = Effect.gen(function* () {
  const own = yield* pricesFile
  const file = own ?? "~/.daydream/prices.toml"
  const { prices, problems } = own === null ? { prices: builtInPrices, problems: [] } : yield* readPrices(own)
  const today = DateTime.formatIso(yield* DateTime.now)
  const models = [...prices.byModel.keys()]
  const stale = models.filter((model) => staleness(prices, model, today) !== null).length
  const table = `built-in prices of ${prices.asOf}`
  return [
    stale === 0
      ? checked("settings", "prices", "ok", table)
      : checked(
          "settings",
          "prices",
          "note",
          `${table}: ${stale} of ${models.length} may have changed; ${file} can set them`
        ),
    ...problems.map((problem) => checked("settings", "prices", "problem", `${file}: ${problem}`))
  ]
})

/** `settings`: null if they are not valid. */
export const archiveChecks = Effect.fnUntraced(function* (settings: ReviewSettings | null) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const directory = yield* archiveDirectory
  if (directory === null) return [checked("archive", "archive", "note", "none without a home directory")]
  const info = Option.getOrNull(yield* Effect.option(fs.stat(directory)))
  if (info === null) return [checked("archive", "archive", "ok", `${directory}, no run yet`)]
  if (info.type !== "Directory") return [checked("archive", "archive", "problem", `${directory} is not a directory`)]
  const state = privacyCheck(directory, "archive", info)
  const index = paths.join(directory, "index.db")
  const bundles = yield* Effect.option(fs.readDirectory(paths.join(directory, "runs")))
  const kept = Option.getOrElse(bundles, () => []).filter((name) => session.test(name)).length
  if (Option.isNone(yield* Effect.option(fs.stat(index)))) {
    const words = kept === 0 ? "no run yet" : `${runs(kept)}, and no index: dd archive rebuild-index makes one`
    return [state, checked("archive", "index", kept === 0 ? "ok" : "problem", words)]
  }
  const indexed = yield* Effect.result(Effect.provide(countRuns, Query.layer(index)))
  return [
    state,
    indexed._tag === "Failure"
      ? checked("archive", "index", "problem", `${indexed.failure.message}; dd archive rebuild-index replaces it`)
      : checked(
          "archive",
          "index",
          indexed.success === kept ? "ok" : "note",
          indexed.success === kept
            ? runs(kept)
            : `${runs(kept)}, ${indexed.success} of them indexed: dd archive rebuild-index corrects that`
        ),
    ...(settings === null ? [] : [checked("archive", "pruning", "ok", pruningWords(settings))])
  ]
})

const pruningWords = ({ pruneAbove, pruneAfter }: ReviewSettings): string => {
  const limits = [
    ...(pruneAfter.value === "never"
      ? []
      : [`when they are older than ${pruneAfter.value.replace(/^(\d+)d$/, "$1 days")}`]),
    ...(pruneAbove.value === "never"
      ? []
      : [`while the archive is larger than ${pruneAbove.value.replace(/^(\d+)([KMGT])$/, "$1 $2iB")}`])
  ]
  return limits.length === 0
    ? "no run is deleted by itself (prune_after, prune_above)"
    : `runs without a label are deleted ${limits.join(", or ")} (prune_after, prune_above)`
}

/** The file above a path that prevents a directory there; null if there is none. */
const fileAbove = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  for (let at = path; at !== paths.dirname(at); at = paths.dirname(at)) {
    const info = Option.getOrNull(yield* Effect.option(fs.stat(at)))
    if (info !== null) return info.type === "Directory" ? null : at
  }
  return null
})

const countRuns = Effect.gen(function* () {
  const query = yield* ArchiveQuery
  const { next } = yield* query.run("SELECT count(*) AS n FROM runs")
  const [row] = yield* next(1)
  return typeof row?.n === "number" ? row.n : 0
}).pipe(Effect.scoped)

const session = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const runs = (count: number): string => `${count} archived ${count === 1 ? "run" : "runs"}`

/** A private directory must belong to the user and be closed to others. */
const privacyCheck = (path: string, area: "home" | "archive", { mode, uid }: FileSystem.File.Info): Check => {
  const self = process.getuid?.()
  const owner = Option.getOrUndefined(uid)
  if (self !== undefined && owner !== undefined && owner !== self) {
    return checked(area, area, "problem", `${path} belongs to another user`)
  }
  return (mode & 0o077) === 0
    ? checked(area, area, "ok", `${path}, readable only by you (${modeOf(mode)})`)
    : checked(area, area, "problem", `other users may read ${path} (${modeOf(mode)}): run chmod 700 on it`)
}

/** Copies that killed runs left behind. */
const abandonedChecks = Effect.fnUntraced(function* (home: string | null) {
  const paths = yield* Path.Path
  const places = [systemTemporary(), ...(home === null ? [] : [paths.join(home, workFolder)])]
  const left = (yield* Effect.forEach(places, abandonedIn)).flat()
  return left.map((path) =>
    checked("home", "left", "note", `${path}, left by a killed run; the next review by a coding CLI removes it`)
  )
})

/** Repositories in which a killed run was applying fixes. */
const applyingChecks = Effect.gen(function* () {
  return (yield* leftPlans).map(({ plan: { files, root } }) => {
    const count = `${files.length} ${files.length === 1 ? "file" : "files"}`
    const words = `${root}: a killed run may have left fixes half applied in ${count}; run dd review --fix there`
    return checked("home", "applying", "problem", words)
  })
}).pipe(Effect.provide(Proc.layer))

const modeOf = (mode: number): string => (mode & 0o777).toString(8).padStart(4, "0")

const checked = (area: Check["area"], subject: string, state: Check["state"], words: string): Check => ({
  area,
  subject,
  state,
  words
})
