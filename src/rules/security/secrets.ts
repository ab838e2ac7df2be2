/** Credentials on added lines. The text of a secret never enters a claim. */
import { addedLines, longestLine } from "../../domain/finding/Claims.ts"
import type { Claim, DetectorRule, LineRule, RuleFile } from "../../domain/finding/Rule.ts"
import { findSecrets, type Secret, type SecretKind } from "../../domain/secret/Secret.ts"
import { isMovedLine } from "../movedLine.ts"

const prose = /\.(?:md|mdx|rst|adoc|txt|html?)$/i
const generated =
  /(?:^|\/)(?:package-lock\.json|[\w.-]+\.lock|pnpm-lock\.yaml|go\.sum)$|\.min\.(?:js|css)$|\.map$|\.svg$/

/** Lock files and the like are full of what looks like a token and is none. */
export const isFullOfHashes = (path: string): boolean => generated.test(path)

const found = new WeakMap<RuleFile, ReadonlyMap<number, ReadonlyArray<Secret>>>()

/** Secrets by added line: looked for once, as each rule below asks for its own kind on every line. */
const secretsIn = (file: RuleFile): ReadonlyMap<number, ReadonlyArray<Secret>> => {
  let byLine = found.get(file)
  if (byLine === undefined) {
    const lines = isFullOfHashes(file.path) ? [] : addedLines(file.diff)
    byLine = new Map(
      lines.flatMap(({ line, text }) => {
        const secrets = text.length > longestLine ? [] : findSecrets(text)
        return secrets.length === 0 ? [] : [[line, secrets] as const]
      })
    )
    found.set(file, byLine)
  }
  return byLine
}

/** A claim for the first secret of this kind on the line, named for what it opens. */
const claimSecret =
  (wanted: SecretKind, sentence: (secret: Secret) => string) =>
  (text: string, line: number, file: RuleFile): boolean | Claim => {
    const secret = secretsIn(file)
      .get(line)
      ?.find(({ kind }) => kind === wanted)
    return secret === undefined || isMovedLine(file, text) ? false : { line, title: sentence(secret) }
  }

/** Pieces, so that no example in this file is itself a credential to a scanner. */
const joined = (...pieces: ReadonlyArray<string>): string => pieces.join("")
const body = "MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49"
const keyBlock = (kind: string) =>
  joined("-----BEGIN ", kind, "PRIVATE KEY-----\n", body, "\n", body, "\n-----END ", kind, "PRIVATE KEY-----\n")

