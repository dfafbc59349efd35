import type { ConsentAnswer } from '../../server/shoppers/consent/consents.ts'
import { consentWordings } from '../store/pages/checkout.ts'
import { STEP_DELAYS_MINUTES, type Trip } from './plan.ts'
import { createRandom, numberOf, type Random } from './random.ts'

// What shoppers did besides shopping: ticked boxes, opened mails, had enough of them. Drawn from the trip's own name, so that whatever
// is added here leaves the trips as they are. Pure.

export type Extra =
  | { kind: 'said'; at: number; said: ConsentAnswer[] }
  | { kind: 'open'; at: number; email: string; step: number; userAgent: string }
  | { kind: 'complaint'; at: number; email: string; step: number }
  | { kind: 'unsubscribe'; at: number; email: string; step: number }

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Fetches the pictures of every mail, read or not. */
const MAIL_PRIVACY = 'Mozilla/5.0'
const READERS = [
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
]

export function extrasOf(trip: Trip): Extra[] {
  const { person, typedAt } = trip
  if (!person || !typedAt) return []
  const random = createRandom(numberOf(trip.cart))
  const list: Extra[] = []
  const said = saidAt(random, trip)
  if (said.length > 0) list.push({ kind: 'said', at: typedAt + 1_000, said })
  return [...list, ...openings(random, trip, person.email), ...enough(random, trip, person.email)]
}

/** Two in three tick the box beside the address; fewer the others, which stand beside the number. */
function saidAt(random: Random, { person }: Trip): ConsentAnswer[] {
  const { email, phone, country } = person!
  const chances = [
    ['email', email, 0.62],
    ['sms', phone, 0.5],
    ['whatsapp', phone, 0.18],
  ] as const
  return chances.flatMap(([channel, address, chance]) =>
    random.chance(chance) && address
      ? [{ channel, address, isGiven: true, wording: consentWordings[channel], country }]
      : [],
  )
}

/** Some programs open every mail at once, some people do before they click, some never click. */
function openings(random: Random, { person, typedAt, ending }: Trip, email: string): Extra[] {
  const isPrivate = random.chance(0.3)
  const userAgent = random.pick(READERS)
  const later = Math.round(random.next() ** 2 * 8 * HOUR)
  if (person!.isGone || ending.kind === 'bought' || ending.kind === 'emptied') return []
  const step = ending.kind === 'clicked' ? ending.step : 1
  const mailAt = typedAt! + STEP_DELAYS_MINUTES[step - 1]! * MINUTE
  // History's mail leaves up to half an hour late.
  const asap = { kind: 'open', at: mailAt + 40 * MINUTE, email, step, userAgent: MAIL_PRIVACY } as const
  if (isPrivate) return [asap]
  if (ending.kind === 'clicked') return [{ kind: 'open', at: ending.at - 30_000, email, step, userAgent }]
  return random.chance(0.45) ? [{ kind: 'open', at: mailAt + 45 * MINUTE + later, email, step, userAgent }] : []
}

function enough(random: Random, { typedAt, ending }: Trip, email: string): Extra[] {
  const step = random.chance(0.6) ? 1 : 2
  const at = typedAt! + (STEP_DELAYS_MINUTES[step - 1]! + random.between(50, 600)) * MINUTE
  const draw = random.next()
  if (ending.kind !== 'left' || draw > 0.06) return []
  return [{ kind: draw < 0.012 ? 'complaint' : 'unsubscribe', at, email, step }]
}
