import type { z } from 'zod'
import { type Meter, type MeteredChannel, plans, type subscriptionStatus } from '../../../shared/billing/billing.ts'
import { formatCount, formatCounted } from '../../core/ui/format.ts'

// Texts about subscription and usage. Pure.

export const channelNames: Record<MeteredChannel, string> = {
  email: 'Emails',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
}

export function describeUsage({ used, limit }: Pick<Meter, 'used' | 'limit'>): string {
  if (limit === -1) return `${formatCount(used)} used, no limit`
  if (limit > 0) return `${formatCount(used)} of ${formatCount(limit)} used`
  return used > 0 ? `${formatCount(used)} used, none in this plan` : 'Not in this plan'
}

export const describeStores = ({ used, limit }: { used: number; limit: number }) =>
  limit === -1 ? `${formatCount(used)} connected, no limit` : `${formatCount(used)} of ${formatCount(limit)} connected`

/** Messages the limit holds back, and those that will never be sent; null means none. */
export function describeHeld({ held, expiring, limit }: Meter, renewsAt: string): string | null {
  if (held === 0) return null
  const renewal = formatDate(renewsAt, 'UTC')
  const waiting =
    limit === 0 ? `${formatCounted(held, 'message')} held.` : `${formatCounted(held, 'message')} held until ${renewal}.`
  if (expiring === 0) return waiting
  return `${waiting} ${expiring === held ? 'All' : formatCount(expiring)} of these will expire before ${limit === 0 ? renewal : 'then'}.`
}

type Subscription = z.output<typeof subscriptionStatus.reply>

/** Upcoming changes of the subscription, a sentence each. */
export function listPlanNotes(subscription: Subscription): string[] {
  const { status, nextBillingDate, trialEndsAt, change, suspension } = subscription
  const notes = suspension ? [`Sending is suspended: ${suspension.reason}`] : []
  if (status === 'canceled') return [...notes, `The plan was canceled. The limits of ${plans.free.name} apply.`]
  if (status === 'past_due') return [...notes, `A payment is overdue. ${describeOverdue(subscription)}`]
  const isTrial = isOnTrial(subscription) && trialEndsAt !== null
  if (isTrial) notes.push(`Trial until ${formatDate(trialEndsAt)}.`)
  if (subscription.cancelAtPeriodEnd) {
    const end = findEndDay(subscription)
    notes.push(`${end ? `Ends on ${end}` : 'Ends after the billing period'}, then ${plans.free.name}.`)
  } else if (change) notes.push(`Changes to ${plans[change.plan].name} on ${formatDate(change.at)}.`)
  else if (nextBillingDate && !isTrial) notes.push(`Renews on ${formatDate(nextBillingDate)}.`)
  return notes
}

/** The day the subscription or, earlier, its trial ends; null if unknown. */
export const findEndDay = ({ status, trialEndsAt, currentPeriodEnd }: Subscription) => {
  const end = (isOnTrial({ status }) && trialEndsAt) || currentPeriodEnd
  return end ? formatDate(end) : null
}

export const isOnTrial = ({ status }: Pick<Subscription, 'status'>) => status === 'trialing'

export const isOverdue = ({ status }: Pick<Subscription, 'status'>) => status === 'past_due'

/** After the grace period the account no longer has a subscription. */
export const describeOverdue = ({ hasActiveSubscription, graceUntil }: Subscription) =>
  hasActiveSubscription && graceUntil
    ? `Messages are sent until ${formatDate(graceUntil)}.`
    : 'Messages are held until it is paid.'

/** The day of an instant: Jan 5, 2026. Without a zone, in the browser's. */
export const formatDate = (instant: string | number, timeZone?: string) =>
  new Date(instant).toLocaleDateString('en-US', { dateStyle: 'medium', ...(timeZone && { timeZone }) })
