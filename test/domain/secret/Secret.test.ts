import { describe, expect } from "bun:test"
import { plainRedaction } from "../../../src/domain/secret/Redaction.ts"
import { findSecrets } from "../../../src/domain/secret/Secret.ts"
import { tokenFormats } from "../../../src/domain/secret/tokenFormats.ts"
import { it } from "../../support/effect.ts"
import { hostilePieces, repeated, secretPieces } from "../../support/hostileSecrets.ts"
import { sampleOf } from "../../support/sampleOf.ts"
import { madeTokens } from "../../support/tokenShapes.ts"

// In pieces, so that this file holds no credential itself.
const joined = (...pieces: ReadonlyArray<string>): string => pieces.join("")
const github = joined("gh", "p_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5")
const material = "MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49"
const pem = (kind: string) =>
  `-----BEGIN ${kind}PRIVATE KEY-----\n${material}\n${material}\n-----END ${kind}PRIVATE KEY-----`

describe("findSecrets", () => {
  const claimed: ReadonlyArray<readonly [string, string]> = [
    [github, "GitHub token"],
    [
      joined("github", "_pat_11AQZWSXE0mKpLoTrVbNyU_", "q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKpq8Zr2LmX0vB7nT4kW9sH1dJ"),
      "GitHub token"
    ],
    [joined("AK", "IAQ4T7ZMNB2XWPL6RC"), "AWS access key"],
    [joined("xo", "xb-263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1"), "Slack token"],
    [joined("https://hooks.sl", "ack.com/services/T0Q4T7ZMN/B2XWPL6RC/q8Zr2LmX0vB7nT4kW9sH1dJ6"), "Slack webhook"],
    [joined("sk", "-ant-api03-q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKp-AA"), "Anthropic API key"],
    [joined("sk", "-proj-q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKp"), "OpenAI API key"],
    [joined("sk_li", "ve_4eC39HqLyjWDarjtT1zdp7dc"), "Stripe live key"],
    [joined("np", "m_q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKp"), "npm token"],
    [joined("S", "G.q8Zr2LmX0vB7nT4kW9sH1d.J6yU3cF5gA2eKpq8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF"), "SendGrid key"],
    [joined("gl", "pat-q8Zr2LmX0vB7nT4kW9sH"), "GitLab token"],
    [pem("EC "), "private key"],
    [pem("OPENSSH "), "private key"],
    [joined("DB_PASS", 'WORD = "v9#Tq2!mZr4x"'), "password"],
    [joined("pass", "word=Zk39fjQ2xw7T"), "password"],
    [joined("client_", "secret=q8Zr2LmX0vB7nT4kW9sH1dJ6"), "secret"],
    [joined("ey", `JhbGciOiJIUzI1NiJ9.${btoa('{"sub":"82559"}')}.q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA`), "JSON Web Token"],
    [joined("Authorization: Bea", "rer q8Zr2LmX0vB7nT4kW9sH1dJ6"), "token"],
    [joined("\n  api_", "key: q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA\n"), "API key"],
    [joined("\nSECRET_KEY_", `BASE=${"3f9a1c7be2d84065".repeat(8)}\n`), "API key"],
    [joined("ke", "y-3f9a1c7be2d840653f9a1c7be2d84065"), "Mailgun key"],
    [joined("dckr_", "pat_q8Zr2LmX0vB7nT4kW9sH1dJ6yU3"), "Docker token"],
    [joined("gl", "rt-q8Zr2LmX0vB7nT4kW9sH"), "GitLab token"],
    [joined("nf", "p_q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKp"), "Netlify token"],
    [joined("sntr", `yu_${"3f9a1c7be2d84065".repeat(4)}`), "Sentry user token"],
    [joined("q8Zr2LmX0vB7nT.atl", `asv1.${"q8Zr2LmX0v".repeat(7)}`.slice(0, 76)), "Terraform Cloud token"],
    [joined("ATA", `TT3${"q8Zr2LmX0v".repeat(19)}`.slice(0, 192)), "Atlassian token"],
    [joined("xa", `i-${"q8Zr2LmX0v".repeat(8)}`), "xAI API key"],
    [joined("AAAAq8Zr2Lm:AP", `A91b${"q8Zr2LmX0v".repeat(14)}`.slice(0, 140)), "Firebase Cloud Messaging key"],
    [joined("postgres://app:", "Zk39fjQ2xw@db.prod.acme.io/app"), "password in a URL"]
  ]
  for (const [text, name] of claimed) {
    it(`names a ${name} (${text.slice(0, 12)}...)`, () => {
      expect(findSecrets(`a ${text} b`).map((secret) => secret.name)).toEqual([name])
    })
  }

  it("reports its position", () => {
    const [secret] = findSecrets(`x = "${github}"`)
    expect(secret).toMatchObject({ start: 5, end: 5 + github.length })
  })

  const silent: ReadonlyArray<string> = [
    "",
    joined("AK", "IAIOSFODNN7EXAMPLE"),
    joined("Account", `Key=Eby8vdM02xNO${"q8Zr2LmX0v".repeat(8).slice(0, 74)}==`),
    joined("wJalrXUtnFEMI/K7MDENG/bPxRfiCY", "EXAMPLEKEY"),
    `gh${"p_"}${"x".repeat(36)}`,
    'password = "hunter2"',
    'password = "${DB_PASSWORD}"',
    'token: "<your token>"',
    "secret = os.environ['SECRET']",
    "sk-folding-cube-animation-with-a-very-long-class-name",
    'passwordless = "v9#Tq2!mZr4x"',
    'tokenizer = "q8Zr2LmX0vB7nT4kW9sH1dJ6"',
    'monkey = "q8Zr2LmX0vB7nT4kW9sH1dJ6"',
    'secret_name = "prod/database/main-2"',
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    `-----BEGIN CERTIFICATE-----\n${material}\n-----END CERTIFICATE-----`,
    joined("client_sec", 'ret = "0d6f7a7e-5d0c-4f0c-9c1e-2f6a5b8d9e01"'),
    joined("sk_te", "st_4eC39HqLyjWDarjtT1zdp7dc"),
    joined("pass", "word: summer2024"),
    joined("ph", "c_q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKpR0tYw"),
    joined("ey", `JhbGciOiJub25lIn0.${btoa('{"sub":"82559"}')}.q8Zr2LmX0vB7nT4kW9sH1dJ6`),
    "https://user:password@example.com/",
    "postgres://postgres:postgres@localhost:5432/app"
  ]
  for (const text of silent) {
    it(`is silent about ${JSON.stringify(text.slice(0, 60))}`, () => expect(findSecrets(text)).toEqual([]))
  }
})

