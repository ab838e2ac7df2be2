import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { plainRedaction, redactionOf } from "../../../src/domain/secret/Redaction.ts"
import { redactionStream } from "../../../src/domain/secret/RedactionStream.ts"
import { findSecrets } from "../../../src/domain/secret/Secret.ts"
import { it } from "../../support/effect.ts"
import { hostilePieces, repeated, secretPieces } from "../../support/hostileSecrets.ts"

const redact = plainRedaction.text

// In pieces, so that this file holds no credential itself.
const joined = (...pieces: ReadonlyArray<string>): string => pieces.join("")
const github = joined("gh", "p_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5")
const material = "MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49"
const pem = (kind: string) =>
  `-----BEGIN ${kind}PRIVATE KEY-----\n${material}\n${material}\n-----END ${kind}PRIVATE KEY-----`
/** Escapes of a character or a color. */
const escapes = [
  ..."\\n \\t \\r\\n \\b \\0 \\\\n \\u001b[33m \\x1b[33m \\e[1;33m \\033[31m \\u000a \\u{a} \\u003d".split(" "),
  ..."%20 %0A %1B%5B33m %2520 %E2%80%A6 &nbsp; &#10; \x1b[33m \x1b[38;5;196m\x1b[1m \x9b33m ^[[33m [33m <U+001B>[33m \x1b(B \\e(B =3D `n".split(
    " "
  )
]
const hidden = "[REDACTED_CREDENTIAL]"
const apiKey = "[REDACTED_API_KEY]"

const shows = (cases: ReadonlyArray<readonly [string, string]>) => {
  for (const [text, expected] of cases) {
    it(`shows ${JSON.stringify(text.slice(0, 70))} as ${JSON.stringify(expected.slice(0, 70))}`, () =>
      expect(redact(text)).toBe(expected))
  }
}

const leavesAlone = (texts: ReadonlyArray<string>) => {
  for (const text of texts)
    it(`leaves ${JSON.stringify(text.slice(0, 80))} alone`, () => expect(redact(text)).toBe(text))
}

describe("the seed's rules", () => {
  shows([
    ["https://me:hunter2@acme.io/x", `https://[REDACTED_USER]:${apiKey}@acme.io/x`],
    ["OPENAI_API_KEY=sk-1234567890", "OPENAI_API_KEY=[REDACTED_ENV_VAR]"],
    ["AUTHOR=me DB_PASSWORD=abc; ls", "AUTHOR=me DB_PASSWORD=[REDACTED_ENV_VAR]; ls"],
    ["sk-abcdef", apiKey],
    [joined("AK", "IAQ4T7ZMNB2XWPL6RC"), apiKey],
    ["eyJhbGciOi.eyJzdWIiOi.SflKxwRJ", "[REDACTED_JWT]"],
    ["a-eyJabcd.abcd.abcd b", "a-[REDACTED_JWT] b"],
    ["eyJhbGciOi.encrypted-key.some-iv.some-text.some-tag", "[REDACTED_JWT]"],
    ["/Users/alice/code/a.ts:3", "/Users/[REDACTED_USER]/code/a.ts:3"],
    ["at /home/alice/code/a.ts", "at /home/[REDACTED_USER]/code/a.ts"],
    ["file:///home/alice/a.ts", "file:///home/[REDACTED_USER]/a.ts"],
    ["C:\\Users\\alice\\a.ts", "C:\\Users\\[REDACTED_USER]\\a.ts"],
    ['"C:\\\\Users\\\\alice\\\\a.ts"', '"C:\\\\Users\\\\[REDACTED_USER]\\\\a.ts"'],
    ["API_KEY=\nNEXT=line", "API_KEY=\nNEXT=line"],
    // Two that overlap: the tail of the second must not show.
    ["X_KEY=https://u:pa;ss@acme.io", "X_KEY=[REDACTED_ENV_VAR]@acme.io"]
  ])

  for (const kind of ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "]) {
    it(`hides a private key of kind "${kind.trim()}", complete, cut, on one line and in a string`, () => {
      expect(redact(`a\n${pem(kind)}\nb`)).toBe("a\n[REDACTED_PEM_KEY]\n\n\n\nb")
      expect(redact(pem(kind).split("\n").slice(0, 3).join("\n"))).toBe("[REDACTED_PEM_KEY]\n\n")
      expect(redact(JSON.stringify({ key: pem(kind) }))).toBe('{"key":"[REDACTED_PEM_KEY]"}')
    })
  }

  for (const body of ["abc", "MIIEabcd", "MIIE...", "Proc-Type: 4,ENCRYPTED\n\nMIIEabcd"]) {
    it(`hides a complete private key as short as ${JSON.stringify(body)}`, () => {
      const block = `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`
      expect(redact(block)).toBe(`[REDACTED_PEM_KEY]${"\n".repeat(block.split("\n").length - 1)}`)
      expect(redact(JSON.stringify({ key: block }))).toBe('{"key":"[REDACTED_PEM_KEY]"}')
      expect(redact(block.replaceAll("\n", ""))).toBe("[REDACTED_PEM_KEY]")
    })
  }

  for (const body of ["", "\n...\n", "` and `", '" + key + "', "[\\s\\S]+?", "\n${KEY}\n", "\n<your key>\n"]) {
    const text = `-----BEGIN PRIVATE KEY-----${body}-----END PRIVATE KEY-----`
    it(`leaves ${JSON.stringify(text)} alone`, () => expect(redact(text)).toBe(text))
  }

  it("hides a private key that is encoded once more", () => {
    expect(redact(`key: ${btoa(pem("EC "))}`)).toBe(`key: ${apiKey}`)
  })
})

