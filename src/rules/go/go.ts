/** What dd knows about Go: defects that can be proved from one file. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { linesOf, type SyntaxRule } from "../../domain/finding/Rule.ts"
import { caught, enclosing, fieldOf, quotesIntoSql, squeezed } from "../../languages/tree.ts"
import { goConcurrencyRules } from "./goConcurrency.ts"
import { goErrorRules } from "./goErrors.ts"
import { argumentsOf, functions, go, isBuilt, listOf, literal, memberOf, operatorOf } from "./goTree.ts"

const insecureTls = go({
  id: "go/tls-verification-off",
  severity: "high",
  confidence: "HIGH",
  title: "TLS certificates are not verified",
  why: "With InsecureSkipVerify anyone between the two ends can present their own certificate and read or change the traffic.",
  fix: "Trust the right authority through RootCAs, or check the peer in VerifyConnection.",
  reference: "CWE-295",
  keywords: ["InsecureSkipVerify"],
  query: "[(keyed_element) (assignment_statement)] @claim",
  check: (claim) => {
    const around = skipsVerification(claim) ? claim.parent : null
    if (around === null || /VerifyPeerCertificate|VerifyConnection/.test(around.text)) return false
    // Switched off because the user asked for it by an option is the user's decision.
    const owner = enclosing(around, functions)?.text.replaceAll("InsecureSkipVerify", "") ?? ""
    return !/skip_?(tls_?|ssl_?|cert\w*_?)?verif|insecure|(tls|ssl)_?(skip|verif)|verify_?(tls|ssl|cert|peer)|skip_?(tls|ssl)/i.test(
      owner
    )
  },
  inTests: false,
  examples: {
    bad: [
      `package p

var client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
`,
      `package p

func dial(c *tls.Config) {
	c.InsecureSkipVerify = true
	connect(c)
}
`,
      `package p

func conf(name string) *tls.Config {
	return &tls.Config{
		ServerName:         name,
		InsecureSkipVerify: true,
	}
}
`
    ],
    good: [
      `package p

var conf = &tls.Config{InsecureSkipVerify: false}
`,
      `package p

func conf(o Options) *tls.Config {
	return &tls.Config{InsecureSkipVerify: o.Insecure}
}
`,
      `package p

var conf = &tls.Config{
	InsecureSkipVerify: true,
	VerifyConnection:   verify,
}
`,
      `package p

func dial(o Options, c *tls.Config) {
	if !o.SSLVerify {
		c.InsecureSkipVerify = true
	}
	connect(c)
}
`,
      `package p

func (c *client) config() *tls.Config {
	if !c.skipVerify {
		return nil
	}
	return &tls.Config{InsecureSkipVerify: true}
}
`
    ]
  }
})

/** `InsecureSkipVerify: true` or `c.InsecureSkipVerify = true` */
function skipsVerification(node: SyntaxNode): boolean {
  const [key, value] = [node.childForFieldName("key"), node.childForFieldName("value")]
  if (node.type === "keyed_element") return key?.text === "InsecureSkipVerify" && value?.text === "true"
  return (
    listOf(node, "left").some((one) => one.childForFieldName("field")?.text === "InsecureSkipVerify") &&
    listOf(node, "right").some(({ type }) => type === "true")
  )
}

/** The name of a table, column or the like, which a program takes from its own schema. */
const isSchemaName = (value: SyntaxNode): boolean =>
  /(table|column|seq|sequence|index|schema|constraint)(name)?$/i.test(value.text)

const isText = (node: SyntaxNode | undefined): boolean =>
  node?.type === "interpreted_string_literal" || node?.type === "raw_string_literal"

