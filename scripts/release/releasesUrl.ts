/** Where releases are published: DD_RELEASE_URL, else the repository in package.json. Null while that names none. */
import packageJson from "../../package.json" with { type: "json" }

const manifest: { readonly version: string; readonly repository?: { readonly url: string } } = packageJson

export const releasesUrl: string | null =
  process.env.DD_RELEASE_URL ??
  (manifest.repository === undefined
    ? null
    : `${manifest.repository.url.replace(/^git\+/, "").replace(/\.git$/, "")}/releases`)