describe("what the original rules missed", () => {
  shows([
    ['{"password": "hunter2"}', `{"password": "${hidden}"}`],
    ["{'db_password': 'hunter2', 'user': 'me'}", `{'db_password': '${hidden}', 'user': 'me'}`],
    ["password: hunter2", `password: ${hidden}`],
    ["  - clientSecret: 'a b c'  # why", `  - clientSecret: '${hidden}'  # why`],
    ["token=abc", `token=${hidden}`],
    ["https://a.io/?access_token=a1b2c3&page=2", `https://a.io/?access_token=${hidden}&page=2`],
    ['PASSWORD="two words" next', 'PASSWORD="[REDACTED_ENV_VAR]" next'],
    ['password = "correct horse battery staple"', `password = "${hidden}"`],
    ['const apiKey: string = "q8Zr2LmX0vB7"', `const apiKey: string = "${hidden}"`],
    ['"{\\"password\\": \\"hunter2\\", \\"a\\": 1}"', `"{\\"password\\": \\"${hidden}\\", \\"a\\": 1}"`],
    ["<password>hunter2</password>", `<password>${hidden}</password>`],
    ['<add key="ApiKey" value="q8Zr2LmX0vB7" />', `<add key="ApiKey" value="${hidden}" />`],
    ["- name: DB_PASSWORD\n  value: hunter2", `- name: DB_PASSWORD\n  value: ${hidden}`],
    ["deploy --token a1b2c3d4 --dry-run", `deploy --token ${hidden} --dry-run`],
    ["curl -u admin:hunter2 https://a.io", `curl -u admin:${hidden} https://a.io`],
    ["machine a.io login me password hunter2", `machine a.io login me password ${hidden}`],
    ["CREATE USER a IDENTIFIED BY 'hunter2'", `CREATE USER a IDENTIFIED BY '${hidden}'`],
    ['os.environ.get("DB_PASSWORD") or "hunter2"', `os.environ.get("DB_PASSWORD") or "${hidden}"`],
    ["Authorization: Bearer abcdef0123456789", `Authorization: Bearer ${hidden}`],
    ['headers["Authorization"] = "Basic dXNlcjpwYXNz"', `headers["Authorization"] = "Basic ${hidden}"`],
    ["-H 'Authorization: token a1b2c3d4' -v", `-H 'Authorization: token ${hidden}' -v`],
    ["Proxy-Authorization: Basic dXNlcjpwYXNz", `Proxy-Authorization: Basic ${hidden}`],
    ["X-Api-Key: a1b2c3d4e5", `X-Api-Key: ${hidden}`],
    ["req.headers.set('X-Auth-Token', 'a1b2c3d4')", `req.headers.set('X-Auth-Token', '${hidden}')`],
    ["Cookie: sid=a1b2c3; theme=dark", `Cookie: ${hidden}`],
    [`Cookie: sid=a1b2c3\n${apiKey}`, `Cookie: ${hidden}\n${apiKey}`],
    [`Cookie: sid=${apiKey}; other=a1b2c3`, `Cookie: ${hidden}`],
    [`password = "Zk39fjQ2xw${apiKey}`, `password = "${hidden}${apiKey}`],
    ["-H 'Cookie: sid=a1b2c3' -v", `-H 'Cookie: ${hidden}' -v`],
    ['"Set-Cookie: sid=\\"a1b2\\"; Path=/"', `"Set-Cookie: ${hidden}"`],
    ["secret: |\n  line one\n  line two\nnext: 1", `secret: |\n  ${hidden}\n\nnext: 1`]
  ])

  shows([
    ["MY_AUTH: x", "MY_AUTH: [REDACTED_ENV_VAR]"],
    ['{"registry_auth": "abc"}', `{"registry_auth": "${hidden}"}`],
    ["registry_auth: abc", `registry_auth: ${hidden}`],
    ["db_password: abc", `db_password: ${hidden}`],
    ["  db_token: abc # local", `  db_token: ${hidden} # local`],
    ["  api_key: abc", `  api_key: ${hidden}`],
    ["db_password: abc-def", `db_password: ${hidden}`],
    ['{"registry_auth": "dXNlcjpwYXNz"}', `{"registry_auth": "${hidden}"}`],
    ["Authorization: Api-Token abc.def", `Authorization: Api-Token ${hidden}`],
    ["Authorization: SSWS abc", `Authorization: SSWS ${hidden}`],
    ['var xToken string = "a1b2c3d4"', `var xToken string = "${hidden}"`],
    [`pub const X_TOKEN: &'static str = "hunter2";`, `pub const X_TOKEN: &'static str = "${hidden}";`],
    ['let x_token = String::from("hunter2");', `let x_token = String::from("${hidden}");`],
    ['var xToken []byte = []byte("hunter2")', `var xToken []byte = []byte("${hidden}")`],
    ['xToken := []byte("hunter2")', `xToken := []byte("${hidden}")`],
    ['@api_token "hunter2"', `@api_token "${hidden}"`],
    ["curl -u u:p https://a.io", `curl -u u:${hidden} https://a.io`],
    ["curl -uu:hunter2 https://a.io", `curl -uu:${hidden} https://a.io`],
    ["curl -s -uadmin:hunter2 https://a.io", `curl -s -uadmin:${hidden} https://a.io`],
    ["curl -U u:hunter2 https://a.io", `curl -U u:${hidden} https://a.io`],
    ["curl --user=u:hunter2 https://a.io", `curl --user=u:${hidden} https://a.io`],
    ["curl --proxy-user u:hunter2", `curl --proxy-user u:${hidden}`],
    ['["curl", "-u", "u:hunter2"]', `["curl", "-u", "u:${hidden}"]`],
    ["curl https://a.io \\\n-  -u u:hunter2\nx", `curl https://a.io \\\n-  -u u:${hidden}\nx`],
    ["-Authorization: Bearer abcdef0123456789", `-Authorization: Bearer ${hidden}`],
    ["  -u u:hunter2 \\", `  -u u:${hidden} \\`],
    ['-H "X-Api-Key: hunter2"', `-H "X-Api-Key: ${hidden}"`],
    ["--header='X-Auth-Token: secretly'", `--header='X-Auth-Token: ${hidden}'`],
    ['["-H", "X-Auth-Token: hunter2"]', `["-H", "X-Auth-Token: ${hidden}"]`],
    ["Authorization: hunter2", `Authorization: ${hidden}`],
    ["-H 'Authorization: hunter2'", `-H 'Authorization: ${hidden}'`],
    ["https://hunter2token@github.com/x", `https://${apiKey}@github.com/x`],
    ["/c/Users/alice/x", "/c/Users/[REDACTED_USER]/x"],
    ["cd /mnt/c/Users/alice", "cd /mnt/c/Users/[REDACTED_USER]"],
    ["-v /home/alice:/home/alice", "-v /home/[REDACTED_USER]:/home/[REDACTED_USER]"],
    ["(/home/alice)", "(/home/[REDACTED_USER])"],
    ["curl -sSu u:p https://a.io", `curl -sSu u:${hidden} https://a.io`],
    ["cd /home/alice && ls", "cd /home/[REDACTED_USER] && ls"],
    ['"/home/alice"', '"/home/[REDACTED_USER]"'],
    ["a:x:1000:1000::/home/alice:/bin/bash", "a:x:1000:1000::/home/[REDACTED_USER]:/bin/bash"],
    ["ls /home/alice", "ls /home/[REDACTED_USER]"],
    ["HOME=/home/alice", "HOME=/home/[REDACTED_USER]"],
    ['"cwd": "/home/alice"', '"cwd": "/home/[REDACTED_USER]"'],
    ["- /home/alice:/data", "- /home/[REDACTED_USER]:/data"],
    ['{"password": 1234}', `{"password": ${hidden}}`],
    ["password: '1234'", `password: '${hidden}'`]
  ])

  const tokens: ReadonlyArray<string> = [
    joined("github", "_pat_11AQZWSXE0mKpLoTrVbNyU_q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKpq8Zr2LmX0vB7nT4kW9sH1dJ"),
    ...["gho_", "ghu_", "ghr_", "ghs_"].map((prefix) => `${prefix}aB3dE5fG7hI9`),
    ...["a", "b", "c", "d", "e", "o", "p", "r", "s"].map((kind) => `xox${kind}-123456-abcdef`),
    joined("sk", "-ant-api03-q8Zr2LmX0v"),
    joined("sk_li", "ve_4eC39HqLyjWDarjtT1zdp7dc"),
    joined("rk_te", "st_4eC39HqLyjWDarjtT1zdp7dc"),
    joined("AI", "zaSyB7q8Zr2LmX0vB9nT4kW9sH1dJ6yU3cF5x"),
    joined("https://hooks.sl", "ack.com/services/T0Q4T7ZMN/B2XWPL6RC/q8Zr2LmX0vB7nT4kW9sH1dJ6"),
    joined("np", "m_q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKp"),
    joined("pypi", "-AgEIcHlwaS5vcmcCJDU3ZjZhYmQ3LTBhZmMtNGFkMy1iYjY0LTQ1ZjZhYjY5"),
    joined("S", "G.q8Zr2LmX0vB7nT4kW9sH1d.J6yU3cF5gA2eKpq8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF"),
    joined("S", "K0123456789abcdef0123456789abcdef"),
    joined("AS", "IAQ4T7ZMNB2XWPL6RC"),
    `Account${"Key="}${"q8Zr2LmX".repeat(10)}q8Zr2L==`,
    joined("ke", "y-3f9a1c7be2d840653f9a1c7be2d84065"),
    joined("pu", "l-3f9a1c7be2d840653f9a1c7be2d840653f9a1c7b"),
    ...["fm2_", "fm1r_", "fm1a_", "fo1_"].map((prefix) => `${prefix}${"q8Zr2LmX0v".repeat(5)}`.slice(0, 47)),
    ...["sq0csp-", "sq0atp-"].map((prefix) => `${prefix}${"q8Zr2LmX0v".repeat(5)}`.slice(0, 50)),
    joined("EA", "AA", "q8Zr2LmX0v".repeat(6)),
    joined("SS", "WS 00q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKpq8Zr"),
    joined("MTIz", "NDU2Nzg5MDEyMzQ1Njc4.GaB3dE.q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2e")
  ]
  for (const token of tokens) {
    it(`hides ${token.slice(0, 16)}... wherever it is`, () => {
      for (const [before, behind] of [
        ["", ""],
        ["key=", "&a"],
        ['("', '")'],
        ["a-", " b"],
        ["ü", "ß"]
      ] as const) {
        expect(redact(`${before}${token}${behind}`)).not.toContain(token.slice(-8))
      }
    })
  }
})

