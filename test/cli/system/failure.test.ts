import { describe, expect, test } from "bun:test"
import { PlatformError } from "effect"
import { failureOf } from "../../../src/cli/system/failure.ts"

const plain = (text: string) => text
const systemError = (_tag: "BadResource" | "PermissionDenied") =>
  PlatformError.systemError({
    _tag,
    module: "FileSystem",
    method: "readFile",
    pathOrDescriptor: "/home/ann/config.toml"
  })

describe("an error of the system that no command expects", () => {
  test("names the path and the reason, and not the call of the platform", () => {
    expect(failureOf(systemError("BadResource"), plain)).toEqual({
      code: 3,
      words: "/home/ann/config.toml failed: it is not a file that can be read"
    })
    expect(failureOf(systemError("PermissionDenied"), plain).words).toBe(
      "/home/ann/config.toml failed: permission denied"
    )
  })
})
