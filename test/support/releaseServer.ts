/** A release of fake programs on a server of its own, in the layout that the installers and `dd self-update` read. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tar, xz } from "../../scripts/release/archive.ts"

export type ReleaseServer = {
  readonly url: string
  /** Changes what is served for an archive. */
  readonly serve: (answer: "archive" | "cut" | "damaged" | "missing") => void
  readonly [Symbol.dispose]: () => void
}

/** `program` is the text of the program in the archive for this target. */
export const releaseServer = async (version: string, target: string, program: string): Promise<ReleaseServer> => {
  const name = `daydream-${version}-${target}`
  const archive = await xz(
    await tar(name, [{ name: "daydream", content: program, isProgram: true }], new Date(0)),
    "-1"
  )
  const sum = new Bun.CryptoHasher("sha256").update(archive).digest("hex")
  const sums = `${"0".repeat(64)}  daydream-${version}-other-target.tar.xz\n${sum}  ${name}.tar.xz\n`
  let answer = "archive"
  const archiveResponse = (): Response => {
    if (answer === "missing") return new Response("none", { status: 404 })
    if (answer === "damaged") return new Response(archive.toReversed())
    return new Response(archive)
  }
  // Ends after half of the body it has announced, as a lost connection does.
  const cut = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data: (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${archive.length}\r\nConnection: close\r\n\r\n`)
        socket.write(archive.subarray(0, archive.length / 2))
        socket.end()
      }
    }
  })
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      const path = new URL(url).pathname
      const file = [`/releases/latest/download/`, `/releases/download/${version}/`].find((folder) =>
        path.startsWith(folder)
      )
      const wanted = file === undefined ? "" : path.slice(file.length)
      if (wanted === "SHA256SUMS") return new Response(sums)
      if (wanted !== `${name}.tar.xz`) return new Response("none", { status: 404 })
      return answer === "cut" ? Response.redirect(`http://127.0.0.1:${cut.port}/`, 302) : archiveResponse()
    }
  })
  return {
    url: `http://127.0.0.1:${server.port}/releases`,
    serve: (next) => {
      answer = next
    },
    [Symbol.dispose]: () => {
      cut.stop(true)
      void server.stop(true)
    }
  }
}

/** A program that says this version, and nothing else. */
export const programOfVersion = (version: string): string => `#!/bin/sh\necho 'dd ${version}'\n`

/** A directory of programs of this name. */
export const programsIn = (directory: string, programs: Readonly<Record<string, string>>): string => {
  mkdirSync(directory, { recursive: true })
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(directory, name), text, { mode: 0o755 })
  return directory
}
