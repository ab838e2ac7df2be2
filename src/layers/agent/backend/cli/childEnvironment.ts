/**
 * The complete environment of a coding CLI: the paths of programs, its own settings, the network, its own keys, and
 * nothing else. No forge's token, no key of another service, no `GIT_*`, no `BUN_OPTIONS`, no `NODE_OPTIONS`.
 */
import { Config, Effect, Option } from "effect"

/** The user, terminal and network, for every program. */
const common = [
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
  "XDG_CONFIG_HOME",
  "XDG_CACHE_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  "XDG_RUNTIME_DIR",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS"
] as const

/** `own`: the program's own variables; `path`: its PATH; `fixed` overrides all. */
export const childEnvironment = Effect.fnUntraced(function* (
  own: ReadonlyArray<string>,
  path: string,
  fixed: Readonly<Record<string, string>>
) {
  const kept: Record<string, string> = {}
  for (const name of [...common, ...own]) {
    const value = Option.getOrNull(yield* Effect.orDie(Config.option(Config.String(name))))
    // A relative directory would be in the reviewed repository.
    const isPlace = /^(?:HOME|TMPDIR|XDG_\w+|\w+_CONFIG_DIR|\w+_HOME)$/.test(name)
    if (value !== null && (!isPlace || value.startsWith("/"))) kept[name] = value
  }
  return { ...kept, PATH: path, TERM: "dumb", NO_COLOR: "1", ...fixed }
})

export const isSet = (name: string) =>
  Effect.map(Effect.orDie(Config.option(Config.String(name))), (value) => Option.getOrElse(value, () => "") !== "")
