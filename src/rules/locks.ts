/**
 * A way out of a function with a lock still held, in the languages where releasing it is left to the programmer.
 *
 * Claimed only where the same function releases the lock itself further on, so that a lock handed to the caller, or
 * released by a deferred call or in a `finally`, is left alone.
 */

import type { Grammar } from "../domain/change/Grammar.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { linesOf, type SyntaxRule } from "../domain/finding/Rule.ts"
import { squeezed } from "../languages/tree.ts"
import { nodeRules } from "./nodeRule.ts"

interface Language {
  readonly area: string
  readonly stack: string
  readonly grammars: ReadonlyArray<Grammar>
  /** Statements that leave the function. */
  readonly exits: ReadonlyArray<string>
  readonly functions: ReadonlyArray<string>
  /** A statement that takes a lock, without white space. */
  readonly takes: RegExp
  /** What releases it. */
  readonly releases: (lock: string, taken: string) => string
  readonly fix: string
  readonly reference: string
  readonly keywords: ReadonlyArray<string>
  readonly examples: SyntaxRule["examples"]
}

interface Held {
  readonly lock: string
  readonly line: number
  readonly release: string
}

const mostSteps = 60
const longestStep = 4_000

/** The lock that a statement before this one took and nothing on the way here has released; null when there is none. */
const heldAt = (exit: SyntaxNode, { functions, releases, takes }: Language): Held | null => {
  const passed: Array<string> = [squeezed(exit)]
  let at: SyntaxNode = exit
  let steps = 0
  for (;;) {
    for (let before = at.previousNamedSibling; before !== null; before = before.previousNamedSibling) {
      // A function as long as this is not read again for each of its ways out.
      if (++steps > mostSteps || before.endIndex - before.startIndex > longestStep) return null
      const text = squeezed(before)
      const taken = takes.exec(text.replace(/;$/, ""))
      if (taken === null) {
        passed.push(text)
        continue
      }
      const [, lock = "", how = ""] = taken
      const release = releases(lock, how)
      if (passed.some((each) => each.includes(release))) return null
      return { lock, line: linesOf(before).line, release }
    }
    const holder = at.parent
    if (holder === null || functions.includes(holder.type)) return null
    // A `finally` or an `else` of what it stands in may release it.
    if (/try|with|do_statement/.test(holder.type)) passed.push(squeezed(holder))
    at = holder
  }
}

const functionAround = (node: SyntaxNode, types: ReadonlyArray<string>): SyntaxNode | null => {
  for (let at = node.parent; at !== null; at = at.parent) if (types.includes(at.type)) return at
  return null
}

const leavesHeld = (language: Language): SyntaxRule =>
  nodeRules({ stack: language.stack, grammars: language.grammars })({
    id: `${language.area}/lock-not-released`,
    severity: "high",
    confidence: "HIGH",
    title: "This leaves the function with the lock still held",
    why: "Whoever asks for the lock next waits for ever.",
    fix: language.fix,
    reference: language.reference,
    inTests: false,
    keywords: language.keywords,
    query: `[${language.exits.map((type) => `(${type})`).join(" ")}] @claim`,
    check: (claim) => {
      // Swift has one node for all of return, throw, break and continue.
      if (/^(break|continue|yield|fallthrough)\b/.test(claim.text)) return false
      const owner = functionAround(claim, language.functions)
      const held = owner === null ? null : heldAt(claim, language)
      if (owner === null || held === null) return false
      const after = owner.text.slice(claim.endIndex - owner.startIndex).replace(/\s+/g, "")
      const isReleasedLater = after.includes(held.release)
      return isReleasedLater && { ...linesOf(claim), description: `\`${held.lock}\` was taken on line ${held.line}.` }
    },
    examples: language.examples
  })

