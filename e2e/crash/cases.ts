// What is killed, and where: every boundary of Way C (engine, "Sending"), and the bytes on the wire.

/** Statements of Way C by their beginnings, as they go to PostgreSQL. One that is no longer there makes its cases fail. */
export const statements = {
  claim: /update messages m set state = 'claimed'/,
  decisions: /^\s*with decision as/,
  'hand-over': /^\s*with candidate as/,
  outcome: /^\s*with outcome as/,
} as const

export type StatementName = keyof typeof statements

/**
 * `before`: the statement never reaches the database. `commit`: it ran, its transaction's commit never arrives. `after`: it is
 * committed, and nobody hears of it.
 */
export type Edge = 'before' | 'commit' | 'after'

/** Before the greeting is answered · after MAIL FROM · within DATA · after the final dot, the answer not yet given. */
export type SmtpPlace = 'connect' | 'mail' | 'data' | 'dot'

export type Boundary = { kind: 'database'; statement: StatementName; edge: Edge } | { kind: 'smtp'; place: SmtpPlace }

export type Target = 'worker' | 'postgres' | 'both'

export interface CrashCase {
  name: string
  boundary: Boundary
  target: Target
}

const places: [name: string, boundary: Boundary][] = [
  ['before the claim', at('claim', 'before')],
  ['claimed', at('claim', 'after')],
  ['before the verdicts', at('decisions', 'before')],
  ['verdicts written', at('decisions', 'after')],
  ['before the hand-over', at('hand-over', 'before')],
  ['hand-over not committed', at('hand-over', 'commit')],
  ['hand-over committed', at('hand-over', 'after')],
  ['connected, before EHLO', { kind: 'smtp', place: 'connect' }],
  ['after MAIL FROM', { kind: 'smtp', place: 'mail' }],
  ['within DATA', { kind: 'smtp', place: 'data' }],
  ['after the final dot', { kind: 'smtp', place: 'dot' }],
  ['answered, before the outcome', at('outcome', 'before')],
  ['outcome not committed', at('outcome', 'commit')],
  ['outcome committed', at('outcome', 'after')],
]

const targets: Target[] = ['worker', 'postgres', 'both']

export const cases: CrashCase[] = targets.flatMap((target) =>
  places.map(([name, boundary]) => ({ name: `${target}: ${name}`, boundary, target })),
)

function at(statement: StatementName, edge: Edge): Boundary {
  return { kind: 'database', statement, edge }
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
