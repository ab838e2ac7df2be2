/** What dd knows about Java: defects that can be proved from one file. */

import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { linesOf, type SyntaxRule } from "../domain/finding/Rule.ts"
import {
  beginningOf,
  childOf,
  enclosing,
  fieldOf,
  hasComment,
  parts,
  quotesIntoSql,
  rootOf,
  squeezed,
  within
} from "../languages/tree.ts"
import { nodeRules } from "./nodeRule.ts"

const java = nodeRules({ stack: "java", grammars: ["java"] })

const methods = ["method_declaration", "constructor_declaration", "lambda_expression"]
const classes = ["class_declaration", "enum_declaration", "record_declaration", "interface_declaration"]
const classBodies = ["class_body", "enum_body", "interface_body"]

const argumentsOf = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const list = call.childForFieldName("arguments")
  return list === null ? [] : parts(list)
}

const nameOf = (node: SyntaxNode): string => node.childForFieldName("name")?.text ?? ""

const operatorOf = (expression: SyntaxNode): string => expression.childForFieldName("operator")?.text ?? ""

const isEquality = (expression: SyntaxNode): boolean => /^[=!]=$/.test(operatorOf(expression))

/** The type a catch clause catches, the name it gives and what it does; null when one is missing. */
const catchOf = (clause: SyntaxNode) => {
  const parameter = childOf(clause, "catch_formal_parameter")
  const type = parameter === null ? null : childOf(parameter, "catch_type")
  const name = parameter === null ? null : fieldOf(parameter, "name", "identifier")
  const body = clause.childForFieldName("body")
  return type === null || name === null || body === null ? null : { type: type.text, name: name.text, body }
}

const typeWithin = (node: SyntaxNode, name: string): string | null => {
  const found = within(node, ["local_variable_declaration", "formal_parameter", "resource"], classBodies)
    .filter((one) => declaredNames(one).includes(name))
    .map((one) => `${one.childForFieldName("type")?.text ?? ""}${dimensionsOf(one, name)}`)
  // Two variables of one name in one method may have two types.
  return found.length > 0 && found.every((type) => type === found[0]) ? (found[0] ?? null) : null
}

const declaredNames = (node: SyntaxNode): ReadonlyArray<string> =>
  node.type === "local_variable_declaration"
    ? node.namedChildren.flatMap((child) => child.childForFieldName("name")?.text ?? [])
    : [nameOf(node)]

const dimensionsOf = (node: SyntaxNode, name: string): string => {
  const declarator = node.namedChildren.find((child) => child.childForFieldName("name")?.text === name)
  return (declarator ?? node).childForFieldName("dimensions")?.text ?? ""
}

/** The type a local variable or parameter was declared with in the method around it, as written; null when unknown. */
const declaredType = (variable: SyntaxNode): string | null => {
  const owner = enclosing(variable, ["method_declaration", "constructor_declaration"], classBodies)
  return variable.type === "identifier" && owner !== null ? typeWithin(owner, variable.text) : null
}

const isLoop = ["while_statement", "do_statement", "for_statement", "enhanced_for_statement"]

const stringIdentity = java({
  id: "java/string-compared-by-reference",
  severity: "high",
  confidence: "HIGH",
  title: "Strings are compared by identity, not by their text",
  why: "== asks whether both are the same object; a string that was read or built is another object even when its text is equal.",
  fix: 'Use "text".equals(value) or Objects.equals.',
  reference: "https://docs.oracle.com/javase/specs/jls/se21/html/jls-15.html#jls-15.21.3",
  keywords: ['== "', '!= "', '" ==', '" !='],
  query: "(binary_expression) @claim",
  check: (claim) => {
    const left = claim.childForFieldName("left")
    const right = claim.childForFieldName("right")
    if (left === null || right === null || left.type === right.type || !isEquality(claim)) return false
    const other = left.type === "string_literal" ? right : right.type === "string_literal" ? left : null
    return other !== null && other.type !== "null_literal"
  },
  inTests: true,
  examples: {
    bad: [
      'class A {\n  boolean admin(String role) {\n    return role == "admin";\n  }\n}\n',
      'class A {\n  void run(User u) {\n    if ("" != u.getName()) {\n      greet(u);\n    }\n  }\n}\n',
      'class A {\n  boolean ok(String[] args) {\n    return args.length > 0 && args[0] == "--ok";\n  }\n}\n'
    ],
    good: [
      'class A {\n  boolean admin(String role) {\n    return "admin".equals(role);\n  }\n}\n',
      "class A {\n  boolean none(String role) {\n    return role == null;\n  }\n}\n",
      "class A {\n  boolean same(String a, String b) {\n    return a == b;\n  }\n}\n"
    ]
  }
})

const boxedIdentity = java({
  id: "java/boxed-number-compared-by-reference",
  severity: "high",
  confidence: "HIGH",
  title: "Two boxed numbers are compared by identity",
  why: "Only small values share their objects: the test holds for 127 and fails for 128.",
  fix: "Use equals, Objects.equals or the primitive types.",
  reference: "https://docs.oracle.com/javase/specs/jls/se21/html/jls-5.html#jls-5.1.7",
  keywords: ["Integer", "Long", "Short", "Double"],
  query: "(binary_expression) @claim",
  check: (claim) => {
    const left = fieldOf(claim, "left", "identifier")
    const right = fieldOf(claim, "right", "identifier")
    if (left === null || right === null || left.text === right.text || !isEquality(claim)) return false
    const boxed = /^(java\.lang\.)?(Integer|Long|Short|Double|Float)$/
    return boxed.test(declaredType(left) ?? "") && boxed.test(declaredType(right) ?? "")
  },
  inTests: false,
  examples: {
    bad: [
      "class A {\n  boolean same(Integer a, Integer b) {\n    return a == b;\n  }\n}\n",
      "class A {\n  void check(User u) {\n    Long mine = u.getId();\n    Long theirs = load();\n    if (mine != theirs) {\n      fail();\n    }\n  }\n}\n",
      "class A {\n  int find(Long id, List<Long> all) {\n    for (int i = 0; i < all.size(); i++) {\n      Long one = all.get(i);\n      if (one == id) return i;\n    }\n    return -1;\n  }\n}\n"
    ],
    good: [
      "class A {\n  boolean same(Integer a, Integer b) {\n    return a.equals(b);\n  }\n}\n",
      "class A {\n  boolean same(int a, Integer b) {\n    return a == b;\n  }\n}\n",
      "class A {\n  boolean none(Long a) {\n    return a == null;\n  }\n}\n"
    ]
  }
})

