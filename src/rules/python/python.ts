/** What dd knows about Python: defects that the language's own rules prove from one file. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { linesOf, type SyntaxRule } from "../../domain/finding/Rule.ts"
import { identifiers } from "../../languages/python/identifiers.ts"
import { enclosing, hasComment, parts, rootOf, squeezed, within } from "../../languages/tree.ts"
import { sameCode } from "../sameCode.ts"
import {
  ask,
  asyncDefs,
  boundIn,
  callOf,
  expressionOf,
  firstLineOf,
  isAsync,
  plainString,
  python,
  scopes
} from "./pythonTree.ts"

const adders = /^(append|extend|insert|add|update|setdefault)$/

/** An attribute of that name is added to in the file's text: by a method, a subscript or `+=`. */
const addedTo = (root: SyntaxNode, attribute: string): boolean =>
  new RegExp(
    `\\.${attribute}(\\.(append|extend|insert|add|update|setdefault)\\(|\\[[^\\]\\n]*\\]\\s*([-+|*/]?=)[^=]|\\s*[+|]=)`
  ).test(root.text)

/** Does the body put something into the object that the parameter names, before it names another object? */
const leaks = (body: SyntaxNode, name: string): boolean => {
  const uses = body.descendantsOfType("identifier").filter((node) => node.text === name)
  for (const use of uses) {
    const { parent } = use
    if (parent === null) continue
    // Named anew: what follows is another object.
    if (parent.type === "assignment" && parent.childForFieldName("left")?.id === use.id) return false
    if (parent.type === "augmented_assignment" && parent.childForFieldName("left")?.id === use.id) return true
    if (parent.type === "attribute" && parent.childForFieldName("object")?.id === use.id) {
      const isCall = parent.parent?.type === "call" && parent.parent.childForFieldName("function")?.id === parent.id
      if (isCall && adders.test(parent.childForFieldName("attribute")?.text ?? "")) return true
    }
    if (parent.type === "subscript" && parent.childForFieldName("value")?.id === use.id) {
      const outer = parent.parent
      const isTarget = outer?.childForFieldName("left")?.id === parent.id
      if (isTarget && /assignment$/.test(outer?.type ?? "")) return true
    }
    if (parent.type === "assignment" && parent.childForFieldName("right")?.id === use.id) {
      const kept = parent.childForFieldName("left")
      if (kept?.type === "attribute" && addedTo(rootOf(kept), kept.childForFieldName("attribute")?.text ?? ""))
        return true
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

/** Nothing but calls that end something. */
const onlyCloses = (block: SyntaxNode): boolean =>
  parts(block).every((statement) =>
    /^[\w.[\]"']*\b(close|shutdown|disconnect|unlink|cancel|terminate|kill|stop|wait)\w*\(/.test(statement.text)
  )

const exceptions = new Set(
  "Exception BaseException ValueError TypeError KeyError IndexError RuntimeError NotImplementedError AttributeError OSError IOError LookupError PermissionError FileNotFoundError TimeoutError ConnectionError ArithmeticError ZeroDivisionError AssertionError StopIteration".split(
    " "
  )
)

/** An empty list, dict or set, or a call that makes one. */
const isMutable = (value: SyntaxNode): boolean => {
  if (value.type === "call") return /^(list|dict|set)\(\)$|^(collections\.)?defaultdict\(/.test(squeezed(value))
  // `state=[0]` is how a function without a class keeps a number between its calls.
  return value.type === "list" ? parts(value).length === 0 : /^(dictionary|set)$/.test(value.type)
}

const blocking = /^(time\.sleep|requests\.(get|post|put|patch|delete|head|request)|urllib\.request\.urlopen)$/

const functions = ["function_definition", "lambda"]
const loops = ["for_statement", "list_comprehension", "dictionary_comprehension"]

/** Is the function kept beyond the turn of the loop that makes it: appended, put under a key, collected? */
const keeps = (lambda: SyntaxNode): boolean => {
  const { parent } = lambda
  switch (parent?.type) {
    case "argument_list": {
      const call = parent.parent?.type === "call" ? callOf(parent.parent) : null
      return call?.method === "append" && call.args.length === 1
    }
    case "assignment":
      return parent.childForFieldName("left")?.type === "subscript"
    case "list_comprehension":
      return true
    case "pair":
      return parent.parent?.type === "dictionary_comprehension"
    default:
      return false
  }
}

/** The name of what a loop goes through, itself or one of its views; null when it goes through a copy. */
const collectionOf = (iterated: SyntaxNode): string | null => {
  if (iterated.type === "identifier" || iterated.type === "attribute") return iterated.text
  if (iterated.type !== "call") return null
  const { method, object, args } = callOf(iterated)
  const isView = args.length === 0 && /^(keys|values|items)$/.test(method ?? "")
  return isView && /^(identifier|attribute)$/.test(object?.type ?? "") ? (object?.text ?? null) : null
}

/** Words that only Python 2 has. */
const python2 =
  /\b(basestring|xrange|iteritems|itervalues|raw_input|urllib2|cPickle|string_escape)\b|\bunicode\(|^\s*print\s+["'%\w]|except [\w.]+, \w+:/m

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
    title: "A default value shared by all calls is changed here",
    why: "Default values are made once, when `def` runs; what one call puts in, the next call finds.",
    fix: "Use None as the default and make the object inside the function.",
    reference: "https://docs.python.org/3/tutorial/controlflow.html#default-argument-values",
    keywords: ["def "],
    query: "[(default_parameter) (typed_default_parameter)] @claim",
    check: (claim) => {
      const [name, value] = [claim.childForFieldName("name"), claim.childForFieldName("value")]
      const definition = claim.parent?.type === "parameters" ? claim.parent.parent : null
      const body = definition?.type === "function_definition" ? definition.childForFieldName("body") : null
      if (name === null || value === null || body === null || !isMutable(value)) return false
      // Sharing is the whole point of a cache that is kept in a default.
      if (/cache|memo|registry|^_/i.test(name.text)) return false
      return leaks(body, name.text)
    },
    examples: {
      bad: [
        "def add(item, items=[]):\n    items.append(item)\n    return items\n",
        "def f(a, *, found: set = set()):\n    found.add(a)\n",
        "class A:\n    def __init__(self, options={}):\n        self.options = options\n\n    def set(self, key, value):\n        self.options[key] = value\n",
        "def count(word, table={}):\n    table[word] = table.get(word, 0) + 1\n"
      ],
      good: [
        "def add(item, items=None):\n    items = items or []\n    items.append(item)\n    return items\n",
        "def show(items=[]):\n    for item in items:\n        print(item)\n",
        "def add(item, items=[]):\n    items = list(items)\n    items.append(item)\n    return items\n",
        "def f(a, limit=max(1, 2)):\n    return limit\n",
        "def f(a, count=[0]):\n    count[0] += 1\n",
        "class A:\n    def __init__(self, hosts=[]):\n        self.hosts = hosts\n",
        "def takes(f, names=[]):\n    return names\n",
        "def apply(kwargs={}):\n    body = kwargs.pop('body')\n    return body\n",
        "def cached(f, cache={}):\n    cache[f] = f()\n    return cache[f]\n"
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
    query: ask.except,
    check: (claim) => {
      if (parts(claim).length !== 1) return false
      // Whatever keeps an optional module from being imported, the program goes on without it.
      const attempt = claim.parent?.childForFieldName("body")
      if (attempt != null && parts(attempt).every(({ type }) => type.startsWith("import"))) return false
      if (/\b__import__\(|\bimport_module\(/.test(attempt?.text ?? "")) return false
      // Raising again, ending the process or reporting lets it be seen.
      if (/\b(raise|_exit|sys\.exit|exc_info|format_exc|print_exc|exception)\b/.test(claim.text)) return false
      return firstLineOf(claim)
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
        "try:\n    f()\nexcept:\n    log(traceback.format_exc())\n",
        "try:\n    import fast\nexcept:\n    fast = None\n",
        "try:\n    fast = importlib.import_module('fast')\nexcept:\n    fast = None\n"
      ]
    }
  }),
  python({
    id: "py/exception-swallowed",
    severity: "low",
    confidence: "MEDIUM",
    title: "Every exception is swallowed here, without a word",
    why: "A defect in the block will never be seen: nothing is logged, counted or raised.",
    fix: "Catch what is expected, or log the exception; if silence is meant, say why in a comment.",
    reference: "CWE-390",
    inTests: false,
    keywords: ["except"],
    query: ask.except,
    check: (claim) => {
      const [first] = parts(claim)
      const kind = first?.type === "as_pattern" ? parts(first)[0] : first
      if (kind?.type !== "identifier" || !/^(Base)?Exception$/.test(kind.text) || !doesNothing(claim)) return false
      // With an `else`, what follows the statement is how the failure is dealt with; closing may fail in peace.
      const attempt = claim.parent?.childForFieldName("body")
      const whole = claim.parent?.namedChildren ?? []
      return !whole.some(({ type }) => type === "else_clause") && (attempt == null || !onlyCloses(attempt))
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
        "try:\n    f()\nexcept Exception:  # best effort\n    pass\n",
        "def g(x):\n    try:\n        dumps(x)\n    except Exception:\n        pass\n    else:\n        return x\n    return repr(x)\n",
        "try:\n    connection.close()\nexcept Exception:\n    pass\n"
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
    query: ask.comparison,
    check: (claim) => {
      const { children } = claim
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
    query: "(assert_statement) @claim",
    check: (claim) => {
      const [tested] = parts(claim)
      return tested?.type === "tuple" && parts(tested).length > 0
    },
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
    query: "(raise_statement) @claim",
    check: (claim) => {
      const [raised] = parts(claim)
      const name = raised?.type === "call" ? callOf(raised).called : raised?.type === "identifier" ? raised.text : ""
      return name === "NotImplemented"
    },
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
    query: "(boolean_operator) @claim",
    check: ({ parent }) =>
      parent?.type === "except_clause" || (parent?.type === "as_pattern" && parent.parent?.type === "except_clause"),
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
    check: (claim) => enclosing(claim, ["finally_clause"], scopes) !== null,
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
    query: ask.comparison,
    check: (claim) => {
      const [left, operator, right, ...more] = claim.children
      if (left === undefined || right === undefined || more.length > 0) return false
      if (!/^(==|[<>]=?|is)$/.test(operator?.type ?? "") || !/^(identifier|attribute|subscript)$/.test(left.type))
        return false
      // A call may answer differently the second time.
      return sameCode(left, right) && !left.text.includes("(")
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
    query: "(dictionary) @claim",
    check: (claim, file) => {
      const seen = new Map<string, string>()
      for (const pair of claim.namedChildren) {
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
    query: "[(module) (class_definition)] @claim",
    check: (claim, file) => {
      const children = parts(claim.childForFieldName("body") ?? claim)
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
    query: "(block) @claim",
    check: (claim, file) => {
      let leave: SyntaxNode | null = null
      for (const statement of parts(claim)) {
        // A `yield` behind a `raise` is how a function is made a generator.
        if (leave !== null && !/\byield\b/.test(statement.text)) {
          // In a test, that is how it is skipped for a while.
          if (file.isTest && /^raise\b.*Skip|^return$/.test(leave.text)) return false
          const [before, after] = [firstLineOf(leave), firstLineOf(statement)]
          if (file.isAdded(after.line)) return after
          // In a test, leaving at once is how it is switched off for a while.
          return (
            !file.isTest &&
            file.isAdded(before.line) && { ...before, title: "What follows this statement can never run" }
          )
        }
        if (/^(return|raise|continue|break)_statement$/.test(statement.type)) leave = statement
      }
      return false
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
    query: ask.statement,
    check: (claim) => {
      const made = expressionOf(claim)
      return made?.type === "call" && exceptions.has(callOf(made).called)
    },
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
    query: ask.statement,
    check: (claim) => {
      const call = expressionOf(claim)
      const inside =
        call?.type === "call" ? enclosing(claim, ["function_definition"], ["lambda", "class_definition"]) : null
      if (call === null || inside === null || !isAsync(inside)) return false
      const { called, method, object } = callOf(call)
      if (/^asyncio\.(sleep|wait|wait_for|to_thread)$/.test(called)) return true
      if (/^\w+$/.test(called)) return asyncDefs(rootOf(claim)).has(called) && !boundIn(inside).has(called)
      if (object?.text !== "self" || method === null) return false
      const body = enclosing(inside, ["class_definition"], ["function_definition"])?.childForFieldName("body")
      return body != null && asyncDefs(body).has(method)
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
    query: ask.call,
    check: (claim) => {
      if (!blocking.test(callOf(claim).called)) return false
      const inside = enclosing(claim, scopes)
      return inside?.type === "function_definition" && isAsync(inside)
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
    query: ask.statement,
    check: (claim) => {
      const comparison = expressionOf(claim)
      if (comparison?.type !== "comparison_operator" || !comparison.children.some(({ type }) => type === "=="))
        return false
      // At the end of a notebook cell or in a `with raises` block the comparison is the point.
      return enclosing(claim, ["function_definition"]) !== null && enclosing(claim, ["with_statement"], scopes) === null
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
    query: "(lambda) @claim",
    check: (claim) => {
      const [body, loop] = [claim.childForFieldName("body"), keeps(claim) ? enclosing(claim, loops, functions) : null]
      const clause =
        loop?.type === "for_statement" ? loop : loop?.namedChildren.find(({ type }) => type === "for_in_clause")
      const own = identifiers(claim.childForFieldName("parameters")).map(({ text }) => text)
      const names = identifiers(clause?.childForFieldName("left") ?? null).map(({ text }) => text)
      return identifiers(body).some(
        (word) =>
          names.includes(word.text) &&
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
    query: "(for_statement) @claim",
    check: (claim, file) => {
      const [iterated, body] = [claim.childForFieldName("right"), claim.childForFieldName("body")]
      const name = iterated === null ? null : collectionOf(iterated)
      if (name === null || body === null) return false
      if (within(body, ["assignment"], scopes).some((other) => other.childForFieldName("left")?.text === name))
        return false
      for (const node of within(body, ["call", "delete_statement"], scopes)) {
        if (!removesFrom(node, name)) continue
        // Leaving the loop at once makes it safe.
        const block = enclosing(node, ["block"])
        if (block === null || parts(block).some(({ type }) => /^(break|return|raise)_statement$/.test(type))) continue
        // In Python 2 the views of a dictionary were copies.
        if (iterated?.type === "call" && python2.test(rootOf(claim).text)) return false
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
        "for key in sorted(table):\n    del table[key]\n",
        "for key in table.keys():\n    if isinstance(key, basestring):\n        del table[key]\n"
      ]
    }
  })
]
