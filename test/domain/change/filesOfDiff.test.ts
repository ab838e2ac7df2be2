import { describe, expect } from "bun:test"
import { filesOfDiff } from "../../../src/domain/change/filesOfDiff.ts"
import { parseDiff } from "../../../src/domain/change/parseDiff.ts"
import { it } from "../../support/effect.ts"

const patch = `diff --git a/a.py b/b.py
similarity index 100%
rename from a.py
rename to b.py
diff --git a/c.py b/c.py
deleted file mode 100644
index e69de29..0000000
diff --git a/b.py b/a.py
similarity index 100%
rename from b.py
rename to a.py
`

describe("filesOfDiff", () => {
  const parsed = parseDiff(new TextEncoder().encode(patch))
  const diff = parsed._tag === "Success" ? parsed.success : { files: [] }

  it("recognises a file by where it is and by where it was", () => {
    const files = filesOfDiff(diff)
    expect([files.at("b.py")?.oldPath, files.from("b.py")?.newPath]).toEqual(["a.py", "a.py"])
    expect([files.at("c.py"), files.from("c.py")?.status]).toEqual([undefined, "deleted"])
    expect(files.at("d.py")).toBeUndefined()
  })

  it("reads a diff once, however often it is called", () => {
    let walks = 0
    const counted = {
      get files() {
        walks++
        return diff.files
      }
    }
    for (let times = 0; times < 1_000; times++) filesOfDiff(counted).at("a.py")
    expect(walks).toBe(1)
  })
})
