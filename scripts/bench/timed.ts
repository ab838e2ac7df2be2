/** Measures programs in a directory of their own, without the settings of this user. */

/** For children: a home in `place`, and a name to commit under. */
export const environmentIn = (place: string): Readonly<Record<string, string>> => ({
  PATH: process.env.PATH ?? "",
  HOME: place,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "b",
  GIT_AUTHOR_EMAIL: "b@example.com",
  GIT_COMMITTER_NAME: "b",
  GIT_COMMITTER_EMAIL: "b@example.com"
})

export interface Timed {
  /** Elapsed milliseconds. */
  readonly wall: number
  /** Milliseconds of processor time, of its children too. */
  readonly cpu: number
  readonly peakMiB: number
  readonly stdout: string
}

/** Runs to the end; throws the standard error of a command that fails. */
export const timerIn =
  (env: Readonly<Record<string, string>>) =>
  (cwd: string, ...command: ReadonlyArray<string>): Timed => {
    const started = performance.now()
    const child = Bun.spawnSync([...command], { cwd, env, stdout: "pipe", stderr: "pipe" })
    if (child.exitCode !== 0) throw new Error(`${command.join(" ")}: ${child.stderr.toString()}`)
    return {
      wall: performance.now() - started,
      cpu: Number(child.resourceUsage?.cpuTime.total ?? 0) / 1000,
      peakMiB: Math.round((child.resourceUsage?.maxRSS ?? 0) / 1024 / 1024),
      stdout: child.stdout.toString()
    }
  }

/** The upper median; 0 for an empty list. */
export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
