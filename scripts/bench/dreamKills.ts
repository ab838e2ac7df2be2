/**
 * Kills the worker of the compiled binary at random moments of its pass: `bun scripts/bench/dreamKills.ts [MOMENTS] [SEED]`.
 * Fails if a file is not whole, or a session is analysed twice. The gate does the same at 40 moments.
 */
import { dreamWorld, fillSpool, killWorkers } from "../../test/support/dreamWorld.ts"
import { Random } from "../../test/support/plantedSessions.ts"

const [moments = 200, seed = 1] = process.argv.slice(2).map(Number)
using world = dreamWorld(["shop", "bank"])
for (const { root } of world.repositories) await fillSpool(world, root, 6)
const random = new Random(seed)
const kills = await killWorkers(world, { moments, random: () => random.below(1_000) / 1_000 })
console.log(JSON.stringify(kills))
if (kills.repeated > 0) process.exitCode = 1
