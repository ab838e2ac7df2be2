/** The index of the last number that is at most `limit`, or -1. `numbers` are ascending. */
export const lastAtMost = (numbers: ReadonlyArray<number>, limit: number): number => {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}
