/**
 * Syntax trees from tree-sitter, with runtime and grammars embedded in the binary.
 *
 * The runtime and each grammar are loaded on demand, once. A text is parsed once while its tree is recent
 * (`RecentTrees`). Parsers and queries are freed after the layer's scope has closed.
 */

import { Context, Effect, Layer } from "effect"
import type { Language, Node, Parser, Query, QueryOptions, Tree } from "web-tree-sitter"
import type { Grammar } from "../../../domain/change/Grammar.ts"
import type { Captures, Rows, SyntaxNode } from "../../../domain/code/Syntax.ts"
import { languages, supportedText } from "../../../languages/languages.ts"
import {
  deadlineMs,
  fileReadMs,
  maxBytes,
  maxDepth,
  NotParsed,
  type ParsedFile,
  QueriesTooSlow,
  QueryInvalid,
  queryAllowanceMs,
  readMs,
  SyntaxParser,
  TreeNotRead
} from "../../../services/code/SyntaxParser.ts"
import { systemErrorText } from "../../../services/system/systemErrorText.ts"
import { embeddedFile } from "../../system/embeddedFile.ts"
import { editedTree } from "./editedTree.ts"
import { RecentTrees } from "./RecentTrees.ts"
import { currentRuntime, failureReason, type Runtime } from "./Runtime.ts"
import { withScannerState } from "./withScannerState.ts"

/** For one query on one file; a query on hand-written code takes a hundredth of it. */
const queryDeadlineMs = 500
/** Up to this many ranges of rows are searched separately; more are searched as one. */
const mostRanges = 100
/** Matches in progress at the same time. */
const queryMatchLimit = 1_000

/** In milliseconds, of this thread: the limit of a file does not depend on the load of the machine. */
export const ProcessorTime = Context.Reference<() => number>("dd/layers/syntax/ProcessorTime", {
  defaultValue: () => {
    let readAt = 0
    let known = 0
    // The system call takes a microsecond, too long for every check of a limit.
    return () => {
      const wall = performance.now()
      if (wall - readAt < 1) return known
      const { system, user } = process.threadCpuUsage()
      readAt = wall
      known = (system + user) / 1000
      return known
    }
  }
})

/** Begins to load the runtime, while other fibers wait for git. A failure fails the parses that need it. */
export const begin: Effect.Effect<void> = Effect.sync(() => {
  void currentRuntime()
})

interface Loaded {
  readonly runtime: Runtime
  readonly language: Language
  readonly parser: Parser
  readonly queries: Map<string, Query>
  readonly trees: RecentTrees
}

