/**
 * Whether the brief names the changes of public definitions that a language's own tool sees. Run
 * `TYPESCRIPT=/path/to/typescript/lib/typescript.js bun scripts/bench/brief-definitions.ts [--show] REPOSITORY...`.
 *
 * For 50 commits of each repository, evenly spaced over the last 2,000 that touch such files: the exported definitions of
 * every changed file on both sides, for TypeScript as the compiler's API lists them (of version 5: 7 has none), for
 * Python as its `ast` module does, for Go as `go/parser` does, if `go` is installed. A pair is a name with `added`, `removed` or `signature`; a move is one pair; the members of an added or
 * removed class are left out, and so is a file that the tool cannot parse. A line for each repository: pairs of the tool
 * and of the brief, precision and recall. `--show` lists the pairs that only one of them has.
 */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { Effect, Layer } from "effect"
import { isMachineWritten, isMarkedGenerated, isTestPath } from "../../src/domain/change/PathKind.ts"
import * as CodeLive from "../../src/layers/CodeLive.ts"
import * as NoFacts from "../../src/layers/change/facts/None.ts"
import * as SourcesGit from "../../src/layers/change/sources/Git.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { type Definitions, definitionsOf } from "../../src/services/brief/definitions.ts"
import { dependentsOf } from "../../src/services/brief/dependents.ts"
import { Changes } from "../../src/services/change/Changes.ts"
import { Git } from "../../src/services/change/Git.ts"
import { Sources } from "../../src/services/change/Sources.ts"
import { SymbolIndex } from "../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../src/services/code/SyntaxTrees.ts"
import { median } from "./timed.ts"

const options = process.argv.slice(2)
const repositories = options.filter((option) => !option.startsWith("--"))
const shows = options.includes("--show")
const commitsRead = 50

/** Name to signature; null if the text cannot be parsed. A name that is defined twice has both signatures. */
type Listing = ReadonlyMap<string, string>
type Lister = (texts: ReadonlyArray<readonly [path: string, text: string]>) => ReadonlyArray<Listing | null>

const pythonProgram = `
import ast, json, sys
def args(a, drop):
    out = []
    pos = a.posonlyargs + a.args
    defaults = [None] * (len(pos) - len(a.defaults)) + a.defaults
    for i, (p, d) in enumerate(zip(pos, defaults)):
        if i == 0 and drop and p.arg in ("self", "cls", "mcs"): continue
        out.append(one(p, d) + ("/" if i == len(a.posonlyargs) - 1 else ""))
    if a.vararg: out.append("*" + one(a.vararg, None))
    elif a.kwonlyargs: out.append("*")
    for p, d in zip(a.kwonlyargs, a.kw_defaults): out.append(one(p, d))
    if a.kwarg: out.append("**" + one(a.kwarg, None))
    return ",".join(out)
def one(p, d):
    return p.arg + (":" + ast.unparse(p.annotation) if p.annotation else "") + ("=" if d is not None else "")
def decorators(n):
    return "".join("@" + ast.unparse(d) + " " for d in n.decorator_list)
def walk(body, inside, found):
    for n in body:
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)):
            put(found, inside + n.name, decorators(n) + "(" + args(n.args, inside != "") + ")" + (ast.unparse(n.returns) if n.returns else ""))
        elif isinstance(n, ast.ClassDef):
            if inside != "": continue
            put(found, n.name, decorators(n) + "class " + ",".join([ast.unparse(b) for b in n.bases] + [ast.unparse(k) for k in n.keywords]))
            walk(n.body, n.name + ".", found)
        elif inside == "" or isinstance(n, (ast.If, ast.Try)):
            for field in ("body", "orelse", "finalbody"):
                walk(getattr(n, field, []) if isinstance(getattr(n, field, []), list) else [], inside, found)
            for h in getattr(n, "handlers", []): walk(h.body, inside, found)
def put(found, name, signature):
    found[name] = found[name] + "|" + signature if name in found else signature
for line in sys.stdin:
    try:
        found = {}
        walk(ast.parse(json.loads(line)).body, "", found)
        print(json.dumps(found))
    except Exception:
        print("null")
`

