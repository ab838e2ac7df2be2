/** What dd knows about Rust: defects the compiler lets through. */

import type { SyntaxNode } from "../domain/code/Syntax.ts"
import { linesOf, type SyntaxRule } from "../domain/finding/Rule.ts"
import {
  after,
  childOf,
  enclosing,
  fieldOf,
  isComment,
  parts,
  quotesIntoSql,
  rootOf,
  squeezed,
  within
} from "../languages/tree.ts"
import { nodeRules } from "./nodeRule.ts"

const rust = nodeRules({ stack: "rust", grammars: ["rust"] })

const callables = ["function_item", "closure_expression", "async_block"]

const argumentsOf = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const list = call.childForFieldName("arguments")
  return list === null ? [] : parts(list)
}

/** Is the node under `#[test]` or `#[cfg(test)]`? */
const inTestCode = (node: SyntaxNode): boolean => {
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
    for (let mark = at.previousNamedSibling; mark !== null; mark = mark.previousNamedSibling) {
      if (isComment(mark)) continue
      if (mark.type !== "attribute_item") break
      if (/\btest\b/.test(mark.text)) return true
    }
  }
  return false
}

/** The async function or block that runs this node itself, not a closure in it. */
const asyncOwner = (node: SyntaxNode): SyntaxNode | null => {
  const owner = enclosing(node, callables)
  if (owner === null) return null
  if (owner.type === "async_block") return owner
  const modifiers = owner.namedChildren.find((child) => child.type === "function_modifiers")
  const isAsync = /\basync\b/.test(modifiers?.text ?? "") || /^async\b/.test(owner.text)
  return isAsync ? owner : null
}

/** `x` of a call `x.name()` without arguments. */
const receiverOf = (call: SyntaxNode, name: string): SyntaxNode | null => {
  const target = call.childForFieldName("function")
  if (call.type !== "call_expression" || target?.type !== "field_expression") return null
  const list = call.childForFieldName("arguments")
  if (target.childForFieldName("field")?.text !== name || list === null || parts(list).length > 0) return null
  return target.childForFieldName("value")
}

/** The mutex of `m.lock().unwrap()`, `m.lock().expect("...")`, `m.lock()?` or `m.lock().await`; null for anything else. */
const lockedBy = (value: SyntaxNode): SyntaxNode | null => {
  const plain = receiverOf(value, "lock")
  if (plain !== null) return plain
  if (value.type === "await_expression" || value.type === "try_expression") {
    const inner = parts(value)[0]
    return inner === undefined ? null : lockedBy(inner)
  }
  const target = value.childForFieldName("function")
  if (value.type !== "call_expression" || target?.type !== "field_expression") return null
  const inner = target.childForFieldName("value")
  const name = target.childForFieldName("field")?.text
  return inner !== null && (name === "unwrap" || name === "expect") ? receiverOf(inner, "lock") : null
}

