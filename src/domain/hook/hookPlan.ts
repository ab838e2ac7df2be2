/** What installing and removing a hook would change: data, so that it can be shown before it is done. */
import {
  asidesOf,
  flagsIn,
  type HookName,
  isDamaged,
  isExtensible,
  isOnlyOwn,
  isOwnHook,
  lineOfCall,
  ownHook,
  withBlock,
  withoutBlock
} from "./hookScript.ts"
import type { SettingsCall } from "./managerSettings.ts"

/** The hook of a repository as it is now. */
export interface HookSite {
  readonly hook: HookName
  readonly path: string
  /** Runs the hook; null: git itself. */
  readonly manager: Manager | null
  /** Other repositories use the directory too, by `core.hooksPath`. */
  readonly isEverywhere: boolean
  /** In the working tree, so that other people may get it. */
  readonly isShared: boolean
  readonly present: Present
  /** Of the settings file of the manager. */
  readonly settings: SettingsCall
  /** The file that git runs, which for some managers runs the one at `path`. */
  readonly entry: { readonly path: string; readonly present: Present }
  /** What an earlier installation moved away; null: nothing. */
  readonly aside: { readonly path: string; readonly isExecutable: boolean } | null
}

export const managers = ["husky", "lefthook", "pre-commit"] as const
export type Manager = (typeof managers)[number]

export type Present =
  | { readonly _tag: "Absent" }
  /** `text`: null if it is not UTF-8. */
  | { readonly _tag: "File"; readonly text: string | null; readonly isExecutable: boolean }
  | { readonly _tag: "Link" }
  /** Not a file. */
  | { readonly _tag: "Other" }

export type HookStep =
  | { readonly _tag: "Write"; readonly path: string; readonly text: string }
  /** A link still leads to the same file afterwards. */
  | { readonly _tag: "Move"; readonly from: string; readonly to: string }
  | { readonly _tag: "Remove"; readonly path: string }

export type HookPlan =
  | { readonly _tag: "Steps"; readonly steps: ReadonlyArray<HookStep> }
  | { readonly _tag: "Refused"; readonly reason: string }
  /** The settings of the manager call dd already. */
  | { readonly _tag: "InSettings"; readonly manager: Manager }
  /** The user has to add this text to the settings of the manager. */
  | { readonly _tag: "Snippet"; readonly manager: Manager; readonly text: string }

const steps = (...list: ReadonlyArray<HookStep>): HookPlan => ({ _tag: "Steps", steps: list })
const refused = (reason: string): HookPlan => ({ _tag: "Refused", reason })

export interface Installation {
  /** The path of dd. */
  readonly program: string
  /** As in `Block`; null: those of the installed hook stay. */
  readonly flags: string | null
  /** May a directory change that other repositories use? */
  readonly allowsEverywhere: boolean
}

/** No steps: the hook is installed already. */
export const installation = (site: HookSite, { allowsEverywhere, flags, program }: Installation): HookPlan => {
  const { aside, hook, manager, path, present } = site
  if (manager !== null && site.settings !== "None") {
    return flags === null
      ? { _tag: "InSettings", manager }
      : refused(`dd is in the settings of ${manager}; add the flags there, after hook ${hook}: ${flags}`)
  }
  if (isBroken(site)) return refused(damaged)
  const line = ownCall(site)
  if (line > 0) {
    const missing = obstacle(site)
    if (missing !== null) return refused(missing)
    return flags === null
      ? steps()
      : refused(`its line ${line} calls dd; add the flags there, after hook ${hook}: ${flags}`)
  }
  if (manager === "lefthook") return { _tag: "Snippet", manager, text: lefthookSnippet(hook, flags ?? "") }
  if (site.isEverywhere && !allowsEverywhere) {
    return refused(
      `${elsewhere}; to review their changes as well, add --all-repositories; else give this repository a directory of its own: git config core.hooksPath "$(git rev-parse --path-format=absolute --git-common-dir)/hooks"`
    )
  }
  const block = { hook, program: site.isShared ? null : program, flags: flags ?? flagsOf(site) }
  const written = (text: string) => steps({ _tag: "Write", path, text })
  const own = ownHook(block)
  const [place] = asidesOf(path)
  const renamed = aside === null || aside.path === place ? [] : [{ _tag: "Move", from: aside.path, to: place } as const]
  switch (present._tag) {
    case "Absent":
      return written(own)
    case "Other":
      return refused("it is not a file")
    case "File": {
      const { isExecutable, text } = present
      const isOwn = text !== null && isOwnHook(text)
      if (text !== null && (isOwn || ((isExecutable || manager === "husky") && isExtensible(text)))) {
        const extended = withBlock(text, { ...block, isOwn })
        if (extended === text) return steps()
        return steps(...(isOwn ? renamed : []), { _tag: "Write", path, text: extended })
      }
      break
    }
    case "Link":
  }
  if (aside !== null) return refused(`${aside.path} exists already; remove or rename it`)
  return steps({ _tag: "Move", from: path, to: place }, { _tag: "Write", path, text: own })
}

