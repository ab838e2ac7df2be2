/** What dd knows about Python: defects that the language's own rules prove from one file. */
import { linesOf, type SyntaxRule } from "../domain/Rule.ts"
import type { SyntaxNode } from "../domain/Syntax.ts"
import { asyncDefs, boundIn, identifiers, isAsync, plainString, python, scopes } from "./pythonTree.ts"
import { sameCode } from "./sameCode.ts"
import { caught, enclosing, hasComment, parts, rootOf, squeezed, within } from "./tree.ts"

const mutators = new Set([
  "append",
  "extend",
  "insert",
  "add",
  "update",
  "setdefault",
  "pop",
  "popitem",
  "remove",
  "discard",
  "clear",
  "sort",
  "reverse"
])

/** Does the body change the object that the parameter names, or hand it out, before it names another object? */
const leaks = (body: SyntaxNode, name: string): boolean => {
  const uses = body.descendantsOfType("identifier").filter((node) => node.text === name)
  for (const use of uses) {
    const { parent } = use
    if (parent === null) continue
    // Named anew: what follows is another object.
    if (parent.type === "assignment" && parent.childForFieldName("left")?.id === use.id) return false
    if (parent.type === "augmented_assignment" && parent.childForFieldName("left")?.id === use.id) return true
    if (parent.type === "return_statement") return true
    if (parent.type === "attribute" && parent.childForFieldName("object")?.id === use.id) {
      const isCall = parent.parent?.type === "call" && parent.parent.childForFieldName("function")?.id === parent.id
      if (isCall && mutators.has(parent.childForFieldName("attribute")?.text ?? "")) return true
    }
    if (parent.type === "subscript" && parent.childForFieldName("value")?.id === use.id) {
      const outer = parent.parent
      const isTarget = outer?.childForFieldName("left")?.id === parent.id
      if (outer?.type === "delete_statement" || (isTarget && /assignment$/.test(outer?.type ?? ""))) return true
    }
    if (parent.type === "assignment" && parent.childForFieldName("right")?.id === use.id) {
      if (parent.childForFieldName("left")?.type === "attribute") return true
    }
  }
  return false
}

/** Only `pass`, `...` or `continue`, and no comment that would say why. */
const doesNothing = (clause: SyntaxNode): boolean => {
  const block = clause.namedChildren.find((child) => child.type === "block")
  if (block === undefined || hasComment(block) || hasComment(clause)) return false
  return parts(block).every(({ type, text }) => type === "pass_statement" || text === "...")
}

const exceptions = new Set(
  "Exception BaseException ValueError TypeError KeyError IndexError RuntimeError NotImplementedError AttributeError OSError IOError LookupError PermissionError FileNotFoundError TimeoutError ConnectionError ArithmeticError ZeroDivisionError AssertionError StopIteration".split(
    " "
  )
)

/** `del xs[i]`, `xs.remove(x)` and the like. */
const removesFrom = (node: SyntaxNode, name: string): boolean => {
  if (node.type === "delete_statement") {
    return node.namedChildren.some(
      (target) => target.type === "subscript" && target.childForFieldName("value")?.text === name
    )
  }
  const called = node.childForFieldName("function")
  return (
    called?.childForFieldName("object")?.text === name &&
    /^(remove|pop|popitem|discard|clear)$/.test(called.childForFieldName("attribute")?.text ?? "")
  )
}

