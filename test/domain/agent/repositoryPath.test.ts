import { describe, expect } from "bun:test"
import { Result, Schema } from "effect"
import { repositoryFolder, repositoryPath } from "../../../src/domain/agent/repositoryPath.ts"
import { it } from "../../support/effect.ts"
import { hostilePaths } from "../../support/hostilePaths.ts"

describe("repositoryPath", () => {
  it("refuses every path that leads elsewhere, with a reason", () => {
    for (const path of hostilePaths) {
      const refused = Result.getOrElse(Result.flip(repositoryPath(path)), () => `taken: ${path}`)
      expect(refused).not.toStartWith("taken")
      expect(refused.length).toBeGreaterThan(10)
      if (!["", "."].includes(path)) expect([path, Result.isFailure(repositoryFolder(path))]).toEqual([path, true])
    }
  })

  it("takes what models write for the path they mean", () => {
    const meant = {
      "a.ts": "a.ts",
      "./src/a.ts": "src/a.ts",
      "src//a.ts": "src/a.ts",
      "src/./a.ts": "src/a.ts",
      ".gitignore": ".gitignore",
      ".github/workflows/ci.yml": ".github/workflows/ci.yml",
      ".gitattributes": ".gitattributes",
      "a..b/..c": "a..b/..c",
      "...": "...",
      " a.ts ": " a.ts ",
      "caf\\xe9.txt": "caf\\xe9.txt",
      "-rf": "-rf",
      "--output=x": "--output=x",
      ":(top)a": ":(top)a",
      "HEAD:a.ts": "HEAD:a.ts",
      "%2e%2e/a": "%2e%2e/a",
      "$HOME/a": "$HOME/a",
      "`id`": "`id`",
      "my.git/config": "my.git/config",
      "日本/語.md": "日本/語.md"
    }
    for (const [written, path] of Object.entries(meant)) expect(repositoryPath(written)).toEqual(Result.succeed(path))
  })

  it("distinguishes a folder from a file where the path itself does", () => {
    for (const folder of ["src/", "src/.", "", ".", "./"]) expect(Result.isFailure(repositoryPath(folder))).toBe(true)
    expect(repositoryFolder("src/")).toEqual(Result.succeed("src"))
    for (const root of ["", ".", "./"]) expect(repositoryFolder(root)).toEqual(Result.succeed(""))
  })

  const Pieces = Schema.Array(
    Schema.Literals(["a", "..", ".", ".git", "/", "\\", "~", "\0", "\n", ":", "C:", " ", ".GIT", "b.ts", "\u200c"])
  )

  it.prop("never returns a path that leads outside, and accepts its own results", Pieces, (pieces) => {
    const asked = repositoryPath(pieces.join(""))
    if (Result.isFailure(asked)) return
    const parts = asked.success.split("/")
    expect(parts.every((part) => part !== "" && part !== "." && part !== ".." && part.toLowerCase() !== ".git")).toBe(
      true
    )
    expect(/[\0-\x1f]/.test(asked.success)).toBe(false)
    expect(repositoryPath(asked.success)).toEqual(asked)
  })
})