describe("an assignment to the name of a secret", () => {
  const marker = "[REDACTED_ENV_VAR]"
  const values = "1234 hunter(2 open.sesame /abc/def p{assw0rd} $ecret99 abc x root !@#$%^ a(b)c".split(" ")
  for (const value of values) {
    it(`hides ${value}`, () => {
      for (const [before, behind] of [
        ["DB_PASSWORD=", ""],
        ["export DB_PASSWORD=", "  # why"],
        ["A=1 MY_SECRET=", " ./run"],
        ['{"env": ["API_TOKEN=', '", "B=1"]}'],
        ["-e API_TOKEN=", " image"],
        ['DB_PASSWORD="', '"'],
        ["x: a\\nDB_PASSWORD=", "\\nb"],
        ["A=1\0DB_PASSWORD=", "\0B=2"],
        ["${DB_PASSWORD:-", "}"]
      ] as const) {
        if (behind === "}" && value.includes("}")) continue
        expect(redact(before + value + behind)).toBe(before + marker + behind)
      }
    })
  }

  shows([
    ["MY_SECRET = abc", `MY_SECRET = ${marker}`],
    ["API_TOKEN= abcdefgh", `API_TOKEN= ${marker}`],
    ["export API_TOKEN= 'abcdefgh'", `export API_TOKEN= '${marker}'`],
    ["TOKEN=1", `TOKEN=${marker}`],
    ["DB_PASSWORD=0", `DB_PASSWORD=${marker}`],
    ["API_KEY=xx", `API_KEY=${marker}`],
    ["PASSWORD=12", `PASSWORD=${marker}`],
    ["MY_SECRET := abc", `MY_SECRET := ${marker}`],
    ["  - MY_SECRET: 1234 # why", `  - MY_SECRET: ${marker} # why`],
    ['X_TOKEN ?= "abc"', `X_TOKEN ?= "${marker}"`],
    ['  DB_PASSWORD: "/abc/def",', `  DB_PASSWORD: "${marker}",`],
    ["DB_PASSWORD = 'open.sesame'", `DB_PASSWORD = '${marker}'`],
    ["ENV DB_PASSWORD hunter2", `ENV DB_PASSWORD ${marker}`],
    ["ENV DB_PASSWORD open.sesame", `ENV DB_PASSWORD ${marker}`],
    ["setx DB_PASSWORD abc", `setx DB_PASSWORD ${marker}`],
    ["set -gx DB_PASSWORD abc", `set -gx DB_PASSWORD ${marker}`],
    ["--env=DB_PASSWORD=hunter2", `--env=DB_PASSWORD=${marker}`],
    ["Environment=DB_PASSWORD=hunter2", `Environment=DB_PASSWORD=${marker}`],
    [`DB_PASSWORD='a'"b"c; ls`, `DB_PASSWORD=${marker}; ls`],
    [`X_TOKEN='it'"'"'s hunter2' ls`, `X_TOKEN=${marker} ls`],
    [`X_TOKEN="open\\"s"esame'four three' ls`, `X_TOKEN=${marker} ls`],
    [`X_TOKEN="open"se\\ same ls`, `X_TOKEN=${marker} ls`],
    [`f(X_TOKEN="opensesame", B="c")`, `f(X_TOKEN="${marker}", B="c")`],
    ['"X_TOKEN=\'abc\'", "b"', `"X_TOKEN='${marker}'", "b"`],
    ["X_TOKEN=abc\\ hunter2", `X_TOKEN=${marker}`],
    [`DB_SECRET='{"user": "root", "pin": "hunter2"}'`, `DB_SECRET='${marker}'`],
    [`- DB_SECRET="{\\"user\\":\\"root\\"}"`, `- DB_SECRET="${marker}"`],
    [`DB_SECRET={${"a".repeat(300)}}`, `DB_SECRET=${marker}`],
    ["DB_SECRET={name}", "DB_SECRET={name}"],
    ["db_password=1234", `db_password=${hidden}`],
    ["spring.datasource.password=/abc/def", `spring.datasource.password=${hidden}`],
    ["password=$ecret99", `password=${hidden}`]
  ])

  for (const value of ["hunter(2", "p{assw0rd}", "$ecret99", "a(b)c", "hunter2!", "hunter:2"]) {
    it(`hides ${value} after spaces or a colon`, () => {
      for (const before of ["DB_PASSWORD: ", "MY_SECRET = ", "MY_SECRET := "])
        expect(redact(before + value)).toBe(before + marker)
      expect(redact(`{"DB_PASSWORD": "${value}"}`)).toBe(`{"DB_PASSWORD": "${hidden}"}`)
    })
  }

  const harmless = [
    "true false yes no on off none null nil undefined enabled disabled value",
    "... xxx *** --- <password> your-password YOUR_PASSWORD todo",
    "$OTHER $OTHER_2 $other $1 ${OTHER} ${OTHER:-} ${A}-${B} $(cat) %OTHER% #{other} {{other}} $env:OTHER $this->pass",
    "process.env.X settings.SECRET user.password get_secret(x) getenv( !Ref",
    "/run/secrets/db ~/secret ./secret ${HOME}/secret vault://a/b https://a.io/b"
  ].flatMap((values) => values.split(" "))
  for (const value of [...harmless, "${{ secrets.X }}", "{{ .Values.x }}", "$(cat x)", "<%= x %>"]) {
    it(`leaves ${value} alone`, () => {
      for (const text of [`DB_PASSWORD=${value}`, `export DB_PASSWORD=${value}\nA=1`]) expect(redact(text)).toBe(text)
    })
  }

  it("hides nothing where there is no value", () => {
    for (const text of ["DB_PASSWORD=", "DB_PASSWORD=\nA=1", 'DB_PASSWORD=""', "DB_PASSWORD= # none"])
      expect(redact(text)).toBe(text)
  })

  leavesAlone([
    "TOKEN = 3",
    'ACCESS_TOKEN = "access_token"',
    'PASSWORD: "user.password",',
    'FORGOT_PASSWORD: "Forgot your password?"',
    "SECRET: string",
    "ACCESS_TOKEN = access_token",
    "API_TOKEN = DEFAULT_TOKEN",
    "API_TOKEN = ApiToken",
    "MY_SECRET == abc",
    "MY_SECRET => abc",
    "MY_SECRET = os.environ['X']",
    "MY_SECRET = Foo::new(",
    "MY_SECRET = get(foo).unwrap()",
    "MY_SECRET = names[0].value",
    "MY_SECRET = Foo{name}",
    "PASSWORD: String!",
    '{"DB_PASSWORD": "${OTHER}", "API_TOKEN": "{other}-{name}"}',
    "PASSWORD_FILE=/abc/def",
    "PASSWORD_MIN_LENGTH=8",
    "USE_AUTH=1",
    "MY_AUTH=1",
    "SKIP_PASSWORD=1",
    "DB_PASSWORD= make test",
    "API_TOKEN= ./run --fast",
    "ls /home/user",
    "cd /home/user.",
    "- ./nginx.log:/home/nginx.log",
    "KEY=VALUE",
    "SECURITY_TOKEN=credentials['session_token'],",
    "    password=True)",
    "    password=password",
    'auth: "basic", client_auth: "need"',
    '{"registry_auth": "basic"}',
    "registry_auth: digest",
    "id-token: write",
    "secret: redis-ca",
    "password: String",
    "password: str",
    "  token: nextToken"
  ])
})

