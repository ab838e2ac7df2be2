/** A backend that cannot answer, through the compiled binary: one sentence, once, before anything is spent. */
import { describe, expect, test } from "bun:test"
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { accessKey, secretKey, startBedrock } from "../support/bedrockServer.ts"
import { install, noFindings } from "../support/cli/install.ts"
import { cliNames } from "../support/cli/protocols.ts"
import { key, modelReviews, nameOf, services } from "../support/modelReviews.ts"
import { handing, type Presence, type Script, submitOf } from "../support/modelServer.ts"

/** Several languages: as many agents would be asked. */
const files = { "a.py": "x = 1\n", "b.go": "package b\n", "c.rb": "x = 1\n", "d.py": "y = 2\n" }
const allReviewed = {
  review: "Fine.",
  issues: [],
  coverage: Object.keys(files).map((path) => ({ path, status: "reviewed", reason: "" }))
}
const replies = { ...noFindings, StackReview: allReviewed }

/** Says that it has reviewed everything. */
const fine: Script = (asked, nth) =>
  asked.answer !== null && asked.tools.length === 0 && JSON.stringify(asked.answer).includes("coverage")
    ? { text: JSON.stringify(allReviewed) }
    : handing({ submit_review: allReviewed })(asked, nth)

const world = (script: Script = fine, presence?: Presence) =>
  modelReviews(
    (repository) => {
      repository.commit("Begin", { "README.md": "# Shop\n" })
      repository.branch("feature").commit("Add", files)
    },
    script,
    presence
  )

/** One line on standard error, and nothing on standard output. */
const oneSentence = ({ stderr, stdout }: { readonly stderr: string; readonly stdout: string }): string => {
  expect(stdout).toBe("")
  expect(stderr).toMatch(/^dd: error: [^\n]+\n$/)
  expect(stderr).not.toContain(key)
  return stderr
}

const refused = (status: number, message: string): Presence => {
  const type = status === 404 ? "not_found_error" : "authentication_error"
  return () => ({ status, body: { type: "error", error: { type, message } } })
}

const protocols = [
  ...services.map((service) => [nameOf(service), ...service, ""] as const),
  ["ollama", "openai", {}, '[openai]\nserver = "ollama"\n']
] as const

for (const [name, backend, env, config] of protocols) {
  const asking = ["--backend", backend, "--model", "m-1"]
  const configured = async (...given: Parameters<typeof world>) => {
    const at = await world(...given)
    at.config(config)
    return at
  }
  describe(`a service that refuses (${name})`, () => {
    test("is checked for accepting the key before any agent starts", async () => {
      await using at = await configured(fine, refused(401, "invalid key"))
      const ended = await at.review(asking, env)
      expect(ended.status).toBe(3)
      expect(oneSentence(ended)).toContain("_API_KEY")
      expect(at.asked).toEqual([])
    })

    test("is checked for having the model before any agent starts", async () => {
      await using at = await configured(fine, refused(404, "model: m-1"))
      const ended = await at.review(asking, env)
      expect(ended.status).toBe(3)
      expect(oneSentence(ended)).toContain("--model")
      expect(at.asked).toEqual([])
    })

    test("gets one request when it has no such check, and then refuses", async () => {
      for (const status of [401, 403, 404]) {
        await using at = await configured(() => ({ trouble: { status, message: "no" } }), refused(404, "not found"))
        const ended = await at.review(asking, env)
        expect(ended.status).toBe(3)
        expect(oneSentence(ended)).toContain(`HTTP ${status}`)
        expect(at.asked).toHaveLength(1)
      }
    })

    test("ends the run when it cannot be reached", async () => {
      await using at = await configured()
      const nobody = "http://127.0.0.1:9"
      const ended = await at.review(asking, {
        ...env,
        DD_ANTHROPIC_BASE_URL: nobody,
        DD_OPENAI_BASE_URL: `${nobody}/v1`
      })
      expect(ended.status).toBe(3)
      expect(oneSentence(ended)).toContain(nobody)
    })

    test("does not end the run by an unusual answer to the question", async () => {
      for (const status of [403, 404, 405, 500]) {
        await using at = await configured(fine, () => ({ status, body: "Cannot GET /v1/models/m-1" }))
        expect((await at.review(asking, env)).status).toBe(0)
      }
    })
  })
}

