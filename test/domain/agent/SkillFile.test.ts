import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { frontMatter, skillFor, skillOf } from "../../../src/domain/agent/SkillFile.ts"
import { it } from "../../support/effect.ts"

describe("a skill file", () => {
  it("has fields, and words behind them", () => {
    const file = '---\nname: "review-go"\nstack: Go\ndescription: |\n  long\nallowed-tools: Bash\n---\n\n# Words\n'
    expect(skillOf("x", "~/x/SKILL.md", file)).toEqual({
      name: "x",
      origin: "~/x/SKILL.md",
      stack: "go",
      text: "# Words"
    })
    expect(skillOf("x", "", file.replaceAll("\n", "\r\n")).text).toBe("# Words")
  })

  it("is all words where there is no front matter, or none that ends", () => {
    expect(skillOf("x", "", "Just words.").text).toBe("Just words.")
    expect(skillOf("x", "", "---\nname: a\nno end").text).toBe("---\nname: a\nno end")
  })

  it.prop("is read whatever it contains", Schema.String, (text) => {
    expect(frontMatter(`---\n${text}\n---\nbody`).body).toBeString()
    expect(frontMatter(text).body.length).toBeLessThanOrEqual(text.length)
  })
})

describe("skillFor", () => {
  const named = (name: string, stack: string | null = null) => ({
    name,
    stack,
    text: name,
    origin: name
  })

  it("takes one that names the stack, then one of its name, then one named for reviewing it", () => {
    expect(skillFor("go", [named("review-go"), named("go"), named("mine", "go")])?.name).toBe("mine")
    expect(skillFor("go", [named("review-go"), named("go")])?.name).toBe("go")
    expect(skillFor("go", [named("review-go"), named("review-python")])?.name).toBe("review-go")
    expect(skillFor("react", [named("review-frontend")])?.name).toBe("review-frontend")
  })

  it("takes none of another stack, and none without words", () => {
    expect(skillFor("go", [named("python"), named("go", "python"), { ...named("go"), text: "" }])).toBeNull()
  })
})
