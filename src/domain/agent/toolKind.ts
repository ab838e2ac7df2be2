/** Whether a tool of any agent reads or writes files, by its name. */
const readers = /^(?:.*[._])?(?:read|grep|view|open|cat|search)(?:_?(?:file|files|text|lines|blob))?$/
const writers = /^(?:.*[._])?(?:write|edit|multiedit|apply_patch|str_replace|create|delete)(?:_?file)?$/

/** Compared with the whole name, because `apply_diff` does not read. */
const ownReaders: ReadonlySet<string> = new Set(["diff"])

export const isReadTool = (name: string): boolean => {
  const low = name.toLowerCase()
  return readers.test(low) || ownReaders.has(low)
}
export const isWriteTool = (name: string): boolean => writers.test(name.toLowerCase())
