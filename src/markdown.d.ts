/** A text that is part of the program, kept in a file of its own: `import words from "./words.md" with { type: "text" }`. */
declare module "*.md" {
  const text: string
  export default text
}
