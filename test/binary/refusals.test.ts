/** A backend that cannot review, through the compiled binary: one sentence, once, before anything is spent. */
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Asked } from "../support/Asked.ts"
import { accessKey, secretKey, startBedrock } from "../support/bedrockServer.ts"
import { dd } from "../support/binary.ts"
import { install } from "../support/cli/install.ts"
import { cliNames } from "../support/cli/protocols.ts"
import { agreeable, type Presence, type Script, startModel } from "../support/modelServer.ts"
import { patience } from "../support/patience.ts"
import { inside, run, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

setDefaultTimeout(patience)

const key = "sk-ant-secret-0123456789abcdef"
const replies = {
  Intent: { intent: "To add." },
  Alternatives: { issues: [] },
  StackReview: {
    review: "Fine.",
    issues: [],
    coverage: ["a.py", "b.go", "c.rb", "d.py"].map((path) => ({ path, status: "reviewed", reason: "" }))
  },
  ParseReview: { issues: [] },
  Arbitrate: { findings: [] },
  Merge: { notes: [] }
}

/** Says that it has reviewed everything. */
const fine: Script = (asked, nth) =>
  asked.tools.some(({ name }) => name === "submit_review")
    ? { calls: [{ name: "submit_review", input: replies.StackReview }] }
    : asked.answer !== null && asked.tools.length === 0 && JSON.stringify(asked.answer).includes("coverage")
      ? { text: JSON.stringify(replies.StackReview) }
      : agreeable(asked, nth)

const world = async (script: Script = fine, presence?: Presence) => {
  const place = scratch()
  const asked: Array<Asked> = []
  const server = await startModel(
    (request, nth) => {
      asked.push(request)
      return script(request, nth)
    },
    () => {},
    0,
    presence
  )
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("Begin", { "README.md": "# Shop\n" })
  // Several languages: as many agents would be asked.
  repository
    .branch("feature")
    .commit("Add", { "a.py": "x = 1\n", "b.go": "package b\n", "c.rb": "x = 1\n", "d.py": "y = 2\n" })
  const home = inside(place.path, "home")
  const bin = inside(place.path, "bin")
  mkdirSync(join(home, ".daydream"), { recursive: true })
  const root = `http://127.0.0.1:${server.port}`
  const env: Record<string, string> = {
    PATH: `${bin}:${systemPath}`,
    HOME: home,
    ANTHROPIC_API_KEY: key,
    OPENAI_API_KEY: key,
    DD_ANTHROPIC_BASE_URL: root,
    DD_OPENAI_BASE_URL: `${root}/v1`
  }
  const review = (args: ReadonlyArray<string>, over: Record<string, string> = {}) =>
    run([dd, "review", ...args], { cwd: repository.root, env: { ...env, ...over } })
  return {
    asked,
    bin,
    home,
    repository,
    review,
    config: (text: string) => writeFileSync(join(home, ".daydream", "config.toml"), text),
    [Symbol.asyncDispose]: async () => {
      await server.close()
      place[Symbol.dispose]()
    }
  }
}

/** One line on standard error, and nothing on standard output. */
const oneSentence = ({ stderr, stdout }: { readonly stderr: string; readonly stdout: string }): string => {
  expect(stdout).toBe("")
  expect(stderr).toMatch(/^dd: [^\n]+\n$/)
  expect(stderr).not.toContain(key)
  return stderr
}

const refused = (status: number, message: string): Presence => {
  const type = status === 404 ? "not_found_error" : "authentication_error"
  return () => ({ status, body: { type: "error", error: { type, message } } })
}

const services = [
  ["anthropic", {}],
  ["openai", { DD_OPENAI_API: "responses" }],
  ["openai", { DD_OPENAI_API: "chat" }],
  ["openai", { DD_OPENAI_API: "chat", DD_OPENAI_SERVER: "ollama" }]
] as const

for (const [backend, env] of services) {
  const asking = ["--backend", backend, "--model", "m-1"]
  describe(`a service that refuses (${[backend, ...Object.values(env)].join(", ")})`, () => {
    test("is asked whether it takes the key before any agent is", async () => {
      await using at = await world(fine, refused(401, "invalid key"))
      const ended = await at.review(asking, env)
      expect(ended.status).toBe(3)
      expect(oneSentence(ended)).toContain("_API_KEY")
      expect(at.asked).toEqual([])
    })

    test("is asked whether it has the model", async () => {
      await using at = await world(fine, refused(404, "model: m-1"))
      const ended = await at.review(asking, env)
      expect(ended.status).toBe(3)
      expect(oneSentence(ended)).toContain("--model")
      expect(at.asked).toEqual([])
    })

    test("is asked once where it offers no such question, whatever then refuses", async () => {
      for (const status of [401, 403, 404]) {
        await using at = await world(() => ({ trouble: { status, message: "no" } }), refused(404, "not found"))
        const ended = await at.review(asking, env)
        expect(ended.status).toBe(3)
        expect(oneSentence(ended)).toContain(`HTTP ${status}`)
        expect(at.asked).toHaveLength(1)
      }
    })

    test("ends the run where nobody answers at its address", async () => {
      await using at = await world()
      const nobody = "http://127.0.0.1:9"
      const ended = await at.review(asking, {
        ...env,
        DD_ANTHROPIC_BASE_URL: nobody,
        DD_OPENAI_BASE_URL: `${nobody}/v1`
      })
      expect(ended.status).toBe(3)
      expect(oneSentence(ended)).toContain(nobody)
    })

    test("is not taken for refusing because it has another answer to the question", async () => {
      for (const status of [403, 404, 405, 500]) {
        await using at = await world(fine, () => ({ status, body: "Cannot GET /v1/models/m-1" }))
        expect((await at.review([...asking, "--format", "json"], env)).status).toBe(0)
      }
    })
  })
}

describe("a cloud that refuses", () => {
  test("is asked once: it offers no question that is free", async () => {
    await using at = await world()
    for (const status of [401, 403, 404]) {
      let asked = 0
      const server = await startBedrock(() => {
        asked++
        return { trouble: { status, message: "You don't have access to the model." } }
      })
      at.config(
        `backend = "anthropic"\nmodel = "m-1"\n\n[anthropic]\nat = "bedrock"\nregion = "us-east-1"\nbase_url = "${server.url}"\n`
      )
      const own = { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey, DD_ANTHROPIC_BASE_URL: server.url }
      const ended = await at.review([], own)
      await server.close()
      expect(ended.status).toBe(3)
      expect(oneSentence(ended)).toContain(status === 404 ? "--model" : "your credentials for bedrock")
      expect(asked).toBe(1)
    }
  })

  test("is refused without credentials", async () => {
    await using at = await world()
    at.config(
      'backend = "anthropic"\nmodel = "m-1"\n\n[anthropic]\nat = "vertex"\nregion = "us-east5"\nproject = "p"\n'
    )
    const ended = await at.review([], { GOOGLE_APPLICATION_CREDENTIALS: "/nonexistent.json" })
    expect(ended.status).toBe(3)
    expect(oneSentence(ended)).toContain("your credentials for vertex")
  })
})

describe("a run that a backend refuses", () => {
  test("leaves what an earlier run left, and says in the stream that it failed", async () => {
    await using at = await world(fine, refused(401, "invalid key"))
    await at.review(["--backend", "static"])
    const ended = await at.review(["--backend", "anthropic", "--format", "jsonl"])
    expect(ended.status).toBe(3)
    expect(ended.stdout.trim().split("\n").at(-1)).toContain("BackendRefused")
    expect(existsSync(join(at.repository.root, ".daydream", "deep", "merged-items.json"))).toBe(true)
  })

  test("asks nobody for a preview", async () => {
    await using at = await world(fine, () => {
      throw new Error("asked")
    })
    const { status, stdout } = await at.review(["--backend", "anthropic", "--preview"])
    expect(status).toBe(0)
    expect(stdout).not.toContain("Reviewed by")
    expect(at.asked).toEqual([])
  })

  test("goes on with who stands in, and says so once", async () => {
    await using at = await world(fine, ({ path }) =>
      path.endsWith("m-1") ? { status: 401, body: { error: { message: "invalid key" } } } : { status: 200, body: {} }
    )
    at.config(
      'backend = "anthropic"\nmodel = "m-1"\nfallback = ["openai"]\n\n[openai]\nmodel = "m-2"\napi = "responses"\n'
    )
    const { status, stdout } = await at.review(["--format", "json"])
    expect(status).toBe(0)
    const result = JSON.parse(stdout)
    const standing = result.degraded.filter(({ detail }: { detail: string }) => detail.includes("is asked instead"))
    expect(standing).toHaveLength(1)
    expect(at.asked.every(({ protocol }) => protocol === "responses")).toBe(true)
    expect(result.notes[0]).toContain("Reviewed by openai (m-2)")
  })

  test("goes on where one that has answered refuses later, and is partial", async () => {
    await using at = await world((asked, nth) =>
      JSON.stringify(asked.tools).includes("submit_review") &&
      asked.told.includes("\nb.go (added") &&
      !asked.told.includes("a.py (added")
        ? { trouble: { status: 403, message: "no" } }
        : fine(asked, nth)
    )
    const { status, stdout } = await at.review(["--backend", "anthropic", "--format", "json"])
    expect(status).not.toBe(3)
    const result = JSON.parse(stdout)
    expect(result.status).toBe("partial")
    expect(result.degraded.map(({ error }: { error: string }) => error)).toContain("BackendFailed")
  })
})

describe("a backend that is not set up", () => {
  for (const name of cliNames) {
    test(`${name} that is not installed ends the run with 2, in a preview too`, async () => {
      await using at = await world()
      for (const more of [[], ["--preview"], ["--shallow"]]) {
        const ended = await at.review(["--backend", name, ...more])
        expect(ended.status).toBe(2)
        expect(oneSentence(ended)).toContain(`no program called ${name} on PATH`)
      }
    })

    test(`${name} that refuses ends the run with 3 after one process`, async () => {
      await using at = await world()
      const cli = install(at.bin, name, "refused", replies)
      const ended = await at.review(["--backend", name])
      expect(ended.status).toBe(3)
      expect(oneSentence(ended)).toContain("Not logged in")
      expect(cli.turns()).toBe(1)
    })
  }

  test("is replaced by its stand-in, and named once", async () => {
    await using at = await world()
    at.config('backend = "claude"\nfallback = ["anthropic"]\n')
    const { status, stderr, stdout } = await at.review(["--format", "json"])
    expect(status).toBe(0)
    expect(stderr.split("no program called claude")).toHaveLength(2)
    const result = JSON.parse(stdout)
    expect(result.degraded.filter(({ error }: { error: string }) => error === "BackendNotReady")).toHaveLength(1)
    expect(result.notes[0]).not.toContain("claude (")
    expect(result.notes[0]).toContain("Reviewed by anthropic")
  })

  test("for a phase of its own ends the run before the others are asked", async () => {
    await using at = await world()
    at.config('backend = "anthropic"\n\n[phases.arbiter]\nbackend = "claude"\n')
    const ended = await at.review([])
    expect(ended.status).toBe(2)
    expect(oneSentence(ended)).toContain("claude")
    expect(at.asked).toEqual([])
  })

  test("is a model without a price where the cost is limited", async () => {
    await using at = await world()
    install(at.bin, "codex", "answer", replies)
    for (const asking of [
      ["--backend", "anthropic", "--model", "m-1"],
      ["--backend", "openai", "--model", "m-1"],
      ["--backend", "codex"]
    ]) {
      const ended = await at.review([...asking, "--max-cost", "1"])
      expect(ended.status).toBe(2)
      expect(oneSentence(ended)).toContain("--max-cost needs")
    }
    expect(at.asked).toEqual([])
    writeFileSync(join(at.home, ".daydream", "prices.toml"), '[prices."m-1"]\ninput = 1\noutput = 1\n')
    const { status } = await at.review(["--backend", "anthropic", "--model", "m-1", "--max-cost", "1"])
    expect(status).toBe(0)
  })
})

describe("who reviewed", () => {
  test("is named only where it answered about files", async () => {
    await using at = await world((asked, nth) =>
      JSON.stringify(asked.tools).includes("submit_review")
        ? { trouble: { status: 400, message: "no" } }
        : fine(asked, nth)
    )
    const { status, stdout } = await at.review(["--backend", "anthropic", "--format", "json"])
    expect(status).toBe(4)
    expect(JSON.parse(stdout).notes[0]).toMatch(/^Reviewed by static checks alone: .*; no model reviewed\.$/)
  })

  test("is whom the review that is taken up names", async () => {
    await using at = await world()
    at.config('[openai]\nmodel = "m-1"\n')
    await at.review(["--backend", "openai"])
    for (const backend of ["static", "openai"])
      for (const startAt of ["merge", "fix"]) {
        const { stdout } = await at.review(["--backend", backend, "--start-at", startAt, "--format", "json"])
        const { notes, run } = JSON.parse(stdout)
        expect(notes[0]).toContain("Reviewed by openai (m-1) and by static checks")
        expect(run).toMatchObject({ backend, reviewed_by: ["openai (m-1)"] })
      }
    await at.review(["--backend", "static"])
    const { stdout } = await at.review(["--backend", "static", "--start-at", "fix", "--format", "json"])
    expect(JSON.parse(stdout).notes[0]).toStartWith("Static checks only: ")
  })

  test("is the program that answers, not one that was removed", async () => {
    await using at = await world()
    install(at.bin, "claude", "answer", replies)
    const { stdout } = await at.review(["--backend", "claude", "--format", "json"])
    expect(JSON.parse(stdout).notes[0]).toContain("Reviewed by claude and by static checks")
    rmSync(join(at.bin, "claude"))
    expect((await at.review(["--backend", "claude"])).status).toBe(2)
  })
})