const elsewhere = "other repositories use this directory too (core.hooksPath)"
const damaged = "the last line of dd's block is missing; remove the block by hand, from `# >>> dd hook` on"

/** No steps: dd is not installed. */
export const removal = (site: HookSite, allowsEverywhere: boolean): HookPlan => {
  const { aside, path } = site
  const text = textOf(site)
  const bare = text === null ? null : withoutBlock(text)
  if (isBroken(site)) return refused(damaged)
  if (ownCall(site) > 0) return refused(`its line ${ownCall(site)}, which dd did not write, calls dd; remove that line`)
  if (text === null || bare === null) return steps()
  if (site.isEverywhere && !allowsEverywhere) return refused(`${elsewhere}; add --all-repositories`)
  if (!isOwnHook(text)) return steps({ _tag: "Write", path, text: bare })
  const remove = { _tag: "Remove", path } as const
  if (isOnlyOwn(bare))
    return aside === null ? steps(remove) : steps(remove, { _tag: "Move", from: aside.path, to: path })
  return aside === null
    ? steps({ _tag: "Write", path, text: bare })
    : refused(`lines were added to it, and it also runs ${aside.path}; move those lines there first`)
}

type WithPresent = Pick<HookSite, "present">

/** Null if it is no file, or not text. */
export const textOf = ({ present }: WithPresent): string | null => (present._tag === "File" ? present.text : null)

/** Does the hook that git runs, or that its manager runs, have dd's lines? */
export const isInstalled = (site: WithPresent): boolean => withoutBlock(textOf(site) ?? "") !== null

/** The number of the line that somebody wrote into the hook and that calls dd; 0: there is none, or dd's block is there. */
export const ownCall = (site: Pick<HookSite, "hook" | "present">): number =>
  isInstalled(site) ? 0 : lineOfCall(textOf(site) ?? "", site.hook)

/** Does the block of dd lack its end? */
export const isBroken = (site: WithPresent): boolean => isDamaged(textOf(site) ?? "")

/** The flags of the installed hook; empty: none, or it is not installed. */
export const flagsOf = (site: WithPresent): string => flagsIn(textOf(site) ?? "")

/** Why git does not run the hook, or not as far as dd; null: it does. */
export const obstacle = ({ entry, hook, manager, settings }: HookSite): string | null => {
  const { path, present } = entry
  const setUp = manager === null ? "" : `: ${setUps[manager](hook)}`
  if (present._tag === "Absent")
    return manager === null ? "there is no hook" : `${manager} is not installed as a hook${setUp}`
  if (present._tag === "File" && !present.isExecutable) return `git does not run ${path}, because it is not executable`
  if ((manager === "lefthook" || manager === "pre-commit") && present._tag === "File" && !isHookOf(manager, present))
    return `the hook is not that of ${manager}${setUp}`
  return manager !== null && settings === "Unfed" ? "without use_stdin: true, dd gets no refs" : null
}

/** Does this hook call the manager? The lines of dd name its hooks, one of which is called pre-commit too. */
export const isHookOf = (manager: "lefthook" | "pre-commit", present: Present): boolean => {
  if (present._tag !== "File" || present.text === null) return false
  return calls[manager].test(withoutBlock(present.text) ?? present.text)
}

const calls = {
  lefthook: /\blefthook\b/,
  "pre-commit": /\bFile generated by pre-commit\b|\bpre-commit (?:run|hook-impl)\b|\bpre_commit\b/
}

const setUps: Readonly<Record<Manager, (hook: HookName) => string>> = {
  husky: () => "run husky",
  lefthook: () => "lefthook install",
  "pre-commit": (hook) => `pre-commit install --hook-type ${hook}`
}

/** A settings file that the user owns is not edited: its exact bytes could not be restored. */
const lefthookSnippet = (hook: HookName, flags: string): string => {
  const isPush = hook === "pre-push"
  const call = [`daydream hook ${hook}`, ...(flags === "" ? [] : [flags]), ...(isPush ? ["{1} {2}"] : [])].join(" ")
  return [
    "# Add this to lefthook.yml:",
    `${hook}:`,
    "  commands:",
    "    dd:",
    `      run: ${/: |#/.test(call) ? `'${call.replaceAll("'", "''")}'` : call}`,
    ...(isPush ? ["      use_stdin: true"] : [])
  ].join("\n")
}