describe("the default of an option", () => {
  const declarations = [
    'parser.add_argument("--password", default="VALUE")',
    'parser.add_argument("-p", "--password", type=text(), help="password of the user", default="VALUE")',
    '@click.option(\n    "--token",\n    help="the token",\n    default="VALUE",\n)',
    'flag.String("password", "VALUE", "password of the user")',
    'flag.StringVar(&config.password, "password", "VALUE", "password of the user")',
    'flags.StringP("token", "t", "VALUE", "token of the user")',
    '.option("--api-key <key>", "key of the API", "VALUE")',
    ".option('-p, --password <text>', 'password of the user', 'VALUE')",
    '.option("password", { type: "string", default: "VALUE" })',
    'parseArgs({ options: { token: { type: "string", default: "VALUE" } } })',
    'Arg::new("password").long("password").default_value("VALUE")',
    '#[arg(long = "password", default_value = "VALUE")]',
    'app.Flag("password", "password of the user").Default("VALUE")',
    '&cli.StringFlag{\n\tName:  "password",\n\tValue: "VALUE",\n}',
    '@Option(names = {"-p", "--password"}, defaultValue = "VALUE")',
    'variable "db_password" {\n  type    = string\n  default = "VALUE"\n}',
    '"password": {"type": "string", "default": "VALUE"}'
  ]
  shows(declarations.map((text) => [text.replace("VALUE", "hunter2"), text.replace("VALUE", hidden)]))

  for (const text of declarations) {
    it(`is hidden in ${JSON.stringify(text.slice(0, 60))} when it arrives in pieces`, () => {
      const whole = `${text.replace("VALUE", "hunter2")}\nnext\nlines\n`
      for (let size = 1; size < 50; size += 7) {
        const stream = redactionStream(plainRedaction)
        let out = ""
        for (let at = 0; at < whole.length; at += size) out += stream.push(whole.slice(at, at + size))
        expect(out + stream.end()).toBe(redact(whole))
      }
    })
  }

  leavesAlone([
    'parser.add_argument("--host", default="localhost")',
    'parser.add_argument("--password", default="")',
    'parser.add_argument("--password", help="read from the prompt")',
    'parser.add_argument("--password-file", default="/run/db")',
    'parser.add_argument("--auth", default="basic")',
    'add_argument("--token")\nadd_argument("--host", default="localhost")',
    'add_argument("--token"), add_argument("--host", default="localhost")',
    '.option("--token <t>", "token of the user")\n.addOption(new Option("--host").default("localhost"))',
    '.option("--host <host>", "name of the host", "localhost")',
    'flag.String("host", "localhost", "name of the host")',
    'flag.String("token", "", "token of the user")',
    'flag.StringVar(&token, "token", os.Getenv("TOKEN"), "token of the user")',
    '.arg(Arg::new("token").long("token"))\n.arg(Arg::new("host").default_value("localhost"))',
    '- name: "token"\n- name: "host"\n  default: "localhost"',
    '<arg name="token"/><arg name="host" default="localhost"/>',
    '{ name: "token" },\n{ name: "host", default: "localhost" }',
    'variable "token" {\n}\nvariable "host" {\n  default = "localhost"\n}',
    '"token": {"properties": {"host": {"default": "localhost"}}}',
    'The flag `--token` is required.\n```toml\ndefault = "registry"\n```'
  ])
})

