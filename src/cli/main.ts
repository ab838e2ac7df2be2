/**
 * The entry point. Calls of coreutils' `dd`, `dd version` and `dd hook event` are handled here, without loading Effect; everything else
 * goes to the command tree. No static import: each would be loaded for an event of a hook too.
 */
const args = process.argv.slice(2)
if (args[0] === "hook" && args[1] === "event" && !args.includes("--help")) {
  await (await import("../layers/dream/recordHookEvent.ts")).recordHookEvent(args)
  // Without what Bun does at the end of a program, which takes a fifth of the time of an empty one.
  process.exit(0)
}

const { ownerOf } = await import("./system/coreutils.ts")
const owner = ownerOf(process.argv0, args)

if (owner !== "dd") {
  const { isTerminal } = await import("./system/exec.ts")
  if (owner === "coreutils" || !(isTerminal(0) && isTerminal(1)))
    await (await import("./system/handOver.ts")).handOver(args)
}

const isJson = args[1] === "--json" && args.length === 2
const isVersion = ["--version", "-V", "version"].includes(args[0] ?? "")
if (isVersion && (args.length === 1 || isJson)) {
  const { print } = await import("../layers/system/process/output.ts")
  print(1, `${(await import("./system/versionText.ts")).versionText(isJson)}\n`)
  process.exitCode = await (await import("./system/finish.ts")).finish({ code: 0, words: "" })
} else if (isDirectoryGone()) {
  const words = "dd: error: the current directory no longer exists; change to another directory and try again\n"
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
