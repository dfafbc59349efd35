import type { z } from 'zod'
import type { subscriptionStatus } from '../../../shared/billing/billing.ts'
import type { Tone } from '../../core/ui/Notice.tsx'

// Decides which subscription problem the banner of every screen shows (decisions 85, 86 and 90). Pure.

export interface Concern {
  kind: 'suspended' | 'overdue' | 'trial' | 'resting'
  tone: Tone
}

const DAY_MS = 86_400_000
/** The same day as the mail before the end of a trial (decision 84). */
const TRIAL_NOTICE_DAYS = 3

type Subscription = z.output<typeof subscriptionStatus.reply>

export function findConcerns(subscription: Subscription, now: number, isStoreResting: boolean): Concern[] {
  const { status, suspension, hasActiveSubscription, trialEndsAt, hasCard, cancelAtPeriodEnd } = subscription
  const concerns: Concern[] = []
  if (suspension) concerns.push({ kind: 'suspended', tone: 'bad' })
  if (status === 'past_due') concerns.push({ kind: 'overdue', tone: hasActiveSubscription ? 'warn' : 'bad' })
  const remainingMs = status === 'trialing' && trialEndsAt ? Date.parse(trialEndsAt) - now : 0
  if (remainingMs > 0 && remainingMs <= TRIAL_NOTICE_DAYS * DAY_MS) {
    concerns.push({ kind: 'trial', tone: hasCard || cancelAtPeriodEnd ? 'info' : 'warn' })
  }
  if (isStoreResting) concerns.push({ kind: 'resting', tone: 'warn' })
  return concerns
}
