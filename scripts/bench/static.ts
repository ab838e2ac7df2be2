/**
 * What the static reviewer costs, without git and without the command around it. Run `bun scripts/bench/static.ts`.
 *
 * Once cold, grammars and queries included; then warm at 1, 2 and 4 times the size, by more files and by longer
 * ones. A ratio near 2 from one size to the next is linear; 4 would be quadratic.
 */
import { Effect, Layer, ManagedRuntime } from "effect"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import type { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"
import { RuleSet } from "../../src/services/finding/RuleSet.ts"
import { StaticReviewer } from "../../src/services/finding/StaticReviewer.ts"
import { changeOf, sourcesOf, type Texts } from "../../test/support/change.ts"

/** A few lines of ordinary code; `n` makes names and values differ. The `oops` lines are what rules claim. */
const pieces: Readonly<Record<string, (n: number) => string>> = {
  py: (n) => `
async def load_${n}(client, path, options=None):
    table = {"a": ${n}, "b": [1, 2, 3], "c": {"d": path}}
    for key, value in table.items():
        if value is None or key == "${n}":
            continue
        try:
            await client.send(f"{key}={value}", timeout=${n})
        except (KeyError, ValueError) as error:
            logger.warning("no %s: %s", key, error)
    return [item for item in table if item != path]
`,
  tsx: (n) => `
export const List${n} = ({ items, onOpen }: Props) => {
  const [open, setOpen] = useState(false)
  useEffect(() => { if (open) onOpen(${n}) }, [open, onOpen])
  const load = async (id: string) => {
    try { return await fetchItem({ id, page: ${n} }) } catch (error) { report(error) }
  }
  return <ul>{items.map((item) => <li key={item.id} onClick={() => load(item.id)}>{item.name ?? "none"}</li>)}</ul>
}
`,
  go: (n) => `
func Load${n}(ctx context.Context, path string) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("open %s: %w", path, err)
	}
	defer file.Close()
	for i := 0; i < ${n}; i++ {
		total += i
	}
	return total, nil
}
`,
  rs: (n) => `
pub fn load_${n}(path: &Path) -> Result<Vec<String>, Error> {
    let text = fs::read_to_string(path)?;
    let lines: Vec<String> = text.lines().filter(|line| line.len() > ${n}).map(String::from).collect();
    match lines.first() { Some(line) if line.is_empty() => Ok(vec![]), _ => Ok(lines) }
}
`
}

const oops: Readonly<Record<string, string>> = {
  py: "\ndef oops(x):\n    assert (x, 'always')\n",
  tsx: "\nexport const oops = (x: number) => x === Number.NaN\n"
}

const head: Readonly<Record<string, string>> = { go: "package m\n" }

/** `files` new files of about `lines` lines, in turn of each language; every tenth piece has a defect. */
const change = (files: number, lines: number): Texts => {
  const extensions = Object.keys(pieces)
  const texts: Record<string, readonly [null, string]> = {}
  for (let file = 0; file < files; file++) {
    const extension = extensions[file % extensions.length] ?? "py"
    const count = Math.round(lines / 10)
    const body = Array.from(
      { length: count },
      (_, n) => (pieces[extension]?.(n) ?? "") + (n % 10 === 9 ? (oops[extension] ?? "") : "")
    )
    texts[`src/m${file}.${extension}`] = [null, (head[extension] ?? "") + body.join("")]
  }
  return texts
}

const parsing = ManagedRuntime.make(TreeSitter.layer)

const review = async (parser: Layer.Layer<SyntaxParser>, texts: Texts) => {
  const reviewer = StaticReviewer.layer.pipe(Layer.provide(Layer.mergeAll(RuleSet.layer, sourcesOf(texts), parser)))
  const asked = changeOf(texts)
  const program = StaticReviewer.pipe(
    Effect.flatMap((service) => Effect.zip(service.review(asked, Object.keys(texts)), service.reviewChange(asked))),
    Effect.provide(reviewer)
  )
  const started = performance.now()
  const [files, whole] = await Effect.runPromise(program)
  for (const problem of [...files.problems, ...whole.problems]) console.log(problem.message, String(problem.cause))
  return { milliseconds: performance.now() - started, claims: files.records.length + whole.records.length }
}

const report = (name: string, { milliseconds, claims }: { milliseconds: number; claims: number }, before?: number) =>
  console.log(
    `${name.padEnd(34)} ${milliseconds.toFixed(0).padStart(6)} ms ${String(claims).padStart(6)} claims` +
      (before === undefined ? "" : `   ×${(milliseconds / before).toFixed(2)}`)
  )

report("cold: 10 files of 200 lines", await review(TreeSitter.layer, change(10, 200)))

const warm = Layer.succeedContext(await parsing.context())
const best = async (texts: Texts) => {
  const runs = [await review(warm, texts), await review(warm, texts), await review(warm, texts)]
  return runs.reduce((a, b) => (b.milliseconds < a.milliseconds ? b : a))
}
report("warm: 10 files of 200 lines", await best(change(10, 200)))

for (const [name, sized] of [
  ["files of 400 lines", (times: number) => [20 * times, 400] as const],
  ["lines a file, 4 files", (times: number) => [4, 2_000 * times] as const]
] as const) {
  let before: number | undefined
  for (const times of [1, 2, 4]) {
    const [files, lines] = sized(times)
    const outcome = await best(change(files, lines))
    report(`${times}x: ${name.startsWith("files") ? files : lines} ${name}`, outcome, before)
    before = outcome.milliseconds
  }
}
await parsing.dispose()
