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
  ['before the claim', buildBoundary('claim', 'before')],
  ['claimed', buildBoundary('claim', 'after')],
  ['before the decisions', buildBoundary('decisions', 'before')],
  ['decisions written', buildBoundary('decisions', 'after')],
  ['before the preparation', buildBoundary('preparation', 'before')],
  ['preparation not committed', buildBoundary('preparation', 'commit')],
  ['prepared', buildBoundary('preparation', 'after')],
  ['before the send', buildBoundary('send', 'before')],
  ['send not committed', buildBoundary('send', 'commit')],
  ['send committed', buildBoundary('send', 'after')],
  ['connected, before EHLO', buildSmtpBoundary('connect')],
  ['after MAIL FROM', buildSmtpBoundary('mail')],
  ['within DATA', buildSmtpBoundary('data')],
  ['after the final dot', buildSmtpBoundary('dot')],
  ['answered, before the settlement', buildBoundary('settling', 'before')],
  ['settlement not committed', buildBoundary('settling', 'commit')],
  ['answered, before the outcome', buildBoundary('outcome', 'before')],
  ['outcome not committed', buildBoundary('outcome', 'commit')],
  ['outcome committed', buildBoundary('outcome', 'after')],
  ['next batch claimed during a send', buildOverlappingBoundary('claim', 'after')],
  ['before the next preparation during a send', buildOverlappingBoundary('preparation', 'before')],
  ['next preparation not committed during a send', buildOverlappingBoundary('preparation', 'commit')],
  ['next batch prepared during a send', buildOverlappingBoundary('preparation', 'after')],
  ['send committed with the next batch prepared', buildOverlappingBoundary('send', 'after')],
  ['settlement not committed with the next batch prepared', buildOverlappingBoundary('settling', 'commit')],
]

const targets: Target[] = ['worker', 'postgres', 'both']

export const cases: CrashCase[] = targets.flatMap((target) =>
  places.map(([name, boundary]) => ({ name: `${target}: ${name}`, boundary, target })),
)

function buildBoundary(statement: StatementName, edge: Edge): Boundary {
  return { kind: 'database', statement, edge, isOverlapping: false }
}

function buildOverlappingBoundary(statement: StatementName, edge: Edge): Boundary {
  return { kind: 'database', statement, edge, isOverlapping: true }
}

function buildSmtpBoundary(place: SmtpPlace): Boundary {
  return { kind: 'smtp', place, isOverlapping: false }
}

/** Random numbers from 0 to 1, reproducible by seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
