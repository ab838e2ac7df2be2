/** A tool's result for protocols that cannot say that it is an error: the words do. */
export const failureSaid = ({ output, isError }: { readonly output: string; readonly isError: boolean }): string =>
  isError && !/^error\b/i.test(output) ? `Error: ${output}` : output
