/** The words about types and those they come from. */
import type { StructureRule } from "../../domain/finding/Rule.ts"

const shared = { _tag: "Structure", stack: "structure", confidence: "HIGH" } as const

export const overrideRules: ReadonlyArray<StructureRule> = [
  {
    ...shared,
    id: "xref/override-no-longer-fits",
    misfit: "override",
    severity: "high",
    title: "A method and the parent's method it stands for no longer fit each other",
    why: "Whoever calls the parent's method calls it in a way that the other one does not take, or does not compile.",
    fix: "Change both, or give the new parameter a default in each.",
    reference: "https://cwe.mitre.org/data/definitions/628.html",
    examples: {
      bad: [
        {
          "base.py": [
            "class Base:\n    def run(self):\n        return 1\n",
            "class Base:\n    def run(self, job):\n        return job\n"
          ],
          "child.py": [
            "from base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return 2\n",
            "from base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return 2\n"
          ]
        },
        {
          "base.py": [
            "class Base:\n    def run(self):\n        return 1\n",
            "class Base:\n    def run(self):\n        return 1\n"
          ],
          "child.py": [
            "from base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return 2\n",
            "from base import Base\n\n\nclass Child(Base):\n    def run(self, job):\n        return 2\n"
          ]
        },
        {
          "store/store.go": [
            "package store\n\ntype Store interface {\n\tGet(key string) string\n}\n",
            "package store\n\ntype Store interface {\n\tGet(key string, copy bool) string\n}\n"
          ],
          "store/memory.go": [
            "package store\n\ntype memory struct{}\n\nvar _ Store = (*memory)(nil)\n\nfunc (m *memory) Get(key string) string { return key }\n",
            "package store\n\ntype memory struct{}\n\nvar _ Store = (*memory)(nil)\n\nfunc (m *memory) Get(key string) string { return key }\n"
          ]
        },
        {
          "src/store.ts": [
            "export interface Store {\n  get(key: string): string\n}\n",
            "export interface Store {\n  get(): string\n}\n"
          ],
          "src/memory.ts": [
            'import type { Store } from "./store"\nexport class Memory implements Store {\n  get(key: string) {\n    return key\n  }\n}\n',
            'import type { Store } from "./store"\nexport class Memory implements Store {\n  get(key: string) {\n    return key\n  }\n}\n'
          ]
        },
        {
          "src/store.rs": [
            "pub trait Store {\n    fn get(&self, key: &str) -> String;\n}\n",
            "pub trait Store {\n    fn get(&self, copy: bool, key: &str) -> String;\n}\n"
          ],
          "src/memory.rs": [
            "use crate::store::Store;\n\npub struct Memory;\n\nimpl Store for Memory {\n    fn get(&self, key: &str) -> String {\n        key.to_string()\n    }\n}\n",
            "use crate::store::Store;\n\npub struct Memory;\n\nimpl Store for Memory {\n    fn get(&self, key: &str) -> String {\n        key.to_string()\n    }\n}\n"
          ]
        },
        {
          "src/shop/Store.java": [
            "package shop;\n\npublic interface Store {\n  String get(String key);\n}\n",
            "package shop;\n\npublic interface Store {\n  String get(long key);\n}\n"
          ],
          "src/shop/Memory.java": [
            "package shop;\n\nclass Memory implements Store {\n  @Override\n  public String get(String key) {\n    return key;\n  }\n}\n",
            "package shop;\n\nclass Memory implements Store {\n  @Override\n  public String get(String key) {\n    return key;\n  }\n}\n"
          ]
        }
      ],
      good: [
        {
          "base.py": [
            "class Base:\n    def run(self):\n        return 1\n",
            "class Base:\n    def run(self, job):\n        return job\n"
          ],
          "child.py": [
            "from base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return 2\n",
            "from base import Base\n\n\nclass Child(Base):\n    def run(self, job):\n        return 2\n"
          ]
        },
        {
          "base.py": [
            "class Base:\n    def run(self):\n        return 1\n",
            "class Base:\n    def run(self, job=None):\n        return job\n"
          ],
          "child.py": [
            "from base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return 2\n",
            "from base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return 2\n"
          ]
        },
        {
          "base.py": [
            "class Base:\n    def run(self):\n        return 1\n",
            "class Base:\n    def run(self, job):\n        return job\n"
          ],
          "child.py": [
            "from other.base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return 2\n",
            "from other.base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return 2\n"
          ]
        },
        {
          "src/store.ts": [
            "export interface Store {\n  get(key: string): string\n}\n",
            "export interface Store {\n  get(key: string, copy?: boolean): string\n}\n"
          ],
          "src/memory.ts": [
            'import type { Store } from "./store"\nexport class Memory implements Store {\n  get(key: string) {\n    return key\n  }\n}\n',
            'import type { Store } from "./store"\nexport class Memory implements Store {\n  get(key: string) {\n    return key\n  }\n}\n'
          ]
        },
        {
          "base.py": [
            "class Base:\n    def run(self):\n        return 1\n",
            "class Base:\n    def run(self, job):\n        return job\n"
          ],
          "child.py": [
            "from base import Base\n\n\nclass Child(Base):\n    def run(self, *args):\n        return 2\n",
            "from base import Base\n\n\nclass Child(Base):\n    def run(self, *args):\n        return 2\n"
          ]
        }
      ]
    }
  },
  {
    ...shared,
    id: "xref/implementation-misses-method",
    misfit: "missing-method",
    severity: "high",
    title: "A type does not have a method that it has to implement",
    why: "A type without a method that its parent or interface wants does not compile, or cannot be made.",
    fix: "Implement the method, or give the parent a body for it.",
    reference: "https://docs.python.org/3/library/abc.html#abc.abstractmethod",
    examples: {
      bad: [
        {
          "store.py": [
            "from abc import ABC, abstractmethod\n\n\nclass Store(ABC):\n    @abstractmethod\n    def get(self, key):\n        pass\n",
            "from abc import ABC, abstractmethod\n\n\nclass Store(ABC):\n    @abstractmethod\n    def get(self, key):\n        pass\n\n    @abstractmethod\n    def put(self, key):\n        pass\n"
          ],
          "memory.py": [
            "from store import Store\n\n\nclass Memory(Store):\n    def get(self, key):\n        return key\n",
            "from store import Store\n\n\nclass Memory(Store):\n    def get(self, key):\n        return key\n"
          ]
        },
        {
          "src/store.ts": [
            "export interface Store {\n  get(key: string): string\n}\n",
            "export interface Store {\n  get(key: string): string\n  put(key: string): void\n}\n"
          ],
          "src/memory.ts": [
            'import type { Store } from "./store"\nexport class Memory implements Store {\n  get(key: string) {\n    return key\n  }\n}\n',
            'import type { Store } from "./store"\nexport class Memory implements Store {\n  get(key: string) {\n    return key\n  }\n}\n'
          ]
        },
        {
          "src/store.ts": [
            "export interface Store {\n  get(key: string): string\n}\n",
            "export interface Store {\n  get(key: string): string\n}\n"
          ],
          "src/memory.ts": [
            'import type { Store } from "./store"\nexport class Memory implements Store {\n  get(key: string) {\n    return key\n  }\n}\n',
            'import type { Store } from "./store"\nexport class Memory implements Store {\n  fetch(key: string) {\n    return key\n  }\n}\n'
          ]
        },
        {
          "store/store.go": [
            "package store\n\ntype Store interface {\n\tGet(key string) string\n}\n",
            "package store\n\ntype Store interface {\n\tGet(key string) string\n\tPut(key string)\n}\n"
          ],
          "store/memory.go": [
            "package store\n\ntype memory struct{}\n\nvar _ Store = (*memory)(nil)\n\nfunc (m *memory) Get(key string) string { return key }\n",
            "package store\n\ntype memory struct{}\n\nvar _ Store = (*memory)(nil)\n\nfunc (m *memory) Get(key string) string { return key }\n"
          ]
        },
        {
          "src/store.rs": [
            "pub trait Store {\n    fn get(&self, key: &str) -> String;\n}\n",
            "pub trait Store {\n    fn get(&self, key: &str) -> String;\n    fn put(&self);\n}\n"
          ],
          "src/memory.rs": [
            "use crate::store::Store;\n\npub struct Memory;\n\nimpl Store for Memory {\n    fn get(&self, key: &str) -> String {\n        key.to_string()\n    }\n}\n",
            "use crate::store::Store;\n\npub struct Memory;\n\nimpl Store for Memory {\n    fn get(&self, key: &str) -> String {\n        key.to_string()\n    }\n}\n"
          ]
        },
        {
          "src/shop/Store.java": [
            "package shop;\n\npublic interface Store {\n  String get(String key);\n}\n",
            "package shop;\n\npublic interface Store {\n  String get(String key);\n  void put(String key);\n}\n"
          ],
          "src/shop/Memory.java": [
            "package shop;\n\nclass Memory implements Store {\n  @Override\n  public String get(String key) {\n    return key;\n  }\n}\n",
            "package shop;\n\nclass Memory implements Store {\n  @Override\n  public String get(String key) {\n    return key;\n  }\n}\n"
          ]
        }
      ],
      good: [
        {
          "store.py": [
            "from abc import ABC, abstractmethod\n\n\nclass Store(ABC):\n    @abstractmethod\n    def get(self, key):\n        pass\n",
            "from abc import ABC, abstractmethod\n\n\nclass Store(ABC):\n    @abstractmethod\n    def get(self, key):\n        pass\n\n    @abstractmethod\n    def put(self, key):\n        pass\n"
          ],
          "memory.py": [
            "from store import Store\n\n\nclass Memory(Store):\n    def get(self, key):\n        return key\n",
            "from store import Store\n\n\nclass Memory(Store):\n    def get(self, key):\n        return key\n\n    def put(self, key):\n        pass\n"
          ]
        },
        {
          "src/store.ts": [
            "export interface Store {\n  get(key: string): string\n}\n",
            "export interface Store {\n  get(key: string): string\n  put?(key: string): void\n}\n"
          ],
          "src/memory.ts": [
            'import type { Store } from "./store"\nexport class Memory implements Store {\n  get(key: string) {\n    return key\n  }\n}\n',
            'import type { Store } from "./store"\nexport class Memory implements Store {\n  get(key: string) {\n    return key\n  }\n}\n'
          ]
        },
        {
          "src/store.rs": [
            "pub trait Store {\n    fn get(&self, key: &str) -> String;\n}\n",
            "pub trait Store {\n    fn get(&self, key: &str) -> String;\n    fn put(&self) {}\n}\n"
          ],
          "src/memory.rs": [
            "use crate::store::Store;\n\npub struct Memory;\n\nimpl Store for Memory {\n    fn get(&self, key: &str) -> String {\n        key.to_string()\n    }\n}\n",
            "use crate::store::Store;\n\npub struct Memory;\n\nimpl Store for Memory {\n    fn get(&self, key: &str) -> String {\n        key.to_string()\n    }\n}\n"
          ]
        },
        {
          "src/shop/Store.java": [
            "package shop;\n\npublic interface Store {\n  String get(String key);\n}\n",
            "package shop;\n\npublic interface Store {\n  String get(String key);\n  default void put(String key) {}\n}\n"
          ],
          "src/shop/Memory.java": [
            "package shop;\n\nclass Memory implements Store {\n  @Override\n  public String get(String key) {\n    return key;\n  }\n}\n",
            "package shop;\n\nclass Memory implements Store {\n  @Override\n  public String get(String key) {\n    return key;\n  }\n}\n"
          ]
        },
        {
          "src/store.ts": [
            "export interface Store {\n  get(key: string): string\n}\n",
            "export interface Store {\n  get(key: string): string\n  put(key: string): void\n}\n"
          ],
          "src/memory.ts": [
            'import type { Store } from "./store"\nexport class Memory extends Outside implements Store {\n  get(key: string) {\n    return key\n  }\n}\n',
            'import type { Store } from "./store"\nexport class Memory extends Outside implements Store {\n  get(key: string) {\n    return key\n  }\n}\n'
          ]
        }
      ]
    }
  },
  {
    ...shared,
    id: "xref/override-of-nothing",
    misfit: "stray-override",
    severity: "high",
    title: "A method overrides a parent's method that is gone or has another name",
    why: "An override of nothing does not compile, fails where it calls its parent, or is never called any more.",
    fix: "Rename the override as well, or remove it.",
    reference: "https://cwe.mitre.org/data/definitions/710.html",
    examples: {
      bad: [
        {
          "base.py": [
            "class Base:\n    def run(self):\n        return 1\n",
            "class Base:\n    def work(self):\n        return 1\n"
          ],
          "child.py": [
            "from base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return super().run()\n",
            "from base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return super().run()\n"
          ]
        },
        {
          "base.py": [
            "class Base:\n    def run(self, job):\n        self.job = job\n        return self.job + 1\n",
            "class Base:\n    def work(self, job):\n        self.job = job\n        return self.job + 1\n"
          ],
          "child.py": [
            "from base import Base\n\n\nclass Child(Base):\n    def run(self, job):\n        return 2\n",
            "from base import Base\n\n\nclass Child(Base):\n    def run(self, job):\n        return 2\n"
          ]
        },
        {
          "src/store.ts": [
            "export class Store {\n  get() {\n    return 1\n  }\n}\n",
            "export class Store {\n  fetch() {\n    return 2\n  }\n}\n"
          ],
          "src/memory.ts": [
            'import { Store } from "./store"\nexport class Memory extends Store {\n  override get() {\n    return 2\n  }\n}\n',
            'import { Store } from "./store"\nexport class Memory extends Store {\n  override get() {\n    return 2\n  }\n}\n'
          ]
        },
        {
          "src/shop/Store.java": [
            "package shop;\n\npublic interface Store {\n  String get(String key);\n}\n",
            "package shop;\n\npublic interface Store {\n  String fetch(String key);\n}\n"
          ],
          "src/shop/Memory.java": [
            "package shop;\n\nclass Memory implements Store {\n  @Override\n  public String get(String key) {\n    return key;\n  }\n}\n",
            "package shop;\n\nclass Memory implements Store {\n  @Override\n  public String get(String key) {\n    return key;\n  }\n}\n"
          ]
        },
        {
          "src/store.rs": [
            "pub trait Store {\n    fn get(&self, key: &str) -> String;\n}\n",
            "pub trait Store {\n    fn fetch(&self, key: &str) -> String;\n}\n"
          ],
          "src/memory.rs": [
            "use crate::store::Store;\n\npub struct Memory;\n\nimpl Store for Memory {\n    fn get(&self, key: &str) -> String {\n        key.to_string()\n    }\n}\n",
            "use crate::store::Store;\n\npub struct Memory;\n\nimpl Store for Memory {\n    fn get(&self, key: &str) -> String {\n        key.to_string()\n    }\n}\n"
          ]
        }
      ],
      good: [
        {
          "base.py": [
            "class Base:\n    def run(self):\n        return 1\n",
            "class Base:\n    def work(self):\n        return 1\n"
          ],
          "child.py": [
            "from base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return 2\n",
            "from base import Base\n\n\nclass Child(Base):\n    def work(self):\n        return 2\n"
          ]
        },
        {
          "base.py": ["class Base:\n    def run(self):\n        return 1\n", "class Base:\n    pass\n"],
          "child.py": [
            "from base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return 2\n",
            "from base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return 2\n"
          ]
        },
        {
          "base.py": ["class Base:\n    def run(self):\n        return 1\n", "class Base(Outside):\n    pass\n"],
          "child.py": [
            "from base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return super().run()\n",
            "from base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return super().run()\n"
          ]
        },
        {
          "src/shop/Store.java": [
            "package shop;\n\npublic interface Store {\n  String get(String key);\n}\n",
            "package shop;\n\npublic interface Store {\n  String fetch(String key);\n}\n"
          ],
          "src/shop/Memory.java": [
            "package shop;\n\nclass Memory implements Store {\n  @Override\n  public String get(String key) {\n    return key;\n  }\n}\n",
            "package shop;\n\nclass Memory implements Store {\n  @Override\n  public String fetch(String key) {\n    return key;\n  }\n}\n"
          ]
        }
      ]
    }
  }
]
