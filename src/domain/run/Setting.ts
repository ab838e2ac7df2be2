/** The value of a setting, and the place it comes from. */
import { oneLine } from "../text/Printable.ts"

export type Origin =
  | { readonly _tag: "Flag"; readonly name: string }
  | { readonly _tag: "Environment"; readonly name: string }
  /** `ofBase`: read from the base of the change, not from the working tree. */
  | { readonly _tag: "File"; readonly path: string; readonly line: number; readonly ofBase: boolean }
  | { readonly _tag: "Default"; readonly because: string }

/** `--fail-on`, `DD_FAIL_ON`, `.daydream.toml:3 (base)`, `default`. */
export const originText = (origin: Origin): string => {
  switch (origin._tag) {
    case "File":
      return `${oneLine(origin.path)}:${origin.line}${origin.ofBase ? " (base)" : ""}`
    case "Default":
      return origin.because === "" ? "default" : `default, ${origin.because}`
    default:
      return origin.name
  }
}

export interface Setting<A> {
  readonly value: A
  readonly origin: Origin
}