/** Nothing but closing: what fails then has been used already. */
const onlyCloses = (block: SyntaxNode): boolean =>
  parts(block).every((statement) =>
    /^[\w.()]*\b(close|shutdown|disconnect|cleanUp|release|unlock)\w*\(\s*\);$/i.test(statement.text)
  )

/** One statement that returns what a text is as a number or the like: what follows is for texts that are none. */
const onlyParses = (block: SyntaxNode): boolean => {
  const [first, ...others] = parts(block)
  return others.length === 0 && /^return\s+[\w.]*\b(parse|valueOf|decode)\w*\(/.test(first?.text ?? "")
}

const emptyCatch = java({
  id: "java/empty-catch",
  severity: "medium",
  confidence: "HIGH",
  title: "The exception is caught and nothing is done with it",
  why: "The code goes on as if the call had worked, and nobody can find out later why it did not.",
  fix: "Handle, log or rethrow it; if it may be ignored, name it ignored and say why.",
  reference: "CWE-390",
  keywords: ["catch"],
  query: "(catch_clause) @claim",
  check: (claim) => {
    const clause = catchOf(claim)
    if (clause === null || parts(clause.body).length > 0 || hasComment(clause.body)) return false
    const { type, name } = clause
    if (/^(ign|expect|unused|_|ok|swallow)/i.test(name) || /InterruptedException/.test(type)) return false
    // An attempt that returns when it works goes on with the next way when it does not.
    const attempt = claim.parent?.childForFieldName("body") ?? null
    if (attempt !== null && (onlyCloses(attempt) || onlyParses(attempt))) return false
    const broad = /^(Exception|RuntimeException|Throwable)$/.test(type)
    if (!broad && attempt !== null && parts(attempt).at(-1)?.type === "return_statement") return false
    // These say by their type that trying is how the question is asked, or that nothing can happen.
    return !/^(\w+\.)*(NumberFormat|UnsupportedEncoding|ClassNotFound|NoSuch\w+|CloneNotSupported|DateTimeParse|ParseE)\w*$/.test(
      type
    )
  },
  inTests: false,
  examples: {
    bad: [
      "class A {\n  void save() {\n    try {\n      store.write();\n    } catch (IOException e) {\n    }\n  }\n}\n",
      "class A {\n  void save() {\n    try { store.write(); } catch (Exception ex) {}\n  }\n}\n",
      "class A {\n  void run() {\n    try {\n      call();\n    } catch (SQLException | IOException e) {\n    } finally {\n      close();\n    }\n  }\n}\n"
    ],
    good: [
      'class A {\n  void save() {\n    try {\n      store.write();\n    } catch (IOException e) {\n      log.warn("not saved", e);\n    }\n  }\n}\n',
      "class A {\n  void save() {\n    try {\n      store.write();\n    } catch (IOException e) {\n      // written again at the next change\n    }\n  }\n}\n",
      "class A {\n  void close() {\n    try {\n      in.close();\n    } catch (IOException ignored) {\n    }\n  }\n}\n",
      "class A {\n  boolean number(String s) {\n    try {\n      Integer.parseInt(s);\n      return true;\n    } catch (NumberFormatException e) {}\n    return false;\n  }\n}\n",
      "class A {\n  void close() {\n    try {\n      in.close();\n    } catch (IOException e) {\n    }\n  }\n}\n",
      "class A {\n  int times(String s) {\n    try {\n      return Integer.parseInt(s);\n    } catch (Exception e) {\n    }\n    return 0;\n  }\n}\n"
    ]
  }
})

const lostInterrupt = java({
  id: "java/interrupt-swallowed",
  severity: "medium",
  confidence: "HIGH",
  title: "The thread's interruption is swallowed",
  why: "Catching the exception clears the interrupt flag; the code above does not learn that it should stop, and shutdown hangs.",
  fix: "Call Thread.currentThread().interrupt() or throw it on.",
  reference: "https://docs.oracle.com/javase/8/docs/api/java/lang/InterruptedException.html",
  keywords: ["InterruptedException"],
  query: "(catch_clause) @claim",
  check: (claim) => {
    const clause = catchOf(claim)
    if (clause === null || !/^(\w+\.)*InterruptedException$/.test(clause.type)) return false
    const { name, body } = clause
    if (
      /\binterrupt\s*\(|interrupted\s*=|\bthrow\b|\breturn\b|\bbreak\b|System\.exit|cancel|stop|running/i.test(
        body.text
      )
    )
      return false
    if (/^(ignore|expect|unused)/i.test(name) || hasComment(body)) return false
    const owner = enclosing(claim, ["method_declaration"])
    // A program's own main method has nobody above it to tell.
    return owner?.childForFieldName("name")?.text !== "main" && beginningOf(claim)
  },
  inTests: false,
  examples: {
    bad: [
      "class A {\n  void pause() {\n    try {\n      Thread.sleep(100);\n    } catch (InterruptedException e) {\n      e.printStackTrace();\n    }\n  }\n}\n",
      "class A {\n  void drain() {\n    while (true) {\n      try {\n        handle(queue.take());\n      } catch (InterruptedException e) {\n        log.error(e);\n      }\n    }\n  }\n}\n",
      "class A {\n  void end() {\n    try {\n      pool.awaitTermination(1, SECONDS);\n    } catch (InterruptedException e) {\n    }\n    close();\n  }\n}\n"
    ],
    good: [
      "class A {\n  void pause() {\n    try {\n      Thread.sleep(100);\n    } catch (InterruptedException e) {\n      Thread.currentThread().interrupt();\n    }\n  }\n}\n",
      "class A {\n  void drain() {\n    while (true) {\n      try {\n        handle(queue.take());\n      } catch (InterruptedException e) {\n        return;\n      }\n    }\n  }\n}\n",
      "class A {\n  void end() {\n    try {\n      pool.awaitTermination(1, SECONDS);\n    } catch (InterruptedException e) {\n      throw new IllegalStateException(e);\n    }\n  }\n}\n"
    ]
  }
})

const halfEquality = java({
  id: "java/equals-without-hash-code",
  severity: "medium",
  confidence: "HIGH",
  title: "equals is defined without hashCode",
  why: "Equal objects must have equal hash codes; with the inherited one HashMap and HashSet do not find an equal object again.",
  fix: "Define hashCode over the same fields.",
  reference: "CWE-581",
  keywords: ["equals("],
  query: "(method_declaration) @claim",
  check: (claim) => {
    const name = claim.childForFieldName("name")
    const list = claim.childForFieldName("parameters")
    if (name?.text !== "equals" || list === null || !takesObject(list)) return false
    const body = claim.parent
    const owner = body?.type === "class_body" ? body.parent : null
    if (body === null || owner?.type !== "class_declaration") return false
    // A superclass may define hashCode so that it fits.
    if (owner.childForFieldName("superclass") !== null || /\babstract\b/.test(claim.text.split("(")[0] ?? ""))
      return false
    if (/@(EqualsAndHashCode|Data|Value|AutoValue)\b/.test(owner.text)) return false
    if (/Comparator\b|Annotation\b/.test(owner.childForFieldName("interfaces")?.text ?? "")) return false
    if (/^\s*\{\s*throw\b/.test(claim.childForFieldName("body")?.text ?? "")) return false
    return !parts(body).some((one) => nameOf(one) === "hashCode") && linesOf(name)
  },
  inTests: false,
  examples: {
    bad: [
      "class Point {\n  int x;\n\n  @Override\n  public boolean equals(Object o) {\n    return o instanceof Point p && p.x == x;\n  }\n}\n",
      "public final class Key implements Comparable<Key> {\n  public boolean equals(Object other) {\n    return compareTo((Key) other) == 0;\n  }\n\n  public int compareTo(Key k) {\n    return 0;\n  }\n}\n",
      "class A {\n  static class Id {\n    long v;\n\n    public boolean equals(final Object o) {\n      return o instanceof Id && ((Id) o).v == v;\n    }\n  }\n\n  public int hashCode() {\n    return 1;\n  }\n}\n"
    ],
    good: [
      "class Point {\n  int x;\n\n  public boolean equals(Object o) {\n    return o instanceof Point p && p.x == x;\n  }\n\n  public int hashCode() {\n    return x;\n  }\n}\n",
      "class Point3 extends Point {\n  public boolean equals(Object o) {\n    return super.equals(o);\n  }\n}\n",
      "class Text {\n  public boolean equals(String other) {\n    return other != null;\n  }\n}\n"
    ]
  }
})

/** `(Object other)` */
function takesObject(list: SyntaxNode): boolean {
  const [parameter, ...others] = parts(list)
  return (
    parameter?.type === "formal_parameter" &&
    others.length === 0 &&
    parameter.childForFieldName("type")?.text === "Object"
  )
}

const returnInFinally = java({
  id: "java/return-in-finally",
  severity: "high",
  confidence: "HIGH",
  title: "Returning from finally throws away the exception or the result",
  why: "A return or throw in finally replaces whatever was on its way out of the try block, an exception included.",
  fix: "Leave finally to clean up, and return after it.",
  reference: "CWE-584",
  keywords: ["finally"],
  query: "[(return_statement) (throw_statement)] @claim",
  check: (claim) => {
    const clause = enclosing(claim, ["finally_clause"], [...methods, ...classBodies])
    if (clause === null) return false
    // A throw that is caught again inside the clause never leaves it.
    return claim.type === "return_statement" || enclosing(claim, ["try_statement"], ["finally_clause"]) === null
  },
  inTests: true,
  examples: {
    bad: [
      "class A {\n  int load() {\n    try {\n      return read();\n    } finally {\n      return 0;\n    }\n  }\n}\n",
      "class A {\n  boolean save() throws IOException {\n    boolean ok = false;\n    try {\n      write();\n      ok = true;\n    } finally {\n      close();\n      return ok;\n    }\n  }\n}\n",
      "class A {\n  void run() {\n    try {\n      work();\n    } finally {\n      if (!done) {\n        throw new IllegalStateException();\n      }\n    }\n  }\n}\n"
    ],
    good: [
      "class A {\n  int load() {\n    try {\n      return read();\n    } finally {\n      close();\n    }\n  }\n}\n",
      "class A {\n  void run() {\n    try {\n      work();\n    } finally {\n      hooks.forEach(h -> {\n        return;\n      });\n    }\n  }\n}\n",
      "class A {\n  void run() {\n    try {\n      work();\n    } finally {\n      try {\n        if (bad) throw new IOException();\n      } catch (IOException e) {\n        log(e);\n      }\n    }\n  }\n}\n"
    ]
  }
})

const threadRun = java({
  id: "java/thread-run-called",
  severity: "high",
  confidence: "HIGH",
  title: "run() is called on a thread that is never started",
  why: "run executes the work right here and blocks; only start makes a new thread.",
  fix: "Call start().",
  reference: "CWE-572",
  keywords: [".run()"],
  query: "(method_invocation) @claim",
  check: (claim) => {
    const object = nameOf(claim) === "run" ? claim.childForFieldName("object") : null
    if (object === null || argumentsOf(claim).length > 0) return false
    if (object.type === "object_creation_expression") return object.childForFieldName("type")?.text === "Thread"
    return declaredType(object) === "Thread"
  },
  inTests: true,
  examples: {
    bad: [
      "class A {\n  void go(Runnable work) {\n    new Thread(work).run();\n  }\n}\n",
      "class A {\n  void go() {\n    Thread t = new Thread(this::work);\n    t.setDaemon(true);\n    t.run();\n  }\n}\n",
      "class A {\n  void go(Thread worker) {\n    worker.run();\n  }\n}\n"
    ],
    good: [
      "class A {\n  void go(Runnable work) {\n    new Thread(work).start();\n  }\n}\n",
      "class A {\n  void go(Runnable work) {\n    work.run();\n  }\n}\n",
      "class A {\n  void go() {\n    new Task().run();\n  }\n}\n"
    ]
  }
})

const sharedFormat = java({
  id: "java/shared-date-format",
  severity: "high",
  confidence: "HIGH",
  title: "A SimpleDateFormat is shared by all threads",
  why: "It keeps the date it works on in a field: two threads that use it at once get each other's dates or an exception.",
  fix: "Use DateTimeFormatter, which is immutable.",
  reference: "https://docs.oracle.com/javase/8/docs/api/java/text/SimpleDateFormat.html",
  keywords: ["SimpleDateFormat"],
  query: "(field_declaration) @claim",
  check: (claim) => {
    if (!/^(Simple)?DateFormat$/.test(claim.childForFieldName("type")?.text ?? "")) return false
    if (!/SimpleDateFormat/.test(claim.text) || !/\bstatic\b/.test(childOf(claim, "modifiers")?.text ?? ""))
      return false
    const { text } = rootOf(claim)
    // Taken under a lock or cloned for each use.
    const isGuarded = (name: string) => new RegExp(`synchronized\\s*\\(|\\b${name}\\.clone\\(`).test(text)
    return claim.namedChildren.some((one) => one.type === "variable_declarator" && !isGuarded(nameOf(one)))
  },
  inTests: false,
  examples: {
    bad: [
      'class A {\n  private static final SimpleDateFormat DAY = new SimpleDateFormat("yyyy-MM-dd");\n}\n',
      'class A {\n  static DateFormat iso = new SimpleDateFormat("yyyy");\n\n  String day(Date d) {\n    return iso.format(d);\n  }\n}\n',
      "class A {\n  public static final SimpleDateFormat ISO;\n\n  static {\n    ISO = make();\n  }\n}\n"
    ],
    good: [
      'class A {\n  private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd");\n}\n',
      'class A {\n  String day(Date d) {\n    return new SimpleDateFormat("yyyy").format(d);\n  }\n}\n',
      'class A {\n  private static final ThreadLocal<SimpleDateFormat> DAY = ThreadLocal.withInitial(() -> new SimpleDateFormat("yyyy"));\n}\n'
    ]
  }
})

const builtSql = java({
  id: "java/sql-built-from-values",
  severity: "high",
  confidence: "HIGH",
  title: "A value is put into SQL text instead of being bound",
  why: "A quote in the value ends the string literal, and the rest is run as SQL.",
  fix: "Use a PreparedStatement with a placeholder and set the value.",
  reference: "CWE-89",
  keywords: ["'\"", "'%s'", "'%\""],
  query: "[(binary_expression) (method_invocation)] @claim",
  check: (claim) => {
    if (claim.type === "method_invocation") {
      const [format, ...values] = claim.text.startsWith("String.format(") ? argumentsOf(claim) : []
      if (format?.type !== "string_literal" || values.length === 0) return false
      // A formatted date has no quote in it.
      const text = format.text.slice(1, -1).replace(/%s/g, () => (isDate(values.shift()) ? "x" : "%s"))
      return quotesIntoSql(text, /%s/)
    }
    if (operatorOf(claim) !== "+" || claim.parent?.type === "binary_expression") return false
    return quotesIntoSql(flattened(claim), /\u0000/)
  },
  inTests: false,
  examples: {
    bad: [
      'class A {\n  ResultSet find(Statement s, String name) throws SQLException {\n    return s.executeQuery("SELECT * FROM users WHERE name = \'" + name + "\'");\n  }\n}\n',
      "class A {\n  void search(Db db, String q) {\n    db.run(String.format(\"select id from posts where title like '%s'\", q));\n  }\n}\n",
      'class A {\n  String remove(Request r) {\n    return "DELETE FROM sessions " + "WHERE id = \'" + r.id() + "\'";\n  }\n}\n'
    ],
    good: [
      'class A {\n  PreparedStatement find(Connection c) throws SQLException {\n    return c.prepareStatement("SELECT * FROM users WHERE name = ?");\n  }\n}\n',
      'class A {\n  String all(String table) {\n    return "SELECT * FROM " + table + " WHERE id = ?";\n  }\n}\n',
      'class A {\n  String kind() {\n    return "SELECT * FROM t WHERE kind = \'" + KIND_A + "\'";\n  }\n}\n',
      'class A {\n  String complain(String name) {\n    return "select another user than \'" + name + "\'";\n  }\n}\n',
      "class A {\n  String since(Date from) {\n    return String.format(\"SELECT id FROM %s WHERE at >= '%s'\", TABLE, formatter.format(from));\n  }\n}\n"
    ]
  }
})

const isDate = (value: SyntaxNode | undefined): boolean =>
  value !== undefined &&
  /\w*(format|date|df|sdf)\w*\.format\(/i.test(value.text) &&
  !/\bString\.format\(/.test(value.text)

/** The text of a chain of `+`, with a NUL where a value goes that is neither a literal nor a constant by its name. */
function flattened(node: SyntaxNode): string {
  if (node.type === "binary_expression") {
    const left = node.childForFieldName("left")
    const right = node.childForFieldName("right")
    return (left === null ? "" : flattened(left)) + (right === null ? "" : flattened(right))
  }
  if (node.type === "string_literal") return node.text.replace(/^"+|"+$/g, "").replace(/\\n/g, " ")
  if (node.type === "parenthesized_expression") return parts(node).map(flattened).join("")
  if (/^(\w+\.)*[A-Z][A-Z0-9_]*$/.test(node.text) || /escape|quote|\.replace\(/i.test(node.text)) return "x"
  return node.type.endsWith("_literal") ? node.text : "\u0000"
}

const builtCommand = java({
  id: "java/command-built-from-values",
  severity: "high",
  confidence: "MEDIUM",
  title: "A command line is put together from values",
  why: "exec splits the text at white space, so a value with a blank or a dash in it becomes further arguments of the program.",
  fix: "Pass the program and its arguments as a list to ProcessBuilder.",
  reference: "CWE-88",
  keywords: [".exec("],
  query: "(method_invocation) @claim",
  check: (claim) => {
    const object = nameOf(claim) === "exec" ? claim.childForFieldName("object") : null
    const [command] = argumentsOf(claim)
    if (object === null || command === undefined) return false
    const isRuntime = squeezed(object) === "Runtime.getRuntime()" || declaredType(object) === "Runtime"
    if (!isRuntime || !["binary_expression", "method_invocation"].includes(command.type)) return false
    if (command.type === "method_invocation") return command.text.startsWith("String.format(")
    return flattened(command).includes("\u0000")
  },
  inTests: false,
  examples: {
    bad: [
      'class A {\n  void ping(String host) throws IOException {\n    Runtime.getRuntime().exec("ping -c1 " + host);\n  }\n}\n',
      'class A {\n  void open(String url) throws IOException {\n    Runtime rt = Runtime.getRuntime();\n    rt.exec("xdg-open " + url);\n  }\n}\n',
      'class A {\n  void kill(String name) throws IOException {\n    Runtime.getRuntime().exec(String.format("pkill %s", name));\n  }\n}\n'
    ],
    good: [
      'class A {\n  void ping(String host) throws IOException {\n    new ProcessBuilder("ping", "-c1", host).start();\n  }\n}\n',
      'class A {\n  void list() throws IOException {\n    Runtime.getRuntime().exec("ls -l");\n  }\n}\n',
      'class A {\n  void ping(String host) throws IOException {\n    Runtime.getRuntime().exec(new String[] {"ping", host});\n  }\n}\n'
    ]
  }
})

const stringMethods =
  /^(trim|strip|stripLeading|stripTrailing|toLowerCase|toUpperCase|substring|concat|replace|replaceAll|replaceFirst|repeat|intern)$/
const numberMethods = /^(add|subtract|multiply|divide|negate|setScale|pow|abs|remainder)$/
const dateMethods = /^(plus|minus)(Nanos|Millis|Seconds|Minutes|Hours|Days|Weeks|Months|Years)$/

const lostResult = java({
  id: "java/result-of-immutable-ignored",
  severity: "high",
  confidence: "HIGH",
  title: "The result is thrown away, so this line changes nothing",
  why: "The object is immutable: the method returns a new one and leaves this one as it was.",
  fix: "Assign the result.",
  reference: "https://docs.oracle.com/javase/8/docs/api/java/lang/String.html",
  keywords: ["String", "BigDecimal", "BigInteger", "LocalDate", "Instant", "ZonedDateTime", "Duration"],
  query: "(expression_statement) @claim",
  check: (claim) => {
    const call = childOf(claim, "method_invocation")
    const object = call === null ? null : fieldOf(call, "object", "identifier")
    if (call === null || object === null) return false
    const name = nameOf(call)
    const methods = [stringMethods, numberMethods, dateMethods]
    const type = methods.some((one) => one.test(name)) ? declaredType(object) : null
    if (type === null) return false
    if (type === "String") return stringMethods.test(name)
    if (type === "BigDecimal" || type === "BigInteger") return numberMethods.test(name)
    return (
      /^(Local(Date|Time|DateTime)|ZonedDateTime|OffsetDateTime|Instant|Duration)$/.test(type) && dateMethods.test(name)
    )
  },
  inTests: false,
  examples: {
    bad: [
      "class A {\n  String clean(String name) {\n    name.trim();\n    return name;\n  }\n}\n",
      "class A {\n  BigDecimal total(List<Item> items) {\n    BigDecimal sum = BigDecimal.ZERO;\n    for (Item i : items) {\n      sum.add(i.price());\n    }\n    return sum;\n  }\n}\n",
      "class A {\n  LocalDate next(LocalDate day) {\n    day.plusDays(1);\n    return day;\n  }\n}\n"
    ],
    good: [
      "class A {\n  String clean(String name) {\n    name = name.trim();\n    return name;\n  }\n}\n",
      'class A {\n  void clean(StringBuilder name) {\n    name.replace(0, 1, "x");\n  }\n}\n',
      'class A {\n  void grow(List<String> all) {\n    all.add("x");\n  }\n}\n'
    ]
  }
})

const inexactDecimal = java({
  id: "java/big-decimal-from-double",
  severity: "medium",
  confidence: "HIGH",
  title: "The BigDecimal is not the number that is written here",
  why: "The literal is a double first, and most decimal fractions have no exact double: 0.1 becomes 0.1000000000000000055...",
  fix: 'Pass the number as text, new BigDecimal("0.1"), or use BigDecimal.valueOf.',
  reference: "https://docs.oracle.com/javase/8/docs/api/java/math/BigDecimal.html#BigDecimal-double-",
  keywords: ["BigDecimal("],
  query: "(object_creation_expression) @claim",
  check: (claim) => {
    const [given] = claim.childForFieldName("type")?.text === "BigDecimal" ? argumentsOf(claim) : []
    if (given?.type !== "decimal_floating_point_literal") return false
    const value = Number(given.text.replace(/[dDfF_]/g, ""))
    // Halves, quarters and whole numbers are exact.
    return Number.isFinite(value) && !Number.isInteger(value * 1024)
  },
  inTests: false,
  examples: {
    bad: [
      "class A {\n  BigDecimal rate = new BigDecimal(0.1);\n}\n",
      "class A {\n  BigDecimal tax(BigDecimal n) {\n    return n.multiply(new BigDecimal(1.19));\n  }\n}\n",
      "class A {\n  static final BigDecimal LIMIT = new BigDecimal(99.99d);\n}\n"
    ],
    good: [
      'class A {\n  BigDecimal rate = new BigDecimal("0.1");\n}\n',
      "class A {\n  BigDecimal half = new BigDecimal(0.5);\n}\n",
      "class A {\n  BigDecimal rate = BigDecimal.valueOf(0.1);\n}\n"
    ]
  }
})

const arrayEquals = java({
  id: "java/array-compared-with-equals",
  severity: "high",
  confidence: "HIGH",
  title: "equals on an array compares identity, not the elements",
  why: "Arrays inherit equals from Object: two arrays with the same elements are unequal.",
  fix: "Use Arrays.equals.",
  reference: "https://docs.oracle.com/javase/8/docs/api/java/util/Arrays.html",
  keywords: [".equals("],
  query: "(method_invocation) @claim",
  check: (claim) => {
    const object = nameOf(claim) === "equals" ? fieldOf(claim, "object", "identifier") : null
    return object !== null && argumentsOf(claim).length === 1 && /\[\]$/.test(declaredType(object) ?? "")
  },
  inTests: true,
  examples: {
    bad: [
      "class A {\n  boolean same(byte[] a, byte[] b) {\n    return a.equals(b);\n  }\n}\n",
      'class A {\n  void check(String line) {\n    String[] parts = line.split(",");\n    if (parts.equals(old)) {\n      skip();\n    }\n  }\n}\n',
      "class A {\n  boolean same(Key k) {\n    char a[] = k.chars();\n    return a.equals(k.other());\n  }\n}\n"
    ],
    good: [
      "class A {\n  boolean same(byte[] a, byte[] b) {\n    return Arrays.equals(a, b);\n  }\n}\n",
      "class A {\n  boolean same(List<String> a, List<String> b) {\n    return a.equals(b);\n  }\n}\n",
      'class A {\n  boolean first(String[] a) {\n    return a[0].equals("x");\n  }\n}\n'
    ]
  }
})

const negativeAbs = java({
  id: "java/abs-of-any-int",
  severity: "medium",
  confidence: "HIGH",
  title: "Math.abs of an arbitrary int can be negative",
  why: "Integer.MIN_VALUE has no positive counterpart, so abs returns it unchanged, and an index made of it is out of range.",
  fix: "Use Math.floorMod, or nextInt(bound).",
  reference: "https://docs.oracle.com/javase/8/docs/api/java/lang/Math.html#abs-int-",
  keywords: ["Math.abs("],
  query: "(method_invocation) @claim",
  check: (claim) => {
    const isAbs = nameOf(claim) === "abs" && claim.childForFieldName("object")?.text === "Math"
    const [value, ...others] = isAbs ? argumentsOf(claim) : []
    if (value?.type !== "method_invocation" || others.length > 0) return false
    return argumentsOf(value).length === 0 && /^(nextInt|nextLong|hashCode)$/.test(nameOf(value))
  },
  inTests: false,
  examples: {
    bad: [
      "class A {\n  int pick(Random r, int n) {\n    return Math.abs(r.nextInt()) % n;\n  }\n}\n",
      "class A {\n  int bucket(Object key) {\n    return Math.abs(key.hashCode()) % 16;\n  }\n}\n",
      "class A {\n  long id() {\n    return Math.abs(random.nextLong());\n  }\n}\n"
    ],
    good: [
      "class A {\n  int pick(Random r, int n) {\n    return r.nextInt(n);\n  }\n}\n",
      "class A {\n  int bucket(Object key) {\n    return Math.floorMod(key.hashCode(), 16);\n  }\n}\n",
      "class A {\n  int near(Random r) {\n    return Math.abs(r.nextInt(10) - 5);\n  }\n}\n"
    ]
  }
})

const trustsAll = java({
  id: "java/trusts-every-certificate",
  severity: "high",
  confidence: "HIGH",
  title: "Every server certificate or host name is accepted",
  why: "The check does nothing, so anyone between the two ends can present their own certificate and read or change the traffic.",
  fix: "Use the platform's trust manager and verifier, or add the right certificate to a key store.",
  reference: "CWE-295",
  keywords: ["checkServerTrusted", "HostnameVerifier"],
  // The name is the place: the method may be long, and so may the chain of calls in front of the name.
  query: "(identifier) @claim",
  check: (claim) => {
    const named = /^(checkServerTrusted|verify|set(Default)?(SSL)?HostnameVerifier|hostnameVerifier)$/i
    const owner = named.test(claim.text) ? claim.parent : null
    if (owner?.childForFieldName("name")?.id !== claim.id) return false
    if (owner.type === "method_declaration") {
      // A trust manager has three methods of the name: the first of them speaks for all.
      for (let at = owner.previousNamedSibling; at !== null; at = at.previousNamedSibling) {
        if (nameOf(at) === claim.text && acceptsAll(claim.text, at)) return false
      }
      return acceptsAll(claim.text, owner)
    }
    if (owner.type !== "method_invocation") return false
    return argumentsOf(owner).some((one) => one.type === "lambda_expression" && acceptsAll(claim.text, one))
  },
  inTests: false,
  examples: {
    bad: [
      "class A implements X509TrustManager {\n  public void checkServerTrusted(X509Certificate[] chain, String type) {\n  }\n}\n",
      "class A {\n  void open(HttpsURLConnection c) {\n    c.setHostnameVerifier((host, session) -> true);\n  }\n}\n",
      "class A implements HostnameVerifier {\n  public boolean verify(String host, SSLSession session) {\n    return true;\n  }\n}\n"
    ],
    good: [
      "class A implements X509TrustManager {\n  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {\n    inner.checkServerTrusted(chain, type);\n  }\n}\n",
      'class A {\n  void open(HttpsURLConnection c) {\n    c.setHostnameVerifier((host, session) -> host.equals("a.example"));\n  }\n}\n',
      "class A {\n  // no HostnameVerifier here\n  public boolean verify(String text) {\n    return true;\n  }\n}\n"
    ]
  }
})

/** Does the method of that name, or the lambda given to it, accept whatever it is asked about? */
function acceptsAll(name: string, callable: SyntaxNode): boolean {
  const body = callable.childForFieldName("body")
  if (body === null) return false
  if (name === "checkServerTrusted") return parts(body).length === 0 || /^\{\s*return;\s*\}$/.test(body.text)
  const accepts = /^(true|\{\s*return true;\s*\})$/.test(body.text)
  if (name !== "verify") return accepts && /HostnameVerifier$/i.test(name)
  return accepts && /\bSSLSession\b/.test(callable.childForFieldName("parameters")?.text ?? "")
}

const sharedLock = java({
  id: "java/lock-without-effect",
  severity: "high",
  confidence: "HIGH",
  title: "This lock is either nobody else's or everybody's",
  why: "A new object is locked by no other thread; a literal or boxed value may be locked by unrelated code, and a deadlock follows.",
  fix: "Lock a private final Object made for it.",
  reference: "CWE-833",
  keywords: ["synchronized"],
  query: "(synchronized_statement) @claim",
  check: (claim) => {
    const head = childOf(claim, "parenthesized_expression")
    const lock = head === null ? undefined : parts(head)[0]
    if (lock === undefined) return false
    if (["string_literal", "object_creation_expression", "true", "false"].includes(lock.type)) return linesOf(lock)
    return /^(Integer|Long|Boolean|String|Double)$/.test(declaredType(lock) ?? "") && linesOf(lock)
  },
  inTests: false,
  examples: {
    bad: [
      "class A {\n  void add() {\n    synchronized (new Object()) {\n      n++;\n    }\n  }\n}\n",
      'class A {\n  void add() {\n    synchronized ("lock") {\n      n++;\n    }\n  }\n}\n',
      "class A {\n  void add(Integer id) {\n    synchronized (id) {\n      n++;\n    }\n  }\n}\n"
    ],
    good: [
      "class A {\n  private final Object lock = new Object();\n\n  void add() {\n    synchronized (lock) {\n      n++;\n    }\n  }\n}\n",
      "class A {\n  void add() {\n    synchronized (this) {\n      n++;\n    }\n  }\n}\n",
      "class A {\n  void add(List<String> all) {\n    synchronized (all) {\n      all.clear();\n    }\n  }\n}\n"
    ]
  }
})

const waitOutsideLoop = java({
  id: "java/wait-outside-loop",
  severity: "medium",
  confidence: "MEDIUM",
  title: "wait() is not in a loop that checks its condition",
  why: "A thread may wake up without being notified, or find the condition gone again; it must look once more before it goes on.",
  fix: "while (!condition) { lock.wait(); }",
  reference: "https://docs.oracle.com/javase/8/docs/api/java/lang/Object.html#wait--",
  keywords: ["wait()"],
  query: "(expression_statement) @claim",
  check: (claim) => {
    const call = childOf(claim, "method_invocation")
    if (call === null || nameOf(call) !== "wait" || argumentsOf(call).length > 0) return false
    // Without a synchronized around it, it is a method of another kind.
    const locked =
      enclosing(claim, ["synchronized_statement"]) !== null ||
      /\bsynchronized\b/.test(enclosing(claim, ["method_declaration"])?.text.split("{")[0] ?? "")
    return locked && enclosing(claim, isLoop, methods) === null
  },
  inTests: false,
  examples: {
    bad: [
      "class A {\n  synchronized void take() throws InterruptedException {\n    if (items.isEmpty()) {\n      wait();\n    }\n    items.remove(0);\n  }\n}\n",
      "class A {\n  void await() throws InterruptedException {\n    synchronized (lock) {\n      lock.wait();\n    }\n  }\n}\n",
      "class A {\n  synchronized void ready() throws InterruptedException {\n    this.wait();\n    go();\n  }\n}\n"
    ],
    good: [
      "class A {\n  synchronized void take() throws InterruptedException {\n    while (items.isEmpty()) {\n      wait();\n    }\n    items.remove(0);\n  }\n}\n",
      "class A {\n  void await() throws InterruptedException {\n    synchronized (lock) {\n      do {\n        lock.wait();\n      } while (!done);\n    }\n  }\n}\n",
      "class A {\n  void end(Job job) {\n    job.wait();\n  }\n}\n"
    ]
  }
})

const unclosed = java({
  id: "java/stream-never-closed",
  severity: "medium",
  confidence: "HIGH",
  title: "The stream is opened and never closed",
  why: "The file stays open until the garbage collector comes by; under load the process runs out of file descriptors.",
  fix: "Open it in the head of a try-with-resources statement.",
  reference: "CWE-772",
  keywords: ["FileInputStream", "FileOutputStream", "FileReader", "FileWriter", "RandomAccessFile"],
  query: "(local_variable_declaration) @claim",
  check: (claim) => claim.namedChildren.some((one) => one.type === "variable_declarator" && staysOpen(one)),
  inTests: false,
  examples: {
    bad: [
      "class A {\n  int first(File f) throws IOException {\n    FileInputStream in = new FileInputStream(f);\n    return in.read();\n  }\n}\n",
      'class A {\n  void log(String s) throws IOException {\n    FileWriter w = new FileWriter("a.log", true);\n    w.write(s);\n    w.flush();\n  }\n}\n',
      'class A {\n  long size(File f) throws IOException {\n    final RandomAccessFile r = new RandomAccessFile(f, "r");\n    return r.length();\n  }\n}\n'
    ],
    good: [
      "class A {\n  int first(File f) throws IOException {\n    try (FileInputStream in = new FileInputStream(f)) {\n      return in.read();\n    }\n  }\n}\n",
      "class A {\n  InputStream open(File f) throws IOException {\n    FileInputStream in = new FileInputStream(f);\n    return in;\n  }\n}\n",
      "class A {\n  int first(File f) throws IOException {\n    FileInputStream in = new FileInputStream(f);\n    try {\n      return in.read();\n    } finally {\n      in.close();\n    }\n  }\n}\n",
      "class A {\n  Properties load(File f) throws IOException {\n    FileReader r = new FileReader(f);\n    return parse(r);\n  }\n}\n"
    ]
  }
})

/** Does the variable open a file that its method only reads or writes? */
function staysOpen(variable: SyntaxNode): boolean {
  const name = variable.childForFieldName("name")
  const made = fieldOf(variable, "value", "object_creation_expression")
  const type = made?.childForFieldName("type")?.text ?? ""
  if (name === null || !/^(File(Input|Output)Stream|File(Reader|Writer)|RandomAccessFile)$/.test(type)) return false
  const uses = enclosing(variable, methods)
    ?.descendantsOfType("identifier")
    .filter((one) => one.text === name.text && one.id !== name.id)
  // Handed on, returned or kept, it may be closed by someone else.
  return (
    uses?.every((use) => {
      const call = use.parent
      return (
        call?.type === "method_invocation" &&
        call.childForFieldName("object")?.id === use.id &&
        !/^(close|getChannel|getFD)$/.test(nameOf(call))
      )
    }) === true
  )
}

const brokenLazy = java({
  id: "java/double-checked-without-volatile",
  severity: "high",
  confidence: "HIGH",
  title: "Double-checked locking on a field that is not volatile",
  why: "Another thread may see the reference before the object's fields are written, and use a half-made object.",
  fix: "Make the field volatile, or use a holder class.",
  reference: "CWE-609",
  keywords: ["synchronized"],
  query: "(if_statement) @claim",
  check: (claim) => {
    const field = comparedWithNull(claim)
    const tests = field === null ? [] : testsUnderLock(claim)
    if (field === null || tests.length === 0) return false
    const name = field.text.slice(field.text.lastIndexOf(".") + 1)
    const isFilled = tests.some((test) => {
      const again = comparedWithNull(test)
      if (again === null || squeezed(again) !== squeezed(field)) return false
      return new RegExp(`\\b${name}\\s*=[^=]`).test(test.childForFieldName("consequence")?.text ?? "")
    })
    if (!isFilled) return false
    const owner = enclosing(claim, classes)
    const declared = (owner?.descendantsOfType("field_declaration") ?? []).find((one) =>
      one.namedChildren.some((child) => child.childForFieldName("name")?.text === name)
    )
    const method = enclosing(claim, ["method_declaration"])
    if (declared === undefined || (method !== null && typeWithin(method, name) !== null)) return false
    const type = declared.childForFieldName("type")?.type ?? ""
    return (
      !/\bvolatile\b/.test(declared.text.split("=")[0] ?? "") &&
      type !== "integral_type" &&
      type !== "boolean_type" &&
      beginningOf(claim)
    )
  },
  inTests: false,
  examples: {
    bad: [
      "class A {\n  private static A one;\n\n  static A get() {\n    if (one == null) {\n      synchronized (A.class) {\n        if (one == null) {\n          one = new A();\n        }\n      }\n    }\n    return one;\n  }\n}\n",
      "class A {\n  private Map<String, B> cache;\n\n  Map<String, B> cache() {\n    if (this.cache == null) {\n      synchronized (this) {\n        if (this.cache == null) this.cache = load();\n      }\n    }\n    return cache;\n  }\n}\n",
      "class A {\n  Config config = null;\n\n  Config get() {\n    if (config == null) {\n      synchronized (lock) {\n        if (config == null) {\n          config = read();\n        }\n      }\n    }\n    return config;\n  }\n}\n"
    ],
    good: [
      "class A {\n  private static volatile A one;\n\n  static A get() {\n    if (one == null) {\n      synchronized (A.class) {\n        if (one == null) {\n          one = new A();\n        }\n      }\n    }\n    return one;\n  }\n}\n",
      "class A {\n  private A one;\n\n  synchronized A get() {\n    if (one == null) {\n      one = new A();\n    }\n    return one;\n  }\n}\n",
      "class A {\n  private B one;\n\n  void drop() {\n    if (one != null) {\n      synchronized (this) {\n        if (one != null) {\n          one.close();\n        }\n      }\n    }\n  }\n}\n"
    ]
  }
})

/** `x` of `if (x == null)` and of `if (x != null)` */
function comparedWithNull(test: SyntaxNode): SyntaxNode | null {
  const head = fieldOf(test, "condition", "parenthesized_expression")
  const comparison = head === null ? null : childOf(head, "binary_expression")
  if (comparison === null || fieldOf(comparison, "right", "null_literal") === null) return null
  return comparison.childForFieldName("left")
}

/** The `if` statements of a synchronized block that the `if` statement guards. */
function testsUnderLock(test: SyntaxNode): ReadonlyArray<SyntaxNode> {
  const block = fieldOf(test, "consequence", "block")
  return (block === null ? [] : parts(block))
    .flatMap((one) => (one.type === "synchronized_statement" ? (one.childForFieldName("body") ?? []) : []))
    .flatMap((body) => parts(body).filter(({ type }) => type === "if_statement"))
}

const nullOptional = java({
  id: "java/null-returned-for-optional",
  severity: "high",
  confidence: "HIGH",
  title: "null is returned where the caller is promised an Optional",
  why: "Callers use the Optional without a check, that is what it is for, and get a NullPointerException.",
  fix: "Return Optional.empty().",
  reference: "https://docs.oracle.com/javase/8/docs/api/java/util/Optional.html",
  keywords: ["Optional"],
  query: "(return_statement) @claim",
  check: (claim) => {
    const owner = childOf(claim, "null_literal") === null ? null : enclosing(claim, methods)
    return (
      owner?.type === "method_declaration" &&
      /^(java\.util\.)?Optional(<[\s\S]*>|Int|Long|Double)$/.test(owner.childForFieldName("type")?.text ?? "")
    )
  },
  inTests: false,
  examples: {
    bad: [
      "class A {\n  Optional<User> find(String id) {\n    if (id.isEmpty()) {\n      return null;\n    }\n    return load(id);\n  }\n}\n",
      "class A {\n  public OptionalInt age() {\n    return null;\n  }\n}\n",
      "class A {\n  java.util.Optional<String> name(User u) {\n    switch (u.kind()) {\n      case A:\n        return null;\n      default:\n        return Optional.of(u.name());\n    }\n  }\n}\n"
    ],
    good: [
      "class A {\n  Optional<User> find(String id) {\n    return Optional.empty();\n  }\n}\n",
      "class A {\n  User find(String id) {\n    return null;\n  }\n}\n",
      "class A {\n  Optional<User> find(String id) {\n    return load(id).map(x -> {\n      return null;\n    });\n  }\n}\n"
    ]
  }
})

const intOverflow = java({
  id: "java/int-product-overflows",
  severity: "high",
  confidence: "HIGH",
  title: "This product of int literals is larger than an int",
  why: "The multiplication is done in 32 bits, whatever it is assigned to, so the value is another number altogether.",
  fix: "Make the first factor a long: 24L * ...",
  reference: "CWE-190",
  keywords: [" * "],
  query: "(binary_expression) @claim",
  check: (claim) => {
    if (operatorOf(claim) !== "*" || claim.parent?.type === "binary_expression") return false
    const factors = factorsOf(claim)
    const product = factors?.reduce((a, b) => a * b, 1) ?? 0
    return product > 2_147_483_647
  },
  inTests: true,
  examples: {
    bad: [
      "class A {\n  static final long YEAR = 365 * 24 * 60 * 60 * 1000;\n}\n",
      "class A {\n  long max() {\n    return 4 * 1024 * 1024 * 1024;\n  }\n}\n",
      "class A {\n  void run() {\n    sleep(30 * (24 * 60 * 60 * 1000));\n  }\n}\n"
    ],
    good: [
      "class A {\n  static final long YEAR = 365L * 24 * 60 * 60 * 1000;\n}\n",
      "class A {\n  static final int DAY = 24 * 60 * 60 * 1000;\n}\n",
      "class A {\n  double big() {\n    return 1e9 * 5 * 1000;\n  }\n}\n"
    ]
  }
})

/** The factors of a product that is made of int literals alone; null for any other expression. */
function factorsOf(node: SyntaxNode): ReadonlyArray<number> | null {
  if (node.type === "parenthesized_expression") {
    const inner = parts(node)[0]
    return inner === undefined ? null : factorsOf(inner)
  }
  if (node.type === "decimal_integer_literal")
    return /^[\d_]+$/.test(node.text) ? [Number(node.text.replaceAll("_", ""))] : null
  if (node.type !== "binary_expression" || operatorOf(node) !== "*") return null
  const left = node.childForFieldName("left")
  const right = node.childForFieldName("right")
  const a = left === null ? null : factorsOf(left)
  const b = right === null ? null : factorsOf(right)
  return a === null || b === null ? null : [...a, ...b]
}

export const javaRules: ReadonlyArray<SyntaxRule> = [
  stringIdentity,
  boxedIdentity,
  emptyCatch,
  lostInterrupt,
  halfEquality,
  returnInFinally,
  threadRun,
  sharedFormat,
  builtSql,
  builtCommand,
  lostResult,
  inexactDecimal,
  arrayEquals,
  negativeAbs,
  trustsAll,
  sharedLock,
  waitOutsideLoop,
  unclosed,
  brokenLazy,
  nullOptional,
  intOverflow
]
