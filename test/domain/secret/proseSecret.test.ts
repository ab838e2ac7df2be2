import { describe, expect, test } from "bun:test"
import { quickRedaction } from "../../../src/domain/secret/quickRedaction.ts"
import { redactionOf } from "../../../src/domain/secret/Redaction.ts"

const redaction = redactionOf({ secrets: [], users: [] })
const typed = "S3cr3tP4ssw0rdXyz"
const generated = "aB3dE5gH7jK9mN1pQ3rS5tU7"
const marker = "[REDACTED_CREDENTIAL]"

/** `T` is a password that somebody chose, `G` one that a program made. */
const sentences = `
my password is T
Log in as bob, my password is T and the api key is G, then fix a.py
the password is: T.
Password for bob is "T"
the secret is T please use it
My wifi password was T!
use token G
here is the api key G
the access key for staging is G, as before
mot de passe : T
Passwort ist T
contraseña: T
a senha é T
пароль: T
パスワードは T です
密码是 T`
  .trim()
  .split("\n")

const ordinary = `
password is required
the password is base64-encoded
the password is argon2id
The secret is sunset42
the token is expired2024
The secret is v1.2.3-beta of the release
the token is src/tokens1/a1.ts
token kind SyntaxKind.Token12 of the parser
the token IdentifierName2Something is not one
Token is \`process.env.T1\`
a token of type Foo2Bar is parsed
the api key is \${API_KEY_2}
пароль не нужен
contraseña olvidada2`
  .trim()
  .split("\n")

describe("a secret in a sentence", () => {
  test("are hidden if they are a word with a number, or begin like a version or a type", () => {
    for (const [before, secret] of [
      ["my password is", "sunset42"],
      ["my password is", "X24IxyZ2i042Az"],
      ["use token", "u8Om4Mc7QzruZgOin7xEOuKc"],
      ["curl https://h/x?key=", "f7kVOXRWMy7SOFq0CYbAcsX4dwmvlpi8"]
    ] as const)
      expect(redaction.text(`${before} ${secret}`.replace("= ", "="))).not.toContain(secret)
  })

  for (const sentence of sentences) {
    test(`is hidden: ${sentence}`, () => {
      const text = sentence.replace(/\bT\b|(?<= )T(?= )/g, typed).replace(/\bG\b/g, generated)
      expect(redaction.text(text)).toBe(text.replaceAll(typed, marker).replaceAll(generated, marker))
      // The hook loads the whole redaction for it.
      expect(quickRedaction([text], [])).toBe(null)
    })
  }

  test("of a known format has the marker of keys", () => {
    // In two parts, so that no scanner takes this file for one that holds a credential.
    const key = ["ghp", "0123456789abcdefghijklmnopqrstuvwxyz"].join("_")
    expect(redaction.text(`The token ${key} is old`)).toBe("The token [REDACTED_API_KEY] is old")
  })

  for (const sentence of ordinary) {
    test(`is none: ${sentence}`, () => expect(redaction.text(sentence)).toBe(sentence))
  }
})
