/**
 * Standard input, output and error of a run inside another program, such as a test: nothing is read from or written to the
 * descriptors of the process, and none of the three is a terminal. One run at a time.
 */
export interface Streams {
  readonly input: Uint8Array
  readonly write: (descriptor: 1 | 2, bytes: Uint8Array) => void
}

/** Null: the descriptors of the process. */
export const givenStreams = (): Streams | null => given

export const giveStreams = (streams: Streams | null): void => {
  given = streams
}

let given: Streams | null = null
