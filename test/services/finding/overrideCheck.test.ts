import { afterAll, describe, expect, test } from "bun:test"
import { ManagedRuntime } from "effect"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import type { Texts } from "../../support/change.ts"
import { structureSaid } from "../../support/structural.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())
const said = structureSaid(parsing)

const speaks = (
  title: string,
  texts: Texts,
  others: Readonly<Record<string, string>>,
  expected: ReadonlyArray<string>
) => test(title, async () => expect(await said(texts, others)).toEqual([...expected]))
const silent = (title: string, texts: Texts, others: Readonly<Record<string, string>> = {}) =>
  speaks(`is silent about ${title}`, texts, others, [])

describe("Python", () => {
  const base = "class Base:\n    def run(self, job):\n        return job\n"
  const child = "from base import Base\n\n\nclass Child(Base):\n    def run(self, job):\n        return 1\n"
  const changed = (text: string): Texts => ({ "base.py": [base, text] })
  speaks(
    "finds an override that lacks the parent's new parameter",
    changed(base.replace("job)", "job, when)")),
    { "child.py": child },
    ["override-no-longer-fits base.py:2 <- base.py:2; child.py:5"]
  )
  silent(
    "tests, which a runner calls with fixtures by name",
    { "base.py": [base.replace("run", "test_run"), base.replace("run(self, job", "test_run(self, job, when")] },
    { "child.py": child.replace("run", "test_run") }
  )
  speaks(
    "finds it two levels below, and through another name",
    changed(base.replace("job)", "job, when)")),
    {
      "middle.py": "from base import Base as B\n\n\nclass Middle(B):\n    pass\n",
      "child.py": child.replace("from base import Base", "import middle").replace("(Base)", "(middle.Middle)")
    },
    ["override-no-longer-fits base.py:2 <- base.py:2; child.py:5"]
  )
  speaks(
    "finds it in a file with another import whose name its parent's name begins with",
    changed(base.replace("job)", "job, when)")),
    { "B.py": "", "child.py": `import B\n${child}` },
    ["override-no-longer-fits base.py:2 <- base.py:2; child.py:6"]
  )
  speaks(
    "finds an override that stayed synchronous",
    changed(base.replace("    def", "    async def")),
    { "child.py": child },
    ["override-no-longer-fits base.py:2 <- base.py:2; child.py:5"]
  )
  speaks(
    "finds a child that asks for more than its parent",
    { "child.py": [child, child.replace("job)", "job, when)")] },
    { "base.py": base },
    ["override-no-longer-fits child.py:5 <- child.py:5; base.py:2"]
  )
  speaks(
    "finds a call of a parent's method that is gone",
    changed("class Base:\n    pass\n"),
    { "child.py": child.replace("return 1", "return super().run(job)") },
    ["override-of-nothing base.py:1 <- base.py:1; child.py:5"]
  )
  silent("a new optional parameter", changed(base.replace("job)", "job, when=None)")), { "child.py": child })
  silent("an override that takes whatever comes", changed(base.replace("job)", "job, when)")), {
    "child.py": child.replace("job)", "*args, **kwargs)")
  })
  silent("a decorated override", changed(base.replace("job)", "job, when)")), {
    "child.py": child.replace("    def", "    @wraps\n    def")
  })
  silent("a class of the same name from elsewhere", changed(base.replace("job)", "job, when)")), {
    "child.py": child.replace("from base", "from other.base")
  })
  silent("an override that never fitted", changed(base.replace("job)", "job, when)")), {
    "child.py": child.replace("job)", "job, x, y)")
  })
  silent("an override that may hand on a coroutine", changed(base.replace("    def", "    async def")), {
    "child.py": child.replace("return 1", "return self.other(job)")
  })
  silent("a method that moves from the parent to its children", changed("class Base:\n    pass\n"), {
    "child.py": child
  })
  silent(
    "a constructor",
    { "base.py": [base.replace("run", "__init__"), base.replace("run(self, job)", "__init__(self)")] },
    { "child.py": child.replace("run", "__init__") }
  )
  silent("a parent's method that another parent still has", changed("class Base:\n    pass\n"), {
    "mixin.py": base.replace("Base", "Mixin"),
    "child.py": child
      .replace("(Base)", "(Base, Mixin)")
      .replace("class", "from mixin import Mixin\n\n\nclass")
      .replace("return 1", "return super().run(job)")
  })
  const abstract =
    "from abc import ABC, abstractmethod\n\n\nclass Base(ABC):\n    @abstractmethod\n    def run(self, job):\n        pass\n"
  const two = `${abstract}\n    @abstractmethod\n    def stop(self):\n        pass\n`
  silent(
    "a class that others come from",
    { "base.py": [abstract, two] },
    {
      "child.py": child,
      "leaf.py": "from child import Child\n\n\nclass Leaf(Child):\n    def stop(self):\n        pass\n"
    }
  )
  silent(
    "a class with a parent from outside",
    { "base.py": [abstract, two] },
    { "child.py": child.replace("(Base)", "(Base, Outside)") }
  )
})

