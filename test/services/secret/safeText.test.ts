import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { redactorOf } from "../../../src/services/secret/Redactor.ts"
import { safeText } from "../../../src/services/secret/safeText.ts"
import { it } from "../../support/effect.ts"

const redactor = redactorOf({})
const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`

const shown = (pieces: ReadonlyArray<string>): string => {
  const safe = safeText(redactor)
  return pieces.map(safe.push).join("") + safe.end() + safe.end()
}

describe("the text of a model", () => {
  const Part = Schema.Literals([
    `${token} `,
    "\u001b[31m",
    "\u001b]0;title\u0007",
    "\u001b[0m",
    "\n",
    "\r\n",
    "x ",
    "\u202e",
    "\npassword: hunter2\n",
    "\ndocker login \\\n  -u bob \\\n  -p hunter2 \\\n  r.io\n",
    "\npasswd bob <<EOF\nhunter2\nhunter2\nEOF\n",
    "é",
    "😀",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----"
  ])
  const Given = Schema.Struct({
    parts: Schema.Array(Part),
    size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))
  })

  it.prop("is the same however it arrives, and has no secrets and no control characters", Given, ({ parts, size }) => {
    const text = parts.join("")
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
      text.slice(at * size, (at + 1) * size)
    )
    const whole = shown([text])
    expect(shown(pieces)).toBe(whole)
    expect(whole).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/)
    for (const secret of [token, "hunter2", "MIIEow"]) expect(whole).not.toContain(secret)
    expect(shown([whole])).toBe(whole)
  })

  it("hides a secret with an escape sequence before, inside or after it", () => {
    const color = "\u001b[31m"
    for (const text of [`a${color}${token}`, `${token.slice(0, 9)}${color}${token.slice(9)}`, `${token}${color}b`]) {
      const whole = shown([`${text}\n`, "next\n"])
      expect(whole).toContain("[REDACTED")
      expect(whole).not.toContain(token.slice(9))
    }
  })

  it("arrives in lines while it is written", () => {
    const safe = safeText(redactor)
    expect(safe.push("one\ntwo")).toBe("")
    expect(safe.push("\nthr")).toBe("one\n")
    expect(safe.push("ee\n")).toBe("two\n")
    expect(safe.end()).toBe("three\n")
  })
})
