/**
 * The platform's file system, with short operations made synchronous: waiting for the thread pool takes ten times as
 * long, and a review needs about three hundred of them.
 *
 * Only operations that cannot block are synchronous: on names, and on the contents of small regular files. Fails as the
 * platform does, with two exceptions. A path below a file (ENOTDIR, as with `HOME=/dev/null`) is not found. Reading a
 * pipe, a socket or a device by its path fails at once: opening it may wait for another process, and reading it may
 * never end. `/dev/fd/N`, `/dev/stdin` and `/dev/null` are read.
 */
import {
  accessSync,
  type BigIntStats,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync
} from "node:fs"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import { ByteSize, Effect, FileSystem, Layer, Option, PlatformError, Predicate, Result } from "effect"
import { systemErrorCode } from "../../services/system/systemErrorText.ts"

/** In bytes; a larger file is read asynchronously. */
const small = 1024 * 1024

export const layer: Layer.Layer<FileSystem.FileSystem> = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (platform) => {
    const stat = (path: string) =>
      orAbsent(path)(synchronously("stat", path, () => infoOf(statSync(path, { bigint: true }))))
    const access: FileSystem.FileSystem["access"] = (path, options) =>
      orAbsent(path)(synchronously("access", path, () => accessSync(path, modeOf(options))))

    const read = <A>(path: string, quick: () => A, otherwise: Effect.Effect<A, PlatformError.PlatformError>) =>
      orAbsent(path)(
        Effect.suspend(() => {
          const stats = statOrNull(path)
          if (stats?.isFile() === true && stats.size <= small) return synchronously("readFile", path, quick)
          const mayBlock = stats !== null && !stats.isFile() && !stats.isDirectory() && !isOpenOrEmpty.test(path)
          return mayBlock ? Effect.fail(notAFile(path)) : otherwise
        })
      )

    /** A file that this call creates is a regular one. */
    const isMade = (flag: FileSystem.OpenFlag | undefined): boolean => flag === "wx" || flag === "ax"

    const quick: Partial<FileSystem.FileSystem> = {
      access,
      exists: (path) =>
        access(path).pipe(
          Effect.as(true),
          Effect.catchIf(
            ({ reason }) => reason._tag === "NotFound",
            () => Effect.succeed(false)
          )
        ),
      stat,
      lstat: (path) => orAbsent(path)(synchronously("lstat", path, () => infoOf(lstatSync(path, { bigint: true })))),
      readDirectory: (path, options) => orAbsent(path)(platform.readDirectory(path, options)),
      readLink: (path) => orAbsent(path)(platform.readLink(path)),
      realPath: (path) => orAbsent(path)(platform.realPath(path)),
      makeDirectory: (path, options) =>
        synchronously("makeDirectory", path, () => void mkdirSync(path, { ...options })),
      rename: (from, to) => synchronously("rename", from, () => renameSync(from, to)),
      remove: (path, options) => synchronously("remove", path, () => rmSync(path, { ...options })),
      chmod: (path, mode) => synchronously("chmod", path, () => chmodSync(path, mode)),
      link: (from, to) => synchronously("link", from, () => linkSync(from, to)),
      readFile: (path) => read(path, () => readFileSync(path), platform.readFile(path)),
      readFileString: (path, encoding) =>
        encoding === undefined
          ? read(path, () => decoder.decode(readFileSync(path)), platform.readFileString(path))
          : platform.readFileString(path, encoding),
      writeFile: (path, data, options) =>
        isMade(options?.flag) && data.length <= small
          ? synchronously("writeFile", path, () => writeFileSync(path, data, { ...options }))
          : platform.writeFile(path, data, options),
      writeFileString: (path, text, options) =>
        isMade(options?.flag) && text.length <= small
          ? synchronously("writeFile", path, () => writeFileSync(path, text, { ...options }))
          : platform.writeFileString(path, text, options)
    }
    return FileSystem.FileSystem.of({ ...platform, ...quick })
  })
).pipe(Layer.provide(NodeFileSystem.layer))

