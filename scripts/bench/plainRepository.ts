/** A ten-file commit of plausible code in a repository of a thousand files. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Timed } from "./timed.ts"

/** Made at `root`, with this runner of commands. */
export const makePlainRepository = (
  root: string,
  run: (cwd: string, ...command: ReadonlyArray<string>) => Timed
): string => {
  mkdirSync(root)
  run(root, "git", "init", "--quiet", "--initial-branch=main")
  const write = (index: number, round: number) => {
    const body = Array.from({ length: 40 }, (_, i) => `def f${index}x${i}(a, b):\n    return a + b + ${round}\n`)
    writeFileSync(join(root, `m${index}.${["py", "ts", "go"][index % 3]}`), body.join("\n"))
  }
  for (const [round, count] of [1_000, 10].entries()) {
    for (let index = 0; index < count; index++) write(index, round)
    run(root, "git", "add", "--all")
    run(root, "git", "commit", "--quiet", "--message", `round ${round}`)
  }
  return root
}