describe("a value on the line below its key", () => {
  shows([
    ["password:\n  hunter2\nuser: x", `password:\n  ${hidden}\nuser: x`],
    ["a:\n  api_key:\n    q8Zr2LmX0vB7", `a:\n  api_key:\n    ${hidden}`],
    ["DB_PASSWORD:\n  open!sesame # why", `DB_PASSWORD:\n  ${hidden} # why`],
    ['"password":\n  "hunter2"', `"password":\n  "${hidden}"`]
  ])

  leavesAlone([
    "password:\nhunter2",
    "password:\n  secretKeyRef:\n    name: db",
    "basicAuth:\n  oauth2-users:\n    - a",
    "password:\n  - hunter2:x",
    "if token:\n    start2()",
    "token:\n  first_token,",
    "token:\n  options.token",
    "token:\n  ${TOKEN}"
  ])
})

describe("a token inside of a word", () => {
  for (const token of [
    github,
    joined("github", "_pat_11AQZWSXE0mKpLoTrVbNyU_q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKpq8Zr2LmX0vB7nT4kW9sH1dJ"),
    joined("AK", "IAQ4T7ZMNB2XWPL6RC"),
    joined("gl", "pat-aB3dE5fG7hI9jK1lM3nO"),
    joined("sk", "-ant-api03-q8Zr2LmX0vB7nT4kW9sH1dJ6yU3"),
    joined("np", "m_q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKp"),
    joined("pu", "l-3f9a1c7be2d840653f9a1c7be2d840653f9a1c7b")
  ]) {
    it(`is hidden: ${token.slice(0, 8)}...`, () => {
      for (const before of ["x", "_", "7", "my_token_", "a-x"]) expect(redact(before + token)).toBe(before + apiKey)
    })
  }

  leavesAlone([
    "task-manager-for-local-development-2",
    "through_my_ghost_writers_2_and_3",
    "configd_figured_out_version_2",
    "h1:hSWxHoqTgW2S2qGc0LTAI563KZ5YKYRhT3MFKZMbjag=",
    "disk-0a1b2c3d4e5f60718293a4b5c6d7e8f9"
  ])
})

