/** `base` and `relative` joined, with `.` and `..` taken out; null when that leaves the repository. */
export const joinPath = (base: string, relative: string): string | null => {
  const segments = base.split("/").filter((segment) => segment !== "")
  for (const segment of relative.split("/")) {
    if (segment === "..") {
      if (segments.pop() === undefined) return null
    } else if (segment !== "" && segment !== ".") segments.push(segment)
  }
  return segments.join("/")
}
