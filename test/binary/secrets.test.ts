/** A secret that a repository or a coding CLI holds reaches no model, no file that dd writes, and no terminal. */
import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { install, noFindings } from "../support/cli/install.ts"
import { cliNames } from "../support/cli/protocols.ts"
import { run } from "../support/inProcess.ts"
import { inside, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const token = ["gh", "p_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].join("")
const core = token.slice(4, 24)

const claim = {
  title: `The file is never closed, ${token}`,
  description: `Each call leaves a descriptor open: ${token}`,
  file: "app.py",
  line: 3,
  endLine: null,
  severity: "high",
  confidence: "HIGH",
  quote: "    return open(path).read()",
  rationale: `It fails. ${token}`,
  evidence: `app.py:3 ${token}`,
  suggestion: null
}

const replies = {
  ...noFindings,
  Leak: { words: `it holds\n${token}\\n${token}` },
  Intent: { intent: `Loads a file with ${token}.` },
  StackReview: { review: token, issues: [claim], coverage: [{ path: "app.py", status: "reviewed", reason: "" }] }
}

/** Files below that hold it, except git's own and the cache of symbols, which only dd reads. */
const holders = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\/(?:\.git|\.daydream\/cache)(?:\/|$)/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, "latin1").includes(core))

describe("a secret", () => {
  for (const name of cliNames) {
    test(`is not in what ${name} is given, nor in anything that is kept or printed`, async () => {
      using place = scratch()
      const repository = initRepository(join(place.path, token, "repo"))
      repository.commit("Begin", { "app.py": `KEY = "${token}"\n\n\n` })
      repository.branch(`feature/${token}`)
      repository.commit(`Use ${token}`, {
        "app.py": `KEY = "${token}"\ndef ${token}(path=["${token}"]):\n    return open(path).read()\n`
      })
      const bin = inside(place.path, "bin")
      const cli = install(bin, name, "leaks", replies)
      const home = inside(place.path, "home")
      const env = { PATH: `${bin}:${systemPath}`, HOME: home }
      const call = (...args: ReadonlyArray<string>) => run([dd, ...args], { cwd: repository.root, env })
      const out = inside(place.path, "out")
      const outputs = ["text", "json", "markdown", "sarif", "rdjsonl", "gitlab", "github"]
      const ended = [
        await call(
          ...["review", "--base", "HEAD~1", "--backend", name, "--format", "jsonl", "--verbose"],
          ...outputs.flatMap((format) => ["--output", `${format}=${out}/${format}`])
        ),
        await call("review", "--commit", "HEAD", "--backend", name, "--findings-out", `${out}/findings.json`),
        await call(
          ...["review", "--backend", name, "--commit", "HEAD"],
          ...["--write-baseline", "--baseline", `${out}/baseline.json`]
        ),
        await call("review", "--commit", token),
        await call("trajectory", "show", "latest"),
        await call("archive", "show", "latest")
      ]
      const kept = holders(repository.path(".daydream"))
      // Where dd's own directory cannot be written, the archive is made of the run alone.
      rmSync(repository.path(".daydream"), { recursive: true })
      repository.write(".daydream", "no directory\n")
      ended.push(await call("review", "--commit", "HEAD", "--backend", "static"))
      expect(cli.turns()).toBeGreaterThan(2)
      expect(ended[0]!.stdout).toContain("[REDACTED_API_KEY]")
      for (const { stderr, stdout } of ended) expect(`${stdout}${stderr}`).not.toContain(core)
      for (let turn = 0; turn < cli.turns(); turn++) {
        const { args, input } = cli.started(turn)
        expect(`${args.join("\n")}${input}`).not.toContain(core)
      }
      expect([...kept, ...holders(home), ...holders(out)]).toEqual([])
    })
  }
})
