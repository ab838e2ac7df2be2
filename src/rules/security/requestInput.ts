/** Paths, SQL and pages put together from what a stranger sends, where the request stands in the same expression. */

import type { Grammar } from "../../domain/change/Grammar.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { SyntaxRule } from "../../domain/finding/Rule.ts"
import { enclosing, quotesIntoSql, squeezed } from "../../languages/tree.ts"
import { nodeRules } from "../nodeRule.ts"
import { script } from "../script/scriptTree.ts"

interface Language {
  readonly area: string
  readonly stack: string
  readonly grammars: ReadonlyArray<Grammar>
  /** The type of calls, and of whatever else makes a file from a path. */
  readonly calls: ReadonlyArray<string>
  /** What is called, from the beginning of the call without white space. */
  readonly opens: RegExp
  /** What a stranger sent, anywhere in the call. */
  readonly input: RegExp
  /** What takes the folders out of a name, or holds it against a list. */
  readonly made: RegExp
  readonly keywords: ReadonlyArray<string>
  readonly examples: SyntaxRule["examples"]
}

/** A longer call is a program handed over as an argument. */
const longest = 300

/** The call alone: a statement block in it belongs to somebody else. */
const textOf = (call: SyntaxNode): string | null => {
  const tooLong = call.endIndex - call.startIndex > longest
  return tooLong || /[{]\s*\n|\bfn\b/.test(call.text) ? null : squeezed(call)
}

const pathFromRequest = (language: Language): SyntaxRule =>
  nodeRules({ stack: language.stack, grammars: language.grammars })({
    id: `${language.area}/path-from-request`,
    severity: "high",
    confidence: "HIGH",
    title: "A path is put together from what the request says",
    why: "With `../` in it, or an absolute path, a stranger reads or overwrites any file the process may.",
    fix: "Take the last part of the name alone, or check that the resolved path is still inside the folder.",
    reference: "CWE-22",
    inTests: false,
    keywords: language.keywords,
    query: `[${language.calls.map((type) => `(${type})`).join(" ")}] @claim`,
    check: (claim) => {
      const text = textOf(claim)
      return text !== null && language.opens.test(text) && language.input.test(text) && !language.made.test(text)
    },
    examples: language.examples
  })

const languages: ReadonlyArray<Language> = [
  {
    area: "py",
    stack: "python",
    grammars: ["python"],
    calls: ["call"],
    opens:
      /^(?:open|send_file|FileResponse|(?:pathlib\.)?Path|os\.(?:path\.join|remove|unlink|listdir|open|makedirs)|shutil\.(?:rmtree|copy\w*|move)|(?:io|aiofiles)\.open)\(/,
    input: /\brequest\.(?:args|form|values|json|cookies|GET|POST|query_params|path_params|match_info)\b/,
    made: /secure_filename\(|basename\(|safe_join\(|\.name\b|int\(/,
    keywords: ["request."],
    examples: {
      bad: [
        "def f():\n    return send_file(os.path.join(ROOT, request.args['name']))\n",
        "def f(request):\n    with open('/data/' + request.GET['file']) as h:\n        return h.read()\n",
        "def f():\n    os.remove(request.form.get('path'))\n"
      ],
      good: [
        "def f():\n    return send_from_directory(ROOT, request.args['name'])\n",
        "def f():\n    path = os.path.join(ROOT, secure_filename(request.args['name']))\n",
        "def f():\n    path = os.path.join(ROOT, str(int(request.args['id'])))\n",
        "def f():\n    log(request.args['name'])\n"
      ]
    }
  },
  {
    area: "ts",
    stack: "typescript",
    grammars: ["typescript", "tsx", "javascript"],
    calls: ["call_expression"],
    opens:
      /^(?:(?:fs|fsp|fsPromises|fs\.promises)\.\w+|(?:path\.)?(?:join|resolve)|\w+\.sendFile|createReadStream|createWriteStream|readFile(?:Sync)?|writeFile(?:Sync)?|unlink(?:Sync)?)\(/,
    input: /\b(?:req|request|ctx\.request)\.(?:params|query|body|headers)\b|\bctx\.(?:params|query)\b/,
    made: /basename\(|sanitize|parseInt\(|Number\(|\broot:/,
    keywords: ["req.", "request.", "ctx."],
    examples: {
      bad: [
        "app.get('/f', (req, res) => res.sendFile(path.join(root, req.params.name)))\n",
        "const text = fs.readFileSync(`uploads/${req.query.file}`)\n",
        "const file = createReadStream(root + '/' + ctx.params.id)\n"
      ],
      good: [
        "const text = fs.readFileSync(path.join(root, path.basename(req.params.name)))\n",
        "res.sendFile(req.params.name, { root: uploads })\n",
        "const url = join(base, 'a')\n",
        "const n = log(req.params.name)\n"
      ]
    }
  },
  {
    area: "go",
    stack: "go",
    grammars: ["go"],
    calls: ["call_expression"],
    opens:
      /^(?:filepath\.Join|path\.Join|os\.(?:Open|OpenFile|ReadFile|WriteFile|Create|Remove|RemoveAll|MkdirAll)|ioutil\.ReadFile)\(/,
    input:
      /\b(?:r|req|request)\.(?:URL\.Query\(\)\.Get|FormValue|PostFormValue|PathValue)\(|\b(?:r|req|request)\.URL\.Path\b|\bmux\.Vars\(r\)|\bc\.(?:Param|Query|PostForm)\(/,
    made: /filepath\.(?:Base|Clean|IsLocal|Localize)\(|path\.(?:Base|Clean)\(/,
    keywords: ["FormValue", "URL.", "PathValue", "mux.Vars", "c.Param", "c.Query", "c.PostForm"],
    examples: {
      bad: [
        'package p\n\nfunc f(w http.ResponseWriter, r *http.Request) {\n\tb, err := os.ReadFile(filepath.Join(root, r.URL.Query().Get("name")))\n\tsend(w, b, err)\n}\n',
        'package p\n\nfunc f(c *gin.Context) {\n\tos.Remove("uploads/" + c.Param("id"))\n}\n',
        'package p\n\nfunc f(w http.ResponseWriter, r *http.Request) {\n\tp := filepath.Join(root, mux.Vars(r)["file"])\n\tsend(w, p)\n}\n'
      ],
      good: [
        'package p\n\nfunc f(w http.ResponseWriter, r *http.Request) {\n\tp := filepath.Join(root, filepath.Base(r.FormValue("name")))\n\tsend(w, p)\n}\n',
        "package p\n\nfunc f(w http.ResponseWriter, r *http.Request) {\n\thttp.ServeFile(w, r, root)\n}\n",
        'package p\n\nfunc f(name string) {\n\tos.Remove(filepath.Join("uploads", name))\n}\n'
      ]
    }
  },
  {
    area: "java",
    stack: "java",
    grammars: ["java"],
    calls: ["object_creation_expression", "method_invocation"],
    opens:
      /^(?:new(?:java\.io\.)?(?:File|FileInputStream|FileOutputStream|FileReader|FileWriter|RandomAccessFile)\(|Paths\.get\(|Path\.of\()/,
    input: /\b(?:request|req|httpRequest)\.(?:getParameter|getHeader|getPathInfo|getQueryString)\(/,
    made: /FilenameUtils\.getName\(|\.getFileName\(/,
    keywords: ["getParameter", "getHeader", "getPathInfo", "getQueryString"],
    examples: {
      bad: [
        'class A {\n  void f(HttpServletRequest request) {\n    File file = new File(root, request.getParameter("name"));\n  }\n}\n',
        'class A {\n  void f(HttpServletRequest req) throws Exception {\n    var in = new FileInputStream("/data/" + req.getParameter("file"));\n  }\n}\n',
        "class A {\n  void f(HttpServletRequest request) {\n    Path path = Paths.get(root, request.getPathInfo());\n  }\n}\n"
      ],
      good: [
        'class A {\n  void f(HttpServletRequest request) {\n    File file = new File(root, FilenameUtils.getName(request.getParameter("name")));\n  }\n}\n',
        'class A {\n  void f() {\n    File file = new File(root, "a.txt");\n  }\n}\n',
        'class A {\n  void f(HttpServletRequest request) {\n    log(request.getParameter("name"));\n  }\n}\n'
      ]
    }
  },
  {
    area: "elixir",
    stack: "elixir",
    grammars: ["elixir"],
    calls: ["call"],
    opens: /^(?:File\.(?:read|write|rm|rm_rf|stream|open|cp|mkdir_p)!?|Path\.join|send_file)\(/,
    input: /\b(?:conn\.(?:query_|body_|path_)?params|params)(?:\["|\.\w)/,
    made: /Path\.(?:basename|safe_relative)\(|String\.to_integer\(/,
    keywords: ["params"],
    examples: {
      bad: [
        'defmodule A do\n  def show(conn, params) do\n    send_file(conn, 200, Path.join(@root, params["name"]))\n  end\nend\n',
        'defmodule A do\n  def show(conn, _), do: File.read!("uploads/" <> conn.params["file"])\nend\n',
        'defmodule A do\n  def delete(conn, params) do\n    File.rm(Path.join([@root, "x", params["id"]]))\n  end\nend\n'
      ],
      good: [
        'defmodule A do\n  def show(conn, params) do\n    send_file(conn, 200, Path.join(@root, Path.basename(params["name"])))\n  end\nend\n',
        'defmodule A do\n  def show(conn, _), do: send_file(conn, 200, "priv/a.txt")\nend\n',
        'defmodule A do\n  def show(conn, params), do: json(conn, params["name"])\nend\n'
      ]
    }
  }
]

const sqlMethods = /\.(?:query|execute|raw|unsafe|prepare|all|get|run|exec|\$queryRawUnsafe|\$executeRawUnsafe)\(/

const sqlFromValues = script({
  id: "ts/sql-injection",
  severity: "high",
  confidence: "HIGH",
  title: "A value is written into an SQL statement instead of being bound to it",
  why: "A quote in the value ends the text and the rest of it runs as SQL.",
  fix: "Put a placeholder into the statement and hand the value over separately.",
  reference: "CWE-89",
  inTests: false,
  keywords: ["select ", "SELECT ", "insert ", "INSERT ", "update ", "UPDATE ", "delete ", "DELETE "],
  query: "[(template_string) (binary_expression)] @claim",
  check: (claim, file) => {
    const holder = claim.parent
    // A migration writes what the database itself holds.
    if (/(^|\/)migrations?\//.test(file.path)) return false
    // A tagged template binds its values itself.
    if (holder?.type !== "arguments" || holder.namedChildren[0]?.id !== claim.id) return false
    const called = holder.parent?.childForFieldName("function")?.text ?? ""
    if (!sqlMethods.test(`${called.slice(-40)}(`)) return false
    if (claim.type === "template_string") return quotesIntoSql(claim.text.slice(1, -1), /\$\{/)
    const text = claim.text.replace(/['"]\s*\+\s*(?!['"])[\w.[\]()]+\s*(?:\+\s*['"]|$)/g, "\u0001").replace(/^['"]/, "")
    return quotesIntoSql(text, /\u0001/)
  },
  examples: {
    bad: [
      "const r = await db.query(`SELECT * FROM users WHERE name = '${name}'`)\n",
      "db.all(`delete from t where id in ('${ids}')`)\n",
      'const r = pool.query("SELECT * FROM users WHERE name = \'" + req.body.name + "\'")\n'
    ],
    good: [
      "const r = await db.query('SELECT * FROM users WHERE name = $1', [name])\n",
      "const r = await prisma.$queryRaw`SELECT * FROM users WHERE name = ${name}`\n",
      "const r = await db.query(`SELECT * FROM ${table} WHERE a = $1`, [a])\n",
      "const r = db.query(`SELECT * FROM t WHERE kind = 'x' AND id = $1`, [id])\n"
    ]
  }
})

const tlsOff = script({
  id: "ts/tls-unverified",
  severity: "high",
  confidence: "HIGH",
  title: "The server's certificate is not checked",
  why: "Anyone between the two ends can present a certificate of their own and read or change the traffic.",
  fix: "Leave the check on; for a certificate of your own, hand over its authority as `ca`.",
  reference: "CWE-295",
  inTests: false,
  keywords: ["rejectUnauthorized", "NODE_TLS_REJECT_UNAUTHORIZED", "strictSSL"],
  query: "[(pair) (assignment_expression)] @claim",
  check: (claim) => {
    const text = squeezed(claim)
    if (
      !/^(?:rejectUnauthorized|strictSSL):false$|^process\.env\.NODE_TLS_REJECT_UNAUTHORIZED=["'`]?0["'`]?$|\.rejectUnauthorized=false$/.test(
        text
      )
    )
      return false
    // Switched off because the user asked for it by an option is the user's decision.
    const around =
      enclosing(claim, ["lexical_declaration", "variable_declaration", "expression_statement", "return_statement"])
        ?.text ?? ""
    return !/insecure|selfSigned|skipVerif|verify(?:Ssl|Tls|Cert)|NODE_ENV|isDev|development|localhost/i.test(
      around.slice(0, 2_000)
    )
  },
  examples: {
    bad: [
      "const agent = new https.Agent({ rejectUnauthorized: false })\n",
      "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'\n",
      "const client = new Client({ host, ssl: { rejectUnauthorized: false } })\n"
    ],
    good: [
      "const agent = new https.Agent({ ca, rejectUnauthorized: true })\n",
      "const agent = new https.Agent({ rejectUnauthorized: !options.insecure })\n",
      "const agent = options.insecure ? new https.Agent({ rejectUnauthorized: false }) : undefined\n"
    ]
  }
})

const elixirTlsOff = nodeRules({ stack: "elixir", grammars: ["elixir"] })({
  id: "elixir/tls-verification-off",
  severity: "high",
  confidence: "HIGH",
  title: "TLS certificates are not verified",
  why: "Anyone between the two ends can present a certificate of their own and read or change the traffic.",
  fix: "Use `verify: :verify_peer` with `cacerts: :public_key.cacerts_get()`.",
  reference: "CWE-295",
  inTests: false,
  keywords: ["verify_none", ":insecure"],
  query: "(pair) @claim",
  check: (claim, file) => {
    if (!/^verify::verify_none$|^hackney:\[:insecure\b/.test(squeezed(claim))) return false
    // Switched off for work on one's own machine, or because the user asked for it by an option.
    const before = (file.head ?? []).slice(Math.max(0, claim.startPosition.row - 12), claim.startPosition.row + 1)
    return (
      !/(^|\/)(dev|test)\.exs$/.test(file.path) &&
      !before.some((line) => /no_?verify|insecure\?|skip_?verif/i.test(line))
    )
  },
  examples: {
    bad: [
      "defmodule A do\n  def f(url), do: HTTPoison.get(url, [], ssl: [verify: :verify_none])\nend\n",
      "defmodule A do\n  def f(host), do: :ssl.connect(host, 443, verify: :verify_none)\nend\n",
      "defmodule A do\n  def f(url) do\n    HTTPoison.get(url, [], hackney: [:insecure])\n  end\nend\n"
    ],
    good: [
      "defmodule A do\n  def f(url), do: HTTPoison.get(url, [], ssl: [verify: :verify_peer])\nend\n",
      "defmodule A do\n  def f(host, verify), do: :ssl.connect(host, 443, verify: verify)\nend\n",
      "defmodule A do\n  def f(url), do: Req.get(url)\nend\n"
    ]
  }
})

export const requestInputRules: ReadonlyArray<SyntaxRule> = [
  ...languages.map(pathFromRequest),
  sqlFromValues,
  tlsOff,
  elixirTlsOff
]
