/**
 * Writes the prices that dd is built with, `src/domain/agent/priceSnapshot.json`: `bun scripts/refreshPrices.ts`.
 *
 * They come from the data package @pydantic/genai-prices, as installed; for newer prices install a newer one first. The
 * date of the snapshot is that of the package's release, which is the day its data was last checked. Where a price
 * depends on the hour, the highest counts; where a change is announced, the entry ends on that day.
 */
import { join } from "node:path"
import { findProvider, type ModelInfo, type ModelPrice } from "@pydantic/genai-prices"

const root = join(import.meta.dir, "..")
const name = "@pydantic/genai-prices"
const providers = ["anthropic", "openai", "google", "deepseek", "mistral", "moonshotai", "x-ai", "zai"]

const { devDependencies } = await Bun.file(join(root, "package.json")).json()
const version: string = devDependencies[name]
const view = Bun.spawnSync([process.execPath, "pm", "view", `${name}@${version}`, "time", "--json"], { cwd: root })
if (view.exitCode !== 0) throw new Error(`the release date of ${name} could not be read: ${view.stderr.toString()}`)
const asOf: string = JSON.parse(view.stdout.toString())[version].slice(0, 10)

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

const models = new Map<string, NonNullable<ReturnType<typeof entryOf>>>()
for (const providerId of providers) {
  const provider = findProvider({ providerId })
  if (provider === undefined) throw new Error(`${name} knows no provider ${providerId}`)
  for (const model of provider.models) {
    const entry = entryOf(model)
    if (entry === null) continue
    for (const each of [model.id, ...namesOf(model.match)])
      if (isPlain(each) && !models.has(each)) models.set(each, entry)
  }
}

const sorted = [...models].sort(([a], [b]) => (a < b ? -1 : 1))
const target = join(root, "src/domain/agent/priceSnapshot.json")
await Bun.write(target, JSON.stringify({ source: `${name} ${version}`, asOf, models: Object.fromEntries(sorted) }))
Bun.spawnSync([join(root, "node_modules/.bin/biome"), "format", "--write", target], {
  stdio: ["ignore", "inherit", "inherit"]
})
console.log(`${sorted.length} models as of ${asOf}: ${target}`)