const goProgram = `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
)

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadString('\\n')
		if err != nil {
			return
		}
		var text string
		json.Unmarshal([]byte(line), &text)
		if text == "" {
			text = "package none"
		}
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", text, 0)
		if err != nil {
			fmt.Println("null")
			continue
		}
		found := map[string]string{}
		for _, each := range file.Decls {
			switch d := each.(type) {
			case *ast.FuncDecl:
				name, receiver := d.Name.Name, ""
				if d.Recv != nil {
					t := d.Recv.List[0].Type
					receiver = types.ExprString(t)
					if star, ok := t.(*ast.StarExpr); ok {
						t = star.X
					}
					if index, ok := t.(*ast.IndexExpr); ok {
						t = index.X
					}
					if index, ok := t.(*ast.IndexListExpr); ok {
						t = index.X
					}
					name = types.ExprString(t) + "." + name
				}
				found[name] += receiver + " " + params(d.Type.TypeParams) + types.ExprString(d.Type)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.ValueSpec:
						for _, name := range s.Names {
							found[name.Name] += "value"
						}
					case *ast.TypeSpec:
						put(found, s)
					}
				}
			}
		}
		out, _ := json.Marshal(found)
		fmt.Println(string(out))
	}
}

func params(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	text := ""
	for _, field := range list.List {
		for _, name := range field.Names {
			text += name.Name + " "
		}
		text += types.ExprString(field.Type) + ","
	}
	return text
}

func put(found map[string]string, s *ast.TypeSpec) {
	var fields *ast.FieldList
	text := ""
	switch t := s.Type.(type) {
	case *ast.StructType:
		fields, text = t.Fields, "struct"
	case *ast.InterfaceType:
		fields, text = t.Methods, "interface"
	default:
		text = types.ExprString(s.Type)
	}
	found[s.Name.Name] += params(s.TypeParams) + text
	if fields == nil {
		return
	}
	for _, field := range fields.List {
		tag := ""
		if field.Tag != nil {
			tag = field.Tag.Value
		}
		for _, name := range field.Names {
			found[s.Name.Name+"."+name.Name] += types.ExprString(field.Type) + tag
		}
	}
}
`

/** The path of the program, compiled; null without Go. */
const goLister = (() => {
  if (Bun.which("go") === null) return null
  const folder = mkdtempSync(join(tmpdir(), "brief-definitions-"))
  writeFileSync(join(folder, "main.go"), goProgram)
  const built = Bun.spawnSync(["go", "build", "-o", join(folder, "list"), join(folder, "main.go")])
  return built.exitCode === 0 ? join(folder, "list") : null
})()

const isPublicGo = (name: string): boolean => name.split(".").every((part) => /^\p{Lu}/u.test(part))

const listGo: Lister = (texts) => listedBy([goLister ?? ""], texts, isPublicGo)

const isPublicPython = (name: string): boolean =>
  name.split(".").every((part) => !part.startsWith("_") || /^__\w+__$/.test(part))

const listPython: Lister = (texts) => listedBy(["python3", "-c", pythonProgram], texts, isPublicPython)

/** The answers of a program that reads a JSON string a line. */
function listedBy(
  command: Array<string>,
  texts: Parameters<Lister>[0],
  isListed: (name: string) => boolean
): ReturnType<Lister> {
  const input = texts.map(([, text]) => `${JSON.stringify(text)}\n`).join("")
  const child = Bun.spawnSync(command, { stdin: Buffer.from(input), stdout: "pipe" })
  return child.stdout
    .toString()
    .trim()
    .split("\n")
    .map((line) => {
      const found: Record<string, string> | null = JSON.parse(line === "" ? "null" : line)
      return found === null ? null : new Map(Object.entries(found).filter(([name]) => isListed(name)))
    })
}

// biome-ignore lint/suspicious/noExplicitAny: the compiler is loaded from a path, without its types.
const ts: any = process.env.TYPESCRIPT === undefined ? null : (await import(process.env.TYPESCRIPT)).default

const squeezed = (text: string): string =>
  text
    .replace(/\s+/g, "")
    .replace(/[;,](?=[}\])]|$)/g, "")
    .replaceAll("'", '"')