const decoder = new TextDecoder()

/** Descriptors of this process, as a shell passes them for `<(...)`, and `/dev/null`. */
const isOpenOrEmpty = /^\/(?:dev\/(?:fd\/\d+|stdin|null)|proc\/self\/fd\/\d+)$/

/** Null if it fails: the platform then reports why. */
const statOrNull = (path: string): Stats | null =>
  Result.getOrElse(
    Result.try(() => statSync(path)),
    () => null
  )

const notAFile = (path: string): PlatformError.PlatformError =>
  PlatformError.systemError({
    _tag: "BadResource",
    module: "FileSystem",
    method: "readFile",
    pathOrDescriptor: path,
    description: "it is not a regular file"
  })

const synchronously = <A>(method: string, path: string, act: () => A): Effect.Effect<A, PlatformError.PlatformError> =>
  Effect.try({ try: act, catch: (cause) => failureOf(method, path, cause) })

/** A path below a file does not exist; a file in place of an expected directory does. */
const orAbsent = (path: string) =>
  Effect.mapError((error: PlatformError.PlatformError) =>
    error.reason._tag !== "BadArgument" && systemErrorCode(error) === "ENOTDIR" && !existsSync(path)
      ? PlatformError.systemError({ ...error.reason, _tag: "NotFound" })
      : error
  )

const modeOf = (options: Parameters<FileSystem.FileSystem["access"]>[1]): number =>
  (options?.readable === true ? constants.R_OK : 0) |
  (options?.writable === true ? constants.W_OK : 0) |
  (options?.ok === true ? constants.F_OK : 0)

const tagOf: Readonly<Record<string, PlatformError.SystemErrorTag>> = {
  ENOENT: "NotFound",
  EACCES: "PermissionDenied",
  EPERM: "PermissionDenied",
  EEXIST: "AlreadyExists",
  EISDIR: "BadResource",
  ENOTDIR: "BadResource",
  ELOOP: "BadResource",
  EBUSY: "Busy"
}

const failureOf = (method: string, path: string, cause: unknown): PlatformError.PlatformError => {
  const field = (key: "code" | "syscall") =>
    Predicate.hasProperty(cause, key) && Predicate.isString(cause[key]) ? cause[key] : ""
  return PlatformError.systemError({
    _tag: tagOf[field("code")] ?? "Unknown",
    module: "FileSystem",
    method,
    pathOrDescriptor: path,
    syscall: field("syscall"),
    cause
  })
}

const typeOf = (stat: BigIntStats): FileSystem.File.Type => {
  if (stat.isFile()) return "File"
  if (stat.isDirectory()) return "Directory"
  if (stat.isSymbolicLink()) return "SymbolicLink"
  if (stat.isFIFO()) return "FIFO"
  if (stat.isSocket()) return "Socket"
  if (stat.isBlockDevice()) return "BlockDevice"
  return stat.isCharacterDevice() ? "CharacterDevice" : "Unknown"
}

const infoOf = (stat: BigIntStats): FileSystem.File.Info => ({
  type: typeOf(stat),
  mtime: Option.some(stat.mtime),
  atime: Option.some(stat.atime),
  birthtime: Option.some(stat.birthtime),
  dev: BigInt.asUintN(64, stat.dev),
  rdev: Option.some(BigInt.asUintN(64, stat.rdev)),
  ino: Option.some(BigInt.asUintN(64, stat.ino)),
  mode: Number(stat.mode),
  nlink: Option.some(BigInt.asUintN(64, stat.nlink)),
  uid: Option.some(Number(stat.uid)),
  gid: Option.some(Number(stat.gid)),
  size: ByteSize.bytes(stat.size),
  blksize: Option.some(ByteSize.bytes(stat.blksize)),
  blocks: Option.some(stat.blocks)
})
