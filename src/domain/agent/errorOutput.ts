/** A tool's result as text, for protocols without a field for errors. */
export const errorOutput = ({ output, isError }: { readonly output: string; readonly isError: boolean }): string =>
  isError && !/^error\b/i.test(output) ? `Error: ${output}` : output