/** The exports of a module, with the members of classes, interfaces, object types and enumerations. */
const listScript: Lister = (texts) =>
  texts.map(([path, text]) => {
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    if (file.parseDiagnostics.length > 0) return null
    const host = {
      getSourceFile: (name: string) => (name === path ? file : undefined),
      getDefaultLibFileName: () => "lib.d.ts",
      writeFile: () => {},
      getCurrentDirectory: () => "",
      getCanonicalFileName: (name: string) => name,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => "\n",
      fileExists: (name: string) => name === path,
      readFile: () => undefined
    }
    const program = ts.createProgram([path], { noResolve: true, noLib: true, allowJs: true }, host)
    const checker = program.getTypeChecker()
    const module = checker.getSymbolAtLocation(file)
    const found = new Map<string, string>()
    const put = (name: string, signature: string) =>
      found.set(name, found.has(name) ? `${found.get(name)}|${signature}` : signature)
    const typeText = (node: { getText: () => string } | undefined) =>
      node === undefined ? "" : squeezed(node.getText())
    // biome-ignore lint/suspicious/noExplicitAny: see above
    const signature = (node: any): string =>
      `<${(node.typeParameters ?? []).map(typeText)}>(${node.parameters.map(
        // biome-ignore lint/suspicious/noExplicitAny: see above
        (each: any) =>
          `${each.dotDotDotToken ? "..." : ""}${squeezed(each.name.getText())}${each.questionToken || each.initializer ? "?" : ""}:${typeText(each.type)}`
      )}):${typeText(node.type)}`
    // biome-ignore lint/suspicious/noExplicitAny: see above
    const members = (owner: string, all: ReadonlyArray<any>) => {
      for (const member of all) {
        if (member.modifiers?.some((each: { kind: number }) => each.kind === ts.SyntaxKind.PrivateKeyword)) continue
        if (ts.isConstructorDeclaration(member)) {
          put(`${owner}.constructor`, signature(member))
          continue
        }
        const name = member.name === undefined || !ts.isIdentifier(member.name) ? null : member.name.text
        if (member.name === undefined && member.parameters !== undefined) put(owner, typeText(member))
        if (name === null) continue
        if (member.parameters !== undefined) put(`${owner}.${name}`, signature(member))
        else put(`${owner}.${name}`, `${member.questionToken ? "?" : ""}${typeText(member.type)}`)
      }
    }
    for (const symbol of module === undefined ? [] : checker.getExportsOfModule(module)) {
      for (const node of symbol.declarations ?? []) {
        const target = ts.isExportSpecifier(node) ? checker.getExportSpecifierLocalTargetSymbol(node) : symbol
        for (const declaration of target?.declarations ?? []) {
          if (declaration.getSourceFile() !== file) continue
          const name = declaration.name?.text
          if (name === undefined) continue
          if (ts.isFunctionDeclaration(declaration)) put(name, signature(declaration))
          else if (ts.isClassDeclaration(declaration)) {
            put(
              name,
              `class<${(declaration.typeParameters ?? []).map(typeText)}>${(declaration.heritageClauses ?? []).map(typeText)}`
            )
            members(name, declaration.members)
          } else if (ts.isInterfaceDeclaration(declaration)) {
            put(
              name,
              `interface<${(declaration.typeParameters ?? []).map(typeText)}>${(declaration.heritageClauses ?? []).map(typeText)}`
            )
            members(name, declaration.members)
          } else if (ts.isEnumDeclaration(declaration)) {
            put(name, "enum")
            for (const member of declaration.members) put(`${name}.${member.name.text}`, "")
          } else if (ts.isTypeAliasDeclaration(declaration)) {
            const isObject = ts.isTypeLiteralNode(declaration.type)
            put(
              name,
              `type<${(declaration.typeParameters ?? []).map(typeText)}>${isObject ? "" : typeText(declaration.type)}`
            )
            if (isObject) members(name, declaration.type.members)
          } else if (ts.isVariableDeclaration(declaration)) {
            const value = declaration.initializer
            const isFunction = value !== undefined && (ts.isArrowFunction(value) || ts.isFunctionExpression(value))
            put(name, isFunction && !declaration.type ? signature(value) : typeText(declaration.type))
          }
        }
      }
    }
    return found
  })

