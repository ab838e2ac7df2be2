/** Files that do not belong into a repository, or not like this. */
import type { DiffFile } from "../../domain/change/Diff.ts"
import { isLink } from "../../domain/change/Diff.ts"
import { isLockfile, isTestPath, isVendoredPath } from "../../domain/change/PathKind.ts"
import type { ChangeRule, Claim, RuleChange, RuleFile } from "../../domain/finding/Rule.ts"
import { findSecrets } from "../../domain/secret/Secret.ts"
import { compareText } from "../../domain/text/compareText.ts"

type Placed = Claim & { readonly path: string }

const isNew = ({ status }: DiffFile): boolean => status === "added" || status === "copied"

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** One claim for each file the question answers with words; `true` takes the rule's own. */
const eachFile =
  (question: (file: RuleFile) => boolean | string) =>
  ({ files }: RuleChange): ReadonlyArray<Placed> =>
    files.flatMap((file) => {
      const answer = question(file)
      if (answer === false) return []
      return [{ path: file.path, line: 0, ...(answer === true ? {} : { description: answer }) }]
    })

const largeText = 1_000_000

/** Characters of the text a change adds as a new file: what the diff shows, so also where the file is too large to read. */
const addedSize = ({ diff }: RuleFile): number =>
  diff.hunks.reduce(
    (sum, { lines }) =>
      sum + lines.reduce((size, { kind, text }) => size + (kind === "added" ? text.length + 1 : 0), 0),
    0
  )

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

const builtArtifact =
  /\.(?:exe|dll|so(?:\.\d+)*|dylib|o|obj|a|lib|class|jar|war|ear|pyc|pyo|pyd|whl|egg|gem|nupkg|node|beam|msi|dmg|pkg|deb|rpm|apk|ipa|iso|zip|tar|tgz|tar\.(?:gz|bz2|xz|zst)|7z|rar)$/i
/** Binary by design and kept in repositories by their own tools' advice. */
const expectedBinary =
  /(?:^|\/)(?:gradle-wrapper\.jar|maven-wrapper\.jar|\.yarn\/(?:cache|releases)\/.*|\.mvn\/wrapper\/.*)$/

const leftover =
  /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini|npm-debug\.log(?:\.\d+)?|yarn-error\.log|\.idea\/workspace\.xml|[^/]+\.sw[op]|\.#[^/]+|#[^/]+#|core\.\d+|nohup\.out)$/
const leftoverFolder =
  /(?:^|\/)(?:node_modules|__pycache__|\.pytest_cache|\.mypy_cache|\.gradle|\.terraform|bower_components)\//
const mergeLeftover = /\.(?:orig|rej)$|_(?:BACKUP|BASE|LOCAL|REMOTE)_\d+(?:\.\w+)?$/

const keyFile =
  /(?:^|\/)(?:id_(?:rsa|dsa|ecdsa|ed25519)|[^/]+\.(?:p12|pfx|jks|keystore|ppk|mobileprovision)|\.netrc|\.pgpass|\.htpasswd|\.git-credentials|\.aws\/credentials|\.docker\/config\.json)$/
const environmentFile =
  /(?:^|\/)\.env(?:\.(?!example|sample|template|dist|defaults?|test|testing|ci|schema|tpl)[\w-]+)?(?:\.local)?$/
