/** What dd knows about Swift: crashes, cycles and threads that the compiler accepts. */

import type { SyntaxNode } from "../domain/code/Syntax.ts"
import type { SyntaxRule } from "../domain/finding/Rule.ts"
import { linesOf } from "../domain/finding/Rule.ts"
import {
  beginningOf,
  caught,
  childOf,
  enclosing,
  fieldOf,
  hasComment,
  parts,
  quotesIntoSql,
  rootOf,
  within
} from "../languages/tree.ts"
import { nodeRules } from "./nodeRule.ts"

const swift = nodeRules({ stack: "ios", grammars: ["swift"] })

const functions = ["function_declaration", "init_declaration", "deinit_declaration", "lambda_literal"]

const typeOf = (node: SyntaxNode): SyntaxNode | null => enclosing(node, ["class_declaration", "protocol_declaration"])

/** `class`, `struct`, `enum`, `actor` or `extension`. */
const kindOf = (declaration: SyntaxNode): string =>
  declaration.children.find((child) => ["class", "struct", "enum", "actor", "extension"].includes(child.type))?.type ??
  "protocol"

const modifiersOf = (declaration: SyntaxNode): string => childOf(declaration, "modifiers")?.text ?? ""

/** What a call calls, as written. */
const calleeOf = (call: SyntaxNode): string =>
  call.type === "call_expression" ? (call.namedChildren[0]?.text ?? "").replace(/\s+/g, "") : ""

/** What a call calls, as written, when it is reached by a dot; "" for anything else. */
const memberOf = (call: SyntaxNode): string => childOf(call, "navigation_expression")?.text ?? ""

/** What a call is given, parentheses and trailing closure included. */
const suffixOf = (call: SyntaxNode): string => childOf(call, "call_suffix")?.text ?? ""

const usesSelf = (literal: SyntaxNode): boolean => within(literal, ["self_expression"]).length > 0

const capturesOf = (literal: SyntaxNode): string =>
  childOf(literal, "capture_list")?.text ?? /^\{\s*(\[[^\]]*\])[^\]]*\bin\b/.exec(literal.text)?.[1] ?? ""

/** `x!` */
const isForced = (expression: SyntaxNode): boolean => fieldOf(expression, "operation", "bang") !== null

