/** What dd knows about goroutines, locks, contexts and the time at which a deferred call runs. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { linesOf, type SyntaxRule } from "../../domain/finding/Rule.ts"
import { fieldOf, parts, rootOf, within } from "../../languages/tree.ts"
import { argumentsOf, functions, go, holderOf, listOf, memberOf, structOf } from "./goTree.ts"

const locks = ["Mutex", "RWMutex", "WaitGroup", "Once", "Cond"]

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

const deferInLoop = go({
  id: "go/defer-in-loop",
  severity: "medium",
  confidence: "HIGH",
  title: "A defer inside a loop runs only when the function returns",
  why: "Deferred calls pile up until the whole function ends, so files, locks or connections of every round stay open at once.",
  fix: "Move the loop's body into a function of its own, or make the call at the end of the round.",
  reference: "https://go.dev/ref/spec#Defer_statements",
  keywords: ["defer "],
  query: "(defer_statement) @claim",
  check: (claim) => {
    const list = holderOf(claim, "for_statement", "body") === null ? null : claim.parent
    if (list === null) return false
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
})

const addInGoroutine = go({
  id: "go/wait-group-add-in-goroutine",
  severity: "high",
  confidence: "HIGH",
  title: "WaitGroup.Add is called inside the goroutine it counts",
  why: "Wait can run before the goroutine is scheduled, see a count of zero and return while the work has not begun.",
  fix: "Call Add before the go statement, or use WaitGroup.Go.",
  reference: "https://pkg.go.dev/sync#WaitGroup.Add",
  keywords: [".Add("],
  query: "(expression_statement) @claim",
  check: (claim) => {
    const call = parts(claim)[0]
    const called = call?.type === "call_expression" ? fieldOf(call, "function", "selector_expression") : null
    if (call === undefined || called?.childForFieldName("field")?.text !== "Add") return false
    const group = called.childForFieldName("operand")
    const owner = holderOf(claim, "func_literal", "body")
    if (group === null || owner === null || !isStarted(owner)) return false
    if (!argumentsOf(call).some(({ type }) => type === "int_literal")) return false
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
})

/** Is the function literal what a go statement calls? */
function isStarted(literal: SyntaxNode): boolean {
  const call = literal.parent
  return call?.parent?.type === "go_statement" && call.childForFieldName("function")?.id === literal.id
}

const lockReceiver = go({
  id: "go/lock-copied-by-receiver",
  severity: "high",
  confidence: "HIGH",
  title: "A value receiver copies the lock, so it protects nothing",
  why: "Every call works on its own copy of the struct and of the lock in it; two callers never wait for each other.",
  fix: "Use a pointer receiver.",
  reference: "https://pkg.go.dev/sync#Mutex",
  keywords: ["sync."],
  query: "(parameter_declaration) @claim",
  check: (claim) => {
    const method = claim.parent?.parent
    if (method?.type !== "method_declaration" || method.childForFieldName("receiver")?.id !== claim.parent?.id)
      return false
    const type = fieldOf(claim, "type", "type_identifier", "generic_type")
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
})

const lockParameter = go({
  id: "go/lock-passed-by-value",
  severity: "high",
  confidence: "HIGH",
  title: "A lock is passed by value, so the callee works on a copy",
  why: "The values of package sync must not be copied after first use: the copy's state is unrelated to the caller's.",
  fix: "Pass a pointer.",
  reference: "https://pkg.go.dev/sync",
  keywords: ["sync."],
  query: "(qualified_type) @claim",
  check: (claim) => {
    if (!locks.some((lock) => claim.text === `sync.${lock}`) || claim.parent?.type !== "parameter_declaration")
      return false
    const list = claim.parent.parent
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
})

function isParameters(owner: SyntaxNode, list: SyntaxNode): boolean {
  return owner.childForFieldName("parameters")?.id === list.id
}

const fatalInGoroutine = go({
  id: "go/test-fatal-in-goroutine",
  severity: "medium",
  confidence: "HIGH",
  title: "The test is stopped from a goroutine that is not the test's",
  why: "FailNow ends only the goroutine that calls it: the test goes on, or hangs waiting for the one that ended.",
  fix: "Use t.Error and return, or send the error to the test over a channel.",
  reference: "https://pkg.go.dev/testing#T.FailNow",
  keywords: ["testing."],
  query: "(go_statement) @claim",
  check: (claim) => {
    const literal = fieldOf(parts(claim)[0] ?? claim, "function", "func_literal")
    const body = literal?.childForFieldName("body") ?? null
    if (body === null || /testing\./.test(literal?.childForFieldName("parameters")?.text ?? "")) return false
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
})

const lostCancel = go({
  id: "go/cancel-function-dropped",
  severity: "medium",
  confidence: "HIGH",
  title: "The context's cancel function is thrown away",
  why: "Without it the context and its timer live until the parent ends, even when the work is long over.",
  fix: "Keep it and defer it: ctx, cancel := ...; defer cancel().",
  reference: "https://pkg.go.dev/context#WithCancel",
  keywords: ["context.With"],
  query: "[(short_var_declaration) (assignment_statement)] @claim",
  check: (claim) => {
    const names = listOf(claim, "left")
    const isDropped = names.at(-1)?.text === "_" && names.slice(0, -1).some(({ type }) => type === "identifier")
    if (!isDropped) return false
    return listOf(claim, "right").some((call) =>
      /^context\.With(Cancel|Timeout|Deadline)(Cause)?$/.test(memberOf(call))
    )
  },
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
})

const earlyMeasure = go({
  id: "go/deferred-duration-measured-early",
  severity: "medium",
  confidence: "HIGH",
  title: "The duration is measured when the defer is set up, not when it runs",
  why: "A deferred call's arguments are evaluated at the defer statement, so this always reports almost nothing.",
  fix: "Defer a function literal and call time.Since in it.",
  reference: "https://go.dev/ref/spec#Defer_statements",
  keywords: ["time.Since"],
  query: "(defer_statement) @claim",
  check: (claim) => {
    const values = parts(claim)[0]?.childForFieldName("arguments") ?? null
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
})

export const goConcurrencyRules: ReadonlyArray<SyntaxRule> = [
  deferInLoop,
  addInGoroutine,
  lockReceiver,
  lockParameter,
  fatalInGoroutine,
  lostCancel,
  earlyMeasure
]
