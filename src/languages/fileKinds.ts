/**
 * What a file is, in one table: by its name, by its ending in any case, and, where the name does not decide, by the modeline
 * or the first line of its text. Only data and documents are text; a file with an ending that is not known may be code.
 */
import type { Grammar } from "../domain/change/Grammar.ts"
import { nameOf } from "../domain/code/Repository.ts"

/** Where the code of a file is, if it is not the whole file. */
export type Embedding = "scripts" | "scripts outside of examples" | "frontmatter and scripts" | "tags" | "cells"

export interface FileKind {
  /** The language as people write it. */
  readonly title: string
  /** Null if dd cannot parse it. */
  readonly grammar: Grammar | null
  /** Null: the whole file is code. */
  readonly embedding: Embedding | null
  /** Without code it is a document, and the checks of any text are all that there is. */
  readonly isDocument?: true
}

interface Names {
  /** Endings of file names, separated by blanks; the most common one first. */
  readonly endings?: string
  /** Whole names of files. */
  readonly names?: string
  /** Programs that a shebang names, without versions. */
  readonly programs?: string
  /** Other words for it in modelines. */
  readonly modes?: string
}

type Row = Names & FileKind

const ofGrammar: Readonly<Record<Grammar, Names & { readonly title: string; readonly endings: string }>> = {
  python: {
    title: "Python",
    endings: "py pyi pyw wsgi",
    names: "SConstruct SConscript wscript",
    programs: "python pythonw pypy uv uvx pipx",
    modes: "py"
  },
  typescript: { title: "TypeScript", endings: "ts mts cts", programs: "deno bun ts-node tsx", modes: "ts" },
  tsx: { title: "TSX", endings: "tsx jsx", modes: "jsx typescriptreact javascriptreact" },
  javascript: {
    title: "JavaScript",
    endings: "js mjs cjs jsm es es6",
    names: "Jakefile",
    programs: "node nodejs zx",
    modes: "js js2 ecmascript"
  },
  go: { title: "Go", endings: "go", modes: "golang" },
  rust: { title: "Rust", endings: "rs", programs: "rust-script", modes: "rs" },
  elixir: { title: "Elixir", endings: "ex exs", programs: "elixir iex" },
  java: { title: "Java", endings: "java", programs: "java" },
  swift: { title: "Swift", endings: "swift", programs: "swift" },
  ruby: {
    title: "Ruby",
    endings: "rb rbw rake gemspec podspec ru thor jbuilder rabl ruby",
    names:
      "Gemfile Rakefile Guardfile Podfile Fastfile Appfile Dangerfile Vagrantfile Brewfile Capfile Thorfile Berksfile",
    programs: "ruby jruby rake",
    modes: "rb"
  },
  kotlin: { title: "Kotlin", endings: "kt kts", programs: "kotlin kotlinc" },
  c: { title: "C", endings: "c h", programs: "tcc" },
  cpp: { title: "C++", endings: "cpp cc cxx C hh hpp hxx H ipp inl", modes: "c++" },
  csharp: { title: "C#", endings: "cs csx", programs: "dotnet dotnet-script", modes: "c# cs" },
  php: { title: "PHP", endings: "php phtml", programs: "php" }
}

