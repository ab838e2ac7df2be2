/**
 * Draws what a command shows on a terminal as an SVG: `bun scripts/screen.ts OUT.svg [--columns N] [--light] [--at MS] -- COMMAND...`.
 *
 * The command runs on a real terminal of N columns (80). The picture has every line that it leaves there or, with --at, the screen
 * after so many milliseconds. Paths of the home directory are shown as ~.
 */
import { writeFileSync } from "node:fs"
import { basename } from "node:path"
import { parseArgs } from "node:util"
import { type IBufferCell, Terminal } from "@xterm/headless"

const rows = 50

export interface Shot {
  readonly columns: number
  readonly light: boolean
  /** In milliseconds; undefined: when the command has ended. */
  readonly at: number | undefined
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Runs the command on a terminal and draws its screen. */
export const draw = async (command: ReadonlyArray<string>, shot: Shot): Promise<string> => {
  const title = `What ${[basename(command[0] ?? ""), ...command.slice(1)].join(" ")} shows`
  const svg = svgOf(await shown(command, shot), title, shot.light ? light : dark)
  const home = shot.env.HOME ?? ""
  return home === "" ? svg : svg.replaceAll(`${home}/`, "~/")
}

/** Waits until the command ends or until `at`; then the screen is read. */
const shown = async (command: ReadonlyArray<string>, { at, columns: cols, cwd, env }: Shot): Promise<Terminal> => {
  const screen = new Terminal({ cols, rows, scrollback: 100_000, allowProposedApi: true })
  const terminal = { cols, rows, data: (_: unknown, bytes: Uint8Array) => screen.write(bytes) }
  const child = Bun.spawn([...command], { cwd, env: { ...env }, terminal })
  await (at === undefined ? child.exited : Promise.race([child.exited, Bun.sleep(at)]))
  if (child.exitCode === null) child.kill()
  await Bun.sleep(100)
  await new Promise<void>((done) => screen.write("", done))
  return screen
}

interface Theme {
  readonly back: string
  readonly fore: string
  readonly colours: ReadonlyArray<string>
}

/** The first sixteen colours, as terminals with these backgrounds have them. */
const dark: Theme = {
  back: "#1e1e1e",
  fore: "#d4d4d4",
  colours: [
    ...["#1e1e1e", "#f14c4c", "#23d18b", "#e5c07b", "#4fa6ed", "#d670d6", "#29b8db", "#d4d4d4"],
    ...["#808080", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff"]
  ]
}
const light: Theme = {
  back: "#ffffff",
  fore: "#24292f",
  colours: [
    ...["#24292f", "#cf222e", "#116329", "#9a6700", "#0969da", "#8250df", "#1b7c83", "#6e7781"],
    ...["#57606a", "#a40e26", "#1a7f37", "#633c01", "#218bff", "#a475f9", "#3192aa", "#8c959f"]
  ]
}

const size = { width: 8.43, line: 19, edge: 14, font: 14 }

const styleOf = (cell: IBufferCell, { colours, fore }: Theme): string => {
  const colour = cell.isFgPalette() ? (colours[cell.getFgColor()] ?? fore) : fore
  return [
    colour === fore ? "" : ` fill="${colour}"`,
    cell.isBold() ? ' font-weight="bold"' : "",
    cell.isItalic() ? ' font-style="italic"' : "",
    cell.isUnderline() ? ' text-decoration="underline"' : "",
    cell.isDim() ? ' opacity="0.6"' : ""
  ].join("")
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** One element for each run of equal style, at its column, so that no font can shift the carets. */
const rowOf = (screen: Terminal, at: number, theme: Theme): string => {
  const line = screen.buffer.active.getLine(at)
  const runs: Array<{ style: string; from: number; text: string; cells: number }> = []
  for (let column = 0; line !== undefined && column < screen.cols; column++) {
    const cell = line.getCell(column)
    if (cell === undefined || cell.getWidth() === 0) continue
    const style = styleOf(cell, theme)
    const text = cell.getChars() || " "
    const run = runs.at(-1)
    if (run?.style === style) {
      run.text += text
      run.cells += cell.getWidth()
    } else runs.push({ style, from: column, text, cells: cell.getWidth() })
  }
  const y = size.edge + at * size.line + size.font
  return runs
    .filter(({ text }) => text.trim() !== "")
    .map(
      ({ cells, from, style, text }) =>
        `<text x="${(size.edge + from * size.width).toFixed(1)}" y="${y}" textLength="${(cells * size.width).toFixed(1)}"${style}>${escaped(text)}</text>`
    )
    .join("\n")
}

const svgOf = (screen: Terminal, title: string, theme: Theme): string => {
  const { length } = screen.buffer.active
  let used = length
  while (used > 1 && screen.buffer.active.getLine(used - 1)?.translateToString(true) === "") used--
  const width = Math.ceil(size.edge * 2 + screen.cols * size.width)
  const height = size.edge * 2 + used * size.line
  const drawn = Array.from({ length: used }, (_, at) => rowOf(screen, at, theme)).filter((row) => row !== "")
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="${theme.back}"/>
<g fill="${theme.fore}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${size.font}" xml:space="preserve">
${drawn.join("\n")}
</g>
</svg>
`
}

if (import.meta.main) {
  const given = process.argv.slice(2)
  const split = given.indexOf("--")
  const { positionals, values } = parseArgs({
    args: split < 0 ? given : given.slice(0, split),
    allowPositionals: true,
    options: {
      columns: { type: "string", default: "80" },
      light: { type: "boolean", default: false },
      at: { type: "string" }
    }
  })
  const command = split < 0 ? [] : given.slice(split + 1)
  const [out] = positionals
  if (out === undefined || command.length === 0) {
    console.error("usage: bun scripts/screen.ts OUT.svg [--columns N] [--light] [--at MS] -- COMMAND...")
    process.exit(2)
  }
  const at = values.at === undefined ? undefined : Number(values.at)
  const shot = { columns: Number(values.columns), light: values.light, at, cwd: process.cwd(), env: process.env }
  writeFileSync(out, await draw(command, shot))
}
