import { describe, expect } from "bun:test"
import { bestTests, type Evidence, rankTests } from "../../../../src/domain/brief/tests/rankTests.ts"
import { it } from "../../../support/effect.ts"

const nothing: Evidence = {
  changed: [{ path: "pkg/http_client.py", lines: 4 }],
  words: [],
  tests: ["tests/test_cart.py", "tests/test_http_client.py", "tests/test_shop.py"],
  paths: [],
  mentions: new Map(),
  history: []
}
const ranked = (evidence: Partial<Evidence>) => rankTests({ ...nothing, ...evidence }).map(({ file }) => file)

describe("rankTests", () => {
  it("puts the test that is named after the changed file first", () => {
    expect(rankTests(nothing)[0]).toMatchObject({ file: "tests/test_http_client.py", named: "pkg/http_client.py" })
  })

  it("takes a test for another file's if one of the same name is in nearer folders", () => {
    const tests = ["tpl/text/transform_test.go", "resources/transform_test.go"]
    const changed = [{ path: "resources/transform.go", lines: 1 }]
    expect(rankTests({ ...nothing, changed, tests }).map(({ file, named }) => ({ file, named }))).toEqual([
      { file: "resources/transform_test.go", named: "resources/transform.go" },
      { file: "tpl/text/transform_test.go", named: null }
    ])
  })

  it("takes a test for that of a file of the same name in nearer folders", () => {
    const tests = ["client/transport/listener_test.go", "example/other_test.go"]
    const changed = [{ path: "example/listener.go", lines: 1 }]
    const paths = [...tests, "example/listener.go", "client/transport/listener.go"]
    expect(rankTests({ ...nothing, changed, tests, paths }).map(({ named }) => named)).toEqual([null, null])
    expect(rankTests({ ...nothing, changed, tests }).map(({ named }) => named)).toContain("example/listener.go")
  })

  it("counts a word more if few tests have it", () => {
    const mentions = new Map([
      ["tests/test_cart.py", new Map([["get", 1]])],
      ["tests/test_shop.py", new Map([["send_chunk", 1]])],
      ["tests/test_http_client.py", new Map([["get", 1]])]
    ])
    const words = [
      { word: "get", kind: "line" },
      { word: "send_chunk", kind: "line" }
    ] as const
    const files = ranked({ changed: [{ path: "pkg/x.py", lines: 1 }], words, mentions })
    expect(files[0]).toBe("tests/test_shop.py")
  })

  it("uses the commits that changed a test together with the file, except large ones", () => {
    const changed = [{ path: "pkg/x.py", lines: 1 }]
    const pair = ["pkg/x.py", "tests/test_cart.py"]
    expect(rankTests({ ...nothing, changed, history: [pair, pair] })).toMatchObject([
      { file: "tests/test_cart.py", together: "pkg/x.py" }
    ])
    const large = [...pair, ...Array.from({ length: 60 }, (_, at) => `f${at}`)]
    expect(ranked({ changed, history: [large, large] })).toEqual([])
  })

  it("names three tests, and more only if their evidence is comparable", () => {
    const tests = (...scores: ReadonlyArray<number>) =>
      scores.map((score, at) => ({ file: `t${at}`, score, named: null, together: null }))
    expect(bestTests(tests(9, 1, 1, 1), 0)).toHaveLength(3)
    expect(bestTests(tests(9, 1, 1, 1), 3)).toHaveLength(1)
    expect(bestTests(tests(9, 8, 8, 7, 1), 0)).toHaveLength(4)
    expect(bestTests(tests(...Array.from({ length: 20 }, () => 1)), 0)).toHaveLength(8)
  })

  it("does not depend on the order of the tests", () => {
    const { tests } = nothing
    expect(ranked({ tests: tests.toReversed() })).toEqual(ranked({}))
  })
})
