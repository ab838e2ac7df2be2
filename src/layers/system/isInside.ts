import type { Path } from "effect"

/** Whether `file` is the directory, or inside it. Links are not resolved. */
export const isInside = (paths: Path.Path, directory: string, file: string): boolean => {
  const relative = paths.relative(directory, file)
  return relative !== ".." && !relative.startsWith(`..${paths.sep}`) && !paths.isAbsolute(relative)
}
