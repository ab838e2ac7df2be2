import { describe, expect } from "bun:test"
import { changesOf, roleOf } from "../../../../src/domain/dream/tasks/stepWords.ts"
import { viewOfSession } from "../../../../src/domain/dream/viewOfSession.ts"
import { it } from "../../../support/effect.ts"
import { edit, eventsOf, fail, run } from "../../../support/sessionEvents.ts"

const changes = (command: string) => changesOf(viewOfSession(eventsOf(run(command)))!.steps[0]!, [])
const words = (command: string) => changes(command).map((change) => change.words)

describe("the role of a file", () => {
  it("is told by its path", () => {
    const roles = {
      test: ["test/a.ts", "src/a.test.ts", "pkg/a_test.go", "test_a.py", "spec/models/a.rb"],
      settings: ["package.json", "web/tsconfig.build.json", "vite.config.ts", "requirements-dev.txt"],
      types: ["src/types.ts", "lib/a.d.ts", "a.pyi"],
      document: ["README.md", "docs/a.html"],
      source: ["src/latest.ts", "contest.py", "a.rs"]
    }
    for (const [role, files] of Object.entries(roles))
      expect<ReadonlyArray<string>>(files.map(roleOf)).toEqual(files.map(() => role))
  })
})

describe("changes", () => {
  it("of a setup command have words without its arguments", () => {
    expect(words("sudo mkdir -p /srv/secret")).toEqual(["create the missing directory with mkdir -p"])
    expect(words("chmod +x run.sh")).toEqual(["change the permissions with chmod"])
    expect(words("lsof -ti :3000 | xargs kill -9")).toEqual(["stop the process that is in the way with kill"])
    expect(words("docker compose up -d db")).toEqual(["start the services with docker compose up"])
    expect(words("rm -rf node_modules")).toEqual(["remove generated files with rm"])
    expect(words("bun add zod")).toEqual(["install the dependencies with bun add"])
    expect(words("npx prisma generate")).toEqual([null])
    expect(words("bun run codegen --token=abc")).toEqual(["run bun run codegen"])
  })

  it("are none for commands that look, check or commit, and unknown ones have no words", () => {
    for (const command of ["ls -la", "git status", "cat a.ts | grep b", "bun test", "git commit -m 'x; mkdir y'"]) {
      expect([command, changes(command)]).toEqual([command, []])
    }
    expect(words("sed -i s/a/b/ src/a.ts")).toEqual([null])
    expect(words("./tool --fix")).toEqual([null])
  })

  it("are of the source of a test only if the error names a test of its name and language", () => {
    const wordsOf = (file: string, ...named: ReadonlyArray<string>) =>
      changesOf(viewOfSession(eventsOf(edit(file)))!.steps[0]!, named).map(({ words }) => words)
    const ofTest = ["edit the source of the test named in the error"]
    expect(wordsOf("src/a.ts", "test/a.test.ts")).toEqual(ofTest)
    expect(wordsOf("src/a.tsx", "src/a.spec.js")).toEqual(ofTest)
    expect(wordsOf("a.py", "tests/test_a.py")).toEqual(ofTest)
    expect(wordsOf("a.go", "pkg/a_test.go")).toEqual(ofTest)
    for (const named of ["src/a.ts", "lib/a.py", "test/a.test.ts", "tests/test_b.py", "a.md"])
      expect([named, wordsOf("a.py", named)]).toEqual([
        named,
        [named === "lib/a.py" ? "edit the file named in the error" : null]
      ])
  })

  it("are none for a step that failed, and for documents", () => {
    const stepsOf = (events: Parameters<typeof eventsOf>[0]) => viewOfSession(eventsOf(events))!.steps
    expect(changesOf(stepsOf(fail("mkdir out", "mkdir: cannot create directory"))[0]!, [])).toEqual([])
    expect(changesOf(stepsOf(edit("README.md"))[0]!, [])).toEqual([])
    expect(changesOf(stepsOf(edit("README.md"))[0]!, ["README.md"])).toHaveLength(1)
  })
})
