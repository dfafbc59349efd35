import type { FindUnneeded } from '../../carts/coupon-codes/public.ts'
import { foresee, HELD_BEHIND, type MessageForecast } from '../decide/public.ts'
import { loadTextChannels } from './send-due.ts'

// Finds messages that will not be sent as far as is known now (no consent, suppressed, bought, unmet condition). They
// need no personal code.

/** Passed to `createCodes`. Returns ids of messages. */
export const findUnneededCodes: FindUnneeded = async (deps, store, messages, until) => {
  const texts = await loadTextChannels(deps, store, ['sms', 'whatsapp'])
  const foreseen = await foresee(deps, store, messages, { until, texts })
  return new Set(foreseen.filter(isNeedless).map(({ id }) => id))
}

/** An invalid coupon does not count: the send asks the store, whose reply may differ from our copy. */
const isNeedless = ({ obstacle, isCouponWithheld }: MessageForecast): boolean =>
  isCouponWithheld ||
  (obstacle !== null && obstacle.reason !== HELD_BEHIND && !obstacle.reason.startsWith('coupon_invalid'))
