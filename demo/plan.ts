import { createPerson, type Person } from './people.ts'
import type { Random } from './random.ts'
import type { SellableItem } from './sql.ts'

// Plans the shopping trips of the demo's past before the engine replays them. Pure. Times are milliseconds since the
// epoch.

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
  /** Items added later. */
  more: { at: number; lines: Line[] } | null
  person: Person | null
  typedAt: number | null
  ending: Ending
}

export type Ending =
  | { kind: 'left' }
  | { kind: 'emptied'; at: number }
  /** Without an email, soon or days later. */
  | { kind: 'bought'; at: number; status: 'completed' | 'processing' | 'refunded' | 'on-hold' }
  | { kind: 'failed'; at: number; status: 'failed' | 'cancelled' }
  /** After a step's email; `buysAt` null: clicked without buying. */
  | { kind: 'clicked'; step: number; at: number; buysAt: number | null; status: 'completed' | 'processing' }
  | { kind: 'unsubscribed'; step: number; at: number }

const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000

/** Shoppers sleep, and shop more on weekends. Hours are the store's own (UTC − 5). */
const HOURS = [3, 2, 1, 1, 1, 2, 4, 7, 10, 12, 13, 14, 15, 14, 13, 12, 12, 13, 15, 18, 20, 18, 13, 7]
const WEEKDAYS = [1.2, 1, 0.92, 0.94, 1, 1.05, 1.15]

/** Hours before the end at which a reachable shopper abandons a cart, so that today always has some. */
const ABANDONED_HOURS_AGO = [1.5, 3, 5, 8, 12, 16]

/** A flow's delays after the last activity during the replay. */
export const STEP_DELAYS_MINUTES = [60, 24 * 60, 72 * 60]

export interface Past {
  /** End of the past. */
  until: number
  days: number
  perDay: number
}

interface ReturningShopper {
  person: Person
  seenAt: number
}

export function planTrips(random: Random, items: readonly SellableItem[], past: Past): Trip[] {
  const people: ReturningShopper[] = []
  const trips: Trip[] = []
  for (let day = 0; day <= past.days; day++) {
    const date = past.until - (past.days - day) * DAY
    const trend = 0.8 + (0.4 * day) / past.days
    const count = Math.round(past.perDay * trend * WEEKDAYS[new Date(date).getUTCDay()]! * (0.7 + 0.6 * random.next()))
    for (let i = 0; i < count; i++) {
      const startAt = drawStart(random, date)
      if (startAt < past.until - 20 * MINUTE) trips.push(planTrip(random, items, startAt, people, past.until))
    }
  }
  for (const hours of ABANDONED_HOURS_AGO)
    trips.push(planAbandonedTrip(random, items, past.until - hours * HOUR, people, past.until))
  return trips.sort((a, b) => a.startAt - b.startAt)
}

function planAbandonedTrip(
  random: Random,
  items: readonly SellableItem[],
  startAt: number,
  people: ReturningShopper[],
  until: number,
): Trip {
  for (;;) {
    const trip = planTrip(random, items, startAt, people, until)
    if (trip.person?.phone) return { ...trip, ending: ABANDONED }
  }
}

function drawStart(random: Random, date: number): number {
  const midnight = Math.floor(date / DAY) * DAY + 5 * HOUR
  return midnight + random.weighted(HOURS) * HOUR + random.between(0, 3_599_999)
}

function planTrip(
  random: Random,
  items: readonly SellableItem[],
  startAt: number,
  people: ReturningShopper[],
  until: number,
): Trip {
  const first = drawLines(random, items, random.weighted([70, 30]) + 1)
  const more = random.chance(0.22)
    ? { at: startAt + random.between(2, 6) * MINUTE, lines: mergeLines(first, drawLines(random, items, 1)) }
    : null
  const isTyped = random.chance(0.68)
  const typedAt = isTyped ? (more?.at ?? startAt) + random.between(40, 400) * 1_000 : null
  const person = isTyped ? pickShopper(random, people, startAt) : null
  const lastAt = typedAt ?? more?.at ?? startAt
  const tokens = { cart: `history-${random.text(16)}`, device: `history-${random.text(16)}` }
  return { ...tokens, startAt, first, more, person, typedAt, ending: drawEnding(random, person, lastAt, until) }
}

/** About one in eight shoppers returns, at least twelve days later. */
function pickShopper(random: Random, people: ReturningShopper[], at: number): Person {
  const candidates = people.filter(({ seenAt }) => at - seenAt > 12 * DAY)
  if (candidates.length > 0 && random.chance(0.12)) {
    const returning = random.pick(candidates)
    returning.seenAt = at
    return returning.person
  }
  const person = createPerson(random, people.length)
  people.push({ person, seenAt: at })
  return person
}

/** Weights: bought at once, emptied, failed payment, clicked and bought, only clicked, came back alone, unsubscribed, left. */
const ENDING_WEIGHTS = [34, 3, 1.5, 13, 6, 3, 1.5, 38]

function drawEnding(random: Random, person: Person | null, lastAt: number, until: number): Ending {
  if (!person) return random.chance(0.08) ? { kind: 'emptied', at: lastAt + random.between(2, 50) * MINUTE } : ABANDONED
  const ending = drawAnyEnding(random, lastAt)
  const lastEventAt = ending.kind === 'left' ? 0 : ending.kind === 'clicked' ? (ending.buysAt ?? ending.at) : ending.at
  // Events after the end of the past have not happened.
  return lastEventAt > until ? ABANDONED : adjustRecentStatus(ending, until)
}

const ABANDONED: Ending = { kind: 'left' }

function drawAnyEnding(random: Random, lastAt: number): Ending {
  const soon = lastAt + random.between(2, 35) * MINUTE
  const step = random.weighted([54, 24, 22]) + 1
  const mailAt = lastAt + STEP_DELAYS_MINUTES[step - 1]! * MINUTE + 12 * MINUTE
  const at = mailAt + Math.round(random.next() ** 2 * 9 * HOUR) + random.between(1, 40) * MINUTE
  switch (random.weighted(ENDING_WEIGHTS)) {
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
      return ABANDONED
  }
}

/** An order of the last two days is not completed yet. */
function adjustRecentStatus(ending: Ending, until: number): Ending {
  if (ending.kind !== 'bought' && ending.kind !== 'clicked') return ending
  const at = ending.kind === 'clicked' ? (ending.buysAt ?? ending.at) : ending.at
  return until - at < 2 * DAY && ending.status !== 'on-hold' ? { ...ending, status: 'processing' } : ending
}

function drawLines(random: Random, items: readonly SellableItem[], count: number): Line[] {
  // Cheaper items are bought more often.
  const weights = items.map((item) => 1 / Math.sqrt(item.priceMinor))
  const lines = new Map<SellableItem, Line>()
  for (let i = 0; i < count; i++) {
    const item = items[random.weighted(weights)]!
    lines.set(item, { ...item, quantity: item.priceMinor < 4_000 ? random.weighted([0, 72, 22, 6]) : 1 })
  }
  return [...lines.values()]
}

function mergeLines(lines: readonly Line[], more: readonly Line[]): Line[] {
  const isIncluded = (line: Line) =>
    lines.some((each) => each.productId === line.productId && each.variationId === line.variationId)
  return [...lines, ...more.filter((line) => !isIncluded(line))]
}
