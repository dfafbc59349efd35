import type { NotificationType } from '../../../shared/notifications.ts'
import type { Data } from './gather-rules.ts'

// Pure: what is gathered, and for how long a row takes in what comes (decision 65).

/** `one`: each has a row of its own. `hour`: a row per hour, and one for the night. `part`: a row per part of the day. */
export type Span = 'one' | 'hour' | 'part'

export interface Rule {
  topic: string
  /** Up to ten in a day, counted over all topics of its pool … */
  few: Span
  /** … and above that. */
  many: Span
  /** A row with so many ends with its hour, so that what goes on failing is news. */
  fullAt?: number
}

export const MOST_ALONE = 10
const MANY_FAILED = 100

/** Hours of the store's clock at which the parts of a day begin. The last one is the night, which ends at the first. */
const PARTS = [8, 12, 17, 22] as const
const [MORNING, , , NIGHT] = PARTS

/** null: never gathered. */
export function ruleOf(type: NotificationType, data: Data): Rule | null {
  if (type === 'cart_abandoned') return { topic: type, few: 'one', many: 'hour' }
  if (type === 'cart_recovered') return { topic: type, few: 'one', many: 'part' }
  if (type === 'complaint_failed') return { topic: type, few: 'one', many: 'part', fullAt: MANY_FAILED }
  if (type.endsWith('_sent')) {
    const isKept = 'isInMailbox' in data && data.isInMailbox
    return { topic: isKept ? `${type}:mailbox` : type, few: 'hour', many: 'part' }
  }
  if (!('cause' in data) || !/^(email|sms|whatsapp|push)_failed$/.test(type)) return null
  // The text of a step is mended apart from everything else, and nobody gets it until then.
  if ('step' in data && data.cause === 'unrenderable') {
    return { topic: `${type}:unrenderable:${data.step ?? ''}`, few: 'part', many: 'part' }
  }
  return { topic: type, few: 'one', many: 'part', fullAt: MANY_FAILED }
}

/** What may be alone is counted together, but for abandoned carts: many of them leave room for the rest. */
export const poolOf = (topic: string): string =>
  topic === 'cart_recovered' || topic.endsWith('_failed') ? 'others' : topic

/** The same for all hours whose news goes into one row. */
export function windowOf(hour: Date, timeZone: string, span: Exclude<Span, 'one'>): string {
  const here = hour.toTemporalInstant().toZonedDateTimeISO(timeZone)
  if (here.hour >= NIGHT) return `${here.toPlainDate()} ${NIGHT}`
  if (here.hour < MORNING) return `${here.toPlainDate().subtract({ days: 1 })} ${NIGHT}`
  if (span === 'hour') return hour.toISOString()
  return `${here.toPlainDate()} ${PARTS.findLast((start) => here.hour >= start)}`
}