/** Languages without a grammar, and files with embedded code. */
const others: Readonly<Record<string, Names & { readonly embedding?: Embedding; readonly isDocument?: true }>> = {
  Vue: { endings: "vue", embedding: "scripts" },
  Svelte: { endings: "svelte", embedding: "scripts" },
  HTML: { endings: "html htm xhtml", embedding: "scripts", modes: "mhtml", isDocument: true },
  Markdown: { endings: "md markdown", embedding: "scripts outside of examples", isDocument: true },
  MDX: { endings: "mdx", embedding: "scripts outside of examples" },
  templates: {
    endings:
      "ejs hbs handlebars mustache njk nunjucks liquid twig j2 jinja jinja2 tmpl tpl gotmpl gohtml mako eex heex leex haml slim pug jade cshtml vbhtml razor jsp jspx jspf tag aspx ascx asp ftl vm cfm",
    embedding: "scripts"
  },
  Astro: { endings: "astro", embedding: "frontmatter and scripts" },
  ERB: { endings: "erb rhtml", embedding: "tags", isDocument: true },
  notebooks: { endings: "ipynb", embedding: "cells" },
  Ada: { endings: "ada adb ads" },
  Assembly: { endings: "asm s S nasm" },
  AWK: { endings: "awk", programs: "awk gawk mawk" },
  Batch: { endings: "bat cmd" },
  Clojure: { endings: "clj cljc cljs", programs: "bb clojure" },
  COBOL: { endings: "cob cbl" },
  CoffeeScript: { endings: "coffee", programs: "coffee" },
  Crystal: { endings: "cr", programs: "crystal" },
  CUDA: { endings: "cu cuh" },
  D: { endings: "d", programs: "rdmd" },
  Dart: { endings: "dart", programs: "dart" },
  Elm: { endings: "elm" },
  "Emacs Lisp": { endings: "el", modes: "emacs-lisp" },
  Erlang: { endings: "erl hrl escript", programs: "escript" },
  "F#": { endings: "fs fsi fsx" },
  Fortran: { endings: "f f90 f95 f03 for" },
  Gleam: { endings: "gleam" },
  GLSL: { endings: "glsl vert frag" },
  Groovy: { endings: "groovy gradle", names: "Jenkinsfile", programs: "groovy" },
  Haskell: { endings: "hs lhs", programs: "runhaskell runghc stack" },
  IPython: { endings: "ipy", programs: "ipython" },
  Julia: { endings: "jl", programs: "julia" },
  Lisp: { endings: "lisp lsp", programs: "sbcl clisp" },
  Lua: { endings: "lua", programs: "lua luajit" },
  Nim: { endings: "nim" },
  Nix: { endings: "nix" },
  "Objective-C": { endings: "m mm", modes: "objc" },
  OCaml: { endings: "ml mli", programs: "ocaml" },
  Pascal: { endings: "pas lpr" },
  Perl: { endings: "pl pm", programs: "perl", modes: "cperl" },
  PowerShell: { endings: "ps1 psm1", programs: "pwsh powershell" },
  R: { endings: "r", programs: "Rscript" },
  Racket: { endings: "rkt", programs: "racket" },
  Scala: { endings: "scala sc sbt", programs: "scala scala-cli" },
  Scheme: { endings: "scm ss", programs: "guile" },
  shell: { endings: "sh bash zsh fish ksh bats", programs: "sh bash zsh fish ksh dash ash bats", modes: "sh" },
  Snakemake: { endings: "smk", names: "Snakefile" },
  Solidity: { endings: "sol" },
  SQL: { endings: "sql" },
  Starlark: { endings: "bzl star", names: "BUILD BUILD.bazel WORKSPACE WORKSPACE.bazel Tiltfile" },
  Tcl: { endings: "tcl", programs: "tclsh wish expect" },
  Verilog: { endings: "v sv svh" },
  VHDL: { endings: "vhd vhdl" },
  "Vim script": { endings: "vim", names: ".vimrc", modes: "vim" },
  "Visual Basic": { endings: "vb vbs bas" },
  Zig: { endings: "zig" }
}

const rows: ReadonlyArray<Row> = [
  ...Object.entries(ofGrammar).map(([grammar, row]) => ({ ...row, grammar: grammar as Grammar, embedding: null })),
  ...Object.entries(others).map(([title, row]) => ({ title, grammar: null, embedding: null, ...row }))
]

const words = (text = ""): ReadonlyArray<string> => text.split(/\s+/).filter((word) => word !== "")

const table = (keysOf: (row: Row) => ReadonlyArray<string>): ReadonlyMap<string, FileKind> =>
  new Map(rows.flatMap((row) => keysOf(row).map((key) => [key, row] as const)))

const byName = table(({ names }) => words(names))
const byEnding = table(({ endings }) => words(endings))
const byProgram = table(({ programs }) => words(programs))
const byMode = table(({ endings, modes, title }) => [...words(endings), ...words(modes), title.toLowerCase()])

/** The endings of the names of these files, and their whole names. */
export const namesOf = (grammar: Grammar): ReadonlyArray<string> => [
  ...words(ofGrammar[grammar].endings).map((ending) => `.${ending}`),
  ...words(ofGrammar[grammar].names)
]

export const usualEnding = (grammar: Grammar): string => words(ofGrammar[grammar].endings)[0] ?? ""

