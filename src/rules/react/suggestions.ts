/** The edits that fix what the rules for React report, where every reader would make them. */
import type { NodeSuggestions } from "../page/Checks.ts"

/** `margin-top` as React writes it: `marginTop`. */
const propertyOf = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

export const nodeSuggestions: NodeSuggestions = {
  // In an attribute, the call belongs in a function.
  "set-state-in-render": (node) =>
    node.parent?.type === "jsx_expression" ? [{ node, text: `() => ${node.text}` }] : null,
  "style-text": (node) => {
    const style = /^style=\{?(["'])([^"'\\(!]*)\1\}?$/.exec(node.text)?.[2]?.replace(/;\s*$/, "")
    const declarations = style?.split(";").map((each) => /^\s*([a-z]+(?:-[a-z]+)*)\s*:\s*([^:]*\S)\s*$/.exec(each))
    if (declarations === undefined || declarations.includes(null)) return null
    const properties = declarations.map((each) => `${propertyOf(each?.[1] ?? "")}: '${each?.[2] ?? ""}'`)
    return [{ node, text: `style={{ ${properties.join(", ")} }}` }]
  }
}
