import { type Person, personOf } from './people.ts'
import type { Random } from './random.ts'
import type { Good } from './sql.ts'

// What the shoppers of a demo's past did: pure, before any of it is told to the engine. Times are milliseconds since the epoch.

export interface Line {
  productId: string
  variationId: string | null
  quantity: number
  priceMinor: number
}

/** One shopping trip, as one browser would have posted it. */
export interface Trip {
  cart: string
  device: string
  startAt: number
  first: Line[]
  /** Something more went in. */
  more: { at: number; lines: Line[] } | null
  person: Person | null
  typedAt: number | null
  ending: Ending
}

export type Ending =
  | { kind: 'left' }
  | { kind: 'emptied'; at: number }
  /** Without any mail, soon or days later. */
  | { kind: 'bought'; at: number; status: 'completed' | 'processing' | 'refunded' | 'on-hold' }
  | { kind: 'failed'; at: number; status: 'failed' | 'cancelled' }
  /** After the mail of a step; `buysAt` null: only looked. */
  | { kind: 'clicked'; step: number; at: number; buysAt: number | null; status: 'completed' | 'processing' }
  | { kind: 'unsubscribed'; step: number; at: number }

const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000

/** Shoppers sleep, and shop more on weekends. Hours are the store's own (UTC − 5). */
const HOURS = [3, 2, 1, 1, 1, 2, 4, 7, 10, 12, 13, 14, 15, 14, 13, 12, 12, 13, 15, 18, 20, 18, 13, 7]
const WEEKDAYS = [1.2, 1, 0.92, 0.94, 1, 1.05, 1.15]

/** Whatever the hour, somebody has left something today who can be written to: hours before the end. */
const LEFT_TODAY = [1.5, 3, 5, 8, 12, 16]

/** When a flow's mails go out after the last activity: the delays history is lived with. */
export const STEP_DELAYS_MINUTES = [60, 24 * 60, 72 * 60]

export interface Past {
  /** Nothing happens after it. */
  until: number
  days: number
  perDay: number
}

interface Known {
  person: Person
  seenAt: number
}

export function planTrips(random: Random, goods: readonly Good[], past: Past): Trip[] {
  const people: Known[] = []
  const trips: Trip[] = []
  for (let day = 0; day <= past.days; day++) {
    const date = past.until - (past.days - day) * DAY
    const trend = 0.8 + (0.4 * day) / past.days
    const count = Math.round(past.perDay * trend * WEEKDAYS[new Date(date).getUTCDay()]! * (0.7 + 0.6 * random.next()))
    for (let i = 0; i < count; i++) {
      const startAt = startOf(random, date)
      if (startAt < past.until - 20 * MINUTE) trips.push(tripAt(random, goods, startAt, people, past.until))
    }
  }
  for (const hours of LEFT_TODAY) trips.push(leftAt(random, goods, past.until - hours * HOUR, people, past.until))
  return trips.sort((a, b) => a.startAt - b.startAt)
}

function leftAt(random: Random, goods: readonly Good[], startAt: number, people: Known[], until: number): Trip {
  for (;;) {
    const trip = tripAt(random, goods, startAt, people, until)
    if (trip.person?.phone) return { ...trip, ending: LEFT }
  }
}

function startOf(random: Random, date: number): number {
  const midnight = Math.floor(date / DAY) * DAY + 5 * HOUR
  return midnight + random.weighted(HOURS) * HOUR + random.between(0, 3_599_999)
}

function tripAt(random: Random, goods: readonly Good[], startAt: number, people: Known[], until: number): Trip {
  const first = linesOf(random, goods, random.weighted([70, 30]) + 1)
  const more = random.chance(0.22)
    ? { at: startAt + random.between(2, 6) * MINUTE, lines: withMore(first, linesOf(random, goods, 1)) }
    : null
  const isTyped = random.chance(0.68)
  const typedAt = isTyped ? (more?.at ?? startAt) + random.between(40, 400) * 1_000 : null
  const person = isTyped ? shopperAt(random, people, startAt) : null
  const lastAt = typedAt ?? more?.at ?? startAt
  const tokens = { cart: `history-${random.text(16)}`, device: `history-${random.text(16)}` }
  return { ...tokens, startAt, first, more, person, typedAt, ending: endingOf(random, person, lastAt, until) }
}

