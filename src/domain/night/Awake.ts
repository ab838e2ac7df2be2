/** How the machine is kept from sleeping during a night. */
export interface Awake {
  /** `disabled`, `unsupported`, `caffeinate`, `systemd-inhibit`, or why the program did not start: `missing-caffeinate`. */
  readonly mode: string
  /** For the report; null if there is nothing to say. */
  readonly note: string | null
}
