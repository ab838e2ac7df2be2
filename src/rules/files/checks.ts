/** The checks of the rules about files that do not belong in a repository, or not in this form. */

import { type DiffFile, isLink } from "../../domain/change/Diff.ts"
import { isLockfile, isTestPath, isVendoredPath } from "../../domain/change/PathKind.ts"
import { nameOf } from "../../domain/code/Repository.ts"
import type { Claim, RuleChange, RuleFile } from "../../domain/finding/Rule.ts"
import { findSecrets } from "../../domain/secret/Secret.ts"
import { compareText } from "../../domain/text/compareText.ts"
import type { ChangeChecks } from "../page/Checks.ts"

type Placed = Claim & { readonly path: string }

const isNew = ({ status }: DiffFile): boolean => status === "added" || status === "copied"

/** One claim for each file for which the function returns texts; `true` uses those of the rule. */
const eachFile =
  (question: (file: RuleFile) => boolean | string) =>
  ({ files }: RuleChange): ReadonlyArray<Placed> =>
    files.flatMap((file) => {
      const answer = question(file)
      if (answer === false) return []
      return [{ path: file.path, line: 0, ...(answer === true ? {} : { description: answer }) }]
    })

const largeText = 1_000_000

/** The number of characters of a new file, read from the diff, because the file may be too large to read. */
const addedSize = ({ diff }: RuleFile): number =>
  diff.hunks.reduce(
    (sum, { lines }) =>
      sum + lines.reduce((size, { kind, text }) => size + (kind === "added" ? text.length + 1 : 0), 0),
    0
  )

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

const builtArtifact =
  /\.(?:exe|dll|so(?:\.\d+)*|dylib|o|obj|a|lib|class|jar|war|ear|pyc|pyo|pyd|whl|egg|gem|nupkg|node|beam|msi|dmg|pkg|deb|rpm|apk|ipa|iso|zip|tar|tgz|tar\.(?:gz|bz2|xz|zst)|7z|rar)$/i

/** Binary files that their own tools recommend to commit. */
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

/** Does an environment file contain a real credential? */
const holdsSecret = (lines: ReadonlyArray<string>): boolean =>
  lines.some((text) => {
    if (text.length > 2_000) return false
    const [, , value = ""] = secretName.exec(text.trim()) ?? []
    return (value.length >= 8 && !emptyValue.test(value)) || findSecrets(text).length > 0
  })

/** Endings of programs, whether or not the file is executable. */
const program =
  /\.(?:sh|bash|zsh|fish|py|rb|pl|ps1|bat|cmd|js|mjs|cjs|ts|php|awk|lua|exs|command|run|hook|gradlew|out|exe)$|(?:^|\/)[^/.]+$|(?:^|\/)\.(?:husky|githooks)\//

const becameExecutable = ({ diff, head }: RuleFile): boolean =>
  diff.newMode === "100755" &&
  diff.oldMode === "100644" &&
  !program.test(diff.path) &&
  head !== null &&
  head[0]?.startsWith("#!") !== true

/** Nobody commits only modes by accident. */
const changesOnlyModes = ({ files }: RuleChange): boolean =>
  files.every(({ diff }) => diff.status !== "added" && diff.status !== "deleted" && diff.hunks.length === 0)

/** The target of a link as a repository path; null if it is outside of the repository. */
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

/** New paths that equal another path of the head side if case is ignored. */
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
    // Of two new files, report the one with the later name.
    const other = others.find(
      (candidate) => !fresh.some((file) => file.path === candidate) || compareText(candidate, path) < 0
    )
    return other === undefined ? [] : [{ path, line: 0, description: `${other} exists too.` }]
  })
}

export const changeChecks: ChangeChecks = {
  large: eachFile((file) => {
    if (
      !isNew(file.diff) ||
      file.diff.binary ||
      isLockfile(file.path) ||
      isVendoredPath(file.path) ||
      isTestPath(file.path)
    )
      return false
    const size = addedSize(file)
    return size > largeText && `The file has ${megabytes(size)} of text.`
  }),
  "build-product": eachFile(
    ({ path, diff, isTest }) =>
      isNew(diff) &&
      !isTest &&
      builtArtifact.test(path) &&
      !expectedBinary.test(path) &&
      !isVendoredPath(path) &&
      !isTestPath(path)
  ),
  leftover: (change) => {
    const folders = new Set<string>()
    return eachFile(({ path, diff, isTest }) => {
      if (!isNew(diff) || isTest || isTestPath(path)) return false
      const found = leftoverFolder.exec(path)
      if (found === null) return leftover.test(path)
      // A folder is reported once, not for each file in it.
      const folder = path.slice(0, found.index + found[0].length)
      if (folders.has(folder)) return false
      folders.add(folder)
      return `The whole folder ${folder} comes with it.`
    })(change)
  },
  "merge-leftover": eachFile(
    ({ path, diff, isTest }) => isNew(diff) && !isTest && !isTestPath(path) && mergeLeftover.test(nameOf(path))
  ),
  "secret-file": eachFile(({ path, diff, head, isTest }) => {
    if (!isNew(diff) || isTest || isTestPath(path)) return false
    if (keyFile.test(path)) return !/debug\.keystore$|\.pub$/.test(path)
    return environmentFile.test(path) && head !== null && holdsSecret(head)
  }),
  "case-collision": collisions,
  "became-executable": (change) => (changesOnlyModes(change) ? [] : eachFile(becameExecutable)(change)),
  "link-outside": eachFile(leadsOutside)
}