describe("after an escape", () => {
  const tokens = [
    github,
    joined("AK", "IAQ4T7ZMNB2XWPL6RC"),
    joined("sk", "-ant-api03-q8Zr2LmX0v"),
    "eyJhbGciOi.eyJzdWIiOi.SflKxwRJ"
  ]
  for (const boundary of escapes) {
    it(`hides a token between two ${JSON.stringify(boundary)}`, () => {
      for (const token of tokens) {
        for (const text of [
          `"done${boundary}${token}${boundary}next"`,
          `${boundary}${token}`,
          `a\n${boundary}${token}\nb`
        ]) {
          expect(redact(text)).toMatch(/\[REDACTED_(?:API_KEY|JWT)\]/)
          expect(redact(text)).not.toContain(token.slice(-6))
        }
      }
    })
  }

  it("is a token for the rules, too", () => {
    for (const boundary of escapes) {
      const text = `log("done${boundary}${github}${boundary}")`
      expect(findSecrets(text).map(({ end, start }) => text.slice(start, end))).toEqual([github])
    }
  })

  shows([
    ['{"log": "a\\nDB_PASSWORD=hunter2\\nb"}', '{"log": "a\\nDB_PASSWORD=[REDACTED_ENV_VAR]\\nb"}'],
    [
      "\x1b[36mpassword\x1b[0m=\x1b[33mhunter2\x1b[0m user=bob",
      `\x1b[36mpassword\x1b[0m=\x1b[33m${hidden}\x1b[0m user=bob`
    ],
    ["password\\u003dhunter2\\u0026page=1", `password\\u003d${hidden}\\u0026page=1`],
    ["?authorization=Bearer%20a1b2c3&b=1", `?authorization=Bearer%20${hidden}&b=1`],
    ["next=%2F%3Faccess_token%3Da1b2c3%26page%3D2", `next=%2F%3Faccess_token%3D${hidden}%26page%3D2`],
    ["https:\\/\\/u:p@acme.io\\/", `https:\\/\\/[REDACTED_USER]:${apiKey}@acme.io\\/`],
    ["password=&quot;hunter2&quot;", `password=&quot;${hidden}&quot;`],
    ["\\n/home/alice/code", "\\n/home/[REDACTED_USER]/code"],
    ["C:\\Users\\nina\\temp", "C:\\Users\\[REDACTED_USER]\\temp"]
  ])

  for (const [what, wide] of [
    ["little-endian", (text: string) => `${[...text].join("\0")}\0`],
    ["big-endian", (text: string) => `\0${[...text].join("\0")}`]
  ] as const) {
    it(`hides a token in ${what} UTF-16 that was read as bytes, and keeps it UTF-16`, () => {
      expect(redact(wide(`one\nuse ${github}\n\\n${github}\ntwo\n`))).toBe(
        wide(`one\nuse ${apiKey}\n\\n${apiKey}\ntwo\n`)
      )
      expect(redact(wide(`a\n${pem("")}\nb`))).toBe(wide("a\n[REDACTED_PEM_KEY]\n\n\n\nb"))
    })
  }
})

describe("what is no secret", () => {
  leavesAlone([
    'xToken := []byte(name("x"))',
    "let token = String::from(name);",
    '@token "password"',
    "docker run \\\n  -u 1000:1000 \\\n  -u node:node1 x",
    "  -u 1000:1000 \\",
    "  -u www-data:www-data \\",
    "curl -uhttp://a.io/b",
    "chown -u alice:staff2 x",
    "https://alice@bitbucket.org/x",
    "https://trusted.example1@a.io/x",
    "https://a.io/api/Users/list2",
    "authorization: token2,",
    '-H "X-Api-Key: $KEY" -H "X-Auth-Token: <token>" -H "X-Api-Key: api-key"',
    'SERVICE_TOKEN="$(cat "${SERVICE_TOKEN_FILE}")"',
    "protocol://[user[:password]@]host1[:port1][,host2][/database]",
    "-w /home/developer/app",
    "MONKEY_PATCH=1 AUTHOR=me",
    "sk-abc",
    "sk-fading-circle",
    "max_tokens = 4096",
    'tokenizer = "cl100k_base"',
    'passwordless = "true-and-long"',
    "nextPageToken = response.nextPageToken",
    'const nextToken = "abc"',
    "SECRET_KEY = os.environ['SECRET_KEY']",
    "export GH_TOKEN=$(pass gh)",
    'password = "${DB_PASSWORD}"',
    'password: "{{ vault.password }}"',
    "secret: ${SECRET_KEY_BASE}",
    "SSH_AUTH_SOCK=/run/user/1000/agent.sock",
    "TOKEN_URL=https://a.io/token",
    'label = { password: "Enter your password", token: "Token is invalid." }',
    "readonly password: string",
    "password: String!,",
    "def login(self, username, password=None, token=token):",
    "login(password=password, secret=settings.SECRET)",
    'if (token.kind === "Identifier") token = next()',
    "auth: AuthService, key: string",
    'key: "name"',
    'credentials: "same-origin"',
    '<input type="password" name="password" autocomplete="current-password">',
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "commit 33eb2b7c0ffee33eb2b7c0ffee33eb2b7c0ffee3",
    '"integrity": "sha512-4fKZ2bqKHmLzXJ8Ff0rDk5Dg0cDDfZ5LGuLfNeS9tY6q3uJbWw=="',
    "id: 8b5f0a9c-4d1e-4f3a-8b5c-0a1b2c3d4e5f",
    "Authorization: Bearer <token>",
    'headers.Authorization = "Bearer " + token',
    'req.Header.Set("Authorization", authorizationHeader("admin", user))',
    "/home/runner/work/a",
    "https://a.io/home/feed/1",
    "-----BEGIN PRIVATE KEY-----",
    `-----BEGIN CERTIFICATE-----\n${material}\n-----END CERTIFICATE-----`,
    '"@octokit/auth-token": "npm:^6.0.0"',
    "a cell that is identified by the given reference",
    '<Button v-if="selectedSecret" :text="$t(name)" />',
    '{"PW", "Palau"}',
    'out.println("PASS: " + rule.getName() + " [" + rule.getId() + "]");',
    '{{ with secret "secret/data/test1" }}',
    "x-custom-ip-authorization: 127.0.0.1",
    '"invalidEncryptionKey": "暗号化キーは22文字でなければなりません。"',
    "LoadCredential=GATEWAY_TOKEN:/etc/gateway/token"
  ])
})

