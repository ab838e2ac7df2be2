/**
 * What the structure findings see and what they make up. Run `bun scripts/bench/structureBreakages.ts REPOSITORY [count] [seed]`.
 *
 * In a clone that is thrown away afterwards it breaks, in one commit each, what holds a repository's files together: a
 * member is added to a type whose members a planted `switch` goes through, a parent's method asks for one more argument,
 * an interface for one more method, an import closes a circle or leads nowhere. Each has a harmless twin. Subjects are
 * found by text alone. The compiled binary reviews each commit: language, kind, made, found or wrongly reported.
 */
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { git, openScratchClone, shuffler } from "./scratchClone.ts"
import { type Enumeration, folderOf, type Language, languagesOf, type Pair } from "./structureLanguages.ts"

const [repository, count = "8", seed = "1"] = process.argv.slice(2)
if (repository === undefined) {
  console.error("usage: bun scripts/bench/structureBreakages.ts REPOSITORY [count] [seed]")
  process.exit(2)
}

const scratch = openScratchClone("structure")
const { clone, read, write } = scratch
const shuffled = shuffler(Number(seed))

const sources = [
  "*.py",
  "*.ts",
  "*.tsx",
  "*.go",
  "*.rs",
  "*.java",
  "go.mod",
  "package.json",
  "tsconfig*.json",
  "*.toml"
]

const edit = (path: string, change: (text: string) => string): true => {
  write(path, change(read(path)))
  return true
}

const more = (list: string, parameter: string): string => {
  const bare = list.trim().replace(/,$/, "")
  return bare === "" ? parameter : `${bare}, ${parameter}`
}

const insertAt = (path: string, line: number, text: string): true =>
  edit(path, (before) => {
    const lines = before.split("\n")
    lines.splice(line, 0, text)
    return lines.join("\n")
  })

const commit = (message: string): void => {
  git("-C", clone, "add", "--all")
  git("-C", clone, "commit", "--quiet", "--no-verify", "--allow-empty", "--message", message)
}

const areas =
  /import-cycle|import-of-missing|case-misses|match-no-longer|case-of-removed|override-|implementation-misses/

const reviewed = (): ReadonlyArray<string> =>
  scratch.reviewed().flatMap(({ rule, title }) => (areas.test(rule) ? [`${rule}: ${title}`] : []))

/** Makes one change, in a commit of its own; false when it does not fit the subject. */
type Attempt = () => boolean

const addMember = ({ last, members, more, path }: Enumeration): true =>
  edit(path, (text) => {
    const lines = text.split("\n")
    const line = lines[last]!
    if (more === "")
      lines[last] = line.replace(
        new RegExp(`\\b${members.at(-1)}\\b(?!.*\\b${members.at(-1)}\\b)`),
        `${members.at(-1)}, ADDED_MEMBER`
      )
    else if (more.startsWith(line.slice(0, -1)) || more.includes("\n")) lines[last] = more
    else lines.splice(last + 1, 0, more)
    return lines.join("\n")
  })

const addedMember = (language: Language): string => (/python|java/.test(language.name) ? "ADDED_MEMBER" : "AddedMember")

/** All names of the pair's method in one edit: `m(` with its parameters, in every file that declares it. */
const everywhere = (texts: ReadonlyMap<string, string>, method: string, parameter: string): true => {
  const form = new RegExp(
    `((?:def |func \\([^)]*\\) |fn |\\b(?:void|async|[\\w<>\\[\\]]+) |^\\s+)${method})\\(([^()]*)\\)`,
    "gm"
  )
  for (const [path, text] of texts) {
    if (text.includes(`${method}(`))
      write(
        path,
        text.replace(form, (_, before: string, list: string) => `${before}(${more(list, parameter)})`)
      )
  }
  return true
}

