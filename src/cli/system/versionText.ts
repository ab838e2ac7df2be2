/** What `dd version` prints. Imports nothing that costs start-up time. */
import { dependencies, name, version } from "../../../package.json" with { type: "json" }
import { build } from "./build.ts"

export const versionText = (isJson: boolean): string =>
  isJson
    ? JSON.stringify({ name, version, commit, time, target, bun: Bun.version, effect: dependencies.effect })
    : `${name} ${version}${build === null ? "" : ` (${buildText})`}`

const { commit, target, time } = build ?? {}

const buildText = [commit, time?.slice(0, 10), target].filter((each) => each != null).join(", ")
