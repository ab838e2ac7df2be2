/**
 * Writes what dd is built with about models, `src/domain/agent/modelSnapshot.json`: `bun scripts/refreshModels.ts`.
 *
 * Prices come from the data package @pydantic/genai-prices, as installed; for newer prices install a newer one first. The
 * date of the snapshot is that of the package's release, which is the day its data was last checked. Where a price
 * depends on the hour, the highest counts; where a change is announced, the entry ends on that day.
 *
 * The context and the longest answer come from the catalog of another package, which is read and not installed. Its
 * context ends where the price of a longer request begins. Models that only the first package has get its context.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findProvider, type ModelInfo, type ModelPrice } from "@pydantic/genai-prices"

const root = join(import.meta.dir, "..")
const name = "@pydantic/genai-prices"
const providers = ["anthropic", "openai", "google", "deepseek", "mistral", "moonshotai", "x-ai", "zai"]

const { devDependencies } = await Bun.file(join(root, "package.json")).json()
const version: string = devDependencies[name]
const catalog = "@earendil-works/pi-ai@1.5.2"

const viewed = (packageName: string, field: string) => {
  const view = Bun.spawnSync([process.execPath, "pm", "view", packageName, field, "--json"], { cwd: root })
  if (view.exitCode !== 0) throw new Error(`${field} of ${packageName} could not be read: ${view.stderr.toString()}`)
  return JSON.parse(view.stdout.toString())
}
const asOf: string = viewed(`${name}@${version}`, "time")[version].slice(0, 10)

/** The prices of text. Those of long requests are left out, because the requests of a review are shorter. */
const priceIn = (prices: ModelPrice) => {
  const [input, output, cachedInput, cacheWrite] = (
    ["input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok"] as const
  ).map((key) => {
    const price = prices[key]
    return typeof price === "object" ? price.base : price
  })
  if (input === undefined || output === undefined) return null
  return { input, output, cachedInput: cachedInput ?? input, cacheWrite: cacheWrite ?? input }
}

const entryOf = ({ prices }: ModelInfo) => {
  if (!Array.isArray(prices)) return priceIn(prices)
  const startOf = ({ constraint }: (typeof prices)[number]) =>
    constraint?.type === "start_date" ? constraint.start_date : ""
  const begun = prices.filter((each) => startOf(each) <= asOf)
  const latest = begun.map(startOf).sort().at(-1)
  const valid = begun.filter((each) => startOf(each) === latest || each.constraint?.type === "time_of_date")
  const dearest = valid
    .flatMap((each) => priceIn(each.prices) ?? [])
    .reduce<ReturnType<typeof priceIn>>(
      (most, each) => (most === null || each.output > most.output ? each : most),
      null
    )
  const [until] = prices
    .map(startOf)
    .filter((start) => start > asOf)
    .sort()
  return dearest === null || until === undefined ? dearest : { ...dearest, until }
}

/** Names of exactly this model. A prefix is used as a name only, because a longer name can be another model. */
const namesOf = (match: ModelInfo["match"]): ReadonlyArray<string> =>
  "or" in match
    ? match.or.flatMap(namesOf)
    : "equals" in match
      ? [match.equals]
      : "starts_with" in match
        ? [match.starts_with]
        : []

const isPlain = (model: string) => /^[a-z0-9][a-z0-9.-]*[a-z0-9]$/.test(model)

/** `[context, longest answer]` in tokens; the answer includes thinking. Null: not known. */
type Limits = readonly [number, number | null]

const limits = new Map<string, Limits>()
/** A name with its dots as dashes, because vendors and gateways differ in them. */
const keyOf = (model: string) => model.toLowerCase().replaceAll(".", "-")
/** Models that answer with text; a name with a date has the limits of the name without it. */
const isNeeded = (model: string) =>
  !/embed|audio|realtime|transcribe|tts|ocr|image|vision|voxtral|[-@]\d{4}-?\d{2}-?\d{2}$/.test(model)
const addLimits = (model: string, own: Limits) => {
  if (own[0] > 0 && isNeeded(model) && !limits.has(keyOf(model))) limits.set(keyOf(model), own)
}

const directory = mkdtempSync(join(tmpdir(), "models-"))
try {
  const archive = join(directory, "package.tgz")
  await Bun.write(archive, await fetch(viewed(catalog, "dist.tarball")))
  if (Bun.spawnSync(["tar", "-xzf", archive, "-C", directory]).exitCode !== 0)
    throw new Error(`${catalog} is unreadable`)
  for (const provider of ["anthropic", "openai", "google", "deepseek", "mistral", "moonshotai", "xai", "zai"]) {
    const byApi = await Bun.file(join(directory, "package/dist/providers/data", `${provider}.json`)).json()
    for (const entries of Object.values<Record<string, Record<string, unknown>>>(byApi)) {
      for (const { contextWindow, id, maxTokens, type } of Object.values(entries)) {
        if (type !== "chat" || typeof id !== "string") continue
        addLimits(id, [Number(contextWindow), Math.min(Number(maxTokens), Number(contextWindow))])
      }
    }
  }
} finally {
  rmSync(directory, { recursive: true })
}

const models = new Map<string, NonNullable<ReturnType<typeof entryOf>>>()
for (const providerId of providers) {
  const provider = findProvider({ providerId })
  if (provider === undefined) throw new Error(`${name} knows no provider ${providerId}`)
  for (const model of provider.models) {
    const names = [model.id, ...namesOf(model.match)].filter(isPlain)
    const known = names.map((each) => limits.get(keyOf(each))).find((found) => found !== undefined)
    for (const each of names) addLimits(each, known ?? [model.context_window ?? 0, null])
    const entry = entryOf(model)
    if (entry === null) continue
    for (const each of names) if (!models.has(each)) models.set(each, entry)
  }
}

const sorted = <A>(entries: ReadonlyMap<string, A>) =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
const target = join(root, "src/domain/agent/modelSnapshot.json")
await Bun.write(
  target,
  JSON.stringify({ source: `${name} ${version}, ${catalog}`, asOf, models: sorted(models), limits: sorted(limits) })
)
Bun.spawnSync([join(root, "node_modules/.bin/biome"), "format", "--write", target], {
  stdio: ["ignore", "inherit", "inherit"]
})
console.log(`${models.size} prices and ${limits.size} limits as of ${asOf}: ${target}`)
