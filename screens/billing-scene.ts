import type { Locator } from 'playwright-core'
import { beforeEach, expect } from 'vitest'
import { me } from '../shared/auth.ts'
import { readUsage, subscriptionStatus } from '../shared/billing.ts'
import { readCredits } from '../shared/credits.ts'
import { readSubscription } from '../shared/payments.ts'
import type { Role } from '../shared/roles.ts'
import { aScreen, PHONE, type Screens, WIDE } from './app.ts'
import { aDetail, aStatus, type Detail, noCredits, type Status, someUsage } from './billing-answers.ts'

export * from './billing-answers.ts'

// What the tests of the screens about plans and payments share.

/** The screens of an account that is not the demo's and buys no credits, unless a test says otherwise. */
export function aBillingScreen(): Screens {
  const app = aScreen()
  beforeEach(() => {
    signInAs(app, 'owner')
    app.api.answer(readCredits, noCredits)
  })
  return app
}

export const signInAs = (app: Screens, role: Role, isDemo = false) =>
  app.api.alter(me, ({ user }) => ({ user: { ...user, role, isDemo } }))

/** Answers detail and status of the same subscription, and the usage. */
export function answerBilling({ api }: Screens, detail: Partial<Detail> = {}, status: Partial<Status> = {}): void {
  const { subscription } = aDetail(detail)
  const { plan, source, cancelAtPeriodEnd, trialEndsAt, hasCard, nextBillingDate, currentPeriodEnd } = subscription
  api.answer(readSubscription, { subscription })
  api.answer(
    subscriptionStatus,
    aStatus({
      ...{ plan, source, cancelAtPeriodEnd, trialEndsAt, hasCard, nextBillingDate, currentPeriodEnd },
      status: subscription.status,
      ...status,
    }),
  )
  api.answer(readUsage, someUsage())
}

/** Nothing is wider than a phone's or a desktop's screen, and axe finds nothing in the page or the part. */
export async function checkLayout(app: Screens, within?: string): Promise<void> {
  for (const viewport of [PHONE, WIDE]) {
    await app.page.setViewportSize(viewport)
    const overflow = await app.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow, `wider than ${viewport.width} pixels by`).toBeLessThanOrEqual(0)
  }
  expect(await app.violations(within)).toEqual([])
}

/** The text of a part of the page, on one line. */
export const textOf = async (part: Locator) => (await part.innerText()).replace(/\s+/g, ' ')
