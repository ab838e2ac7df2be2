/** What dd knows about Ruby and Rails: defects that can be proved from one file. */

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
  within
} from "../languages/tree.ts"
import { nodeRules } from "./nodeRule.ts"

const ruby = nodeRules({ stack: "ruby", grammars: ["ruby"] })

/** The method a call names; "" when it names none. */
const methodOf = (call: SyntaxNode): string => fieldOf(call, "method", "identifier")?.text ?? ""

const argumentsOf = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const list = call.childForFieldName("arguments")
  return list === null ? [] : parts(list)
}

/** The call's first argument, when it is text with a hole in it. */
const filledText = (call: SyntaxNode): SyntaxNode | null => {
  const [first] = argumentsOf(call)
  return first?.type === "string" && childOf(first, "interpolation") !== null ? first : null
}

/** Does the value come straight out of the request? */
const fromRequest = (node: SyntaxNode): boolean =>
  /^(params|cookies|request\.(params|query_parameters|referer|headers|body)|JSON\.parse\(params)\b/.test(node.text)

const holesOf = (node: SyntaxNode): ReadonlyArray<string> =>
  within(node, ["interpolation"]).map((hole) => hole.text.slice(2, -1).trim())

/** A value that cannot carry a quote, a blank or a semicolon: a number, a constant, something escaped. */
const isHarmless = (hole: string): boolean =>
  /^(\w+::)*[A-Z][A-Z0-9_]*$|^\d+$|^(Process\.pid|__dir__|Dir\.pwd|Rails\.root)/.test(hole) ||
  /\.(to_i|to_f|size|count|length|pid|port|shellescape)$|escape|quote|sanitize|\.class\.name|date|time|period|interval|_at$|\.ago$|table_name|column|Integer\(|arel/i.test(
    hole
  )

/** Does the value come in from outside the method that uses it: from the request, or as one of its parameters? */
const comesFromCaller = (hole: string, at: SyntaxNode): boolean => {
  if (/^(params|cookies|request)\b/.test(hole)) return true
  const root = /^[a-z_]\w*/.exec(hole)?.[0]
  const parameters = enclosing(at, ["method", "singleton_method"])?.childForFieldName("parameters") ?? null
  return (
    root !== undefined && parameters !== null && within(parameters, ["identifier"]).some((one) => one.text === root)
  )
}

const rescueException = ruby({
  id: "ruby/rescue-exception",
  severity: "medium",
  confidence: "HIGH",
  title: "Rescuing Exception also catches signals, exit and lack of memory",
  why: "Ctrl-C, a shutdown by the supervisor and errors of the interpreter itself end here and the program goes on.",
  fix: "Rescue StandardError, or raise again at the end.",
  reference: "https://docs.ruby-lang.org/en/master/Exception.html",
  keywords: ["Exception"],
  query: "(rescue) @claim",
  check: (claim) => {
    const exceptions = claim.childForFieldName("exceptions")
    const [rescued, ...others] = exceptions === null ? [] : parts(exceptions)
    if (rescued?.type !== "constant" || rescued.text !== "Exception" || others.length > 0) return false
    // Handing the exception to someone else, another thread for one, is not swallowing it.
    return !/\b(raise|exit!?|abort|throw|fail|set_exception|reject)\b/.test(claim.text) && beginningOf(claim)
  },
  inTests: false,
  examples: {
    bad: [
      "def sync\n  fetch\nrescue Exception => e\n  log(e)\nend\n",
      "begin\n  work\nrescue Exception\n  nil\nend\n",
      "loop do\n  begin\n    step\n  rescue Exception => e\n    puts e.message\n  end\nend\n"
    ],
    good: [
      "def sync\n  fetch\nrescue StandardError => e\n  log(e)\nend\n",
      "begin\n  work\nrescue Exception => e\n  clean_up\n  raise\nend\n",
      "begin\n  work\nrescue MyException => e\n  log(e)\nend\n"
    ]
  }
})

const swallowed = ruby({
  id: "ruby/error-swallowed",
  severity: "medium",
  confidence: "MEDIUM",
  title: "Every error is rescued and nothing tells of it",
  why: "A misspelt method or a broken connection looks the same as the case this was meant for, and nobody sees it.",
  fix: "Name the errors that are expected, and log the others or let them pass.",
  reference: "CWE-390",
  keywords: ["rescue"],
  query: "(rescue) @claim",
  check: (claim) => {
    if (hasComment(claim)) return false
    const exceptions = claim.childForFieldName("exceptions")
    if (exceptions !== null && !/^(StandardError|Exception)$/.test(exceptions.text.trim())) return false
    const body = claim.childForFieldName("body")
    // An explicit nil is an answer: "none" for what could not be read.
    if (body !== null && body.namedChildren.length > 0) return false
    // One call in the block is a question asked by trying; its failures are one kind.
    const tried =
      claim.parent === null ? [] : parts(claim.parent).filter((one) => !/^(rescue|ensure|else)$/.test(one.type))
    return tried.length > 1
  },
  inTests: false,
  examples: {
    bad: [
      "def sync(user)\n  profile = fetch(user)\n  save(profile)\nrescue\nend\n",
      "def sync(user)\n  profile = fetch(user)\n  save(profile)\nrescue => e\nend\n",
      "begin\n  connect\n  send_all\nrescue StandardError\nensure\n  close\nend\n"
    ],
    good: [
      "def sync(user)\n  profile = fetch(user)\n  save(profile)\nrescue => e\n  logger.warn(e)\nend\n",
      "def sync(user)\n  profile = fetch(user)\n  save(profile)\nrescue NotFound\nend\n",
      "def number(s)\n  text = s.strip\n  Integer(text)\nrescue\n  nil\nend\n",
      "begin\n  connect\n  send_all\nrescue\n  # the next run sends them\nend\n"
    ]
  }
})

const shellCommand = ruby({
  id: "ruby/shell-command-built",
  severity: "high",
  confidence: "MEDIUM",
  title: "A shell command line is put together from values",
  why: "Whatever the value holds is read by the shell: a blank, a semicolon or a backtick in it changes the command.",
  fix: "Pass the program and its arguments separately (system, Open3.capture2), or use Shellwords.escape.",
  reference: "CWE-78",
  keywords: ["`", "%x", "system", "exec", "popen", "spawn", "capture"],
  query: "[(subshell) (call)] @claim",
  check: (claim, file) => {
    if (isTooling(file.path)) return false
    const command = claim.type === "subshell" ? claim : shellLine(claim)
    if (command === null) return false
    // One word with a value in it and nothing else is a program's name.
    return (
      /\s/.test(command.text.replace(/#\{[^}]*\}/g, "")) &&
      holesOf(command).some((hole) => !isHarmless(hole) && comesFromCaller(hole, command))
    )
  },
  inTests: false,
  examples: {
    bad: [
      'def archive(dir)\n  system("tar czf out.tgz #{dir}")\nend\n',
      "def commits(branch)\n  `git log #{branch} --oneline`\nend\n",
      'def ping(host)\n  out, status = Open3.capture2("ping -c1 #{host}")\n  out\nend\n'
    ],
    good: [
      'def archive(dir)\n  system("tar", "czf", "out.tgz", dir)\nend\n',
      "def commits(branch)\n  `git log #{Shellwords.escape(branch)}`\nend\n",
      'def stop\n  system("kill #{Process.pid}")\nend\n',
      'def back_up\n  dir = Rails.root.join("db")\n  system("tar czf out.tgz #{dir}")\nend\n',
      'def say(name)\n  puts("system #{name}")\nend\n'
    ]
  }
})

/** The command line a call hands to a shell, when it is text with a hole in it. */
function shellLine(call: SyntaxNode): SyntaxNode | null {
  const name = methodOf(call)
  if (!/^(system|exec|spawn|capture2e?|capture3|popen2e?|popen3|pipeline|popen)$/.test(name)) return null
  const receiver = call.childForFieldName("receiver")?.text ?? ""
  const runs =
    receiver === "" || receiver === "Kernel" || receiver === "Process"
      ? /^(system|exec|spawn)$/.test(name)
      : (receiver === "Open3" && /^(capture2e?|capture3|popen2e?|popen3|pipeline)$/.test(name)) ||
        (receiver === "IO" && name === "popen")
  // With further arguments no shell reads the first.
  const isAlone = argumentsOf(call)
    .slice(1)
    .every(({ type }) => type === "pair" || type === "hash_splat_argument")
  return runs && isAlone ? filledText(call) : null
}

/** Build scripts run what their authors typed, on their authors' machines. */
function isTooling(path: string): boolean {
  return /(^|\/)(Rakefile|rake|tasks|bin|script|scripts|benchmark|exe|support|ci|tools?)(\/|$)|\.(rake|gemspec)$/i.test(
    path
  )
}

const conditions =
  /^(where|find_by_sql|having|joins|rewhere|exists\?|delete_by|update_all|execute|exec_query|select_all|select_value|select_values|select_rows|count_by_sql)$/

const builtSql = ruby({
  id: "ruby/sql-built-from-values",
  severity: "high",
  confidence: "HIGH",
  title: "A value is put into SQL text instead of being bound",
  why: "A quote in the value ends the string literal, and the rest is run as SQL.",
  fix: 'Use a hash, or a placeholder: where("name = ?", name).',
  reference: "CWE-89",
  keywords: ["#{"],
  query: "(call) @claim",
  check: (claim, file) => {
    if (!conditions.test(methodOf(claim)) || /(^|\/)(db|migrate)\//.test(file.path)) return false
    const text = filledText(claim)
    if (text === null) return false
    const quoted = /(=|<|>|\blike|\bilike|[(,])\s*'%?#\{([^}]*)\}/gi
    const bare = /(=|<|>)\s*#\{((params|cookies)\b[^}]*)\}/gi
    const holes = [...text.text.matchAll(quoted), ...text.text.matchAll(bare)].map((match) => match[2] ?? "")
    return holes.some((hole) => !isHarmless(hole.trim())) || quotesIntoSql(text.text.slice(1), /#\{params\b/)
  },
  inTests: false,
  examples: {
    bad: [
      "def find(name)\n  User.where(\"name = '#{name}'\").first\nend\n",
      'def show\n  Post.where("author_id = #{params[:id]}")\nend\n',
      "def search(q)\n  Post.find_by_sql(\"select * from posts where title like '%#{q}%'\")\nend\n"
    ],
    good: [
      'def find(name)\n  User.where("name = ?", name).first\nend\n',
      'def later(table)\n  Post.where("#{table}.created_at > now()")\nend\n',
      'def show\n  Post.where("id = #{params[:id].to_i}")\nend\n',
      "def find(name)\n  User.where(\"name = '#{connection.quote_string(name)}'\")\nend\n",
      "def fields\n  Field.where(\"type = '#{self.class.name}Field'\")\nend\n"
    ]
  }
})

const evaluated = ruby({
  id: "ruby/input-evaluated",
  severity: "high",
  confidence: "HIGH",
  title: "Input from the request chooses the code that runs",
  why: "eval, send, constantize and Marshal.load do what the text says: whoever sends the request can run any code here.",
  fix: "Look the wanted value up in a list of allowed names; parse data with JSON.",
  reference: "CWE-94",
  keywords: ["params", "cookies", "request"],
  query: "(call) @claim",
  check: (claim) => {
    const name = methodOf(claim)
    const receiver = claim.childForFieldName("receiver")
    const [first] = argumentsOf(claim)
    if (/^(constantize|safe_constantize)$/.test(name)) return receiver !== null && isRequested(receiver)
    if (first === undefined) return false
    if (/^(eval|instance_eval|class_eval)$/.test(name))
      return fromRequest(first) || holesOf(first).some((hole) => /^params\b/.test(hole))
    if (/^(send|public_send|__send__)$/.test(name)) return fromRequest(first)
    return receiver?.text === "Marshal" && name === "load" && /\b(params|cookies|request)\b/.test(first.text)
  },
  inTests: false,
  examples: {
    bad: [
      "def show\n  @kind = params[:kind].constantize\nend\n",
      "def run\n  eval(params[:code])\nend\n",
      "def load\n  @cart = Marshal.load(Base64.decode64(cookies[:cart]))\nend\n",
      "def act\n  @post.send(params[:action_name])\nend\n"
    ],
    good: [
      "def show\n  @kind = KINDS.fetch(params[:kind])\nend\n",
      "def build(name)\n  name.constantize.new\nend\n",
      "def load(data)\n  Marshal.load(data)\nend\n",
      "def act(name)\n  @post.public_send(name, params[:value])\nend\n"
    ]
  }
})

/** `params[:x]`, with string methods behind it. */
function isRequested(node: SyntaxNode): boolean {
  return /^params(\[[^\]]+\]|\.(require|fetch)\([^)]*\))+(\.(to_s|classify|camelize|singularize|capitalize))*$/.test(
    node.text
  )
}

const assigned = ruby({
  id: "ruby/assignment-as-condition",
  severity: "high",
  confidence: "HIGH",
  title: "The condition assigns a literal, so it is always the same",
  why: "A single = stores the value and answers it; the branch never depends on what the variable was.",
  fix: "Compare with ==.",
  reference: "CWE-481",
  keywords: ["if ", "unless ", "while "],
  query: "(assignment) @claim",
  check: (claim) => {
    const value = fieldOf(claim, "right", "integer", "float", "string", "simple_symbol", "true", "false", "nil")
    if (value === null || value.text.includes("#{")) return false
    const branch = claim.parent
    const branches = ["if", "unless", "while", "if_modifier", "unless_modifier", "elsif"]
    return branches.includes(branch?.type ?? "") && branch?.childForFieldName("condition")?.id === claim.id
  },
  inTests: true,
  examples: {
    bad: [
      "def f(x)\n  if x = 5\n    go\n  end\nend\n",
      'def f(user)\n  return if user.role = "admin"\n  deny\nend\n',
      "def f(state)\n  unless state = :open\n    close\n  end\nend\n"
    ],
    good: [
      "def f(x)\n  if x == 5\n    go\n  end\nend\n",
      "def f(id)\n  if user = User.find_by(id: id)\n    greet(user)\n  end\nend\n",
      "def f(io)\n  while line = io.gets\n    use(line)\n  end\nend\n"
    ]
  }
})

const returnInEnsure = ruby({
  id: "ruby/return-in-ensure",
  severity: "high",
  confidence: "HIGH",
  title: "Returning from ensure throws away the exception or the result",
  why: "A return in ensure replaces whatever was on its way out of the block, an exception included.",
  fix: "Leave ensure to clean up, and return after it.",
  reference: "CWE-584",
  keywords: ["ensure"],
  query: "(return) @claim",
  check: (claim) => enclosing(claim, ["ensure"], ["method", "lambda", "block", "do_block"]) !== null,
  inTests: true,
  examples: {
    bad: [
      "def f\n  work\nensure\n  return true\nend\n",
      "def f\n  begin\n    work\n  ensure\n    close\n    return\n  end\nend\n",
      "def f(x)\n  work\nensure\n  return x if x\nend\n"
    ],
    good: [
      "def f\n  work\nensure\n  close\nend\n",
      "def f\n  return work\nensure\n  close\nend\n",
      "def f\n  work\nensure\n  hooks.each { |h| h.call }\nend\n"
    ]
  }
})

const doubledKey = ruby({
  id: "ruby/duplicate-hash-key",
  severity: "medium",
  confidence: "HIGH",
  title: "The same key stands twice in this hash",
  why: "The last one wins and the other is dropped without an error, so one of them is a slip.",
  fix: "Remove or rename one of them.",
  reference: "CWE-1109",
  keywords: [":", "=>"],
  // The hash, not its pairs: a table of thousands of them is gone through once.
  query: "(hash) @claim",
  check: (claim, file) => {
    const known = new Set<string>()
    for (const pair of claim.namedChildren) {
      const key = pair.type === "pair" ? pair.childForFieldName("key") : null
      const name = key === null ? null : keyOf(key)
      if (key === null || name === null) continue
      if (known.has(name) && file.isAdded(linesOf(key).line)) return linesOf(key)
      known.add(name)
    }
    return false
  },
  inTests: true,
  examples: {
    bad: [
      "OPTIONS = { a: 1, b: 2, a: 3 }\n",
      'x = { "name" => 1, "name" => 2 }\n',
      `x = { "name" => 1, 'name' => 2 }\n`,
      "def f\n  { retries: 3, :timeout => 5, :retries => 1 }\nend\n"
    ],
    good: [
      "OPTIONS = { a: 1, b: 2 }\n",
      'x = { "a" => 1, a: 2 }\n',
      `x = { "<b class='c'>" => 1, '<b class="c">' => 2 }\n`,
      "x = { key => 1, key => 2 }\n",
      "x = { a: { b: 1 }, c: { b: 2 } }\n"
    ]
  }
})

/** What stands between the quotes, in the spelling of double ones. */
const textOf = (literal: string): string =>
  literal.startsWith("'") ? `"${literal.slice(1, -1).replaceAll("\\'", "'").replaceAll('"', '\\"')}"` : literal

/** A literal key in one spelling; null for one that is computed. */
function keyOf(key: SyntaxNode): string | null {
  if (key.type === "hash_key_symbol") return `:${key.text}`
  if (key.type === "simple_symbol" || key.type === "integer") return key.text
  if (key.type !== "string" || key.text.includes("#{")) return null
  // `"a": 1` is the symbol, `"a" => 1` the text.
  return key.nextNamedSibling !== null && /^\s*"[^"]*":/.test(key.parent?.text ?? "")
    ? `:${key.text.slice(1, -1)}`
    : textOf(key.text)
}

const permitAll = ruby({
  id: "ruby/every-parameter-permitted",
  severity: "high",
  confidence: "HIGH",
  title: "Every attribute may be set from the request",
  why: "permit! lets a request set any column, the role or the owner of a record too.",
  fix: "Name the attributes: params.require(:user).permit(:name, :email).",
  reference: "CWE-915",
  keywords: ["permit!"],
  query: "(call) @claim",
  check: (claim) => {
    if (methodOf(claim) !== "permit!") return false
    const receiver = claim.childForFieldName("receiver")?.text ?? ""
    // Only to read: a filter, a link, a log line.
    const around = claim.parent
    const used = (around?.type === "argument_list" ? around.parent : around)?.text ?? ""
    return (
      /^params((\[[^\]]+\]|\.(require|fetch)\([^)]*\))*)$/.test(receiver) &&
      !/\.permit!\s*\.(to_h|to_query|to_unsafe_h|slice|except)|_path|_url|url_for/.test(used)
    )
  },
  inTests: false,
  examples: {
    bad: [
      "def create\n  User.create(params[:user].permit!)\nend\n",
      "def user_params\n  params.require(:user).permit!\nend\n",
      "def update\n  params.permit!\n  @user.update(params[:user])\nend\n"
    ],
    good: [
      "def user_params\n  params.require(:user).permit(:name)\nend\n",
      "def filters\n  params.permit!.to_h\nend\n",
      "def filters\n  params.slice(:page, :type).permit!\nend\n",
      "def next_page\n  posts_path(params.permit!)\nend\n"
    ]
  }
})

const openRedirect = ruby({
  id: "ruby/redirect-to-input",
  severity: "high",
  confidence: "MEDIUM",
  title: "The browser is redirected to an address from the request",
  why: "A link to this site can send its visitor anywhere, to a copy of the login page for one.",
  fix: "Redirect to a path of your own, or check the address with url_from; Rails refuses other hosts only when it is configured to.",
  reference: "CWE-601",
  keywords: ["redirect_to"],
  query: "(call) @claim",
  check: (claim) => {
    const target = methodOf(claim) === "redirect_to" ? argumentsOf(claim)[0] : undefined
    return target !== undefined && /^params(\[[^\]]+\]|\.fetch\([^)]*\))(\s*\|\|.*)?$/.test(target.text)
  },
  inTests: false,
  examples: {
    bad: [
      "def back\n  redirect_to params[:return_to]\nend\n",
      "def back\n  redirect_to(params[:url] || root_path)\nend\n",
      'def back\n  redirect_to params["next"], allow_other_host: true\nend\n'
    ],
    good: [
      "def back\n  redirect_to root_path\nend\n",
      "def back\n  redirect_to url_from(params[:return_to]) || root_path\nend\n",
      "def back\n  redirect_to post_path(params[:id])\nend\n"
    ]
  }
})

