import type { FindNeedless } from '../../carts/coupon-codes/codes.ts'
import { type Foreseen, foresee, KEPT_BEHIND } from '../decide/foresee.ts'
import { textsFor } from './send-due.ts'

// Finds messages that will not be sent as far as is known now (no consent, suppressed, bought, unmet condition). They
// need no personal code.

/** Passed to `makeCodes`. Returns ids of messages. */
export const findNeedless: FindNeedless = async (deps, store, messages, until) => {
  const texts = await textsFor(deps, store, ['sms', 'whatsapp'])
  const foreseen = await foresee(deps, store, messages, { until, texts })
  return new Set(foreseen.filter(isNeedless).map(({ id }) => id))
}

/** An invalid coupon does not count: the send asks the store, whose reply may differ from our copy. */
const isNeedless = ({ obstacle, isCouponWithheld }: Foreseen): boolean =>
  isCouponWithheld ||
  (obstacle !== null && obstacle.reason !== KEPT_BEHIND && !obstacle.reason.startsWith('coupon_invalid'))
