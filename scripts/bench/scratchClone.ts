/** A temporary clone that is changed, committed and reviewed by the compiled binary; and repeatable random orders. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const binary = join(import.meta.dir, "../../dist/dd")

/** The fields of a finding of `dd review --format json` that benchmarks read. */
export interface Reported {
  readonly rule: string
  readonly lens: string
  readonly title: string
  readonly description: string
  readonly evidence: string
}

/** Git without the settings of this user; throws what it printed on standard error. */
export const git = (...args: ReadonlyArray<string>): string => {
  const child = Bun.spawnSync(
    ["git", "-c", "user.name=dd", "-c", "user.email=dd@example.invalid", "-c", "commit.gpgsign=false", ...args],
    { stdin: "ignore", stdout: "pipe", stderr: "pipe" }
  )
  if (!child.success) throw new Error(`git ${args[0]}: ${child.stderr.toString().slice(0, 300)}`)
  return child.stdout.toString()
}

export const openScratchClone = (name: string) => {
  const place = mkdtempSync(join(tmpdir(), `dd-${name}-`))
  const clone = join(place, "clone")
  return {
    /** The path of the clone; nothing is there yet. */
    clone,
    read: (path: string): string => readFileSync(join(clone, path), "utf8"),
    write: (path: string, text: string): void => writeFileSync(join(clone, path), text),
    /** The findings of the last commit. */
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
