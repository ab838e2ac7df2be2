import { describe, expect, test } from "bun:test"
import { filesAddress } from "../../../src/domain/change/remote/filesAddress.ts"

const commit = "0a1b2c3"

describe("the address of the files of a commit", () => {
  for (const [remote, address] of [
    ["https://github.com/acme/shop.git", "https://github.com/acme/shop/blob/0a1b2c3/"],
    ["https://token@github.com/acme/shop", "https://github.com/acme/shop/blob/0a1b2c3/"],
    ["git@github.com:acme/shop.git", "https://github.com/acme/shop/blob/0a1b2c3/"],
    ["ssh://git@ssh.github.com:443/acme/shop.git", "https://github.com/acme/shop/blob/0a1b2c3/"],
    ["https://gitlab.example.com/group/sub/shop.git", "https://gitlab.example.com/group/sub/shop/-/blob/0a1b2c3/"],
    ["git@codeberg.org:acme/shop.git", "https://codeberg.org/acme/shop/src/commit/0a1b2c3/"],
    ["https://git.example.com/acme/shop.git", null],
    ["https://github.com/acme/sh>op.git", null],
    ["/srv/git/shop.git", null]
  ] as const) {
    test(`of ${remote} is ${address ?? "unknown"}`, () => expect(filesAddress(remote, commit)).toBe(address))
  }
})
