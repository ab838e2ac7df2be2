/** What dd knows about text in Python programs: formatting that fails, and text that becomes a command or a query. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { linesOf, type SyntaxRule } from "../../domain/finding/Rule.ts"
import { enclosing, parts, rootOf } from "../../languages/tree.ts"
import { ask, boundIn, callOf, keyword, plainString, positional, python } from "./pythonTree.ts"

/** Something a caller may choose; a constant by convention, or a value that was quoted, is not. */
const isVariable = (part: SyntaxNode): boolean =>
  !/^(string|integer|float|concatenated_string|true|false|none)$/.test(part.type) &&
  !/^([A-Za-z_]+\.)*[A-Z][A-Z0-9_]*$/.test(part.text) &&
  !/\b(quote|list2cmdline|join|getpid|fileno)\(|\bsys\.executable\b/.test(part.text)

const isText = (node: SyntaxNode): boolean =>
  /string$/.test(node.type) || (node.type === "binary_operator" && node.descendantsOfType("string").length > 0)

/** Is a variable put into this text: by interpolation, `%`, `+` or `format`? */
const hasHole = (node: SyntaxNode): boolean => {
  switch (node.type) {
    case "string":
    case "concatenated_string":
      return node.descendantsOfType("interpolation").some((hole) => parts(hole).slice(0, 1).some(isVariable))
    case "binary_operator": {
      const [left, right] = [node.childForFieldName("left"), node.childForFieldName("right")]
      const operator = node.childForFieldName("operator")?.text
      if (left === null || right === null || (!isText(left) && !isText(right))) return false
      if (operator === "%")
        return isText(left) && (right.type === "tuple" ? parts(right).some(isVariable) : isVariable(right))
      return operator === "+" && [left, right].some((side) => (isText(side) ? hasHole(side) : isVariable(side)))
    }
    case "call": {
      const called = node.childForFieldName("function")
      const list = node.childForFieldName("arguments")
      if (called?.childForFieldName("attribute")?.text !== "format" || list === null) return false
      const receiver = called.childForFieldName("object")
      return (
        receiver !== null &&
        isText(receiver) &&
        parts(list).some((part) => isVariable(part.childForFieldName("value") ?? part))
      )
    }
    default:
      return false
  }
}

/** An SQL statement in which a value is written where a parameter could stand. */
const sqlHole =
  /^[a-z]*['"]+\s*(select|insert|update|delete)\b[\s\S]*?(=|<|>|\blike\b|\bvalues\s*\()\s*'?%?(\{(?!\})|\{\}|%s|%d|'?"\s*\+|"?'\s*\+)/i

/** How many values `%` needs; null when the text is not plain about it. */
const conversions = (text: string): number | null => {
  let count = 0
  for (const [, star, precision, kind] of text.matchAll(/%[-#0 +]*(\*)?\d*(?:\.(\*)?\d*)?[hlL]?([\s\S]?)/g)) {
    if (kind === "%") continue
    if (!/^[diouxXeEfFgGcrsa]$/.test(kind ?? "")) return null
    count += 1 + (star === undefined ? 0 : 1) + (precision === undefined ? 0 : 1)
  }
  return count
}

/** How many positional arguments `format` needs at least; null when the text is not plain about it. */
const placeholders = (text: string): number | null => {
  const bare = text.replaceAll("{{", "").replaceAll("}}", "")
  const fields = [...bare.matchAll(/\{([^{}]*)\}/g)].map(([, field = ""]) => field)
  if (/[{}]/.test(bare.replace(/\{[^{}]*\}/g, ""))) return null
  const names = fields.map((field) => /^[^!:.[]*/.exec(field)?.[0] ?? "")
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number)
  return numbers.length > 0 ? Math.max(...numbers) + 1 : names.filter((name) => name === "").length
}

/** Calls whose argument is shown to a reader as it stands. */
const showing = /^(print|(self\.)?_?(log|logger|logging)\.(debug|info|warning|error|exception|critical))$/

export const pythonTextRules: ReadonlyArray<SyntaxRule> = [
  python({
    id: "py/format-arguments",
    severity: "high",
    confidence: "HIGH",
    title: "The text and its arguments do not fit: formatting fails at run time",
    why: "Too few or too many arguments raise TypeError or IndexError, often on a path that is rarely taken.",
    fix: "Give one argument for each placeholder.",
    reference: "https://docs.python.org/3/library/stdtypes.html#printf-style-string-formatting",
    keywords: ["%", ".format("],
    query: "[(binary_operator) (call)] @claim",
    check: (claim) => {
      const isCall = claim.type === "call"
      if (isCall ? callOf(claim).method !== "format" : claim.childForFieldName("operator")?.text !== "%") return false
      const text = isCall ? callOf(claim).object : claim.childForFieldName("left")
      const values = isCall ? callOf(claim).list : claim.childForFieldName("right")
      const plain = text === null ? null : plainString(text)
      if (text === null || plain === null || !/^(tuple|argument_list)$/.test(values?.type ?? "") || values === null)
        return false
      if (parts(values).some(({ type }) => /splat|comprehension|generator/.test(type))) return false
      const given = positional(values).length
      const wanted = isCall ? placeholders(plain) : plain.includes("%(") ? null : conversions(plain)
      // More arguments than `format` needs are untidy; fewer are an IndexError. `%` wants them exactly.
      if (wanted === null || given === wanted || (isCall && given > wanted)) return false
      return { ...linesOf(text), description: `The text has ${wanted} placeholders and is given ${given} values.` }
    },
    examples: {
      bad: [
        "x = '%s and %s' % (a,)\n",
        "x = '%s' % (a, b)\n",
        "x = '{} {}'.format(a)\n",
        "x = '{0} {2}'.format(a, b)\n"
      ],
      good: [
        "x = '%s and %s' % (a, b)\n",
        "x = '100%% of %s' % (a,)\n",
        "x = '{} {}'.format(*pair)\n",
        "x = '{a} {{}}'.format(a=1)\n",
        "x = '%(a)s' % (a,)\n",
        "x = '{:{}}'.format(a, b)\n",
        "x = '%*d' % (3, a)\n"
      ]
    }
  }),
  python({
    id: "py/missing-f-prefix",
    severity: "medium",
    confidence: "HIGH",
    title: "The text names variables in braces but is not an f-string",
    why: "The reader of the message sees `{name}` instead of the value.",
    fix: "Put `f` before the string.",
    reference: "https://docs.python.org/3/reference/lexical_analysis.html#f-strings",
    inTests: false,
    keywords: ["{"],
    query: "(string) @claim",
    check: (claim) => {
      const call = claim.parent?.type === "argument_list" ? claim.parent.parent : null
      if (call?.type !== "call" || callOf(call).args.length !== 1) return false
      const statement = call.parent?.type ?? ""
      if (
        statement !== "raise_statement" &&
        !(statement === "expression_statement" && showing.test(callOf(call).called))
      )
        return false
      const plain = plainString(claim)
      const inside = enclosing(claim, ["function_definition"])
      if (plain === null || inside === null || plain.includes("{{")) return false
      const fields = [...plain.matchAll(/\{([^{}]*)\}/g)].map(([, field = ""]) => field)
      const names = fields.map((field) => /^([A-Za-z_]\w*)(\.\w+)*(![rsa])?$/.exec(field)?.[1])
      if (names.length === 0) return false
      const bound = boundIn(inside)
      return names.every((name) => name !== undefined && bound.has(name))
    },
    examples: {
      bad: [
        "def f(name):\n    raise ValueError('no such name: {name}')\n",
        "def f(path):\n    print('reading {path}')\n",
        "def f(self, x):\n    y = x.size\n    logger.info('size {y} of {x.name}')\n"
      ],
      good: [
        "def f(name):\n    raise ValueError(f'no such name: {name}')\n",
        "def f(name):\n    raise ValueError('no such name: {name}'.format(name=name))\n",
        "def f(name):\n    raise ValueError('use {id} in the template')\n",
        "def f(name):\n    render('{name}')\n"
      ]
    }
  }),
  python({
    id: "py/strip-affix",
    severity: "medium",
    confidence: "HIGH",
    title: "`strip` removes a set of characters, not this prefix or suffix",
    why: "Each leading or trailing character found in the argument goes: `'happy.py'.rstrip('.py')` is `'ha'`.",
    fix: "Use `removeprefix` or `removesuffix`.",
    reference: "https://docs.python.org/3/library/stdtypes.html#str.removeprefix",
    keywords: ["strip("],
    query: ask.call,
    check: (claim) => {
      const { method, args } = callOf(claim)
      if (!/^[lr]strip$/.test(method ?? "") || args.length !== 1 || args[0] === undefined) return false
      const affix = /^(\.[a-z]{2,5}|https?:\/\/\S*|[a-z]{3,}[_:/.-]|[_:/-][a-z]{3,}|[a-z]+\/[a-z]+\/)$/i
      return affix.test(plainString(args[0]) ?? "")
    },
    examples: {
      bad: ["name = path.rstrip('.py')\n", "host = url.lstrip('https://')\n", "branch = ref.lstrip('refs/heads/')\n"],
      good: [
        "name = path.rstrip('/')\n",
        "text = line.rstrip('\\r\\n')\n",
        "name = path.removesuffix('.py')\n",
        "x = y.lstrip('0123456789')\n"
      ]
    }
  }),
  python({
    id: "py/yaml-load",
    severity: "high",
    confidence: "HIGH",
    title: "`yaml.load` without a loader: unsafe before PyYAML 6, a TypeError since",
    why: "The old default loader builds any Python object the document names, which runs code of its author.",
    fix: "Use `yaml.safe_load`.",
    reference: "CWE-502",
    keywords: ["yaml.load("],
    query: ask.call,
    check: (claim) => {
      const { called, args } = callOf(claim)
      if (called !== "yaml.load" || args.length !== 1 || /argument|splat/.test(args[0]?.type ?? "")) return false
      // ruamel.yaml's object, often of the same name, has its loader in itself.
      return !/\byaml\s*=\s*[\w.]*\bYAML\(/.test(rootOf(claim).text)
    },
    examples: {
      bad: ["x = yaml.load(text)\n", "with open(p) as f:\n    x = yaml.load(f)\n", "x = yaml.load(open(p).read())\n"],
      good: [
        "x = yaml.safe_load(text)\n",
        "x = yaml.load(text, Loader=yaml.SafeLoader)\n",
        "x = yaml.load(text, yaml.CSafeLoader)\n",
        "x = yaml.load(*arguments)\n",
        "yaml = ruamel.yaml.YAML(typ='safe')\nx = yaml.load(text)\n"
      ]
    }
  }),
  python({
    id: "py/shell-injection",
    severity: "high",
    confidence: "MEDIUM",
    title: "A shell runs text that is put together from variables",
    why: "A space, quote or semicolon in one of the values changes the command that runs.",
    fix: "Pass a list of arguments without `shell=True`, or quote each value with shlex.quote.",
    reference: "CWE-78",
    inTests: false,
    keywords: ["shell=True", "os.system", "os.popen"],
    query: ask.call,
    check: (claim) => {
      const { called, list, args } = callOf(claim)
      if (list === null || args[0] === undefined) return false
      const isShell =
        /^os\.(system|popen)$/.test(called) ||
        (/^subprocess\.(run|call|check_call|check_output|Popen)$/.test(called) &&
          keyword(list, "shell")?.text === "True")
      return isShell && hasHole(args[0])
    },
    examples: {
      bad: [
        "subprocess.run(f'git show {ref}', shell=True)\n",
        "os.system('rm -r ' + path)\n",
        "subprocess.check_output('ls %s' % name, shell=True)\n",
        "subprocess.Popen('cat {}'.format(name), shell=True)\n"
      ],
      good: [
        "subprocess.run(['git', 'show', ref])\n",
        "subprocess.run('ls -l', shell=True)\n",
        "subprocess.run(f'git show {shlex.quote(ref)}', shell=True)\n",
        "os.system('clear')\n",
        "subprocess.run(f'{PYTHON} -m this', shell=True)\n"
      ]
    }
  }),
  python({
    id: "py/sql-injection",
    severity: "high",
    confidence: "MEDIUM",
    title: "A value is written into an SQL statement instead of being bound to it",
    why: "A quote in the value changes the statement.",
    fix: "Leave a placeholder in the text and pass the value as a parameter.",
    reference: "CWE-89",
    inTests: false,
    keywords: [".execute"],
    query: ask.call,
    check: (claim) => {
      const { method, args } = callOf(claim)
      const [statement] = /^execute(many|script)?$/.test(method ?? "") ? args : []
      // Question marks joined by commas are placeholders.
      if (statement === undefined || /["']\s*,\s*["']\.join\(|["'],["']\.join\(/.test(statement.text)) return false
      return hasHole(statement) && sqlHole.test(statement.text)
    },
    examples: {
      bad: [
        "cursor.execute(f\"SELECT * FROM users WHERE name = '{name}'\")\n",
        'db.execute("DELETE FROM t WHERE id = %s" % key)\n',
        'db.execute("SELECT a FROM t WHERE b = \'" + value + "\'")\n',
        'db.execute("UPDATE t SET a = {}".format(value))\n'
      ],
      good: [
        'cursor.execute("SELECT * FROM users WHERE name = %s", (name,))\n',
        'cursor.execute(f"SELECT * FROM {table}")\n',
        'cursor.execute(f"SELECT a FROM t WHERE b IN ({marks})", values)\n',
        'cursor.execute("SELECT a FROM t WHERE b = ?", [value])\n',
        'cursor.execute("INSERT INTO t VALUES (%s)" % ",".join(["?"] * len(row)), row)\n'
      ]
    }
  }),
  python({
    id: "py/tls-unverified",
    severity: "high",
    confidence: "MEDIUM",
    title: "The server's certificate is not checked",
    why: "Anybody on the way can read and change what is sent.",
    fix: "Leave verification on; give the path of your own authority's certificate where one is needed.",
    reference: "CWE-295",
    inTests: false,
    keywords: ["verify=False", "_create_unverified_context"],
    query: ask.call,
    check: (claim) => {
      const { called, list } = callOf(claim)
      if (called === "ssl._create_unverified_context") return true
      return list !== null && /^(requests|httpx)\.\w+$/.test(called) && keyword(list, "verify")?.text === "False"
    },
    examples: {
      bad: [
        "requests.get(url, verify=False)\n",
        "client = httpx.AsyncClient(timeout=3, verify=False)\n",
        "context = ssl._create_unverified_context()\n"
      ],
      good: [
        "requests.get(url)\n",
        "requests.get(url, verify=path)\n",
        "check(token, verify=False)\n",
        "httpx.get(url, verify=True)\n"
      ]
    }
  })
]
