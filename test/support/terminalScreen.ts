/** A command on a real terminal whose screen tests read, and a git that they hold. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Terminal } from "@xterm/headless"
import { systemPath } from "./process.ts"

const rows = 40

export const onTerminal = (
  command: ReadonlyArray<string>,
  { columns = 80, cwd, env }: { readonly columns?: number; readonly cwd: string; readonly env: Record<string, string> }
) => {
  const screen = new Terminal({ cols: columns, rows, scrollback: 1000, allowProposedApi: true })
  const waiting = new Set<() => void>()
  let printed = ""
  const child = Bun.spawn([...command], {
    cwd,
    env: { TERM: "xterm", ...env },
    terminal: {
      cols: columns,
      rows,
      data: (_, bytes) => {
        printed += new TextDecoder().decode(bytes)
        screen.write(bytes, () => {
          for (const look of waiting) look()
        })
      }
    }
  })
  const lines = () =>
    Array.from({ length: screen.buffer.active.length }, (_, at) =>
      screen.buffer.active.getLine(at)!.translateToString(true)
    ).filter((line) => line !== "")
  const isShown = (text: RegExp) => text.test(lines().join("\n"))
  return {
    child,
    /** Everything that was printed, also what was erased. */
    printed: () => printed,
    /** Waits until the screen shows it. */
    shows: (text: RegExp) =>
      new Promise<void>((done) => {
        const look = () => {
          if (!isShown(text)) return
          waiting.delete(look)
          done()
        }
        waiting.add(look)
        look()
      }),
    type: (keys: string) => child.terminal?.write(keys),
    resize: (width: number) => {
      screen.resize(width, rows)
      child.terminal?.resize(width, rows)
    },
    /** The lines of the screen after the end of the command. */
    ended: async () => {
      await child.exited
      await new Promise<void>((done) => screen.write("", done))
      return lines()
    }
  }
}

/** A PATH whose git waits until it is released before it reads the history. */
export const heldGit = (directory: string, held = '*" log "*" --raw "*') => {
  const bin = join(directory, "held")
  const released = join(bin, "released")
  mkdirSync(bin)
  const real = systemPath
    .split(":")
    .map((folder) => join(folder, "git"))
    .find(existsSync)
  const wait = `while [ ! -e '${released}' ]; do sleep 0.02; done`
  writeFileSync(join(bin, "git"), `#!/bin/sh\ncase " $* " in ${held}) ${wait};; esac\nexec '${real}' "$@"\n`)
  chmodSync(join(bin, "git"), 0o755)
  return { path: `${bin}:${systemPath}`, release: () => writeFileSync(released, "") }
}
