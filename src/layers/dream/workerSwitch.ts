/** Whether the user's settings turn the worker off. Settings that cannot be read turn nothing off; `dd doctor` reports them. */
import { Result } from "effect"
import { switchWord } from "../../domain/run/switchWord.ts"
import { readSettingsFile } from "../../domain/text/SettingsFile.ts"

export const isOffIn = (text: string): boolean => {
  const settings = Result.getOrElse(readSettingsFile(text, "dream"), () => null) ?? []
  const worker = settings.find(({ key }) => key === "worker")
  return worker !== undefined && switchWord(worker.value) !== "on"
}