/** What the name of a file says about it; null if that is nothing, as for data and documents. */
export const kindByName = (path: string): FileKind | null => {
  const ending = endingOf(path)
  return byName.get(nameOf(path)) ?? byEnding.get(ending) ?? byEnding.get(ending.toLowerCase()) ?? null
}

const endingOf = (path: string): string => /[^/]\.([^./]+)$/.exec(path)?.[1] ?? ""

/** Names without an ending are those of documents and settings. */
const unknown = (ending: string): FileKind | null =>
  ending === "" ? null : { title: `.${ending}`, grammar: null, embedding: null }

/** What a file is; its text decides if its name does not. Data and documents are never code, whatever is in them. */
export const kindOf = (path: string, lines: ReadonlyArray<string> | null): FileKind | null =>
  kindByName(path) ?? (lines === null || isText(path) ? null : (kindByText(lines) ?? unknown(endingOf(path))))

/** Does the text decide what the code of the file is, or whether it has any? */
export const isDecidedByText = (path: string): boolean => {
  const kind = kindByName(path)
  return kind === null ? !isText(path) : kind.embedding !== null
}

/** False if the name says that the file has no code that dd can parse. */
export const mayHaveCode = (path: string): boolean => isDecidedByText(path) || kindByName(path)?.grammar != null

/** Data and documents, in which a first line or a modeline is an example. */
const isText = (path: string): boolean => texts.has(endingOf(path).toLowerCase()) || textName.test(nameOf(path))
const textName =
  /^(?:\.|(?:docker|container|make|proc|tox)file\b|gnumakefile\b|(?:licen[cs]e|readme|changes|changelog|copying|notice|authors)\b)|\.\d+$/i
const texts: ReadonlySet<string> = new Set(
  words(
    `rst adoc asciidoc org txt text tex bib rtf pod textile wiki css scss sass less styl json jsonc json5 jsonl ndjson geojson
    webmanifest map yaml yml toml xml xsd xsl xslt dtd wsdl svg plist storyboard xib csproj fsproj vbproj vcxproj props targets sln
    slnx nuspec resx xaml csv tsv psv ini cfg conf config cnf desktop service timer socket rules list repo lock log diff patch
    properties env example sample template dist default orig bak golden expected out snap approved po pot strings stringsdict
    xliff xlf ftl ics vcf eml pem crt cer csr key pub asc sig sum mod work tfvars tfstate pbxproj xcconfig xcscheme entitlements
    in am ac m4 mk mak make cmake ninja dockerfile dockerignore gitignore gitattributes gitmodules editorconfig npmrc bowerrc
    babelrc eslintrc prettierrc stylelintrc browserslistrc rc spec control install manifest typed pc pth egg whl version stamp
    http rest har hurl feature story drawio puml plantuml mmd dot gv srt vtt lst dat data fixture cassette`
  )
)

const kindByText = (lines: ReadonlyArray<string>): FileKind | null => {
  for (const line of [...lines.slice(0, modelines), ...lines.slice(-modelines)]) {
    const mode = line.length > longestModeline ? undefined : modeIn(line)
    const kind = mode === undefined ? undefined : byMode.get(mode.toLowerCase())
    if (kind !== undefined) return kind
  }
  const shebang = /^\uFEFF?#!(.{1,300})/.exec(lines[0] ?? "")?.[1]
  return shebang === undefined ? null : byShebang(shebang)
}

/** The program of `#!/usr/bin/python3.11 -u`, `#!/usr/bin/env -S A=1 npx tsx`: the first word that is a known one. */
const byShebang = (command: string): FileKind | null => {
  for (const word of command.trim().split(/\s+/)) {
    const name = nameOf(word.replace(/^-S/, "")).replace(/\.exe$/i, "")
    const kind = byProgram.get(name) ?? byProgram.get(name.replace(/[-\d.]+$/, ""))
    if (kind !== undefined) return kind
  }
  return null
}

/** Lines at the start and at the end that an editor searches. */
const modelines = 5
const longestModeline = 300

const modeIn = (line: string): string | undefined =>
  /-\*-(?:.*?\bmode:)?\s*([\w+#-]+)\s*(?:;.*?)?-\*-/i.exec(line)?.[1] ??
  /(?:^|\s)(?:vim?|ex):.*?\b(?:ft|filetype|syntax)=([\w+#-]+)/.exec(line)?.[1]
