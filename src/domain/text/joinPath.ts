/** Joins `base` and `relative` and resolves `.` and `..`; null if the result is outside of the repository. */
export const joinPath = (base: string, relative: string): string | null => {
  const segments = base.split("/").filter((segment) => segment !== "")
  for (const segment of relative.split("/")) {
    if (segment === "..") {
      if (segments.pop() === undefined) return null
    } else if (segment !== "" && segment !== ".") segments.push(segment)
  }
  return segments.join("/")
}
