/**
 * Builds the one binary, `dist/dd`, and its second name `dist/daydream`. Run `bun scripts/compile.ts [directory]`.
 *
 * The same sources give the same bytes. The files appear whole or not at all, so a program that is running, or about
 * to be run, is never half written.
 */
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type BunPlugin, Glob } from "bun"
import { releasesUrl } from "./release/releasesUrl.ts"

const root = join(import.meta.dir, "..")

const hook = "src/layers/dream/recordHookEvent.ts"

/** What the binary is made of besides src/: a binary older than one of these is out of date. */
const ingredients = ["scripts/compile.ts", "package.json", "bun.lock", "tsconfig.json"]

/** What was built: `bytes` is the size of one file, `milliseconds` the time it took. */
export type Compiled = { readonly path: string; readonly bytes: number; readonly milliseconds: number }

/** A program for one system: the name of its release, and the runtime of Bun that it is built on, null for the one that runs this. */
export type Target = { readonly name: string; readonly runtime: Bun.Build.CompileTarget | null }

/** This machine. */
const here: Target = {
  name: `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`,
  runtime: null
}

/** Compiles into `directory` (relative to the repository) and rejects with the compiler's messages when it cannot. */
export const compile = async (directory = "dist"): Promise<Compiled> => {
  const started = performance.now()
  const folder = join(root, directory)
  mkdirSync(folder, { recursive: true })
  const scratch = mkdtempSync(join(folder, ".build-"))
  try {
    const built = join(scratch, "dd")
    await build(built, here)
    const twin = join(scratch, "daydream")
    try {
      linkSync(built, twin)
    } catch {
      // Some file systems have no hard links; a copy is the same program in twice the space.
      copyFileSync(built, twin)
    }
    renameSync(built, join(folder, "dd"))
    renameSync(twin, join(folder, "daydream"))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  const path = join(folder, "dd")
  return { path, bytes: statSync(path).size, milliseconds: performance.now() - started }
}

/** Builds one program. Resolves with the files that it is made of, relative to the repository. */
export const build = async (outfile: string, { name, runtime }: Target): Promise<ReadonlyArray<string>> => {
  // Broken pages of rules, and pages without their check, are reported here: the bundler does not see them.
  await import("../src/rules/catalogue.ts")
  const packed = await packedModules()
  const { logs, metafile, success } = await Bun.build({
    // The hook, which main imports, as a second one: it starts 2 % faster than as a chunk among others.
    entrypoints: [join(root, "src/cli/main.ts"), join(root, hook)],
    root,
    compile: {
      outfile,
      ...(runtime === null ? {} : { target: runtime }),
      // In a deleted directory Bun exits with 1, which means findings. With this option it starts, and dd reports the
      // error. The binary needs /proc in any case.
      ...(name.startsWith("linux") ? { execArgv: ["--cwd=/proc/self/cwd"] } : {}),
      // Nothing in the current directory may run: docs/decisions/0005.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false
    },
    target: "bun",
    format: "esm",
    minify: true,
    bytecode: true,
    // Keeps the application out of the first file, so that the hand-over and --version do not wait for Effect.
    splitting: true,
    // Not in the program: it is 8 MB, and read for a stack trace only.
    sourcemap: "none",
    metafile: true,
    define: {
      DD_BUILD: JSON.stringify({ ...commit(), target: name, releases: releasesUrl }),
      DD_FACTS_VERSION: JSON.stringify(factsVersion())
    },
    files: { ...(await hookAlone()), ...(await vocabularies()), ...(await grammars()), ...packed.files },
    throw: false
  })
  if (!success) throw new Error(logs.join("\n"))
  return [...Object.keys(metafile?.inputs ?? {}), ...packed.inputs].sort()
}

/** The commit that is built, and its time in ISO 8601, so that a build of one commit is always the same. Null without git. */
export const commit = (): { readonly commit: string | null; readonly time: string | null } => {
  const git = (...args: ReadonlyArray<string>): string | null => {
    // Also where the repository belongs to another user, as in a container.
    const { stdout, success } = Bun.spawnSync(["git", "-c", `safe.directory=${root}`, "-C", root, ...args], {
      stderr: "ignore"
    })
    return success ? stdout.toString().trim() : null
  }
  const seconds = process.env.SOURCE_DATE_EPOCH ?? git("show", "--no-patch", "--format=%ct")
  return {
    commit: git("describe", "--always", "--exclude=*", "--abbrev=12", "--dirty=-modified"),
    time: seconds === null ? null : new Date(Number(seconds) * 1000).toISOString()
  }
}

/**
 * Makes one chunk of the code of `dd hook event`, and one of each file that it imports dynamically, with copies of what other commands
 * use too. Otherwise it would load four chunks at each event, and five more for an event with a secret.
 *
 * As files, because a build with plugins gives other bytes each time.
 */
const hookAlone = async (): Promise<Readonly<Record<string, string>>> => {
  const copyOf = (path: string): string => path.replace(/\.ts$/, ".alone.js")
  const files: Record<string, string> = {}
  const entry = join(root, hook)
  files[entry] = await alone(entry, (path) => {
    files[copyOf(path)] = ""
    return copyOf(path)
  })
  for (const copy of Object.keys(files)
    .filter((path) => path !== entry)
    .sort()) {
    files[copy] = await alone(copy.replace(/\.alone\.js$/, ".ts"), (path) => path)
  }
  return files
}

/** The text of a file with all that it imports statically. `named`: the path of what it imports dynamically, which is absolute. */
const alone = async (entry: string, named: (path: string) => string): Promise<string> => {
  const lazy: BunPlugin = {
    name: "lazy",
    setup: (build) => {
      build.onResolve({ filter: /^\./ }, ({ importer, kind, path }) =>
        kind === "dynamic-import"
          ? { path: named(Bun.resolveSync(path, dirname(importer))), external: true }
          : undefined
      )
    }
  }
  const { logs, outputs, success } = await Bun.build({
    entrypoints: [entry],
    root,
    target: "bun",
    format: "esm",
    plugins: [lazy],
    throw: false
  })
  if (!success || outputs[0] === undefined) throw new Error(logs.join("\n"))
  return outputs[0].text()
}

type Files = Readonly<Record<string, string | Uint8Array>>

/** Level 22 makes them 12 % smaller and takes thirty times as long. */
const compressed = (bytes: string | Uint8Array): Uint8Array => Bun.zstdCompressSync(bytes, { level: 9 })

/**
 * The vocabularies of the tokenizer as files. As arrays in code, their 300,000 strings are in the table of all strings that each start
 * of the binary prepares, whatever it does.
 */
const vocabularies = async (): Promise<Files> => {
  const files: Record<string, string | Uint8Array> = {}
  for (const encoding of ["o200k_base", "cl100k_base"]) {
    const path = Bun.resolveSync(`gpt-tokenizer/bpeRanks/${encoding}`, root)
    const ranks: { readonly default: ReadonlyArray<unknown> } = await import(path)
    const data = path.replace(/\.js$/, ".ranks")
    files[data] = compressed(JSON.stringify(ranks.default))
    files[path] = `import data from "./${basename(data)}" with { type: "file" }
import { readFileSync } from "node:fs"
export default JSON.parse(Bun.zstdDecompressSync(readFileSync(data)).toString())`
  }
  return files
}

/** The grammars, and tree-sitter itself, compressed: 27 MB become 2. `embeddedFile` opens them. */
const grammars = async (): Promise<Files> => {
  const { languages } = await import("../src/languages/languages.ts")
  const runtime = Bun.resolveSync("web-tree-sitter/web-tree-sitter.wasm", root)
  const paths = [...Object.values(languages).map(({ wasm }) => wasm), runtime, runtime.replace(/wasm$/, "cjs")]
  return Object.fromEntries(paths.map((path) => [path, compressed(readFileSync(path))]))
}

/** Modules that few runs load, and what dd uses of them. */
const rarelyUsed: Readonly<Record<string, string>> = {
  openai: "OpenAI",
  "@anthropic-ai/sdk": "Anthropic",
  "@anthropic-ai/bedrock-sdk": "AnthropicBedrock",
  "@anthropic-ai/vertex-sdk": "AnthropicVertex",
  "google-auth-library": "GoogleAuth"
}

/** Each of these modules with all that it imports as one compressed file, without bytecode, which takes twice the space of the code. */
const packedModules = async (): Promise<{ readonly files: Files; readonly inputs: ReadonlyArray<string> }> => {
  const files: Record<string, string | Uint8Array> = {}
  const inputs: Array<string> = []
  for (const [name, exported] of Object.entries(rarelyUsed)) {
    const path = Bun.resolveSync(name, root)
    const entry = join(root, "packed.js")
    const { logs, metafile, outputs, success } = await Bun.build({
      entrypoints: [entry],
      files: { [entry]: `export { ${exported} } from ${JSON.stringify(name)}` },
      root,
      target: "bun",
      format: "esm",
      minify: true,
      metafile: true,
      throw: false
    })
    if (!success || outputs[0] === undefined) throw new Error(logs.join("\n"))
    inputs.push(...Object.keys(metafile?.inputs ?? {}))
    files[`${path}.packed`] = compressed(await outputs[0].text())
    files[path] = `import data from "./${basename(path)}.packed" with { type: "file" }
import { readFileSync } from "node:fs"
const code = new Blob([Bun.zstdDecompressSync(readFileSync(data))], { type: "text/javascript" })
export const { ${exported} } = await import(URL.createObjectURL(code))`
  }
  return { files, inputs }
}

/** A digest of everything that decides what is read from a file's text: what another version remembers is not used. */
const factsVersion = (): string => {
  // A brace may not hold a slash: Bun's glob then finds nothing.
  const patterns = ["src/{domain,languages,rules,services}/**/*.ts", "src/layers/code/syntax/*.ts"]
  const readers = patterns.map((pattern) => [...new Glob(pattern).scanSync(root)])
  if (readers.some((found) => found.length === 0)) throw new Error("the sources of the symbol readers were not found")
  const digest = new Bun.CryptoHasher("sha256")
  for (const file of [...readers.flat(), "bun.lock"].sort()) {
    digest.update(`${file}\n`).update(readFileSync(join(root, file)))
  }
  return digest.digest("hex").slice(0, 16)
}

/** Whether `dist/dd` is missing or older than something it is made of. */
export const isOutOfDate = (): boolean => {
  const built = statSync(join(root, "dist/dd"), { throwIfNoEntry: false })
  if (built === undefined) return true
  const sources = new Glob("src/**/*.{ts,wasm,md}").scanSync(root)
  return [...ingredients, ...sources].some((file) => statSync(join(root, file)).mtimeMs > built.mtimeMs)
}

if (import.meta.main) {
  try {
    const { path, bytes, milliseconds } = await compile(process.argv[2])
    const size = (bytes / 1024 / 1024).toFixed(1)
    console.log(`compiled ${path} (and daydream beside it): ${size} MiB in ${(milliseconds / 1000).toFixed(1)} s`)
  } catch (error) {
    console.error(`dist/dd could not be compiled:\n${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}
