import { describe, expect, test } from "bun:test"
import { rules } from "@secretlint/secretlint-rule-preset-recommend"
import { Effect } from "effect"
import { findSecrets, mayContainToken } from "../../../../src/domain/secret/Secret.ts"
import * as Secretlint from "../../../../src/layers/secret/secrets/Secretlint.ts"
import { redactorOf } from "../../../../src/services/secret/Redactor.ts"
import { SecretDetector } from "../../../../src/services/secret/SecretDetector.ts"
import { it } from "../../../support/effect.ts"

/** Pieces, so that no line of this file is itself a credential to a scanner. */
const joined = (...pieces: ReadonlyArray<string>): string => pieces.join("")
const random = "q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKpR0tY"
const long = random.repeat(4)

/** JSON whose base64 ends in `fQ==`, as such tokens do. */
const account = (pad: string) => JSON.stringify({ email: `${pad}@1password.example`, secretKey: long.slice(0, 100) })
const opsBody = ["a", "ab", "abc"].map((pad) => btoa(account(pad))).find((body) => body.endsWith("fQ==")) ?? ""

/** A token of each detector that dd relies on the library for. */
const tokens: Readonly<Record<string, string>> = {
  linear: joined("lin_a", "pi_", random),
  notion: joined("nt", "n_48203957162", random.slice(0, 35)),
  groq: joined("gs", "k_", long.slice(0, 52)),
  grafana: joined("gl", "sa_", random.slice(0, 32), "_1a2b3c4d"),
  "1password": joined("op", "s_", opsBody),
  "hashicorp-vault": joined("hv", "b.", long.slice(0, 150)),
  vercel: joined("vc", "p_", random),
  docker: joined("dckr_", "pat_", random.slice(0, 27)),
  figma: joined("fig", "d_", random),
  cloudflare: joined("cf", "ut_", random.slice(0, 40), "1a2b3c4d"),
  tailscale: joined("tskey", "-auth-", random.slice(0, 12), "-", random.slice(0, 32)),
  aws: joined("aws_secret_access_", "key = ", random.slice(0, 40))
}

/** Those for which dd's own patterns claim by themselves, or which are left out on purpose. */
const own = new Set(
  "gcp privatekey npm basicauth slack sendgrid shopify stripe github gitlab openai anthropic huggingface database-connection-string databricks filter-comments".split(
    " "
  )
)

const { text } = redactorOf({})

const detect = (text: string, path = "src/a.ts") =>
  SecretDetector.use((detector) => detector.detect(path, text)).pipe(Effect.provide(Secretlint.layer))

describe("the secret detector", () => {
  for (const [name, token] of Object.entries(tokens)) {
    it.live(`recognises a token of ${name}, and no report prints it`, () =>
      Effect.gen(function* () {
        const line = `const value = "${token}"`
        expect({ [name]: mayContainToken(line) }).toEqual({ [name]: true })
        const found = yield* detect(name === "aws" ? token : line)
        expect({ [name]: found.length }).toEqual({ [name]: 1 })
        expect(text(line)).not.toContain(token.slice(-20))
      })
    )
  }

  test("has a name for every detector of the library: a new one needs an example here and a row in tokenFormats.ts", () => {
    const detectors = rules.map(({ meta }) => meta.id.replace("@secretlint/secretlint-rule-", ""))
    expect(detectors.filter((name) => !own.has(name) && tokens[name] === undefined)).toEqual([])
  })

  it.live("reads a registry token where it means one", () =>
    Effect.gen(function* () {
      const line = joined("//npm.example.com/:_auth", "Token=4f9c1b7e-8d2a-4e6b-9c3f-7a5d0e1b2c8d")
      expect((yield* detect(line, ".npmrc")).map(({ name }) => name)).toEqual(["npm token"])
    })
  )

  it.live("cannot be switched off by a comment in the text", () =>
    Effect.gen(function* () {
      const found = yield* detect(`// secretlint-disable\n${tokens.linear} // secretlint-disable-line\n`)
      expect(found.map(({ name }) => name)).toEqual(["Linear API key"])
    })
  )

  it.live("reports the place of the token, and nothing of its text", () =>
    Effect.gen(function* () {
      const token = tokens.figma ?? ""
      const [found] = yield* detect(`a = 1\nb = "${token}"\n`)
      expect(found).toEqual({ name: "Figma token", start: 11, end: 11 + token.length })
    })
  )

  it.live("reads hostile lines within its limits", () =>
    Effect.gen(function* () {
      const lines = ["ghs_1_a.", "hvb.", "lin_api_", "xoxb-a-", "SG.a.", "_authToken=", "mongodb://a:b@"].map((piece) =>
        piece.repeat(Math.floor(5_000 / piece.length))
      )
      expect(yield* detect(lines.join("\n"))).toBeArray()
    })
  )

  test("does not take placeholders, names and test keys to it", () => {
    for (const line of [
      "const prefix = 'dckr_pat_'",
      joined("sk_te", `st_${random}`),
      "gsk_helper(x)",
      "vcp_count = 1"
    ]) {
      expect({ [line]: mayContainToken(line) || findSecrets(line).length > 0 }).toEqual({ [line]: false })
    }
  })
})
