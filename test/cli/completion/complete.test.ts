import { describe, expect, test } from "bun:test"
import { Completions } from "effect/cli"
import { joined, nextOf } from "../../../src/cli/completion/complete.ts"
import { dd } from "../../../src/cli/dd.ts"
import { withEveryFlag } from "../../../src/cli/system/invocation.ts"

const tree = withEveryFlag(Completions.fromCommand(dd))
const words = (...typed: ReadonlyArray<string>) => {
  const next = nextOf(tree, typed)
  return next._tag === "Words" ? next.words.map(({ word }) => word) : [`${next.before}<${next.command}: ${next.of}>`]
}

describe("what may come next", () => {
  test("is a command, and for dd an operand of coreutils", () => {
    expect(words("daydream", "")).toContain("review")
    expect(words("daydream", "")).not.toContain("if=")
    expect(words("dd", "")).toEqual(expect.arrayContaining(["review", "if=", "of="]))
    expect(words("/usr/local/bin/dd", "archive", "")).toContain("rebuild-index")
    expect(words("dd", "review", "")).toEqual(["<review: target>"])
    expect(words("dd", "explain", "")).toEqual(["<explain: id>"])
    expect(words("dd", "help", "")).toContain("rules")
    expect(words("dd", "help", "rules", "")).toContain("show")
  })

  test("is a flag of the command, or a value of the flag before", () => {
    expect(words("dd", "review", "src", "-")).toEqual(
      expect.arrayContaining(["--base", "--help", "--version", "--color"])
    )
    expect(words("dd", "doctor", "--color", "")).toEqual(["auto", "always", "never"])
    expect(words("dd", "review", "--fail-on", "")).toEqual(["none", "low", "medium", "high"])
    expect(words("dd", "review", "--fail-on=h")).toContain("--fail-on=high")
    expect(words("dd", "review", "--quiet", "--base", "m")).toEqual(["<review: base>"])
    expect(words("dd", "review", "--base=m")).toEqual(["--base=<review: base>"])
    expect(words("dd", "review", "--staged", "")).toEqual(["<review: target>"])
    expect(words("dd", "trajectory", "validate", "a", "b", "")).toEqual(["<trajectory validate: file>"])
  })

  test("is an operand that is not used yet or a value of it, after the first operand", () => {
    expect(words("dd", "if=a", "")).not.toContain("if=")
    expect(words("dd", "if=a", "")).toContain("of=")
    expect(words("dd", "if=a", "status=")).toContain("status=none")
    expect(words("dd", "if=a", "conv=sync,no")).toContain("conv=sync,notrunc")
    expect(words("dd", "if=")).toEqual([])
  })
})

describe("words that a shell has cut", () => {
  test("are joined again, with the length that the shell takes as complete", () => {
    expect(joined(["dd", "if", "=", "/e"])).toEqual({ words: ["dd", "if=/e"], cut: 3 })
    expect(joined(["dd", "if", "="])).toEqual({ words: ["dd", "if="], cut: 3 })
    expect(joined(["dd", "if", "=", "a", "of", "=", "b"])).toEqual({ words: ["dd", "if=a", "of=b"], cut: 3 })
    expect(joined(["dd", "review", "--output", "json", "=", "a", ":", "b"]).words.at(-1)).toBe("json=a:b")
    expect(joined(["dd", "--format=j"])).toEqual({ words: ["dd", "--format=j"], cut: 0 })
  })
})
