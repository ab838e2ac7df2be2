/**
 * Real git repositories in temporary directories, gone when the test's scope closes.
 *
 * Git runs with a clean environment and fixed names and dates, so object names are the same on every machine.
 */
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { scratch } from "./process.ts"

const environment = {
  PATH: process.env.PATH ?? "",
  // No configuration but the repository's own.
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  // A commit may leave git tidying up behind it, in a directory that is about to go.
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "maintenance.auto",
  GIT_CONFIG_VALUE_0: "false",
  GIT_CONFIG_KEY_1: "gc.auto",
  GIT_CONFIG_VALUE_1: "0",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
  GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z"
}

export interface GitAnswer {
  readonly status: number | null
  readonly stdout: Uint8Array
  readonly stderr: string
}

/** Runs git in a directory and takes any exit status for an answer. */
export const tryGit = (directory: string, args: ReadonlyArray<string>, input?: Uint8Array | string): GitAnswer => {
  const answer = spawnSync("git", [...args], {
    cwd: directory,
    env: environment,
    maxBuffer: 1 << 30,
    ...(input === undefined ? {} : { input })
  })
  return { status: answer.status, stdout: new Uint8Array(answer.stdout), stderr: String(answer.stderr) }
}

/** A repository a test may do anything to. Paths are relative to its root. */
export class TestRepository {
  readonly root: string

  constructor(root: string) {
    this.root = root
  }

  /** Trimmed output of git; throws when it fails. */
  git(...args: ReadonlyArray<string>): string {
    return new TextDecoder().decode(this.gitBytes(...args)).trim()
  }

  gitBytes(...args: ReadonlyArray<string>): Uint8Array {
    const { status, stdout, stderr } = tryGit(this.root, args)
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`)
    return stdout
  }

  path(...parts: ReadonlyArray<string>): string {
    return join(this.root, ...parts)
  }

  write(path: string, content: string | Uint8Array, mode = 0o644): this {
    mkdirSync(dirname(this.path(path)), { recursive: true })
    writeFileSync(this.path(path), content)
    chmodSync(this.path(path), mode)
    return this
  }

  link(path: string, target: string): this {
    mkdirSync(dirname(this.path(path)), { recursive: true })
    symlinkSync(target, this.path(path))
    return this
  }

  remove(path: string): this {
    unlinkSync(this.path(path))
    return this
  }

  /** Commits everything in the working tree (`files` are written first) and gives the commit's full name. */
  commit(message: string, files: Readonly<Record<string, string | Uint8Array>> = {}): string {
    for (const [path, content] of Object.entries(files)) this.write(path, content)
    this.git("add", "--all")
    this.git("commit", "--quiet", "--allow-empty", "--no-verify", "--message", message)
    return this.head()
  }

  /** The full name of the current commit; from the files of git where they have it, which takes no process. */
  private head(): string {
    const read = (path: string) => {
      try {
        return readFileSync(this.path(".git", path), "utf8").trim()
      } catch {
        return ""
      }
    }
    const head = read("HEAD")
    const name = head.startsWith("ref: ") ? read(head.slice(5)) : head
    return /^[0-9a-f]{40,}$/.test(name) ? name : this.git("rev-parse", "HEAD")
  }

  /** Stores a text without a file in the working tree, and returns its name. */
  storeBlob(text: string): string {
    const { stdout } = tryGit(this.root, ["hash-object", "-w", "--stdin"], text)
    return new TextDecoder().decode(stdout).trim()
  }

  /** Stores a flat tree of these paths and blobs, and returns its name. */
  tree(files: ReadonlyArray<readonly [path: string, blob: string]>): string {
    const lines = files.map(([path, blob]) => `100644 blob ${blob}\t${path}\n`).join("")
    return new TextDecoder().decode(tryGit(this.root, ["mktree"], lines).stdout).trim()
  }

  branch(name: string): this {
    this.git("checkout", "--quiet", "-b", name)
    return this
  }

  checkout(name: string): this {
    this.git("checkout", "--quiet", name)
    return this
  }
}

/** An empty directory that goes with the scope. */
export const makeDirectory = Effect.map(
  Effect.acquireRelease(Effect.sync(scratch), (place) => Effect.sync(() => place[Symbol.dispose]())),
  ({ path }) => path
)

/** An empty repository on an unborn branch `main`. */
export const makeRepository = Effect.map(makeDirectory, (directory) => initRepository(join(directory, "repo")))

/** Makes a repository in a directory that somebody else removes. */
export const initRepository = (root: string, ...args: ReadonlyArray<string>): TestRepository => {
  mkdirSync(root, { recursive: true })
  const repository = new TestRepository(root)
  if (args.length > 0 || existsSync(join(root, ".git"))) {
    repository.git("init", "--quiet", "--initial-branch=main", ...args)
  } else {
    for (const [path, content] of emptyRepository()) {
      const target = join(root, ".git", path)
      mkdirSync(content === null ? target : dirname(target), { recursive: true })
      if (content !== null) writeFileSync(target, content)
    }
  }
  return repository
}

/** The files and the folders (null) of a new repository, without git's samples of hooks; made once for all tests. */
const emptyRepository = (): ReadonlyArray<readonly [string, Buffer | null]> => {
  template ??= (() => {
    using place = scratch()
    new TestRepository(place.path).git("init", "--quiet", "--initial-branch=main")
    const git = join(place.path, ".git")
    return readdirSync(git, { recursive: true, encoding: "utf8" })
      .filter((path) => !path.endsWith(".sample"))
      .map((path) => [path, statSync(join(git, path)).isFile() ? readFileSync(join(git, path)) : null] as const)
  })()
  return template
}

let template: ReadonlyArray<readonly [string, Buffer | null]> | undefined