const builtSql = go({
  id: "go/sql-built-from-values",
  severity: "high",
  confidence: "HIGH",
  title: "A value is put into SQL text instead of being bound",
  why: "A quote in the value ends the string literal, and the rest is run as SQL.",
  fix: "Write a placeholder in the statement and pass the value as an argument.",
  reference: "CWE-89",
  keywords: ["Sprintf", "'\"", "'` +"],
  query: "[(call_expression) (binary_expression)] @claim",
  check: (claim) => {
    if (claim.type === "binary_expression") {
      const left = claim.childForFieldName("left") ?? undefined
      const right = fieldOf(claim, "right", "identifier", "selector_expression", "call_expression", "index_expression")
      if (left === undefined || right === null || !isText(left) || operatorOf(claim) !== "+") return false
      return !/^[A-Z][A-Z0-9_]*$|^strconv\./.test(right.text) && quotesIntoSql(left.text.slice(1, -1), /$/)
    }
    const [format, ...values] = memberOf(claim) === "fmt.Sprintf" ? argumentsOf(claim) : []
    if (format === undefined || !isText(format) || values.every((value) => literal(value) || isSchemaName(value)))
      return false
    return quotesIntoSql(format.text.slice(1, -1), /%[sv]/)
  },
  inTests: false,
  examples: {
    bad: [
      `package p

func find(db *sql.DB, name string) (*sql.Rows, error) {
	return db.Query(fmt.Sprintf("SELECT * FROM users WHERE name = '%s'", name))
}
`,
      `package p

func search(db *sql.DB, q string) {
	stmt := fmt.Sprintf(\`select id from posts where title like '%%%s%%' limit %d\`, q, 10)
	db.Exec(stmt)
}
`,
      `package p

func remove(db *sql.DB, r *http.Request) {
	db.Exec("DELETE FROM sessions WHERE id = '" + r.FormValue("id") + "'")
}
`
    ],
    good: [
      `package p

func find(db *sql.DB, name string) (*sql.Rows, error) {
	return db.Query("SELECT * FROM users WHERE name = ?", name)
}
`,
      `package p

func all(db *sql.DB, table string) (*sql.Rows, error) {
	return db.Query(fmt.Sprintf("SELECT * FROM %s WHERE id = $1", table), 1)
}
`,
      `package p

func page(n int) string {
	return fmt.Sprintf("SELECT id FROM users WHERE age > %d", n)
}
`,
      `package p

func complain(name string) error {
	return fmt.Errorf("select a user, not '%s'", name)
}
`
    ]
  }
})

