// Where processes are killed: at every boundary of Way C (engine, "Sending") and within the SMTP dialog.

/** Starts of Way C's SQL statements. If one no longer exists, its cases fail. */
export const statements = {
  claim: /update messages m set state = 'claimed'/,
  decisions: /^\s*with decision as/,
  preparation: /^\s*with ready as/,
  send: /^\s*with answered as/,
  /** Follow-up writes of sends, in the transaction of their outcomes. */
  settling: /^\s*with sending as/,
  outcome: /^\s*with outcome as/,
} as const

export type StatementName = keyof typeof statements

/** Statement that ends a batch: none of its messages is in flight afterwards. */
export const RELEASE = /^update messages set state = 'scheduled'/

/**
 * `before`: the statement never reaches the database. `commit`: it ran, but its commit never arrives. `after`: it is
 * committed, but no one receives the answer.
 */
export type Edge = 'before' | 'commit' | 'after'

/** Before the greeting is answered · after MAIL FROM · during DATA · after the final dot, without an answer. */
export type SmtpPlace = 'connect' | 'mail' | 'data' | 'dot'

/**
 * `isOverlapping`: while one batch is being sent and the next is claimed, decided and prepared, or sent as well
 * (decision 149).
 */
export type Boundary =
  | { kind: 'database'; statement: StatementName; edge: Edge; isOverlapping: boolean }
  | { kind: 'smtp'; place: SmtpPlace; isOverlapping: false }

/** Domain of a crowd large enough that two batches overlap. */
export const CROWD_DOMAIN = 'crowd.example'

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
  ['before the preparation', at('preparation', 'before')],
  ['preparation not committed', at('preparation', 'commit')],
  ['prepared', at('preparation', 'after')],
  ['before the send', at('send', 'before')],
  ['send not committed', at('send', 'commit')],
  ['send committed', at('send', 'after')],
  ['connected, before EHLO', onWire('connect')],
  ['after MAIL FROM', onWire('mail')],
  ['within DATA', onWire('data')],
  ['after the final dot', onWire('dot')],
  ['answered, before what follows', at('settling', 'before')],
  ['what follows not committed', at('settling', 'commit')],
  ['answered, before the outcome', at('outcome', 'before')],
  ['outcome not committed', at('outcome', 'commit')],
  ['outcome committed', at('outcome', 'after')],
  ['next batch claimed while one leaves', beside('claim', 'after')],
  ['before the next preparation while one leaves', beside('preparation', 'before')],
  ['next preparation not committed while one leaves', beside('preparation', 'commit')],
  ['next batch prepared while one leaves', beside('preparation', 'after')],
  ['send committed with the next batch prepared', beside('send', 'after')],
  ['what follows not committed with the next batch prepared', beside('settling', 'commit')],
]

const targets: Target[] = ['worker', 'postgres', 'both']

export const cases: CrashCase[] = targets.flatMap((target) =>
  places.map(([name, boundary]) => ({ name: `${target}: ${name}`, boundary, target })),
)

function at(statement: StatementName, edge: Edge): Boundary {
  return { kind: 'database', statement, edge, isOverlapping: false }
}

function beside(statement: StatementName, edge: Edge): Boundary {
  return { kind: 'database', statement, edge, isOverlapping: true }
}

function onWire(place: SmtpPlace): Boundary {
  return { kind: 'smtp', place, isOverlapping: false }
}

/** Random numbers from 0 to 1, reproducible by seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