const secretName =
  /^(?:export\s+)?([A-Z0-9_]*(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY|ACCESS_KEY|CREDENTIALS?)[A-Z0-9_]*)\s*=\s*["']?([^"'\s#]+)/
const emptyValue =
  /^(?:<.*>|\$\{?.*|x+|\*+|null|none|change.*|your.*|.*example.*|.*placeholder.*|.*secret.*|.*password.*|.*(?:passwd|pwd)|.*token.*|.*key.*|todo|test.*|dummy.*|fake.*|admin|root|postgres|local.*|dev.*|true|false|\d{1,5})$/i

/** An environment file that holds a value somebody would have to rotate. */
const holdsSecret = (lines: ReadonlyArray<string>): boolean =>
  lines.some((text) => {
    if (text.length > 2_000) return false
    const [, , value = ""] = secretName.exec(text.trim()) ?? []
    return (value.length >= 8 && !emptyValue.test(value)) || findSecrets(text).length > 0
  })

/** Endings under which a file is a program whether or not it is marked as one. */
const program =
  /\.(?:sh|bash|zsh|fish|py|rb|pl|ps1|bat|cmd|js|mjs|cjs|ts|php|awk|lua|exs|command|run|hook|gradlew|out|exe)$|(?:^|\/)[^/.]+$|(?:^|\/)\.(?:husky|githooks)\//

const becameExecutable = ({ diff, head }: RuleFile): boolean =>
  diff.newMode === "100755" &&
  diff.oldMode === "100644" &&
  !program.test(diff.path) &&
  head !== null &&
  head[0]?.startsWith("#!") !== true

/** Where a link points, as a repository path; null when it points outside. */
const linkTarget = (path: string, target: string): string | null => {
  if (target.startsWith("/") || /^[A-Za-z]:[\\/]/.test(target)) return null
  const at = path.split("/").slice(0, -1)
  for (const segment of target.split("/")) {
    if (segment === "..") {
      if (at.pop() === undefined) return null
    } else if (segment !== "." && segment !== "") at.push(segment)
  }
  return at.join("/")
}

const leadsOutside = ({ diff, path, isTest }: RuleFile): boolean | string => {
  if (!isLink(diff) || isTest || isTestPath(path)) return false
  const target = diff.hunks.flatMap(({ lines }) => lines).find(({ kind }) => kind === "added")?.text
  return target !== undefined && linkTarget(diff.path, target) === null
}

/** New paths that are another path of the head side when case does not count. */
const collisions = ({ files, headPaths }: RuleChange): ReadonlyArray<Placed> => {
  const fresh = files.filter(({ diff }) => diff.newPath !== null && (isNew(diff) || diff.status === "renamed"))
  if (fresh.length === 0 || headPaths.size === 0) return []
  const byLowerCase = new Map<string, Array<string>>()
  const wanted = new Set(fresh.map(({ path }) => path.toLowerCase()))
  for (const path of headPaths) {
    const lower = path.toLowerCase()
    if (wanted.has(lower)) byLowerCase.set(lower, [...(byLowerCase.get(lower) ?? []), path])
  }
  return fresh.flatMap(({ path }) => {
    const others = (byLowerCase.get(path.toLowerCase()) ?? []).filter((other) => other !== path)
    // Of two new files the later name is the one to speak of.
    const other = others.find(
      (candidate) => !fresh.some((file) => file.path === candidate) || compareText(candidate, path) < 0
    )
    return other === undefined ? [] : [{ path, line: 0, description: `${other} is there too.` }]
  })
}

const long = `${"x".repeat(99)}\n`.repeat(10_100)

export const fileRules: ReadonlyArray<ChangeRule> = [
  {
    _tag: "Change",
    id: "files/large",
    stack: "structure",
    severity: "low",
    confidence: "HIGH",
    title: "A large file is added to the repository",
    why: "Every clone carries it for ever, also after it is deleted.",
    fix: "Keep it where the build can fetch it (a release, an object store, Git LFS), or commit what generates it.",
    reference: "https://docs.github.com/repositories/working-with-files/managing-large-files",
    check: eachFile((file) => {
      if (
        !isNew(file.diff) ||
        file.diff.binary ||
        isLockfile(file.path) ||
        isVendoredPath(file.path) ||
        isTestPath(file.path)
      )
        return false
      const size = addedSize(file)
      return size > largeText && `It has ${megabytes(size)} of text.`
    }),
    examples: {
      bad: [{ "data/words.txt": [null, long] }, { "src/table.json": [null, long] }, { "assets/map.svg": [null, long] }],
      good: [
        { "package-lock.json": [null, long] },
        { "tests/data/words.txt": [null, long] },
        { "data/words.txt": [null, "few\n"] },
        { "data/words.txt": [long, `${long}x\n`] }
      ]
    }
  },
  {
    _tag: "Change",
    id: "files/build-product",
    stack: "structure",
    severity: "low",
    confidence: "MEDIUM",
    title: "A compiled or packed file is added to the repository",
    why: "Nobody can review what is in it, it goes stale when its source changes, and every clone carries it for ever.",
    fix: "Ignore it and let the build make or fetch it.",
    reference: "CWE-1357",
    check: eachFile(
      ({ path, diff, isTest }) =>
        isNew(diff) &&
        !isTest &&
        builtArtifact.test(path) &&
        !expectedBinary.test(path) &&
        !isVendoredPath(path) &&
        !isTestPath(path)
    ),
    examples: {
      bad: [
        { "lib/tool.exe": [null, "MZ\n"] },
        { "src/App.class": [null, "x\n"] },
        { "release/app.zip": [null, "PK\n"] }
      ],
      good: [
        { "gradle/wrapper/gradle-wrapper.jar": [null, "PK\n"] },
        { "tests/fixtures/a.zip": [null, "PK\n"] },
        { "lib/tool.exe": ["MZ\n", "MZ2\n"] },
        { "src/tool.ts": [null, "x\n"] }
      ]
    }
  },
  {
    _tag: "Change",
    id: "files/leftover",
    stack: "structure",
    severity: "low",
    confidence: "HIGH",
    title: "A file of an editor, a cache or the desktop is in the change",
    why: "It belongs to one machine, changes without anybody's intent and may show names and paths of that machine.",
    fix: "Remove it from the index and ignore it.",
    reference: "https://git-scm.com/docs/gitignore",
    check: (change) => {
      const folders = new Set<string>()
      return eachFile(({ path, diff, isTest }) => {
        if (!isNew(diff) || isTest || isTestPath(path)) return false
        const found = leftoverFolder.exec(path)
        if (found === null) return leftover.test(path)
        // A folder comes with all that is in it: it is said once.
        const folder = path.slice(0, found.index + found[0].length)
        if (folders.has(folder)) return false
        folders.add(folder)
        return `The whole folder ${folder} comes with it.`
      })(change)
    },
    examples: {
      bad: [
        { "src/.DS_Store": [null, "x\n"] },
        { "src/.app.py.swp": [null, "x\n"] },
        { "node_modules/a/index.js": [null, "x\n"] }
      ],
      good: [
        { "tests/fixtures/node_modules/a/index.js": [null, "x\n"] },
        { "src/DS_Store.md": [null, "x\n"] },
        { "node_modules/a/index.js": ["x\n", null] }
      ]
    }
  },
  {
    _tag: "Change",
    id: "files/merge-leftover",
    stack: "structure",
    severity: "medium",
    confidence: "HIGH",
    title: "A merge's leftover file is in the change",
    why: "`.rej` holds hunks that were not applied, `.orig` the text from before: something of the merge may be missing.",
    fix: "See whether the rejected hunks are still needed, then delete the file.",
    reference: "https://git-scm.com/docs/git-mergetool",
    check: eachFile(
      ({ path, diff, isTest }) => isNew(diff) && !isTest && !isTestPath(path) && mergeLeftover.test(nameOf(path))
    ),
    examples: {
      bad: [
        { "src/app.py.orig": [null, "x\n"] },
        { "src/app.py.rej": [null, "x\n"] },
        { "src/app_BACKUP_1234.py": [null, "x\n"] }
      ],
      good: [
        { "src/original.py": [null, "x\n"] },
        { "src/app.py.orig": ["x\n", null] },
        { "tests/data/a.rej": [null, "x\n"] }
      ]
    }
  },
  {
    _tag: "Change",
    id: "files/secret-file",
    stack: "structure",
    severity: "high",
    confidence: "MEDIUM",
    title: "A file that holds credentials is in the change",
    why: "Once committed, whoever can read the repository or any clone of it holds them, and deleting the file later leaves it in history.",
    fix: "Ignore the file and commit a template without values; if it was ever pushed, revoke what is in it and remove it from history.",
    reference: "CWE-540",
    check: eachFile(({ path, diff, head, isTest }) => {
      if (!isNew(diff) || isTest || isTestPath(path)) return false
      if (keyFile.test(path)) return !/debug\.keystore$|\.pub$/.test(path)
      return environmentFile.test(path) && head !== null && holdsSecret(head)
    }),
    examples: {
      bad: [
        { "deploy/id_rsa": [null, "x\n"] },
        { ".env": [null, "DEBUG=1\nDB_PASSWORD=v9Tq2mZr4x\n"] },
        { "config/.env.production": [null, "export STRIPE_SECRET=8Zr2LmX0vB7nT4kW\n"] },
        { "release/upload.keystore": [null, "x\n"] }
      ],
      good: [
        { ".env.example": [null, "DB_PASSWORD=v9Tq2mZr4x\n"] },
        { ".env": [null, "VITE_API_URL=https://api.acme.io\nVITE_TITLE=Shop\n"] },
        { ".env": [null, "DB_PASSWORD=postgres\nSECRET_KEY=${SECRET}\n"] },
        { "docker/.env": [null, "MYSQL_ROOT_PASSWORD=root_pwd\n"] },
        { "android/debug.keystore": [null, "x\n"] },
        { "deploy/id_rsa.pub": [null, "x\n"] }
      ]
    }
  },
  {
    _tag: "Change",
    id: "files/case-collision",
    stack: "structure",
    severity: "high",
    confidence: "HIGH",
    title: "Two paths differ only in case",
    why: "On macOS and Windows only one of them can be checked out; the other shows as modified for ever and is easily committed over.",
    fix: "Rename one of them, or delete the one that is not meant.",
    reference: "https://git-scm.com/docs/git-config#Documentation/git-config.txt-coreignoreCase",
    check: collisions,
    examples: {
      bad: [
        { "src/Cart.ts": ["a\n", "a\n"], "src/cart.ts": [null, "a\n"] },
        { "README.md": ["a\n", "a\n"], "Readme.md": [null, "a\n"] },
        { "a/B.py": [null, "a\n"], "a/b.py": [null, "a\n"] }
      ],
      good: [
        { "src/Cart.ts": ["a\n", null], "src/cart.ts": [null, "a\n"] },
        { "src/Cart.ts": ["a\n", "b\n"], "src/cart.ts": ["a\n", "b\n"] },
        { "src/Cart.ts": ["a\n", "a\n"], "lib/cart.ts": [null, "a\n"] }
      ]
    }
  },
  {
    _tag: "Change",
    id: "files/became-executable",
    stack: "structure",
    severity: "low",
    confidence: "MEDIUM",
    title: "A file that is no program became executable",
    why: "It is mostly an accident of a file system without modes, and shows up as a change again and again.",
    fix: "Restore the mode with `git update-index --chmod=-x`.",
    reference: "https://git-scm.com/docs/git-update-index",
    check: eachFile(becameExecutable),
    examples: {
      bad: [
        { "README.md": ["a\n", "a\n", ["100644", "100755"]] },
        { "src/style.css": ["a\n", "b\n", ["100644", "100755"]] },
        { "src/app.go": ["package a\n", "package a\n", ["100644", "100755"]] }
      ],
      good: [
        { "tool.py": ["a\n", "a\n", ["100644", "100755"]] },
        { "bin/tool": ["a\n", "a\n", ["100644", "100755"]] },
        { "tool.txt": ["#!/bin/sh\n", "#!/bin/sh\n", ["100644", "100755"]] },
        { "README.md": ["a\n", "a\n", ["100755", "100644"]] }
      ]
    }
  },
  {
    _tag: "Change",
    id: "files/link-outside",
    stack: "structure",
    severity: "medium",
    confidence: "HIGH",
    title: "A symbolic link points outside the repository",
    why: "It is broken on every other machine, or reads or writes a file there that nobody meant.",
    fix: "Link to a path inside the repository, or make the place a setting.",
    reference: "CWE-59",
    check: eachFile(leadsOutside),
    examples: {
      bad: [
        { config: [null, "/etc/app.conf", ["120000", "120000"]] },
        { "src/lib": [null, "../../lib", ["120000", "120000"]] },
        { "a/b": ["c", "../../../c", ["120000", "120000"]] }
      ],
      good: [
        { "src/lib": [null, "../lib", ["120000", "120000"]] },
        { "AGENTS.md": [null, "CLAUDE.md", ["120000", "120000"]] },
        { "src/lib.txt": [null, "/etc/app.conf"] },
        { "test/source/outside": [null, "/etc/passwd", ["120000", "120000"]] }
      ]
    }
  }
]
