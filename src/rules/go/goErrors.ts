/** What dd knows about errors in Go: lost, overwritten, looked at too late. */
import { linesOf, type SyntaxRule } from "../../domain/finding/Rule.ts"
import { after, before, enclosing, fieldOf, hasComment, mentions, parts, rootOf, within } from "../../languages/tree.ts"
import {
  argumentsOf,
  bodyOf,
  checksError,
  functions,
  go,
  holderOf,
  isAssignment,
  isErrorName,
  isZero,
  lastResult,
  leaves,
  memberOf,
  namesOn,
  operatorOf,
  structOf
} from "./goTree.ts"

const closeBeforeCheck = go({
  id: "go/defer-before-error-check",
  severity: "medium",
  confidence: "HIGH",
  title: "The value is used in a defer before its error is checked",
  why: "When the call fails the value is usually nil, and the deferred call then panics and hides the real error.",
  fix: "Check the error first, then defer.",
  reference: "https://pkg.go.dev/net/http#Get",
  keywords: ["defer "],
  query: "(defer_statement) @claim",
  check: (claim) => {
    const opened = before(claim)
    const checked = after(claim)
    if (opened === null || checked === null || !isAssignment(opened)) return false
    if (claim.parent?.type !== "statement_list") return false
    const names = namesOn(opened, "left")
    const error = names.at(-1)
    const value = names[0]
    if (names.length < 2 || value === undefined || value === "_" || error === undefined) return false
    const called = parts(claim)[0]?.childForFieldName("function")
    return called?.type === "selector_expression" && called.text.startsWith(`${value}.`) && checksError(checked, error)
  },
  inTests: true,
  examples: {
    bad: [
      `package p

func get(url string) error {
	resp, err := http.Get(url)
	defer resp.Body.Close()
	if err != nil {
		return err
	}
	return read(resp)
}
`,
      `package p

func list(db *sql.DB) error {
	rows, err := db.Query("select id from users")
	// always release the connection
	defer rows.Close()
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	return scan(rows)
}
`,
      `package p

func load(path string) (err error) {
	var f *os.File
	f, err = os.Open(path)
	defer f.Close()
	if err != nil {
		return err
	}
	return decode(f)
}
`
    ],
    good: [
      `package p

func get(url string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return read(resp)
}
`,
      `package p

func locked(s *Store) error {
	v, err := s.load()
	defer s.mu.Unlock()
	if err != nil {
		return err
	}
	return use(v)
}
`,
      `package p

func run() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := start(ctx); err != nil {
		return err
	}
	return nil
}
`,
      `package p

func guarded(path string) error {
	f, err := os.Open(path)
	defer func() {
		if f != nil {
			f.Close()
		}
	}()
	if err != nil {
		return err
	}
	return nil
}
`
    ]
  }
})

const swallowedError = go({
  id: "go/error-swallowed",
  severity: "medium",
  confidence: "MEDIUM",
  title: "The error is found and then reported as success",
  why: "The function tells its caller through its last result whether it worked; here it has an error in hand and returns nil.",
  fix: "Return the error, wrapped with what was tried; if it may be ignored, say why in a comment.",
  reference: "CWE-390",
  keywords: ["!= nil"],
  query: "(return_statement) @claim",
  check: (claim) => {
    const returned = parts(claim)[0]
    const values = returned === undefined ? [] : parts(returned)
    if (values.length === 0 || values.at(-1)?.type !== "nil" || !values.every(isZero)) return false
    const test = holderOf(claim, "if_statement", "consequence")
    const condition = test === null ? null : fieldOf(test, "condition", "binary_expression")
    if (test === null || condition === null || operatorOf(condition) !== "!=") return false
    const error = condition.childForFieldName("left")
    if (error === null || !isErrorName(error) || condition.childForFieldName("right")?.type !== "nil") return false
    const owner = enclosing(claim, functions)
    if (owner === null || lastResult(owner) !== "error") return false
    const block = test.childForFieldName("consequence")
    const previous = test.previousNamedSibling
    if (block === null || hasComment(block) || claim.parent === null || hasComment(claim.parent)) return false
    if (parts(claim.parent).length > 1) return false
    return previous?.type !== "comment" && !/\/\//.test(claim.text)
  },
  inTests: false,
  examples: {
    bad: [
      `package p

func (s *Store) Save(v Value) error {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return s.write(data)
}
`,
      `package p

func find(id string) (*User, error) {
	u, err := db.Load(id)
	if err != nil {
		return nil, nil
	}
	return u, nil
}
`,
      `package p

func count(path string) (int, error) {
	if data, err := os.ReadFile(path); err != nil {
		return 0, nil
	} else {
		return len(data), nil
	}
}
`
    ],
    good: [
      `package p

func (s *Store) Save(v Value) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.write(data)
}
`,
      `package p

func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil, err
}
`,
      `package p

func parse(s string) *Value {
	v, err := decode(s)
	if err != nil {
		return nil
	}
	return v
}
`,
      `package p

func warm(c *Cache) error {
	v, err := c.load()
	if err != nil {
		// a cold cache is not an error
		return nil
	}
	return c.put(v)
}
`,
      `package p

func tidy(dir string) error {
	err := os.RemoveAll(dir)
	if err != nil {
		log.Printf("not removed: %v", err)
		return nil
	}
	return nil
}
`
    ]
  }
})

