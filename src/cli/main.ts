/**
 * The process edge: decides, before anything is loaded, whose call this is.
 *
 * Operands of coreutils' `dd` go to coreutils and `--version` is answered here, both without Effect; only then comes
 * the application.
 */
import { dependencies, name, version } from "../../package.json" with { type: "json" }
import { belongsToCoreutils, handOver } from "./coreutils.ts"

const args = process.argv.slice(2)

if (belongsToCoreutils(process.argv0, args)) {
  handOver(args)
} else if (args[0] === "--version" && args.length === 1) {
  console.log(`${name} ${version}`)
} else if (args[0] === "--version" && args[1] === "--json" && args.length === 2) {
  console.log(JSON.stringify({ name, version, bun: Bun.version, effect: dependencies.effect }))
} else {
  const { main } = await import("./app.ts")
  main(args)
}
