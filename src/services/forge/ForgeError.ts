/** Why a forge did not do what was asked. Each message has the cause and a remedy. */
import { Runtime, Schema } from "effect"

/** The command was valid but could not run. */
const couldNotRun = 3

export class ForgeNotFound extends Schema.TaggedError<ForgeNotFound>()("ForgeNotFound", { what: Schema.String }) {
  override readonly [Runtime.errorExitCode] = couldNotRun
  override get message() {
    return `${this.what} was not found, or the token may not see it; check --repo and --pr, and what the token can read`
  }
}

export class ForgeRefused extends Schema.TaggedError<ForgeRefused>()("ForgeRefused", {
  status: Schema.Int,
  detail: Schema.String,
  /** What the token lacks, as the forge names it; "" if it does not. */
  needed: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = couldNotRun
  override get message() {
    const remedy =
      this.status === 401
        ? "the token is not valid or has expired; set GITHUB_TOKEN to another one"
        : `the token needs ${this.needed === "" ? "the permission pull-requests: write" : this.needed}`
    return `the forge refused (${this.status}: ${this.detail}); ${remedy}`
  }
}

export class ForgeLimited extends Schema.TaggedError<ForgeLimited>()("ForgeLimited", {
  /** Until requests are accepted again. */
  seconds: Schema.Finite,
  detail: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = couldNotRun
  override get message() {
    const minutes = Math.max(1, Math.ceil(this.seconds / 60))
    return `the rate limit of the forge is reached (${this.detail}); try again in ${minutes} min: nothing is posted twice`
  }
}

/** It understood the request and did not accept its content. */
export class ForgeRejected extends Schema.TaggedError<ForgeRejected>()("ForgeRejected", { detail: Schema.String }) {
  override readonly [Runtime.errorExitCode] = couldNotRun
  override get message() {
    return `the forge did not accept the request (${this.detail}); if the branch has new commits, review it again`
  }
}

/** There is no answer, or only the error of a server: the request may have been done. */
export class ForgeUnavailable extends Schema.TaggedError<ForgeUnavailable>()("ForgeUnavailable", {
  detail: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = couldNotRun
  override get message() {
    return `the forge did not answer (${this.detail}); check the network and GITHUB_API_URL, and try again: nothing is posted twice`
  }
}

/** The answer is not one of this API. */
export class ForgeUnexpected extends Schema.TaggedError<ForgeUnexpected>()("ForgeUnexpected", {
  detail: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = couldNotRun
  override get message() {
    return `the answer of the forge cannot be used: ${this.detail}`
  }
}

/** Of a forge in files. */
export class ForgeFilesFailed extends Schema.TaggedError<ForgeFilesFailed>()("ForgeFilesFailed", {
  file: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = couldNotRun
  override get message() {
    return `${this.file} cannot be used: ${this.reason}; choose another directory with --files`
  }
}

export type ForgeError =
  | ForgeFilesFailed
  | ForgeNotFound
  | ForgeRefused
  | ForgeLimited
  | ForgeRejected
  | ForgeUnavailable
  | ForgeUnexpected