export const secretRules: ReadonlyArray<LineRule> = [
  {
    _tag: "Line",
    id: "secret/private-key",
    stack: "generic",
    severity: "high",
    confidence: "HIGH",
    title: "A private key stands in the code",
    why: "Once committed, whoever can read the repository or any clone of it holds the key, and deleting it later leaves it in history.",
    fix: "Load it from a secret store or from a file outside the repository; if it was ever pushed, revoke it and issue a new one.",
    reference: "CWE-321",
    inTests: false,
    check: (text, line, file) => {
      if (!text.includes("PRIVATE KEY-----") || !text.includes("-----BEGIN")) return false
      const following = file.head?.slice(line, line + 100) ?? hunkLinesAfter(file, line)
      const found = findSecrets([text, ...following].join("\n")).some(
        ({ kind, start }) => kind === "private-key" && start < text.length
      )
      return found && !isMovedLine(file, text)
    },
    examples: {
      path: "config/server.key",
      bad: [keyBlock("RSA "), keyBlock("OPENSSH "), keyBlock(""), `key = """${keyBlock("EC ")}"""\n`],
      good: [
        joined('if line == "-----BEGIN ', 'PRIVATE KEY-----":\n    load(line)\n'),
        keyBlock("").replaceAll("PRIVATE", "PUBLIC"),
        joined("-----BEGIN ", "PRIVATE KEY-----\n...\n-----END ", "PRIVATE KEY-----\n")
      ]
    }
  },
  {
    _tag: "Line",
    id: "secret/provider-token",
    stack: "generic",
    severity: "high",
    confidence: "HIGH",
    title: "A service credential stands in the code",
    why: "Its format is that of a live credential of the service. Leaked ones are found by scanners within minutes, and history keeps them.",
    fix: "Read it from the environment or a secret store; if it was ever pushed, revoke it at the service and issue a new one.",
    reference: "CWE-798",
    inTests: false,
    check: claimSecret("provider-token", ({ name }) => `${article(name)} stands in the code`),
    examples: {
      path: "src/client.ts",
      bad: [
        joined('const token = "gh', 'p_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"\n'),
        joined("aws_access_key_id = AK", "IAQ4T7ZMNB2XWPL6RC\n"),
        joined('stripe("sk_li', 've_4eC39HqLyjWDarjtT1zdp7dc")\n'),
        joined('log("done\\ngh', 'p_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5")\n'),
        joined('print("\\x1b[33mAK', 'IAQ4T7ZMNB2XWPL6RC")\n'),
        joined("https://api.acme.io/?q=a%20gh", "p_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5\n"),
        joined("_authToken=np", "m_q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKp\n"),
        joined('key: "sk-a', 'nt-api03-q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKp-AA"\n')
      ],
      good: [
        joined("AK", "IAIOSFODNN7EXAMPLE\n"),
        joined('const token = "gh', 'p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"\n'),
        "const token = process.env.GITHUB_TOKEN\n",
        '<div class="sk-folding-cube-animation-with-a-long-name">\n',
        joined('stripe("sk_te', 'st_4eC39HqLyjWDarjtT1zdp7dc")\n')
      ]
    }
  },
  {
    _tag: "Line",
    id: "secret/google-api-key",
    stack: "generic",
    severity: "medium",
    confidence: "MEDIUM",
    title: "A Google API key stands in the code",
    why: "A key in a browser bundle may be meant to be public (Firebase), but one without an HTTP referrer or API restriction can be billed by anybody.",
    fix: "Restrict the key to its referrers and APIs, or read it from the environment and rotate this one.",
    reference: "CWE-798",
    inTests: false,
    check: claimSecret("google-api-key", () => "A Google API key stands in the code"),
    examples: {
      path: "src/maps.ts",
      bad: [
        joined('const key = "AI', 'zaSyB7q8Zr2LmX0vB9nT4kW9sH1dJ6yU3cF5x"\n'),
        joined("MAPS_KEY=AI", "zaSyC7q8Zr2LmX0vB9nT4kW9sH1dJ6yU3cF5x\n"),
        joined("https://maps.googleapis.com/maps/api/js?key=AI", "zaSyD7q8Zr2LmX0vB9nT4kW9sH1dJ6yU3cF5x\n")
      ],
      good: [
        joined('const key = "AI', 'zaXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX"\n'),
        "const key = import.meta.env.VITE_MAPS_KEY\n",
        "const prefix = 'AIza'\n"
      ]
    }
  },
  {
    _tag: "Line",
    id: "secret/hardcoded-credential",
    stack: "generic",
    severity: "medium",
    confidence: "MEDIUM",
    title: "A credential is written into the source",
    why: "The value looks random rather than like a name or a placeholder, so it may be live; everyone with the source then holds it.",
    fix: "Read it from the environment or a secret store, and rotate the value if it was ever real.",
    reference: "CWE-798",
    inTests: false,
    check: (text, line, file) =>
      prose.test(file.path)
        ? false
        : claimSecret("credential", ({ name }) => `${article(name)} is written into the source`)(text, line, file),
    examples: {
      path: "src/settings.py",
      bad: [
        joined("DB_PASS", 'WORD = "v9#Tq2!mZr4x"\n'),
        joined("api_", 'key = "q8Zr2LmX0vB7nT4kW9sH1dJ6"\n'),
        joined('{"client_', 'secret": "Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2e"}\n'),
        joined("aws_secret_access_", "key: 'h7Gk2LmX0vB/nT4kW9sH1dJ6yU3cF5gA2eKp+Qz1'\n")
      ],
      good: [
        'password = os.environ["DB_PASSWORD"]\n',
        'password = "changeme123!"\n',
        'token = "next-page-token"\n',
        "secret: ${SECRET_KEY_BASE}\n",
        '<input name="password" type="password" autocomplete="current-password">\n',
        'api_key = "YOUR_API_KEY_1234567890"\n',
        'token_url = "https://auth.acme.io/oauth2/v2.0/token"\n',
        'primary_key = "8b5f0a9c4d1e2f3a4b5c"\n'
      ]
    }
  },
  {
    _tag: "Line",
    id: "secret/url-password",
    stack: "generic",
    severity: "medium",
    confidence: "MEDIUM",
    title: "A URL carries a password",
    why: "The password travels with the source and into every log line that prints the URL.",
    fix: "Build the URL from a secret read at run time, and rotate this password.",
    reference: "CWE-798",
    inTests: false,
    check: (text, line, file) =>
      prose.test(file.path) ? false : claimSecret("url-password", () => "A URL carries a password")(text, line, file),
    examples: {
      path: "src/database.rb",
      bad: [
        joined('connect "postgres://app:', 'Zk39fjQ2xw@db.prod.acme.io:5432/app"\n'),
        joined("git clone https://ci-bot:", "f83kD02mZq7L@git.acme.io/app.git\n"),
        joined('url = "amqps://worker:', '9sHq21dJ6y@mq.acme.io/jobs"\n')
      ],
      good: [
        'connect "postgres://postgres:postgres@localhost:5432/app"\n',
        'connect "postgres://#{user}:#{password}@db.acme.io/app"\n',
        "https://user:password@example.com/\n",
        "redis://:foobared@cache.acme.io:6379\n",
        "git clone ssh://git@git.acme.io:2222/app.git\n"
      ]
    }
  }
]

