/** Where releases are published: the repository in package.json. Null while it names none; DD_RELEASE_URL is then needed. */
import packageJson from "../../package.json" with { type: "json" }

const manifest: { readonly version: string; readonly repository?: { readonly url: string } } = packageJson

export const releasesUrl: string | null =
  manifest.repository === undefined
    ? null
    : `${manifest.repository.url.replace(/^git\+/, "").replace(/\.git$/, "")}/releases`
