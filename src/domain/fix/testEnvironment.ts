/**
 * The environment of a test command: what programs and toolchains need to be found, and nothing else. No keys and tokens,
 * nothing of git, Bun or dd.
 */

const wordVariables = [
  "USER",
  "LOGNAME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "GOTOOLCHAIN",
  "RUSTUP_TOOLCHAIN",
  "PYENV_VERSION",
  "RBENV_VERSION"
]

/** A path, or several with colons between them. */
const pathVariables = [
  "PATH",
  "HOME",
  "TMPDIR",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "JAVA_HOME",
  "GRADLE_USER_HOME",
  "ANDROID_HOME",
  "GOPATH",
  "GOROOT",
  "GOMODCACHE",
  "GOCACHE",
  "CARGO_HOME",
  "RUSTUP_HOME",
  "PYENV_ROOT",
  "VIRTUAL_ENV",
  "CONDA_PREFIX",
  "UV_CACHE_DIR",
  "NVM_DIR",
  "NVM_BIN",
  "VOLTA_HOME",
  "FNM_DIR",
  "PNPM_HOME",
  "COREPACK_HOME",
  "RBENV_ROOT",
  "GEM_HOME",
  "GEM_PATH",
  "MIX_HOME",
  "HEX_HOME",
  "COMPOSER_HOME",
  "DOTNET_ROOT",
  "NUGET_PACKAGES",
  "ASDF_DATA_DIR",
  "ASDF_DIR",
  "MISE_DATA_DIR",
  "SDKMAN_DIR",
  "DEVELOPER_DIR",
  "LD_LIBRARY_PATH"
]

export const testVariables: ReadonlyArray<string> = [...wordVariables, ...pathVariables]

const fixed = {
  TERM: "dumb",
  CI: "1",
  NO_COLOR: "1",
  // Python would write it beside the modules of other directories, too.
  PYTHONDONTWRITEBYTECODE: "1"
}

/**
 * `moved` replaces a place in the user's tree by the same place in the tested one, so that an active virtual environment
 * is that of the tested tree. Relative paths are left out: they would be in the repository.
 */
export const testEnvironment = (
  variables: ReadonlyMap<string, string>,
  moved: (path: string) => string
): Readonly<Record<string, string>> => {
  const kept: Record<string, string> = {}
  for (const name of wordVariables) {
    const value = variables.get(name)
    if (value !== undefined) kept[name] = value
  }
  for (const name of pathVariables) {
    const entries = (variables.get(name) ?? "").split(":").filter((entry) => entry.startsWith("/"))
    if (entries.length > 0) kept[name] = entries.map(moved).join(":")
  }
  return { ...kept, ...fixed }
}