/** One in eight was here before, not too recently. */
function shopperAt(random: Random, people: Known[], at: number): Person {
  const known = people.filter(({ seenAt }) => at - seenAt > 12 * DAY)
  if (known.length > 0 && random.chance(0.12)) {
    const again = random.pick(known)
    again.seenAt = at
    return again.person
  }
  const person = personOf(random, people.length)
  people.push({ person, seenAt: at })
  return person
}

/** Weights: bought at once, emptied, failed payment, clicked and bought, only clicked, came back alone, unsubscribed, left. */
const CHANCES = [34, 3, 1.5, 13, 6, 3, 1.5, 38]

function endingOf(random: Random, person: Person | null, lastAt: number, until: number): Ending {
  if (!person) return random.chance(0.08) ? { kind: 'emptied', at: lastAt + random.between(2, 50) * MINUTE } : LEFT
  const ending = anyEnding(random, lastAt)
  const lastThing = ending.kind === 'left' ? 0 : ending.kind === 'clicked' ? (ending.buysAt ?? ending.at) : ending.at
  // What would happen after the end of the story has not happened yet.
  return lastThing > until ? LEFT : recent(ending, until)
}

const LEFT: Ending = { kind: 'left' }

function anyEnding(random: Random, lastAt: number): Ending {
  const soon = lastAt + random.between(2, 35) * MINUTE
  const step = random.weighted([54, 24, 22]) + 1
  const mailAt = lastAt + STEP_DELAYS_MINUTES[step - 1]! * MINUTE + 12 * MINUTE
  const at = mailAt + Math.round(random.next() ** 2 * 9 * HOUR) + random.between(1, 40) * MINUTE
  switch (random.weighted(CHANCES)) {
    case 0: {
      const status = (['completed', 'refunded', 'on-hold'] as const)[random.weighted([93, 4, 3])]!
      return { kind: 'bought', at: soon, status }
    }
    case 1:
      return { kind: 'emptied', at: soon }
    case 2:
      return { kind: 'failed', at: soon, status: random.chance(0.7) ? 'failed' : 'cancelled' }
    case 3:
      return { kind: 'clicked', step, at, buysAt: at + random.between(4, 45) * MINUTE, status: 'completed' }
    case 4:
      return { kind: 'clicked', step, at, buysAt: null, status: 'completed' }
    case 5:
      return { kind: 'bought', at: lastAt + random.between(3, 60) * HOUR, status: 'completed' }
    case 6:
      return { kind: 'unsubscribed', step, at }
    default:
      return LEFT
  }
}

/** An order of the last two days is not completed yet. */
function recent(ending: Ending, until: number): Ending {
  if (ending.kind !== 'bought' && ending.kind !== 'clicked') return ending
  const at = ending.kind === 'clicked' ? (ending.buysAt ?? ending.at) : ending.at
  return until - at < 2 * DAY && ending.status !== 'on-hold' ? { ...ending, status: 'processing' } : ending
}

function linesOf(random: Random, goods: readonly Good[], count: number): Line[] {
  // What costs less is bought more often.
  const weights = goods.map((good) => 1 / Math.sqrt(good.priceMinor))
  const lines = new Map<Good, Line>()
  for (let i = 0; i < count; i++) {
    const good = goods[random.weighted(weights)]!
    lines.set(good, { ...good, quantity: good.priceMinor < 4_000 ? random.weighted([0, 72, 22, 6]) : 1 })
  }
  return [...lines.values()]
}

function withMore(lines: readonly Line[], more: readonly Line[]): Line[] {
  const isThere = (line: Line) =>
    lines.some((each) => each.productId === line.productId && each.variationId === line.variationId)
  return [...lines, ...more.filter((line) => !isThere(line))]
}
