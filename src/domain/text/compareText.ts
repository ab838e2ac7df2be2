/** Code-unit order, the same on every machine (a locale's collation is not). */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
