/**
 * The process edge: decides, before anything is loaded, whose call this is.
 *
 * Operands of coreutils' `dd` go to coreutils and `--version` is answered here, both without Effect; only then comes
 * the application.
 */
import { dependencies, name, version } from "../../package.json" with { type: "json" }
import { ownerOf } from "./system/coreutils.ts"

const args = process.argv.slice(2)
const owner = ownerOf(process.argv0, args)

if (owner !== "dd") {
  const { isTerminal } = await import("./system/exec.ts")
  if (owner === "coreutils" || !(isTerminal(0) && isTerminal(1)))
    await (await import("./system/handOver.ts")).handOver(args)
}

const isJson = args[1] === "--json" && args.length === 2
if (args[0] === "--version" && (args.length === 1 || isJson)) {
  const { print } = await import("../layers/system/process/output.ts")
  print(
    1,
    isJson
      ? `${JSON.stringify({ name, version, bun: Bun.version, effect: dependencies.effect })}\n`
      : `${name} ${version}\n`
  )
  process.exitCode = await (await import("./system/finish.ts")).finish({ code: 0, words: "" })
} else if (isDirectoryGone()) {
  const words = "dd: the directory it was started in has been deleted; change to another one and try again\n"
  process.exitCode = await (await import("./system/finish.ts")).finish({ code: 3, words })
} else {
  const isReview = args[0] === "review"
  if (isReview) (await import("./system/shortRun.ts")).tuneForShortRun(args)
  const tree = isReview ? (await import("./review/reviewOnly.ts")).reviewOnly : (await import("./dd.ts")).dd
  const { main } = await import("./app.ts")
  main(tree, args)
}

function isDirectoryGone(): boolean {
  try {
    process.cwd()
    return false
  } catch {
    return true
  }
}
