import type { Invariant } from './scene.ts'

// Decisions 103 to 105: only signed calls of the shop count, and each once. The last state is stored with the time at
// which it occurred.

export const checkOutbox: Invariant = ({ harness: { plugin } }) => plugin?.faults.splice(0) ?? []
