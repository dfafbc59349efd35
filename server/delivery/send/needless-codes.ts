import type { FindNeedless } from '../../carts/coupon-codes/codes.ts'
import { type Foreseen, foresee, KEPT_BEHIND } from '../decide/foresee.ts'
import { textsFor } from './send-due.ts'

// Which personal codes nobody will get as things stand: no consent, suppressed, bought, a condition that does not hold, and the like.

/** Given to `makeCodes`. */
export const findNeedless: FindNeedless = async (deps, store, messages, until) => {
  const texts = await textsFor(deps, store, ['sms', 'whatsapp'])
  const foreseen = await foresee(deps, store, messages, { until, texts })
  return new Set(foreseen.filter(isNeedless).map(({ id }) => id))
}

/** Whether the coupon itself is valid the store is asked before it is sent, and may say otherwise than our copy. */
const isNeedless = ({ obstacle, isCouponWithheld }: Foreseen): boolean =>
  isCouponWithheld ||
  (obstacle !== null && obstacle.reason !== KEPT_BEHIND && !obstacle.reason.startsWith('coupon_invalid'))
