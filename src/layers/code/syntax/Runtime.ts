/**
 * One instance of tree-sitter's WebAssembly runtime, bounded in memory and time.
 *
 * After a call has failed, the instance's memory can be in any state: the instance is retired and the next caller gets
 * a new one. The library has one instance for each copy of itself, so a new instance needs a new copy.
 */
import * as original from "web-tree-sitter"
import wasm from "web-tree-sitter/web-tree-sitter.wasm" with { type: "file" }
// @ts-expect-error The bundler embeds the file and returns its path; the package exports it under no name of its own.
import copy from "../../../../node_modules/web-tree-sitter/web-tree-sitter.cjs" with { type: "file" }
import { TreeNotRead } from "../../../services/code/SyntaxParser.ts"
import { embeddedFile } from "../../system/embeddedFile.ts"

const mebibyte = 1024 * 1024
const pageBytes = 64 * 1024

/**
 * For all trees, parsers and grammars together. An ordinary file of 1 MB takes about 20, a list of a million numbers
 * 170.
 */
const mostMebibytes = 320
/** With more than this in use, the next caller gets a new instance, so that enough memory is left for every text. */
const spentMebibytes = 200
/**
 * The library's own stack for compiled C has 64 KB, and an overflow silently overwrites the static data below it. This
 * one is larger than the engine's native stack, whose overflow is an error that can be caught.
 */
const stackMebibytes = 32
/** Freed when a parse has used up the rest, so that other trees of the instance can still be read to the end. */
const reserveMebibytes = 8

/** Calls that walk a tree: they are frequent, and each can take long. They only fail if the memory is used up. */
const walkingCalls = /^_ts_node_\w*(?:child|descendant|parent|sibling)/
const callsBetweenChecks = 32
/** Calls that parse, match and allocate. */
const failingCalls = /^_ts_(?!node_)/

type Library = typeof original
/** The object that the library is started with. It adds the compiled functions by name. */
type Module = Record<string, unknown>

export class Runtime {
  readonly library: Library
  readonly #module: Module
  #memory: WebAssembly.Memory | null
  readonly #reserve: unknown
  #isOver: (() => boolean) | null = null
  #calls = 0
  #isRetired = false
  #holders = 0

