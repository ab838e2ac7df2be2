/** `dd trajectory redact`, byte for byte. */
import { describe, expect, test } from "bun:test"
import { dd } from "../support/binary.ts"
import { systemPath } from "../support/process.ts"

const token = ["gh", "p_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].join("")
const hidden = "[REDACTED_API_KEY]"

const redacted = (input: Uint8Array): Buffer =>
  Bun.spawnSync([dd, "trajectory", "redact"], { stdin: input, env: { PATH: systemPath, HOME: "/nonexistent" } }).stdout

describe("dd trajectory redact", () => {
  test("leaves bytes that are not UTF-8 as they are", () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7 + (i >> 8)) % 256)
    expect(redacted(bytes).equals(bytes)).toBe(true)
    const latin1 = (secret: string) => Buffer.from(`caf\xe9 ${secret} \xff\xfe\n\xa4 ${secret}`, "latin1")
    expect(redacted(latin1(token)).equals(latin1(hidden))).toBe(true)
    expect(redacted(Buffer.from("\ufeffü\r\n")).toString()).toBe("\ufeffü\r\n")
  })

  test("hides tokens in UTF-16 of either byte order, and writes UTF-16", () => {
    const text = (secret: string) => `\ufeffä über\r\n漢字 ${secret}\r\nnext\r\n`
    const little = (secret: string) => Buffer.from(text(secret), "utf16le")
    const big = (secret: string) => little(secret).swap16()
    expect(redacted(little(token)).equals(little(hidden))).toBe(true)
    expect(redacted(big(token)).equals(big(hidden))).toBe(true)
  })

  test("hides tokens behind escapes and colours", () => {
    const line = (secret: string) =>
      `{"a":"x\\n${secret} \\u001b[33m${secret}"} %20${secret} \x1b[33m${secret}\x1b[0m\n`
    expect(redacted(Buffer.from(line(token))).toString()).toBe(line(hidden))
  })
})
