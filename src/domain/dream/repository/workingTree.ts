/**
 * Where the commands of a session run: in which folder of the working tree, and whether on the tree that was edited. A check on
 * another tree (after `git stash`, on another branch, outside of the root) says nothing about the edits. Pure.
 */
import { shellCommands } from "../../system/shellWords.ts"
import { readWords } from "../commandFamily.ts"
import type { SessionEvent } from "../SessionEvent.ts"
import type { SessionStep } from "../SessionView.ts"

type Began = Pick<SessionEvent, "branch" | "cwd" | "root">

/** `began[i]`: the first event of `steps[i]`. A run on another tree keeps neither its family nor its purpose. */
export const placedSteps = (
  steps: ReadonlyArray<SessionStep>,
  began: ReadonlyArray<Began>
): ReadonlyArray<SessionStep> => {
  let now: Tree = { branch: "", stashes: 0 }
  let edited: Tree | null = null
  let wasInside = false
  return steps.map((step, at) => {
    const { branch, cwd, root } = began[at]!
    now = { ...now, branch: branch ?? now.branch }
    wasInside ||= isInside(cwd, root)
    if (step.action === "edit" && step.result === "ok") edited = now
    if (step.action !== "run" || step.command === null) return step
    // A root may be named by a link: a folder is elsewhere only if an earlier one was inside.
    let folder = wasInside ? cwd : root
    let place = { folder, isOther: isOther(now, edited) }
    let [tree, editedThen] = [now, edited]
    for (const { words } of shellCommands(step.command.slice(0, longestCommand))) {
      if (words[0] === "cd" || words[0] === "pushd") folder = resolved(folder, words[1] ?? "~", root)
      else if (words[0] === "git") [tree, editedThen] = afterGit(words.slice(1), tree, editedThen)
      if (readWords(words)?.family === step.family) place = { folder, isOther: isOther(tree, editedThen) }
    }
    // What failed is the check, after the parts before it.
    const isDone = step.result !== "denied" && (step.result !== "failed" || step.family?.startsWith("git ") !== true)
    if (isDone) [now, edited] = [tree, editedThen]
    if (place.isOther || !isInside(place.folder, root)) return { ...step, family: null, purpose: "other" }
    return { ...step, folder: place.folder.slice(root.length + 1) }
  })
}

const longestCommand = 4_000

interface Tree {
  readonly branch: string
  readonly stashes: number
}

const isOther = (now: Tree, edited: Tree | null): boolean =>
  edited !== null && (now.branch !== edited.branch || now.stashes > edited.stashes)

/** The tree that is checked out afterwards, and the one that has the edits. */
const afterGit = (
  [command = "", ...words]: ReadonlyArray<string>,
  now: Tree,
  edited: Tree | null
): [Tree, Tree | null] => {
  const [first = ""] = words
  if (command === "stash") {
    if (/^(?:pop|apply)$/.test(first)) {
      const tree = { ...now, stashes: Math.max(0, now.stashes - 1) }
      return [tree, edited === null ? null : tree]
    }
    return [/^(?:-.*|push|save)?$/.test(first) ? { ...now, stashes: now.stashes + 1 } : now, edited]
  }
  // These bring the edits of another branch.
  if (/^(?:merge|rebase|pull|cherry-pick)$/.test(command)) return [now, edited === null ? null : now]
  if ((command !== "checkout" && command !== "switch") || words.includes("--")) return [now, edited]
  const branch = words.findLast((word) => !word.startsWith("-"))
  if (branch === undefined || /\.\w*$|\/$/.test(branch)) return [now, edited]
  const tree = { ...now, branch }
  const isNew = words.some((word) => /^-[bBcC]$/.test(word))
  return [tree, isNew && edited !== null && !isOther(now, edited) ? tree : edited]
}

const isInside = (folder: string, root: string): boolean => folder === root || folder.startsWith(`${root}/`)

/** A folder that an expansion names is unknown: it is taken for the one before. */
const resolved = (from: string, to: string, root: string): string => {
  if (to === "-" || /[$`*]/.test(to)) return from
  const home = /^\/(?:home|Users)\/[^/]+|^\/root/.exec(root)?.[0]
  if (to.startsWith("~") && home === undefined) return from
  const path = to.startsWith("~") ? home + to.slice(1) : to.startsWith("/") ? to : `${from}/${to}`
  const names: Array<string> = []
  for (const name of path.split("/")) {
    if (name === "..") names.pop()
    else if (name !== "" && name !== ".") names.push(name)
  }
  return `/${names.join("/")}`
}
