/**
 * Replaces the program by a newer release, in one step, after the new one has said its version.
 *
 * The archive is verified by SHA256SUMS and unpacked beside the program. Whatever fails, the program stays as it was, and nothing else
 * remains.
 */
import { Context, Effect, FileSystem, Layer, Path, Runtime, Schema } from "effect"
import { Digest, sha256 } from "effect/crypto/Digest"
import { packageManager } from "../../domain/update/packageManager.ts"
import { isNewer, type Release, releaseIn } from "../../domain/update/Release.ts"
import { Subprocess } from "../system/Subprocess.ts"
import { Releases, type ReleasesUnreachable } from "./Releases.ts"

/** What runs, and for which system it was built. */
export type Installed = { readonly program: string; readonly version: string; readonly target: string }

/** This program is not replaced by dd, and what replaces it. */
export class UpdateRefused extends Schema.TaggedError<UpdateRefused>()("UpdateRefused", { reason: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return this.reason
  }
}

export class UpdateFailed extends Schema.TaggedError<UpdateFailed>()("UpdateFailed", { reason: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `${this.reason}; nothing was changed`
  }
}

export class SelfUpdate extends Context.Service<
  SelfUpdate,
  {
    /** The newest release, or null if the program is not older. */
    readonly newer: (installed: Installed) => Effect.Effect<Release | null, ReleasesUnreachable | UpdateFailed>
    /** Fails if dd may not replace this program. */
    readonly allowed: (installed: Installed) => Effect.Effect<void, UpdateRefused>
    readonly install: (
      installed: Installed,
      release: Release
    ) => Effect.Effect<void, ReleasesUnreachable | UpdateFailed | UpdateRefused>
  }
>()("dd/services/update/SelfUpdate") {
  static readonly layer = Layer.effect(
    SelfUpdate,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const digest = yield* Digest
      const releases = yield* Releases
      const subprocess = yield* Subprocess

      const newer = Effect.fn("SelfUpdate.newer")(function* ({ target, version }: Installed) {
        const release = releaseIn(yield* releases.newestSums, target)
        if (release === null)
          return yield* new UpdateFailed({ reason: `the newest release has no archive for ${target}` })
        return isNewer(release.version, version) ? release : null
      })

      const allowed = Effect.fn("SelfUpdate.allowed")(function* ({ program, target }: Installed) {
        const manager = packageManager(program)
        if (manager !== null) {
          return yield* new UpdateRefused({
            reason: `${program} was installed by ${manager.name}; run ${manager.command}`
          })
        }
        // A program that runs cannot be replaced there.
        if (target.startsWith("windows")) {
          return yield* new UpdateRefused({
            reason: "a program that runs cannot be replaced on Windows; run install.ps1"
          })
        }
        // Linux names the file of a running program `daydream (deleted)` then.
        const isThere = yield* Effect.catch(fs.exists(program), () => Effect.succeed(false))
        if (!isThere) {
          return yield* new UpdateRefused({
            reason: `${program.replace(/ \(deleted\)$/, "")} was replaced or removed since it started; run dd --version`
          })
        }
        const directory = path.dirname(program)
        yield* fs.access(directory, { writable: true }).pipe(
          Effect.mapError(
            () =>
              new UpdateRefused({
                reason: `${directory} is not writable; run dd self-update as its owner, or install dd in another directory with install.sh`
              })
          )
        )
      })

      /** What a program printed; null if it could not be run. */
      const outputOf = (program: string, args: ReadonlyArray<string>, directory: string) =>
        subprocess
          .collect({ program, arguments: args, directory, environment, maxOutput: 10_000, maxStderr: 1_000 })
          .pipe(
            Effect.map(({ exitCode, output }) => (exitCode === 0 ? new TextDecoder().decode(output) : null)),
            Effect.catch(() => Effect.succeed(null)),
            Effect.timeoutOrElse({ duration: "1 minute", orElse: () => Effect.succeed(null) })
          )

      const install = Effect.fn("SelfUpdate.install")(
        function* (installed: Installed, { archive, checksum, version }: Release) {
          yield* allowed(installed)
          const bytes = yield* releases.file(version, archive)
          if ((yield* digest.digestHex(sha256, bytes)) !== checksum) {
            return yield* new UpdateFailed({ reason: `${archive} has another checksum than SHA256SUMS says` })
          }
          // On the same file system, so that the last step is a rename.
          const directory = path.dirname(installed.program)
          const work = yield* fs.makeTempDirectoryScoped({ directory, prefix: ".daydream-update-" })
          const packed = path.join(work, archive)
          yield* fs.writeFile(packed, bytes)
          if ((yield* outputOf("tar", ["-xf", packed, "-C", work], work)) === null) {
            return yield* new UpdateFailed({ reason: `${archive} could not be unpacked; tar and xz are needed` })
          }
          const next = path.join(work, archive.replace(/\.tar\.xz$/, ""), "daydream")
          const said = yield* outputOf(next, ["--version"], work)
          if (said?.startsWith(`dd ${version}`) !== true) {
            return yield* new UpdateFailed({ reason: `dd ${version} does not run here` })
          }
          yield* fs.rename(next, installed.program)
        },
        Effect.scoped,
        Effect.catchTag("PlatformError", ({ message }) => Effect.fail(new UpdateFailed({ reason: message })))
      )

      return SelfUpdate.of({ newer, allowed, install })
    })
  )
}

/** For `tar`, which finds `xz` by it. */
const environment = { PATH: "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin" }
