/**
 * From nothing but Node, npm and git to a review, or to a test run: `node scripts/setup.mjs start|test [arguments]`.
 *
 * `start` installs the pinned toolchain, compiles, and reviews the last commit of this repository with the binary;
 * `test` installs and runs the tests. Each command is shown before it runs, on stderr: stdout belongs to its result.
 * Plain Node without dependencies, because it runs before there are any.
 */
import { spawnSync } from "node:child_process"
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const wanted = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies.bun
const windows = process.platform === "win32"

const say = (line) => process.stderr.write(`${line}\n`)

const stop = (line, status = 1) => {
  say(`\n${line}`)
  process.exit(status)
}

const canWrite = (path) => {
  try {
    mkdirSync(path, { recursive: true })
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Our own environment, less what would change how Bun starts; caches move into node_modules where home is read-only. */
const environment = () => {
  const { BUN_OPTIONS: _options, BUN_BE_BUN: _beBun, ...inherited } = process.env
  const bin = join(root, "node_modules", ".bin")
  const path = inherited.PATH ?? inherited.Path ?? ""
  const env = { ...inherited, PATH: `${bin}${delimiter}${path}` }
  const npmCache = inherited.npm_config_cache ?? join(homedir(), windows ? "AppData/Local/npm-cache" : ".npm")
  if (!canWrite(npmCache)) env.npm_config_cache = join(root, "node_modules", ".cache", "npm")
  if (!canWrite(inherited.BUN_INSTALL_CACHE_DIR ?? join(homedir(), ".bun", "install", "cache"))) {
    env.BUN_INSTALL_CACHE_DIR = join(root, "node_modules", ".cache", "bun")
  }
  return env
}

const env = environment()

/** Runs a command in the repository and returns its exit status, 128 when a signal ended it. */
const run = (command, args, stdout) => {
  say(`\n$ ${[command, ...args].join(" ")}`)
  // npx is a script on Windows, which only a shell can start.
  const shell = windows && command === "npx"
  const { status, error } = spawnSync(command, args, { cwd: root, env, shell, stdio: ["inherit", stdout, "inherit"] })
  if (error !== undefined) say(`${command}: ${error.message}`)
  return error === undefined ? (status ?? 128) : 127
}

/** The pinned bun when it is already here, installed by an earlier run or on PATH; nothing otherwise. */
const installedBun = () => {
  const { stdout, status } = spawnSync("bun", ["--version"], { cwd: root, env, encoding: "utf8", shell: windows })
  return status === 0 && stdout.trim() === wanted
}

const install = () => {
  say(`dd: installing the toolchain (bun ${wanted} and the packages in bun.lock)`)
  const options = ["install", "--frozen-lockfile"]
  const status = installedBun() ? run("bun", options, 2) : run("npx", ["--yes", `bun@${wanted}`, ...options], 2)
  if (status !== 0) {
    stop(
      `The toolchain could not be installed: the command above ended with status ${status}.\n` +
        "It downloads from the npm registry your npm is set up for; check the network, or a proxy in `npm config list`."
    )
  }
  if (!installedBun()) {
    stop(`The toolchain could not be installed: ${join("node_modules", ".bin", "bun")} is not bun ${wanted}.`)
  }
}

const start = (args) => {
  install()
  say("\ndd: compiling")
  if (run("bun", ["scripts/compile.ts"], 2) !== 0) stop("dd could not be compiled; the compiler's messages are above.")
  if (!existsSync(join(root, ".git"))) {
    stop("dd is compiled: dist/dd. This directory is not a git repository, so there is no last commit to review.", 0)
  }
  say("\ndd: reviewing the last commit of this repository")
  const status = run(join("dist", "dd"), ["review", "--commit", "HEAD", ...args], "inherit")
  // Status 1 is the answer "there are findings": the demonstration worked. Arguments of one's own get the plain status.
  process.exit(status === 1 && args.length === 0 ? 0 : status)
}

const test = (args) => {
  install()
  say("\ndd: running the tests")
  process.exit(run("bun", ["scripts/test.ts", ...args], "inherit"))
}

const [command, ...rest] = process.argv.slice(2)
if (Number(process.versions.node.split(".")[0]) < 18) stop(`Node 18 or newer is needed; this is ${process.version}.`)
if (command === "start") start(rest)
else if (command === "test") test(rest)
else stop("usage: node scripts/setup.mjs start|test [arguments]", 2)
