/** What dd knows about Go: defects that can be proved from one file. */
import type { SyntaxRule } from "../domain/Rule.ts"
import { linesOf } from "../domain/Rule.ts"
import type { SyntaxNode } from "../domain/Syntax.ts"
import {
  after,
  before,
  caught,
  enclosing,
  hasComment,
  mentions,
  parts,
  quotesIntoSql,
  rootOf,
  squeezed,
  within
} from "./tree.ts"

const go = { _tag: "Syntax", stack: "go", grammars: ["go"] } as const

const functions = ["function_declaration", "method_declaration", "func_literal"]
const locks = ["Mutex", "RWMutex", "WaitGroup", "Once", "Cond"]

const bodyOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  parts(node).flatMap((child) => (child.type === "statement_list" ? parts(child) : [child]))

const namesOn = (node: SyntaxNode, field: string): ReadonlyArray<string> =>
  (node.childForFieldName(field)?.namedChildren ?? []).map((name) => name.text)

const isAssignment = (node: SyntaxNode): boolean =>
  node.type === "short_var_declaration" || node.type === "assignment_statement"

/** `if name != nil` and nothing more. */
const checksError = (node: SyntaxNode, name: string): boolean =>
  node.type === "if_statement" && squeezedCondition(node) === `${name}!=nil`

const squeezedCondition = (node: SyntaxNode): string => {
  const condition = node.childForFieldName("condition")
  return condition === null ? "" : squeezed(condition)
}

const leaves = (node: SyntaxNode | null): boolean => {
  const last = node === null ? undefined : bodyOf(node).at(-1)
  return (
    last !== undefined &&
    (/^(return|continue|break|goto)_statement$/.test(last.type) || /^(panic|os\.Exit|log\.Fatal\w*)\(/.test(last.text))
  )
}

/** The last result's type as written; null for a function without results. */
const lastResult = (node: SyntaxNode): string | null => {
  const result = node.childForFieldName("result")
  if (result === null) return null
  if (result.type !== "parameter_list") return result.text
  return parts(result).at(-1)?.childForFieldName("type")?.text ?? null
}

const literal = (node: SyntaxNode): boolean =>
  /^(interpreted_string_literal|raw_string_literal|int_literal|float_literal|true|false|nil)$/.test(node.type)

const argumentsOf = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const list = call.childForFieldName("arguments")
  return list === null ? [] : parts(list)
}

/** Text put together at run time: `a + b` with a part that is no literal, or fmt.Sprintf with a %s or %v. */
const isBuilt = (node: SyntaxNode): boolean => {
  if (node.type === "binary_expression")
    return within(node, ["identifier", "selector_expression", "call_expression", "index_expression"]).length > 0
  if (node.type !== "call_expression" || node.childForFieldName("function")?.text !== "fmt.Sprintf") return false
  const [format, ...values] = argumentsOf(node)
  return format !== undefined && /%\+?[sv]/.test(format.text) && values.some((value) => !literal(value))
}

const structOf = (root: SyntaxNode, name: string): SyntaxNode | null =>
  root
    .descendantsOfType("type_spec")
    .find((spec) => spec.childForFieldName("name")?.text === name)
    ?.childForFieldName("type") ?? null

const holdsLock = (struct: SyntaxNode): string | null => {
  if (struct.type !== "struct_type") return null
  for (const field of struct.descendantsOfType("field_declaration")) {
    const type = field.childForFieldName("type")
    const embeddedPointer = field.childForFieldName("name") === null && field.text.startsWith("*")
    if (type?.type === "qualified_type" && !embeddedPointer && locks.some((lock) => type.text === `sync.${lock}`))
      return type.text
  }
  return null
}

