/**
 * Plays somebody who has never seen dd: `bun scripts/stranger.ts ROOT.tar... [--image DIRECTORY] [--repository PATH]`.
 *
 * In each root file system, as a user without rights: installs the release in dist/release from a file server, reviews,
 * pushes through the hook, and uninstalls. Fails if a step does, or if anything in the root file system is different at
 * the end. `--image` is the unpacked container image, which reviews with a root that cannot be written.
 * docs/releasing.md says how to make both. Needs root and `bwrap`.
 */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { parseArgs } from "node:util"
import { version } from "../package.json" with { type: "json" }

const root = join(import.meta.dir, "..")
const release = join(root, "dist/release", version)

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { image: { type: "string" }, repository: { type: "string", default: root } }
})

/** Any user except root. */
const user = 1000

/** Runs a command, with what it prints on this one's output. Throws if it fails. */
const run = async (command: ReadonlyArray<string>): Promise<void> => {
  const exitCode = await Bun.spawn([...command], { stdin: "ignore", stdout: "inherit", stderr: "inherit" }).exited
  if (exitCode !== 0) throw new Error(`${command[0]} ended with ${exitCode}`)
}

/** Runs a command in a root file system with these variables only. `binds`: further arguments of bwrap. */
const runIn = (
  directory: string,
  access: "--bind" | "--ro-bind",
  env: Readonly<Record<string, string>>,
  binds: ReadonlyArray<string>,
  command: ReadonlyArray<string>
): Promise<void> =>
  run([
    ...["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "bwrap", access, directory, "/"],
    ...["--dev", "/dev", "--proc", "/proc", "--die-with-parent", "--clearenv", ...binds],
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    ...command
  ])

/** Everything in a directory: type, rights, owner, and content or target. No link is followed. */
const contents = (directory: string, prefix = ""): ReadonlyArray<string> =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    const name = `${prefix}/${entry.name}`
    const { gid, mode, uid } = lstatSync(path)
    const content = entry.isSymbolicLink()
      ? readlinkSync(path)
      : entry.isFile()
        ? Bun.hash(readFileSync(path)).toString(16)
        : ""
    const own = `${name} ${mode.toString(8)} ${uid}:${gid} ${content}`
    return entry.isDirectory() ? [own, ...contents(path, name)] : [own]
  })

/** Plays the stranger in the root file system of this archive, and compares it before and after. */
const play = async (archive: string, scratch: string, url: string): Promise<void> => {
  console.log(`\n#### ${basename(archive)}`)
  const directory = join(scratch, "root")
  const home = join(directory, "home/stranger")
  mkdirSync(home, { recursive: true })
  await run(["tar", "--extract", "--file", archive, "--directory", directory])
  chownSync(home, user, user)
  mkdirSync(join(directory, "repository"))
  copyFileSync(join(root, "scripts/release/stranger.sh"), join(directory, "stranger.sh"))
  const before = contents(directory)
  const env = { HOME: "/home/stranger", PATH: "/usr/local/bin:/usr/bin:/bin", DD_RELEASE_URL: url }
  await runIn(directory, "--bind", env, ["--ro-bind", options.repository, "/repository"], ["/bin/sh", "/stranger.sh"])
  const after = contents(directory)
  const left = [
    ...onlyIn(before, after).map((line) => `- ${line}`),
    ...onlyIn(after, before).map((line) => `+ ${line}`)
  ]
  if (left.length > 0) throw new Error(`left behind in ${basename(archive)}:\n${left.join("\n")}`)
  console.log(`\n${after.length} files and directories are as they were`)
}

const onlyIn = (these: ReadonlyArray<string>, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = new Set(others)
  return these.filter((each) => !known.has(each))
}

/** Reviews with the container image as a CI service runs it: another user, and a root that cannot be written. */
const playContainer = async (directory: string): Promise<void> => {
  console.log("\n#### the container image")
  const before = contents(directory)
  const env = { HOME: "/home/dd", PATH: "/usr/local/bin:/usr/bin", DD_ARCHIVE: "off" }
  const review = ["dd", "review", "--commit", "HEAD", "--fail-on", "none"]
  for (const command of [["dd", "--version"], review])
    await runIn(
      directory,
      "--ro-bind",
      env,
      ["--ro-bind", options.repository, "/repository", "--chdir", "/repository"],
      command
    )
  if (onlyIn(contents(directory), before).length > 0) throw new Error("the image was changed")
}

/** The files of the release, in the layout that the installer reads. */
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ url }) => {
    const name = /^\/releases\/(?:latest\/download|download\/[^/]+)\/([^/]+)$/.exec(new URL(url).pathname)?.[1]
    return name === undefined ? new Response(null, { status: 404 }) : new Response(Bun.file(join(release, name)))
  }
})
/** Others have to be able to enter it. */
const scratch = mkdtempSync(join(tmpdir(), "dd-stranger-"))
chmodSync(scratch, 0o755)
try {
  for (const archive of positionals) {
    await play(archive, scratch, `http://127.0.0.1:${server.port}/releases`)
    rmSync(join(scratch, "root"), { recursive: true })
  }
  if (options.image !== undefined) await playContainer(options.image)
} finally {
  rmSync(scratch, { recursive: true, force: true })
  await server.stop(true)
}
