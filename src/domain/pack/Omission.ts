/**
 * Why a file is not in a pack: the reasons of the contract, and dd's own after them.
 *
 * Names decide here; what needs the text (binary, too large) or the ranks (tests that are not close, the budget) is
 * decided where these are known.
 */

import { isGeneratedPath, isLockfile, isVendoredPath } from "../change/PathKind.ts"
import { isDocument } from "../change/TestFile.ts"

export const omissionReasons = [
  "filtered:lockfile",
  "filtered:env",
  "filtered:secret",
  "filtered:binary",
  "filtered:docs",
  "filtered:tests",
  "filtered:tests-not-close",
  "filtered:generated-cache",
  "filtered:missing",
  "filtered:unknown",
  "over-budget",
  "scribe-target-failed",
  "scribe-limits-reached",
  /** Excluded by a flag or a setting. */
  "filtered:config-exclude",
  /** A submodule or a link. */
  "filtered:not-a-file",
  "filtered:too-large",
  /** Of Git LFS: the text is not that of the file. */
  "filtered:pointer"
] as const
export type OmissionReason = (typeof omissionReasons)[number]

export interface Omission {
  readonly path: string
  readonly reason: OmissionReason
}

const environmentFile = /^\.env(?:\..*)?$|^\.envrc$|\.env$/
const secretNames = new Set([
  ...[".npmrc", ".pypirc", ".netrc", "_netrc", ".git-credentials", ".htpasswd", ".pgpass", ".dockercfg"],
  ...["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "google-services.json", "googleservice-info.plist"],
  ...["credentials.json", "kubeconfig"]
])
const secretPlaces =
  /(?:^|\/)(?:\.aws\/(?:credentials|config)|\.gem\/credentials|\.docker\/config\.json|\.kube\/config)$/
const secretEnding =
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|pkcs12|der|crt|cer|csr|mobileprovision|provisionprofile|ppk|asc|tfvars)$/
const secretWord = /service-?account/

/** Files that hold secrets, and lock files: neither their text nor their patch is shown. */
export const hiddenReason = (path: string): OmissionReason | null => {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase()
  if (environmentFile.test(name)) return "filtered:env"
  const isSecret = secretNames.has(name) || secretEnding.test(name) || secretWord.test(name) || secretPlaces.test(path)
  if (isSecret) return "filtered:secret"
  return isLockfile(path) ? "filtered:lockfile" : null
}

/** Folders of tools, which no one edits; `build` and `target` can be folders of code. */
const cacheFolders = new Set([
  ...["node_modules", ".git", ".hg", ".svn", ".cache", ".parcel-cache", ".venv", "venv", "__pycache__", "coverage"],
  ...[".pytest_cache", ".mypy_cache", ".terraform", ".direnv", ".gradle", ".idea", ".next", ".nuxt", ".turbo"]
])

/** For files that did not change. */
export const relatedReason = (path: string): OmissionReason | null => {
  const hidden = hiddenReason(path)
  if (hidden !== null) return hidden
  const folders = path.toLowerCase().split("/")
  folders.pop()
  if (folders.some((folder) => cacheFolders.has(folder)) || isGeneratedPath(path) || isVendoredPath(path)) {
    return "filtered:generated-cache"
  }
  return isDocument(path) ? "filtered:docs" : null
}
