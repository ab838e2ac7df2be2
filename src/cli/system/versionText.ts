/** What `dd version` prints. Imports nothing that costs start-up time. */
import { dependencies, name, version } from "../../../package.json" with { type: "json" }

export const versionText = (isJson: boolean): string =>
  isJson ? JSON.stringify({ name, version, bun: Bun.version, effect: dependencies.effect }) : `${name} ${version}`
