/** What dd knows about Elixir: immutable data, processes and what comes from outside. */

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
  within
} from "../languages/tree.ts"
import { nodeRules } from "./nodeRule.ts"

const elixir = nodeRules({ stack: "elixir", grammars: ["elixir"] })

/** Most rules ask it of every call. */
const names = new WeakMap<SyntaxNode, string>()

/** What a call calls, as written: `Enum.map`, `if`, `def`. */
const nameOf = (call: SyntaxNode): string => {
  const known = names.get(call)
  if (known !== undefined) return known
  const name = call.childForFieldName("target")?.text ?? ""
  names.set(call, name)
  return name
}

const operatorOf = (node: SyntaxNode): string => node.childForFieldName("operator")?.text ?? ""

const writtenArguments = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const list = childOf(call, "arguments")
  return list === null ? [] : parts(list)
}

/** A call's arguments as written, with what was piped into it in front. */
const argumentsOf = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const written = writtenArguments(call)
  const pipe = call.parent
  const isPiped =
    pipe?.type === "binary_operator" && operatorOf(pipe) === "|>" && pipe.childForFieldName("right")?.id === call.id
  const piped = isPiped ? pipe.childForFieldName("left") : null
  return piped === null ? written : [piped, ...written]
}

const callers = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const found: Array<SyntaxNode> = []
  for (let at = enclosing(node, ["call"]); at !== null; at = enclosing(at, ["call"])) found.push(at)
  return found
}

/** The definition a node stands in; null at the module's own level, where code runs while compiling. */
const definitionOf = (node: SyntaxNode): SyntaxNode | null =>
  callers(node).find((call) => ["def", "defp"].includes(nameOf(call))) ?? null

const inMacro = (node: SyntaxNode): boolean =>
  callers(node).some((call) => ["defmacro", "defmacrop", "quote"].includes(nameOf(call)))

const definedName = (definition: SyntaxNode): string => /^defp?\s+(\w+[?!]?)/.exec(definition.text)?.[1] ?? ""

const isTask = (path: string): boolean => /(^|\/)(mix\/|priv\/|config\/|mix\.exs$)|seeds/.test(path)

const controls = ["def", "defp", "if", "unless", "case", "cond", "try", "with", "for", "receive", "test"]
const clauses = ["else_block", "rescue_block", "after_block", "catch_block"]

/** The expressions that follow this one in its block; null when the node is no statement of code that runs. */
const following = (node: SyntaxNode): ReadonlyArray<SyntaxNode> | null => {
  const block = node.parent
  if (block === null) return null
  const owner = block.type === "do_block" ? block.parent : null
  if (block.type !== "body" && (owner === null || !controls.includes(nameOf(owner)))) return null
  return parts(block).filter((one) => one.startIndex > node.endIndex && !clauses.includes(one.type))
}

/** Is this expression's value thrown away, because another one follows it? */
const isDiscarded = (node: SyntaxNode): boolean => (following(node)?.length ?? 0) > 0

/** The whole pipeline a call ends; the call itself when it is in none. */
const pipelineOf = (call: SyntaxNode): SyntaxNode => {
  const pipe = call.parent
  const ends =
    pipe?.type === "binary_operator" && operatorOf(pipe) === "|>" && pipe.childForFieldName("right")?.id === call.id
  return ends ? pipe : call
}

/** Names a definition's head takes out of a map with text keys: request parameters and the like. */
const fromOutside = (definition: SyntaxNode): ReadonlyArray<string> => {
  const head = childOf(definition, "arguments")
  if (head === null) return []
  return within(head, ["binary_operator"])
    .filter((one) => operatorOf(one) === "=>" && one.childForFieldName("left")?.type === "string")
    .map((one) => one.childForFieldName("right"))
    .flatMap((value) => (value?.type === "identifier" ? [value.text] : []))
}