const languages = [
  { list: listPython, ends: /\.py$/, globs: ["*.py"], isHere: true },
  { list: listGo, ends: /\.go$/, globs: ["*.go"], isHere: goLister !== null },
  { list: listScript, ends: /\.[cm]?tsx?$/, globs: ["*.ts", "*.tsx", "*.mts"], isHere: ts !== null }
].filter(({ isHere }) => isHere)
const listed = (path: string): boolean =>
  languages.some(({ ends }) => ends.test(path)) &&
  !/\.d\.ts$/.test(path) &&
  !isTestPath(path) &&
  !isMachineWritten(path)

/** `change path name` of each difference, without the members of an added or removed type. */
const differences = (path: string, base: Listing, head: Listing): ReadonlyArray<string> => {
  // A method of Go may be in another file than its type.
  const isFolded = (name: string, own: Listing, other: Listing) => {
    const container = name.slice(0, Math.max(0, name.indexOf(".")))
    return own.has(container) && !other.has(container)
  }
  return [
    ...[...head].flatMap(([name, signature]) => {
      const was = base.get(name)
      if (was === undefined) return isFolded(name, head, base) ? [] : [`added ${path} ${name}`]
      return was === signature ? [] : [`signature ${path} ${name}`]
    }),
    ...[...base.keys()].flatMap((name) =>
      head.has(name) || isFolded(name, base, head) ? [] : [`removed ${path} ${name}`]
    )
  ]
}

/** What the change renames or begins to export is new to the tool. */
const exportedBy = ({ definitions }: Definitions): ReadonlySet<string> =>
  new Set(
    definitions.flatMap(({ after, change, file, name }) =>
      change === "renamed" || (change === "visibility" && after === "exported") ? [`${file} ${name}`] : []
    )
  )

/** The names that a move removes, which the brief has once. */
const movedBy = ({ definitions }: Definitions): ReadonlySet<string> =>
  new Set(
    definitions.flatMap(({ before, change, name }) =>
      change === "moved" ? [`removed ${before?.replace(/:\d+$/, "")} ${name}`] : []
    )
  )

/** The same of a brief. */
const pairsOf = ({ definitions, values }: Definitions, exported: ReadonlySet<string>): ReadonlyArray<string> => [
  ...definitions.flatMap(({ after, before, change, file, kind, name, public: isPublic }) => {
    const isWide = (seen: string | null) => seen !== null && /^(?:exported|public|protected)$/.test(seen)
    if (change === "visibility") {
      if (isWide(before) === isWide(after)) return []
      return [`${isWide(after) ? "added" : "removed"} ${file} ${name}`]
    }
    if (!isPublic && !(change === "renamed" && before !== null)) return []
    const isOfPython = file.endsWith(".py")
    if (isOfPython && !/^(?:function|method|class)$/.test(kind)) return []
    const isListed = isOfPython ? isPublicPython : file.endsWith(".go") ? isPublicGo : () => isPublic
    const wasPublic = before !== null && isListed(before)
    if (change === "renamed") {
      return [...(isPublic ? [`added ${file} ${name}`] : []), ...(wasPublic ? [`removed ${file} ${before}`] : [])]
    }
    if (change === "moved") return [`added ${file} ${name}`]
    if (change === "signature" && exported.has(`${file} ${name.split(".")[0]}`)) return []
    if (kind === "export" || kind === "implementation") return []
    // The text of an alias is its signature.
    if (change === "body") return kind === "type" && !file.endsWith(".go") ? [`signature ${file} ${name}`] : []
    return change === "async" ? [] : [`${change} ${file} ${name}`]
  }),
  ...values.flatMap(({ change, file, kind, name }) =>
    kind === "member" && !file.endsWith(".py") ? [`${change} ${file} ${name}`] : []
  )
]

interface Measured {
  readonly tool: ReadonlyArray<string>
  readonly brief: ReadonlyArray<string>
  readonly definitions: number
  readonly dependents: number
}

