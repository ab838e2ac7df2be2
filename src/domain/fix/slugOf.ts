/** A path as a part of the name of a fork, a branch or a file. */
export const slugOf = (path: string): string => path.replaceAll(/[/\\]+/g, "-").replaceAll(/[^\w.-]+/g, "_")
