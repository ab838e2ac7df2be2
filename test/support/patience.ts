/**
 * How long a test may take, in milliseconds: it ends a test that hangs and judges no machine. Longer than a minute's pause
 * of everything, which shared machines know, on top of the slowest test.
 */
export const patience = 300_000
