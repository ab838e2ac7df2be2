/**
 * Copies the dependencies of a project from the user's working tree into the tree that is tested, which has no ignored
 * files. Copies, because a test may write into them; where the file system can, they share their blocks.
 *
 * What refers to the user's tree by an absolute path refers to the same place in the tested tree afterwards: links, the
 * scripts of a virtual environment and its editable packages. Else the tests would run the code without the fixes.
 */
import { Effect, FileSystem, Option, Path } from "effect"
import { dependencyFolders, manifestNames } from "../../domain/fix/dependencyFolders.ts"
import { Subprocess } from "../system/Subprocess.ts"

/** In kilobytes, of one folder. */
const mostKilobytes = 2_000_000
/** Of the folders with manifests below the root. */
const deepest = 6
/** How much of the output of a program is read, in bytes. */
const mostOutput = 4_000_000

/** The folders that are missing in the tested tree and could not be copied, each with the reason. */
export const bringDependencies = Effect.fnUntraced(function* (own: string, root: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const isThere = (path: string) => Effect.map(Effect.option(fs.stat(path)), Option.isSome)
  const missing: Array<string> = []
  if (own === root) return missing
  for (const folder of dependencyFolders(yield* manifestsIn(root))) {
    const [from, to] = [paths.join(own, folder), paths.join(root, folder)]
    const isLink = Option.isSome(yield* Effect.option(fs.readLink(to)))
    if (isLink || (yield* isThere(to)) || !(yield* isThere(from))) continue
    const fault = yield* copy(from, to)
    if (fault === null) yield* relocate(own, root, to)
    else missing.push(`${folder} (${fault})`)
  }
  return missing
})

/** Relative paths of the manifests in a tree. */
const manifestsIn = Effect.fnUntraced(function* (root: string) {
  const names = manifestNames.flatMap((name, index) => [...(index === 0 ? [] : ["-o"]), "-name", name])
  const skipped = ["-name", ".git", "-o", "-name", "node_modules", "-o", "-name", ".venv"]
  const tests = ["-maxdepth", `${deepest}`, "(", ...skipped, ")", "-prune", "-o", "-type", "f", "(", ...names, ")"]
  return (yield* printed(root, "find", [".", ...tests, "-print"])).map((path) => path.replace(/^\.\//, ""))
})

/** Null if the folder was copied whole. */
const copy = Effect.fnUntraced(function* (from: string, to: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const source = Option.getOrElse(yield* Effect.option(fs.realPath(from)), () => from)
  const [size = ""] = yield* printed("/", "du", ["-sk", source])
  const kilobytes = Number(/^\d+/.exec(size)?.[0] ?? "NaN")
  if (!(kilobytes <= mostKilobytes)) return Number.isNaN(kilobytes) ? "it cannot be read" : "it is larger than 2 GB"
  yield* Effect.option(fs.makeDirectory(paths.dirname(to), { recursive: true }))
  // GNU's cp shares blocks by `--reflink`, that of macOS by `-c`; others copy.
  for (const options of [["-a", "--reflink=auto"], ["-a", "-c"], ["-a"]]) {
    if (yield* succeeds("cp", [...options, source, to])) return yield* hidden(to)
    yield* Effect.option(fs.remove(to, { recursive: true, force: true }))
  }
  return "it could not be copied"
})

/** A copied folder is no change of the project, although the repository may not ignore it. */
const hidden = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const ignore = (yield* Path.Path).join(folder, ".gitignore")
  yield* Effect.option(fs.writeFileString(ignore, "*\n"))
  return null
})

/** Scripts and settings with absolute paths are short. */
const largestScript = "-200k"
const withPaths = ["*/bin/*", "*/.bin/*", "*.pth", "*.egg-link", "*/__editable__*", "*/pyvenv.cfg"]

const relocate = Effect.fnUntraced(function* (own: string, root: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const pattern = `${own.replace(/[\\*?[\]]/g, "\\$&")}/*`
  for (const link of yield* printed(folder, "find", [folder, "-type", "l", "-lname", pattern, "-print"])) {
    const target = Option.getOrNull(yield* Effect.option(fs.readLink(link)))
    if (target?.startsWith(`${own}/`) !== true) continue
    const moved = Effect.andThen(fs.remove(link), fs.symlink(`${root}${target.slice(own.length)}`, link))
    yield* Effect.option(moved)
  }
  const named = withPaths.flatMap((name, index) => [...(index === 0 ? [] : ["-o"]), "-path", name])
  const scripts = ["-type", "f", "-size", largestScript, "(", ...named, ")", "-print"]
  for (const script of yield* printed(folder, "find", [folder, ...scripts])) {
    const text = Option.getOrElse(yield* Effect.option(fs.readFileString(script)), () => "")
    const moved = text.replaceAll(`${own}/`, `${root}/`)
    // A program in machine code is not text.
    if (moved !== text && !text.includes("\0")) yield* Effect.option(fs.writeFileString(script, moved))
  }
})

const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" }

/** The lines that a program prints; none if it fails. */
const printed = Effect.fnUntraced(function* (directory: string, program: string, args: ReadonlyArray<string>) {
  const subprocess = yield* Subprocess
  const collected = yield* Effect.option(
    subprocess.collect({ program, arguments: args, directory, environment, maxOutput: mostOutput, maxStderr: 1_000 })
  )
  const lines = new TextDecoder().decode(Option.getOrNull(collected)?.output).split("\n")
  return lines.filter((line) => line !== "")
})

const succeeds = Effect.fnUntraced(function* (program: string, args: ReadonlyArray<string>) {
  const subprocess = yield* Subprocess
  const collected = yield* Effect.option(
    subprocess.collect({ program, arguments: args, directory: "/", environment, maxOutput: 1_000, maxStderr: 1_000 })
  )
  return Option.getOrNull(collected)?.exitCode === 0
})