/** Parsing is synchronous, so one parser for each grammar is enough. */
const make = Effect.fnUntraced(function* (soon: ReadonlyArray<Grammar>) {
  const loading = new Map<Grammar, Promise<Loaded>>()
  let loadingIn: Promise<Runtime> | null = null
  /** Texts that could not be parsed. Several reviewers read the same file, and each attempt takes time. */
  const refused = new Map<string, NotParsed>()
  const spentOnQueries = new Map<string, number>()

  // A promise, because it must outlive its first caller.
  // @effect-diagnostics-next-line asyncFunction:off
  const load = async (grammar: Grammar): Promise<Loaded> => {
    const [bytes, runtime] = await Promise.all([embeddedFile(languages[grammar].wasm), currentRuntime()])
    const { Language, Parser } = runtime.library
    try {
      const language = await Language.load(grammar === "swift" ? withScannerState(bytes) : bytes)
      const parser = new Parser().setLanguage(language)
      return { runtime, language, parser, queries: new Map(), trees: new RecentTrees() }
    } catch (cause) {
      // A text of another grammar may have used up the instance in the meantime.
      if (runtime.isSpent) return load(grammar)
      throw cause
    }
  }

  const free = ({ parser, queries, trees }: Loaded): void => {
    trees.clear()
    parser.delete()
    for (const query of queries.values()) query.delete()
  }
  // @effect-diagnostics-next-line asyncFunction:off
  const freeAll = async (): Promise<void> => {
    for (const entry of await Promise.allSettled(loading.values())) if (entry.status === "fulfilled") free(entry.value)
  }

  // Later, because the process usually ends here, and its memory with it.
  yield* Effect.addFinalizer(() => Effect.sync(() => setTimeout(freeAll, 1000).unref()))

  // A promise, not a cached effect: the interruption of the first caller must not interrupt the others.
  const promised = (grammar: Grammar): Promise<Loaded> => {
    const runtime = currentRuntime()
    // Grammars of another instance would keep its memory alive.
    if (runtime !== loadingIn) loading.clear()
    loadingIn = runtime
    const known = loading.get(grammar)
    if (known !== undefined) return known
    const fresh = load(grammar)
    loading.set(grammar, fresh)
    return fresh
  }

  // A failure fails the parses of that grammar.
  void Promise.allSettled(soon.map(promised))

  const grammarOf = (grammar: Grammar) =>
    Effect.tryPromise({
      try: () => promised(grammar),
      catch: (cause) =>
        new NotParsed({ grammar, reason: "grammar could not be loaded", detail: systemErrorText(cause) })
    })

  const parse: SyntaxParser["Service"]["parse"] = Effect.fnUntraced(function* (grammar, text, previous) {
    if (Buffer.byteLength(text) > maxBytes) return yield* new NotParsed({ grammar, reason: "too large" })
    const refusal = refused.get(text)
    if (refusal?.grammar === grammar) return yield* refusal
    const { language, parser, queries, runtime, trees } = yield* grammarOf(grammar)
    const now = yield* ProcessorTime

    /** Runs work under a time limit of the runtime. */
    const bounded = <A>(milliseconds: number, work: () => A): A => {
      const end = now() + milliseconds
      return runtime.within(() => now() > end, work)
    }

    const parseText = (): Tree => {
      const end = now() + deadlineMs
      const progressCallback = () => now() > end
      // The tree reads the texts of its nodes through this function as well.
      let source = text
      const input = (index: number) => {
        runtime.check()
        return source.slice(index)
      }
      const parsed = () => {
        const first = parser.parse(input, null, { progressCallback })
        if (first?.rootNode.hasError !== true) return first
        source = supportedText(grammar, text)
        const second = source === text ? null : parser.parse(input, null, { progressCallback })
        source = text
        if (second === null) return first
        first.delete()
        return second
      }
      const known = previous === undefined ? null : trees.get(previous.text)
      const again = known === null || previous === undefined ? null : editedTree(known, previous, text)
      const quick = again === null ? null : parser.parse(input, again, { progressCallback })
      again?.delete()
      // Error recovery can depend on the edits; a complete parse always gives the same tree.
      const isSure = quick !== null && !quick.rootNode.hasError
      if (!isSure) quick?.delete()
      const tree = isSure ? quick : parsed()
      if (tree === null) {
        // Otherwise the parser would continue with this text when it gets the next one.
        parser.reset()
        throw new TreeNotRead({ reason: "took too long" })
      }
      if (!isDeep(tree)) return tree
      tree.delete()
      throw new TreeNotRead({ reason: "nested too deeply" })
    }

    const hold = Effect.try({
      try: () => {
        const held = bounded(deadlineMs + haltMs, () => trees.hold(text, parseText))
        runtime.hold()
        return held
      },
      catch: (cause) => new NotParsed({ grammar, reason: notRead(cause).reason })
    }).pipe(Effect.tapError((error) => Effect.sync(() => refused.set(text, error))))
    const held = yield* Effect.acquireRelease(
      // Another text may have used up the instance in the meantime.
      Effect.suspend(() => (runtime.isSpent ? Effect.succeed(null) : hold)),
      (held) =>
        Effect.sync(() => {
          if (held === null) return
          trees.release(held)
          runtime.release()
        })
    )
    if (held === null) return yield* parse(grammar, text, previous)
    const root: SyntaxNode = held.root

    const readUntil = <A>(work: () => A): A => {
      const started = now()
      try {
        return bounded(Math.min(readMs, fileReadMs - held.readMs), work)
      } finally {
        held.readMs += now() - started
      }
    }

    const read = <A>(reader: (root: SyntaxNode) => A) =>
      Effect.try({ try: () => readUntil(() => reader(root)), catch: notRead })

    const queryFailed = (query: string) => (cause: unknown) =>
      failureReason(cause) === null ? new QueryInvalid({ grammar, query, cause }) : notRead(cause)

    const nodes: ParsedFile["nodes"] = (types, rows) =>
      Effect.try({
        try: () => readUntil(() => (rows?.length === 0 ? [] : nodesOf(held.root, types, rows ?? []))),
        catch: notRead
      })

    const query = Effect.fnUntraced(function* (text: string, owner: string, rows?: ReadonlyArray<Rows>) {
      if (rows?.length === 0) return []
      const tooSlow = new QueriesTooSlow({ grammar, milliseconds: queryAllowanceMs })
      const left = queryAllowanceMs - (spentOnQueries.get(owner) ?? 0)
      if (left <= 0) return yield* tooSlow
      const started = now()
      const spent = () => now() - started
      const found = yield* Effect.try({
        try: () => {
          const known = queries.get(text)
          const query = known ?? new runtime.library.Query(language, text)
          if (known === undefined) queries.set(text, query)
          const progressCallback = () => spent() > Math.min(left, queryDeadlineMs)
          const matches = query.matches(held.root, { ...rangeOf(rows), matchLimit: queryMatchLimit, progressCallback })
          return matches.map(({ captures }) => capturesOf(captures)).sort(bySource)
        },
        catch: queryFailed(text)
      }).pipe(Effect.ensuring(Effect.sync(() => spentOnQueries.set(owner, queryAllowanceMs - left + spent()))))
      // Stopped early: the matches so far depend on the machine.
      if (spent() > queryDeadlineMs) return yield* tooSlow
      return found
    })

    return { root, read, nodes, query }
  })

  return SyntaxParser.of({ parse })
})

