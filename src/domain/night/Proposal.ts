/** One change of the corpus that the labels of the build set support, with its evidence. */
import { Schema } from "effect"
import type { LabelRef } from "../finding/LearnedSuppression.ts"
import type { Generation } from "./Generation.ts"

export const proposalKinds = [
  /** A new suppression; one that replaces those in folders below; one in a folder below another, which it replaces. */
  "suppress",
  "widen",
  "narrow",
  /** A suppression with other evidence, or with more time. */
  "renew",
  /** A suppression ends: its time is over, or its labels no longer support it. */
  "expire",
  "calibrate",
  /** A convention, new or with other evidence; one that is less certain than before. */
  "convention",
  "demote",
  "playbook",
  /** A convention or playbook ends. */
  "retire"
] as const
export type ProposalKind = (typeof proposalKinds)[number]

/** What a generation has of its own: all that a proposal can change. */
export type Learned = Pick<Generation, "calibration" | "conventions" | "playbooks" | "suppressions">

export interface Proposal {
  readonly kind: ProposalKind
  /** The item's, or `calibration`; with `end-` before it if the item only ends. Equal on each night. */
  readonly id: string
  /** A digest of the labels for and against it. */
  readonly basis: string
  readonly evidence: ReadonlyArray<LabelRef>
  /** Labels that the corpus does not count yet, or counts wrongly. */
  readonly expected: number
  /** From 0 to 1: how probable it is, at most, that it is wrong about the next finding. */
  readonly risk: number
  /** Takes away what the labels no longer support. It goes before what adds, and is not tried. */
  readonly corrects: boolean
  /** Items to add, each in place of the one with its id. A calibration replaces the whole table. */
  readonly put: Partial<Learned>
  /** Ids of items that end. */
  readonly end: ReadonlyArray<string>
}

/** A proposal that hurt, or that the gate refused. It is not made again until there are other labels. */
export const RefusedProposal = Schema.Struct({ id: Schema.String, basis: Schema.String })
export type RefusedProposal = typeof RefusedProposal.Type
