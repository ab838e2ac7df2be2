/** The lines that git gives to a pre-push hook. */
import { expect, test } from "bun:test"
import { parsePush } from "../../../src/domain/hook/pushedRefs.ts"

const a = "a".repeat(40)
const b = "b".repeat(40)
const none = "0".repeat(40)

test("every line is a ref to review, a deletion, or counted as unread", () => {
  const push = parsePush(
    [
      `refs/heads/main ${a} refs/heads/main ${b}`,
      `refs/heads/copy ${a} refs/heads/copy ${b}`,
      `HEAD@{1 day ago} ${a} refs/heads/new ${none}`,
      `(delete) ${none} refs/heads/old ${b}`,
      `refs/tags/v1 ${a} refs/tags/v1 ${none}`,
      `refs/heads/$(touch x);\u001b[2J ${b} refs/heads/--exec=x ${a}\r`,
      `refs/heads/main ${a.slice(1)} refs/heads/main ${b}`,
      "",
      "refs/heads/main"
    ].join("\n")
  )
  expect(push.refs.map(({ remoteRef, remoteSha }) => [remoteRef, remoteSha])).toEqual([
    ["refs/heads/main", b],
    ["refs/heads/new", null],
    ["refs/tags/v1", null],
    ["refs/heads/--exec=x", a]
  ])
  expect(push).toMatchObject({ deleted: 1, unread: 2 })
  expect(parsePush("\n")).toEqual({ refs: [], same: 0, deleted: 0, unread: 0 })
})

test("a thousand refs are read once for each pair of commits", () => {
  const lines = Array.from({ length: 1000 }, (_, at) => `refs/heads/b${at} ${a} refs/heads/b${at} ${none}\n`)
  expect(parsePush(lines.join(""))).toMatchObject({ refs: [{ remoteRef: "refs/heads/b0" }], same: 999 })
})
