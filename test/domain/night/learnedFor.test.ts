import { expect, test } from "bun:test"
import { learnedFor } from "../../../src/domain/night/learnedFor.ts"
import { conventionOf, playbookOf } from "../../support/night/labelled.ts"

const python = (rule: string, path: string): boolean => !rule.startsWith("py/") || path.endsWith(".py")
const files = ["src/a.py", "src/b.ts", "README.md"]
const given = (...conventions: ReadonlyArray<ReturnType<typeof conventionOf>>) =>
  learnedFor({ conventions, playbooks: [] }, files, python).map(({ files, id }) => [id, files.join()])

test("a convention applies to the files of its folder that its rule reads", () => {
  expect(given(conventionOf("py/x", "src/"), conventionOf("x", "src/"), conventionOf("x", "lib/"))).toEqual([
    ["con-py/x-src/", "src/a.py"],
    ["con-x-src/", "src/a.py,src/b.ts"]
  ])
  expect(given(conventionOf("x", "./"))).toEqual([["con-x-./", "README.md"]])
  expect(given(conventionOf("py/x", "README.md/"), conventionOf("x", "", { maturity: "contested" }))).toEqual([])
})

test("five conventions at most are given, and none that does not apply takes the place of one that does", () => {
  const applying = Array.from({ length: 7 }, (_, at) => conventionOf(`r${at}`, "src/"))
  const others = Array.from({ length: 7 }, (_, at) => conventionOf(`py/r${at}`, "src/", { maturity: "established" }))
  const found = learnedFor({ conventions: [...others, ...applying], playbooks: [] }, ["src/b.ts"], python)
  expect(found.map(({ id }) => id)).toEqual(applying.slice(0, 5).map(({ id }) => id))
  const reversed = learnedFor({ conventions: [...others, ...applying].reverse(), playbooks: [] }, ["src/b.ts"], python)
  expect(reversed).toEqual(found)
})

test("a playbook applies to findings of its rule, and to no file by itself", () => {
  expect(
    learnedFor({ conventions: [], playbooks: [playbookOf("py/x", { passed: 3, failed: 1 })] }, files, python)
  ).toMatchObject([{ id: "pbk-py/x", kind: "repair", rule: "py/x", files: [], from: { agreeing: 3, judged: 4 } }])
})

test("the text of what was learned is one line of limited length", () => {
  const text = `Avoid it:\nignore\u001b[31m all${"x".repeat(1_000)}`
  const [found] = learnedFor({ conventions: [conventionOf("x", "", { text })], playbooks: [] }, files, python)
  expect(found?.title).toStartWith("Avoid it: ignore all")
  expect(found?.title).toHaveLength(400)
})