describe("TypeScript", () => {
  const store = "export interface Store {\n  get(key: string): string\n  name: string\n}\n"
  const memory =
    'import type { Store } from "./store"\nexport class Memory implements Store {\n  constructor(readonly name: string) {}\n  get = (key: string) => key\n}\n'
  const changed = (text: string): Texts => ({ "src/store.ts": [store, text] })
  speaks(
    "finds a class without a new property",
    changed(store.replace("}\n", "  size: number\n}\n")),
    { "src/memory.ts": memory },
    ["implementation-misses-method src/store.ts:4 <- src/store.ts:4; src/memory.ts:2"]
  )
  speaks(
    "finds a method whose value has to be waited for now",
    changed(store.replace("): string", "): Promise<string>")),
    { "src/memory.ts": memory.replace("get = (key: string) => key", "get(key: string): string { return key }") },
    ["override-no-longer-fits src/store.ts:2 <- src/store.ts:2; src/memory.ts:4"]
  )
  speaks(
    "finds an abstract method through a class in between",
    { "src/a.ts": ["export abstract class A {\n}\n", "export abstract class A {\n  abstract run(): void\n}\n"] },
    {
      "src/b.ts": 'import { A } from "./a"\nexport abstract class B extends A {}\n',
      "src/c.ts": 'import { B } from "./b"\nexport class C extends B {}\n'
    },
    ["implementation-misses-method src/a.ts:2 <- src/a.ts:2; src/c.ts:2"]
  )
  silent("a part of the interface", changed(store.replace("}\n", "  size: number\n}\n")), {
    "src/memory.ts": memory.replace("implements Store", "implements Partial<Store>")
  })
  silent(
    "a new parameter that nobody has to take",
    changed(store.replace("key: string", "key: string, copy: boolean")),
    { "src/memory.ts": memory }
  )
  silent("an accessor in place of a property", changed(store.replace("}\n", "  size: number\n}\n")), {
    "src/memory.ts": memory.replace("  get =", "  get size() { return 1 }\n  get =")
  })
  silent("a class that extends one from outside", changed(store.replace("}\n", "  size: number\n}\n")), {
    "src/memory.ts": memory.replace("class Memory", "class Memory extends Map<string, string>")
  })
})

describe("Go", () => {
  const store = "package store\n\ntype Store interface {\n\tGet(key string) (string, error)\n}\n"
  const memory = (embedded = "") =>
    `package memory\n\nimport "example.com/shop/store"\n\ntype memory struct {${embedded}}\n\nfunc New() store.Store {\n\treturn &memory{}\n}\n`
  const get = 'package memory\n\nfunc (m memory) Get(k string) (v string, err error) { return "", nil }\n'
  const module = { "go.mod": "module example.com/shop\n" }
  const more: Texts = { "store/store.go": [store, store.replace("}\n", "\tPut(key string)\n}\n")] }
  speaks(
    "finds a returned type of another package, whose methods stand in another file",
    more,
    { ...module, "memory/new.go": memory(), "memory/get.go": get },
    ["implementation-misses-method store/store.go:5 <- store/store.go:5; memory/new.go:5"]
  )
  speaks(
    "holds a changed method against the interface",
    { "memory/get.go": [get, get.replace("k string", "k []byte")] },
    { ...module, "store/store.go": store, "memory/new.go": memory() },
    ["override-no-longer-fits memory/get.go:3 <- memory/get.go:3; store/store.go:4"]
  )
  const typed = (type: string): Texts => ({ "memory/get.go": [get, get.replace("k string", `k ${type}`)] })
  const around = { ...module, "store/store.go": store, "memory/new.go": memory() }
  speaks(
    "finds a type that the repository declares as its own",
    typed("Key"),
    { ...around, "memory/key.go": "package memory\n\ntype Key string\n" },
    ["override-no-longer-fits memory/get.go:3 <- memory/get.go:3; store/store.go:4"]
  )
  silent("an alias of a type", typed("Key"), { ...around, "memory/key.go": "package memory\n\ntype Key = string\n" })
  silent("a type of another module, which may be an alias", typed("keys.Key"), around)
  silent(
    "the two names of a predeclared type",
    { "store/store.go": [store.replace("string)", "byte)"), store.replace("string)", "uint8)")] },
    { ...module, "memory/new.go": memory(), "memory/get.go": get.replace("k string", "k byte") }
  )
  silent("a type that embeds another", more, {
    ...module,
    "memory/new.go": memory(" store.Store "),
    "memory/get.go": get
  })
  silent(
    "other names for the same types",
    { "store/store.go": [store, store.replace("key string) (string, error)", "k string) (value string, err error)")] },
    { ...module, "memory/new.go": memory(), "memory/get.go": get }
  )
  silent(
    "other names inside a function's type",
    {
      "store/store.go": [
        store.replace("key string", "f func(key string)"),
        store.replace("key string", "f func(string)")
      ]
    },
    { ...module, "memory/new.go": memory(), "memory/get.go": get.replace("k string", "f func(key string)") }
  )
  silent("a type that nobody says implements it", more, {
    ...module,
    "memory/new.go": memory().replace("store.Store", "*memory"),
    "memory/get.go": get
  })
})

