import type { NotificationType } from '../../../shared/workspace/notifications.ts'
import type { Data } from './group-rules.ts'

// Which events are grouped, and how long a row accepts more (decision 65). Pure.

/** `single`: a row per event. `hour`: a row per hour, and one for the night. `part`: a row per part of the day. */
export type Span = 'single' | 'hour' | 'part'

export interface Rule {
  topic: string
  /** For the first `MAX_SINGLE_ROWS` events of a day, counted over all topics of the pool … */
  spanBelowLimit: Span
  /** … and for the others. */
  spanAboveLimit: Span
  /** A row with this many ends with its hour, so that continuing failures appear as news. */
  fullAt?: number
}

export const MAX_SINGLE_ROWS = 10
const MAX_FAILED_IN_ROW = 100

/** Hours of the store's clock at which the parts of a day begin. The last part is the night, until the first hour. */
const PARTS = [8, 12, 17, 22] as const
const [MORNING, , , NIGHT] = PARTS

/** null: never grouped. */
export function findRule(type: NotificationType, data: Data): Rule | null {
  if (type === 'cart_abandoned') return { topic: type, spanBelowLimit: 'single', spanAboveLimit: 'hour' }
  if (type === 'cart_recovered') return { topic: type, spanBelowLimit: 'single', spanAboveLimit: 'part' }
  if (type === 'complaint_failed')
    return { topic: type, spanBelowLimit: 'single', spanAboveLimit: 'part', fullAt: MAX_FAILED_IN_ROW }
  if (type.endsWith('_sent')) {
    const isInMailbox = 'isInMailbox' in data && data.isInMailbox
    return { topic: isInMailbox ? `${type}:mailbox` : type, spanBelowLimit: 'hour', spanAboveLimit: 'part' }
  }
  if (!('cause' in data) || !/^(email|sms|whatsapp|push)_failed$/.test(type)) return null
  // A step's text fails separately: no shopper gets it until it is fixed.
  if ('step' in data && data.cause === 'unrenderable') {
    return { topic: `${type}:unrenderable:${data.step ?? ''}`, spanBelowLimit: 'part', spanAboveLimit: 'part' }
  }
  return { topic: type, spanBelowLimit: 'single', spanAboveLimit: 'part', fullAt: MAX_FAILED_IN_ROW }
}

/**
 * Topics that share the ten single rows of a day. Abandoned carts have a pool of their own, so that they leave room for
 * others.
 */
export const findPool = (topic: string): string =>
  topic === 'cart_recovered' || topic.endsWith('_failed') ? 'others' : topic

/** The same key for all hours that share one row. */
export function buildWindowKey(hour: Date, timeZone: string, span: Exclude<Span, 'single'>): string {
  const here = hour.toTemporalInstant().toZonedDateTimeISO(timeZone)
  if (here.hour >= NIGHT) return `${here.toPlainDate()} ${NIGHT}`
  if (here.hour < MORNING) return `${here.toPlainDate().subtract({ days: 1 })} ${NIGHT}`
  if (span === 'hour') return hour.toISOString()
  return `${here.toPlainDate()} ${PARTS.findLast((start) => here.hour >= start)}`
}