/** Begins to load the grammars that are needed `soon`, while other fibers wait for git. */
export const layerFor = (soon: ReadonlyArray<Grammar>): Layer.Layer<SyntaxParser> =>
  Layer.effect(SyntaxParser, make(soon))

export const layer: Layer.Layer<SyntaxParser> = layerFor([])

/** Extra time for a parser to stop by itself; one that is interrupted during a step costs a new runtime. */
const haltMs = 500

/** The limit or the failure of the runtime as an error; any other cause is thrown again. */
const notRead = (cause: unknown): TreeNotRead => {
  const reason = failureReason(cause)
  if (reason === null) throw cause
  return new TreeNotRead({ reason })
}

/**
 * Whether the tree is too deep for readers that recurse. Nodes are numbered from the top down, and a node at twice
 * `maxDepth` has more than `maxDepth` numbers before it that are all at least `maxDepth` deep, so a check of one node
 * in `maxDepth` finds them.
 */
const isDeep = (tree: Tree): boolean => {
  const nodes = tree.rootNode.descendantCount
  const cursor = tree.walk()
  for (let at = 0; at < nodes && cursor.currentDepth < maxDepth; at += maxDepth) cursor.gotoDescendant(at)
  const isDeep = cursor.currentDepth >= maxDepth
  cursor.delete()
  return isDeep
}

/** The named nodes of these types that touch one of the ranges of rows; without ranges, all of them. */
const nodesOf = (root: Node, types: ReadonlyArray<string>, rows: ReadonlyArray<Rows>): ReadonlyArray<SyntaxNode> => {
  if (types.length === 0) return []
  const ranges = rows.length > 0 && rows.length <= mostRanges ? rows.map((run) => rangeOf([run])) : [rangeOf(rows)]
  // A node around two ranges is found for each of them.
  const found = new Map<number, Node>()
  for (const range of ranges) {
    for (const node of root.descendantsOfType([...types], range?.startPosition, range?.endPosition)) {
      if (node.isNamed) found.set(node.id, node)
    }
  }
  return [...found.values()]
}

type Range = Required<Pick<QueryOptions, "startPosition" | "endPosition">>

/** From the first to the last of the rows. */
const rangeOf = (rows: ReadonlyArray<Rows> | undefined): Range | undefined => {
  const [first, last] = [rows?.[0], rows?.at(-1)]
  if (first === undefined || last === undefined) return undefined
  return { startPosition: { row: first.first, column: 0 }, endPosition: { row: last.last + 1, column: 0 } }
}

const capturesOf = (captures: ReadonlyArray<{ readonly name: string; readonly node: SyntaxNode }>): Captures => {
  const byName: Record<string, Array<SyntaxNode>> = {}
  for (const { name, node } of captures) {
    const known = byName[name]
    if (known === undefined) byName[name] = [node]
    else known.push(node)
  }
  return byName
}

/** The start of the match's first captured node; tree-sitter itself orders matches by their ends. */
const startOf = (captures: Captures): number => {
  let start = Number.POSITIVE_INFINITY
  for (const nodes of Object.values(captures)) for (const node of nodes) start = Math.min(start, node.startIndex)
  return start
}

const bySource = (a: Captures, b: Captures): number => startOf(a) - startOf(b) || 0
