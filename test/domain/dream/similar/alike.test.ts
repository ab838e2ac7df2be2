import { describe, expect, test } from "bun:test"
import { emptyBase, withSessions } from "../../../../src/domain/dream/artifacts/ArtifactBase.ts"
import { artifactsOf } from "../../../../src/domain/dream/artifacts/artifactsOf.ts"
import { alikeFrom, alikePairs, lexicalSearch, namedBy } from "../../../../src/domain/dream/similar/alike.ts"
import { lexicalVector, similarity } from "../../../../src/domain/dream/similar/lexicalVector.ts"
import { digest } from "../../../../src/layers/dream/spoolPlace.ts"
import { day, firstDay, playbook, profileOf, repair, seen } from "../../../support/sessionProfiles.ts"
import { labelledPairs, paraphraseGroups } from "./paraphrases.ts"

type Measure = (a: string, b: string) => number

const words = (text: string) => new Set(text.toLowerCase().match(/\w+/g))
const methods: Readonly<Record<string, readonly [least: number, measure: Measure]>> = {
  // A hash of the masked text finds what is equal, and nothing else.
  "exact string, hash": [1, (a, b) => (digest(a) === digest(b) ? 1 : 0)],
  "word Jaccard": [
    0.3,
    (a, b) => {
      const shared = words(a).intersection(words(b)).size
      return shared / words(a).union(words(b)).size
    }
  ],
  lexical: [alikeFrom, (a, b) => similarity(lexicalVector(a), lexicalVector(b))]
}

const isUnseen = (group: number) => group % 2 === 1

const figuresOf = (name: string) => {
  const [least, measure] = methods[name]!
  const unseen = labelledPairs.filter(({ group }) => isUnseen(group))
  const found = unseen.filter(({ a, b }) => measure(a, b) >= least)
  const right = found.filter(({ isSame }) => isSame).length
  const corpus = paraphraseGroups.flatMap(({ other, same }, group) => [
    { group, text: same[0] },
    ...other.map((text) => ({ group: -1, text }))
  ])
  const queries = paraphraseGroups.flatMap(({ same }, group) =>
    isUnseen(group) ? same.slice(1).map((text) => ({ group, text })) : []
  )
  const hits = queries.filter(({ group, text }) =>
    corpus
      .map((each) => ({ ...each, score: measure(each.text, text) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 3)
      .some((each) => each.group === group && each.score > 0)
  )
  const share = (part: number, of: number) => (of === 0 ? 0 : Math.round((100 * part) / of) / 100)
  return {
    precision: share(right, found.length),
    recall: share(right, unseen.filter(({ isSame }) => isSame).length),
    recallAt3: share(hits.length, queries.length)
  }
}

describe("texts in other words", () => {
  test("are 300 labelled pairs, half of them paraphrases", () => {
    expect([labelledPairs.length, labelledPairs.filter(({ isSame }) => isSame).length]).toEqual([300, 150])
  })

  test("are found by lexical vectors, not by strings or hashes, on the half that judges", () => {
    expect(Object.fromEntries(Object.keys(methods).map((name) => [name, figuresOf(name)]))).toEqual({
      "exact string, hash": { precision: 0, recall: 0, recallAt3: 0 },
      "word Jaccard": { precision: 0.65, recall: 0.52, recallAt3: 0.9 },
      lexical: { precision: 0.92, recall: 0.45, recallAt3: 0.98 }
    })
  })

  test("a vector has length 1, and none without words", () => {
    const vector = lexicalVector("TS2345: argument is not assignable")
    expect(similarity(vector, vector)).toBeCloseTo(1, 5)
    expect(similarity(lexicalVector("…"), vector)).toBe(0)
  })
})

describe("artifacts in other words", () => {
  const artifacts = artifactsOf(
    withSessions(
      emptyBase,
      [
        profileOf("s", {
          contributions: [
            seen(
              "a",
              repair("ENOENT: no such file or directory, open <q>", "create the missing directory with mkdir -p")
            ),
            seen(
              "b",
              repair("Error: cannot open <path>: file not found (ENOENT)", "make the missing directory: mkdir -p")
            ),
            seen("c", repair("ENOENT: no such file or directory, open <q>", "delete the stale cache and build again")),
            seen("d", playbook("error:typescript:TS2345", "read the call", "run tsc"))
          ]
        })
      ],
      firstDay * day,
      digest
    ),
    firstDay * day,
    digest
  )

  test("an error in other words finds the repairs of the same error", () => {
    const found = lexicalSearch(artifacts)("No such file or directory: <q>")
    expect(found.map(({ key }) => key).sort()).toEqual(["a", "b", "c"])
    expect(lexicalSearch(artifacts)("EACCES: permission denied, open <q>")).toEqual([])
    expect(lexicalSearch(artifacts)("error TS2345: Argument of type <q>").map(({ key }) => key)).toEqual(["d"])
  })

  test("an error finds what helped with another code of the same mistake, and no other", () => {
    const search = (text: string) => lexicalSearch(artifacts)(text).map(({ key }) => key)
    expect(search("<path>: error TS2322: Type <q> is not assignable to type <q>.")).toEqual(["d"])
    expect(search("<path>: error TS2339: Property <q> does not exist on type <q>.")).toEqual([])
  })

  test("words for an error, or for what to do about it, find the repair", () => {
    const found = (text: string) => namedBy(artifacts, text).byCode.map(({ key }) => key)
    for (const text of ["cannot write report: directory missing", "the folder does not exist", "no such directory"])
      expect(found(text).toSorted()).toEqual(["a", "b", "c"])
    expect(found("TS2322")).toEqual(["d"])
    expect(found("cannot write report: disk full")).toEqual([])
  })

  test("a message, its code, or words of the advice find what was learned of it, whatever language it was filed under", () => {
    const [learned] = artifactsOf(
      withSessions(
        emptyBase,
        [
          profileOf("s", {
            contributions: [seen("n", playbook("error:javascript:NameError", "edit the module", "run `npm test`"))]
          })
        ],
        firstDay * day,
        digest
      ),
      firstDay * day,
      digest
    )
    const byCode = (text: string) => namedBy([learned!, ...artifacts], text).byCode.map(({ key }) => key)
    expect(byCode("NameError: name 'foo' is not defined in a.py line 3")).toEqual(["n"])
    expect(byCode("NameError")).toEqual(["n"])
    expect(byCode("ENOENT: no such file or directory, open 'x'").toSorted()).toEqual(["a", "b", "c"])
    expect(byCode("npm test")).toEqual([])
    expect(namedBy([learned!, ...artifacts], "NPM test").byWords).toEqual([learned!])
    expect(namedBy([learned!, ...artifacts], " ").byWords).toEqual([])
  })

  test("two that are about the same and advise the same are a pair; another advice is none", () => {
    expect(alikePairs(artifacts).map((pair) => pair.map(({ key }) => key).sort())).toEqual([["a", "b"]])
  })
})
