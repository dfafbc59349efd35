import type { Locator } from 'playwright-core'
import { beforeEach } from 'vitest'
import { me } from '../shared/access/auth.ts'
import type { Role } from '../shared/access/roles.ts'
import { readUsage, subscriptionStatus } from '../shared/billing/billing.ts'
import { readCredits } from '../shared/billing/credits.ts'
import { readSubscription } from '../shared/billing/payments.ts'
import { createScreens, type Screens } from './app.ts'
import { buildDetail, buildStatus, buildUsage, type Detail, noCredits, type Status } from './billing-answers.ts'

export * from './billing-answers.ts'
export { checkLayout } from './page-checks.ts'

// Shared by the tests of screens about plans and payments.

/** Screens of an account that is not the demo's and buys no credits, unless a test sets otherwise. */
export function createBillingScreen(): Screens {
  const app = createScreens()
  beforeEach(() => {
    signInAs(app, 'owner')
    app.api.answer(readCredits, noCredits)
  })
  return app
}

export const signInAs = (app: Screens, role: Role, isDemo = false) =>
  app.api.alter(me, ({ user }) => ({ user: { ...user, role, isDemo } }))

/** Replies with detail and status of the same subscription, and the usage. */
export function answerBilling({ api }: Screens, detail: Partial<Detail> = {}, status: Partial<Status> = {}): void {
  const { subscription } = buildDetail(detail)
  const { plan, source, cancelAtPeriodEnd, trialEndsAt, hasCard, nextBillingDate, currentPeriodEnd } = subscription
  api.answer(readSubscription, { subscription })
  api.answer(
    subscriptionStatus,
    buildStatus({
      plan,
      source,
      cancelAtPeriodEnd,
      trialEndsAt,
      hasCard,
      nextBillingDate,
      currentPeriodEnd,
      status: subscription.status,
      ...status,
    }),
  )
  api.answer(readUsage, buildUsage())
}

/** The text of a part of the page, on one line. */
export const readText = async (part: Locator) => (await part.innerText()).replace(/\s+/g, ' ')
