/** Commands that change files of the working tree: `sed -i`, `git checkout`, a text that is redirected into a file. */
export const shellEdit =
  /(?:^|[;&|(]\s*)(?:sed\s+(?:-\w+\s+)*-\w*i|perl\s+-\w*i|patch\s|git\s+(?:apply|(?:checkout|switch)(?!\s+-[bc])|restore|revert|stash|pull|merge|rebase|cherry-pick)\b|tee\s)|(?:cat|echo|printf)\s[^;|&]*(?<!\d)>\s*(?!\/dev\/|\/tmp\/)[\w./-]+/