const kindsFor = (
  language: Language,
  texts: ReadonlyMap<string, string>,
  /** Tests and examples among them. */
  all: ReadonlyMap<string, string>
) => {
  const paths = new Set(texts.keys())
  const enumerations = [...texts].flatMap(([path, text]) => language.enumerations(path, text))
  const single = enumerations.filter(({ name }) => {
    const declared = [...texts.values()].reduce(
      (sum, text) => sum + (text.match(new RegExp(`\\b(?:enum|class|type|interface) ${name}\\b`, "g"))?.length ?? 0),
      0
    )
    return declared === 1 || language.name === "go"
  })
  const pairs = language.pairs(texts)
  const graph = new Map([...texts].map(([path, text]) => [path, language.targets(path, text, paths)]))
  const reaches = (from: string, to: string): boolean => {
    const seen = new Set([from])
    for (const path of seen) for (const next of graph.get(path) ?? []) seen.add(next)
    return seen.has(to)
  }
  const isGo = language.name === "go"
  const edges = [...graph].flatMap(([from, targets]) =>
    targets
      .filter((to) => !(isGo && folderOf(from) === folderOf(to)))
      .map((to) => ({ from, to, name: language.exported.exec(texts.get(from) ?? "")?.[1] ?? null }))
  )
  const addImport = (path: string, statement: string): boolean => {
    insertAt(path, language.place(read(path)), statement)
    return true
  }
  const planted = (subject: Enumeration, rest: boolean): boolean => {
    const file = language.plant(subject, subject.members, rest)
    if (file === null || existsSync(join(clone, file[0]))) return false
    write(file[0], file[1])
    commit("plant")
    return true
  }
  const extended = (subject: Enumeration): true => {
    const file = language.plant(subject, [...subject.members, addedMember(language)], false)
    if (file !== null) write(file[0], file[1])
    return true
  }
  const signature = ({ line, method, parameters, parent }: Pair, parameter: string): boolean => {
    const before = read(parent)
    edit(parent, (text) => {
      const lines = text.split("\n")
      lines[line] = lines[line]!.replace(`${method}(${parameters})`, () => `${method}(${more(parameters, parameter)})`)
      return lines.join("\n")
    })
    return read(parent) !== before
  }
  const shortened = ({ line, method, parameters, parent }: Pair): boolean => {
    if (parameters.trim() === "" || /\?:|=/.test(parameters)) return false
    return edit(parent, (text) => {
      const lines = text.split("\n")
      lines[line] = lines[line]!.replace(`${method}(${parameters})`, () => `${method}()`)
      return lines.join("\n")
    })
  }
  const withParent = <A>(some: ReadonlyArray<A>, act: (subject: A) => boolean): ReadonlyArray<Attempt> =>
    shuffled(some).map((subject) => () => act(subject))
  /** Nobody else goes through these members, so that an extended plant leaves nothing out. */
  const alone = single.filter(({ members, path }) =>
    [...texts].every(([other, text]) =>
      other === path
        ? members.some((member) => text.match(new RegExp(`\\b${member}\\b`, "g"))?.length === 1)
        : !members.every((member) => text.includes(member))
    )
  )
  const uniqueMethods = pairs.filter(({ method }) => method.length > 3)
  const { abstract, concrete, optional } = language
  const kinds: ReadonlyArray<readonly [string, boolean, ReadonlyArray<Attempt>]> = [
    ["new member", true, withParent(single, (subject) => planted(subject, false) && addMember(subject))],
    [
      "new member, case added",
      false,
      withParent(alone, (subject) => planted(subject, false) && addMember(subject) && extended(subject))
    ],
    ["new member, default", false, withParent(alone, (subject) => planted(subject, true) && addMember(subject))],
    [
      "parent's parameter",
      true,
      withParent(pairs, (pair) => (language.leavesOut ? shortened(pair) : signature(pair, language.required)))
    ],
    ["every parameter", false, withParent(uniqueMethods, (pair) => everywhere(all, pair.method, language.required))],
    ["optional parameter", false, optional === null ? [] : withParent(pairs, (pair) => signature(pair, optional))],
    [
      "new method",
      true,
      abstract === null ? [] : withParent(pairs, ({ parent, start }) => insertAt(parent, start + 1, abstract))
    ],
    [
      "method with a body",
      false,
      concrete === null ? [] : withParent(pairs, ({ parent, start }) => insertAt(parent, start + 1, concrete))
    ],
    [
      "circle",
      true,
      withParent(edges, ({ from, name, to }) => {
        const statement = name === null ? null : language.imports(to, from, name)
        if (statement === null || from === to || reaches(to, from)) return false
        return addImport(to, statement)
      })
    ],
    [
      "no circle",
      false,
      language.lazily === null
        ? []
        : withParent(edges, ({ from, name, to }) => {
            const statement = name === null ? null : language.imports(to, from, name)
            if (statement === null || name === null || language.lazily === null || from === to || reaches(to, from))
              return false
            const text = language.lazily(statement, name)
            if (text.startsWith("def")) edit(to, (before) => `${before}\n\n${text}`)
            else addImport(to, text)
            return true
          })
    ],
    [
      "import of nothing",
      true,
      withParent([...paths], (path) => {
        const statement = language.nowhere(path)
        return statement !== null && addImport(path, statement)
      })
    ],
    [
      "missing name",
      true,
      withParent(edges, ({ from, to }) => {
        const statement = language.imports(from, to, null)
        return statement !== null && addImport(from, statement)
      })
    ],
    [
      "import that resolves",
      false,
      withParent(edges, ({ from, to }) => {
        const name = language.exported.exec(texts.get(to) ?? "")?.[1]
        const statement = name === undefined ? null : language.imports(from, to, name)
        // What is imported for its types alone so far may well close a circle now.
        return statement !== null && !reaches(to, from) && addImport(from, statement)
      })
    ]
  ]
  return kinds
}