const shellCommand = go({
  id: "go/shell-command-built",
  severity: "high",
  confidence: "HIGH",
  title: "A shell command line is put together from values",
  why: "Whatever the value holds is read by the shell: a semicolon or a backtick in it runs another command.",
  fix: "Call the program itself with its arguments as a list, without a shell.",
  reference: "CWE-78",
  keywords: ["exec.Command"],
  query: "(call_expression) @claim",
  check: (claim) => {
    const values = /^exec\.Command(Context)?$/.test(memberOf(claim)) ? argumentsOf(claim) : []
    const shell = values.findIndex((one) => /^["`](\/(usr\/)?bin\/)?(ba|z|da|k)?sh["`]$/.test(one.text))
    const line = values[shell + 2]
    return shell >= 0 && /^["`]-\w*c["`]$/.test(values[shell + 1]?.text ?? "") && line !== undefined && isBuilt(line)
  },
  inTests: false,
  examples: {
    bad: [
      `package p

func archive(dir string) error {
	return exec.Command("sh", "-c", "tar czf out.tgz "+dir).Run()
}
`,
      `package p

func ping(ctx context.Context, host string) ([]byte, error) {
	return exec.CommandContext(ctx, "/bin/bash", "-c", fmt.Sprintf("ping -c1 %s", host)).Output()
}
`,
      `package p

func kill(r *http.Request) {
	cmd := exec.Command("bash", "-lc", "pkill "+r.URL.Query().Get("name"))
	cmd.Run()
}
`
    ],
    good: [
      `package p

func archive(dir string) error {
	return exec.Command("tar", "czf", "out.tgz", dir).Run()
}
`,
      `package p

func run(script string) error {
	return exec.Command("sh", "-c", script).Run()
}
`,
      `package p

func stop(pid int) error {
	return exec.Command("sh", "-c", fmt.Sprintf("kill %d", pid)).Run()
}
`
    ]
  }
})

const notANumber = go({
  id: "go/nan-comparison",
  severity: "medium",
  confidence: "HIGH",
  title: "Comparing with NaN is always false",
  why: "NaN is unequal to every number, itself too, so this test never says what it seems to ask.",
  fix: "Use math.IsNaN.",
  reference: "https://pkg.go.dev/math#IsNaN",
  keywords: ["math.NaN"],
  query: "(binary_expression) @claim",
  check: (claim) =>
    ["left", "right"].some((side) => claim.childForFieldName(side)?.text === "math.NaN()") &&
    /^([=!<>]=|[<>])$/.test(operatorOf(claim)),
  inTests: true,
  examples: {
    bad: [
      "package p\n\nfunc bad(x float64) bool { return x == math.NaN() }\n",
      "package p\n\nfunc bad(x float64) bool { return math.NaN() != x }\n",
      "package p\n\nfunc clean(xs []float64) {\n\tfor i, x := range xs {\n\t\tif x == math.NaN() {\n\t\t\txs[i] = 0\n\t\t}\n\t}\n}\n"
    ],
    good: [
      "package p\n\nfunc good(x float64) bool { return math.IsNaN(x) }\n",
      "package p\n\nfunc none() float64 { return math.NaN() }\n",
      "package p\n\nvar x = []float64{math.NaN(), 1}\n"
    ]
  }
})

const requests =
  /^(http\.(Get|Head|Post|PostForm)|http\.DefaultClient\.(Do|Get|Head|Post|PostForm)|(\w+\.)*(httpC|c)lient\.Do)$/

const bodyLeak = go({
  id: "go/response-body-not-closed",
  severity: "medium",
  confidence: "HIGH",
  title: "The response's body is never closed",
  why: "The connection stays open and cannot be used again; under load the process runs out of file descriptors.",
  fix: "After the error check: defer resp.Body.Close().",
  reference: "https://pkg.go.dev/net/http#Response",
  keywords: ["http."],
  query: "(short_var_declaration) @claim",
  check: (claim) => {
    const [response] = listOf(claim, "left")
    if (response?.type !== "identifier") return false
    if (!listOf(claim, "right").some((one) => requests.test(memberOf(one)))) return false
    const owner = enclosing(claim, functions)
    if (owner === null) return false
    if (/client\.Do/.test(claim.text) && !/\bhttp\./.test(owner.text)) return false
    const uses = owner
      .descendantsOfType("identifier")
      .filter((word) => word.text === response.text && word.id !== response.id)
    return response.text !== "_" && uses.every(onlyReads)
  },
  inTests: false,
  examples: {
    bad: [
      `package p

func up(url string) bool {
	resp, err := http.Get(url)
	if err != nil {
		return false
	}
	return resp.StatusCode == 200
}
`,
      `package p

func load(url string) ([]byte, error) {
	resp, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(resp.Body)
}
`,
      `package p

func send(req *http.Request) (v Value, err error) {
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return v, err
	}
	err = json.NewDecoder(res.Body).Decode(&v)
	return v, err
}
`
    ],
    good: [
      `package p

func up(url string) bool {
	resp, err := http.Get(url)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == 200
}
`,
      `package p

func get(url string) (*http.Response, error) {
	resp, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	return resp, nil
}
`,
      `package p

func load(url string) ([]byte, error) {
	resp, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	return readAndClose(resp.Body)
}
`,
      `package p

func up(url string) int {
	resp, err := http.Get(url)
	if err != nil {
		return 0
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode
}
`
    ]
  }
})

const readers = /^(io|ioutil)\.(ReadAll|Copy)$|^json\.NewDecoder$|^xml\.NewDecoder$|^bufio\.New(Reader|Scanner)$/

/** Is this use of a response sure not to close it or to hand it on? */
function onlyReads(use: SyntaxNode): boolean {
  const selector = use.parent
  if (selector?.type !== "selector_expression") return false
  const field = selector.childForFieldName("field")?.text
  if (field !== "Body") return field === "StatusCode" || field === "Status" || field === "Header"
  const list = selector.parent
  return list?.type === "argument_list" && readers.test(list.parent?.childForFieldName("function")?.text ?? "")
}

const sameSides = go({
  id: "go/same-operand-twice",
  severity: "medium",
  confidence: "HIGH",
  title: "Both sides of this operator are the same",
  why: "The result does not depend on the second side, so one of them was meant to be something else.",
  fix: "Compare with the value that was meant.",
  reference: "CWE-1025",
  keywords: ["&&", "||", " == ", " - "],
  query: "(binary_expression) @claim",
  check: (claim) => {
    const left = claim.childForFieldName("left")
    const right = claim.childForFieldName("right")
    if (left === null || right === null || literal(left)) return false
    if (!/^(&&|\|\||==|-)$/.test(operatorOf(claim))) return false
    // A call may answer differently the second time.
    return squeezed(left) === squeezed(right) && !/[(]|<-/.test(left.text)
  },
  inTests: false,
  examples: {
    bad: [
      "package p\n\nfunc same(a, b Point) bool { return a.X == b.X && a.X == b.X }\n",
      "package p\n\nfunc any(a, b bool) bool { return a || a }\n",
      "package p\n\nfunc width(r Rect) int { return r.Max.X - r.Max.X }\n"
    ],
    good: [
      "package p\n\nfunc same(a, b Point) bool { return a.X == b.X && a.Y == b.Y }\n",
      "package p\n\nfunc twice(r *Reader) bool { return r.next() && r.next() }\n",
      "package p\n\nfunc isNaN(f float64) bool { return f != f }\n",
      "package p\n\nconst size = 8 - 8\n"
    ]
  }
})

/** A `//nolint` on the claimed line is the author's answer to the same question, so it is respected. */
const unlessExcused = (rule: SyntaxRule): SyntaxRule => ({
  ...rule,
  check: (captures, file) => {
    const answer = rule.check === undefined ? true : rule.check(captures, file)
    const claim = caught(captures, "claim")
    if (answer === false || claim === null) return false
    const line = typeof answer === "object" ? answer.line : linesOf(claim).line
    return /\/\/\s*nolint/.test(file.head?.[line - 1] ?? "") ? false : answer
  }
})

const rules: ReadonlyArray<SyntaxRule> = [
  ...goErrorRules,
  ...goConcurrencyRules,
  insecureTls,
  builtSql,
  shellCommand,
  notANumber,
  bodyLeak,
  sameSides
]

export const goRules: ReadonlyArray<SyntaxRule> = rules.map(unlessExcused)