/** Do calls of `lock` on it exclude each other? Standard streams lock again for their own thread. */
const excludes = (mutex: SyntaxNode): boolean =>
  !/\(|\b_?(stdout|stderr|stdin|out|err|wtr|writer)\b/.test(mutex.text) && !/ReentrantMutex/.test(rootOf(mutex).text)

const locksIn = (node: SyntaxNode, mutex: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  within(node, ["call_expression"], ["closure_expression", "async_block"]).filter((call) => {
    const receiver = receiverOf(call, "lock")
    return receiver !== null && squeezed(receiver) === squeezed(mutex)
  })

const drops = (node: SyntaxNode, name: string): boolean =>
  node
    .descendantsOfType("call_expression")
    .some((call) => new RegExp(`^((std::)?mem::)?drop\\(\\s*${name}\\s*\\)$`).test(call.text))

/** In an item that is compiled for some platforms only. */
const isOfPlatform = (node: SyntaxNode): boolean => {
  const item = enclosing(node, ["function_item"])
  for (let mark = item?.previousNamedSibling ?? null; mark !== null; mark = mark.previousNamedSibling) {
    if (isComment(mark)) continue
    if (mark.type !== "attribute_item") return false
    if (/^#\[cfg\(.*\b(target_os|target_arch|target_family|windows|unix)\b/.test(mark.text)) return true
  }
  return false
}

const unfinished = rust({
  id: "rust/unfinished-code",
  severity: "medium",
  confidence: "HIGH",
  title: "Code that is not written yet panics when it is reached",
  why: "todo!() and a bare unimplemented!() compile as any type, so nothing but a crash at run time tells that the work is missing.",
  fix: "Write it, or return an error the caller can handle.",
  reference: "https://doc.rust-lang.org/std/macro.todo.html",
  keywords: ["todo!", "unimplemented!"],
  query: "(macro_invocation) @claim",
  check: (claim, file) => {
    if (!/^(todo|unimplemented)$/.test(claim.childForFieldName("macro")?.text ?? "")) return false
    if (inTestCode(claim) || /(^|\/)tests?\.rs$/.test(file.path)) return false
    // With a reason, unimplemented! says "never supported" rather than "not yet".
    // So it often does in the implementation of a trait that asks for more than the type can do.
    // For a platform that is none of the supported ones.
    if (/(^|\/)(fallback|stub|unsupported)\.rs$/.test(file.path) || isOfPlatform(claim)) return false
    const isBare =
      /^unimplemented!\s*\(\s*\)$/.test(claim.text) &&
      !/(^|\/)(windows|macos|linux|unix|android|ios|wasm)\.rs$/.test(file.path)
    const asked = enclosing(claim, ["impl_item"])?.childForFieldName("trait") ?? null
    return !claim.text.startsWith("unimplemented") || (isBare && asked === null)
  },
  inTests: false,
  examples: {
    bad: [
      "fn area(shape: &Shape) -> f64 {\n    match shape {\n        Shape::Circle(r) => r * r,\n        Shape::Square(_) => todo!(),\n    }\n}\n",
      'pub async fn refund(id: u64) -> Result<(), Error> {\n    todo!("ask billing")\n}\n',
      "impl Disk {\n    pub fn remove(&mut self, _key: &str) {\n        unimplemented!()\n    }\n}\n"
    ],
    good: [
      'fn area(shape: &Shape) -> f64 {\n    unreachable!("shapes are checked by the parser")\n}\n',
      "#[cfg(test)]\nmod tests {\n    struct Fake;\n    impl Store for Fake {\n        fn remove(&mut self) {\n            unimplemented!()\n        }\n    }\n}\n",
      'impl Store for Log {\n    fn remove(&mut self, _key: &str) {\n        unimplemented!("a log only grows")\n    }\n}\n',
      "impl Store for Log {\n    fn remove(&mut self, _key: &str) {\n        unimplemented!()\n    }\n}\n",
      '#[cfg(target_os = "windows")]\nfn resolve(_: &str) -> Vec<u8> {\n    unimplemented!()\n}\n',
      "#[test]\nfn later() {\n    todo!()\n}\n"
    ]
  }
})

const guardDropped = rust({
  id: "rust/guard-dropped-at-once",
  severity: "high",
  confidence: "HIGH",
  title: "The guard is dropped in the same statement, so nothing is locked",
  why: "A pattern of a single underscore does not bind: the guard is dropped at once and the code below runs unprotected.",
  fix: "Bind it to a name: let _guard = ...",
  reference: "https://doc.rust-lang.org/reference/destructors.html#scopes-of-local-variables",
  keywords: ["let _"],
  query: "(let_declaration) @claim",
  check: (claim) => {
    const value = claim.childForFieldName("value")
    if (value === null || !/^let\s+_\s*(:[^=]*)?=/.test(claim.text)) return false
    if (inTestCode(claim)) return false
    if (lockedBy(value) !== null) return true
    const call = /\.(read|write)\(\)\s*(\.unwrap\(\)|\.expect\([^()]*\)|\.await)$/.test(value.text)
    return call || /^([\w.]*span|[\w:]*span!\([^()]*\))\.(enter|entered)\(\)$/.test(value.text)
  },
  inTests: false,
  examples: {
    bad: [
      "fn add(&self, n: u32) {\n    let _ = self.mutex.lock().unwrap();\n    self.write(n);\n}\n",
      "async fn add(&self, n: u32) {\n    let _ = self.gate.lock().await;\n    self.write(n).await;\n}\n",
      'fn serve(&self) {\n    let _ = self.table.write().expect("poisoned");\n    self.rebuild();\n}\n',
      "fn work(&self) {\n    let _ = self.span.enter();\n    step();\n}\n"
    ],
    good: [
      "fn add(&self, n: u32) {\n    let _guard = self.mutex.lock().unwrap();\n    self.write(n);\n}\n",
      "fn send(&self) {\n    let _ = self.tx.send(1);\n}\n",
      "fn fill(&mut self, buffer: &mut [u8]) {\n    let _ = self.file.read(buffer).unwrap();\n}\n",
      "fn take(&self) {\n    let _ = self.mutex.lock().unwrap().pop();\n}\n"
    ]
  }
})

const guardAcrossAwait = rust({
  id: "rust/guard-held-across-await",
  severity: "high",
  confidence: "HIGH",
  title: "A blocking lock is held while the task waits",
  why: "While this task is suspended every other task that wants the lock blocks its whole thread; enough of them stop the executor.",
  fix: "End the guard's scope before the await, or use the runtime's own asynchronous mutex.",
  reference: "https://docs.rs/tokio/latest/tokio/sync/struct.Mutex.html",
  keywords: [".lock()"],
  query: "(let_declaration) @claim",
  check: (claim) => {
    const name = fieldOf(claim, "pattern", "identifier")?.text
    const value = fieldOf(claim, "value", "call_expression")
    if (name === undefined || value === null) return false
    if (!/\.lock\(\)\s*\.(unwrap|expect)\(/.test(value.text) || lockedBy(value) === null) return false
    if (asyncOwner(claim) === null) return false
    for (let at = after(claim); at !== null; at = after(at)) {
      if (drops(at, name)) return false
      const waits = at.type === "await_expression" || within(at, ["await_expression"], callables).length > 0
      // Handing the guard on, to a condition variable for one, ends what can be said here.
      if (new RegExp(`[(,]\\s*${name}\\s*[,)]`).test(at.text)) return false
      if (waits) return true
    }
    return false
  },
  inTests: false,
  examples: {
    bad: [
      "async fn save(&self) {\n    let state = self.state.lock().unwrap();\n    write(state.bytes()).await;\n}\n",
      'async fn tick(shared: Arc<Mutex<u32>>) -> Result<(), Error> {\n    let mut n = shared.lock().expect("poisoned");\n    *n += 1;\n    if *n > 3 {\n        notify().await?;\n    }\n    Ok(())\n}\n',
      "fn start(m: Arc<Mutex<Vec<u8>>>) {\n    spawn_local(async move {\n        let data = m.lock().unwrap();\n        send(&data).await;\n    });\n}\n"
    ],
    good: [
      "async fn save(&self) {\n    let bytes = self.state.lock().unwrap().bytes();\n    write(bytes).await;\n}\n",
      "async fn save(&self) {\n    let state = self.state.lock().await;\n    write(state.bytes()).await;\n}\n",
      "async fn save(&self) {\n    let state = self.state.lock().unwrap();\n    let bytes = state.bytes();\n    drop(state);\n    write(bytes).await;\n}\n",
      "async fn save(&self) {\n    {\n        let mut state = self.state.lock().unwrap();\n        state.dirty = false;\n    }\n    flush().await;\n}\n"
    ]
  }
})

const lockedTwice = rust({
  id: "rust/locked-twice",
  severity: "high",
  confidence: "HIGH",
  title: "The same mutex is locked again while its guard is still alive",
  why: "A guard made in the head of if let, while let or match lives until the end of the body; the second lock waits for it forever.",
  fix: "Take the value out into a let of its own first, so that the guard is dropped before the body.",
  reference: "https://doc.rust-lang.org/reference/destructors.html#temporary-scopes",
  keywords: [".lock()"],
  query: "[(if_expression) (while_expression) (match_expression)] @claim",
  check: (claim) => {
    const test = claim.type === "match_expression" ? claim : fieldOf(claim, "condition", "let_condition")
    const head = test?.childForFieldName("value") ?? null
    const body = claim.childForFieldName(claim.type === "if_expression" ? "consequence" : "body")
    if (head === null || body === null || head.type === "block") return false
    const calls = [head, ...within(head, ["call_expression"], ["closure_expression", "async_block", "block"])]
    for (const call of calls) {
      const mutex = receiverOf(call, "lock")
      if (mutex === null || !excludes(mutex)) continue
      const again = locksIn(body, mutex)[0]
      // `match m.lock() { Ok(guard) => ..., Err(e) => ... }` and early copies keep the guard as well, a drop ends it.
      if (again !== undefined && !/\bdrop\(/.test(body.text)) return linesOf(again)
    }
    return false
  },
  inTests: false,
  examples: {
    bad: [
      "fn next(&self) {\n    if let Some(job) = self.queue.lock().unwrap().pop() {\n        self.queue.lock().unwrap().push(job.next());\n    }\n}\n",
      "fn drain(q: &Mutex<Vec<Job>>) {\n    while let Some(job) = q.lock().unwrap().pop() {\n        if job.again {\n            q.lock().unwrap().push(job);\n        }\n    }\n}\n",
      "async fn get(&self, k: &str) -> u32 {\n    match self.cache.lock().await.get(k).copied() {\n        Some(v) => v,\n        None => {\n            let v = load(k).await;\n            self.cache.lock().await.insert(k.into(), v);\n            v\n        }\n    }\n}\n"
    ],
    good: [
      "fn next(&self) {\n    let job = self.queue.lock().unwrap().pop();\n    if let Some(job) = job {\n        self.queue.lock().unwrap().push(job.next());\n    }\n}\n",
      "fn next(&self) {\n    if let Some(job) = self.queue.lock().unwrap().pop() {\n        self.done.lock().unwrap().push(job);\n    }\n}\n",
      "fn next(&self) {\n    if let Some(job) = self.queue.lock().unwrap().pop() {\n        spawn(move || queue.lock().unwrap().push(job));\n    }\n}\n",
      "fn count(&self) {\n    if self.queue.lock().unwrap().is_empty() {\n        self.queue.lock().unwrap().push(1);\n    }\n}\n"
    ]
  }
})

const sleepInAsync = rust({
  id: "rust/thread-sleep-in-async",
  severity: "medium",
  confidence: "HIGH",
  title: "thread::sleep in async code stops the whole worker thread",
  why: "All other tasks on that thread stand still for the time, timers and connections included.",
  fix: "Await the runtime's own sleep.",
  reference: "https://docs.rs/tokio/latest/tokio/time/fn.sleep.html",
  keywords: ["thread::sleep"],
  query: "(call_expression) @claim",
  check: (claim) => {
    if (!/^((::)?std::)?thread::sleep$/.test(claim.childForFieldName("function")?.text ?? "")) return false
    return asyncOwner(claim) !== null && !inTestCode(claim)
  },
  inTests: false,
  examples: {
    bad: [
      "async fn retry() {\n    std::thread::sleep(Duration::from_secs(1));\n    call().await;\n}\n",
      "pub(crate) async fn poll(n: u32) {\n    for _ in 0..n {\n        thread::sleep(PAUSE);\n    }\n}\n",
      "fn start() {\n    tokio::spawn(async move {\n        loop {\n            std::thread::sleep(PAUSE);\n        }\n    });\n}\n"
    ],
    good: [
      "async fn retry() {\n    tokio::time::sleep(Duration::from_secs(1)).await;\n}\n",
      "fn retry() {\n    std::thread::sleep(Duration::from_secs(1));\n}\n",
      "async fn heavy() {\n    tokio::task::spawn_blocking(|| {\n        std::thread::sleep(PAUSE);\n    })\n    .await;\n}\n"
    ]
  }
})

const blockingInAsync = rust({
  id: "rust/runtime-blocked-in-async",
  severity: "high",
  confidence: "HIGH",
  title: "Async code starts a blocking runtime inside the runtime",
  why: "Tokio panics when one of its own threads blocks on a runtime, and any other executor's thread stands still with all its tasks.",
  fix: "Await the future, use the client's asynchronous form, or move the call into spawn_blocking.",
  reference: "https://docs.rs/tokio/latest/tokio/runtime/struct.Runtime.html#method.block_on",
  keywords: ["block_on", "reqwest::blocking"],
  query: "(call_expression) @claim",
  check: (claim) => {
    const called = fieldOf(claim, "function", "field_expression", "scoped_identifier")
    const name = called?.type === "field_expression" ? called.childForFieldName("field") : called
    if (!/^(block_on|reqwest::blocking::\w+(::\w+)?)$/.test(name?.text ?? "")) return false
    return asyncOwner(claim) !== null && !inTestCode(claim)
  },
  inTests: false,
  examples: {
    bad: [
      "async fn load(rt: &Runtime) -> u32 {\n    rt.block_on(fetch())\n}\n",
      "async fn page(url: &str) -> Result<String, Error> {\n    Ok(reqwest::blocking::get(url)?.text()?)\n}\n",
      "fn start() {\n    tokio::spawn(async move {\n        Handle::current().block_on(work());\n    });\n}\n"
    ],
    good: [
      "fn main() {\n    let rt = Runtime::new().unwrap();\n    rt.block_on(run());\n}\n",
      "async fn load() -> u32 {\n    tokio::task::block_in_place(|| Handle::current().block_on(fetch()))\n}\n",
      "async fn page(url: &str) -> Result<String, Error> {\n    reqwest::get(url).await?.text().await\n}\n"
    ]
  }
})

const certificates = rust({
  id: "rust/tls-verification-off",
  severity: "high",
  confidence: "HIGH",
  title: "TLS certificates are not verified",
  why: "Anyone between the two ends can present their own certificate and read or change the traffic.",
  fix: "Add the right root certificate to the client instead.",
  reference: "CWE-295",
  keywords: ["danger_accept_invalid", "SslVerifyMode::NONE"],
  // The name is the place: the chain of calls in front of it may be long.
  query: "(field_identifier) @claim",
  check: (claim) => {
    if (!/^(danger_accept_invalid_(certs|hostnames)|set_verify)$/.test(claim.text)) return false
    const call = claim.parent?.parent ?? null
    if (call === null || call.childForFieldName("function")?.id !== claim.parent?.id) return false
    const value = argumentsOf(call)[0]?.text
    const isOff = claim.text === "set_verify" ? /(^|::)SslVerifyMode::NONE$/.test(value ?? "") : value === "true"
    if (!isOff || inTestCode(claim)) return false
    // Switched off because the user asked for it by an option is the user's decision.
    for (let at = enclosing(claim, ["if_expression"]); at !== null; at = enclosing(at, ["if_expression"])) {
      if (/verif|insecure|skip|tls|ssl|accept|danger/i.test(at.childForFieldName("condition")?.text ?? "")) return false
    }
    return true
  },
  inTests: false,
  examples: {
    bad: [
      "fn client() -> Client {\n    Client::builder().danger_accept_invalid_certs(true).build().unwrap()\n}\n",
      "fn client() -> Client {\n    reqwest::ClientBuilder::new()\n        .danger_accept_invalid_hostnames(true)\n        .build()\n        .unwrap()\n}\n",
      "fn connect(builder: &mut SslConnectorBuilder) {\n    builder.set_verify(SslVerifyMode::NONE);\n}\n"
    ],
    good: [
      "fn client() -> Client {\n    Client::builder().danger_accept_invalid_certs(false).build().unwrap()\n}\n",
      "fn client(insecure: bool) -> Client {\n    Client::builder().danger_accept_invalid_certs(insecure).build().unwrap()\n}\n",
      "fn client(o: &Options) -> Builder {\n    let mut b = Client::builder();\n    if o.insecure {\n        b = b.danger_accept_invalid_certs(true);\n    }\n    b\n}\n"
    ]
  }
})

const shellCommand = rust({
  id: "rust/shell-command-built",
  severity: "high",
  confidence: "HIGH",
  title: "A shell command line is put together from values",
  why: "Whatever the value holds is read by the shell: a semicolon or a backtick in it runs another command.",
  fix: "Run the program itself and pass the value with arg().",
  reference: "CWE-78",
  keywords: ["Command::new"],
  query: "(call_expression) @claim",
  check: (claim) => {
    const called = fieldOf(claim, "function", "field_expression")
    const name = called?.childForFieldName("field")?.text
    if (name !== "arg" && name !== "args") return false
    const begun = called?.childForFieldName("value")?.text ?? ""
    if (!/Command::new\(\s*"(\/(usr\/)?bin\/)?(ba|z|da)?sh"\s*\)/.test(begun)) return false
    const filled = argumentsOf(claim)
      .filter((one) => /^(macro_invocation|array_expression)$/.test(one.childForFieldName("value")?.type ?? one.type))
      .map(({ text }) => text)
      .filter((text) => /format!\(\s*r?#*"[^"]*\{/.test(text))
    if (name === "args") return filled.some((text) => /^&?\[\s*"-\w*c"/.test(text))
    return /\.arg\(\s*"-\w*c"\s*\)\s*$/.test(begun) && filled.some((text) => /^&?format!/.test(text))
  },
  inTests: false,
  examples: {
    bad: [
      'fn list(dir: &str) {\n    Command::new("sh").arg("-c").arg(format!("ls {}", dir)).status();\n}\n',
      'fn ping(host: &str) {\n    std::process::Command::new("/bin/bash")\n        .arg("-c")\n        .arg(&format!("ping -c1 {host}"))\n        .output();\n}\n',
      'fn remove(name: &str) {\n    Command::new("sh").args(["-c", &format!("rm -rf out/{name}")]).spawn();\n}\n'
    ],
    good: [
      'fn list(dir: &str) {\n    Command::new("ls").arg(dir).status();\n}\n',
      'fn run(script: &str) {\n    Command::new("sh").arg("-c").arg(script).status();\n}\n',
      'fn show() {\n    Command::new("ls").arg(format!("--width={}", 80)).status();\n}\n'
    ]
  }
})

const builtSql = rust({
  id: "rust/sql-built-from-values",
  severity: "high",
  confidence: "HIGH",
  title: "A value is put into SQL text instead of being bound",
  why: "A quote in the value ends the string literal, and the rest is run as SQL.",
  fix: "Write a placeholder in the statement and bind the value.",
  reference: "CWE-89",
  keywords: ["format!"],
  query: "(macro_invocation) @claim",
  check: (claim) => {
    const given = claim.childForFieldName("macro")?.text === "format" ? childOf(claim, "token_tree") : null
    const format = given === null ? undefined : parts(given)[0]
    if (format?.type !== "string_literal" && format?.type !== "raw_string_literal") return false
    if (!quotesIntoSql(format.text.replace(/^r?#*"|"#*$/g, ""), /\{\w*\}/)) return false
    // Who doubles the quotes or calls a quoting function has thought of it.
    return !/"'",\s*"''"|'\\'',\s*"''"|escape|quote/i.test(claim.text) && !inTestCode(claim)
  },
  inTests: false,
  examples: {
    bad: [
      "fn find(name: &str) -> String {\n    format!(\"SELECT * FROM users WHERE name = '{}'\", name)\n}\n",
      "fn search(db: &Db, q: &str) {\n    db.execute(&format!(\"select id from posts where title like '%{q}%'\"), []);\n}\n",
      "fn add(db: &Db, who: &str) {\n    db.execute(&format!(r#\"INSERT INTO log (who, n) VALUES ('{}', 1)\"#, who), []);\n}\n"
    ],
    good: [
      'fn dump(name: &str) -> String {\n    format!("INSERT INTO log (who) VALUES (\'{}\')", name.replace("\'", "\'\'"))\n}\n',
      'fn find(db: &Db, name: &str) {\n    db.query("SELECT * FROM users WHERE name = ?1", [name]);\n}\n',
      'fn all(table: &str) -> String {\n    format!("SELECT * FROM {} WHERE id = ?1", table)\n}\n',
      "fn complain(name: &str) -> String {\n    format!(\"select another user than '{}'\", name)\n}\n"
    ]
  }
})

const callsItself = rust({
  id: "rust/trait-method-calls-itself",
  severity: "high",
  confidence: "HIGH",
  title: "This implementation calls itself without end",
  why: "The expression resolves to the very method that is being written, so the first call overflows the stack.",
  fix: "Write the conversion, comparison or formatting out in terms of the fields.",
  reference: "https://doc.rust-lang.org/std/convert/trait.From.html",
  keywords: ["From<", "Display", "Debug", "Default", "PartialEq"],
  query: "(function_item) @claim",
  check: (claim) => {
    const method = claim.childForFieldName("name")?.text ?? ""
    const body = claim.childForFieldName("body")
    if (body === null || !/^(from|fmt|default|eq)$/.test(method)) return false
    const block = claim.parent?.type === "declaration_list" ? claim.parent.parent : null
    if (block?.type !== "impl_item") return false
    const trait = block.childForFieldName("trait")?.text.replace(/^(\w+::)+/, "") ?? ""
    const type = block.childForFieldName("type")?.text ?? ""
    const again =
      method === "from" && trait.startsWith("From<")
        ? convertsItself(body, claim.childForFieldName("parameters"))
        : method === "fmt" && (trait === "Display" || trait === "Debug")
          ? formatsItself(body, trait)
          : method === "default" && trait === "Default"
            ? defaultsToItself(body, type)
            : method === "eq" && trait === "PartialEq"
              ? comparesItself(body)
              : null
    return again !== null && linesOf(again)
  },
  inTests: true,
  examples: {
    bad: [
      "impl From<Raw> for Parsed {\n    fn from(raw: Raw) -> Self {\n        raw.into()\n    }\n}\n",
      'impl fmt::Display for Name {\n    fn fmt(&self, f: &mut fmt::Formatter<\'_>) -> fmt::Result {\n        write!(f, "{}", self)\n    }\n}\n',
      "impl Default for Options {\n    fn default() -> Self {\n        Self {\n            depth: 3,\n            ..Default::default()\n        }\n    }\n}\n",
      "impl PartialEq for Key {\n    fn eq(&self, other: &Self) -> bool {\n        self == other\n    }\n}\n",
      "impl Display for Id {\n    fn fmt(&self, f: &mut Formatter) -> Result {\n        f.write_str(&self.to_string())\n    }\n}\n"
    ],
    good: [
      "impl From<Raw> for Parsed {\n    fn from(raw: Raw) -> Self {\n        Parsed { name: raw.name.into() }\n    }\n}\n",
      'impl fmt::Display for Name {\n    fn fmt(&self, f: &mut fmt::Formatter<\'_>) -> fmt::Result {\n        write!(f, "{}", self.0)\n    }\n}\n',
      'impl fmt::Display for Name {\n    fn fmt(&self, f: &mut fmt::Formatter<\'_>) -> fmt::Result {\n        write!(f, "{:?}", self)\n    }\n}\n',
      "impl Default for Options {\n    fn default() -> Self {\n        Self {\n            depth: 3,\n            inner: Inner { size: 1, ..Default::default() },\n        }\n    }\n}\n",
      "impl PartialEq for Key {\n    fn eq(&self, other: &Self) -> bool {\n        self.id == other.id\n    }\n}\n"
    ]
  }
})

const onlyExpression = (body: SyntaxNode): SyntaxNode | null => {
  const inner = parts(body)
  return inner.length === 1 ? (inner[0] ?? null) : null
}

function convertsItself(body: SyntaxNode, parameters: SyntaxNode | null): SyntaxNode | null {
  const name = parameters === null ? undefined : parts(parameters)[0]?.childForFieldName("pattern")?.text
  const only = onlyExpression(body)
  return only !== null && only.text === `${name}.into()` ? only : null
}

function formatsItself(body: SyntaxNode, trait: "Display" | "Debug"): SyntaxNode | null {
  const spec = trait === "Display" ? "" : ":#?\\?"
  const passed = new RegExp(`^write(ln)?!\\(\\s*\\w+\\s*,\\s*"[^"{}]*\\{${spec}\\}[^"{}]*"\\s*,\\s*self\\s*,?\\s*\\)$`)
  const inlined = new RegExp(`^write(ln)?!\\(\\s*\\w+\\s*,\\s*"[^"]*\\{self${spec}\\}`)
  const macro = within(body, ["macro_invocation"]).find((one) => passed.test(one.text) || inlined.test(one.text))
  if (macro !== undefined) return macro
  if (trait === "Debug" || /fn\s+to_string\b/.test(rootOf(body).text)) return null
  return within(body, ["call_expression"]).find((one) => one.text === "self.to_string()") ?? null
}

function defaultsToItself(body: SyntaxNode, type: string): SyntaxNode | null {
  const only = onlyExpression(body)
  const same = ["Default::default()", "Self::default()", `${type}::default()`]
  if (only !== null && same.includes(only.text)) return only
  if (only?.type !== "struct_expression" || !["Self", type].includes(only.childForFieldName("name")?.text ?? ""))
    return null
  const fields = only.childForFieldName("body")
  const base = fields?.namedChildren.find((one) => one.type === "base_field_initializer")
  return base !== undefined && same.includes(base.text.replace(/^\.\.\s*/, "")) ? base : null
}

function comparesItself(body: SyntaxNode): SyntaxNode | null {
  const only = onlyExpression(body)
  return only !== null && /^(\*?self == \*?other|self\.eq\(other\))$/.test(only.text) ? only : null
}

const notANumber = rust({
  id: "rust/nan-comparison",
  severity: "medium",
  confidence: "HIGH",
  title: "Comparing with NAN is always false",
  why: "NaN is unequal to every number, itself too, so this test never says what it seems to ask.",
  fix: "Use is_nan().",
  reference: "https://doc.rust-lang.org/std/primitive.f64.html#associatedconstant.NAN",
  keywords: ["NAN"],
  query: "(binary_expression) @claim",
  check: (claim) => {
    const nan = /^-?((std::|core::)?f(32|64)(::consts)?::)NAN$/
    const isNan = ["left", "right"].some((side) => nan.test(claim.childForFieldName(side)?.text ?? ""))
    return isNan && /^([=!<>]=|[<>])$/.test(claim.childForFieldName("operator")?.text ?? "")
  },
  inTests: true,
  examples: {
    bad: [
      "fn bad(x: f64) -> bool {\n    x == f64::NAN\n}\n",
      "fn bad(x: f32) -> bool {\n    std::f32::NAN != x\n}\n",
      "fn clean(xs: &mut [f64]) {\n    for x in xs {\n        if *x == f64::NAN {\n            *x = 0.0;\n        }\n    }\n}\n"
    ],
    good: [
      "fn good(x: f64) -> bool {\n    x.is_nan()\n}\n",
      "fn none() -> f64 {\n    f64::NAN\n}\n",
      "fn edge(x: f64) -> bool {\n    x == f64::INFINITY\n}\n"
    ]
  }
})

const hashAndEq = rust({
  id: "rust/derived-hash-with-own-eq",
  severity: "medium",
  confidence: "HIGH",
  title: "Hash is derived from all fields, but equality leaves some out",
  why: "Values that are equal must have the same hash; here two equal values can differ in a hashed field, and maps and sets lose or double them.",
  fix: "Write Hash by hand over the same fields as eq, or derive both.",
  reference: "https://doc.rust-lang.org/std/hash/trait.Hash.html#hash-and-eq",
  keywords: ["PartialEq for"],
  query: "(impl_item) @claim",
  check: (claim) => {
    const type = fieldOf(claim, "type", "type_identifier")
    const body = claim.childForFieldName("body")?.text
    if (claim.childForFieldName("trait")?.text !== "PartialEq" || type === null || body === undefined) return false
    const struct = rootOf(claim)
      .descendantsOfType("struct_item")
      .find((one) => one.childForFieldName("name")?.text === type.text)
    if (struct === undefined || !derives(struct, "Hash")) return false
    const fields = struct.descendantsOfType("field_declaration").map((one) => one.childForFieldName("name")?.text ?? "")
    const compared = fields.filter((name) => new RegExp(`\\.${name}\\b`).test(body))
    const forgotten = fields.filter((name) => !compared.includes(name))
    // An eq that names no field may compare them all in another way.
    return compared.length > 0 && forgotten.length > 0 && linesOf(type)
  },
  inTests: false,
  examples: {
    bad: [
      "#[derive(Debug, Clone, Hash)]\npub struct Key {\n    name: String,\n    span: Span,\n}\n\nimpl PartialEq for Key {\n    fn eq(&self, other: &Self) -> bool {\n        self.name == other.name\n    }\n}\n",
      "impl PartialEq for User {\n    fn eq(&self, other: &User) -> bool {\n        self.id == other.id\n    }\n}\n\n#[derive(Eq, Hash)]\nstruct User {\n    id: u64,\n    seen: u64,\n}\n",
      "#[derive(Hash)]\n/// A route.\nstruct Route {\n    path: String,\n    hits: u32,\n}\n\nimpl PartialEq for Route {\n    fn eq(&self, o: &Self) -> bool {\n        self.path.eq_ignore_ascii_case(&o.path)\n    }\n}\n"
    ],
    good: [
      "#[derive(Hash, PartialEq, Eq)]\nstruct Key {\n    name: String,\n    span: Span,\n}\n",
      "#[derive(Debug)]\nstruct Key {\n    name: String,\n    span: Span,\n}\n\nimpl PartialEq for Key {\n    fn eq(&self, other: &Self) -> bool {\n        self.name == other.name\n    }\n}\n",
      "#[derive(Hash)]\nstruct Key {\n    name: String,\n    n: u32,\n}\n\nimpl PartialEq for Key {\n    fn eq(&self, other: &Self) -> bool {\n        self.name == other.name && self.n == other.n\n    }\n}\n"
    ]
  }
})

function derives(item: SyntaxNode, trait: string): boolean {
  for (let mark = item.previousNamedSibling; mark !== null; mark = mark.previousNamedSibling) {
    if (mark.type === "attribute_item" && new RegExp(`derive\\(.*\\b${trait}\\b`, "s").test(mark.text)) return true
    if (mark.type !== "attribute_item" && !isComment(mark)) return false
  }
  return false
}

const uninitialized = rust({
  id: "rust/uninitialized-value",
  severity: "high",
  confidence: "HIGH",
  title: "Memory is treated as a value before anything was written to it",
  why: "An uninitialized value is undefined behaviour for almost every type, integers included, even if it is never read.",
  fix: "Start from a real value (vec![0; n], Default) or keep it MaybeUninit until it is written.",
  reference: "https://doc.rust-lang.org/std/mem/union.MaybeUninit.html#initialization-invariant",
  keywords: ["uninitialized()", "assume_init()", "set_len("],
  query: "(call_expression) @claim",
  check: (claim) => {
    if (/^((std|core)::)?mem::uninitialized(::<[^()]*>)?\(\)$/.test(claim.text)) return true
    if (/^((std|core)::)?(mem::)?MaybeUninit(::<[^()]*>)?::uninit\(\)\s*\.assume_init\(\)$/.test(claim.text)) {
      // An array of MaybeUninit is the one thing this is right for.
      const statement = enclosing(claim, ["let_declaration", "function_item"])
      return statement?.type === "let_declaration" && statement.text.split("MaybeUninit").length === 2
    }
    return exposesCapacity(claim)
  },
  inTests: false,
  examples: {
    bad: [
      "fn number() -> u32 {\n    unsafe { std::mem::uninitialized() }\n}\n",
      "fn header() {\n    let h: Header = unsafe { MaybeUninit::uninit().assume_init() };\n    use_it(h);\n}\n",
      "fn buffer(n: usize) -> Vec<u8> {\n    let mut v = Vec::with_capacity(n);\n    unsafe {\n        v.set_len(n);\n    }\n    v\n}\n"
    ],
    good: [
      "fn number() -> u32 {\n    0\n}\n",
      "fn slots() {\n    let s: [MaybeUninit<u32>; 8] = unsafe { MaybeUninit::uninit().assume_init() };\n    fill(s);\n}\n",
      "fn buffer(n: usize, r: &mut R) -> Vec<u8> {\n    let mut v = Vec::with_capacity(n);\n    r.read_into(v.as_mut_ptr(), n);\n    unsafe { v.set_len(n) };\n    v\n}\n",
      "fn finish(mut v: MaybeUninit<u32>) -> u32 {\n    v.write(1);\n    unsafe { v.assume_init() }\n}\n"
    ]
  }
})

/** `v.set_len(n)` in the statement right after `let mut v = Vec::with_capacity(...)`. */
function exposesCapacity(call: SyntaxNode): boolean {
  const name = /^(\w+)\.set_len\(/.exec(call.text)?.[1]
  const block = enclosing(call, ["unsafe_block"], callables)
  if (
    name === undefined ||
    block === null ||
    parts(parts(block)[0] ?? block)[0]?.text.startsWith(`${name}.set_len`) !== true
  )
    return false
  const statement = block.parent?.type === "expression_statement" ? block.parent : block
  let previous = statement.previousNamedSibling
  while (previous !== null && (isComment(previous) || previous.type === "empty_statement"))
    previous = previous.previousNamedSibling
  return (
    previous?.type === "let_declaration" &&
    previous.childForFieldName("pattern")?.text === name &&
    /=\s*Vec(::<[^()]*>)?::with_capacity\(/.test(previous.text) &&
    !previous.text.includes("MaybeUninit")
  )
}

const safetyComment = rust({
  id: "rust/safety-comment-missing",
  severity: "low",
  confidence: "MEDIUM",
  title: "This unsafe block does not say why it is sound, as the others here do",
  why: "The other unsafe blocks of this file carry a SAFETY comment; without one nobody can check the reasoning of this one.",
  fix: "Add a // SAFETY: comment above the block that names the conditions and why they hold.",
  reference: "https://std-dev-guide.rust-lang.org/policy/safety-comments.html",
  keywords: ["SAFETY:"],
  query: "(unsafe_block) @claim",
  check: (claim) => {
    if (inTestCode(claim) || enclosing(claim, ["unsafe_block", "macro_definition"]) !== null) return false
    const lines = rootOf(claim).text.split("\n")
    const first = linesOf(claim).line
    const blocks = rootOf(claim)
      .descendantsOfType("unsafe_block")
      .filter((one) => one.id !== claim.id)
    const explained = blocks.filter((one) => isExplained(lines, one))
    // A custom is what nearly all of at least three do.
    return explained.length >= 3 && explained.length >= blocks.length * 0.8 && !isExplained(lines, claim) && first > 1
  },
  inTests: false,
  examples: {
    bad: [
      `${explained(3)}fn last(p: *const u8) -> u8 {\n    unsafe { *p }\n}\n`,
      `fn first(p: *const u8) -> u8 {\n    let n = 1;\n    unsafe { *p.add(n) }\n}\n\n${explained(4)}`,
      `${explained(3)}impl Buffer {\n    // The byte at a place.\n    fn at(&self, i: usize) -> u8 {\n        unsafe { *self.ptr.add(i) }\n    }\n}\n`
    ],
    good: [
      `${explained(4)}`,
      "fn last(p: *const u8) -> u8 {\n    unsafe { *p }\n}\n",
      `${explained(1)}fn last(p: *const u8) -> u8 {\n    unsafe { *p }\n}\n`,
      `${explained(3)}/// # Safety\n///\n/// p must point to a byte.\nunsafe fn last(p: *const u8) -> u8 {\n    unsafe { *p }\n}\n`
    ]
  }
})

/** So many functions whose unsafe blocks are explained. */
function explained(count: number): string {
  const one = (n: number) =>
    `fn read${n}(p: *const u8) -> u8 {\n    // SAFETY: the caller holds a reference to the byte.\n    unsafe { *p.add(${n}) }\n}\n\n${"// ----\n".repeat(12)}`
  return Array.from({ length: count }, (_, n) => one(n)).join("")
}

function isExplained(lines: ReadonlyArray<string>, block: SyntaxNode): boolean {
  const { line, endLine } = linesOf(block)
  return lines.slice(Math.max(0, line - 12), endLine).some((text) => /safety/i.test(text))
}

const mutableStatic = rust({
  id: "rust/mutable-static",
  severity: "medium",
  confidence: "MEDIUM",
  title: "A static mut can be read and written by several threads at once",
  why: "Every use is unsafe and unchecked: two threads, or one re-entrant call, make it a data race, which is undefined behaviour.",
  fix: "Use an atomic, OnceLock or a Mutex.",
  reference: "https://doc.rust-lang.org/reference/items/static-items.html#mutable-statics",
  keywords: ["static mut"],
  query: "(static_item) @claim",
  check: (claim) => {
    if (childOf(claim, "mutable_specifier") === null) return false
    if (inTestCode(claim) || enclosing(claim, ["foreign_mod_item"]) !== null) return false
    return !/#!\[no_std\]|#!\[no_main\]|#\[no_mangle\]|link_section/.test(rootOf(claim).text)
  },
  inTests: false,
  examples: {
    bad: [
      "static mut COUNTER: u32 = 0;\n\npub fn next() -> u32 {\n    unsafe {\n        COUNTER += 1;\n        COUNTER\n    }\n}\n",
      "pub static mut CONFIG: Option<Config> = None;\n",
      "fn cached() -> u32 {\n    static mut CACHE: u32 = 0;\n    unsafe { CACHE }\n}\n"
    ],
    good: [
      "static COUNTER: AtomicU32 = AtomicU32::new(0);\n",
      "static CONFIG: OnceLock<Config> = OnceLock::new();\n",
      'extern "C" {\n    static mut environ: *mut *mut c_char;\n}\n',
      "#![no_std]\n\nstatic mut HEAP: [u8; 64] = [0; 64];\n"
    ]
  }
})

export const rustRules: ReadonlyArray<SyntaxRule> = [
  unfinished,
  guardDropped,
  guardAcrossAwait,
  lockedTwice,
  sleepInAsync,
  blockingInAsync,
  certificates,
  shellCommand,
  builtSql,
  callsItself,
  notANumber,
  hashAndEq,
  uninitialized,
  safetyComment,
  mutableStatic
]
