import { z } from 'zod'
import { BillingCycle } from '../../../shared/billing/billing.ts'
import { AppError, isSameSecret } from '../../core/common/public.ts'
import type { Deps } from '../../deps.ts'
import { paidPlans } from '../payments/public.ts'

// A token with the previewed change, which only this server can create.

export const CHANGED = 'The plan changed in the meantime. Check the amount again.'

/** The amount depends on the second, so an old preview must be repeated. */
const LIFETIME_MS = 15 * 60_000

const PreviewedChange = z.strictObject({
  account: z.uuid(),
  plan: z.enum(paidPlans),
  cycle: BillingCycle,
  extraStores: z.number().int(),
  when: z.enum(['now', 'period_end']),
  /** Seconds; null: no proration for the rest of the period. */
  prorationDate: z.number().int().nullable(),
  dueNow: z.number().int(),
  /** Digest of the subscription before the change. */
  state: z.string(),
  until: z.number(),
})
export type PreviewedChange = Omit<z.infer<typeof PreviewedChange>, 'until'>

export function createChangeToken({ secrets, now }: Pick<Deps, 'secrets' | 'now'>, change: PreviewedChange): string {
  const until = now().getTime() + LIFETIME_MS
  const body = Buffer.from(JSON.stringify({ ...change, until })).toString('base64url')
  return `${body}.${secrets.token('billing-change', body)}`
}

/** Refuses tokens of other accounts, forged ones and expired ones. */
export function readChangeToken(
  { secrets, now }: Pick<Deps, 'secrets' | 'now'>,
  accountId: string,
  token: string,
): PreviewedChange {
  const [body = '', mac = '', ...rest] = token.split('.')
  const isOurs = rest.length === 0 && isSameSecret(mac, secrets.token('billing-change', body))
  if (!isOurs) throw new AppError('invalid', 'This change was not shown before. Check the amount again.')
  const { until, ...change } = PreviewedChange.parse(JSON.parse(Buffer.from(body, 'base64url').toString()))
  if (change.account !== accountId) {
    throw new AppError('invalid', 'This change was not shown before. Check the amount again.')
  }
  if (until <= now().getTime()) {
    throw new AppError('conflict', 'The amount shown is out of date. Check it again.')
  }
  return change
}