describe("secrets of the environment", () => {
  const value = "zW4!kq/9+Lm p0~Xv7Rt"
  const { text } = redactionOf({ secrets: [value, "s3cr3t-two\nline-number-2", "on", "production"], users: ["bob"] })
  const marker = "[REDACTED_ENV_VAR]"

  it("are hidden completely and in part, wherever they are", () => {
    expect(text(`a ${value} b`)).toBe(`a ${marker} b`)
    expect(text(`x${value.slice(0, 13)}y${value.slice(5)}`)).toBe(`x${marker}y${marker}`)
    expect(text(`line-number-2`)).toBe(marker)
  })

  it("are hidden in base64 at any alignment, in URL and JSON escapes, in hexadecimal", () => {
    const bytes = Buffer.from(value)
    for (const before of ["", "a", "ab", "abc"]) {
      const whole = Buffer.from(`${before}${value}tail`)
      expect(text(whole.toString("base64"))).toContain(marker)
      expect(text(whole.toString("base64url"))).toContain(marker)
    }
    expect(text(`?q=${encodeURIComponent(value)}&b`)).toBe(`?q=${marker}&b`)
    expect(text(`?q=${encodeURIComponent(value).toLowerCase().slice(0, 3)}`)).not.toContain(marker)
    expect(text(JSON.stringify({ a: value }))).toBe(`{"a":"${marker}"}`)
    expect(text(bytes.toString("hex"))).toBe(marker)
    expect(text(bytes.toString("hex").toUpperCase())).toBe(marker)
  })

  it("hide no switch and no plain word", () => {
    expect(text("turned on in production")).toBe("turned on in production")
  })

  it("come with the name of the user, which is hidden at the end of a path too", () => {
    expect(text("/home/bob")).toBe("/home/[REDACTED_USER]")
    expect(text("bob was here")).toBe("bob was here")
  })
})

const Pieces = Schema.Array(
  Schema.Literals([
    ...escapes,
    "\0",
    "DB_PASSWORD=",
    github,
    "sk-abcdefgh",
    pem(""),
    "-----BEGIN PRIVATE KEY-----",
    material,
    'password = "',
    "secret: |\n",
    "  indented\n",
    '"',
    "'",
    "API_KEY=",
    "https://u:",
    "https://a1b2c3d4@",
    "\ncurl ",
    "\n  -u u:hunter2 \\",
    "'",
    "DB_PASSWORD='a'",
    "Zk39fjQ2xw",
    "@acme.io/",
    "Authorization: Bearer ",
    "Cookie: a=bcd",
    "eyJhbGciOi.eyJzdWIiOi.SflKxwRJ",
    "/home/alice/",
    "<token>",
    "\n",
    " ",
    "\\",
    apiKey,
    "token: ",
    "über"
  ])
)

/** Whatever a rule asks for, alone and with what it asks for beside it. */
const before = ["", "curl ", "identified ", "IDENTIFIED BY ", "machine a login b ", '"', "--", "?", "</", "set "]
const names =
  "pw dbPw pwd pass passwd password secret token auth key api_key KEY API_KEY GITHUB_PAT bearer oauthBearer Bearer Cookie Authorization by -u --user credential name".split(
    " "
  )
const between = ["", " ", "=", ": ", ":\n  ", '": "', "', '", " := '", ">", " | ", ", `", "](", " = "]
const values = ["a1B2c3D4e5F6g7H8", "hunter2!x9", "bob:hunter2", "Basic dXNlcjpwYXNz", "a=b1c2d3", github]
/** Has everything that any rule looks for first, and nothing to hide. */
const everyTrigger = "\n;\n;\n;\n= key : / \\ PRIVATE KEY .eyJ Q~ .atlasv1. hooks.slack.com /home/ Users\n"