const noVerify = ruby({
  id: "ruby/tls-verification-off",
  severity: "high",
  confidence: "HIGH",
  title: "TLS certificates are not verified",
  why: "Anyone between the two ends can present their own certificate and read or change the traffic.",
  fix: "Leave VERIFY_PEER on and add the right certificate to the store.",
  reference: "CWE-295",
  keywords: ["VERIFY_NONE"],
  query: "[(assignment) (pair)] @claim",
  check: (claim) => {
    const value = fieldOf(claim, claim.type === "pair" ? "value" : "right", "scope_resolution")
    if (!/^(::)?OpenSSL::SSL::VERIFY_NONE$/.test(value?.text ?? "")) return false
    // Switched off because the user asked for it by an option is the user's decision.
    const branch = enclosing(
      claim,
      ["if", "unless", "if_modifier", "unless_modifier", "conditional", "case"],
      ["method"]
    )
    return (
      branch === null ||
      !/verif|insecure|skip|tls|ssl|self_signed|no_check|cert/i.test(branch.childForFieldName("condition")?.text ?? "")
    )
  },
  inTests: false,
  examples: {
    bad: [
      "def client\n  http = Net::HTTP.new(host, 443)\n  http.verify_mode = OpenSSL::SSL::VERIFY_NONE\n  http\nend\n",
      "Net::HTTP.start(host, 443, use_ssl: true, verify_mode: OpenSSL::SSL::VERIFY_NONE) { |h| h.get(path) }\n",
      "OPTIONS = { ssl_verify_mode: OpenSSL::SSL::VERIFY_NONE }\n"
    ],
    good: [
      "def client(http)\n  http.verify_mode = OpenSSL::SSL::VERIFY_PEER\nend\n",
      "def client(http, options)\n  http.verify_mode = OpenSSL::SSL::VERIFY_NONE if options[:insecure]\nend\n",
      "def off?(mode)\n  mode == OpenSSL::SSL::VERIFY_NONE\nend\n"
    ]
  }
})

export const rubyRules: ReadonlyArray<SyntaxRule> = [
  rescueException,
  swallowed,
  shellCommand,
  builtSql,
  evaluated,
  assigned,
  returnInEnsure,
  doubledKey,
  permitAll,
  openRedirect,
  noVerify
]
