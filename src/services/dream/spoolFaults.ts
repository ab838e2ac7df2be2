/**
 * The file `faults` of the spool counts the events that could not be recorded. Each begins with a NUL, the time and the code of
 * the failure follow: on a full disk only the NUL, because a file can be made one byte longer without room on the disk.
 */
export const faultLine = (at: number, code: string): string => `\0${at} ${code}\n`

/** The codes, one for each event. */
export const spoolFaults = (text: string): ReadonlyArray<string> =>
  text
    .split("\0")
    .slice(1)
    .map((line) => line.trim().split(" ")[1] ?? "without room to note why")