/** Asked of a library that is kept up to date with the forms of the services' tokens. */
export const detectorRules: ReadonlyArray<DetectorRule> = [
  {
    _tag: "Detector",
    id: "secret/known-token",
    stack: "generic",
    severity: "high",
    confidence: "HIGH",
    title: "A token of a known service stands in the code",
    why: "Its form is one that only this service gives out; once committed, whoever can read the repository or any clone of it can use it.",
    fix: "Revoke the token where it was issued, and read a new one from the environment or a secret store.",
    reference: "CWE-798",
    inTests: false,
    examples: {
      path: "src/settings.ts",
      bad: [
        joined('const key = "lin_a', 'pi_9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT9uV8wX7yZ6"\n'),
        joined('log("key\\tlin_a', 'pi_9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT9uV8wX7yZ6")\n'),
        joined("NOTION=nt", "n_48203957162Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKpq\n"),
        joined("client = Groq(api_key='gs", "k_q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKpq8Zr2LmX0vB7nT4k')\n"),
        joined("aws_secret_access_", "key = h7Gk2LmX0vB/nT4kW9sH1dJ6yU3cF5gA2eKp+Qz1\n"),
        joined('figma: "figd', '_Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKp-q8Zr2LmX"\n')
      ],
      good: [
        joined('const key = "lin_a', 'pi_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"\n'),
        "//npm.example.com/:_authToken=${NPM_TOKEN}\n",
        "const prefix = 'dckr_pat_'\n",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n",
        "vcp_allocation_strategy_for_large_pools = 3\n"
      ]
    }
  }
]

const article = (name: string): string => `${/^[aeiou]/i.test(name) ? "An" : "A"} ${name}`

const hunkLinesAfter = (file: RuleFile, line: number): ReadonlyArray<string> =>
  file.diff.hunks
    .flatMap((hunk) => hunk.lines)
    .filter(({ newLine }) => newLine !== null && newLine > line && newLine <= line + 100)
    .map(({ text }) => text)
