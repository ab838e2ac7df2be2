/**
 * A local HTTP server that answers byte by byte what a test says, and knows what became of each connection.
 *
 * It listens on loopback, on a free port, and is closed with the scope.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"

/** A request, as it came. */
export interface Heard {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body where it is JSON, else null. */
  readonly body: Record<string, unknown> | null
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent in this order, each in a write of its own. */
  readonly pieces: ReadonlyArray<string | Uint8Array>
  /** What is sent after the first piece waits for it. */
  readonly rest?: Promise<void>
  /** `close`: the body ends. `cut`: the connection is reset in the middle. `hold`: nothing more comes. */
  readonly end?: "close" | "cut" | "hold"
}

export interface WireServer {
  readonly url: string
  readonly port: number
  readonly heard: ReadonlyArray<Heard>
  /** How many requests are open, and how many the other side has called off. */
  readonly open: () => number
  readonly dropped: () => number
  /** Resolves when the nth request (from 0) has its headers and first pieces; never rejects. */
  readonly answering: (nth: number) => Promise<void>
  /** Resolves when no request is open. */
  readonly quiet: () => Promise<void>
  readonly close: () => Promise<void>
}

export const startServer = async (
  answer: (heard: Heard, nth: number) => Reply | Promise<Reply>,
  port = 0
): Promise<WireServer> => {
  const heard: Array<Heard> = []
  let open = 0
  let dropped = 0
  const marks = new Map<number, PromiseWithResolvers<void>>()
  let waiting: Array<() => void> = []
  const mark = (nth: number): PromiseWithResolvers<void> => {
    const known = marks.get(nth) ?? Promise.withResolvers<void>()
    marks.set(nth, known)
    return known
  }

  const server = createServer((request, response) => {
    open++
    let finished = false
    response.on("finish", () => {
      finished = true
    })
    response.on("close", () => {
      open--
      if (!finished) dropped++
      if (open > 0) return
      for (const resume of waiting) resume()
      waiting = []
    })
    const chunks: Array<Buffer> = []
    request.on("error", () => response.destroy())
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8")
      const nth = heard.length
      const one = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        text,
        body: objectIn(text)
      }
      heard.push(one)
      void Promise.resolve(answer(one, nth)).then((reply) => send(response, reply, () => mark(nth).resolve()))
    })
  })
  server.keepAliveTimeout = 1000
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const address = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    heard,
    open: () => open,
    dropped: () => dropped,
    answering: (nth) => mark(nth).promise,
    quiet: () => (open === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** The same, closed with the scope. */
export const wireServer = (
  answer: (heard: Heard, nth: number) => Reply | Promise<Reply>
): Effect.Effect<WireServer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => startServer(answer)),
    (server) => Effect.promise(() => server.close())
  )

const send = async (response: ServerResponse, reply: Reply, began: () => void): Promise<void> => {
  response.socket?.setNoDelay(true)
  response.writeHead(reply.status ?? 200, { "content-type": "text/event-stream", ...reply.headers })
  response.flushHeaders()
  for (const piece of reply.pieces) {
    if (response.destroyed) break
    response.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
    await reply.rest
  }
  began()
  if (reply.end === "hold") return
  if (reply.end === "cut") response.socket?.destroy()
  else response.end()
}

const objectIn = (text: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
