/** Broken ciphers, passwords put through a fast hash, and secrets drawn from a generator anybody can follow. */

import type { Grammar } from "../../domain/change/Grammar.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { SyntaxRule } from "../../domain/finding/Rule.ts"
import { squeezed } from "../../languages/tree.ts"
import { nodeRules } from "../nodeRule.ts"

interface Language {
  readonly area: string
  readonly stack: string
  readonly grammars: ReadonlyArray<Grammar>
}

const python: Language = { area: "py", stack: "python", grammars: ["python"] }
const script: Language = { area: "ts", stack: "typescript", grammars: ["typescript", "tsx", "javascript"] }
const go: Language = { area: "go", stack: "go", grammars: ["go"] }
const java: Language = { area: "java", stack: "java", grammars: ["java"] }
const rust: Language = { area: "rust", stack: "rust", grammars: ["rust"] }
const swift: Language = { area: "swift", stack: "ios", grammars: ["swift"] }
const elixir: Language = { area: "elixir", stack: "elixir", grammars: ["elixir"] }

interface Asked {
  readonly language: Language
  /** The type of the nodes that are looked at. */
  readonly node: string
  /** Is found in the node's text without white space, from its beginning. */
  readonly pattern: RegExp
  readonly keywords: ReadonlyArray<string>
  readonly examples: SyntaxRule["examples"]
}

/** Longer calls are whole programs handed over as an argument. */
const longest = 400

const textOf = (node: SyntaxNode): string | null => (node.endIndex - node.startIndex > longest ? null : squeezed(node))

/** Ciphers that are broken, or that show which blocks are equal. */
const weakCipher = ({ language, node, pattern, keywords, examples }: Asked): SyntaxRule =>
  nodeRules(language)({
    id: `${language.area}/weak-cipher`,
    severity: "high",
    confidence: "HIGH",
    title: "This cipher no longer keeps anything secret",
    why: "DES, RC4 and their like can be broken with little effort, and ECB gives equal blocks of text equal ciphertext, so the pattern of the data shows.",
    fix: "Use authenticated encryption: AES-GCM or ChaCha20-Poly1305, with a fresh nonce for each message.",
    reference: "CWE-327",
    inTests: false,
    keywords,
    query: `(${node}) @claim`,
    check: (claim) => {
      const text = textOf(claim)
      return text !== null && pattern.test(text)
    },
    examples
  })

/** Whoever asks a breach service sends it such a hash; that is no way of keeping a password. */
const breachService = /pwned|hibp|breach|leak/i

const passwordHashed = ({ language, node, pattern, keywords, examples }: Asked): SyntaxRule =>
  nodeRules(language)({
    id: `${language.area}/password-hashed-fast`,
    severity: "high",
    confidence: "MEDIUM",
    title: "A password is put through a hash that is fast to try out",
    why: "Whoever gets hold of the hashes tries billions of passwords a second; a fast hash without salt and cost keeps nobody from it.",
    fix: "Use a password hash: argon2id, scrypt or bcrypt.",
    reference: "CWE-916",
    inTests: false,
    keywords,
    query: `(${node}) @claim`,
    check: (claim, file) => {
      const text = textOf(claim)
      if (text === null || !pattern.test(text)) return false
      return (
        !breachService.test(file.path) &&
        !(file.head ?? []).some((line) => line.length < 500 && breachService.test(line))
      )
    },
    examples
  })

const predictable = ({ language, node, pattern, keywords, examples }: Asked): SyntaxRule =>
  nodeRules(language)({
    id: `${language.area}/predictable-secret`,
    severity: "high",
    confidence: "MEDIUM",
    title: "A secret is drawn from a random generator that can be predicted",
    why: "The generator is made for simulations: a few of its numbers tell all that follow, and with them the secret.",
    fix: "Use the system's secure generator: `secrets`, `crypto.randomBytes`, `crypto/rand`.",
    reference: "CWE-338",
    inTests: false,
    keywords,
    query: `(${node}) @claim`,
    check: (claim, file) => {
      const text = textOf(claim)
      if (text === null || !pattern.test(text)) return false
      // Only one of Go's two packages of that name can be predicted.
      return language.area !== "go" || (file.head ?? []).some((line) => /"math\/rand(\/v2)?"/.test(line))
    },
    examples
  })

