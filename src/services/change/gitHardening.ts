/**
 * Keeps git from running anything configured in the reviewed repository, and makes its output the same for every user.
 *
 * Command-line configuration overrides the repository's own files. Settings that include the name of a driver, and so
 * cannot be listed in advance (`filter.<name>.*`), are read once and overridden by name.
 */

import { maxBytes } from "./Sources.ts"

/** Configuration for every call. An empty command runs nothing. */
const settings: ReadonlyArray<string> = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.askPass=",
  "core.sshCommand=false",
  "credential.helper=",
  // GIT_ALLOW_PROTOCOL is stricter: a repository's `protocol.<name>.allow` cannot undo it.
  "protocol.allow=never",
  // A bare repository is opened only by its own path, never because a directory of a checkout has its layout.
  "safe.bareRepository=explicit",
  "submodule.recurse=false",
  "log.showSignature=false",
  // Files that may be anywhere on the disk.
  "log.mailmap=false",
  "mailmap.file=",
  "mailmap.blob=",
  "core.quotePath=true",
  // A larger file is reported as changed but not diffed: nobody reviews it, and its lines would take gigabytes.
  `core.bigFileThreshold=${maxBytes}`,
  "core.commentChar=#",
  "diff.suppressBlankEmpty=false",
  "diff.ignoreSubmodules=dirty",
  "diff.renameLimit=1000",
  "i18n.logOutputEncoding=UTF-8",
  "color.ui=false",
  "advice.graftFileDeprecated=false"
]

/** Arguments before the verb. The owner of the repository does not matter, because nothing in it is run. */
export const globalArguments = (safeDirectory: string): ReadonlyArray<string> => [
  "--no-pager",
  ...settings.flatMap((setting) => ["-c", setting]),
  "-c",
  `safe.directory=${safeDirectory}`
]

/** Arguments of every `git diff`: the output does not depend on the configuration of the user or the repository. */
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
  // They have no content in the index, and git prints text instead of a patch.
  "--diff-filter=u",
  "-O/dev/null"
]

/**
 * The complete environment of a git process: only PATH and the place of the user's settings are inherited. System-wide
 * configuration is still read: it belongs to the owner of the machine and decides, for example, line endings.
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
  // For a single allocation: `maxMemory` is only set after the process has started, which can be too late.
  GIT_ALLOC_LIMIT: String(1 << 28),
  // The review is of what would be merged, not of what `refs/replace` substitutes.
  GIT_NO_REPLACE_OBJECTS: "1"
})

/** Proves that git has read the configuration in the environment (versions before 2.31 do not). */
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

/** For `git config`: all settings that dd needs, in one call. */
export const settingArguments: ReadonlyArray<string> = ["-z", "--get-regexp", "^(filter|dd|remote\\.origin)\\."]

export interface RepositorySettings {
  /** Names of all configured filters. */
  readonly filters: ReadonlyArray<string>
  /** The URL of `origin` as configured; null if there is none. */
  readonly remoteUrl: string | null
}

/**
 * Parses the output of `git config` with `settingArguments`: keys, each with its value on the next line. Null if git is
 * too old for `gitHardening`.
 */
export const settingsOf = (printed: ReadonlyArray<string>): RepositorySettings | null => {
  const settings = printed.map((setting) => {
    const end = setting.indexOf("\n")
    return end < 0 ? { key: setting, value: "" } : { key: setting.slice(0, end), value: setting.slice(end + 1) }
  })
  if (!settings.some(({ key }) => key === marker)) return null
  const names = settings.flatMap(({ key }) => /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1] ?? [])
  // The last one counts.
  const url = settings.findLast(({ key }) => key === "remote.origin.url")?.value.trim()
  return { filters: [...new Set(names)], remoteUrl: url || null }
}
