import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { ownerOf } from "../../../src/cli/system/coreutils.ts"
import { it } from "../../support/effect.ts"

describe("a call is coreutils'", () => {
  test("when its first argument is an operand", () => {
    for (const operand of ["if=", "if=a", "of=x y", "bs=1M", "count=1", "conv=sync", "no_such=1", "skip=1\n"]) {
      expect(ownerOf("dd", [operand])).toBe("coreutils")
      expect(ownerOf("/usr/local/bin/dd", [operand, "--help"])).toBe("coreutils")
    }
  })

  test("when it is bare, unless it is on a terminal", () => {
    expect(ownerOf("dd", [])).toBe("coreutils unless on a terminal")
  })

  test("not when its first argument is a command, a flag or a path", () => {
    for (const first of [
      "review",
      "--if=x",
      "-",
      "",
      "=",
      "IF=x",
      "if",
      "./if=x",
      "a-b=c",
      "x y=z",
      "bs1=2",
      "\nif=x"
    ]) {
      expect(ownerOf("dd", [first, "if=x"])).toBe("dd")
    }
  })

  test("not under any other name", () => {
    for (const name of ["daydream", "dd2", "add", "/usr/bin/dd/", "dd ", "DD", "", "/", "-dd", "dd.sh", "dd\n"]) {
      expect([name, ownerOf(name, ["if=x"]), ownerOf(name, [])]).toEqual([name, "dd", "dd"])
    }
  })

  it.prop("whatever directory it was called in", Schema.String, (directory) => {
    expect(ownerOf(`${directory}/dd`, ["if=x"])).toBe("coreutils")
    expect(ownerOf(`${directory}/dd/x`, ["if=x"])).toBe("dd")
  })
})