const forcedCast = swift({
  id: "swift/forced-cast-of-data",
  severity: "medium",
  confidence: "HIGH",
  title: "A forced cast of loosely typed data crashes when the data differs",
  why: "What stands in a dictionary, a decoder or a JSON document is only known at run time; as! stops the app when it is not what was hoped for.",
  fix: "Use as? with guard let, or decode into a Codable type.",
  reference: "https://docs.swift.org/swift-book/documentation/the-swift-programming-language/typecasting/",
  keywords: ["as!"],
  query: "(as_expression) @claim",
  check: (claim) => {
    const value = claim.childForFieldName("expr")
    if (value === null || !childOf(claim, "as_operator")?.text.startsWith("as!")) return false
    const { text } = value
    return (
      /\["[^"]+"\][!?]?$|userInfo[!?]?\[[^\]]+\][!?]?$/.test(text) ||
      /^(try[!?]?\s+)?\(?(try[!?]?\s+)?JSONSerialization\.jsonObject\(/.test(text) ||
      /\.(object|value)\(forKey:[^()]*\)[!?]?$|\.decodeObject\(forKey:[^()]*\)[!?]?$/.test(text)
    )
  },
  inTests: false,
  examples: {
    bad: [
      'func name(of json: [String: Any]) -> String {\n  return json["name"] as! String\n}\n',
      "func parse(_ data: Data) throws -> [String: Any] {\n  return try JSONSerialization.jsonObject(with: data) as! [String: Any]\n}\n",
      'required init?(coder: NSCoder) {\n  title = coder.decodeObject(forKey: "title") as! String\n}\n'
    ],
    good: [
      'func name(of json: [String: Any]) -> String? {\n  return json["name"] as? String\n}\n',
      'func cell(_ table: UITableView, _ path: IndexPath) -> Cell {\n  return table.dequeueReusableCell(withIdentifier: "cell", for: path) as! Cell\n}\n',
      "override var layer: CAShapeLayer {\n  return super.layer as! CAShapeLayer\n}\n"
    ]
  }
})

const forcedTry = swift({
  id: "swift/forced-try",
  severity: "low",
  confidence: "MEDIUM",
  title: "try! ends the app when the call throws",
  why: "Files, networks and stored data fail in the field for reasons a test never sees, and then there is no way back.",
  fix: "Handle the error, or pass it on with try and throws.",
  reference:
    "https://docs.swift.org/swift-book/documentation/the-swift-programming-language/errorhandling/#Disabling-Error-Propagation",
  keywords: ["try!"],
  query: "(try_expression) @claim",
  check: (claim, file) => {
    const value = claim.childForFieldName("expr")
    if (value === null || !/^try\s*!/.test(claim.text) || isExample(file.path)) return false
    // A linter was told: the author knows.
    if (/swiftlint:disable force_try\b/.test(rootOf(claim).text)) return false
    // Patterns and texts written in the source fail at the first run or never; a folder of the system is always there.
    return !/^(NSRegularExpression|Regex|NSDataDetector)\(|Bundle\.(main|module)|^\w+\.makeRegex|^AttributedString\(\s*markdown:\s*"|^self\.init\(|^JSONSerialization\.data\(|^FileManager\.default\.url\(/.test(
      value.text
    )
  },
  inTests: false,
  examples: {
    bad: [
      "func load(_ url: URL) -> Data {\n  return try! Data(contentsOf: url)\n}\n",
      "class Store {\n  func save(_ value: Value) {\n    let data = try! JSONEncoder().encode(value)\n    write(data)\n  }\n}\n",
      "func clear() {\n  try! FileManager.default.removeItem(at: cache)\n}\n"
    ],
    good: [
      "func load(_ url: URL) throws -> Data {\n  return try Data(contentsOf: url)\n}\n",
      "func body(_ v: [String: String]) -> Data {\n  // swiftlint:disable:next force_try\n  return try! JSONEncoder().encode(v)\n}\n",
      'let word = try! NSRegularExpression(pattern: "[a-z]+")\n',
      'let note = try! AttributedString(markdown: "**Warning**")\n',
      'func body(_ url: String) -> Data {\n  return try! JSONSerialization.data(withJSONObject: ["url": url])\n}\n',
      "func caches() -> URL {\n  return try! FileManager.default.url(for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: false)\n}\n",
      "func load(_ url: URL) -> Data? {\n  return try? Data(contentsOf: url)\n}\n"
    ]
  }
})

function isExample(path: string): boolean {
  return /(^|\/)(Tests?|Examples?|Samples?|Demo|Playgrounds?|Mocks?|Previews?)(\/|\w*\.playground)|Tests?\.swift$|Preview|Mock/.test(
    path
  )
}

const forcedUnwrap = swift({
  id: "swift/forced-unwrap-of-conversion",
  severity: "medium",
  confidence: "HIGH",
  title: "A conversion of a run-time value is unwrapped by force",
  why: "The initializer returns nil when the text does not fit, and the exclamation mark turns that into a crash.",
  fix: "Use guard let and decide what happens when it does not fit.",
  reference: "https://docs.swift.org/swift-book/documentation/the-swift-programming-language/thebasics/#Optionals",
  keywords: [")!"],
  query: "(postfix_expression) @claim",
  check: (claim, file) => {
    const call = fieldOf(claim, "target", "call_expression")
    if (call === null || !isForced(claim) || isExample(file.path)) return false
    if (/^\s*\/\/.*(valid|safe|never|always|guarantee|cannot)/i.test(file.head?.[linesOf(claim).line - 2] ?? ""))
      return false
    // A literal's own initializer runs while the author looks on.
    if (/\binit\(stringLiteral\b/.test(enclosing(call, ["init_declaration"])?.text ?? "")) return false
    const callee = calleeOf(call)
    const given = call.text.slice(call.text.indexOf("(") + 1, -1).trim()
    if (/^(URL|URLComponents)$/.test(callee)) {
      const text = /^string:\s*([\s\S]*)$/.exec(given)?.[1]
      return text !== undefined && !isFixed(text) && !isWrittenHere(claim, text)
    }
    if (/^(Int|Int32|Int64|UInt|Double|Float|Decimal)$/.test(callee))
      return /^(string:\s*)?[a-z]/.test(given) && !/^(exactly|truncating)/.test(given)
    if (callee !== "String" || !/^data:/.test(given) || !/encoding:/.test(given)) return false
    return !/encoder|encode\(/i.test(given) && !isEncodedHere(claim, given)
  },
  inTests: false,
  examples: {
    bad: [
      'func url(for id: String) -> URL {\n  return URL(string: "https://example.com/\\(id)")!\n}\n',
      'func age(_ field: UITextField) -> Int {\n  return Int(field.text ?? "")!\n}\n',
      "func body(_ data: Data) -> String {\n  return String(data: data, encoding: .utf8)!\n}\n"
    ],
    good: [
      'let home = URL(string: "https://example.com")!\n',
      "func open(_ value: String) {\n  // The address has already been validated.\n  show(URL(string: value)!)\n}\n",
      'func age(_ field: UITextField) -> Int? {\n  return Int(field.text ?? "")\n}\n',
      'let big = Int("9000000000")!\n',
      "let site = URL(string: Constants.site)!\n",
      "extension URL: ExpressibleByStringLiteral {\n  public init(stringLiteral value: String) {\n    self = URL(string: value)!\n  }\n}\n",
      'let page = URL(string: "https://\\(Constants.host)/page")!\n',
      'enum Window: String {\n  case main\n  var link: URL { URL(string: "app://\\(rawValue)")! }\n}\n',
      'func home(_ port: Int) -> URL {\n  return URL(string: "http://localhost:\\(port)/")!\n}\n',
      'class Client {\n  private let endpoint = "https://example.com/api"\n  func url() -> URLComponents {\n    return URLComponents(string: endpoint)!\n  }\n}\n',
      "func text(_ v: Value) throws -> String {\n  let made = try JSONEncoder().encode(v)\n  return String(data: made, encoding: .utf8)!\n}\n",
      "func parts(_ url: URL) -> URLComponents {\n  return URLComponents(string: url.absoluteString)!\n}\n"
    ]
  }
})

/** A variable that this file declares with nothing but literals. */
function isWrittenHere(node: SyntaxNode, text: string): boolean {
  if (!/^[a-z]\w*$/.test(text)) return false
  return new RegExp(
    `\\b(let|var)\\s+${text}\\b[^={\\n]*(=\\s*"[^"\\\\\\n]*"\\s*$|\\{[^{}\\\\]*"[^"\\\\\\n]*"[^{}\\\\]*\\})`,
    "m"
  ).test(rootOf(node).text)
}

/** Data that an encoder made in the same function is text. */
function isEncodedHere(node: SyntaxNode, given: string): boolean {
  const name = /^data:\s*(\w+)\b/.exec(given)?.[1]
  const owner = enclosing(node, functions)
  return (
    name !== undefined && owner !== null && new RegExp(`\\b${name}\\s*=[^\\n]*[eE]ncode(r\\b|\\()`).test(owner.text)
  )
}

/** A literal whose holes are constants by their names, a constant by its name, or the text of what is a URL already. */
function isFixed(text: string): boolean {
  // What an enumeration is called, or a number after a colon, fits into any address.
  const filled = text
    .replace(/\\\((\w+\.)*[A-Z]\w*\.\w+\)|\\\((self\.)?rawValue\)/g, "")
    .replace(/:\\\((\w+\.)*(\w*P)?port(Number)?\)/gi, ":80")
  return (
    /^"[^"\\]*"$/.test(filled) ||
    /\.absoluteString$/.test(text) ||
    /^(\w+\.)*([A-Z]\w*)\.\w+$/.test(text) ||
    /^(Self|self)\.\w*(base|host|url)\w*$/i.test(text)
  )
}

const strongClosure = swift({
  id: "swift/closure-keeps-its-owner",
  severity: "medium",
  confidence: "MEDIUM",
  title: "A closure stored in self holds self, so neither is ever freed",
  why: "self owns the closure and the closure owns self: the cycle keeps both alive after everyone else has let go.",
  fix: "Capture it weakly: { [weak self] in ... }.",
  reference:
    "https://docs.swift.org/swift-book/documentation/the-swift-programming-language/automaticreferencecounting/#Strong-Reference-Cycles-for-Closures",
  keywords: ["self."],
  query: "(assignment) @claim",
  check: (claim, file) => {
    const closure = fieldOf(claim, "result", "lambda_literal")
    const target = fieldOf(claim, "target", "directly_assignable_expression")?.text ?? ""
    if (closure === null || isExample(file.path)) return false
    const type = typeOf(closure)
    // In a struct there is nothing to count; an extension does not say what it extends.
    if (type === null || kindOf(type) !== "class") return false
    if (!/^self\.\w+([.?!]+\w+)*$/.test(target) || /\bself\b/.test(capturesOf(closure))) return false
    // An outer closure that holds self weakly already makes this a new, weak name.
    for (let at = enclosing(closure, ["lambda_literal"]); at !== null; at = enclosing(at, ["lambda_literal"])) {
      if (/\bself\b/.test(capturesOf(at))) return false
    }
    const property = target.slice(target.lastIndexOf(".") + 1)
    if (new RegExp(`\\b${property}\\s*=\\s*nil\\b`).test(rootOf(closure).text)) return false
    return usesSelf(closure) && beginningOf(closure)
  },
  inTests: false,
  examples: {
    bad: [
      "class Screen {\n  var onTap: (() -> Void)?\n\n  func setUp() {\n    self.onTap = {\n      self.close()\n    }\n  }\n}\n",
      "final class Player: NSObject {\n  func start() {\n    self.loader.completion = { result in\n      self.show(result)\n    }\n  }\n}\n",
      "class Model {\n  init() {\n    self.reload = { self.items = [] }\n  }\n}\n"
    ],
    good: [
      "class Screen {\n  func setUp() {\n    self.onTap = { [weak self] in\n      self?.close()\n    }\n  }\n}\n",
      "struct Screen {\n  mutating func setUp() {\n    self.onTap = { self.close() }\n  }\n}\n",
      "class Screen {\n  func setUp() {\n    self.onTap = { print(1) }\n  }\n}\n",
      "class Screen {\n  func setUp() {\n    self.onTap = { self.close() }\n  }\n\n  func close() {\n    onTap = nil\n  }\n}\n"
    ]
  }
})

const strongDelegate = swift({
  id: "swift/strong-delegate",
  severity: "medium",
  confidence: "MEDIUM",
  title: "The delegate is held strongly, which makes a cycle with its owner",
  why: "A delegate usually owns the object it is the delegate of; a strong reference back keeps both alive for good.",
  fix: "Declare it weak and its protocol AnyObject.",
  reference:
    "https://docs.swift.org/swift-book/documentation/the-swift-programming-language/automaticreferencecounting/#Weak-References",
  keywords: ["elegate"],
  query: "(property_declaration) @claim",
  check: (claim, file) => {
    if (!declaresDelegate(claim) || isExample(file.path)) return false
    const owner = claim.parent?.parent ?? null
    if (owner === null || owner.type !== "class_declaration" || kindOf(owner) !== "class") return false
    if (/\b(weak|unowned|static|class|override|@\w+)/.test(modifiersOf(claim))) return false
    // The application's delegate has no owner; what makes its delegate itself is the owner.
    if (/AppDelegate$/.test(owner.childForFieldName("name")?.text ?? "")) return false
    return claim.children.every((child) => child.text !== "let") && childOf(claim, "computed_property") === null
  },
  inTests: false,
  examples: {
    bad: [
      "protocol PlayerDelegate: AnyObject {}\n\nclass Player {\n  var delegate: PlayerDelegate?\n}\n",
      "final class Grid: UIView {\n  public var delegate: GridDelegate? {\n    didSet { reload() }\n  }\n}\n",
      "class Sync: NSObject {\n  private var syncDelegate: SyncDelegate?\n}\n"
    ],
    good: [
      "class Player {\n  weak var delegate: PlayerDelegate?\n}\n",
      "struct Player {\n  var delegate: PlayerDelegate?\n}\n",
      "class Proxy {\n  var delegate: PlayerDelegate? {\n    get { return player.delegate }\n    set { player.delegate = newValue }\n  }\n}\n",
      "class Screen: UIViewController {\n  var dataSource: ItemDataSource?\n}\n",
      "class AppDelegate: UIResponder {\n  var helperDelegate: HelperDelegate?\n}\n",
      "protocol HasDelegate {\n  var delegate: PlayerDelegate? { get set }\n}\n"
    ]
  }
})

/** Does the declaration give a name that delegates have the type of an optional delegate? */
function declaresDelegate(declaration: SyntaxNode): boolean {
  const children = declaration.namedChildren
  const name = children.findIndex(
    (child) =>
      child.type === "pattern" &&
      /^(delegate|dataSource|\w+Delegate)$/.test(fieldOf(child, "bound_identifier", "simple_identifier")?.text ?? "")
  )
  return children.slice(name === -1 ? children.length : name).some((child) => {
    const type = child.type === "type_annotation" ? childOf(child, "optional_type") : null
    return type !== null && /Delegate\??$/.test(type.text)
  })
}

const emptyCatch = swift({
  id: "swift/empty-catch",
  severity: "medium",
  confidence: "HIGH",
  title: "The error is caught and nothing is done with it",
  why: "The code goes on as if the call had worked, and nobody can find out later why it did not.",
  fix: "Handle or log the error; if it may be ignored, say why in a comment.",
  reference: "CWE-390",
  keywords: ["catch"],
  query: "(catch_block) @claim",
  check: (claim, file) => {
    if (hasComment(claim) || isExample(file.path)) return false
    const isNamed = claim.namedChildren.some((child) => child.type === "pattern")
    // Sleeping ends early only by cancellation.
    const attempt = childOf(claim.parent ?? claim, "statements")?.text.trim() ?? ""
    if (/^try\s+await\s+Task\.sleep\([^\n]*$/.test(attempt)) return false
    return !isNamed && /\{\s*\}$/.test(claim.text) && !claim.namedChildren.some((child) => child.type === "statements")
  },
  inTests: false,
  examples: {
    bad: [
      "func save() {\n  do {\n    try store.write()\n  } catch {\n  }\n}\n",
      "func save() {\n  do { try store.write() } catch {}\n}\n",
      "class A {\n  func load() {\n    do {\n      items = try decode()\n    } catch is DecodingError {\n      items = []\n    } catch {\n    }\n  }\n}\n"
    ],
    good: [
      "func save() {\n  do {\n    try store.write()\n  } catch {\n    log(error)\n  }\n}\n",
      "func save() {\n  do {\n    try store.write()\n  } catch {\n    // the cache is rebuilt at the next start\n  }\n}\n",
      "func save() {\n  do {\n    try store.write()\n  } catch is CancellationError {\n  }\n}\n",
      "func pause() async {\n  do { try await Task.sleep(for: .seconds(1)) } catch {}\n  go()\n}\n"
    ]
  }
})

const syncOnMain = swift({
  id: "swift/main-queue-waits-for-itself",
  severity: "high",
  confidence: "HIGH",
  title: "The main queue waits for itself and never goes on",
  why: "This code already runs on the main queue; sync waits for a block that can only start when this one has ended.",
  fix: "Call the code directly, or use async.",
  reference: "https://developer.apple.com/documentation/dispatch/dispatchqueue/sync(execute:)-3segw",
  keywords: ["DispatchQueue.main.sync"],
  query: "(call_expression) @claim",
  check: (claim) => {
    if (memberOf(claim) !== "DispatchQueue.main.sync") return false
    const owner = enclosing(claim, functions)
    if (owner === null || /isMainThread/.test(owner.text)) return false
    if (owner.type === "lambda_literal") {
      const call = enclosing(owner, ["call_expression"])
      return call !== null && /^DispatchQueue\.main\.async(After)?(\(.*\))?$/.test(calleeOf(call))
    }
    const name = owner.childForFieldName("name")?.text ?? ""
    return (
      /@MainActor|@IBAction/.test(modifiersOf(owner)) ||
      (/^(viewDidLoad|view(Will|Did)(Appear|Disappear)|layoutSubviews|viewDidLayoutSubviews)$/.test(name) &&
        /\boverride\b/.test(modifiersOf(owner)))
    )
  },
  inTests: false,
  examples: {
    bad: [
      "func show() {\n  DispatchQueue.main.async {\n    DispatchQueue.main.sync {\n      reload()\n    }\n  }\n}\n",
      "class Screen: UIViewController {\n  override func viewDidLoad() {\n    super.viewDidLoad()\n    DispatchQueue.main.sync { reload() }\n  }\n}\n",
      "class Model {\n  @MainActor func refresh() {\n    DispatchQueue.main.sync {\n      items = []\n    }\n  }\n}\n"
    ],
    good: [
      "func show() {\n  DispatchQueue.global().async {\n    DispatchQueue.main.sync {\n      reload()\n    }\n  }\n}\n",
      "class Screen: UIViewController {\n  override func viewDidLoad() {\n    super.viewDidLoad()\n    DispatchQueue.main.async { self.reload() }\n  }\n}\n",
      "@MainActor func refresh() {\n  queue.sync { items = [] }\n}\n"
    ]
  }
})

const lostObserver = swift({
  id: "swift/observer-token-dropped",
  severity: "medium",
  confidence: "MEDIUM",
  title: "The observer's token is dropped, so it can never be removed",
  why: "The notification centre keeps the block, and everything the block holds, until the token is handed back.",
  fix: "Keep the token and pass it to removeObserver in deinit, or observe with async notifications.",
  reference:
    "https://developer.apple.com/documentation/foundation/notificationcenter/addobserver(forname:object:queue:using:)",
  keywords: ["forName:"],
  query: "(call_expression) @claim",
  check: (claim, file) => {
    if (!/\.addObserver$/.test(memberOf(claim)) || isExample(file.path)) return false
    if (!/^\(\s*forName:/.test(suffixOf(claim))) return false
    if (claim.parent?.type !== "statements" || (parts(claim.parent).at(-1)?.id === claim.id && isImplicitResult(claim)))
      return false
    // Only what the block keeps alive makes the missing token a leak.
    const block = within(claim, ["lambda_literal"])[0]
    return block !== undefined && usesSelf(block) && !/\b(weak|unowned)\b/.test(capturesOf(block)) && beginningOf(claim)
  },
  inTests: false,
  examples: {
    bad: [
      "class Screen {\n  func setUp() {\n    NotificationCenter.default.addObserver(forName: .changed, object: nil, queue: .main) { _ in\n      self.reload()\n    }\n    start()\n  }\n}\n",
      "class Screen {\n  init() {\n    let center = NotificationCenter.default\n    center.addObserver(forName: .a, object: nil, queue: nil) { note in self.take(note) }\n  }\n}\n",
      "class Screen: UIViewController {\n  override func viewDidLoad() {\n    super.viewDidLoad()\n    NotificationCenter.default.addObserver(forName: .b, object: nil, queue: nil, using: { _ in self.go() })\n  }\n}\n"
    ],
    good: [
      "class Screen {\n  func setUp() {\n    token = NotificationCenter.default.addObserver(forName: .changed, object: nil, queue: .main) { _ in\n      self.reload()\n    }\n  }\n}\n",
      "class Screen {\n  func setUp() {\n    NotificationCenter.default.addObserver(self, selector: reloadSelector, name: .changed, object: nil)\n    start()\n  }\n}\n",
      "class Screen {\n  func setUp() {\n    start()\n    NotificationCenter.default.addObserver(forName: .a, object: nil, queue: nil) { [weak self] _ in self?.reload() }\n  }\n}\n"
    ]
  }
})

/** The only expression of a closure or of a function with a result is what it returns. */
function isImplicitResult(node: SyntaxNode): boolean {
  const block = node.parent
  if (block === null || parts(block).length !== 1) return false
  const owner = block.parent
  if (owner?.type === "lambda_literal") return true
  const head = owner?.parent?.text.slice(0, owner.startIndex - (owner.parent?.startIndex ?? 0)) ?? ""
  return /->/.test(head)
}

const strongTimer = swift({
  id: "swift/timer-keeps-its-target",
  severity: "medium",
  confidence: "HIGH",
  title: "The repeating timer holds self and nothing but deinit stops it",
  why: "The run loop holds the timer and the timer holds its target, so deinit, which would stop it, is never reached.",
  fix: "Use the block form with [weak self], or invalidate the timer when the work is done.",
  reference:
    "https://developer.apple.com/documentation/foundation/timer/scheduledtimer(timeinterval:target:selector:userinfo:repeats:)",
  keywords: ["scheduledTimer(", "CADisplayLink("],
  query: "(call_expression) @claim",
  check: (claim) => {
    const callee = calleeOf(claim)
    const isTimer = /^Timer\.scheduledTimer$/.test(callee) && /repeats:\s*true/.test(claim.text)
    // Somebody else's target between the two may hold self weakly.
    const given = suffixOf(claim)
      .slice(1)
      .replace(/\([^()]*\)/g, "()")
    if (!(isTimer || callee === "CADisplayLink") || !/target:\s*self\b/.test(given)) return false
    const type = typeOf(claim)
    if (type === null || kindOf(type) !== "class") return false
    const stops = rootOf(claim)
      .descendantsOfType("call_expression")
      .filter((call) => /\binvalidate$/.test(calleeOf(call)))
    return stops.every((call) => enclosing(call, ["deinit_declaration"]) !== null)
  },
  inTests: false,
  examples: {
    bad: [
      "class Clock {\n  func start() {\n    timer = Timer.scheduledTimer(timeInterval: 1, target: self, selector: tickSelector, userInfo: nil, repeats: true)\n  }\n\n  deinit {\n    timer?.invalidate()\n  }\n}\n",
      "class Clock {\n  init() {\n    Timer.scheduledTimer(timeInterval: 1, target: self, selector: tickSelector, userInfo: nil, repeats: true)\n  }\n}\n",
      "class Spinner: UIView {\n  func start() {\n    link = CADisplayLink(target: self, selector: stepSelector)\n    link.add(to: .main, forMode: .common)\n  }\n\n  deinit { link.invalidate() }\n}\n"
    ],
    good: [
      "class Clock {\n  func start() {\n    timer = Timer.scheduledTimer(timeInterval: 1, target: self, selector: tickSelector, userInfo: nil, repeats: true)\n  }\n\n  func stop() {\n    timer?.invalidate()\n  }\n}\n",
      "class Clock {\n  func start() {\n    timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in self?.tick() }\n  }\n}\n",
      "class Spinner: UIView {\n  func start() {\n    link = CADisplayLink(target: Proxy(target: self), selector: stepSelector)\n  }\n\n  deinit { link.invalidate() }\n}\n",
      "class Clock {\n  func once() {\n    Timer.scheduledTimer(timeInterval: 1, target: self, selector: tickSelector, userInfo: nil, repeats: false)\n  }\n}\n"
    ]
  }
})

const notANumber = swift({
  id: "swift/nan-comparison",
  severity: "medium",
  confidence: "HIGH",
  title: "Comparing with nan is always false",
  why: "NaN is unequal to every number, itself too, so this test never says what it seems to ask.",
  fix: "Use isNaN.",
  reference: "https://developer.apple.com/documentation/swift/floatingpoint/isnan",
  keywords: [".nan"],
  // The grammar reads `!=` in front of some operands as an operator it does not know.
  query: "[(equality_expression) (infix_expression)] @claim",
  check: (claim) =>
    (claim.type === "equality_expression" || /^[=!]=$/.test(claim.childForFieldName("op")?.text ?? "")) &&
    ["lhs", "rhs"].some((side) =>
      /^(Double|Float|CGFloat|Float\d+)?\.nan$/.test(claim.childForFieldName(side)?.text ?? "")
    ),
  inTests: true,
  examples: {
    bad: [
      "func bad(x: Double) -> Bool {\n  return x == .nan\n}\n",
      "func bad(x: CGFloat) -> Bool {\n  return x != CGFloat.nan\n}\n",
      "func clean(_ x: Float) -> Float {\n  if Float.nan == x {\n    return 0\n  }\n  return x\n}\n"
    ],
    good: [
      "func good(x: Double) -> Bool {\n  return x.isNaN\n}\n",
      "func none() -> Double {\n  return .nan\n}\n",
      "func edge(x: Double) -> Bool {\n  return x == .infinity\n}\n"
    ]
  }
})

const blindTrust = swift({
  id: "swift/server-trust-not-evaluated",
  severity: "high",
  confidence: "HIGH",
  title: "Any server certificate is accepted",
  why: "The credential is made from the trust the server sent, and nothing in this file evaluates it: anyone may stand between.",
  fix: "Evaluate with SecTrustEvaluateWithError first, or use .performDefaultHandling.",
  reference: "CWE-295",
  keywords: ["URLCredential(trust:"],
  query: "(call_expression) @claim",
  check: (claim, file) => {
    if (calleeOf(claim) !== "URLCredential" || !/\(\s*trust:/.test(claim.text)) return false
    // For the hosts the user has listed it is the user's decision.
    const condition = enclosing(claim, ["if_statement", "guard_statement"])?.text.split("{")[0] ?? ""
    if (/\bcontains\(/.test(condition)) return false
    return (
      !isExample(file.path) &&
      !/SecTrustEvaluate|SecTrustSetAnchor|\.evaluate\(|performDefaultEvaluation|[pP]inn(ed|ing)|\b[pP]ins?\b/.test(
        rootOf(claim).text
      )
    )
  },
  inTests: false,
  examples: {
    bad: [
      "class Net: NSObject, URLSessionDelegate {\n  func urlSession(_ s: URLSession, didReceive c: URLAuthenticationChallenge, completionHandler done: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void) {\n    done(.useCredential, URLCredential(trust: c.protectionSpace.serverTrust!))\n  }\n}\n",
      "func answer(_ trust: SecTrust) -> URLCredential {\n  return URLCredential(trust: trust)\n}\n",
      "class Web {\n  func webView(_ c: Challenge, _ done: Done) {\n    if let trust = c.protectionSpace.serverTrust {\n      let credential = URLCredential(trust: trust)\n      done(.useCredential, credential)\n    }\n  }\n}\n"
    ],
    good: [
      "func answer(_ trust: SecTrust, _ done: Done) {\n  guard SecTrustEvaluateWithError(trust, nil) else {\n    return done(.cancelAuthenticationChallenge, nil)\n  }\n  done(.useCredential, URLCredential(trust: trust))\n}\n",
      "func answer(_ done: Done) {\n  done(.performDefaultHandling, nil)\n}\n",
      "func answer(_ c: Challenge, _ done: Done) {\n  if let hosts = trusted, hosts.contains(c.protectionSpace.host) {\n    done(.useCredential, URLCredential(trust: c.protectionSpace.serverTrust!))\n  }\n}\n",
      'func basic(_ done: Done) {\n  done(.useCredential, URLCredential(user: "a", password: secret, persistence: .none))\n}\n'
    ]
  }
})

const builtSql = swift({
  id: "swift/sql-built-from-values",
  severity: "high",
  confidence: "HIGH",
  title: "A value is put into SQL text instead of being bound",
  why: "A quote in the value ends the string literal, and the rest is run as SQL.",
  fix: "Write a placeholder in the statement and bind the value.",
  reference: "CWE-89",
  keywords: ["'\\(", "'%\\("],
  query: "[(line_string_literal) (multi_line_string_literal)] @claim",
  check: (claim) =>
    childOf(claim, "interpolated_expression") !== null &&
    quotesIntoSql(claim.text.replace(/^"+/, ""), /\\\((?![A-Z]\w*\.|\w*[eE]scape)/),
  inTests: false,
  examples: {
    bad: [
      "func find(_ name: String) {\n  db.execute(\"SELECT * FROM users WHERE name = '\\(name)'\")\n}\n",
      "func search(_ q: String) -> String {\n  return \"select id from posts where title like '%\\(q)%'\"\n}\n",
      'func add(_ who: String) {\n  let sql = """\n  INSERT INTO log (who) VALUES (\'\\(who)\')\n  """\n  run(sql)\n}\n'
    ],
    good: [
      'func find(_ name: String) {\n  db.execute("SELECT * FROM users WHERE name = ?", [name])\n}\n',
      'func all(_ table: String) {\n  db.execute("SELECT * FROM \\(table)")\n}\n',
      "func complain(_ name: String) -> String {\n  return \"select another user than '\\(name)'\"\n}\n"
    ]
  }
})

const unownedLater = swift({
  id: "swift/unowned-self-in-async-closure",
  severity: "medium",
  confidence: "HIGH",
  title: "An unowned self in work that runs later crashes when self is gone",
  why: "Nothing keeps self alive until the block runs, and reading an unowned reference to a freed object stops the app.",
  fix: "Capture [weak self] and return when it is nil.",
  reference:
    "https://docs.swift.org/swift-book/documentation/the-swift-programming-language/automaticreferencecounting/#Unowned-References",
  keywords: ["unowned self"],
  query: "(lambda_literal) @claim",
  check: (claim) => {
    if (!/\bunowned(\(\w+\))?\s+self\b/.test(capturesOf(claim))) return false
    const call = enclosing(claim, ["call_expression"], ["lambda_literal", "function_body"])
    const later =
      /^DispatchQueue\.(main|global\(.*\))\.async(After)?(\(|$)|\.dataTask(\(|$)|^(Task|Task\.detached)(\(|$)/
    return call !== null && later.test(calleeOf(call)) && beginningOf(claim)
  },
  inTests: false,
  examples: {
    bad: [
      "class A {\n  func f() {\n    DispatchQueue.main.async { [unowned self] in\n      self.show()\n    }\n  }\n}\n",
      "class A {\n  func f(url: URL) {\n    URLSession.shared.dataTask(with: url) { [unowned self] data, _, _ in\n      self.take(data)\n    }.resume()\n  }\n}\n",
      "class A {\n  func f() {\n    DispatchQueue.main.asyncAfter(deadline: .now() + 1) { [unowned self] in self.hide() }\n  }\n}\n"
    ],
    good: [
      "class A {\n  func f() {\n    DispatchQueue.main.async { [weak self] in\n      self?.show()\n    }\n  }\n}\n",
      "class A {\n  lazy var text: () -> String = { [unowned self] in self.name }\n}\n",
      "class A {\n  func f() {\n    items.forEach { [unowned self] in self.show($0) }\n  }\n}\n"
    ]
  }
})

const unwrappedSelf = swift({
  id: "swift/weak-self-unwrapped",
  severity: "medium",
  confidence: "HIGH",
  title: "A weak self is unwrapped by force",
  why: "self is weak because it may be gone when the closure runs; then the exclamation mark stops the app.",
  fix: "guard let self else { return }",
  reference:
    "https://docs.swift.org/swift-book/documentation/the-swift-programming-language/automaticreferencecounting/#Weak-References",
  keywords: ["self!"],
  query: "(postfix_expression) @claim",
  check: (claim) => fieldOf(claim, "target", "self_expression") !== null && isForced(claim),
  inTests: false,
  examples: {
    bad: [
      "class A {\n  func f() {\n    load { [weak self] items in\n      self!.show(items)\n    }\n  }\n}\n",
      "class A {\n  func f() {\n    load { [weak self] in self!.count += 1 }\n  }\n}\n",
      "class A {\n  func f() {\n    load { [weak self] in\n      if self != nil {\n        wait()\n        self!.done()\n      }\n    }\n  }\n}\n"
    ],
    good: [
      "class A {\n  func f() {\n    load { [weak self] items in\n      self?.show(items)\n    }\n  }\n}\n",
      "class A {\n  func f() {\n    load { [weak self] in\n      guard let self = self else { return }\n      self.done()\n    }\n  }\n}\n",
      "class A {\n  func f() {\n    self.view!.show()\n  }\n}\n"
    ]
  }
})

const lifecycle =
  /^(viewDidLoad|viewWillAppear|viewDidAppear|viewWillDisappear|viewDidDisappear|awakeFromNib|prepareForReuse|layoutSubviews|updateConstraints)$/

const superNotCalled = swift({
  id: "swift/super-not-called",
  severity: "medium",
  confidence: "HIGH",
  title: "The override does not call the method it overrides",
  why: "UIKit does its own work in this method; without the call the superclass, and any class between, never does it.",
  fix: "Call super first.",
  reference: "https://developer.apple.com/documentation/uikit/uiviewcontroller/viewdidappear(_:)",
  keywords: ["override func"],
  query: "(function_declaration) @claim",
  check: (claim, file) => {
    const name = claim.childForFieldName("name")
    const body = claim.childForFieldName("body")?.text
    if (name === null || body === undefined || !lifecycle.test(name.text) || isExample(file.path)) return false
    return (
      /\boverride\b/.test(modifiersOf(claim)) &&
      !new RegExp(`\\bsuper\\s*\\.\\s*${name.text}\\b`).test(body) &&
      !/fatalError|preconditionFailure/.test(body) &&
      linesOf(name)
    )
  },
  inTests: false,
  examples: {
    bad: [
      'class A: UIViewController {\n  override func viewDidLoad() {\n    title = "A"\n  }\n}\n',
      "class A: UIViewController {\n  override func viewWillAppear(_ animated: Bool) {\n    reload()\n  }\n}\n",
      "class Cell: UITableViewCell {\n  public override func prepareForReuse() {\n    label.text = nil\n  }\n}\n"
    ],
    good: [
      'class A: UIViewController {\n  override func viewDidLoad() {\n    super.viewDidLoad()\n    title = "A"\n  }\n}\n',
      "class A: UIViewController {\n  override func loadView() {\n    view = Grid()\n  }\n}\n",
      "class A {\n  func viewDidLoad() {\n    start()\n  }\n}\n"
    ]
  }
})

const plainSecret = swift({
  id: "swift/secret-in-user-defaults",
  severity: "high",
  confidence: "HIGH",
  title: "A secret is written to UserDefaults, which is a plain file",
  why: "The preferences file is not encrypted by the app and travels in backups; anyone who reads it has the secret.",
  fix: "Store it in the Keychain.",
  reference: "CWE-312",
  keywords: ["forKey:"],
  query: "(call_expression) @claim",
  check: (claim, file) => {
    const stores = /^(UserDefaults(\.\w+|\([^)]*\)!?)|defaults|userDefaults)\.set(Value)?$/
    if (isExample(file.path) || !stores.test(memberOf(claim))) return false
    const suffix = suffixOf(claim)
    const key = /forKey:\s*"([^"\\]+)"/.exec(suffix)?.[1] ?? ""
    const value = /^\(\s*([^,]*),/.exec(suffix)?.[1] ?? ""
    const names =
      /password|passwd|passphrase|(access|refresh|auth|bearer|session|id)_?token|(api|private|secret)_?key|client_?secret/i
    return (
      names.test(key) &&
      !/^(true|false|nil|Date\(\)|\d+)$/.test(value) &&
      !/(is|has|did|should|show|count|date|expir|enabled)/i.test(key)
    )
  },
  inTests: false,
  examples: {
    bad: [
      'func save(_ p: String) {\n  UserDefaults.standard.set(p, forKey: "password")\n}\n',
      'func signedIn(_ r: Response) {\n  UserDefaults.standard.set(r.token, forKey: "accessToken")\n}\n',
      'func keep(_ k: String) {\n  let defaults = UserDefaults.standard\n  defaults.setValue(k, forKey: "api_key")\n}\n'
    ],
    good: [
      'func save(_ t: String) {\n  UserDefaults.standard.set(t, forKey: "theme")\n}\n',
      'func save() {\n  UserDefaults.standard.set(true, forKey: "hasPassword")\n}\n',
      'func clear() {\n  UserDefaults.standard.removeObject(forKey: "accessToken")\n}\n'
    ]
  }
})

/** A linter's exception on the claimed line is the author's answer to the same question, so it is respected. */
const unlessExcused = (rule: SyntaxRule): SyntaxRule => ({
  ...rule,
  check: (captures, file) => {
    const answer = rule.check === undefined ? true : rule.check(captures, file)
    const claim = caught(captures, "claim")
    if (answer === false || claim === null) return false
    const line = typeof answer === "object" ? answer.line : linesOf(claim).line
    const said = `${file.head?.[line - 2] ?? ""}\n${file.head?.[line - 1] ?? ""}`
    return /swiftlint:disable/.test(said) ? false : answer
  }
})

const rules: ReadonlyArray<SyntaxRule> = [
  forcedCast,
  forcedTry,
  forcedUnwrap,
  strongClosure,
  strongDelegate,
  emptyCatch,
  syncOnMain,
  lostObserver,
  strongTimer,
  notANumber,
  blindTrust,
  builtSql,
  unownedLater,
  unwrappedSelf,
  superNotCalled,
  plainSecret
]

export const swiftRules: ReadonlyArray<SyntaxRule> = rules.map(unlessExcused)
