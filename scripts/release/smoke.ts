/** Whether the program of an archive works: by running it where this machine can, otherwise by what the file contains. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { programOf, type ReleaseTarget } from "./targets.ts"

/** The directory of an unpacked archive. Rejects with what does not work; resolves with what was checked. */
export const smoke = async (directory: string, target: ReleaseTarget, commit: string): Promise<string> => {
  const program = join(directory, programOf(target))
  const bytes = Buffer.from(await Bun.file(program).arrayBuffer())
  if (!target.format.test(bytes.toString("latin1", 0, 4096)))
    throw new Error(`${program} is not a program for ${target.name}`)
  for (const text of [`target:"${target.name}"`, commit, "---- Bun! ----"]) {
    if (!bytes.includes(text)) throw new Error(`${program} does not contain ${text}`)
  }
  const prefix = prefixFor(target)
  if (prefix === null) return "format and embedded files; not run"
  const command = [...prefix, program]
  const version = await output([...command, "--version"])
  if (!version.text.includes(`, ${target.name})`)) {
    throw new Error(`${command.join(" ")} --version: ${version.text}`)
  }
  const found = await review(command)
  if (found !== "py/mutable-default") throw new Error(`${program} review found ${found}`)
  return prefix.length === 0 ? "ran" : `ran with ${prefix.join(" ")}`
}

/** How to run a program for this target here; null if this machine cannot. */
const prefixFor = ({ cpu, libc, os }: ReleaseTarget): ReadonlyArray<string> | null => {
  if (os !== process.platform) return null
  const machine = cpu === "arm64" ? "aarch64" : "x86_64"
  // Bun needs the C++ library, which musl looks for here and glibc does not.
  if (libc === "musl" && !existsSync(`/lib/ld-musl-${machine}.so.1`)) return null
  if (libc === "musl" && !existsSync("/usr/lib/libstdc++.so.6")) return null
  if (cpu === process.arch) return []
  const emulator = Bun.which(`qemu-${machine}-static`)
  const libraries = `/usr/${machine}-linux-gnu`
  return emulator !== null && existsSync(libraries) ? [emulator, "-L", libraries] : null
}

/** The rule of the only finding in a repository made for the purpose. */
const review = async (command: ReadonlyArray<string>): Promise<string | undefined> => {
  const scratch = mkdtempSync(join(tmpdir(), "dd-release-"))
  try {
    const repository = join(scratch, "repository")
    mkdirSync(repository)
    const identity = ["-c", "user.name=dd", "-c", "user.email=dd@example.invalid", "-c", "commit.gpgsign=false"]
    const commit = async (source: string): Promise<void> => {
      writeFileSync(join(repository, "cart.py"), source)
      await output(["git", ...identity, "-C", repository, "add", "cart.py"])
      await output([
        "git",
        ...identity,
        "-C",
        repository,
        "commit",
        "--quiet",
        "--no-verify",
        "--message",
        "Change the cart"
      ])
    }
    await output(["git", "init", "--quiet", repository])
    await commit("def total(items):\n    return sum(items)\n")
    await commit("def total(items, extra=[]):\n    extra.append(items)\n    return sum(items)\n")
    const options = ["--commit", "HEAD", "--format", "json", "--fail-on", "none", "--no-archive"]
    const { text } = await output([...command, "review", repository, ...options])
    const report: { findings: ReadonlyArray<{ rule: string }> } = JSON.parse(text)
    return report.findings.map(({ rule }) => rule).join(", ")
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** With an engine option of the user a review does not execute itself again, which an emulator does not support. */
const env = { ...process.env, BUN_GC_TIMER_DISABLE: "0" }

const output = async (command: ReadonlyArray<string>): Promise<{ readonly text: string }> => {
  const child = Bun.spawn([...command], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed:\n${stderr}`)
  return { text: stdout }
}