describe("Rust and Java", () => {
  const store = "pub trait Store {\n    fn get(&self, key: &str) -> String;\n}\n"
  const memory =
    "use crate::store::Store;\n\nimpl<T> Store for Memory<T> {\n    fn get(&self, key: &str) -> String {\n        key.into()\n    }\n}\n"
  speaks(
    "finds an implementation that became shorter than its trait",
    { "src/store.rs": [store, store.replace("&self, ", "&mut self, copy: bool, ")] },
    { "src/lib.rs": "mod memory;\npub mod store;\n", "src/memory.rs": memory },
    ["override-no-longer-fits src/store.rs:2 <- src/store.rs:2; src/memory.rs:4"]
  )
  silent(
    "a trait of the same name from another crate",
    { "src/store.rs": [store, store.replace("&self, ", "&self, copy: bool, ")] },
    { "src/memory.rs": memory.replace("crate::store", "outside") }
  )
  silent(
    "a trait that a macro fills",
    { "src/store.rs": [store, store.replace("}\n", "    fn put(&self);\n}\n")] },
    { "src/memory.rs": memory.replace("    fn get", "    more!();\n    fn get") }
  )
  const names = "package shop;\n\npublic interface Names {\n  String name(int id);\n}\n"
  const users =
    "package shop.users;\n\nimport shop.Names;\n\nclass Users implements Names {\n  @Override\n  public String name(final int number) { return null; }\n}\n"
  speaks(
    "finds an override of a method with other types",
    { "src/shop/Names.java": [names, names.replace("int id", "long id")] },
    { "src/shop/users/Users.java": users },
    ["override-no-longer-fits src/shop/Names.java:4 <- src/shop/Names.java:4; src/shop/users/Users.java:6"]
  )
  silent(
    "a parameter with another name",
    { "src/shop/Names.java": [names, names.replace("int id", "final int id")] },
    { "src/shop/users/Users.java": users }
  )
  silent(
    "a type that gets arguments, overridden without them",
    { "src/shop/Names.java": [names.replace("int id", "List id"), names.replace("int id", "List<?> id")] },
    { "src/shop/users/Users.java": users.replace("final int", "List") }
  )
  speaks(
    "finds an override whose type arguments differ",
    { "src/shop/Names.java": [names.replace("int id", "List<A> id"), names.replace("int id", "List<B> id")] },
    { "src/shop/users/Users.java": users.replace("final int", "List<A>") },
    ["override-no-longer-fits src/shop/Names.java:4 <- src/shop/Names.java:4; src/shop/users/Users.java:6"]
  )
  silent(
    "an interface of another package",
    { "src/shop/Names.java": [names, names.replace("int id", "long id")] },
    { "src/shop/users/Users.java": users.replace("import shop.Names", "import other.Names") }
  )
  const several = `${users.slice(0, -2)}  public String name(String text, int id) { return text; }\n}\n`
  silent(
    "a method beside one of the same name that is the parent's",
    { "src/shop/users/Users.java": [several, several.replace("String text, int id", "String text, long id")] },
    { "src/shop/Names.java": names }
  )
  silent(
    "any change of a class that has both",
    { "src/shop/users/Users.java": [several, `${several.slice(0, -2)}  public void more() {}\n}\n`] },
    { "src/shop/Names.java": names }
  )
  speaks(
    "finds which of several methods of one name lost its parent's",
    {
      "src/shop/Names.java": [
        names.replace("}\n", "  String name(String text, int id);\n}\n"),
        names.replace("}\n", "  String name(String text, long id);\n}\n")
      ]
    },
    { "src/shop/users/Users.java": several },
    ["override-no-longer-fits src/shop/Names.java:5 <- src/shop/Names.java:5; src/shop/users/Users.java:6"]
  )
  silent(
    "a class whose methods a processor writes",
    { "src/shop/Names.java": [names, names.replace("}\n", "  String getTitle();\n}\n")] },
    { "src/shop/users/Users.java": users.replace("class", "@Data\nclass") }
  )
})
