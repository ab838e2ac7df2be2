/**
 * The arguments of programs that keep a test command from the network and from files outside of its tree.
 *
 * The command sees the system read-only. The home directory is replaced by an empty one that is kept between runs, with
 * the folders of toolchains in it, read-only.
 */

/** Folders of the home directory in which toolchains keep programs and downloaded packages; none has credentials. */
export const toolchainFolders: ReadonlyArray<string> = [
  ".asdf",
  ".bun/bin",
  ".bun/install/cache",
  ".cabal/bin",
  ".cache/deno",
  ".cache/node/corepack",
  ".cache/pypoetry/virtualenvs",
  ".cache/uv",
  ".cargo/bin",
  ".cargo/git",
  ".cargo/registry",
  ".composer/vendor",
  ".deno",
  ".dotnet",
  ".elixir",
  ".fnm",
  ".ghcup",
  ".gradle/caches",
  ".gradle/wrapper",
  ".hex/packages",
  ".jenv",
  ".kiex",
  ".local/bin",
  ".local/lib",
  ".local/pipx",
  ".local/share/fnm",
  ".local/share/gem",
  ".local/share/mise",
  ".local/share/pnpm",
  ".local/share/uv",
  ".local/share/virtualenvs",
  ".m2/repository",
  ".m2/wrapper",
  ".mix",
  ".nodenv",
  ".npm/_npx",
  ".nuget/packages",
  ".nvm",
  ".phpenv",
  ".pyenv",
  ".rbenv",
  ".rustup",
  ".rvm",
  ".sdkman",
  ".swiftpm",
  ".virtualenvs",
  ".volta",
  ".yarn/berry",
  "go"
]

export interface Confined {
  /** All paths are absolute, with links resolved. */
  readonly tree: string
  /** Null if there is no home directory. */
  readonly home: string | null
  /** Takes the place of the home directory. */
  readonly emptyHome: string
  /** Where the command runs. */
  readonly directory: string
}

/**
 * Arguments of `bwrap` before the command. `/run` has sockets of services, such as that of Docker. The repository of the
 * tree is read-only: its configuration names programs, and dd calls git in the tree.
 */
export const bubblewrapArguments = ({ directory, emptyHome, home, tree }: Confined): ReadonlyArray<string> => [
  ...["--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
  ...["--tmpfs", "/dev/shm", "--tmpfs", "/tmp", "--tmpfs", "/run"],
  ...["--ro-bind-try", "/run/current-system", "/run/current-system"],
  ...(home === null ? [] : ["--bind", emptyHome, home]),
  ...(home === null ? [] : toolchainFolders.flatMap((name) => ["--ro-bind-try", `${home}/${name}`, `${home}/${name}`])),
  ...["--bind", tree, tree, "--ro-bind-try", `${tree}/.git`, `${tree}/.git`, "--chdir", directory, "--"]
]

const credentials = [
  ".aws",
  ".azure",
  ".cargo/credentials.toml",
  ".config/gcloud",
  ".config/gh",
  ".daydream",
  ".docker",
  ".gnupg",
  ".kube",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".ssh",
  "Library/Application Support",
  "Library/Keychains"
]

/** The profile of `sandbox-exec`, whose last rule that matches counts. The home directory cannot be replaced there. */
export const sandboxProfile = ({ emptyHome, home, tree }: Confined): string => {
  const below = (paths: ReadonlyArray<string>): string =>
    paths.map((path) => `(subpath "${path.replace(/["\\]/g, "\\$&")}")`).join(" ")
  return [
    "(version 1)",
    "(allow default)",
    "(deny network*)",
    '(allow network* (local ip "localhost:*") (remote ip "localhost:*"))',
    ...(home === null ? [] : [`(deny file-read* ${below(credentials.map((name) => `${home}/${name}`))})`]),
    "(deny file-write*)",
    `(allow file-write* ${below(["/private/tmp", "/private/var/folders", "/dev"])})`,
    `(allow file-read* file-write* ${below([tree, emptyHome])})`,
    `(deny file-write* ${below([`${tree}/.git`])})`
  ].join("\n")
}

/** Without a network, a package manager ends at once instead of after its retries. */
export const offline = {
  CARGO_NET_OFFLINE: "true",
  GOPROXY: "off",
  UV_OFFLINE: "1",
  npm_config_offline: "true"
}
