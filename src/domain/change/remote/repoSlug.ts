/**
 * `owner/name` of the repository at a remote URL, with every group (`group/sub/project`); null for a path or a bare host.
 *
 * Accepts `git@host:owner/repo.git`, `ssh://git@host:22/owner/repo` and `https://host/owner/repo.git`.
 */
export const repoSlug = (remoteUrl: string): string | null => {
  const path =
    /^[a-z][a-z0-9+.-]*:\/\/[^/]+\/(.+)$/i.exec(remoteUrl)?.[1] ?? /^[^/:]+:(?!\/\/)(.+)$/.exec(remoteUrl)?.[1]
  if (path === undefined || /^file:/i.test(remoteUrl) || /^[a-z]:[\\/]/i.test(remoteUrl)) return null
  const parts = path
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .filter((part) => part !== "")
  return parts.length < 2 ? null : parts.join("/")
}

/** In lower case; empty for a path. */
export const remoteHost = (remoteUrl: string): string =>
  (URL.canParse(remoteUrl)
    ? new URL(remoteUrl).hostname
    : (/^(?:[^@/]*@)?([^:/]+):/.exec(remoteUrl)?.[1] ?? "")
  ).toLowerCase()