describe("findSecrets and the redactor", () => {
  it("know the same formats: each is reported, except those of test keys and public ones", () => {
    for (const { claimed, name, pattern } of tokenFormats) {
      // The shortest that is hidden may be cut off, and is not reported.
      const rest = pattern.source.includes("{6,255}") ? "q8Zr2LmX0vB7nT4k" : ""
      const sample = `${sampleOf(pattern)}${rest}`
      const isReported = findSecrets(`x("${sample}")`).length > 0
      // The sample of a key in base64 is too short for one.
      if (claimed === undefined && !name.startsWith("private key"))
        expect([name, sample, isReported]).toEqual([name, sample, true])
      if (claimed === "none") expect([name, sample, isReported]).toEqual([name, sample, false])
    }
  })

  it("find made-up tokens of two hundred services, however they are written", async () => {
    const missed: Array<string> = []
    let lines = 0
    for (const seed of [11, 12, 13]) {
      for (const token of await madeTokens(seed)) {
        lines += token.lines.length
        missed.push(...token.lines.filter((line) => findSecrets(line).length === 0))
        for (const line of token.lines) {
          const hidden = plainRedaction.text(line)
          for (const { end, start } of findSecrets(line)) expect(hidden).not.toContain(line.slice(start, end))
        }
      }
    }
    expect(lines).toBeGreaterThan(3_000)
    expect(missed.length / lines).toBeLessThan(0.011)
  })
})

// A pattern that takes more than linear time does not come to an end here.
for (const piece of [...hostilePieces, ...secretPieces]) {
  it(`gets through two megabytes of ${JSON.stringify(piece)}`, () => {
    const text = repeated(piece, 2_000_000)
    expect(findSecrets(text).length).toBeLessThan(text.length / 16)
  })
}