describe("a cloud that refuses", () => {
  test("gets one request: it has no free question", async () => {
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

  test("ends the run when there are no credentials", async () => {
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
  test("keeps the artifacts of the run before, and reports the failure in jsonl", async () => {
    await using at = await world(fine, refused(401, "invalid key"))
    await at.review(["--backend", "static"])
    const ended = await at.review(["--backend", "anthropic", "--format", "jsonl"])
    expect(ended.status).toBe(3)
    expect(ended.stdout.trim().split("\n").at(-1)).toContain("BackendRefused")
    expect(existsSync(join(at.repository.root, ".daydream", "deep", "merged-items.json"))).toBe(true)
  })

  test("sends no request for a preview", async () => {
    await using at = await world(fine, () => {
      throw new Error("asked")
    })
    const { status, stdout } = await at.review(["--backend", "anthropic", "--preview"])
    expect(status).toBe(0)
    expect(stdout).not.toContain("Reviewed by")
    expect(at.asked).toEqual([])
  })

  test("continues with its fallback, and reports that once", async () => {
    await using at = await world(fine, ({ path }) =>
      path.endsWith("m-1") ? { status: 401, body: { error: { message: "invalid key" } } } : { status: 200, body: {} }
    )
    at.config(
      'backend = "anthropic"\nmodel = "m-1"\nfallback = ["openai"]\n\n[openai]\nmodel = "m-2"\napi = "responses"\n'
    )
    const { result, status } = await at.report([])
    expect(status).toBe(0)
    const verified = result.degraded.filter(({ detail }: { detail: string }) => detail.includes("is used instead"))
    expect(verified).toHaveLength(1)
    expect(at.asked.every(({ protocol }) => protocol === "responses")).toBe(true)
    expect(result.notes[0]).toContain("Reviewed by openai (m-2)")
  })

  test("is partial when the backend refuses after its first answer", async () => {
    await using at = await world((asked, nth) =>
      submitOf(asked) === "submit_review" && asked.told.includes("# Profile: go")
        ? { trouble: { status: 403, message: "no" } }
        : fine(asked, nth)
    )
    const { result, status } = await at.report(["--backend", "anthropic"])
    expect(status).not.toBe(3)
    expect(result.status).toBe("partial")
    expect(result.degraded.map(({ error }: { error: string }) => error)).toContain("BackendFailed")
  })
})

describe("a backend that is not set up", () => {
  for (const name of cliNames) {
    test(`${name} that is not installed ends the run with 2, also a preview`, async () => {
      await using at = await world()
      for (const more of [[], ["--preview"], ["--shallow"]]) {
        const ended = await at.review(["--backend", name, ...more])
        expect(ended.status).toBe(2)
        expect(oneSentence(ended)).toContain(`${name} is not on PATH`)
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

  test("is replaced by its fallback, and reported once", async () => {
    await using at = await world()
    at.config('backend = "claude"\nfallback = ["anthropic"]\n')
    const { result, status, stderr } = await at.report([])
    expect(status).toBe(0)
    expect(stderr.split("claude is not on PATH")).toHaveLength(2)
    expect(result.degraded.filter(({ error }: { error: string }) => error === "BackendNotReady")).toHaveLength(1)
    expect(result.notes[0]).not.toContain("claude (")
    expect(result.notes[0]).toContain("Reviewed by anthropic")
  })

  test("for one phase ends the run before the others start", async () => {
    await using at = await world()
    at.config('backend = "anthropic"\n\n[phases.arbiter]\nbackend = "claude"\n')
    const ended = await at.review([])
    expect(ended.status).toBe(2)
    expect(oneSentence(ended)).toContain("claude")
    expect(at.asked).toEqual([])
  })

  test("is a model without a price under --max-cost", async () => {
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

describe("the reviewer in the headline", () => {
  test("is no backend that failed all its reviews", async () => {
    await using at = await world((asked, nth) =>
      submitOf(asked) === "submit_review" ? { trouble: { status: 400, message: "no" } } : fine(asked, nth)
    )
    const { result, status } = await at.report(["--backend", "anthropic"])
    expect(status).toBe(4)
    expect(result.notes[0]).toMatch(/^Static checks only: .*\. No model reviewed this change\.$/)
  })

  test("is the static checks when every call fails and they find nothing, with the failure on one line", async () => {
    await using at = await world(() => ({ trouble: { status: 400, message: "no such thing" } }))
    const { status, stdout } = await at.review(["--backend", "anthropic"])
    expect(status).toBe(4)
    const text = stdout.replaceAll(/\s+/g, " ")
    expect(text).toContain("Static checks only: ")
    expect(text).toContain("Static checks found nothing, and the model reviewed nothing: 4 changed files not read.")
    expect(text).not.toContain("Nothing was reviewed")
    expect(text.match(/no such thing/g)).toHaveLength(1)
    expect(text).toMatch(
      /reading the purpose of the change, looking for alternatives, reviewing files: the anthropic backend failed: .* \(\d+ times\)/
    )
  })

  test("is that of the resumed review", async () => {
    await using at = await world()
    at.config('[openai]\nmodel = "m-1"\n')
    await at.review(["--backend", "openai"])
    for (const backend of ["static", "openai"])
      for (const startAt of ["merge", "fix"]) {
        const { notes, run } = (await at.report(["--backend", backend, "--start-at", startAt])).result
        expect(notes[0]).toContain("Reviewed by openai (m-1) and by static checks")
        expect(run).toMatchObject({ backend, reviewed_by: ["openai (m-1)"] })
      }
    await at.review(["--backend", "static"])
    const { result } = await at.report(["--backend", "static", "--start-at", "fix"])
    expect(result.notes[0]).toStartWith("Static checks only: ")
  })

  test("is the CLI that answered, and a review without it ends with 2", async () => {
    await using at = await world()
    install(at.bin, "claude", "answer", replies)
    const { result } = await at.report(["--backend", "claude"])
    expect(result.notes[0]).toContain("Reviewed by claude and by static checks")
    rmSync(join(at.bin, "claude"))
    expect((await at.review(["--backend", "claude"])).status).toBe(2)
  })
})