const deferInLoop: SyntaxRule = {
  ...go,
  id: "go/defer-in-loop",
  severity: "medium",
  confidence: "HIGH",
  title: "A defer inside a loop runs only when the function returns",
  why: "Deferred calls pile up until the whole function ends, so files, locks or connections of every round stay open at once.",
  fix: "Move the loop's body into a function of its own, or make the call at the end of the round.",
  reference: "https://go.dev/ref/spec#Defer_statements",
  keywords: ["defer "],
  query: "(for_statement body: (block (statement_list (defer_statement) @claim)))",
  check: (captures) => {
    const claim = caught(captures, "claim")
    const list = claim?.parent
    if (!claim || !list) return false
    const statements = parts(list)
    // A loop that only registers clean-up for what was opened before means what it does.
    if (statements.every((one) => one.type === "defer_statement")) return false
    const last = statements.at(-1)
    return last !== undefined && !["return_statement", "break_statement"].includes(last.type)
  },
  inTests: false,
  examples: {
    bad: [
      `package p

func readAll(paths []string) error {
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		process(f)
	}
	return nil
}
`,
      `package p

func (s *Store) drain() {
	for i := 0; i < 10; i++ {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.step(i)
	}
}
`,
      `package p

func poll(c *Client) {
	for {
		resp := c.get()
		defer resp.Body.Close()
		handle(resp)
	}
}
`
    ],
    good: [
      `package p

func readAll(paths []string) {
	for _, path := range paths {
		func() {
			f, _ := os.Open(path)
			defer f.Close()
			process(f)
		}()
	}
}
`,
      `package p

func run(files []*os.File) {
	for _, f := range files {
		defer f.Close()
	}
	work(files)
}
`,
      `package p

func first(paths []string) error {
	for _, path := range paths {
		f := open(path)
		defer f.Close()
		return process(f)
	}
	return nil
}
`,
      `package p

func start(jobs []Job) {
	for _, job := range jobs {
		go func() {
			defer wg.Done()
			job.Run()
		}()
	}
}
`
    ]
  }
}