const measured = Effect.fnUntraced(function* (repository: string, commit: string) {
  const opened = yield* Git.use((git) => git.open(repository))
  const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit }))
  const layer = CodeLive.namesAndTypes.pipe(
    Layer.provideMerge(SymbolIndex.layer),
    Layer.provideMerge(SyntaxTrees.layer),
    Layer.provideMerge(SourcesGit.layer(opened, change)),
    Layer.provide([TreeSitter.layer, NoFacts.layer])
  )
  return yield* Effect.gen(function* () {
    const started = performance.now()
    const { found } = yield* definitionsOf(change)
    const between = performance.now()
    yield* dependentsOf(change, found.definitions, found.values)
    const ended = performance.now()
    const sources = yield* Sources
    const sides: Array<readonly [path: string, base: string, head: string]> = []
    for (const { hunks, newPath, oldPath, path } of change.diff.files) {
      if (!listed(path) || hunks.length === 0) continue
      const base = oldPath === null ? null : yield* sources.base(oldPath)
      const head = newPath === null ? null : yield* sources.head(newPath)
      const lines = head?._tag === "Text" ? head.lines : base?._tag === "Text" ? base.lines : []
      if (isMarkedGenerated(lines)) continue
      sides.push([path, base?._tag === "Text" ? base.text : "", head?._tag === "Text" ? head.text : ""])
    }
    const tool: Array<string> = []
    const moved = movedBy(found)
    const read = new Set<string>()
    for (const { ends, list } of languages) {
      const own = sides.filter(([path]) => ends.test(path))
      const texts = own.flatMap(([path, base, head]) => [[path, base] as const, [path, head] as const])
      const found = texts.length === 0 ? [] : list(texts)
      for (const [at, [path]] of own.entries()) {
        const [base, head] = [found[at * 2] ?? null, found[at * 2 + 1] ?? null]
        if (base === null || head === null) continue
        read.add(path)
        tool.push(...differences(path, base, head).filter((pair) => !moved.has(pair)))
      }
    }
    const brief = [...new Set(pairsOf(found, exportedBy(found)))].filter((pair) => read.has(pair.split(" ")[1] ?? ""))
    const aliases = new Set(tool.filter((pair) => pair.startsWith("signature ")))
    const result: Measured = {
      tool,
      // A new member of a union is a new text of the alias.
      brief: [
        ...new Set(
          brief.map((pair) => {
            const alias = pair.replace(/^(?:added|removed) (\S+) ([^.\s]+)\..*$/, "signature $1 $2")
            return !tool.includes(pair) && aliases.has(alias) ? alias : pair
          })
        )
      ],
      definitions: between - started,
      dependents: ended - between
    }
    return result
  }).pipe(Effect.provide(layer))
})

const commitsOf = (repository: string): ReadonlyArray<string> => {
  const log = Bun.spawnSync([
    "git",
    "-C",
    repository,
    "log",
    "--no-merges",
    "--format=%H",
    "-n",
    "2000",
    "--",
    ...languages.flatMap(({ globs }) => globs)
  ])
  const all = log.stdout.toString().trim().split("\n")
  const step = Math.max(1, Math.floor(all.length / commitsRead))
  return all.filter((_, at) => at % step === 0).slice(0, commitsRead)
}

for (const repository of repositories) {
  const [tool, brief, common] = [[0], [0], [0]]
  const [definitions, dependents]: [Array<number>, Array<number>] = [[], []]
  for (const commit of commitsOf(repository)) {
    const result = await Effect.runPromise(
      measured(repository, commit).pipe(
        Effect.provide(Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer)))
      )
    )
    const known = new Set(result.tool)
    const shared = result.brief.filter((pair) => known.has(pair))
    tool.push(result.tool.length)
    brief.push(result.brief.length)
    common.push(shared.length)
    definitions.push(result.definitions)
    dependents.push(result.dependents)
    if (!shows) continue
    for (const pair of result.tool)
      if (!result.brief.includes(pair)) console.log(`  ${commit.slice(0, 9)} only tool:  ${pair}`)
    for (const pair of result.brief) if (!known.has(pair)) console.log(`  ${commit.slice(0, 9)} only brief: ${pair}`)
  }
  const sum = (counts: ReadonlyArray<number>) => counts.reduce((a, b) => a + b, 0)
  const share = (part: number, whole: number) => (whole === 0 ? "-" : (part / whole).toFixed(3))
  console.log(
    `${basename(repository).padEnd(24)} ${sum(tool)} pairs of the tool, ${sum(brief)} of the brief, precision ${share(sum(common), sum(brief))}, recall ${share(sum(common), sum(tool))}, without a cache ${median(definitions).toFixed(0)} + ${median(dependents).toFixed(0)} ms`
  )
}