export const pythonRules: ReadonlyArray<SyntaxRule> = [
  python({
    id: "py/mutable-default",
    severity: "medium",
    confidence: "HIGH",
    title: "A default value shared by all calls is changed or handed out here",
    why: "Default values are made once, when `def` runs; what one call puts in, the next call finds.",
    fix: "Use None as the default and make the object inside the function.",
    reference: "https://docs.python.org/3/tutorial/controlflow.html#default-argument-values",
    keywords: ["def "],
    query: `(function_definition
      parameters: (parameters [
        (default_parameter name: (identifier) @name value: [(list) (dictionary) (set) (call)] @value)
        (typed_default_parameter name: (identifier) @name value: [(list) (dictionary) (set) (call)] @value)
      ] @claim)
      body: (block) @body)`,
    check: (captures) => {
      const [name, value, body] = [caught(captures, "name"), caught(captures, "value"), caught(captures, "body")]
      if (name === null || value === null || body === null) return false
      if (value.type === "call" && !/^(list|dict|set)\(\)$|^(collections\.)?defaultdict\(/.test(squeezed(value)))
        return false
      // `state=[0]` is how a function without a class keeps a number between its calls.
      if (value.type === "list" && parts(value).length > 0) return false
      return leaks(body, name.text)
    },
    examples: {
      bad: [
        "def add(item, items=[]):\n    items.append(item)\n    return items\n",
        "def f(a, *, seen: set = set()):\n    seen.add(a)\n",
        "class A:\n    def __init__(self, options={}):\n        self.options = options\n",
        "def count(word, table={}):\n    table[word] = table.get(word, 0) + 1\n"
      ],
      good: [
        "def add(item, items=None):\n    items = items or []\n    items.append(item)\n    return items\n",
        "def show(items=[]):\n    for item in items:\n        print(item)\n",
        "def add(item, items=[]):\n    items = list(items)\n    items.append(item)\n    return items\n",
        "def f(a, limit=max(1, 2)):\n    return limit\n",
        "def f(a, count=[0]):\n    count[0] += 1\n"
      ]
    }
  }),
  python({
    id: "py/bare-except",
    severity: "medium",
    confidence: "HIGH",
    title: "`except:` also catches KeyboardInterrupt and SystemExit, and keeps them",
    why: "The program can no longer be interrupted here, and every defect in the block is hidden.",
    fix: "Name the exceptions that are expected, or at least write `except Exception:`.",
    reference: "CWE-396",
    inTests: false,
    keywords: ["except"],
    query: "(except_clause) @claim",
    check: (captures) => {
      const clause = caught(captures, "claim")
      if (clause === null || parts(clause).length !== 1) return false
      // Raising again, or ending the process, lets the interruption through.
      if (/\b(raise|_exit|sys\.exit|exc_info|format_exc|print_exc|exception)\b/.test(clause.text)) return false
      const line = clause.startPosition.row + 1
      return { line, endLine: line }
    },
    examples: {
      bad: [
        "try:\n    f()\nexcept:\n    pass\n",
        "try:\n    f()\nexcept:\n    ok = False\n",
        "def g():\n    try:\n        return f()\n    except:\n        return None\n"
      ],
      good: [
        "try:\n    f()\nexcept:\n    undo()\n    raise\n",
        "try:\n    f()\nexcept Exception:\n    ok = False\n",
        "try:\n    f()\nexcept (KeyError, ValueError) as error:\n    report(error)\n",
        "try:\n    f()\nexcept:\n    log(traceback.format_exc())\n"
      ]
    }
  }),
  python({
    id: "py/exception-swallowed",
    severity: "medium",
    confidence: "MEDIUM",
    title: "Every exception is swallowed here, without a word",
    why: "A defect in the block will never be seen: nothing is logged, counted or raised.",
    fix: "Catch what is expected, or log the exception; if silence is meant, say why in a comment.",
    reference: "CWE-390",
    inTests: false,
    keywords: ["except"],
    query: `[
      (except_clause (identifier) @kind) @claim
      (except_clause (as_pattern (identifier) @kind)) @claim
    ]`,
    check: (captures) => {
      const [clause, kind] = [caught(captures, "claim"), caught(captures, "kind")]
      return clause !== null && /^(Base)?Exception$/.test(kind?.text ?? "") && doesNothing(clause)
    },
    examples: {
      bad: [
        "try:\n    f()\nexcept Exception:\n    pass\n",
        "try:\n    f()\nexcept BaseException as error:\n    pass\n",
        "for x in xs:\n    try:\n        f(x)\n    except Exception:\n        ...\n"
      ],
      good: [
        "try:\n    f()\nexcept Exception:\n    log.exception('f')\n",
        "try:\n    f()\nexcept KeyError:\n    pass\n",
        "try:\n    f()\nexcept Exception:\n    # a reader that went away is no news\n    pass\n",
        "try:\n    f()\nexcept Exception:  # best effort\n    pass\n"
      ]
    }
  }),
  python({
    id: "py/is-literal",
    severity: "medium",
    confidence: "HIGH",
    title: "`is` compares identity with a literal; equality is meant",
    why: "Whether two equal literals are one object depends on the interpreter; Python warns about it since 3.8.",
    fix: "Use `==` or `!=`.",
    reference: "https://docs.python.org/3/whatsnew/3.8.html#changes-in-python-behavior",
    keywords: [" is "],
    query: "(comparison_operator) @claim",
    check: (captures) => {
      const children = caught(captures, "claim")?.children ?? []
      return children.some(
        (child, at) =>
          /^is(\s+not)?$/.test(child.type) &&
          [children[at - 1], children[at + 1]].some((side) =>
            /^(string|integer|float|tuple|list|dictionary|concatenated_string)$/.test(side?.type ?? "")
          )
      )
    },
    examples: {
      bad: ["if x is 'a':\n    pass\n", "if x is not 0:\n    pass\n", "ok = x is ()\n"],
      good: [
        "if x is None:\n    pass\n",
        "if x is True:\n    pass\n",
        "if x is not y:\n    pass\n",
        "if x is ...:\n    pass\n"
      ]
    }
  }),
  python({
    id: "py/assert-tuple",
    severity: "high",
    confidence: "HIGH",
    title: "This assertion can never fail: it tests a tuple, which is always true",
    why: "Parentheses around condition and message make a tuple, and a tuple that is not empty is true.",
    fix: "Remove the parentheses: `assert condition, message`.",
    reference: "https://docs.python.org/3/reference/simple_stmts.html#the-assert-statement",
    keywords: ["assert"],
    query: "(assert_statement . (tuple (_)) @tuple) @claim",
    examples: {
      bad: ["assert (x == 1, 'one')\n", "assert(f(), 'no answer')\n", "def t():\n    assert (a, b)\n"],
      good: ["assert x == 1, 'one'\n", "assert (x == 1), 'one'\n", "assert (x\n        == 1)\n", "assert x == (1, 2)\n"]
    }
  }),
  python({
    id: "py/raise-not-implemented",
    severity: "medium",
    confidence: "HIGH",
    title: "`NotImplemented` is not an exception; raising it fails with a TypeError",
    why: "NotImplemented is the value a binary operator returns; the exception is NotImplementedError.",
    fix: "Raise NotImplementedError.",
    reference: "https://docs.python.org/3/library/constants.html#NotImplemented",
    keywords: ["NotImplemented"],
    query: `[
      (raise_statement . (identifier) @name) @claim
      (raise_statement . (call function: (identifier) @name)) @claim
    ]`,
    check: (captures) => caught(captures, "name")?.text === "NotImplemented",
    examples: {
      bad: [
        "def f():\n    raise NotImplemented\n",
        "def f():\n    raise NotImplemented('later')\n",
        "def f():\n    raise NotImplemented from None\n"
      ],
      good: [
        "def f():\n    raise NotImplementedError\n",
        "def __eq__(self, other):\n    return NotImplemented\n",
        "def f():\n    raise NotImplementedError('later')\n"
      ]
    }
  }),
  python({
    id: "py/except-or",
    severity: "high",
    confidence: "HIGH",
    title: "`except A or B` catches only A",
    why: "`A or B` is evaluated first, and a class is true, so the second exception passes through.",
    fix: "Write a tuple: `except (A, B):`.",
    reference: "https://docs.python.org/3/reference/compound_stmts.html#except-clause",
    keywords: ["except"],
    query: `[
      (except_clause (boolean_operator) @claim)
      (except_clause (as_pattern (boolean_operator) @claim))
    ]`,
    examples: {
      bad: [
        "try:\n    f()\nexcept KeyError or ValueError:\n    g()\n",
        "try:\n    f()\nexcept KeyError or ValueError as error:\n    g(error)\n",
        "try:\n    f()\nexcept A and B:\n    g()\n"
      ],
      good: [
        "try:\n    f()\nexcept (KeyError, ValueError):\n    g()\n",
        "try:\n    f()\nexcept KeyError:\n    g(a or b)\n",
        "try:\n    f(a or b)\nexcept KeyError as error:\n    g()\n"
      ]
    }
  }),
  python({
    id: "py/return-in-finally",
    severity: "medium",
    confidence: "HIGH",
    title: "`return` in `finally` discards the exception that is on its way",
    why: "The block runs while an exception or another return value is being delivered, and replaces it.",
    fix: "Move the return behind the try statement.",
    reference: "https://peps.python.org/pep-0765/",
    keywords: ["finally"],
    query: "(return_statement) @claim",
    check: (captures) => {
      const statement = caught(captures, "claim")
      return statement !== null && enclosing(statement, ["finally_clause"], scopes) !== null
    },
    examples: {
      bad: [
        "def f():\n    try:\n        g()\n    finally:\n        return 1\n",
        "def f():\n    try:\n        g()\n    finally:\n        if ok:\n            return\n        h()\n",
        "def f():\n    try:\n        return g()\n    except KeyError:\n        raise\n    finally:\n        return None\n"
      ],
      good: [
        "def f():\n    try:\n        return g()\n    finally:\n        close()\n",
        "def f():\n    try:\n        g()\n    finally:\n        def h():\n            return 1\n        h()\n",
        "def f():\n    try:\n        g()\n    finally:\n        close()\n    return 1\n"
      ]
    }
  }),
  python({
    id: "py/self-comparison",
    severity: "medium",
    confidence: "HIGH",
    title: "Both sides of this comparison are the same",
    why: "The result does not depend on the value, so one side is probably a slip.",
    fix: "Compare with what was meant; to test for NaN, use math.isnan.",
    reference: "CWE-570",
    inTests: false,
    keywords: [],
    query: `(comparison_operator
      . [(identifier) (attribute) (subscript)] @left
      ["==" "<" ">" "<=" ">=" "is"]
      . [(identifier) (attribute) (subscript)] @right .) @claim`,
    check: (captures) => {
      const [left, right] = [caught(captures, "left"), caught(captures, "right")]
      // A call may answer differently the second time.
      return left !== null && right !== null && sameCode(left, right) && !left.text.includes("(")
    },
    examples: {
      bad: ["if a.x == a.x:\n    pass\n", "ok = count < count\n", "if a[0] is a[0]:\n    pass\n"],
      good: ["if a.x == b.x:\n    pass\n", "isnan = x != x\n", "if f()[0] == f()[0]:\n    pass\n", "ok = a < b < a\n"]
    }
  }),
  python({
    id: "py/duplicate-key",
    severity: "medium",
    confidence: "HIGH",
    title: "This key occurs twice in the dictionary; only the last value is kept",
    why: "The first entry is overwritten in silence.",
    fix: "Remove or rename one of the two.",
    reference: "https://docs.python.org/3/reference/expressions.html#dictionary-displays",
    keywords: ["{"],
    query: "(dictionary . (pair)) @claim",
    check: (captures, file) => {
      const seen = new Map<string, string>()
      for (const pair of caught(captures, "claim")?.namedChildren ?? []) {
        const key = pair.childForFieldName("key")
        const value = pair.childForFieldName("value")
        if (pair.type !== "pair" || key === null || value === null) continue
        const literal = key.type === "integer" ? key.text : plainString(key)
        if (literal === null) continue
        const name = `${key.type} ${literal}`
        const earlier = seen.get(name)
        const { line, endLine } = linesOf(pair)
        if (earlier !== undefined && earlier !== value.text && file.isAdded(line)) {
          return { line, endLine, description: `The key is ${key.text}.` }
        }
        seen.set(name, value.text)
      }
      return false
    },
    examples: {
      bad: [
        "table = {'a': 1, 'b': 2, 'a': 3}\n",
        'table = {\n    "a": 1,\n    "b": 2,\n    \'a\': 3,\n}\n',
        "table = {1: 'a', 2: 'b', 1: 'c'}\n"
      ],
      good: [
        "table = {'a': 1, 'b': 2}\n",
        "table = {'1': 'a', 1: 'b'}\n",
        "table = {f'{x}': 1, f'{x}': 2}\n",
        "table = {'a': {'a': 1}, 'b': {'a': 1}}\n"
      ]
    }
  }),
  python({
    id: "py/duplicate-definition",
    severity: "medium",
    confidence: "HIGH",
    title: "Two definitions of one name stand here; only the later exists",
    why: "The second `def` replaces the first; a test that is defined twice runs once.",
    fix: "Rename or remove one of the two.",
    reference: "https://docs.python.org/3/reference/compound_stmts.html#function-definitions",
    keywords: ["def "],
    query: "[(module (function_definition)) (class_definition body: (block (function_definition)))] @claim",
    check: (captures, file) => {
      const block = caught(captures, "claim")
      const children = block === null ? [] : parts(block.childForFieldName("body") ?? block)
      const seen = new Map<string, number>()
      for (const [at, child] of children.entries()) {
        const name = child.type === "function_definition" ? child.childForFieldName("name")?.text : undefined
        if (name === undefined || name === "_") continue
        const earlier = seen.get(name)
        seen.set(name, at)
        if (earlier === undefined) continue
        // Any mention between them, `f = cached(f)` or a use, means that both live.
        const between = children.slice(earlier + 1, at)
        if (between.some((other) => identifiers(other).some((word) => word.text === name))) continue
        const [first, second] = [children[earlier], child].map((node) => (node === undefined ? 0 : linesOf(node).line))
        const line = file.isAdded(second ?? 0) ? second : first
        if (line === undefined || !file.isAdded(line)) continue
        return { line, description: `\`${name}\` is defined on lines ${first} and ${second}.` }
      }
      return false
    },
    examples: {
      bad: [
        "def test_a():\n    assert f(1)\n\ndef test_b():\n    assert f(2)\n\ndef test_a():\n    assert f(3)\n",
        "class A:\n    def f(self):\n        return 1\n\n    def f(self):\n        return 2\n",
        "async def f():\n    pass\n\nasync def f():\n    return 1\n"
      ],
      good: [
        "@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a):\n    return a\n",
        "class A:\n    @property\n    def f(self):\n        return 1\n\n    @f.setter\n    def f(self, value):\n        pass\n",
        "if a:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2\n",
        "def f():\n    return 1\n\ng = wrap(f)\n\ndef f():\n    return 2\n"
      ]
    }
  }),
  python({
    id: "py/unreachable-code",
    severity: "medium",
    confidence: "HIGH",
    title: "This statement can never run",
    why: "The statement before it always leaves the block.",
    fix: "Remove it, or move it before the statement that leaves.",
    reference: "CWE-561",
    keywords: ["return", "raise", "continue", "break"],
    query:
      "(block [(return_statement) (raise_statement) (continue_statement) (break_statement)] . (comment)* . (_) @claim)",
    check: (captures) => {
      const statement = caught(captures, "claim")
      // A `yield` behind a `raise` is how a function is made a generator.
      if (statement === null || statement.type === "comment" || /\byield\b/.test(statement.text)) return false
      const { line } = linesOf(statement)
      return { line, endLine: line }
    },
    examples: {
      bad: [
        "def f():\n    return 1\n    g()\n",
        "for x in xs:\n    continue\n    g(x)\n",
        "def f():\n    if a:\n        raise ValueError\n        # and then\n        g()\n    return 1\n"
      ],
      good: [
        "def f():\n    if a:\n        return 1\n    g()\n",
        "def f():\n    raise NotImplementedError\n    yield\n",
        "def f():\n    return 1\n    # the end\n",
        "def f():\n    return 1\n\ndef g():\n    return 2\n"
      ]
    }
  }),
  python({
    id: "py/exception-not-raised",
    severity: "high",
    confidence: "HIGH",
    title: "An exception is made here and thrown away; `raise` is missing",
    why: "Making an exception does nothing: the code goes on as if there were no error.",
    fix: "Write `raise` before it, or remove the statement.",
    reference: "https://docs.python.org/3/reference/simple_stmts.html#the-raise-statement",
    inTests: false,
    keywords: ["Error(", "Exception(", "StopIteration("],
    query: "(expression_statement . (call function: (identifier) @name) .) @claim",
    check: (captures) => exceptions.has(caught(captures, "name")?.text ?? ""),
    examples: {
      bad: [
        "def f(x):\n    if x < 0:\n        ValueError('negative')\n",
        "def f():\n    NotImplementedError()\n",
        "def f():\n    Exception(\n        'no'\n    )\n    return 1\n"
      ],
      good: [
        "def f(x):\n    raise ValueError('negative')\n",
        "error = ValueError('negative')\n",
        "def f():\n    return ValueError()\n",
        "def f():\n    fail(ValueError('no'))\n"
      ]
    }
  }),
  python({
    id: "py/unawaited-coroutine",
    severity: "high",
    confidence: "HIGH",
    title: "This coroutine is made but never awaited, so it does not run",
    why: "Calling an `async def` only makes a coroutine; without `await` its body never starts.",
    fix: "Write `await` before the call, or hand it to a task that somebody keeps.",
    reference: "https://docs.python.org/3/library/asyncio-task.html#coroutines",
    keywords: ["async def"],
    query: "(expression_statement . (call function: [(identifier) (attribute)] @called) .) @claim",
    check: (captures) => {
      const [statement, called] = [caught(captures, "claim"), caught(captures, "called")]
      if (statement === null || called === null) return false
      const inside = enclosing(statement, ["function_definition"], ["lambda", "class_definition"])
      if (inside === null || !isAsync(inside)) return false
      if (/^asyncio\.(sleep|wait|wait_for|to_thread)$/.test(called.text)) return true
      if (called.type === "identifier") {
        return asyncDefs(rootOf(statement)).has(called.text) && !boundIn(inside).has(called.text)
      }
      if (called.childForFieldName("object")?.text !== "self") return false
      const body = enclosing(inside, ["class_definition"], ["function_definition"])?.childForFieldName("body")
      return body != null && asyncDefs(body).has(called.childForFieldName("attribute")?.text ?? "")
    },
    examples: {
      bad: [
        "import asyncio\n\nasync def f():\n    asyncio.sleep(1)\n",
        "async def save(x):\n    pass\n\nasync def f(x):\n    save(x)\n",
        "class A:\n    async def close(self):\n        pass\n\n    async def f(self):\n        self.close()\n"
      ],
      good: [
        "import asyncio\n\nasync def f():\n    await asyncio.sleep(1)\n",
        "async def save(x):\n    pass\n\nasync def f(x):\n    task = save(x)\n    await task\n",
        "@task\nasync def save(x):\n    pass\n\nasync def f(x):\n    save(x)\n",
        "class A:\n    def close(self):\n        pass\n\n    async def f(self):\n        self.close()\n",
        "async def save(x):\n    pass\n\nasync def f(save):\n    save(1)\n"
      ]
    }
  }),
  python({
    id: "py/blocking-in-async",
    severity: "medium",
    confidence: "HIGH",
    title: "This call blocks the event loop",
    why: "While it waits, no other task of the loop can run.",
    fix: "Use the asynchronous counterpart (`await asyncio.sleep`), or `asyncio.to_thread`.",
    reference: "https://docs.python.org/3/library/asyncio-dev.html#running-blocking-code",
    inTests: false,
    keywords: ["async def"],
    query: "(call function: (attribute) @called) @claim",
    check: (captures) => {
      const [call, called] = [caught(captures, "claim"), caught(captures, "called")]
      if (call === null || called === null) return false
      if (
        !/^(time\.sleep|requests\.(get|post|put|patch|delete|head|request)|urllib\.request\.urlopen)$/.test(called.text)
      )
        return false
      const inside = enclosing(call, scopes)
      return inside !== null && inside.type === "function_definition" && isAsync(inside)
    },
    examples: {
      bad: [
        "import time\n\nasync def f():\n    time.sleep(1)\n",
        "async def f(url):\n    answer = requests.get(url, timeout=3)\n    return answer\n",
        "async def f():\n    if a:\n        for x in xs:\n            time.sleep(x)\n"
      ],
      good: [
        "import asyncio\n\nasync def f():\n    await asyncio.sleep(1)\n",
        "def f():\n    time.sleep(1)\n\nasync def g():\n    await to_thread(f)\n",
        "async def g():\n    def f():\n        time.sleep(1)\n    await to_thread(f)\n",
        "async def g():\n    await to_thread(lambda: time.sleep(1))\n"
      ]
    }
  }),
  python({
    id: "py/useless-comparison",
    severity: "medium",
    confidence: "HIGH",
    title: "The result of this comparison is not used",
    why: "`==` compares; as a statement of its own it does nothing, so `=` or `assert` was probably meant.",
    fix: "Assign, assert, or remove the statement.",
    reference: "CWE-482",
    inTests: false,
    keywords: ["=="],
    query: '(expression_statement . (comparison_operator "==") .) @claim',
    check: (captures) => {
      const statement = caught(captures, "claim")
      if (statement === null) return false
      // At the end of a notebook cell or in a `with raises` block the comparison is the point.
      return (
        enclosing(statement, ["function_definition"]) !== null &&
        enclosing(statement, ["with_statement"], scopes) === null
      )
    },
    examples: {
      bad: [
        "def f(self):\n    self.ready == True\n",
        "def f(x):\n    x.state == 'open'\n    return x\n",
        "def f(x):\n    if x:\n        x.count == 0\n"
      ],
      good: [
        "def f(x):\n    return x == 1\n",
        "def f(x):\n    x = 1\n",
        "def f(x):\n    with raises(TypeError):\n        x == 1\n",
        "def f(x):\n    assert x == 1\n"
      ]
    }
  }),
  python({
    id: "py/loop-closure",
    severity: "medium",
    confidence: "HIGH",
    title: "Every function made in this loop will see the loop variable's last value",
    why: "A closure looks the variable up when it is called, and by then the loop has ended.",
    fix: "Bind the value at once: `lambda x=x: ...`, or use functools.partial.",
    reference:
      "https://docs.python.org/3/faq/programming.html#why-do-lambdas-defined-in-a-loop-with-different-values-all-return-the-same-result",
    keywords: ["lambda"],
    query: `[
      (call function: (attribute attribute: (identifier) @method) arguments: (argument_list . (lambda) @claim .))
      (assignment left: (subscript) right: (lambda) @claim)
      (list_comprehension body: (lambda) @claim)
      (dictionary_comprehension body: (pair value: (lambda) @claim))
    ]`,
    check: (captures) => {
      const [lambda, method] = [caught(captures, "claim"), caught(captures, "method")]
      if (lambda === null || (method !== null && method.text !== "append")) return false
      const body = lambda.childForFieldName("body")
      const loops = ["for_statement", "list_comprehension", "dictionary_comprehension"]
      const loop = enclosing(lambda, loops, ["function_definition", "lambda"])
      const clause =
        loop?.type === "for_statement" ? loop : loop?.namedChildren.find(({ type }) => type === "for_in_clause")
      const target = clause?.childForFieldName("left")
      if (body === null || target == null) return false
      const own = identifiers(lambda.childForFieldName("parameters")).map(({ text }) => text)
      const names = new Set(identifiers(target).map(({ text }) => text))
      return identifiers(body).some(
        (word) =>
          names.has(word.text) &&
          !own.includes(word.text) &&
          word.parent?.childForFieldName("attribute")?.id !== word.id &&
          word.parent?.childForFieldName("name")?.id !== word.id
      )
    },
    examples: {
      bad: [
        "for i in range(3):\n    fs.append(lambda: i)\n",
        "fs = [lambda x: x + i for i in range(3)]\n",
        "for name, value in table.items():\n    handlers[name] = lambda: show(value)\n"
      ],
      good: [
        "for i in range(3):\n    fs.append(lambda i=i: i)\n",
        "for i in range(3):\n    xs.sort(key=lambda x: x[i])\n",
        "for i in range(3):\n    fs.append(lambda x: x.i)\n",
        "fs = [make(lambda: i) for i in range(3)]\n"
      ]
    }
  }),
  python({
    id: "py/changed-while-iterated",
    severity: "high",
    confidence: "HIGH",
    title: "The collection is changed while the loop goes through it",
    why: "A list skips the element after each one removed; a dict or set raises RuntimeError.",
    fix: "Go through a copy (`list(xs)`), or collect what to remove and do it after the loop.",
    reference: "https://docs.python.org/3/tutorial/controlflow.html#for-statements",
    keywords: ["for "],
    query: `(for_statement right: [
      (identifier) @collection
      (attribute) @collection
      (call
        function: (attribute object: [(identifier) (attribute)] @collection attribute: (identifier) @view)
        arguments: (argument_list . ")"))
    ] body: (block) @body) @claim`,
    check: (captures, file) => {
      const [collection, view, body] = ["collection", "view", "body"].map((name) => caught(captures, name))
      if (collection == null || body == null) return false
      if (view != null && !/^(keys|values|items)$/.test(view.text)) return false
      const name = collection.text
      if (within(body, ["assignment"], scopes).some((other) => other.childForFieldName("left")?.text === name))
        return false
      for (const node of within(body, ["call", "delete_statement"], scopes)) {
        if (!removesFrom(node, name)) continue
        // Leaving the loop at once makes it safe.
        const block = enclosing(node, ["block"])
        if (block === null || parts(block).some(({ type }) => /^(break|return|raise)_statement$/.test(type))) continue
        const { line, endLine } = linesOf(node)
        if (file.isAdded(line)) return { line, endLine, description: `The loop goes through \`${name}\`.` }
      }
      return false
    },
    examples: {
      bad: [
        "for x in xs:\n    if x.done:\n        xs.remove(x)\n",
        "for key in table:\n    if table[key] is None:\n        del table[key]\n",
        "for key, value in self.table.items():\n    if not value:\n        self.table.pop(key)\n"
      ],
      good: [
        "for x in list(xs):\n    if x.done:\n        xs.remove(x)\n",
        "for x in xs:\n    if x.done:\n        xs.remove(x)\n        break\n",
        "for x in xs:\n    ys.remove(x)\n",
        "for key in sorted(table):\n    del table[key]\n"
      ]
    }
  })
]