const languages: ReadonlyArray<Language> = [
  {
    area: "go",
    stack: "go",
    grammars: ["go"],
    exits: ["return_statement"],
    functions: ["function_declaration", "method_declaration", "func_literal"],
    takes: /^([\w.]+)\.(R?)Lock\(\)$/,
    releases: (lock, taken) => `${lock}.${taken}Unlock()`,
    fix: "Write `defer mu.Unlock()` right behind the lock, or unlock before this return.",
    reference: "https://pkg.go.dev/sync#Mutex.Unlock",
    keywords: ["Lock()"],
    examples: {
      bad: [
        "package p\n\nfunc (c *C) get(k string) int {\n\tc.mu.Lock()\n\tv, ok := c.m[k]\n\tif !ok {\n\t\treturn 0\n\t}\n\tc.mu.Unlock()\n\treturn v\n}\n",
        "package p\n\nfunc f() error {\n\tmu.RLock()\n\tif err := g(); err != nil {\n\t\treturn err\n\t}\n\tmu.RUnlock()\n\treturn nil\n}\n",
        "package p\n\nfunc f(xs []int) int {\n\tmu.Lock()\n\tfor _, x := range xs {\n\t\tif x > 1 {\n\t\t\treturn x\n\t\t}\n\t}\n\tmu.Unlock()\n\treturn 0\n}\n"
      ],
      good: [
        "package p\n\nfunc (c *C) get(k string) int {\n\tc.mu.Lock()\n\tdefer c.mu.Unlock()\n\tif c.m == nil {\n\t\treturn 0\n\t}\n\treturn c.m[k]\n}\n",
        "package p\n\nfunc f() error {\n\tmu.Lock()\n\tif bad {\n\t\tmu.Unlock()\n\t\treturn errBad\n\t}\n\tmu.Unlock()\n\treturn nil\n}\n",
        "package p\n\nfunc (c *C) lockedGet() int {\n\tc.mu.Lock()\n\treturn c.v\n}\n",
        "package p\n\nfunc f() {\n\tmu.Lock()\n\tgo func() {\n\t\treturn\n\t}()\n\tmu.Unlock()\n}\n"
      ]
    }
  },
  {
    area: "py",
    stack: "python",
    grammars: ["python"],
    exits: ["return_statement", "raise_statement"],
    functions: ["function_definition", "lambda", "class_definition"],
    takes: /^([\w.]+)\.acquire\(()\)$/,
    releases: (lock) => `${lock}.release()`,
    fix: "Use `with lock:`, which releases it on every way out.",
    reference:
      "https://docs.python.org/3/library/threading.html#using-locks-conditions-and-semaphores-in-the-with-statement",
    keywords: [".acquire()"],
    examples: {
      bad: [
        "def get(self, k):\n    self.lock.acquire()\n    if k not in self.m:\n        return None\n    v = self.m[k]\n    self.lock.release()\n    return v\n",
        "def f():\n    lock.acquire()\n    if bad():\n        raise ValueError('bad')\n    lock.release()\n",
        "def f(xs):\n    lock.acquire()\n    for x in xs:\n        if x:\n            return x\n    lock.release()\n    return None\n"
      ],
      good: [
        "def get(self, k):\n    with self.lock:\n        return self.m.get(k)\n",
        "def get(self, k):\n    self.lock.acquire()\n    try:\n        if k not in self.m:\n            return None\n        return self.m[k]\n    finally:\n        self.lock.release()\n",
        "def f():\n    lock.acquire()\n    if bad():\n        lock.release()\n        return 1\n    lock.release()\n    return 2\n",
        "def take(self):\n    self.lock.acquire()\n    return self\n"
      ]
    }
  },
  {
    area: "java",
    stack: "java",
    grammars: ["java"],
    exits: ["return_statement", "throw_statement"],
    functions: ["method_declaration", "constructor_declaration", "lambda_expression", "class_body"],
    takes: /^([\w.()]+)\.(?:lock|lockInterruptibly)\(()\)$/,
    releases: (lock) => `${lock}.unlock()`,
    fix: "Put what follows the lock into `try` and the unlock into `finally`.",
    reference: "https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/util/concurrent/locks/Lock.html",
    keywords: ["lock()", "lockInterruptibly()"],
    examples: {
      bad: [
        "class A {\n  int get(String k) {\n    lock.lock();\n    if (!m.containsKey(k)) {\n      return 0;\n    }\n    int v = m.get(k);\n    lock.unlock();\n    return v;\n  }\n}\n",
        "class A {\n  void put(String k) {\n    this.lock.lock();\n    if (k == null) throw new IllegalArgumentException();\n    m.add(k);\n    this.lock.unlock();\n  }\n}\n",
        "class A {\n  int get() {\n    rw.readLock().lock();\n    for (int x : xs) {\n      if (x > 0) return x;\n    }\n    rw.readLock().unlock();\n    return 0;\n  }\n}\n"
      ],
      good: [
        "class A {\n  int get(String k) {\n    lock.lock();\n    try {\n      return m.get(k);\n    } finally {\n      lock.unlock();\n    }\n  }\n}\n",
        "class A {\n  int get(String k) {\n    lock.lock();\n    if (k == null) {\n      lock.unlock();\n      return 0;\n    }\n    lock.unlock();\n    return 1;\n  }\n}\n",
        "class A {\n  Lock take() {\n    lock.lock();\n    return lock;\n  }\n}\n"
      ]
    }
  },
  {
    area: "swift",
    stack: "ios",
    grammars: ["swift"],
    exits: ["control_transfer_statement"],
    functions: ["function_declaration", "init_declaration", "deinit_declaration", "lambda_literal", "computed_getter"],
    takes: /^([\w.]+)\.lock\(()\)$/,
    releases: (lock) => `${lock}.unlock()`,
    fix: "Write `defer { lock.unlock() }` right behind the lock.",
    reference: "https://developer.apple.com/documentation/foundation/nslocking",
    keywords: [".lock()"],
    examples: {
      bad: [
        "func get(k: String) -> Int {\n  lock.lock()\n  guard let v = m[k] else {\n    return 0\n  }\n  lock.unlock()\n  return v\n}\n",
        "func put(k: String) throws {\n  self.lock.lock()\n  if k.isEmpty {\n    throw Bad.empty\n  }\n  m.insert(k)\n  self.lock.unlock()\n}\n",
        "func first() -> Int? {\n  lock.lock()\n  for x in xs {\n    if x > 1 {\n      return x\n    }\n  }\n  lock.unlock()\n  return nil\n}\n"
      ],
      good: [
        "func get(k: String) -> Int {\n  lock.lock()\n  defer { lock.unlock() }\n  guard let v = m[k] else {\n    return 0\n  }\n  return v\n}\n",
        "func get(k: String) -> Int {\n  lock.lock()\n  if k.isEmpty {\n    lock.unlock()\n    return 0\n  }\n  lock.unlock()\n  return 1\n}\n",
        "func all() {\n  lock.lock()\n  for x in xs {\n    if x > 1 { continue }\n    use(x)\n  }\n  lock.unlock()\n}\n"
      ]
    }
  }
]

export const lockRules: ReadonlyArray<SyntaxRule> = languages.map(leavesHeld)