try {
  // The sources alone, in a repository of their own: clones often lack the content of large files.
  git("clone", "--quiet", "--no-hardlinks", "--no-checkout", repository, clone)
  git("-C", clone, "sparse-checkout", "set", "--no-cone", ...sources)
  git("-C", clone, "checkout", "--quiet", "HEAD")
  rmSync(join(clone, ".git"), { recursive: true })
  git("-C", clone, "init", "--quiet")
  commit("start")
  const start = git("-C", clone, "rev-parse", "HEAD").trim()
  const all = git("-C", clone, "ls-files").split("\n")
  for (const language of languagesOf(clone)) {
    const files = all.filter((path) => language.isFile(path) && existsSync(join(clone, path)))
    if (files.length < 5) continue
    const texts = new Map(files.map((path) => [path, read(path)]))
    const endings = new Set(files.map((path) => path.slice(path.lastIndexOf("."))))
    const every = new Map(
      all
        .filter((path) => endings.has(path.slice(path.lastIndexOf("."))) && existsSync(join(clone, path)))
        .map((path) => [path, read(path)])
    )
    for (const [kind, isBreakage, attempts] of kindsFor(language, texts, every)) {
      let made = 0
      let reported = 0
      for (const attempt of attempts) {
        if (made >= Number(count)) break
        if (attempt()) {
          commit(kind)
          const titles = reviewed()
          made++
          if (titles.length > 0) reported++
          if (titles.length > 0 !== isBreakage) {
            const changed = git("-C", clone, "show", "--name-only", "--format=", "HEAD").trim().replaceAll("\n", " ")
            console.error(`${language.name} ${kind}: ${changed.slice(0, 200)} ${titles.join(" | ").slice(0, 400)}`)
          }
        }
        git("-C", clone, "reset", "--quiet", "--hard", start)
        git("-C", clone, "clean", "--quiet", "--force", "-d")
      }
      if (made > 0) {
        console.log(
          `${language.name.padEnd(11)} ${kind.padEnd(23)} ${made} made, ${reported} ${isBreakage ? "found" : "wrongly reported"}`
        )
      }
    }
  }
} finally {
  scratch.close()
}
