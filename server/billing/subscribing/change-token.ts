import { z } from 'zod'
import { BillingCycle } from '../../../shared/billing.ts'
import { AppError } from '../../core/common/errors.ts'
import { isSameSecret } from '../../core/common/secrets.ts'
import type { Deps } from '../../deps.ts'
import { paidPlans } from '../payments/catalogue-rules.ts'

// What was shown of a change, in a value that only this server can make.

export const CHANGED = 'The plan has changed in between: look at the amount again.'

/** The amount depends on the second, and is shown anew after a while. */
const KEPT_MS = 15 * 60_000

const Shown = z.strictObject({
  account: z.uuid(),
  plan: z.enum(paidPlans),
  cycle: BillingCycle,
  extraStores: z.number().int(),
  when: z.enum(['now', 'period_end']),
  /** Seconds; null: nothing is settled for the rest of the period. */
  prorationDate: z.number().int().nullable(),
  dueNow: z.number().int(),
  /** Of the subscription as it was. */
  state: z.string(),
  until: z.number(),
})
export type Shown = Omit<z.infer<typeof Shown>, 'until'>

export function tokenOf({ secrets, now }: Pick<Deps, 'secrets' | 'now'>, shown: Shown): string {
  const until = now().getTime() + KEPT_MS
  const body = Buffer.from(JSON.stringify({ ...shown, until })).toString('base64url')
  return `${body}.${secrets.token('billing-change', body)}`
}

/** Refused: another account's, one that was made up, and one that is too old. */
export function readToken({ secrets, now }: Pick<Deps, 'secrets' | 'now'>, accountId: string, token: string): Shown {
  const [body = '', mac = '', ...rest] = token.split('.')
  const isOurs = rest.length === 0 && isSameSecret(mac, secrets.token('billing-change', body))
  if (!isOurs) throw new AppError('invalid', 'This change is not one that was shown. Look at the amount again.')
  const { until, ...shown } = Shown.parse(JSON.parse(Buffer.from(body, 'base64url').toString()))
  if (shown.account !== accountId) {
    throw new AppError('invalid', 'This change is not one that was shown. Look at the amount again.')
  }
  if (until <= now().getTime()) {
    throw new AppError('conflict', 'The amount was shown a while ago: look at it again.')
  }
  return shown
}