const staleError = go({
  id: "go/nil-error-returned",
  severity: "high",
  confidence: "HIGH",
  title: "This failure returns an error that is known to be nil here",
  why: "The error was checked above and is nil on this path, so the caller is told that everything went well.",
  fix: "Make a new error that says what is wrong on this path.",
  reference: "https://go.dev/doc/effective_go#errors",
  keywords: ["!= nil"],
  query: "(return_statement) @claim",
  check: (claim) => {
    const returned = parts(claim)[0]
    const values = returned === undefined ? [] : parts(returned)
    const last = values.at(-1)
    if (last === undefined) return false
    const wrapped = /^(fmt\.Errorf|errors\.Wrapf?|errors\.WithStack|errors\.WithMessagef?)\(/.test(last.text)
    const error =
      last.type === "identifier" ? last.text : wrapped ? argumentsOf(last).find(isErrorName)?.text : undefined
    if (error === undefined || !/^err$|Err$/.test(error)) return false
    // A bare name is only a failure when what comes before it is empty-handed.
    const emptyHanded = values.length > 1 && values.slice(0, -1).every((value) => /^(nil|"")$/.test(value.text))
    if (!wrapped && !emptyHanded) return false
    const test = holderOf(claim, "if_statement", "consequence")
    const owner = enclosing(claim, functions)
    if (test === null || after(claim) !== null || owner === null || lastResult(owner) !== "error") return false
    const block = test.childForFieldName("consequence")
    const saysMore = block === null || bodyOf(block).some((one) => one.id !== claim.id && mentions(one, error))
    const condition = test.childForFieldName("condition")
    const initializer = test.childForFieldName("initializer")
    if (saysMore || condition === null || mentions(condition, error)) return false
    if (initializer !== null && mentions(initializer, error)) return false
    for (let at = before(test); at !== null; at = before(at)) {
      if (checksError(at, error))
        return at.childForFieldName("initializer") === null && leaves(at.childForFieldName("consequence"))
      if (mentions(at, error)) return false
    }
    return false
  },
  inTests: false,
  examples: {
    bad: [
      `package p

func fetch(url string) ([]byte, error) {
	resp, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != 200 {
		return nil, err
	}
	return read(resp)
}
`,
      `package p

func open(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	size := info.Size()
	if size == 0 {
		return fmt.Errorf("empty file %s: %w", name, err)
	}
	return nil
}
`,
      `package p

func token(r *http.Request) (string, error) {
	c, err := r.Cookie("token")
	if err != nil {
		return "", err
	}
	if c.Value == "" {
		return "", errors.Wrap(err, "empty token")
	}
	return c.Value, nil
}
`
    ],
    good: [
      `package p

func fetch(url string) ([]byte, error) {
	resp, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != 200 {
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	return read(resp)
}
`,
      `package p

func fetch(url string) ([]byte, error) {
	resp, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	body, err := read(resp)
	if len(body) == 0 {
		return nil, err
	}
	return body, err
}
`,
      `package p

func pick(a, b Source) (Value, error) {
	v, err := a.load()
	if err != nil {
		v, err = b.load()
	}
	if v == nil {
		return nil, err
	}
	return v, nil
}
`,
      `package p

func done(ctx context.Context) error {
	err := work(ctx)
	if err != nil {
		return err
	}
	if finished {
		return err
	}
	return next(ctx)
}
`
    ]
  }
})

const overwrittenError = go({
  id: "go/error-overwritten",
  severity: "medium",
  confidence: "HIGH",
  title: "The error is overwritten by the next statement before anyone reads it",
  why: "If the first call fails, nobody learns about it and the code goes on with a value that was never made.",
  fix: "Check the error before the next call, or assign it to _ when it really does not matter.",
  reference: "CWE-252",
  keywords: ["err"],
  query: "[(short_var_declaration) (assignment_statement)] @claim",
  check: (claim) => {
    const error = namesOn(claim, "left").find((name) => /^err$|Err$/.test(name))
    const next = error === undefined || claim.parent?.type !== "statement_list" ? null : after(claim)
    const right = claim.childForFieldName("right")
    const nextRight = next?.childForFieldName("right") ?? null
    if (next === null || right === null || nextRight === null || !isAssignment(next)) return false
    if (error === undefined || !namesOn(next, "left").includes(error) || mentions(nextRight, error)) return false
    return parts(right)[0]?.type === "call_expression" && parts(nextRight)[0]?.type === "call_expression"
  },
  inTests: false,
  examples: {
    bad: [
      `package p

func load() error {
	a, err := readA()
	b, err := readB()
	if err != nil {
		return err
	}
	return use(a, b)
}
`,
      `package p

func save(f *os.File, data []byte) error {
	_, err := f.Write(data)
	err = f.Close()
	return err
}
`,
      `package p

func parse(a, b string) (x, y int, err error) {
	x, err = strconv.Atoi(a)
	// the second number
	y, err = strconv.Atoi(b)
	return x, y, err
}
`
    ],
    good: [
      `package p

func load() error {
	a, err := readA()
	if err != nil {
		return err
	}
	b, err := readB()
	return join(a, b, err)
}
`,
      `package p

func save(f *os.File, data []byte) error {
	_, err := f.Write(data)
	err = errors.Join(err, f.Close())
	return err
}
`,
      `package p

func save(f *os.File, data []byte) error {
	_, _ = f.Write(data)
	err := f.Close()
	return err
}
`,
      `package p

func wrap() error {
	err := work()
	err = fmt.Errorf("work: %w", err)
	return err
}
`
    ]
  }
})

const errorWithoutReturn = go({
  id: "go/handler-continues-after-error",
  severity: "high",
  confidence: "HIGH",
  title: "The handler goes on after it has sent an error response",
  why: "http.Error does not end the handler: the code below runs with bad input and writes a second answer.",
  fix: "Return after http.Error.",
  reference: "https://pkg.go.dev/net/http#Error",
  keywords: ["http.Error", "http.NotFound", "http.Redirect"],
  query: "(expression_statement) @claim",
  check: (claim) => {
    const call = parts(claim)[0]
    if (call === undefined || !/^http\.(Error|NotFound|Redirect)$/.test(memberOf(call))) return false
    const [writer] = argumentsOf(call)
    const branch = holderOf(claim, "if_statement", "consequence")
    if (writer?.type !== "identifier" || branch === null || after(claim) !== null) return false
    if (branch.childForFieldName("alternative") !== null) return false
    // An `else if` is a branch among others; what follows it is not its continuation alone.
    if (branch.parent?.type !== "statement_list") return false
    for (let at = after(branch); at !== null; at = after(at)) {
      if (at.type === "return_statement" && parts(at).length === 0) return false
      if (mentions(at, writer.text)) return true
    }
    return false
  },
  inTests: false,
  examples: {
    bad: [
      `package p

func handle(w http.ResponseWriter, r *http.Request) {
	user, err := load(r)
	if err != nil {
		http.Error(w, "not found", http.StatusNotFound)
	}
	fmt.Fprint(w, user.Name)
}
`,
      `package p

func login(w http.ResponseWriter, r *http.Request) {
	if !allowed(r) {
		log.Print("refused")
		http.Redirect(w, r, "/login", http.StatusFound)
	}
	render(w, "secret")
}
`,
      `package p

func save(w http.ResponseWriter, r *http.Request) {
	if r.Method != "POST" {
		http.Error(w, "method", 405)
	}
	store(r)
	w.WriteHeader(204)
}
`
    ],
    good: [
      `package p

func handle(w http.ResponseWriter, r *http.Request) {
	user, err := load(r)
	if err != nil {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	fmt.Fprint(w, user.Name)
}
`,
      `package p

func handle(w http.ResponseWriter, r *http.Request) {
	if ok(r) {
		fmt.Fprint(w, "ok")
	} else {
		http.Error(w, "no", 400)
	}
}
`,
      `package p

func handle(w http.ResponseWriter, r *http.Request) {
	if err := save(r); err != nil {
		http.Error(w, err.Error(), 500)
	}
	metrics.Inc()
}
`
    ]
  }
})

const uselessRecover = go({
  id: "go/recover-without-effect",
  severity: "medium",
  confidence: "HIGH",
  title: "Deferring recover itself does not stop a panic",
  why: "recover works only when a deferred function calls it; as the deferred call itself it returns nil.",
  fix: "defer func() { if r := recover(); r != nil { ... } }()",
  reference: "https://go.dev/ref/spec#Handling_panics",
  keywords: ["recover()"],
  query: "(defer_statement) @claim",
  check: (claim) => {
    const call = parts(claim)[0]
    return call?.type === "call_expression" && call.childForFieldName("function")?.text === "recover"
  },
  inTests: true,
  examples: {
    bad: [
      "package p\n\nfunc f() {\n\tdefer recover()\n\twork()\n}\n",
      "package p\n\nfunc f() {\n\tgo func() {\n\t\tdefer recover()\n\t\twork()\n\t}()\n}\n",
      "package p\n\nfunc (s *S) f() {\n\ts.start()\n\tdefer recover()\n}\n"
    ],
    good: [
      "package p\n\nfunc f() {\n\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tlog.Print(r)\n\t\t}\n\t}()\n\twork()\n}\n",
      "package p\n\nfunc f() {\n\tdefer s.recover()\n\twork()\n}\n",
      "package p\n\nfunc f() {\n\tdefer handle()\n}\n\nfunc handle() { recover() }\n"
    ]
  }
})

const decodeIntoValue = go({
  id: "go/decode-into-value",
  severity: "high",
  confidence: "HIGH",
  title: "The decoder is given a value where it needs a pointer",
  why: "Unmarshal cannot fill a copy: it returns an error every time and the variable stays empty.",
  fix: "Pass the address: &value.",
  reference: "https://pkg.go.dev/encoding/json#Unmarshal",
  keywords: ["Unmarshal("],
  query: "(call_expression) @claim",
  check: (claim) => {
    const given = /^(json|xml|yaml)\.Unmarshal$/.test(memberOf(claim)) ? argumentsOf(claim) : []
    const target = given.length > 1 ? given.at(-1) : undefined
    const owner = target?.type === "identifier" ? enclosing(claim, functions) : null
    if (target === undefined || owner === null) return false
    const declared = owner
      .descendantsOfType("var_spec")
      .filter((one) => one.childForFieldName("name")?.text === target.text)
    const type = declared.length === 1 ? declared[0]?.childForFieldName("type") : undefined
    const assigned = within(owner, ["assignment_statement", "short_var_declaration"]).some((one) =>
      namesOn(one, "left").includes(target.text)
    )
    // A plain type name may stand for an interface or a pointer of another file; a struct literal of this one may not.
    if (!type || assigned) return false
    const isValue =
      type.type === "type_identifier"
        ? structOf(rootOf(claim), type.text)?.type === "struct_type"
        : ["slice_type", "map_type", "array_type", "struct_type"].includes(type.type)
    return isValue && linesOf(target)
  },
  inTests: true,
  examples: {
    bad: [
      "package p\n\ntype Config struct{ Name string }\n\nfunc load(data []byte) (Config, error) {\n\tvar c Config\n\terr := json.Unmarshal(data, c)\n\treturn c, err\n}\n",
      "package p\n\nfunc load(data []byte) {\n\tvar items []string\n\t_ = json.Unmarshal(data, items)\n\tuse(items)\n}\n",
      "package p\n\nfunc load(data []byte) error {\n\tvar m map[string]any\n\treturn yaml.Unmarshal(data, m)\n}\n"
    ],
    good: [
      "package p\n\ntype Config struct{ Name string }\n\nfunc load(data []byte) (Config, error) {\n\tvar c Config\n\terr := json.Unmarshal(data, &c)\n\treturn c, err\n}\n",
      "package p\n\nfunc load(data []byte, out any) error {\n\treturn json.Unmarshal(data, out)\n}\n",
      "package p\n\nfunc load(data []byte) error {\n\tvar c *Config\n\treturn json.Unmarshal(data, c)\n}\n"
    ]
  }
})

export const goErrorRules: ReadonlyArray<SyntaxRule> = [
  closeBeforeCheck,
  swallowedError,
  staleError,
  overwrittenError,
  errorWithoutReturn,
  uselessRecover,
  decodeIntoValue
]
