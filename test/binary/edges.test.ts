import { expect, test } from "bun:test"
import { daydream, dd } from "../support/binary.ts"
import { run as runInside } from "../support/inProcess.ts"
import { inside, run as runBinary, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

/** Most tests of commands run dd inside of the test: this one shows that the binary prints the same. */
const commands: ReadonlyArray<readonly [args: ReadonlyArray<string>, stdin?: string]> = [
  [["review"]],
  [["review", "--commit", "HEAD", "--format", "json"]],
  [["review", "--format", "sarif", "--fail-on", "medium"]],
  [["review", "--format", "markdown", "--color", "always"]],
  [["review", "--diff-file", "-", "--no-archive"], "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-a = 1\n+a = []\n"],
  [["review", "--diff-file", "-"], "no patch"],
  [["review", "--base", "nowhere"]],
  [["review", "--formt", "json"]],
  [["review", "--help"]],
  [["brief", "--format", "json"]],
  [["symbols", "load"]],
  [["pack", "--dry-run"]],
  [["rules", "show", "py/bare-except"]],
  [["rules", "list", "--format", "json"]],
  [["explain", "py/bare-exept"]],
  [["config", "show", "--origin"]],
  [["flow", "list"]],
  [["archive", "list"]],
  [["archive", "show", "nothing"]],
  [["session", "list"]],
  [["dream", "status"]],
  [["trajectory", "validate", "missing.json"]],
  [["completions", "bash"]],
  [["help", "archive"]],
  [["archive"]],
  [["nonsense"]],
  [["--help"]]
]

/** Without what differs between two runs. */
const comparable = (text: string) =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID")
    .replace(/"?\d{4}-\d\d-\d\dT[\d:.]+Z"?/g, "TIME")
    .replace(/"duration_ms": ?\d+/g, "DURATION")

for (const [args, stdin] of commands) {
  test(`dd ${args.join(" ")} prints the same in the process of a test and as a binary`, async () => {
    using place = scratch()
    const repository = initRepository(inside(place.path, "repo"))
    repository.commit("Begin", { "app.py": "def load(path):\n    return path\n" })
    repository.branch("feature").commit("Be careless", {
      "app.py": "def load(path, seen=[]):\n    try:\n        return open(path)\n    except:\n        pass\n"
    })
    const [first, second] = ["first", "second"].map((name) => {
      const env = { PATH: systemPath, HOME: inside(place.path, name), DD_RULES_DISABLE: "pyt/*" }
      return { cwd: repository.root, env, ...(stdin === undefined ? {} : { stdin }) }
    })
    const binary = await runBinary([args[0] === "review" ? dd : daydream, ...args], first)
    const here = await runInside([dd, ...args], second)
    const seen = ({ status, stdout, stderr }: typeof binary, home: string) => ({
      status,
      stdout: comparable(stdout).replaceAll(home, "HOME"),
      stderr: comparable(stderr).replaceAll(home, "HOME")
    })
    expect(seen(here, second?.env.HOME ?? "")).toEqual(seen(binary, first?.env.HOME ?? ""))
  })
}
