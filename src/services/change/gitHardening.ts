/**
 * Keeps git from running anything configured in the reviewed repository, and its output the same for every user.
 *
 * Command-line configuration wins over the repository's own files. Settings that name a driver, and so cannot
 * be listed beforehand (`filter.<name>.*`), are read once and overridden by name.
 */

import { maxBytes } from "./Sources.ts"

/** Configuration for every call. An empty command is no command. */
const settings: ReadonlyArray<string> = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.askPass=",
  "core.sshCommand=false",
  "credential.helper=",
  // Stricter still: GIT_ALLOW_PROTOCOL, which a repository's `protocol.<name>.allow` cannot undo.
  "protocol.allow=never",
  // A bare repository is opened only by its own path, never because a directory of a checkout looks like one.
  "safe.bareRepository=explicit",
  "submodule.recurse=false",
  "log.showSignature=false",
  // Files that may be anywhere on the disk.
  "log.mailmap=false",
  "mailmap.file=",
  "mailmap.blob=",
  "core.quotePath=true",
  // A text larger than this is reported as changed and not diffed: nobody reviews it, and its lines would cost gigabytes.
  `core.bigFileThreshold=${maxBytes}`,
  "core.commentChar=#",
  "diff.suppressBlankEmpty=false",
  "diff.ignoreSubmodules=dirty",
  "diff.renameLimit=1000",
  "i18n.logOutputEncoding=UTF-8",
  "color.ui=false",
  "advice.graftFileDeprecated=false"
]

/** Arguments before the verb. Ownership is no barrier to the one repository under review: nothing in it runs. */
export const globalArguments = (safeDirectory: string): ReadonlyArray<string> => [
  "--no-pager",
  ...settings.flatMap((setting) => ["-c", setting]),
  "-c",
  `safe.directory=${safeDirectory}`
]

/** Arguments of every `git diff`: the same bytes whatever the user's or the repository's configuration says. */
export const diffArguments: ReadonlyArray<string> = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--no-relative",
  "--full-index",
  "--find-renames",
  "--submodule=short",
  "--ignore-submodules=dirty",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--unified=3",
  "--inter-hunk-context=0",
  "--diff-algorithm=myers",
  "--indent-heuristic",
  "-O/dev/null"
]

/**
 * The whole environment of a git child: nothing is inherited but where programs and the user's own settings are.
 * System-wide configuration stays readable: it belongs to the machine's owner and decides, for example, line endings.
 */
export const childEnvironment = (path: string, home: string | null): Record<string, string> => ({
  // A relative entry would find a `git` in the reviewed repository.
  PATH: path
    .split(":")
    .filter((entry) => entry.startsWith("/"))
    .join(":"),
  // A relative home would be in the reviewed repository, with its `.gitconfig`.
  ...(home?.startsWith("/") === true ? { HOME: home } : {}),
  LANG: "C",
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_ALLOW_PROTOCOL: "",
  GIT_NO_LAZY_FETCH: "1",
  // For a single allocation: `maxMemory` is set only after the process has started, which can be too late.
  GIT_ALLOC_LIMIT: String(1 << 28),
  // What is reviewed is what would be merged, not what `refs/replace` puts in its place.
  GIT_NO_REPLACE_OBJECTS: "1"
})

/** Proves that git took the environment's configuration (versions before 2.31 do not). */
const marker = "dd.hardened"

/** Configuration through the environment: unlike `-c`, it can name a filter with an equals sign. */
export const filterEnvironment = (names: ReadonlyArray<string>): Record<string, string> => {
  const entries: ReadonlyArray<readonly [string, string]> = [
    [marker, "true"],
    ...names.flatMap(
      (name): ReadonlyArray<readonly [string, string]> => [
        [`filter.${name}.clean`, ""],
        [`filter.${name}.smudge`, ""],
        [`filter.${name}.process`, ""],
        [`filter.${name}.required`, "false"]
      ]
    )
  ]
  return {
    GIT_CONFIG_COUNT: String(entries.length),
    ...Object.fromEntries(
      entries.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value]
      ])
    )
  }
}

/** For `git config`: all that dd has to know of a configuration, in one call. */
export const settingArguments: ReadonlyArray<string> = ["-z", "--get-regexp", "^(filter|dd|remote\\.origin)\\."]

export interface RepositorySettings {
  /** Names of the filters configured anywhere. */
  readonly filters: ReadonlyArray<string>
  /** Where `origin` is, as it is written; null when nowhere. */
  readonly remoteUrl: string | null
}

/**
 * From what `git config` prints with `settingArguments`: keys, each with its value on the next line. Null when git is too
 * old to be held.
 */
export const settingsOf = (printed: ReadonlyArray<string>): RepositorySettings | null => {
  const settings = printed.map((setting) => {
    const end = setting.indexOf("\n")
    return end < 0 ? { key: setting, value: "" } : { key: setting.slice(0, end), value: setting.slice(end + 1) }
  })
  if (!settings.some(({ key }) => key === marker)) return null
  const names = settings.flatMap(({ key }) => /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1] ?? [])
  // Of several the last one counts.
  const url = settings.findLast(({ key }) => key === "remote.origin.url")?.value.trim()
  return { filters: [...new Set(names)], remoteUrl: url || null }
}
