/**
 * Whether a night still gains anything: it does not after `window` iterations in a row whose composite hardly changed. The count
 * then starts again, so that a night that goes on can stop at a later plateau.
 */

/** A smaller window is raised to this. */
export const leastWindow = 2

export interface Plateau {
  readonly epsilon: number
  readonly window: number
}

export const defaultPlateau: Plateau = { epsilon: 0.01, window: 2 }

/** Far below each difference that counts, and above the error of their sums. */
export const rounding = 1e-9

/** `streak`: how many iterations in a row changed less than `epsilon` so far. A change of `epsilon` itself is one. */
export const observed = (
  streak: number,
  delta: number,
  { epsilon, window }: Plateau
): { readonly streak: number; readonly isPlateau: boolean } => {
  const next = Math.abs(delta) < epsilon - rounding ? streak + 1 : 0
  return next >= Math.max(leastWindow, window) ? { streak: 0, isPlateau: true } : { streak: next, isPlateau: false }
}
