/** Whether the settings of a manager call dd. */
import { Predicate, Result } from "effect"
import { Toml, Yaml } from "effect/encoding"
import { parseJsonc } from "../code/parseJsonc.ts"
import type { HookName } from "./hookScript.ts"

export interface ManagerSettings {
  readonly manager: "lefthook" | "pre-commit"
  /** The name of the file, whose ending is its format. */
  readonly name: string
  readonly text: string
}

/** `Unfed`: dd would not get the refs of a push. */
export type SettingsCall = "None" | "Unfed" | "Complete"

/** Files that the settings include are not read. Settings that cannot be parsed call nothing. */
export const settingsCall = ({ manager, name, text }: ManagerSettings, hook: HookName): SettingsCall => {
  const settings = Result.getOrElse(
    Result.try(() => parsed(name, text)),
    () => null
  )
  const place = manager === "lefthook" && Predicate.isObject(settings) ? settings[hook] : settings
  const calls = objectsIn(place).filter((each) =>
    manager === "lefthook"
      ? each.skip !== true && isCall(each.run, hook)
      : each.id === `dd-${hook}` || isCall(each.entry, hook)
  )
  if (calls.length === 0) return "None"
  const needsInput = manager === "lefthook" && hook === "pre-push"
  return calls.some(({ use_stdin }) => !needsInput || use_stdin === true) ? "Complete" : "Unfed"
}

const parsed = (name: string, text: string): unknown => {
  if (name.endsWith(".toml")) return Result.getOrThrow(Toml.parse(text))
  return /\.jsonc?$/.test(name) ? parseJsonc(text) : Yaml.parse(text)
}

const isCall = (command: unknown, hook: HookName): boolean =>
  typeof command === "string" && command.includes(`hook ${hook}`)

type Fields = Readonly<Record<PropertyKey, unknown>>

/** Every object in a value. YAML can repeat one by its name any number of times; it is listed once. */
const objectsIn = (value: unknown): ReadonlyArray<Fields> => {
  const found = new Set<object>()
  const objects: Array<Fields> = []
  const left: Array<unknown> = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next !== "object" || next === null || found.has(next)) continue
    found.add(next)
    if (Predicate.isObject(next)) objects.push(next)
    left.push(...Object.values(next))
  }
  return objects
}
