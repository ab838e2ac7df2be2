/** dd's own review profiles, by stack: what to look for, what not to report, how to prove a claim, examples. */
import elixir from "./profiles/elixir.md" with { type: "text" }
import generic from "./profiles/generic.md" with { type: "text" }
import go from "./profiles/go.md" with { type: "text" }
import ios from "./profiles/ios.md" with { type: "text" }
import java from "./profiles/java.md" with { type: "text" }
import python from "./profiles/python.md" with { type: "text" }
import react from "./profiles/react.md" with { type: "text" }
import ruby from "./profiles/ruby.md" with { type: "text" }
import rust from "./profiles/rust.md" with { type: "text" }
import structure from "./profiles/structure.md" with { type: "text" }
import typescript from "./profiles/typescript.md" with { type: "text" }

export const builtInProfiles: ReadonlyMap<string, string> = new Map([
  ["elixir", elixir],
  ["generic", generic],
  ["go", go],
  ["ios", ios],
  ["java", java],
  ["python", python],
  ["react", react],
  ["ruby", ruby],
  ["rust", rust],
  ["structure", structure],
  ["typescript", typescript]
])

/** An unknown stack gets `generic`; `react` also gets `typescript`. */
export const builtInProfile = (stack: string): string =>
  stack === "react"
    ? `${react.trim()}\n\n# Profile: typescript\n\n${typescript}`
    : (builtInProfiles.get(stack) ?? generic)
