import { createHash } from "node:crypto"
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"

/** Every file below a folder with its mode and content, `.git` included; without these names at its top. */
export const folderHash = (root: string, without: ReadonlyArray<string> = []): string => {
  const hash = createHash("sha256")
  const visit = (folder: string) => {
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name)
      if (folder === root && without.includes(name)) continue
      const info = lstatSync(path)
      hash.update(`${path}\0${info.mode}\0`)
      if (info.isDirectory()) visit(path)
      else hash.update(info.isSymbolicLink() ? readlinkSync(path) : readFileSync(path))
    }
  }
  visit(root)
  return hash.digest("hex")
}