const secretName =
  "(?:(?:auth|access|api|session|reset|csrf|xsrf|security|invite|invitation|verification|refresh|bearer|login|otp)_?(?:token|key|code|secret|id)|password|passwd|secret|secret_?key|otp)"

export const cryptoRules: ReadonlyArray<SyntaxRule> = [
  weakCipher({
    language: python,
    node: "call",
    pattern:
      /^(?:[\w.]+\.)?(?:(?:DES3?|ARC[24])\.new\(|AES\.new\(.*\bMODE_ECB\b|modes\.ECB\(|algorithms\.(?:ARC4|TripleDES|Blowfish|IDEA|CAST5|SEED)\()/,
    keywords: ["DES", "ARC", "ECB", "algorithms."],
    examples: {
      bad: [
        "from Crypto.Cipher import DES\ncipher = DES.new(key, DES.MODE_CBC, iv)\n",
        "cipher = AES.new(key, AES.MODE_ECB)\n",
        "cipher = Cipher(algorithms.AES(key), modes.ECB())\n",
        "cipher = Cipher(algorithms.ARC4(key), mode=None)\n"
      ],
      good: [
        "cipher = AES.new(key, AES.MODE_GCM, nonce=nonce)\n",
        "cipher = Cipher(algorithms.AES(key), modes.GCM(iv))\n",
        "DESCRIPTION = describe.new(key)\n"
      ]
    }
  }),
  weakCipher({
    language: script,
    node: "call_expression",
    pattern: /^(?:\w+\.)?create(?:Cipheriv\(["'`](?:des|rc[24]|bf|blowfish|idea|seed|cast5|aes-?\d+-ecb)|Cipher\()/i,
    keywords: ["createCipher"],
    examples: {
      bad: [
        "const c = crypto.createCipheriv('des-ede3-cbc', key, iv)\n",
        "const c = createCipheriv('aes-256-ecb', key, null)\n",
        "const c = crypto.createCipher('aes-256-cbc', password)\n"
      ],
      good: [
        "const c = crypto.createCipheriv('aes-256-gcm', key, iv)\n",
        "const c = crypto.createDecipheriv('des-ede3-cbc', key, iv)\n",
        "const c = createCipheriv(algorithm, key, iv)\n"
      ]
    }
  }),
  weakCipher({
    language: go,
    node: "call_expression",
    pattern: /^(?:des\.New(?:TripleDES)?Cipher|rc4\.NewCipher)\(/,
    keywords: ["des.New", "rc4.New"],
    examples: {
      bad: [
        "package p\n\nfunc f(k []byte) {\n\tc, err := des.NewCipher(k)\n\tuse(c, err)\n}\n",
        "package p\n\nfunc f(k []byte) {\n\tc, _ := des.NewTripleDESCipher(k)\n\tuse(c)\n}\n",
        "package p\n\nfunc f(k []byte) {\n\tc, _ := rc4.NewCipher(k)\n\tuse(c)\n}\n"
      ],
      good: [
        "package p\n\nfunc f(k []byte) {\n\tc, err := aes.NewCipher(k)\n\tuse(c, err)\n}\n",
        "package p\n\nfunc f(k []byte) {\n\tc, err := chacha20poly1305.New(k)\n\tuse(c, err)\n}\n",
        "package p\n\nfunc f() {\n\tnodes.NewCipher(1)\n}\n"
      ]
    }
  }),
  weakCipher({
    language: java,
    node: "method_invocation",
    pattern: /^(?:javax\.crypto\.)?Cipher\.getInstance\("(?:DES(?:ede)?|RC[24]|ARCFOUR|Blowfish|AES"|AES\/ECB)/i,
    keywords: ["Cipher.getInstance"],
    examples: {
      bad: [
        'class A {\n  void f() throws Exception {\n    Cipher c = Cipher.getInstance("DES/CBC/PKCS5Padding");\n  }\n}\n',
        'class A {\n  void f() throws Exception {\n    Cipher c = Cipher.getInstance("AES");\n  }\n}\n',
        'class A {\n  void f() throws Exception {\n    Cipher c = Cipher.getInstance("AES/ECB/PKCS5Padding");\n  }\n}\n'
      ],
      good: [
        'class A {\n  void f() throws Exception {\n    Cipher c = Cipher.getInstance("AES/GCM/NoPadding");\n  }\n}\n',
        'class A {\n  void f() throws Exception {\n    Cipher c = Cipher.getInstance("RSA/ECB/OAEPWithSHA-256AndMGF1Padding");\n  }\n}\n',
        "class A {\n  void f() throws Exception {\n    Cipher c = Cipher.getInstance(name);\n  }\n}\n"
      ]
    }
  }),
  weakCipher({
    language: rust,
    node: "scoped_identifier",
    pattern:
      /^(?:\w+::)*(?:Cipher::(?:des_\w+|rc4|bf_\w+|aes_\d+_ecb)|(?:des|rc4|blowfish)::(?:Des|TdesEde[23]|Rc4|Blowfish)::new)$/,
    keywords: ["Cipher::", "des::", "rc4::", "blowfish::"],
    examples: {
      bad: [
        "fn f(k: &[u8]) {\n    let c = Cipher::des_ede3_cbc();\n    run(c, k);\n}\n",
        "fn f(k: &[u8]) {\n    encrypt(symm::Cipher::aes_128_ecb(), k, None, data)\n}\n",
        "fn f() {\n    let c = openssl::symm::Cipher::rc4();\n    run(c);\n}\n"
      ],
      good: [
        "fn f(k: &[u8]) {\n    let c = Cipher::aes_256_gcm();\n    run(c, k);\n}\n",
        "fn f(k: &Key) {\n    let c = Aes256Gcm::new(k);\n    run(c);\n}\n",
        "fn f() {\n    nodes::Description::new();\n}\n"
      ]
    }
  }),
  weakCipher({
    language: swift,
    node: "simple_identifier",
    pattern: /^kCC(?:AlgorithmDES|Algorithm3DES|AlgorithmRC[24]|AlgorithmBlowfish|AlgorithmCAST|OptionECBMode)$/,
    keywords: ["kCC"],
    examples: {
      bad: [
        "let s = CCCrypt(CCOperation(kCCEncrypt), CCAlgorithm(kCCAlgorithmDES), 0, k, n, iv, d, c, o, m, &out)\n",
        "let options = CCOptions(kCCOptionPKCS7Padding | kCCOptionECBMode)\n",
        "let algorithm = kCCAlgorithm3DES\n"
      ],
      good: [
        "let box = try AES.GCM.seal(data, using: key)\n",
        "let options = CCOptions(kCCOptionPKCS7Padding)\n",
        "let algorithm = kCCAlgorithmAES\n"
      ]
    }
  }),
  weakCipher({
    language: elixir,
    node: "call",
    pattern:
      /^:crypto\.(?:crypto_(?:one_time|init)|block_encrypt|stream_init)\(:(?:des\w*|rc[24]|blowfish\w*|aes_(?:\d+_)?ecb)\b/,
    keywords: [":crypto."],
    examples: {
      bad: [
        "defmodule A do\n  def f(k, t), do: :crypto.crypto_one_time(:aes_256_ecb, k, t, true)\nend\n",
        "defmodule A do\n  def f(k, iv, t), do: :crypto.block_encrypt(:des_cbc, k, iv, t)\nend\n",
        "defmodule A do\n  def f(k, t) do\n    :crypto.crypto_one_time(:rc4, k, t, true)\n  end\nend\n"
      ],
      good: [
        'defmodule A do\n  def f(k, iv, t), do: :crypto.crypto_one_time_aead(:aes_256_gcm, k, iv, t, "", true)\nend\n',
        "defmodule A do\n  def f(t), do: :crypto.hash(:sha256, t)\nend\n",
        "defmodule A do\n  def f(c, k, t), do: :crypto.crypto_one_time(c, k, t, true)\nend\n"
      ]
    }
  }),
  passwordHashed({
    language: python,
    node: "call",
    pattern:
      /^(?:hashlib\.)?(?:md5|sha1|sha224|sha256|sha512)\((?:[^()]*\.)?\w*passw(?:or)?d\w*(?:\.encode\([^()]*\))?\)?/i,
    keywords: ["passw"],
    examples: {
      bad: [
        "digest = hashlib.sha256(password.encode()).hexdigest()\n",
        "h = hashlib.md5(user.password.encode('utf-8'))\n",
        "stored = sha1(new_passwd)\n"
      ],
      good: [
        "digest = bcrypt.hashpw(password.encode(), bcrypt.gensalt())\n",
        "etag = hashlib.md5(body).hexdigest()\n",
        "prefix = hashlib.sha1(password.encode()).hexdigest()[:5]  # Have I Been Pwned wants a range\nurl = 'https://api.pwnedpasswords.com/range/' + prefix\n"
      ]
    }
  }),
  passwordHashed({
    language: script,
    node: "call_expression",
    pattern:
      /^(?:crypto\.)?createHash\(["'`](?:md5|sha-?1|sha-?256|sha-?512)["'`]\)\.update\((?:[\w.]+\.)?\w*passw(?:or)?d\w*[,)]/i,
    keywords: ["createHash"],
    examples: {
      bad: [
        "const h = crypto.createHash('sha256').update(password).digest('hex')\n",
        "const h = createHash('md5').update(user.password)\n",
        "const h = crypto.createHash('sha1').update(req.body.passwd, 'utf8').digest()\n"
      ],
      good: [
        "const h = await argon2.hash(password)\n",
        "const h = crypto.createHash('sha256').update(body).digest('hex')\n",
        "const h = crypto.scryptSync(password, salt, 64)\n"
      ]
    }
  }),
  passwordHashed({
    language: go,
    node: "call_expression",
    pattern: /^(?:md5\.Sum|sha1\.Sum|sha256\.Sum256|sha512\.Sum512)\(\[\]byte\((?:[\w.]+\.)?\w*passw(?:or)?d\w*\)\)/i,
    keywords: ["md5.Sum", "sha1.Sum", "sha256.Sum256", "sha512.Sum512"],
    examples: {
      bad: [
        "package p\n\nfunc f(password string) [16]byte {\n\treturn md5.Sum([]byte(password))\n}\n",
        "package p\n\nfunc f(u User) {\n\th := sha256.Sum256([]byte(u.Password))\n\tstore(h)\n}\n",
        "package p\n\nfunc f(newPasswd string) {\n\tstore(sha1.Sum([]byte(newPasswd)))\n}\n"
      ],
      good: [
        "package p\n\nfunc f(password string) ([]byte, error) {\n\treturn bcrypt.GenerateFromPassword([]byte(password), 12)\n}\n",
        "package p\n\nfunc f(body string) [16]byte {\n\treturn md5.Sum([]byte(body))\n}\n",
        "package p\n\nfunc f(key []byte) [32]byte {\n\treturn sha256.Sum256(key)\n}\n"
      ]
    }
  }),
  passwordHashed({
    language: elixir,
    node: "call",
    pattern: /^:crypto\.hash\(:(?:md5|sha|sha256|sha512),(?:[\w.]+\.)?\w*passw(?:or)?d\w*\)/i,
    keywords: [":crypto.hash"],
    examples: {
      bad: [
        "defmodule A do\n  def f(password), do: :crypto.hash(:sha256, password)\nend\n",
        "defmodule A do\n  def f(user), do: :crypto.hash(:md5, user.password)\nend\n",
        "defmodule A do\n  def f(new_password) do\n    Base.encode16(:crypto.hash(:sha, new_password))\n  end\nend\n"
      ],
      good: [
        "defmodule A do\n  def f(password), do: Bcrypt.hash_pwd_salt(password)\nend\n",
        "defmodule A do\n  def f(token), do: :crypto.hash(:sha256, token)\nend\n",
        "defmodule A do\n  def f(body), do: :crypto.hash(:md5, body)\nend\n"
      ]
    }
  }),
  predictable({
    language: python,
    node: "assignment",
    pattern: new RegExp(
      `^(?:[\\w.]+\\.)?\\w*?${secretName}=.*\\brandom\\.(?:random|choice|choices|randint|randrange|sample|getrandbits)\\(`,
      "i"
    ),
    keywords: ["random."],
    examples: {
      bad: [
        "reset_token = ''.join(random.choice(chars) for _ in range(20))\n",
        "self.password = ''.join(random.sample(letters, 12))\n",
        "user.otp = random.randint(100000, 999999)\n"
      ],
      good: [
        "reset_token = secrets.token_urlsafe(20)\n",
        "token = random.choice(vocabulary)\n",
        "password = ''.join(rng.choice(chars) for _ in range(20))\n",
        "delay = random.random()\n"
      ]
    }
  }),
  predictable({
    language: script,
    node: "variable_declarator",
    pattern: new RegExp(`^\\w*?${secretName}(?::\\w+)?=.*\\bMath\\.random\\(\\)`, "i"),
    keywords: ["Math.random"],
    examples: {
      bad: [
        "const resetToken = Math.random().toString(36).slice(2)\n",
        "const sessionId = `${Date.now()}-${Math.random()}`\n",
        "let password = Array.from({ length: 12 }, () => chars[Math.floor(Math.random() * chars.length)]).join('')\n"
      ],
      good: [
        "const resetToken = crypto.randomBytes(20).toString('hex')\n",
        "const elementId = Math.random().toString(36)\n",
        "const token = tokens[Math.floor(Math.random() * tokens.length)]\n"
      ]
    }
  }),
  predictable({
    language: go,
    node: "short_var_declaration",
    pattern: new RegExp(
      `^\\w*?${secretName}(?:,\\w+)?:=.*\\brand\\.(?:Int|Intn|Int31n?|Int63n?|IntN|Uint32|Uint64|Float64|Read)\\(`,
      "i"
    ),
    keywords: ["math/rand"],
    examples: {
      bad: [
        'package p\n\nimport "math/rand"\n\nfunc f() string {\n\tresetToken := fmt.Sprint(rand.Int63())\n\treturn resetToken\n}\n',
        'package p\n\nimport "math/rand"\n\nfunc f() int {\n\totp := rand.Intn(900000) + 100000\n\treturn otp\n}\n',
        'package p\n\nimport "math/rand/v2"\n\nfunc f() string {\n\tsessionID := strconv.Itoa(rand.IntN(1 << 30))\n\treturn sessionID\n}\n'
      ],
      good: [
        'package p\n\nimport "crypto/rand"\n\nfunc f() {\n\tsecret, err := rand.Int(rand.Reader, max)\n\tuse(secret, err)\n}\n',
        'package p\n\nimport "math/rand"\n\nfunc f() {\n\tdelay := rand.Intn(10)\n\tuse(delay)\n}\n',
        'package p\n\nimport "math/rand"\n\nfunc f() {\n\ttoken := words[rand.Intn(len(words))]\n\tuse(token)\n}\n'
      ]
    }
  })
]
