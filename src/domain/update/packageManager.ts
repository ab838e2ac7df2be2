/** The package manager that a program belongs to, by its path with links resolved, and its command for an update. */
export type PackageManager = { readonly name: string; readonly command: string }

const managers: ReadonlyArray<PackageManager & { readonly folder: RegExp }> = [
  { name: "npm", command: "npm install --global daydream-review@latest", folder: /[\\/]node_modules[\\/]/ },
  { name: "Homebrew", command: "brew upgrade daydream", folder: /\/Cellar\// },
  { name: "Scoop", command: "scoop update daydream", folder: /[\\/]scoop[\\/]apps[\\/]/i }
]

/** Null for a program that belongs to none. */
export const packageManager = (program: string): PackageManager | null =>
  managers.find(({ folder }) => folder.test(program)) ?? null
