/**
 * A clone to break things in: changed, committed, reviewed by the compiled binary, and thrown away afterwards. And the
 * order of subjects that is the same for the same seed.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const binary = join(import.meta.dir, "../../dist/dd")

/** A finding of `dd review --format json`, as far as it is looked at here. */
export interface Reported {
  readonly rule: string
  readonly lens: string
  readonly title: string
  readonly description: string
  readonly evidence: string
}

/** Git, whatever this user has set; throws what it complained of. */
export const git = (...args: ReadonlyArray<string>): string => {
  const child = Bun.spawnSync(
    ["git", "-c", "user.name=dd", "-c", "user.email=dd@example.invalid", "-c", "commit.gpgsign=false", ...args],
    { stdin: "ignore", stdout: "pipe", stderr: "pipe" }
  )
  if (!child.success) throw new Error(`git ${args[0]}: ${child.stderr.toString().slice(0, 300)}`)
  return child.stdout.toString()
}

export const openWorkshop = (name: string) => {
  const place = mkdtempSync(join(tmpdir(), `dd-${name}-`))
  const clone = join(place, "clone")
  return {
    /** Where the clone goes; nothing is there yet. */
    clone,
    read: (path: string): string => readFileSync(join(clone, path), "utf8"),
    write: (path: string, text: string): void => writeFileSync(join(clone, path), text),
    /** What the review of the last commit says. */
    reviewed: (): ReadonlyArray<Reported> => {
      const child = Bun.spawnSync(
        [binary, "review", clone, "--commit", "HEAD", "--format", "json", "--fail-on", "none", "--no-archive"],
        { stdin: "ignore", stdout: "pipe", stderr: "ignore" }
      )
      const { findings }: { findings: ReadonlyArray<Reported> } = JSON.parse(child.stdout.toString())
      return findings
    },
    close: (): void => rmSync(place, { recursive: true, force: true })
  }
}

/** Numbers in [0, 1), the same for the same seed. */
export const numbers = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** Shuffles lists, one after the other, in the same way for the same seed. */
export const shuffler = (seed: number) => {
  const random = numbers(seed)
  return <A>(list: ReadonlyArray<A>): ReadonlyArray<A> =>
    list
      .map((item) => ({ item, order: random() }))
      .toSorted((a, b) => a.order - b.order)
      .map(({ item }) => item)
}
