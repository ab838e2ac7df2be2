import { describe, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd, installedPath } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

/** How each shell starts without the user's files, and loads the script. */
const shells = {
  bash: { start: ["bash", "--norc", "--noprofile", "-i"], load: `source "$SCRIPT"` },
  zsh: { start: ["zsh", "-f", "-i"], load: `autoload -Uz compinit; compinit -D -u; bindkey -e; source "$SCRIPT"` },
  fish: { start: ["fish", "--no-config", "-i"], load: `source "$SCRIPT"` }
} as const

/** Without the blank after a completed word: zsh removes it when a quote is typed. */
const trimmed = (line: string): string => line.replace(/(?<=[^=]) $/, "")

const careless = "def load(path, seen=[]):\n    return path\n"

/** A repository with a branch, a hostile branch, a file and a run, and a shell that has loaded the script. */
const completing = async (shell: keyof typeof shells) => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("Begin", { "README.md": "# App\n" })
  repository.branch("feature-one").commit("Be careless", { "app.py": careless })
  repository.git("update-ref", "refs/heads/$(touch${IFS}hacked)", "HEAD")
  writeFileSync(repository.path("photo.img"), "")
  const home = join(place.path, "home")
  mkdirSync(home)
  const env = { PATH: installedPath, HOME: home, TERM: "xterm" }
  const reviewed = await run([dd, "review", "--format", "json"], { cwd: repository.root, env })
  const session: string = JSON.parse(reviewed.stdout).run.session_id
  const script = join(place.path, "script")
  writeFileSync(script, (await run([dd, "completions", shell], { env })).stdout)

  /** The line after Tab is pressed at its end. */
  const complete = async (line: string): Promise<string> => {
    let shown = ""
    const child = Bun.spawn([...shells[shell].start], {
      cwd: repository.root,
      env: { ...env, SCRIPT: script },
      terminal: { cols: 400, rows: 40, data: (_, chunk) => (shown += new TextDecoder().decode(chunk)) }
    })
    const terminal = child.terminal
    if (terminal === undefined) throw new Error("no terminal")
    const until = async (mark: RegExp) => {
      while (!mark.test(shown)) await new Promise((resolve) => setTimeout(resolve, 5))
      return mark.exec(shown)
    }
    terminal.write(`${shells[shell].load}; echo LOAD''ED\n`)
    await until(/LOADED/)
    // What is typed next waits until the completion is there.
    terminal.write(`${line}\t`)
    terminal.write("\u0001echo 'RES''ULT<'\u0005'>END'\n")
    const found = await until(/RESULT<(.*?)>END/s)
    terminal.write("exit\n")
    await child.exited
    return (found?.[1] ?? "").replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, "")
  }
  return { complete, session, repository, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

describe.each(Object.keys(shells) as ReadonlyArray<keyof typeof shells>)("completion in %s", (shell) => {
  const isHere = Bun.which(shell, { PATH: systemPath }) !== null
  test.skipIf(!isHere)(
    "completes commands, flags, values, branches, rules, flows, runs, files and coreutils' operands",
    async () => {
      using at = await completing(shell)
      const expected = {
        "dd revie": "dd review",
        "dd review --form": "dd review --format",
        "dd review --format sar": "dd review --format sarif",
        "dd review --format=sar": "dd review --format=sarif",
        "dd review --base feat": "dd review --base feature-one",
        "dd review --flow pr-": "dd review --flow pr-feedback",
        "dd rules show py/bare-e": "dd rules show py/bare-except",
        [`dd trajectory show ${at.session.slice(0, 8)}`]: `dd trajectory show ${at.session}`,
        "dd review --output sar": "dd review --output sarif=",
        "dd review --diff-file pho": "dd review --diff-file photo.img",
        "dd if=pho": "dd if=photo.img",
        "dd if=photo.img of=pho": "dd if=photo.img of=photo.img",
        "dd if=photo.img conv=notr": "dd if=photo.img conv=notrunc",
        "dd coun": "dd count=",
        "daydream revie": "daydream review"
      }
      const completed: Record<string, string> = {}
      for (const line of Object.keys(expected)) completed[line] = trimmed(await at.complete(line))
      expect(completed).toEqual(expected)
    }
  )
})

test("a branch whose name a shell would run is not completed", async () => {
  using at = await completing("bash")
  const { stdout } = await run([dd, "completions", "bash", "--", "dd", "review", "--base", ""], {
    cwd: at.repository.root
  })
  expect(stdout.split("\t\n")).toEqual(["HEAD", "feature-one", "main", ""])
})
