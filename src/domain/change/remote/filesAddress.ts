/** Where a forge shows the files of a commit, for links in comments: there a relative link leads nowhere. */
import { remoteHost, repoSlug } from "./repoSlug.ts"

/** The address before the path of a file; null if the forge of the remote is unknown. */
export const filesAddress = (remoteUrl: string, commit: string): string | null => {
  const host = remoteHost(remoteUrl).replace(/^(?:alt)?ssh\.(?=git(?:hub|lab)\.com$)/, "")
  const slug = repoSlug(remoteUrl)
  const folder = forges.find(({ hosts }) => hosts.test(host))?.folder
  if (slug === null || folder === undefined || !/^[\w./-]+$/.test(slug)) return null
  return `https://${host}/${slug}/${folder}/${commit}/`
}

const forges = [
  { hosts: /^github\.|\.ghe\.com$/, folder: "blob" },
  { hosts: /(?:^|\.)gitlab\./, folder: "-/blob" },
  { hosts: /^codeberg\.org$/, folder: "src/commit" }
]
