import { consentWordings } from '../providers/woocommerce/pages/checkout.ts'
import type { ConsentAnswer } from '../server/shoppers/consent/consents.ts'
import { STEP_DELAYS_MINUTES, type Trip } from './plan.ts'
import { createRandom, hashText, type Random } from './random.ts'

// Other actions of shoppers: consents, email opens, unsubscribes and complaints. The random numbers are seeded by the
// trip's id, so changes here do not alter the trips. Pure.

export type Extra =
  | { kind: 'said'; at: number; answers: ConsentAnswer[] }
  | { kind: 'open'; at: number; email: string; step: number; userAgent: string }
  | { kind: 'complaint'; at: number; email: string; step: number }
  | { kind: 'unsubscribe'; at: number; email: string; step: number }

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** User agent of Apple Mail Privacy Protection, which loads the images of every email, read or not. */
const MAIL_PRIVACY_AGENT = 'Mozilla/5.0'
const READER_AGENTS = [
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
]

export function buildExtras(trip: Trip): Extra[] {
  const { person, typedAt } = trip
  if (!person || !typedAt) return []
  const random = createRandom(hashText(trip.cart))
  const list: Extra[] = []
  const consents = drawConsents(random, trip)
  if (consents.length > 0) list.push({ kind: 'said', at: typedAt + 1_000, answers: consents })
  return [...list, ...drawOpens(random, trip, person.email), ...drawOptOuts(random, trip, person.email)]
}

/** About two in three tick the email box; fewer tick the boxes for the phone number. */
function drawConsents(random: Random, { person }: Trip): ConsentAnswer[] {
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

/** Some clients load every email's images at once; other shoppers open before they click, or without clicking. */
function drawOpens(random: Random, { person, typedAt, ending }: Trip, email: string): Extra[] {
  const isPrivate = random.chance(0.3)
  const userAgent = random.pick(READER_AGENTS)
  const delayMs = Math.round(random.next() ** 2 * 8 * HOUR)
  if (person!.isGone || ending.kind === 'bought' || ending.kind === 'emptied') return []
  const step = ending.kind === 'clicked' ? ending.step : 1
  const mailAt = typedAt! + STEP_DELAYS_MINUTES[step - 1]! * MINUTE
  // The replay sends emails up to half an hour late.
  const proxyOpen = { kind: 'open', at: mailAt + 40 * MINUTE, email, step, userAgent: MAIL_PRIVACY_AGENT } as const
  if (isPrivate) return [proxyOpen]
  if (ending.kind === 'clicked') return [{ kind: 'open', at: ending.at - 30_000, email, step, userAgent }]
  return random.chance(0.45) ? [{ kind: 'open', at: mailAt + 45 * MINUTE + delayMs, email, step, userAgent }] : []
}

function drawOptOuts(random: Random, { typedAt, ending }: Trip, email: string): Extra[] {
  const step = random.chance(0.6) ? 1 : 2
  const at = typedAt! + (STEP_DELAYS_MINUTES[step - 1]! + random.between(50, 600)) * MINUTE
  const draw = random.next()
  if (ending.kind !== 'left' || draw > 0.06) return []
  return [{ kind: draw < 0.012 ? 'complaint' : 'unsubscribe', at, email, step }]
}