const closeBeforeCheck: SyntaxRule = {
  ...go,
  id: "go/defer-before-error-check",
  severity: "medium",
  confidence: "HIGH",
  title: "The value is used in a defer before its error is checked",
  why: "When the call fails the value is usually nil, and the deferred call then panics and hides the real error.",
  fix: "Check the error first, then defer.",
  reference: "https://pkg.go.dev/net/http#Get",
  keywords: ["defer "],
  query: "(statement_list (defer_statement (call_expression)) @claim)",
  check: (captures) => {
    const claim = caught(captures, "claim")
    const opened = claim === null ? null : before(claim)
    const checked = claim === null ? null : after(claim)
    if (claim === null || opened === null || checked === null || !isAssignment(opened)) return false
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
}

const swallowedError: SyntaxRule = {
  ...go,
  id: "go/error-swallowed",
  severity: "medium",
  confidence: "MEDIUM",
  title: "The error is found and then reported as success",
  why: "The function tells its caller through its last result whether it worked; here it has an error in hand and returns nil.",
  fix: "Return the error, wrapped with what was tried; if it may be ignored, say why in a comment.",
  reference: "CWE-390",
  keywords: ["!= nil"],
  query:
    '(if_statement condition: (binary_expression left: (identifier) @error operator: "!=" right: (nil)) consequence: (block (statement_list . (return_statement) @claim .)))',
  check: (captures) => {
    const claim = caught(captures, "claim")
    const error = caught(captures, "error")
    const owner = claim === null ? null : enclosing(claim, functions)
    const test = claim === null ? null : enclosing(claim, ["if_statement"])
    if (claim === null || error === null || owner === null || test === null) return false
    if (!/^err$|Err$/.test(error.text) || lastResult(owner) !== "error") return false
    const block = test.childForFieldName("consequence")
    const previous = test.previousNamedSibling
    if (block === null || hasComment(block) || claim.parent === null || hasComment(claim.parent)) return false
    if (previous?.type === "comment" || /\/\//.test(claim.text)) return false
    const returned = parts(claim)[0]
    const values = returned === undefined ? [] : parts(returned)
    return values.length > 0 && values.at(-1)?.type === "nil" && values.every(isZero)
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
}

function isZero(node: SyntaxNode): boolean {
  return /^(nil|""|0|false|[\w.]+\{\})$/.test(node.text)
}

const staleError: SyntaxRule = {
  ...go,
  id: "go/nil-error-returned",
  severity: "high",
  confidence: "HIGH",
  title: "This failure returns an error that is known to be nil here",
  why: "The error was checked above and is nil on this path, so the caller is told that everything went well.",
  fix: "Make a new error that says what is wrong on this path.",
  reference: "https://go.dev/doc/effective_go#errors",
  keywords: ["!= nil"],
  query: "(if_statement consequence: (block (statement_list (return_statement (expression_list)) @claim .)))",
  check: (captures) => {
    const claim = caught(captures, "claim")
    const test = claim === null ? null : enclosing(claim, ["if_statement"])
    const owner = claim === null ? null : enclosing(claim, functions)
    if (claim === null || test === null || owner === null || lastResult(owner) !== "error") return false
    const values = parts(claim)[0] === undefined ? [] : parts(parts(claim)[0] as SyntaxNode)
    const last = values.at(-1)
    if (last === undefined) return false
    const wrapped = /^(fmt\.Errorf|errors\.Wrapf?|errors\.WithStack|errors\.WithMessagef?)\(/.test(last.text)
    const error =
      last.type === "identifier" ? last.text : wrapped ? argumentsOf(last).find(isErrorName)?.text : undefined
    if (error === undefined || !/^err$|Err$/.test(error)) return false
    // A bare name is only a failure when what comes before it is empty-handed.
    const emptyHanded = values.length > 1 && values.slice(0, -1).every((value) => /^(nil|"")$/.test(value.text))
    if (!wrapped && !emptyHanded) return false
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
}

function isErrorName(node: SyntaxNode): boolean {
  return node.type === "identifier" && /^err$|Err$/.test(node.text)
}

const overwrittenError: SyntaxRule = {
  ...go,
  id: "go/error-overwritten",
  severity: "medium",
  confidence: "HIGH",
  title: "The error is overwritten by the next statement before anyone reads it",
  why: "If the first call fails, nobody learns about it and the code goes on with a value that was never made.",
  fix: "Check the error before the next call, or assign it to _ when it really does not matter.",
  reference: "CWE-252",
  keywords: ["err"],
  query: "(statement_list [(short_var_declaration) (assignment_statement)] @claim)",
  check: (captures) => {
    const claim = caught(captures, "claim")
    const next = claim === null ? null : after(claim)
    const right = claim?.childForFieldName("right") ?? null
    const nextRight = next?.childForFieldName("right") ?? null
    if (claim === null || next === null || right === null || nextRight === null || !isAssignment(next)) return false
    const error = namesOn(claim, "left").find((name) => /^err$|Err$/.test(name))
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
}

const addInGoroutine: SyntaxRule = {
  ...go,
  id: "go/wait-group-add-in-goroutine",
  severity: "high",
  confidence: "HIGH",
  title: "WaitGroup.Add is called inside the goroutine it counts",
  why: "Wait can run before the goroutine is scheduled, see a count of zero and return while the work has not begun.",
  fix: "Call Add before the go statement, or use WaitGroup.Go.",
  reference: "https://pkg.go.dev/sync#WaitGroup.Add",
  keywords: [".Add("],
  query:
    '(go_statement (call_expression function: (func_literal body: (block (statement_list (expression_statement (call_expression function: (selector_expression operand: (_) @group field: (field_identifier) @add (#eq? @add "Add")) arguments: (argument_list (int_literal)))) @claim)))))',
  check: (captures) => {
    const claim = caught(captures, "claim")
    const group = caught(captures, "group")
    const owner = claim === null ? null : enclosing(claim, ["func_literal"])
    if (group === null || owner === null) return false
    return within(owner, ["call_expression"], ["func_literal"]).some((call) => call.text === `${group.text}.Done()`)
  },
  inTests: true,
  examples: {
    bad: [
      `package p

func run(jobs []Job) {
	var wg sync.WaitGroup
	for _, job := range jobs {
		go func() {
			wg.Add(1)
			defer wg.Done()
			job.Run()
		}()
	}
	wg.Wait()
}
`,
      `package p

func (s *Server) start() {
	go func() {
		s.wg.Add(1)
		s.serve()
		s.wg.Done()
	}()
}
`,
      `package p

func pair() {
	wg := &sync.WaitGroup{}
	go func(n int) {
		wg.Add(1)
		defer wg.Done()
		work(n)
	}(1)
	wg.Wait()
}
`
    ],
    good: [
      `package p

func run(jobs []Job) {
	var wg sync.WaitGroup
	for _, job := range jobs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			job.Run()
		}()
	}
	wg.Wait()
}
`,
      `package p

func spawn() {
	go func() {
		wg.Add(1)
		go func() {
			defer wg.Done()
			work()
		}()
	}()
}
`,
      `package p

func count() {
	go func() {
		total.Add(1)
		work()
	}()
}
`
    ]
  }
}

const lockReceiver: SyntaxRule = {
  ...go,
  id: "go/lock-copied-by-receiver",
  severity: "high",
  confidence: "HIGH",
  title: "A value receiver copies the lock, so it protects nothing",
  why: "Every call works on its own copy of the struct and of the lock in it; two callers never wait for each other.",
  fix: "Use a pointer receiver.",
  reference: "https://pkg.go.dev/sync#Mutex",
  keywords: ["sync."],
  query:
    "(method_declaration receiver: (parameter_list (parameter_declaration type: [(type_identifier) (generic_type)] @type) @claim))",
  check: (captures) => {
    const type = caught(captures, "type")
    const name = type?.type === "generic_type" ? type.childForFieldName("type")?.text : type?.text
    if (type === null || name === undefined) return false
    const struct = structOf(rootOf(type), name)
    const lock = struct === null ? null : holdsLock(struct)
    return lock !== null && { ...linesOf(type), title: `The value receiver copies the ${lock} in ${name}` }
  },
  inTests: true,
  examples: {
    bad: [
      `package p

type Counter struct {
	mu sync.Mutex
	n  int
}

func (c Counter) Add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}
`,
      `package p

type Cache[K comparable] struct {
	sync.RWMutex
	items map[K]string
}

func (c Cache[K]) Get(k K) string {
	c.RLock()
	defer c.RUnlock()
	return c.items[k]
}
`,
      `package p

func (p Pool) Wait() { p.wg.Wait() }

type Pool struct {
	wg sync.WaitGroup
}
`
    ],
    good: [
      `package p

type Counter struct {
	mu sync.Mutex
	n  int
}

func (c *Counter) Add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}
`,
      `package p

type Handle struct {
	mu *sync.Mutex
}

func (h Handle) Lock() { h.mu.Lock() }
`,
      `package p

type Options struct {
	Name string
}

type state struct {
	mu sync.Mutex
}

func (o Options) String() string { return o.Name }
`,
      `package p

type Shared struct {
	*sync.Mutex
}

func (s Shared) Do() { s.Lock() }
`
    ]
  }
}

const lockParameter: SyntaxRule = {
  ...go,
  id: "go/lock-passed-by-value",
  severity: "high",
  confidence: "HIGH",
  title: "A lock is passed by value, so the callee works on a copy",
  why: "The values of package sync must not be copied after first use: the copy's state is unrelated to the caller's.",
  fix: "Pass a pointer.",
  reference: "https://pkg.go.dev/sync",
  keywords: ["sync."],
  query: `(parameter_declaration type: (qualified_type) @claim (#match? @claim "^sync\\\\.(${locks.join("|")})$"))`,
  check: (captures) => {
    const claim = caught(captures, "claim")
    const list = claim?.parent?.parent ?? null
    const owner = list?.parent ?? null
    // Results named in a signature and types of function values say nothing about a copy being made.
    return list !== null && owner !== null && functions.includes(owner.type) && isParameters(owner, list)
  },
  inTests: true,
  examples: {
    bad: [
      `package p

func worker(id int, wg sync.WaitGroup) {
	defer wg.Done()
	work(id)
}
`,
      `package p

func update(mu sync.Mutex, m map[string]int) {
	mu.Lock()
	m["a"]++
	mu.Unlock()
}
`,
      `package p

var once = func(o sync.Once) {
	o.Do(setup)
}
`
    ],
    good: [
      `package p

func worker(id int, wg *sync.WaitGroup) {
	defer wg.Done()
	work(id)
}
`,
      `package p

func lock(l sync.Locker) { l.Lock() }
`,
      `package p

func fresh() (mu sync.Mutex) { return }
`
    ]
  }
}

function isParameters(owner: SyntaxNode, list: SyntaxNode): boolean {
  return owner.childForFieldName("parameters")?.id === list.id
}

const insecureTls: SyntaxRule = {
  ...go,
  id: "go/tls-verification-off",
  severity: "high",
  confidence: "HIGH",
  title: "TLS certificates are not verified",
  why: "With InsecureSkipVerify anyone between the two ends can present their own certificate and read or change the traffic.",
  fix: "Trust the right authority through RootCAs, or check the peer in VerifyConnection.",
  reference: "CWE-295",
  keywords: ["InsecureSkipVerify"],
  query: `([
    (keyed_element key: (literal_element (identifier) @key) value: (literal_element (true)))
    (assignment_statement left: (expression_list (selector_expression field: (field_identifier) @key)) right: (expression_list (true)))
  ] @claim (#eq? @key "InsecureSkipVerify"))`,
  check: (captures) => {
    const claim = caught(captures, "claim")
    const around = claim?.parent ?? null
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
}

const builtSql: SyntaxRule = {
  ...go,
  id: "go/sql-built-from-values",
  severity: "high",
  confidence: "HIGH",
  title: "A value is put into SQL text instead of being bound",
  why: "A quote in the value ends the string literal, and the rest is run as SQL.",
  fix: "Write a placeholder in the statement and pass the value as an argument.",
  reference: "CWE-89",
  keywords: ["Sprintf", "'\"", "'` +"],
  query: `[
    (call_expression function: (selector_expression) @function arguments: (argument_list . [(interpreted_string_literal) (raw_string_literal)] @text) (#eq? @function "fmt.Sprintf"))
    (binary_expression left: [(interpreted_string_literal) (raw_string_literal)] @text operator: "+" right: [(identifier) (selector_expression) (call_expression) (index_expression)] @value)
  ] @claim`,
  check: (captures) => {
    const claim = caught(captures, "claim")
    const text = caught(captures, "text")?.text.slice(1, -1)
    const value = caught(captures, "value")
    if (claim === null || text === undefined) return false
    if (value !== null) return !/^[A-Z][A-Z0-9_]*$|^strconv\./.test(value.text) && quotesIntoSql(text, /$/)
    return (
      argumentsOf(claim)
        .slice(1)
        .some((one) => !literal(one)) && quotesIntoSql(text, /%[sv]/)
    )
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
}

const shellCommand: SyntaxRule = {
  ...go,
  id: "go/shell-command-built",
  severity: "high",
  confidence: "HIGH",
  title: "A shell command line is put together from values",
  why: "Whatever the value holds is read by the shell: a semicolon or a backtick in it runs another command.",
  fix: "Call the program itself with its arguments as a list, without a shell.",
  reference: "CWE-78",
  keywords: ["exec.Command"],
  query:
    '(call_expression function: (selector_expression) @function arguments: (argument_list) @arguments (#match? @function "^exec\\\\.Command(Context)?$")) @claim',
  check: (captures) => {
    const claim = caught(captures, "claim")
    const values = claim === null ? [] : argumentsOf(claim)
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
}

const fatalInGoroutine: SyntaxRule = {
  ...go,
  id: "go/test-fatal-in-goroutine",
  severity: "medium",
  confidence: "HIGH",
  title: "The test is stopped from a goroutine that is not the test's",
  why: "FailNow ends only the goroutine that calls it: the test goes on, or hangs waiting for the one that ended.",
  fix: "Use t.Error and return, or send the error to the test over a channel.",
  reference: "https://pkg.go.dev/testing#T.FailNow",
  keywords: ["testing."],
  query:
    "(go_statement (call_expression function: (func_literal parameters: (parameter_list) @parameters body: (block) @body)))  @claim",
  check: (captures) => {
    const body = caught(captures, "body")
    const parameters = caught(captures, "parameters")
    if (body === null || parameters === null || /testing\./.test(parameters.text)) return false
    const call = within(body, ["call_expression"], ["func_literal"]).find((one) =>
      /^((t|b|tb)\.(Fatalf?|FailNow|Skip(f|Now)?)|require\.\w+)$/.test(one.childForFieldName("function")?.text ?? "")
    )
    if (call === undefined) return false
    const isRequire = call.text.startsWith("require.")
    return (!isRequire || /^\(\s*(t|b|tb)\b/.test(call.childForFieldName("arguments")?.text ?? "")) && linesOf(call)
  },
  inTests: true,
  examples: {
    bad: [
      `package p

import "testing"

func TestServe(t *testing.T) {
	go func() {
		if err := serve(); err != nil {
			t.Fatal(err)
		}
	}()
	call()
}
`,
      `package p

import "testing"

func TestMany(t *testing.T) {
	for i := range 3 {
		go func(n int) {
			defer wg.Done()
			require.NoError(t, work(n))
		}(i)
	}
}
`,
      `package p

import "testing"

func BenchmarkX(b *testing.B) {
	go func() {
		b.FailNow()
	}()
}
`
    ],
    good: [
      `package p

import "testing"

func TestServe(t *testing.T) {
	go func() {
		if err := serve(); err != nil {
			t.Error(err)
		}
	}()
}
`,
      `package p

import "testing"

func TestServe(t *testing.T) {
	t.Run("one", func(t *testing.T) {
		t.Fatal("no")
	})
}
`,
      `package p

import "testing"

func TestServe(t *testing.T) {
	go func() {
		results <- check(func() { t.Fatal("called elsewhere") })
	}()
}
`
    ]
  }
}

const notANumber: SyntaxRule = {
  ...go,
  id: "go/nan-comparison",
  severity: "medium",
  confidence: "HIGH",
  title: "Comparing with NaN is always false",
  why: "NaN is unequal to every number, itself too, so this test never says what it seems to ask.",
  fix: "Use math.IsNaN.",
  reference: "https://pkg.go.dev/math#IsNaN",
  keywords: ["math.NaN"],
  query:
    '(binary_expression operator: ["==" "!=" "<" ">" "<=" ">="] right: (_) @nan (#eq? @nan "math.NaN()")) @claim (binary_expression left: (_) @nan operator: ["==" "!=" "<" ">" "<=" ">="] (#eq? @nan "math.NaN()")) @claim',
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
}

const bodyLeak: SyntaxRule = {
  ...go,
  id: "go/response-body-not-closed",
  severity: "medium",
  confidence: "HIGH",
  title: "The response's body is never closed",
  why: "The connection stays open and cannot be used again; under load the process runs out of file descriptors.",
  fix: "After the error check: defer resp.Body.Close().",
  reference: "https://pkg.go.dev/net/http#Response",
  keywords: ["http."],
  query: `(short_var_declaration
    left: (expression_list . (identifier) @response)
    right: (expression_list (call_expression function: (selector_expression) @function))
    (#match? @function "^(http\\\\.(Get|Head|Post|PostForm)|http\\\\.DefaultClient\\\\.(Do|Get|Head|Post|PostForm)|(\\\\w+\\\\.)*(httpC|c)lient\\\\.Do)$")) @claim`,
  check: (captures) => {
    const claim = caught(captures, "claim")
    const response = caught(captures, "response")
    const owner = claim === null ? null : enclosing(claim, functions)
    if (claim === null || response === null || owner === null) return false
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
}

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

const errorWithoutReturn: SyntaxRule = {
  ...go,
  id: "go/handler-continues-after-error",
  severity: "high",
  confidence: "HIGH",
  title: "The handler goes on after it has sent an error response",
  why: "http.Error does not end the handler: the code below runs with bad input and writes a second answer.",
  fix: "Return after http.Error.",
  reference: "https://pkg.go.dev/net/http#Error",
  keywords: ["http.Error", "http.NotFound", "http.Redirect"],
  query: `(if_statement consequence: (block (statement_list (expression_statement (call_expression function: (selector_expression) @function arguments: (argument_list . (identifier) @writer))) @claim .))
    (#any-of? @function "http.Error" "http.NotFound" "http.Redirect")) @if`,
  check: (captures) => {
    const branch = caught(captures, "if")
    const writer = caught(captures, "writer")
    if (branch === null || writer === null || branch.childForFieldName("alternative") !== null) return false
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
}

const lostCancel: SyntaxRule = {
  ...go,
  id: "go/cancel-function-dropped",
  severity: "medium",
  confidence: "HIGH",
  title: "The context's cancel function is thrown away",
  why: "Without it the context and its timer live until the parent ends, even when the work is long over.",
  fix: "Keep it and defer it: ctx, cancel := ...; defer cancel().",
  reference: "https://pkg.go.dev/context#WithCancel",
  keywords: ["context.With"],
  query: `(_ left: (expression_list (identifier) (identifier) @blank .) right: (expression_list (call_expression function: (selector_expression) @function))
    (#eq? @blank "_") (#match? @function "^context\\\\.With(Cancel|Timeout|Deadline)(Cause)?$")) @claim`,
  inTests: false,
  examples: {
    bad: [
      "package p\n\nfunc f() {\n\tctx, _ := context.WithTimeout(context.Background(), time.Second)\n\tcall(ctx)\n}\n",
      "package p\n\nfunc f(ctx context.Context) {\n\tctx, _ = context.WithCancel(ctx)\n\tcall(ctx)\n}\n",
      "package p\n\nfunc f(ctx context.Context, d time.Time) {\n\tinner, _ := context.WithDeadline(ctx, d)\n\tgo call(inner)\n}\n"
    ],
    good: [
      "package p\n\nfunc f() {\n\tctx, cancel := context.WithTimeout(context.Background(), time.Second)\n\tdefer cancel()\n\tcall(ctx)\n}\n",
      "package p\n\nfunc f(ctx context.Context) {\n\tctx = context.WithValue(ctx, key, 1)\n\tcall(ctx)\n}\n",
      "package p\n\nfunc f(ctx context.Context) {\n\tv, _ := context.Cause(ctx), 1\n\tuse(v)\n}\n",
      "package p\n\nfunc f(ctx context.Context) {\n\tinner, _ := context.WithTimeout(ctx, limit) //nolint:govet\n\tcall(inner)\n}\n"
    ]
  }
}

const earlyMeasure: SyntaxRule = {
  ...go,
  id: "go/deferred-duration-measured-early",
  severity: "medium",
  confidence: "HIGH",
  title: "The duration is measured when the defer is set up, not when it runs",
  why: "A deferred call's arguments are evaluated at the defer statement, so this always reports almost nothing.",
  fix: "Defer a function literal and call time.Since in it.",
  reference: "https://go.dev/ref/spec#Defer_statements",
  keywords: ["time.Since"],
  query: "(defer_statement (call_expression arguments: (argument_list) @arguments)) @claim",
  check: (captures) => {
    const values = caught(captures, "arguments")
    return (
      values !== null &&
      within(values, ["call_expression"], ["func_literal"]).some((call) => /^time\.Since\(/.test(call.text))
    )
  },
  inTests: true,
  examples: {
    bad: [
      'package p\n\nfunc f() {\n\tstart := time.Now()\n\tdefer log.Println("took", time.Since(start))\n\twork()\n}\n',
      "package p\n\nfunc f() {\n\tbegun := time.Now()\n\tdefer latency.Observe(time.Since(begun).Seconds())\n\twork()\n}\n",
      'package p\n\nfunc f() {\n\tt := time.Now()\n\tdefer fmt.Printf("%v\\n", time.Since(t))\n}\n'
    ],
    good: [
      'package p\n\nfunc f() {\n\tstart := time.Now()\n\tdefer func() { log.Println("took", time.Since(start)) }()\n\twork()\n}\n',
      "package p\n\nfunc f() {\n\tdefer observe(time.Now())\n\twork()\n}\n",
      "package p\n\nfunc f() {\n\tstart := time.Now()\n\twork()\n\tlatency.Observe(time.Since(start).Seconds())\n}\n"
    ]
  }
}

const uselessRecover: SyntaxRule = {
  ...go,
  id: "go/recover-without-effect",
  severity: "medium",
  confidence: "HIGH",
  title: "Deferring recover itself does not stop a panic",
  why: "recover works only when a deferred function calls it; as the deferred call itself it returns nil.",
  fix: "defer func() { if r := recover(); r != nil { ... } }()",
  reference: "https://go.dev/ref/spec#Handling_panics",
  keywords: ["recover()"],
  query: '(defer_statement (call_expression function: (identifier) @function (#eq? @function "recover"))) @claim',
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
}

const decodeIntoValue: SyntaxRule = {
  ...go,
  id: "go/decode-into-value",
  severity: "high",
  confidence: "HIGH",
  title: "The decoder is given a value where it needs a pointer",
  why: "Unmarshal cannot fill a copy: it returns an error every time and the variable stays empty.",
  fix: "Pass the address: &value.",
  reference: "https://pkg.go.dev/encoding/json#Unmarshal",
  keywords: ["Unmarshal("],
  query:
    '(call_expression function: (selector_expression) @function arguments: (argument_list (_) (identifier) @claim .) (#any-of? @function "json.Unmarshal" "xml.Unmarshal" "yaml.Unmarshal"))',
  check: (captures) => {
    const target = caught(captures, "claim")
    const owner = target === null ? null : enclosing(target, functions)
    if (target === null || owner === null) return false
    const declared = owner
      .descendantsOfType("var_spec")
      .filter((one) => one.childForFieldName("name")?.text === target.text)
    const type = declared.length === 1 ? declared[0]?.childForFieldName("type") : undefined
    const assigned = within(owner, ["assignment_statement", "short_var_declaration"]).some((one) =>
      namesOn(one, "left").includes(target.text)
    )
    // A plain type name may stand for an interface or a pointer of another file; a struct literal of this one may not.
    if (!type || assigned) return false
    if (type.type === "type_identifier") return structOf(rootOf(target), type.text)?.type === "struct_type"
    return ["slice_type", "map_type", "array_type", "struct_type"].includes(type.type)
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
}

const sameSides: SyntaxRule = {
  ...go,
  id: "go/same-operand-twice",
  severity: "medium",
  confidence: "HIGH",
  title: "Both sides of this operator are the same",
  why: "The result does not depend on the second side, so one of them was meant to be something else.",
  fix: "Compare with the value that was meant.",
  reference: "CWE-1025",
  keywords: ["&&", "||", " == ", " - "],
  query: '(binary_expression left: (_) @left operator: ["&&" "||" "==" "-"] right: (_) @right) @claim',
  check: (captures) => {
    const left = caught(captures, "left")
    const right = caught(captures, "right")
    if (left === null || right === null || literal(left)) return false
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
}

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
  deferInLoop,
  closeBeforeCheck,
  swallowedError,
  staleError,
  overwrittenError,
  addInGoroutine,
  lockReceiver,
  lockParameter,
  insecureTls,
  builtSql,
  shellCommand,
  fatalInGoroutine,
  notANumber,
  bodyLeak,
  errorWithoutReturn,
  lostCancel,
  earlyMeasure,
  uselessRecover,
  decodeIntoValue,
  sameSides
]

export const goRules: ReadonlyArray<SyntaxRule> = rules.map(unlessExcused)