describe("laws", () => {
  it("any number of secrets is hidden", () => {
    expect(redact("/home/a ".repeat(700_000)) === "/home/[REDACTED_USER] ".repeat(700_000)).toBe(true)
  })

  it("text that is skipped as harmless contains no secret", () => {
    const wrong: Array<string> = []
    const same = (text: string) => {
      if (redact(text + everyTrigger) !== redact(text) + everyTrigger) wrong.push(text)
    }
    for (const first of before) {
      for (const name of names) {
        for (const operator of between) for (const value of values) same(first + name + operator + value)
      }
    }
    for (const alone of ["https://bob:hunter2@acme.io", "/home/alice/a", "C:\\Users\\alice\\a", "/Users/alice"])
      same(alone)
    expect(wrong).toEqual([])
  })

  it.prop("and so it is in any text", Schema.Struct({ pieces: Pieces, text: Schema.String }), ({ pieces, text }) => {
    for (const whole of [text, pieces.join(" "), pieces.join(text), ...pieces]) {
      expect(redact(`${whole}${everyTrigger}`)).toBe(redact(whole) + everyTrigger)
    }
  })

  it.prop("nothing changes when it is done twice", Pieces, (pieces) => {
    const once = redact(pieces.join(""))
    expect(redact(once)).toBe(once)
  })

  it.prop("nothing is left that findSecrets would claim", Pieces, (pieces) => {
    expect(findSecrets(redact(pieces.join("")))).toEqual([])
  })

  it.prop("the number of lines stays", Pieces, (pieces) => {
    const text = pieces.join("")
    expect(redact(text).split("\n").length).toBe(text.split("\n").length)
  })

  it.prop(
    "a text in pieces is redacted like the complete text",
    Schema.Struct({
      pieces: Pieces,
      cuts: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })))
    }),
    ({ pieces, cuts }) => {
      const text = pieces.join("")
      const stream = redactionStream(plainRedaction)
      let out = ""
      let at = 0
      for (let i = 0; at < text.length; i++) {
        const next = at + (cuts.length === 0 ? 7 : cuts[i % cuts.length]!)
        out += stream.push(text.slice(at, next))
        at = next
      }
      expect(out + stream.end()).toBe(redact(text))
    }
  )

  it("nothing is left to hide the second time, even where a marker makes a boundary", () => {
    const once = redact(`${pem("")}API_KEY=API_KEY="`)
    expect(redact(once)).toBe(once)
  })
})

// A pattern that takes more than linear time does not come to an end here.
describe("hostile texts", () => {
  it("gets through values that are nearly words, however long", () => {
    for (const length of [40, 63, 100, 5000]) {
      const line = `"a secret": "${"a".repeat(length)}ç",\n`
      expect(redact(line.repeat(50)).split("\n").length).toBe(51)
    }
  })

  for (const [name, piece, end] of [
    ["MY_SECRET = A", "a", "~"],
    ["db.password=", ")", "x"],
    ['xToken string = "', "1.", "'"]
  ] as const) {
    it(`hides a value of ${JSON.stringify(piece)} after ${name}, however long`, () => {
      const value = `${repeated(piece, 200_000)}${end}`
      expect(redact(`${name}${value}\nnext\n`)).not.toContain(value.slice(0, 100))
    })
  }

  for (const piece of [...hostilePieces, ...secretPieces]) {
    it(`redacts a megabyte of ${JSON.stringify(piece)}, at once and in pieces`, () => {
      const text = repeated(piece, 1_000_000)
      expect(redact(text).split("\n").length).toBe(text.split("\n").length)
      const stream = redactionStream(plainRedaction)
      for (let at = 0; at < text.length; at += 65_536) stream.push(text.slice(at, at + 65_536))
      expect(stream.end().length).toBeLessThan(text.length)
    })
  }
})

describe("a stream", () => {
  const separate = (text: string, size: number) => {
    const stream = redactionStream(plainRedaction)
    let out = ""
    for (let at = 0; at < text.length; at += size) out += stream.push(text.slice(at, at + size))
    return out + stream.end()
  }
  for (const [what, text] of [
    ["a block whose first line is blank", "secret: |\n\n  Zk39fjQ2xw\nend: 1\n"],
    ["a value that runs into a key", `password = "Zk39fjQ2xw${pem("")}\nnext\n`],
    ["a default two lines below", 'option(\n  "--token",\n  help="x",\n  default="Zk39fjQ2xw"\n)\nend\nend\n'],
    [
      "a block behind what is hidden on its line",
      `${github}-----BEGIN PRIVATE KEY-----übersecret: |\n  Zk39fjQ2xw\n${pem("")}\n`
    ]
  ] as const) {
    it(`hides ${what}, as it does in the whole`, () => {
      expect(redact(text)).not.toContain("Zk39fjQ2xw")
      for (let size = 1; size < 30; size++) expect(separate(text, size)).toBe(redact(text))
    })
  }

  const secrets = [
    [github, github],
    [`a\\u001b[1;33m${github}\\n`, github],
    [`a%20${github}`, github],
    [pem("EC "), material],
    [`Authorization: Bearer ${"a1b2c3d4".repeat(4)}`, "a1b2c3d4a1b2c3d4"],
    ['password = "two words here"', "two words here"]
  ] as const
  for (const [secret, core] of secrets) {
    it(`hides ${JSON.stringify(secret.slice(0, 24))} wherever it is cut, in short lines and in one that never ends`, () => {
      for (const filler of ["short line\n".repeat(300), "x ".repeat(75_000), "y".repeat(150_000)]) {
        const text = `${filler} ${secret} ${filler.slice(0, 30_000)}`
        for (let cut = filler.length; cut <= filler.length + secret.length; cut += 13) {
          const stream = redactionStream(plainRedaction)
          const out = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end()
          // Not `toContain`: a failure would print all of it.
          expect([core.slice(0, 9), core.slice(-9)].filter((part) => out.includes(part))).toEqual([])
        }
      }
    })
  }

  it("retains at most its limit", () => {
    const stream = redactionStream(plainRedaction)
    let out = 0
    for (let i = 0; i < 200; i++) {
      out += stream.push("z".repeat(10_000)).length
      expect((i + 1) * 10_000 - out).toBeLessThan(400_000)
    }
  })

  it("hides all of a value that is longer than what may be held", () => {
    const stream = redactionStream(plainRedaction)
    let out = stream.push('password = "')
    for (let i = 0; i < 40; i++) out += stream.push("a1".repeat(5_000))
    out += stream.push('" and more') + stream.end()
    expect(out).toBe(`password = "${hidden}" and more`)
  })
})
