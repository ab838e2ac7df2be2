/**
 * Secretlint's detectors, embedded; loaded when the first text is searched.
 *
 * Of its preset, detectors are left out that read files by themselves, that a comment in the text can disable, and
 * those for which dd's own patterns are stricter (private keys, passwords in URLs).
 */
import { Effect, Layer } from "effect"
import { type DetectedSecret, DetectorFailed, SecretDetector } from "../../../services/secret/SecretDetector.ts"

const prefix = "@secretlint/secretlint-rule-"

const leftOut: ReadonlySet<string> = new Set(
  ["gcp", "filter-comments", "privatekey", "basicauth", "database-connection-string"].map((name) => prefix + name)
)

/** The name of each detector's token; a new detector of the library is named by its id. */
const names: Readonly<Record<string, string>> = {
  aws: "AWS secret key",
  npm: "npm token",
  slack: "Slack token",
  sendgrid: "SendGrid key",
  shopify: "Shopify token",
  stripe: "Stripe key",
  github: "GitHub token",
  gitlab: "GitLab token",
  grafana: "Grafana token",
  openai: "OpenAI API key",
  anthropic: "Anthropic API key",
  groq: "Groq API key",
  huggingface: "Hugging Face token",
  linear: "Linear API key",
  notion: "Notion token",
  "1password": "1Password token",
  "hashicorp-vault": "HashiCorp Vault token",
  vercel: "Vercel token",
  databricks: "Databricks token",
  docker: "Docker token",
  figma: "Figma token",
  cloudflare: "Cloudflare token",
  tailscale: "Tailscale key"
}

/** Identifiers, not secrets. */
const harmlessMessages: ReadonlySet<string> = new Set(["AWSAccountID", "AWSAccessKeyID"])

const load = () => Promise.all([import("@secretlint/core"), import("@secretlint/secretlint-rule-preset-recommend")])

export const layer = Layer.sync(SecretDetector, () => {
  // A promise, not a cached effect: the interruption of the first caller must not interrupt the others.
  let library: ReturnType<typeof load> | null = null
  const loaded = () => {
    library ??= load()
    return library
  }

  const detect = Effect.fn("SecretDetector.detect")(function* (path: string, text: string) {
    const { messages } = yield* Effect.tryPromise({
      try: () =>
        loaded().then(([{ lintSource }, { rules }]) =>
          lintSource({
            source: { filePath: path, content: text, contentType: "text", ext: "" },
            options: {
              noPhysicFilePath: true,
              maskSecrets: true,
              config: {
                rules: rules.flatMap((rule) => (leftOut.has(rule.meta.id) ? [] : [{ id: rule.meta.id, rule }]))
              }
            }
          })
        ),
      catch: (cause) => new DetectorFailed({ cause })
    })
    return messages.flatMap(({ messageId, range, ruleId }): ReadonlyArray<DetectedSecret> => {
      if (harmlessMessages.has(messageId)) return []
      const name = ruleId.slice(ruleId.lastIndexOf(prefix) + prefix.length)
      return [{ name: names[name] ?? `${name} token`, start: range[0], end: range[1] }]
    })
  })

  return SecretDetector.of({ detect })
})