const comesFromOutside = (node: SyntaxNode): boolean => {
  const definition = definitionOf(node)
  if (definition === null) return false
  if (/\b(conn\.(query_|body_|path_)?params|params)(\[|\.\w|\b\s*,\s*")/.test(node.text)) return true
  // A clause in between may give the name to something else.
  const names = fromOutside(definition).filter((name) => !isRebound(node, name))
  return [node, ...node.descendantsOfType("identifier")].some(
    (word) => word.type === "identifier" && names.includes(word.text)
  )
}

const isRebound = (node: SyntaxNode, name: string): boolean => {
  for (let at = enclosing(node, ["stab_clause"]); at !== null; at = enclosing(at, ["stab_clause"])) {
    const head = at.childForFieldName("left")
    if (head?.descendantsOfType("identifier").some((word) => word.text === name)) return true
  }
  return false
}

const inputAtom = elixir({
  id: "elixir/atom-from-input",
  severity: "high",
  confidence: "HIGH",
  title: "An atom is made from input that comes from outside",
  why: "Atoms are never freed and their number is limited: a caller who sends new words again and again brings the whole VM down.",
  fix: "Use String.to_existing_atom/1, or map the allowed words to atoms.",
  reference: "https://hexdocs.pm/elixir/String.html#to_atom/1",
  keywords: ["to_atom", ':"', "keys: :atoms"],
  query: "[(call) (quoted_atom)] @claim",
  check: (claim) => {
    const makesAtom =
      claim.type === "call"
        ? /^(String\.to_atom|List\.to_atom|:erlang\.binary_to_atom)$/.test(nameOf(claim))
        : childOf(claim, "interpolation") !== null
    if (!makesAtom || inMacro(claim)) return false
    const source = claim.type === "call" ? argumentsOf(claim)[0] : claim
    return source !== undefined && comesFromOutside(source)
  },
  inTests: false,
  examples: {
    bad: [
      'defmodule A do\n  def index(conn, params) do\n    sort = String.to_atom(params["sort"])\n    render(conn, sort: sort)\n  end\nend\n',
      'defmodule A do\n  def handle_event("sort", %{"by" => by}, socket) do\n    {:noreply, assign(socket, by: String.to_atom(by))}\n  end\nend\n',
      'defmodule A do\n  def show(conn, _) do\n    role = conn.params["role"] |> String.to_atom()\n    render(conn, role: role)\n  end\nend\n',
      'defmodule A do\n  def show(conn, %{"tab" => tab}) do\n    render(conn, :"tab_#{tab}")\n  end\nend\n'
    ],
    good: [
      'defmodule A do\n  def index(conn, params) do\n    sort = String.to_existing_atom(params["sort"])\n    render(conn, sort: sort)\n  end\nend\n',
      "defmodule A do\n  def key(name), do: String.to_atom(name)\nend\n",
      'defmodule A do\n  def create(conn, %{"data" => data}) do\n    case validate(data) do\n      {:ok, data} -> String.to_atom(data.kind)\n    end\n  end\nend\n',
      'defmodule A do\n  @names Enum.map(["a", "b"], &String.to_atom/1)\nend\n',
      'defmodule A do\n  defmacro field(%{"name" => name}) do\n    String.to_atom(name)\n  end\nend\n'
    ]
  }
})

const jsonAtoms = elixir({
  id: "elixir/json-keys-to-atoms",
  severity: "medium",
  confidence: "MEDIUM",
  title: "Decoding JSON with atom keys makes an atom of every key it meets",
  why: "Atoms are never freed; a document with ever new keys fills the atom table until the VM stops.",
  fix: "Keep the keys as strings, or decode with keys: :atoms! when all of them exist already.",
  reference: "https://hexdocs.pm/jason/Jason.html#decode/2",
  keywords: ["keys: :atoms"],
  query: "(call) @claim",
  check: (claim, file) => {
    if (!/^(Jason|Poison)\.decode!?$/.test(nameOf(claim))) return false
    if (definitionOf(claim) === null || isTask(file.path)) return false
    const [source, ...options] = argumentsOf(claim)
    const asked = options.some((one) => /keys: :atoms(?![!\w])/.test(one.text))
    return asked && source !== undefined && !/File\.|priv_dir|app_dir|System\.(cmd|get_env)|"/.test(source.text)
  },
  inTests: false,
  examples: {
    bad: [
      "defmodule A do\n  def parse(body), do: Jason.decode!(body, keys: :atoms)\nend\n",
      "defmodule A do\n  def parse(resp) do\n    resp.body |> Jason.decode(keys: :atoms)\n  end\nend\n",
      "defmodule A do\n  def parse(text) do\n    with {:ok, data} <- Poison.decode(text, keys: :atoms), do: data\n  end\nend\n"
    ],
    good: [
      "defmodule A do\n  def parse(body), do: Jason.decode!(body)\nend\n",
      "defmodule A do\n  def parse(body), do: Jason.decode!(body, keys: :atoms!)\nend\n",
      'defmodule A do\n  def table, do: Jason.decode!(File.read!("priv/table.json"), keys: :atoms)\nend\n'
    ]
  }
})

const unsafeTerm = elixir({
  id: "elixir/unsafe-binary-to-term",
  severity: "medium",
  confidence: "MEDIUM",
  title: "binary_to_term without :safe builds whatever the bytes say",
  why: "Foreign bytes can hold new atoms, which are never freed, and functions that run when someone calls or enumerates them.",
  fix: "Pass [:safe], or Plug.Crypto.non_executable_binary_to_term/2 when the bytes are not yours.",
  reference: "CWE-502",
  keywords: ["binary_to_term"],
  query: "(call) @claim",
  check: (claim, file) => {
    if (nameOf(claim) !== ":erlang.binary_to_term" || definitionOf(claim) === null || isTask(file.path)) return false
    const [bytes, ...options] = argumentsOf(claim)
    // What this very code has written, to a file of its own for one, is no foreign input.
    if (bytes === undefined || options.length > 0 || /File\.read|term_to_binary/.test(bytes.text)) return false
    return !/term_to_binary/.test(rootOf(claim).text) || comesFromOutside(bytes)
  },
  inTests: false,
  examples: {
    bad: [
      "defmodule A do\n  def decode(cookie) do\n    cookie |> Base.decode64!() |> :erlang.binary_to_term()\n  end\nend\n",
      "defmodule A do\n  def receive_message(payload), do: :erlang.binary_to_term(payload)\nend\n",
      'defmodule A do\n  def show(conn, %{"state" => state}) do\n    state = :erlang.binary_to_term(state)\n    render(conn, state: state)\n  end\n\n  def dump(s), do: :erlang.term_to_binary(s)\nend\n'
    ],
    good: [
      "defmodule A do\n  def decode(cookie), do: :erlang.binary_to_term(cookie, [:safe])\nend\n",
      "defmodule A do\n  def decode(cookie), do: Plug.Crypto.non_executable_binary_to_term(cookie)\nend\n",
      "defmodule A do\n  def load(path), do: :erlang.binary_to_term(File.read!(path))\nend\n"
    ]
  }
})

const shellCommand = elixir({
  id: "elixir/shell-command-built",
  severity: "high",
  confidence: "HIGH",
  title: "A shell command line is put together from values",
  why: "Whatever the value holds is read by the shell: a semicolon or a backtick in it runs another command.",
  fix: "Call the program with System.cmd/3 and its arguments as a list.",
  reference: "CWE-78",
  keywords: ["System.cmd", "System.shell", ":os.cmd"],
  query: "(call) @claim",
  check: (claim) => {
    const name = nameOf(claim)
    if (!/^(System\.(cmd|shell)|:os\.cmd)$/.test(name)) return false
    const [program, list] = writtenArguments(claim)
    if (name === "System.cmd") {
      const isShell = /^"(\/(usr\/)?bin\/)?(ba|z|da)?sh"$/.test(program?.text ?? "")
      if (!isShell || list === undefined || !/^\[\s*"-\w*c"/.test(list.text)) return false
    }
    const line = name === "System.cmd" ? list : program
    return (
      line !== undefined &&
      within(line, ["interpolation"]).some(
        (one) => !/#\{(@|__DIR__|System\.pid|[\w.]*(port|pid)\}|inspect\()/.test(one.text)
      )
    )
  },
  inTests: false,
  examples: {
    bad: [
      'defmodule A do\n  def list(dir), do: System.cmd("sh", ["-c", "ls #{dir} | wc -l"])\nend\n',
      'defmodule A do\n  def ping(host) do\n    System.shell("ping -c1 #{host}")\n  end\nend\n',
      'defmodule A do\n  def kill(name) do\n    :os.cmd(~c"pkill #{name}")\n  end\nend\n'
    ],
    good: [
      'defmodule A do\n  def list(dir), do: System.cmd("ls", [dir])\nend\n',
      'defmodule A do\n  def run(script), do: System.cmd("sh", ["-c", script])\nend\n',
      'defmodule A do\n  def tag(v), do: System.cmd("git", ["tag", "v#{v}"])\nend\n',
      'defmodule A do\n  @dir "x"\n  def run, do: System.shell("ls #{@dir}")\nend\n'
    ]
  }
})

const builtSql = elixir({
  id: "elixir/sql-built-from-values",
  severity: "high",
  confidence: "HIGH",
  title: "A value is put into SQL text instead of being bound",
  why: "A quote in the value ends the string literal, and the rest is run as SQL.",
  fix: "Write $1 in the statement and pass the value in the list of parameters.",
  reference: "CWE-89",
  keywords: ["'#{", "'%#{"],
  query: "[(string) (sigil) (charlist)] @claim",
  check: (claim, file) => {
    const text = claim.text.replace(/^(~\w)?("""|"|'|\(|\[|\{|\|)/, "")
    if (!quotesIntoSql(text, /#\{(?!@)/) || childOf(claim, "interpolation") === null) return false
    return definitionOf(claim) !== null && !isTask(file.path)
  },
  inTests: false,
  examples: {
    bad: [
      "defmodule A do\n  def find(name) do\n    Repo.query(\"SELECT * FROM users WHERE name = '#{name}'\")\n  end\nend\n",
      'defmodule A do\n  def search(q) do\n    sql = """\n    select id from posts\n    where title like \'%#{q}%\'\n    """\n    Repo.query!(sql)\n  end\nend\n',
      "defmodule A do\n  def remove(id), do: Ecto.Adapters.SQL.query(Repo, \"delete from s where id = '#{id}'\", [])\nend\n"
    ],
    good: [
      'defmodule A do\n  def find(name), do: Repo.query("SELECT * FROM users WHERE name = $1", [name])\nend\n',
      'defmodule A do\n  def count(table), do: Repo.query("SELECT count(*) FROM #{table}")\nend\n',
      "defmodule A do\n  def complain(name), do: {:error, \"select another user than '#{name}'\"}\nend\n"
    ]
  }
})

const pure: Readonly<Record<string, string>> = {
  Map: "put|put_new|delete|merge|update|update!|drop|take|replace",
  Keyword: "put|put_new|delete|merge|update|drop|take|replace",
  MapSet: "put|delete|union|intersection|difference",
  List: "delete|delete_at|insert_at|replace_at|flatten|duplicate",
  String: "replace|trim|trim_leading|trim_trailing|upcase|downcase|capitalize|reverse|slice|split|pad_leading",
  Enum: "sort|sort_by|reverse|uniq|uniq_by|concat|take|drop|dedup|join|intersperse"
}
const pureCall = new RegExp(
  `^(${Object.entries(pure)
    .map(([module, names]) => `${module}\\.(${names})`)
    .join("|")})$`
)
const connCall =
  /^((Plug|Phoenix)\.[\w.]+\.)?(assign|assign_new|put_flash|put_status|put_session|delete_session|put_resp_header|put_resp_content_type|put_resp_cookie|put_layout|stream_insert|push_event)$/

const lostResult = elixir({
  id: "elixir/result-discarded",
  severity: "high",
  confidence: "HIGH",
  title: "The result is thrown away, so this line changes nothing",
  why: "Data is immutable: the function returns a changed copy and leaves its argument as it was.",
  fix: "Bind the result, or make the call part of the pipeline.",
  reference: "https://hexdocs.pm/elixir/basic-types.html",
  keywords: ["Map.", "Keyword.", "MapSet.", "List.", "String.", "Enum.", "conn", "socket"],
  query: "(call) @claim",
  check: (claim) => {
    const name = nameOf(claim)
    if (!(pureCall.test(name) || connCall.test(name)) || childOf(claim, "arguments") === null) return false
    const whole = pipelineOf(claim)
    if (!isDiscarded(whole) || inMacro(claim)) return false
    if (pureCall.test(name)) return true
    const first = /^(conn|socket)\b(?![.[(])/.exec(
      whole.text.startsWith(name) ? (argumentsOf(claim)[0]?.text ?? "") : whole.text
    )
    return first !== null
  },
  inTests: false,
  examples: {
    bad: [
      "defmodule A do\n  def add(state, k, v) do\n    Map.put(state, k, v)\n    {:ok, state}\n  end\nend\n",
      'defmodule A do\n  def show(conn, _) do\n    conn |> put_status(404)\n    render(conn, "404.html")\n  end\nend\n',
      "defmodule A do\n  def mount(_, _, socket) do\n    if connected?(socket) do\n      assign(socket, :live, true)\n      subscribe()\n    end\n\n    {:ok, socket}\n  end\nend\n",
      "defmodule A do\n  def clean(name) do\n    case name do\n      nil ->\n        nil\n\n      text ->\n        String.trim(text)\n        text\n    end\n  end\nend\n"
    ],
    good: [
      "defmodule A do\n  def add(state, k, v) do\n    state = Map.put(state, k, v)\n    {:ok, state}\n  end\nend\n",
      "defmodule A do\n  def add(state, k, v) do\n    log(k)\n    Map.put(state, k, v)\n  end\nend\n",
      "defmodule A do\n  def check(map) do\n    Map.fetch!(map, :id)\n    map\n  end\nend\n",
      "defmodule A do\n  def open(path) do\n    String.trim(path)\n  rescue\n    _ -> raise ArgumentError\n  end\nend\n",
      "defmodule A do\n  defmacro __using__(_) do\n    quote do\n      Map.put(%{}, :a, 1)\n      :ok\n    end\n  end\nend\n"
    ]
  }
})

const lostBinding = elixir({
  id: "elixir/binding-lost-in-block",
  severity: "high",
  confidence: "HIGH",
  title: "A variable bound inside this block keeps its old value after it",
  why: "A block has its own scope: binding the name again in it makes a new variable that ends with the block.",
  fix: "Bind the value of the whole expression: x = if ... do ... else x end, or use Enum.reduce.",
  reference: "https://hexdocs.pm/elixir/case-cond-and-if.html",
  keywords: ["if ", "unless ", "Enum.each", "for "],
  query: "(call) @claim",
  check: (claim) => {
    const name = nameOf(claim)
    if (!/^(if|unless|for|Enum\.each)$/.test(name)) return false
    const later = following(pipelineOf(claim))
    if (later === null || later.length === 0 || inMacro(claim)) return false
    for (const last of name === "Enum.each" ? endsOfFunction(claim) : endsOfBlock(claim)) {
      const left = last.type === "binary_operator" && operatorOf(last) === "=" ? last.childForFieldName("left") : null
      if (left?.type !== "identifier" || left.text.startsWith("_")) continue
      const used = later.some((one) =>
        [one, ...one.descendantsOfType("identifier")].some(
          (word) => word.type === "identifier" && word.text === left.text
        )
      )
      if (used) return linesOf(last)
    }
    return false
  },
  inTests: true,
  examples: {
    bad: [
      "defmodule A do\n  def f(opts, list) do\n    if opts[:sort] do\n      list = Enum.sort(list)\n    end\n\n    show(list)\n  end\nend\n",
      "defmodule A do\n  def total(items) do\n    sum = 0\n    Enum.each(items, fn item ->\n      sum = sum + item.price\n    end)\n    sum\n  end\nend\n",
      'defmodule A do\n  def label(user) do\n    text = ""\n    for role <- user.roles do\n      text = text <> role\n    end\n    {:ok, text}\n  end\nend\n'
    ],
    good: [
      "defmodule A do\n  def f(opts, list) do\n    list = if opts[:sort], do: Enum.sort(list), else: list\n    show(list)\n  end\nend\n",
      "defmodule A do\n  def f(opts) do\n    if opts[:log] do\n      text = inspect(opts)\n      log(text)\n    end\n\n    text = done(opts)\n    text\n  end\nend\n",
      "defmodule A do\n  def f(x) do\n    if x do\n      y = 1\n    end\n  end\nend\n",
      "defmodule A do\n  def total(items) do\n    Enum.reduce(items, 0, fn item, sum -> sum + item.price end)\n  end\nend\n"
    ]
  }
})

function endsOfBlock(call: SyntaxNode): ReadonlyArray<SyntaxNode> {
  const block = childOf(call, "do_block")
  if (block === null) return []
  const inner = parts(block)
  const other = inner.find((child) => child.type === "else_block")
  return [inner.filter((child) => !clauses.includes(child.type)).at(-1), other && parts(other).at(-1)].flatMap((one) =>
    one === undefined ? [] : [one]
  )
}

function endsOfFunction(call: SyntaxNode): ReadonlyArray<SyntaxNode> {
  const given = argumentsOf(call).at(-1)
  if (given?.type !== "anonymous_function") return []
  return parts(given).flatMap((clause) => {
    const body = clause.childForFieldName("right")
    const last = body === null ? undefined : parts(body).at(-1)
    return last === undefined ? [] : [last]
  })
}

const callbacks = ["init", "handle_call", "handle_cast", "handle_info", "handle_continue"]

/** The server callback that runs this node itself; null when a function literal stands between. */
const callbackOf = (node: SyntaxNode): string | null => {
  if (enclosing(node, ["anonymous_function"]) !== null || !/use GenServer\b/.test(rootOf(node).text)) return null
  const definition = definitionOf(node)
  const name = definition === null ? "" : definedName(definition)
  return callbacks.includes(name) ? name : null
}

const callsSelf = elixir({
  id: "elixir/server-calls-itself",
  severity: "high",
  confidence: "HIGH",
  title: "A server that calls itself waits for its own answer",
  why: "The process cannot answer while it handles this message, so the call times out and takes the server down.",
  fix: "Call the function that does the work directly, or use GenServer.cast or handle_continue.",
  reference: "https://hexdocs.pm/elixir/GenServer.html#call/3",
  keywords: ["GenServer.call"],
  query: "(call) @claim",
  check: (claim) => {
    const server = nameOf(claim) === "GenServer.call" ? writtenArguments(claim)[0]?.text : undefined
    if (server === "self()") return true
    return server === "__MODULE__" && callbackOf(claim) !== null && /name: __MODULE__/.test(rootOf(claim).text)
  },
  inTests: false,
  examples: {
    bad: [
      "defmodule A do\n  def refresh, do: GenServer.call(self(), :refresh)\nend\n",
      "defmodule A do\n  use GenServer\n  def start_link(_), do: GenServer.start_link(__MODULE__, [], name: __MODULE__)\n\n  def handle_info(:tick, state) do\n    GenServer.call(__MODULE__, :flush)\n    {:noreply, state}\n  end\nend\n",
      "defmodule A do\n  use GenServer\n\n  def handle_call(:a, _from, s) do\n    n = GenServer.call(self(), :b)\n    {:reply, n, s}\n  end\nend\n"
    ],
    good: [
      "defmodule A do\n  use GenServer\n  def start_link(_), do: GenServer.start_link(__MODULE__, [], name: __MODULE__)\n  def flush, do: GenServer.call(__MODULE__, :flush)\nend\n",
      "defmodule A do\n  use GenServer\n\n  def handle_info(:tick, state) do\n    GenServer.cast(self(), :flush)\n    {:noreply, state}\n  end\nend\n",
      "defmodule A do\n  use GenServer\n  def start_link(_), do: GenServer.start_link(__MODULE__, [], name: __MODULE__)\n\n  def handle_info(:tick, s) do\n    Task.start(fn -> GenServer.call(__MODULE__, :flush) end)\n    {:noreply, s}\n  end\nend\n"
    ]
  }
})

const sleepingServer = elixir({
  id: "elixir/server-sleeps",
  severity: "medium",
  confidence: "HIGH",
  title: "The server sleeps in a callback and answers nobody meanwhile",
  why: "A process handles one message at a time: callers pile up behind the sleep and time out.",
  fix: "Use Process.send_after/3 and go on in handle_info.",
  reference: "https://hexdocs.pm/elixir/Process.html#sleep/1",
  keywords: ["Process.sleep", ":timer.sleep"],
  query: "(call) @claim",
  check: (claim) => /^(Process|:timer)\.sleep$/.test(nameOf(claim)) && callbackOf(claim) !== null,
  inTests: false,
  examples: {
    bad: [
      "defmodule A do\n  use GenServer\n\n  def handle_info(:poll, state) do\n    Process.sleep(1000)\n    {:noreply, poll(state)}\n  end\nend\n",
      "defmodule A do\n  use GenServer\n\n  def handle_call(:get, _from, state) do\n    :timer.sleep(state.delay)\n    {:reply, state, state}\n  end\nend\n",
      "defmodule A do\n  use GenServer\n\n  def init(arg) do\n    if arg.wait, do: Process.sleep(100)\n    {:ok, arg}\n  end\nend\n"
    ],
    good: [
      "defmodule A do\n  use GenServer\n\n  def handle_info(:poll, state) do\n    Process.send_after(self(), :poll, 1000)\n    {:noreply, poll(state)}\n  end\nend\n",
      "defmodule A do\n  use GenServer\n\n  def handle_info(:poll, state) do\n    Task.start(fn -> Process.sleep(1000) end)\n    {:noreply, state}\n  end\nend\n",
      "defmodule A do\n  def retry(fun) do\n    Process.sleep(100)\n    fun.()\n  end\nend\n"
    ]
  }
})

const selfInTask = elixir({
  id: "elixir/self-in-spawned-function",
  severity: "high",
  confidence: "HIGH",
  title: "self() in a spawned function is the new process, not the one that spawned",
  why: "The message is sent to the process that sends it and is lost when that one ends; the waiting process never gets it.",
  fix: "Bind parent = self() before spawning and send to parent.",
  reference: "https://hexdocs.pm/elixir/processes.html",
  keywords: ["self()"],
  query: "(call) @claim",
  check: (claim) => {
    const receiver = nameOf(claim) === "send" ? writtenArguments(claim)[0] : undefined
    if (receiver?.type !== "call" || nameOf(receiver) !== "self") return false
    const literal = enclosing(claim, ["anonymous_function"])
    const call = literal === null ? null : enclosing(literal, ["call"])
    if (literal === null || call === null || /\breceive\b|GenServer\.enter_loop/.test(literal.text)) return false
    return /^(spawn|spawn_link|spawn_monitor|Task\.(async|start|start_link)|Task\.Supervisor\.(async|async_nolink|start_child))$/.test(
      nameOf(call)
    )
  },
  inTests: true,
  examples: {
    bad: [
      "defmodule A do\n  def load(id) do\n    Task.start(fn ->\n      send(self(), {:loaded, fetch(id)})\n    end)\n  end\nend\n",
      "defmodule A do\n  def run do\n    spawn(fn -> send(self(), :done) end)\n\n    receive do\n      :done -> :ok\n    end\n  end\nend\n",
      "defmodule A do\n  def go(s) do\n    Task.Supervisor.start_child(s, fn ->\n      result = work()\n      send(self(), result)\n    end)\n  end\nend\n"
    ],
    good: [
      "defmodule A do\n  def load(id) do\n    parent = self()\n    Task.start(fn -> send(parent, {:loaded, fetch(id)}) end)\n  end\nend\n",
      "defmodule A do\n  def tick, do: send(self(), :tick)\nend\n",
      "defmodule A do\n  def each(list) do\n    Enum.each(list, fn x -> send(self(), x) end)\n  end\nend\n"
    ]
  }
})

/** A handler for `{ref, answer}`, as OTP sends it. */
const takesReplies = /\bhandle_(info|event)\([^\n]*\{\s*(_?\w*ref|_)\s*,|is_reference\(/

const lostTask = elixir({
  id: "elixir/task-never-awaited",
  severity: "medium",
  confidence: "HIGH",
  title: "The task is started with async and nobody can await it",
  why: "Its answer stays in the mailbox for good, and because it is linked a crash in it takes the caller down.",
  fix: "Keep the task and await it, or use Task.start or Task.Supervisor.start_child.",
  reference: "https://hexdocs.pm/elixir/Task.html#async/1",
  keywords: ["Task."],
  query: "(call) @claim",
  check: (claim) => {
    if (!/^Task\.(Supervisor\.)?async$/.test(nameOf(claim)) || inMacro(claim)) return false
    // handle_info may take the answer as a message of its own.
    return isDiscarded(pipelineOf(claim)) && !takesReplies.test(rootOf(claim).text) && beginningOf(claim)
  },
  inTests: false,
  examples: {
    bad: [
      "defmodule A do\n  def create(attrs) do\n    user = insert(attrs)\n    Task.async(fn -> mail(user) end)\n    {:ok, user}\n  end\nend\n",
      "defmodule A do\n  def ping(s, host) do\n    Task.Supervisor.async(s, fn -> connect(host) end)\n    :ok\n  end\nend\n",
      "defmodule A do\n  def log(x) do\n    if x do\n      Task.async(Logger, :info, [x])\n      x\n    end\n  end\nend\n"
    ],
    good: [
      "defmodule A do\n  def both do\n    task = Task.async(fn -> one() end)\n    two()\n    Task.await(task)\n  end\nend\n",
      "defmodule A do\n  def create(attrs) do\n    user = insert(attrs)\n    Task.start(fn -> mail(user) end)\n    {:ok, user}\n  end\nend\n",
      "defmodule A do\n  def handle_event(:internal, :fetch, _, data) do\n    Task.async(fn -> fetch(data) end)\n    :keep_state_and_data\n  end\n\n  def handle_event(:info, {ref, answer}, _, data) when is_reference(ref), do: take(answer, data)\nend\n",
      "defmodule A do\n  def start(x) do\n    log(x)\n    Task.async(fn -> work(x) end)\n  end\nend\n"
    ]
  }
})

const lostTrace = elixir({
  id: "elixir/stacktrace-lost",
  severity: "low",
  confidence: "HIGH",
  title: "Raising the rescued error again forgets where it came from",
  why: "raise starts a new stack trace here, so the log points at this line and not at the one that failed.",
  fix: "reraise error, __STACKTRACE__",
  reference: "https://hexdocs.pm/elixir/Kernel.html#reraise/2",
  keywords: ["rescue"],
  query: "(call) @claim",
  check: (claim) => {
    const [error, ...others] = nameOf(claim) === "raise" ? writtenArguments(claim) : []
    if (error?.type !== "identifier" || others.length > 0) return false
    const clause = claim.parent?.type === "body" ? claim.parent.parent : null
    if (clause?.type !== "stab_clause" || clause.parent?.type !== "rescue_block") return false
    return new RegExp(`^${error.text}\\b`).test(clause.childForFieldName("left")?.text ?? "")
  },
  inTests: false,
  examples: {
    bad: [
      "defmodule A do\n  def f do\n    work()\n  rescue\n    e ->\n      log(e)\n      raise e\n  end\nend\n",
      "defmodule A do\n  def f do\n    try do\n      work()\n    rescue\n      error in RuntimeError -> raise error\n    end\n  end\nend\n",
      "defmodule A do\n  def f do\n    work()\n  rescue\n    e in [A, B] ->\n      count()\n      raise(e)\n  end\nend\n"
    ],
    good: [
      "defmodule A do\n  def f do\n    work()\n  rescue\n    e -> reraise e, __STACKTRACE__\n  end\nend\n",
      'defmodule A do\n  def f do\n    work()\n  rescue\n    _ -> raise "work failed"\n  end\nend\n',
      "defmodule A do\n  def f(e), do: raise e\nend\n"
    ]
  }
})

const swallowed = elixir({
  id: "elixir/rescue-reports-success",
  severity: "medium",
  confidence: "HIGH",
  title: "Every error is rescued and reported as success",
  why: "A misspelt function or a broken connection ends in :ok like a run that worked, and nobody sees it.",
  fix: "Name the errors that are expected, and log the others or let them crash.",
  reference: "https://hexdocs.pm/elixir/try-catch-and-rescue.html",
  keywords: ["rescue"],
  query: "(stab_clause) @claim",
  check: (claim, file) => {
    const around = claim.parent
    if (around?.type !== "rescue_block" || parts(around).length > 1 || hasComment(around)) return false
    const head = fieldOf(claim, "left", "arguments")
    const [rescued, ...others] = head === null ? [] : parts(head)
    if (rescued?.type !== "identifier" || !rescued.text.startsWith("_") || others.length > 0) return false
    const body = fieldOf(claim, "right", "body")
    const block = around.parent
    if (body === null || hasComment(body) || block === null || isTask(file.path)) return false
    // One call in the block is a question asked by trying; its failures are one kind.
    const tried = parts(block).filter((child) => !clauses.includes(child.type))
    return tried.length > 1 && /^(:ok|\{:ok, (nil|:\w+|\[\]|%\{\})\})$/.test(body.text.trim())
  },
  inTests: false,
  examples: {
    bad: [
      "defmodule A do\n  def sync(user) do\n    profile = fetch(user)\n    save(profile)\n  rescue\n    _ -> :ok\n  end\nend\n",
      "defmodule A do\n  def price(item) do\n    rate = Rates.current()\n    store(item, rate)\n  rescue\n    _e -> {:ok, nil}\n  end\nend\n",
      "defmodule A do\n  def all(x) do\n    try do\n      list = load(x)\n      Enum.each(list, &send_mail/1)\n    rescue\n      _error -> :ok\n    end\n  end\nend\n"
    ],
    good: [
      "defmodule A do\n  def sync(user) do\n    profile = fetch(user)\n    save(profile)\n  rescue\n    e in HTTPError -> {:error, e}\n  end\nend\n",
      "defmodule A do\n  def read(bytes) do\n    <<n, rest::binary>> = bytes\n    decode(n, rest)\n  rescue\n    _ -> nil\n  end\nend\n",
      "defmodule A do\n  def stop(pid) do\n    GenServer.stop(pid)\n  rescue\n    _ -> :ok\n  end\nend\n",
      "defmodule A do\n  def sync(user) do\n    profile = fetch(user)\n    save(profile)\n  rescue\n    # the next run tries again\n    _ -> :ok\n  end\nend\n"
    ]
  }
})

const queryInLoop = elixir({
  id: "elixir/query-in-loop",
  severity: "medium",
  confidence: "MEDIUM",
  title: "One query is sent for every element",
  why: "The time grows with the list, because each round waits for the database once more.",
  fix: "Load all rows at once with a where ... in ^ids, or preload the association before the loop.",
  reference: "https://hexdocs.pm/ecto/Ecto.Query.html#preload/3",
  keywords: ["Repo."],
  query: "(call) @claim",
  check: (claim, file) => {
    if (!/(^|\.)Repo\.(get|get_by|one|all|preload|exists\?)!?$/.test(nameOf(claim)) || isTask(file.path)) return false
    if (inMacro(claim) || definitionOf(claim) === null) return false
    const literal = enclosing(claim, ["anonymous_function"])
    const call = literal === null ? null : enclosing(literal, ["call"])
    const loop = /^Enum\.(map|each|flat_map|filter|reject|reduce|map_reduce|any\?|all\?|find|group_by|sort_by)$/
    if (literal !== null && call !== null && loop.test(nameOf(call)) && /\bfn\b/.test(literal.text)) {
      const source = argumentsOf(call)[0]
      return source !== undefined && !["list", "sigil"].includes(source.type)
    }
    return false
  },
  inTests: false,
  examples: {
    bad: [
      "defmodule A do\n  def authors(posts) do\n    Enum.map(posts, fn post -> Repo.get(User, post.user_id) end)\n  end\nend\n",
      "defmodule A do\n  def notify(ids) do\n    ids\n    |> Enum.each(fn id ->\n      user = MyApp.Repo.get!(User, id)\n      mail(user)\n    end)\n  end\nend\n",
      "defmodule A do\n  def with_comments(posts) do\n    Enum.map(posts, fn p -> Repo.preload(p, :comments) end)\n  end\nend\n"
    ],
    good: [
      "defmodule A do\n  def authors(ids), do: Repo.all(from u in User, where: u.id in ^ids)\nend\n",
      "defmodule A do\n  def names do\n    User |> Repo.all() |> Enum.map(fn u -> u.name end)\n  end\nend\n",
      "defmodule A do\n  def run(id) do\n    Repo.transaction(fn -> Repo.get!(User, id) end)\n  end\nend\n"
    ]
  }
})

const openRedirect = elixir({
  id: "elixir/redirect-to-input",
  severity: "high",
  confidence: "HIGH",
  title: "The browser is redirected to an address from the request",
  why: "A link to this site can send its visitor anywhere, to a copy of the login page for one.",
  fix: "Redirect to a path of your own (to:), or check the host against a list.",
  reference: "CWE-601",
  keywords: ["external:"],
  query: "(call) @claim",
  check: (claim) => {
    if (nameOf(claim) !== "redirect") return false
    const pair = claim.descendantsOfType("pair").find((one) => /^external:/.test(one.text))
    const value = pair?.childForFieldName("value") ?? null
    return value !== null && ["identifier", "access_call"].includes(value.type) && comesFromOutside(value)
  },
  inTests: false,
  examples: {
    bad: [
      'defmodule A do\n  def back(conn, params) do\n    redirect(conn, external: params["to"])\n  end\nend\n',
      'defmodule A do\n  def back(conn, %{"return_to" => url}) do\n    conn |> put_flash(:info, "ok") |> redirect(external: url)\n  end\nend\n',
      'defmodule A do\n  def back(conn, _) do\n    redirect(conn, external: conn.params["next"])\n  end\nend\n'
    ],
    good: [
      'defmodule A do\n  def back(conn, %{"return_to" => url}) do\n    redirect(conn, external: safe_url(url))\n  end\nend\n',
      "defmodule A do\n  def out(conn, _), do: redirect(conn, external: @docs)\nend\n",
      'defmodule A do\n  def back(conn, params), do: redirect(conn, to: params["path"])\nend\n'
    ]
  }
})

export const elixirRules: ReadonlyArray<SyntaxRule> = [
  inputAtom,
  jsonAtoms,
  unsafeTerm,
  shellCommand,
  builtSql,
  lostResult,
  lostBinding,
  callsSelf,
  sleepingServer,
  selfInTask,
  lostTask,
  lostTrace,
  swallowed,
  queryInLoop,
  openRedirect
]
