import { describe, expect, test } from "bun:test"
import { networkErrorText } from "../../../src/services/system/networkErrorText.ts"

describe("a connection that failed", () => {
  test("has its cause in words, however deep the platform hides it", () => {
    const refused = Object.assign(new Error("Unable to connect"), { code: "ECONNREFUSED" })
    const outer = new Error("fetch failed", { cause: new Error("Transport error", { cause: refused }) })
    expect(networkErrorText(outer)).toBe("nothing answers at this address (ECONNREFUSED)")
    expect(networkErrorText(new Error("getaddrinfo ENOTFOUND nowhere.example"))).toBe(
      "no server has this name, or there is no network (ENOTFOUND)"
    )
  })

  test("keeps the message of an unknown cause, without advice to programmers", () => {
    expect(networkErrorText(new Error("certificate has expired"))).toBe("certificate has expired")
    expect(networkErrorText(new Error("It broke. Is the computer able to access the url?"))).toBe("It broke")
  })
})
