/**
 * The defects that linters repair by themselves: for each, a rule of dd has the edit. Planted in code around it, which stays as it
 * is byte for byte.
 */
import { describe, expect, test } from "bun:test"
import { reviewBy, shipped } from "../support/rules.ts"

type Row = readonly [defect: string, rule: string, path: string, planted: string, fixed: string]

const py = (defect: string, rule: string, planted: string, fixed: string): Row => [
  defect,
  `py/${rule}`,
  "a.py",
  planted,
  fixed
]
const ts = (defect: string, rule: string, planted: string, fixed: string): Row => [defect, rule, "a.ts", planted, fixed]
const inGo = (text: string) => `package p\n\n${text}\n`
const go = (defect: string, rule: string, planted: string, fixed: string): Row => [
  defect,
  `go/${rule}`,
  "a.go",
  inGo(planted),
  inGo(fixed)
]
const inJava = (text: string) => `class A {\n${text}\n}\n`
const java = (defect: string, rule: string, planted: string, fixed: string): Row => [
  defect,
  `java/${rule}`,
  "A.java",
  inJava(planted),
  inJava(fixed)
]
const of = (defect: string, rule: string, path: string, planted: string, fixed: string): Row => [
  defect,
  rule,
  path,
  planted,
  fixed
]

const rows: ReadonlyArray<Row> = [
  py("a literal is compared by identity", "is-literal", "if x is 'ä':\n    y = 1\n", "if x == 'ä':\n    y = 1\n"),
  py("a literal is compared by identity, negated", "is-literal", "ok = x is not 0\n", "ok = x != 0\n"),
  py("an assertion of a tuple", "assert-tuple", "assert (x == 1, 'one')\n", "assert x == 1, 'one'\n"),
  py(
    "a mutable default",
    "mutable-default",
    "def f(a=[]):\n    a.append(1)\n    return a\n",
    "def f(a=None):\n    if a is None:\n        a = []\n    a.append(1)\n    return a\n"
  ),
  py(
    "NotImplemented is raised",
    "raise-not-implemented",
    "def f():\n    raise NotImplemented\n",
    "def f():\n    raise NotImplementedError\n"
  ),
  py(
    "an exception is made and not raised",
    "exception-not-raised",
    "if x < 0:\n    ValueError('x')\n",
    "if x < 0:\n    raise ValueError('x')\n"
  ),
  py(
    "`except` with `or`",
    "except-or",
    "try:\n    f()\nexcept A or B:\n    g()\n",
    "try:\n    f()\nexcept (A, B):\n    g()\n"
  ),
  py(
    "a text without its f",
    "missing-f-prefix",
    "def f(name):\n    print('hello {name}')\n",
    "def f(name):\n    print(f'hello {name}')\n"
  ),
  py(
    "a breakpoint",
    "breakpoint-left",
    "def f():\n    x = 1\n    breakpoint()\n    return x\n",
    "def f():\n    x = 1\n    return x\n"
  ),
  py(
    "a YAML file is loaded with any class",
    "yaml-load",
    "import yaml\nx = yaml.load(text)\n",
    "import yaml\nx = yaml.safe_load(text)\n"
  ),
  py(
    "a dictionary is unpacked without items()",
    "dict-unpacked-without-items",
    "def f(ks):\n    d = {k: get(k) for k in ks}\n    for k, v in d:\n        put(k, v)\n",
    "def f(ks):\n    d = {k: get(k) for k in ks}\n    for k, v in d.items():\n        put(k, v)\n"
  ),
  py(
    "characters are stripped instead of an ending",
    "strip-affix",
    "x = name.rstrip('.json')\n",
    "x = name.removesuffix('.json')\n"
  ),
  py(
    "a coroutine is not awaited",
    "unawaited-coroutine",
    "async def g():\n    pass\n\n\nasync def f():\n    g()\n",
    "async def g():\n    pass\n\n\nasync def f():\n    await g()\n"
  ),
  py("a method is not called", "method-not-called", "f = open('a')\nf.close\n", "f = open('a')\nf.close()\n"),
  py(
    "an index past the end",
    "index-past-end",
    "for i in range(len(xs) + 1):\n    use(xs[i])\n",
    "for i in range(len(xs)):\n    use(xs[i])\n"
  ),
  py(
    "a list is changed while it is read",
    "changed-while-iterated",
    "for x in xs:\n    if x:\n        xs.remove(x)\n",
    "for x in list(xs):\n    if x:\n        xs.remove(x)\n"
  ),
  py(
    "an async function sleeps without await",
    "blocking-in-async",
    "import asyncio\nimport time\n\n\nasync def f():\n    time.sleep(1)\n",
    "import asyncio\nimport time\n\n\nasync def f():\n    await asyncio.sleep(1)\n"
  ),
  ts(
    "a debugger statement",
    "js/breakpoint-left",
    "function f() {\n  g()\n  debugger;\n  return 1\n}\n",
    "function f() {\n  g()\n  return 1\n}\n"
  ),
  ts("a comparison with NaN", "ts/nan-comparison", "if (x === NaN) f()\n", "if (Number.isNaN(x)) f()\n"),
  ts("a negated left side of `in`", "ts/negated-left", "if (!key in table) f()\n", "if (!(key in table)) f()\n"),
  ts(
    "a negated left side of instanceof",
    "ts/negated-left",
    "if (!x instanceof Error) f()\n",
    "if (!(x instanceof Error)) f()\n"
  ),
  ts(
    "a type that typeof never is",
    "ts/invalid-typeof",
    "if (typeof x === 'strnig') f()\n",
    "if (typeof x === 'string') f()\n"
  ),
  ts("an assignment in a condition", "ts/assignment-in-condition", "if (x = 1) f()\n", "if (x === 1) f()\n"),
  ts("a literal is thrown", "ts/throw-literal", "throw 'no'\n", "throw new Error('no')\n"),
  ts(
    "an error is made and not thrown",
    "ts/error-not-thrown",
    "if (!x) new Error('no')\n",
    "if (!x) throw new Error('no')\n"
  ),
  ts(
    "a case with ||",
    "ts/case-or",
    "switch (x) {\n  case 'a' || 'b':\n    f()\n}\n",
    "switch (x) {\n  case 'a':\n  case 'b':\n    f()\n}\n"
  ),
  ts(
    "only the first place is replaced",
    "ts/replaces-first-only",
    "const name = path.replace(/\\\\/, '/')\n",
    "const name = path.replace(/\\\\/g, '/')\n"
  ),
  ts(
    "await of an array",
    "ts/await-array",
    "await xs.map(async (x) => f(x))\n",
    "await Promise.all(xs.map(async (x) => f(x)))\n"
  ),
  ts(
    "an index past the end",
    "ts/index-past-end",
    "for (let i = 0; i <= xs.length; i++) {\n  use(xs[i].name)\n}\n",
    "for (let i = 0; i < xs.length; i++) {\n  use(xs[i].name)\n}\n"
  ),
  ts(
    "the number of matches without g",
    "ts/match-length-without-global",
    "const n = text.match(/a/).length\n",
    "const n = text.match(/a/g).length\n"
  ),
  ts(
    "a variable of a loop that closures share",
    "ts/loop-closure",
    "for (var i = 0; i < 3; i++) setTimeout(() => f(i))\n",
    "for (let i = 0; i < 3; i++) setTimeout(() => f(i))\n"
  ),
  of(
    "a test that runs alone",
    "test/focused",
    "a.test.ts",
    "it.only('adds', () => {\n  expect(1).toBe(1)\n})\n",
    "it('adds', () => {\n  expect(1).toBe(1)\n})\n"
  ),
  go(
    "a comparison with NaN",
    "nan-comparison",
    'import "math"\n\nfunc f(x float64) bool {\n\treturn x == math.NaN()\n}',
    'import "math"\n\nfunc f(x float64) bool {\n\treturn math.IsNaN(x)\n}'
  ),
  go(
    "a value is decoded into a copy",
    "decode-into-value",
    'import "encoding/json"\n\nfunc f(b []byte) error {\n\tvar x struct{ Name string }\n\treturn json.Unmarshal(b, x)\n}',
    'import "encoding/json"\n\nfunc f(b []byte) error {\n\tvar x struct{ Name string }\n\treturn json.Unmarshal(b, &x)\n}'
  ),
  go(
    "a lock is copied by its receiver",
    "lock-copied-by-receiver",
    'import "sync"\n\ntype T struct {\n\tmu sync.Mutex\n}\n\nfunc (t T) f() {\n\tt.mu.Lock()\n}',
    'import "sync"\n\ntype T struct {\n\tmu sync.Mutex\n}\n\nfunc (t *T) f() {\n\tt.mu.Lock()\n}'
  ),
  go(
    "a deferred time is measured early",
    "deferred-duration-measured-early",
    'import "time"\n\nfunc f() {\n\tstart := time.Now()\n\tdefer log(time.Since(start))\n}',
    'import "time"\n\nfunc f() {\n\tstart := time.Now()\n\tdefer func() { log(time.Since(start)) }()\n}'
  ),
  of(
    "a comparison with NaN",
    "rust/nan-comparison",
    "a.rs",
    "fn f(x: f64) -> bool {\n    x == f64::NAN\n}\n",
    "fn f(x: f64) -> bool {\n    x.is_nan()\n}\n"
  ),
  of("dbg!", "debug/dbg-macro", "src/a.rs", "fn f(x: u8) -> u8 {\n    dbg!(x)\n}\n", "fn f(x: u8) -> u8 {\n    x\n}\n"),
  of(
    "a guard that is dropped at once",
    "rust/guard-dropped-at-once",
    "a.rs",
    "fn f(m: &Mutex<u8>) {\n    let _ = m.lock().unwrap();\n    g();\n}\n",
    "fn f(m: &Mutex<u8>) {\n    let _guard = m.lock().unwrap();\n    g();\n}\n"
  ),
  java(
    "texts are compared by reference",
    "string-compared-by-reference",
    '    boolean f(String a) {\n        return a == "b";\n    }',
    '    boolean f(String a) {\n        return "b".equals(a);\n    }'
  ),
  java(
    "a thread's run() is called",
    "thread-run-called",
    "    void f(Thread t) {\n        t.run();\n    }",
    "    void f(Thread t) {\n        t.start();\n    }"
  ),
  java(
    "a decimal number from a double",
    "big-decimal-from-double",
    "    BigDecimal f() {\n        return new BigDecimal(0.1);\n    }",
    '    BigDecimal f() {\n        return new BigDecimal("0.1");\n    }'
  ),
  java(
    "arrays are compared with equals",
    "array-compared-with-equals",
    "    boolean f(int[] a, int[] b) {\n        return a.equals(b);\n    }",
    "    boolean f(int[] a, int[] b) {\n        return java.util.Arrays.equals(a, b);\n    }"
  ),
  java(
    "the product of two ints as a long",
    "int-product-overflows",
    "    static final long A = 24 * 60 * 60 * 1000 * 365;",
    "    static final long A = 24L * 60 * 60 * 1000 * 365;"
  ),
  java(
    "null for an Optional",
    "null-returned-for-optional",
    "    Optional<String> f() {\n        return null;\n    }",
    "    Optional<String> f() {\n        return Optional.empty();\n    }"
  ),
  java(
    "the result of a method of an immutable value",
    "result-of-immutable-ignored",
    "    String f(String a) {\n        a.trim();\n        return a;\n    }",
    "    String f(String a) {\n        a = a.trim();\n        return a;\n    }"
  ),
  of(
    "a breakpoint",
    "rb/breakpoint-left",
    "a.rb",
    "def f\n  x = 1\n  binding.pry\n  x\nend\n",
    "def f\n  x = 1\n  x\nend\n"
  ),
  of(
    "every exception is rescued",
    "ruby/rescue-exception",
    "a.rb",
    "begin\n  f\nrescue Exception => e\n  g(e)\nend\n",
    "begin\n  f\nrescue StandardError => e\n  g(e)\nend\n"
  ),
  of(
    "an assignment as a condition",
    "ruby/assignment-as-condition",
    "a.rb",
    "if x = 1\n  f\nend\n",
    "if x == 1\n  f\nend\n"
  ),
  of(
    "a delegate that is kept",
    "swift/strong-delegate",
    "a.swift",
    "protocol ADelegate: AnyObject {}\n\nclass A {\n    var delegate: ADelegate?\n}\n",
    "protocol ADelegate: AnyObject {}\n\nclass A {\n    weak var delegate: ADelegate?\n}\n"
  ),
  of(
    "a comparison with NaN",
    "swift/nan-comparison",
    "a.swift",
    "func f(_ x: Double) -> Bool {\n    return x == Double.nan\n}\n",
    "func f(_ x: Double) -> Bool {\n    return x.isNaN\n}\n"
  ),
  of(
    "a style as a text",
    "react/style-text",
    "a.tsx",
    'import React from "react"\nconst a = <b style="color: red">x</b>\n',
    `import React from "react"\nconst a = <b style={{ color: 'red' }}>x</b>\n`
  )
]

const fixedBy = async ([, rule, path, planted]: Row): Promise<string> => {
  const { records } = await reviewBy(shipped(rule), { [path]: [null, planted] })
  const lines = planted.split("\n")
  for (const { endLine, line, suggestion } of records.toSorted((a, b) => b.line - a.line))
    if (suggestion !== undefined)
      lines.splice(line - 1, (endLine ?? line) - line + 1, ...(suggestion === "" ? [] : suggestion.split("\n")))
  return lines.join("\n")
}

describe("a defect that linters repair by themselves", () => {
  for (const row of rows)
    test(`has an edit: ${row[0]} (${row[1]})`, async () => expect(await fixedBy(row)).toBe(row[4]))

  test("is one of at least forty, by as many rules", () => {
    expect(new Set(rows.map(([, rule]) => rule)).size).toBeGreaterThanOrEqual(40)
  })
})
