/**
 * The seal of the files of the dream store: HMAC-SHA-256 with a random key of the user, over the project, the name of the file
 * and its content. A repository that brings such files cannot make it, so its words reach no assistant.
 *
 * Loads neither Effect nor SQLite. Throws errors of the system.
 */
import { linkSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { partsOfSealed, sealedText } from "../../domain/dream/artifacts/sealedText.ts"

/** Of the store, in the main working tree. */
export const storeFolder = [".daydream", "cross-session"] as const

/** What a seal is valid for. `name`: of the file in the store, with forward slashes. */
export interface SealedPlace {
  readonly key: string
  readonly project: string
  readonly name: string
}

export const sealed = (place: SealedPlace, content: string): string => sealedText(sealOf(place, content), content)

/** The content; null if the file is not sealed for this place. */
export const unsealed = (place: SealedPlace, text: string): string | null => {
  const parts = partsOfSealed(text)
  return parts === null || parts.seal !== sealOf(place, parts.content) ? null : parts.content
}

const sealOf = ({ key, name, project }: SealedPlace, content: string): string =>
  new Bun.CryptoHasher("sha256", key).update(`${project}\0${name}\0${content}`).digest("hex")

const keyPath = (home: string): string => join(home, "dream.key")

/** Null if there is none yet. */
export const dreamKey = (home: string): string | null => {
  const info = lstatSync(keyPath(home), { throwIfNoEntry: false })
  if (info === undefined) return null
  const key = info.isFile() && info.size <= 2 * keyDigits ? readFileSync(keyPath(home), "utf8").trim() : ""
  if (!/^[0-9a-f]{64}$/.test(key)) throw new Error("it is not a key of dd; move it away, and dd makes another one")
  return key
}

/** Creates it if there is none; of several processes, one creates it. */
export const madeDreamKey = (home: string): string => {
  const known = dreamKey(home)
  if (known !== null) return known
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const key = Buffer.from(crypto.getRandomValues(new Uint8Array(keyDigits / 2))).toString("hex")
  const draft = `${keyPath(home)}.${key.slice(0, 8)}.draft`
  try {
    writeFileSync(draft, `${key}\n`, { flag: "wx", mode: 0o600, flush: true })
    // A key that is half written would not be one.
    linkSync(draft, keyPath(home))
  } catch (error) {
    if (dreamKey(home) === null) throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return dreamKey(home) ?? key
}

const keyDigits = 64

/** A file of a store that is larger is not read. In bytes. */
export const largestSealed = 16 * 1024 * 1024

/** The content of a file of the store in `root`; null if there is none that the user's dd has sealed. */
export const readSealed = (home: string, root: string, place: Omit<SealedPlace, "key">): string | null => {
  const path = join(root, ...storeFolder, place.name)
  const info = lstatSync(path, { throwIfNoEntry: false })
  if (info === undefined || !info.isFile() || info.size > largestSealed) return null
  const key = dreamKey(home)
  return key === null ? null : unsealed({ ...place, key }, readFileSync(path, "utf8"))
}