  private constructor(library: Library, module: Module, memory: WebAssembly.Memory) {
    this.library = library
    this.#module = module
    this.#memory = memory
    this.#reserve = this.#call("_malloc", reserveMebibytes * mebibyte)
    for (const [name, call] of Object.entries(module)) {
      if (typeof call !== "function") continue
      if (walkingCalls.test(name)) {
        // Called hundreds of thousands of times: named operands cost less than rest operands.
        module[name] = (a: unknown, b: unknown, c: unknown, d: unknown, e: unknown, f: unknown, g: unknown) => {
          if (++this.#calls % callsBetweenChecks === 0) this.check()
          return call(a, b, c, d, e, f, g)
        }
      } else if (failingCalls.test(name)) {
        module[name] = (...operands: ReadonlyArray<unknown>) => {
          try {
            return call(...operands)
          } catch (cause) {
            this.retire()
            throw cause
          }
        }
      }
    }
  }

  // @effect-diagnostics-next-line asyncFunction:off
  static async start(library: Library): Promise<Runtime> {
    const compiled = await WebAssembly.compile(await embeddedFile(wasm))
    const initial = (2 * stackMebibytes * mebibyte) / pageBytes
    const maximum = (mostMebibytes * mebibyte) / pageBytes
    const memory = new WebAssembly.Memory({ initial, maximum })
    const imported: Array<WebAssembly.Global> = []
    // The library adds its functions to this object and calls them there.
    const module: Module = {
      wasmMemory: memory,
      // Its messages before it aborts; the error is also thrown.
      printErr: () => undefined,
      instantiateWasm: (
        imports: Bun.WebAssembly.Imports & { readonly env: { readonly __stack_pointer: WebAssembly.Global } },
        receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void
      ) => {
        imported.push(imports.env.__stack_pointer)
        receive(new WebAssembly.Instance(compiled, imports), compiled)
      }
    }
    await library.Parser.init(module)
    newest = new Runtime(library, module, memory)
    const stack = newest.#call("_malloc", stackMebibytes * mebibyte)
    for (const stackPointer of imported) stackPointer.value = Number(stack) + stackMebibytes * mebibyte
    return newest
  }

  /** Trees of a spent instance can still be read; nothing new is parsed in it. */
  get isSpent(): boolean {
    return this.#isRetired || (this.#memory?.buffer.byteLength ?? 0) > spentMebibytes * mebibyte
  }

  /** Does work on trees of this instance; throws `TreeNotRead` soon after `isOver`. */
  within<A>(isOver: () => boolean, work: () => A): A {
    this.#isOver = isOver
    try {
      return work()
    } finally {
      this.#isOver = null
    }
  }

  check(): void {
    if (this.#isOver?.() === true) throw new TreeNotRead({ reason: "took too long" })
  }

  /** For calls with a progress callback, which return what they have when they are stopped. */
  interruptible<A>(call: (progressCallback: () => boolean) => A): A {
    const found = call(() => this.#isOver?.() === true)
    this.check()
    return found
  }

  #call(name: "_malloc" | "_free", operand: unknown): unknown {
    const call = this.#module[name]
    return typeof call === "function" ? call(operand) : undefined
  }

  /** A tree of this instance is in use. */
  hold(): void {
    this.#holders++
  }

  release(): void {
    this.#holders--
    this.#clearIfUnused()
  }

  /** Nothing in it is freed any more, because that could also fail: its memory is dropped completely. */
  retire(): void {
    if (this.#isRetired) return
    this.#isRetired = true
    this.#call("_free", this.#reserve)
    this.#disable(/_delete(?:_wasm)?$|^_free$/)
    this.#clearIfUnused()
  }

  /** The library keeps its module, and with it the memory, until the process ends. */
  #clearIfUnused(): void {
    if (!this.#isRetired || this.#holders > 0) return
    this.#disable(/^/)
    this.#memory = null
  }

  #disable(names: RegExp): void {
    for (const name of Object.keys(this.#module)) if (names.test(name)) this.#module[name] = () => undefined
  }
}

/** Each start loads a copy of the library that is never unloaded: after this many failures the last one is final. */
const mostFailedStarts = 3

let current: Promise<Runtime> | null = null
let newest: Runtime | null = null
let isOriginalUsed = false
let failedStarts = 0

/** The instance for the next parse. The promise is the same until the instance is spent or has failed to start. */
export const currentRuntime = (): Promise<Runtime> => {
  if (current !== null && newest?.isSpent !== true) return current
  newest?.retire()
  newest = null
  const library = isOriginalUsed ? anotherLibrary() : Promise.resolve(original)
  isOriginalUsed = true
  const starting = library.then(Runtime.start)
  starting.catch(() => {
    if (++failedStarts < mostFailedStarts) current = null
  })
  current = starting
  return starting
}

// @effect-diagnostics-next-line asyncFunction:off
const anotherLibrary = async (): Promise<Library> => {
  const source = await embeddedFile(copy)
  // Frees the memory of the previous instance, which can be large, first.
  Bun.gc(true)
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }))
  try {
    return await import(url)
  } finally {
    URL.revokeObjectURL(url)
  }
}

/** Why a call failed, for the reader; null for an error of another origin. */
export const failureReason = (cause: unknown): TreeNotRead["reason"] | null => {
  if (cause instanceof TreeNotRead) return cause.reason
  if (cause instanceof RangeError) return "nested too deeply"
  if (!(cause instanceof WebAssembly.RuntimeError)) return null
  // The parser aborts if it gets no memory.
  return cause.message.startsWith("Aborted") ? "needs too much memory" : "the parser failed"
}
