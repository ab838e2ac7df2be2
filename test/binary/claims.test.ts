/** Forty claims of a model, half of them false in different ways: each ends where the evidence or its verdict puts it. */

import { expect, test } from "bun:test"
import { mostVerifiers } from "../../src/domain/agent/plannedAgents.ts"
import { modelReviews, nameOf, services } from "../support/modelReviews.ts"
import { agreeable, type Script, submitOf } from "../support/modelServer.ts"

const filler = (word: string) => Array.from({ length: 12 }, (_, at) => `${word}_${at} = "${word} ${at}"`).join("\n")

const moduleOf = (share: string, first: string) =>
  [
    "import guard", // 1
    "def old(path):", // 2
    "    return open(path).read()", // 3
    filler("before"), // 4 to 15
    "def share(total, people):", // 16
    share, // 17
    filler("between"), // 18 to 29
    "def first(items):", // 30
    first, // 31
    ""
  ].join("\n")

const names = Array.from({ length: 10 }, (_, at) => `shop/part${at}.py`)
const filesWith = (share: string, first: string) =>
  Object.fromEntries(names.map((name) => [name, moduleOf(share, first)]))

interface Planted {
  readonly claim: Readonly<Record<string, unknown>>
  /** Null if the evidence gate drops the claim before it is verified. */
  readonly verdict: { readonly verdict: string; readonly evidence: string } | null
  readonly ends: "reported" | "dropped"
}

const planted = (file: string, at: number): ReadonlyArray<Planted> => {
  const claim = (over: Readonly<Record<string, unknown>>) => ({
    file,
    line: 17,
    endLine: null,
    quote: "return total / people",
    evidence: `${file}:17`,
    rationale: "It follows from the line.",
    suggestion: null,
    confidence: "HIGH",
    severity: at % 2 === 0 ? "medium" : "low",
    ...over
  })
  const holds: ReadonlyArray<Planted> = [
    {
      claim: claim({
        title: `Shares are fractions now ${at}`,
        description: `A payment of cents becomes a float in part ${at}.`
      }),
      verdict: { verdict: "consistent", evidence: `${file}:17 divides` },
      ends: "reported"
    },
    {
      claim: claim({
        line: 31,
        quote: "return items[0].strip()",
        evidence: `${file}:31`,
        title: `An empty list fails ${at}`,
        description: `IndexError for no items at all, section ${at}.`
      }),
      verdict: { verdict: at % 3 === 0 ? "uncertain" : "consistent", evidence: `${file}:31 indexes` },
      ends: "reported"
    }
  ]
  const wrong: ReadonlyArray<Planted> = [
    // A file that does not exist.
    {
      claim: claim({
        file: `shop/gone${at}.py`,
        evidence: `shop/gone${at}.py:17`,
        title: "A",
        description: "In no file."
      }),
      verdict: null,
      ends: "dropped"
    },
    // Code that does not exist.
    {
      claim: claim({ quote: "return nothing_like_this()", title: "B", description: "Code that nobody wrote." }),
      verdict: null,
      ends: "dropped"
    },
    // The right code, and a wrong conclusion.
    {
      claim: claim({
        title: `Zero people crash the server ${at}`,
        description: `ZeroDivisionError for nobody, unit ${at}.`
      }),
      verdict: { verdict: "contradicts", evidence: `guard.py:2 refuses zero before ${file}:17` },
      ends: "dropped"
    },
    // Handled elsewhere.
    {
      claim: claim({
        line: 31,
        quote: "return items[0].strip()",
        evidence: `${file}:31`,
        title: `Names keep their blanks ${at}`,
        description: `White space of users is stored as typed, place ${at}.`
      }),
      verdict: { verdict: "contradicts", evidence: `${file}:31 strips it` },
      ends: "dropped"
    },
    // It was there before.
    {
      claim: claim({
        line: 3,
        quote: "return open(path).read()",
        evidence: `${file}:3`,
        title: "E",
        description: "The handle stays open."
      }),
      verdict: null,
      ends: "dropped"
    }
  ]
  return [...holds, wrong[at % 5]!, wrong[(at + 2) % 5]!]
}

const all = names.flatMap(planted)
const verdicts = new Map(all.map(({ claim, verdict }) => [String(claim.title), verdict]))

const reviewer: Script = (asked, nth) => {
  const name = submitOf(asked)
  if (name === "submit_review" && asked.told.includes("# Profile: python")) {
    const coverage = names.map((path) => ({ path, status: "reviewed", reason: "" }))
    const input = { review: "All of it.", issues: all.map(({ claim }) => claim), coverage }
    return { calls: [{ name, input }] }
  }
  if (name !== "submit_verification") return agreeable(asked, nth)
  const input = {
    verdicts: [...asked.told.matchAll(/^Number (\d+):\n<[^\n]+\n[^\n]+\n([^\n]+)$/gm)].map(([, id, title = ""]) => ({
      issue_id: Number(id),
      unverified_assumptions: [],
      ...verdicts.get(title)
    }))
  }
  return { calls: [{ name, input }] }
}

for (const service of services) {
  test(`each of 40 planted claims ends where its evidence and its verdict say: ${nameOf(service)}`, async () => {
    const [backend, env] = service
    await using at = await modelReviews((repository) => {
      repository.commit("Begin", {
        ...filesWith("    return total // people", "    return items.pop()"),
        "guard.py": "def people(n):\n    assert n > 0\n    return n\n"
      })
      repository.commit("Share", filesWith("    return total / people", "    return items[0].strip()"))
    }, reviewer)
    const { result } = await at.report(["--commit", "HEAD", "--backend", backend, "--model", "m-1"], env)

    const told = (each: { readonly title: string; readonly file: string }) => `${each.file} ${each.title}`
    const found = result.findings.filter(({ source }: { readonly source: string }) => source === "model")
    const expected = all.filter(({ ends }) => ends === "reported")
    expect(expected).toHaveLength(20)
    expect(found.map(told).toSorted()).toEqual(
      expected.map(({ claim }) => told(claim as { readonly title: string; readonly file: string })).toSorted()
    )
    for (const { title, verdict } of found) expect([title, verdict]).toEqual([title, verdicts.get(title)?.verdict])

    // Whatever is false is dropped by the gate or by its verdict, with the reason, and only the rest is paid for.
    const reasons: ReadonlyArray<string> = result.dropped.map(({ reason }: { readonly reason: string }) => reason)
    const disproved = all.filter(({ ends, verdict }) => ends === "dropped" && verdict !== null)
    expect(reasons).toHaveLength(20)
    expect(reasons.filter((reason) => reason.startsWith("the code contradicts it: "))).toHaveLength(disproved.length)
    const asked = at.asked.filter((each) => submitOf(each) === "submit_verification")
    expect(asked).toHaveLength(Math.min(names.length, mostVerifiers))
    expect(asked.flatMap(({ told }) => [...told.matchAll(/^Number \d+:$/gm)])).toHaveLength(20 + disproved.length)
    expect(result.degraded).toEqual([])
  })
}
