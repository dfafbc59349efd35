import type { Invariant } from './scene.ts'

// Decisions 103 to 105: only the shop speaks for the shop, once, and what it said last is what is known, dated by when it happened.

export const checkOutbox: Invariant = ({ harness: { plugin } }) => plugin?.faults.splice(0) ?? []
