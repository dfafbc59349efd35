import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { createFreeSubscription, manualUpdate, type PlanKey } from '../shared/billing/billing.ts'
import { addTestCredits, buyCredits, listCreditEntries, readCredits } from '../shared/billing/credits.ts'
import {
  createCheckoutSession,
  createPortalSession,
  paymentHistory,
  readSubscription,
} from '../shared/billing/payments.ts'
import { findScreen } from '../shared/screens.ts'
import { readInstance } from '../shared/workspace/instance.ts'
import { fixture } from './api.ts'
import {
  addDays,
  answerBilling,
  buildCredits,
  buildHistory,
  buildLedger,
  createBillingScreen,
  type Status,
} from './billing-scene.ts'

// Every link of the screens about plans leads to a screen, and every button has an effect, for each way of selling
// plans.

const app = createBillingScreen()
const PLAN_BUTTON = /^(Choose|Start with|Continue with) /
const PRESSABLE =
  'button:visible:not([disabled]), [role=button]:visible, input[type=radio]:not([disabled]):not(:checked)'

/** Problems of the links in a part of the page, one sentence each. */
async function findBadLinks(part: Locator): Promise<string[]> {
  const links = await part.locator('a[href]:visible').evaluateAll((found) =>
    found.map((one) => {
      const { href, hash, pathname } = one as HTMLAnchorElement
      const isSamePage = pathname === location.pathname
      const id = decodeURIComponent(hash.slice(1))
      return {
        name: one.ariaLabel ?? one.textContent ?? '',
        href,
        isPartMissing: isSamePage && id !== '' && !document.getElementById(id),
      }
    }),
  )
  const neighbours = [app.url, new URL(fixture(readInstance).mailboxUrl!).origin]
  return links.flatMap(({ name, href, isPartMissing }) => {
    const { protocol, origin, pathname } = new URL(href)
    if (protocol === 'mailto:') return pathname.includes('@') ? [] : [`“${name}” has no address`]
    if (!neighbours.includes(origin)) return [`“${name}” leads away, to ${origin}`]
    if (origin === app.url && !findScreen(pathname)) return [`“${name}” leads to ${href}, which is no screen`]
    return isPartMissing ? [`“${name}” leads to ${href}, which has no such part`] : []
  })
}

const snapshot = () =>
  app.page.evaluate(() => {
    const inputs = [...document.querySelectorAll('input')].map(({ checked, value }) => `${checked} ${value}`)
    return `${location.href} ${inputs} ${document.documentElement.outerHTML}`
  })

/**
 * Follows the links and presses each button of the part, which `open` shows again for each. Returns the names of the
 * buttons.
 */
async function walk(open: () => Promise<Locator>): Promise<string[]> {
  const part = await open()
  await app.waitUntilSettled()
  await expect.poll(() => findBadLinks(part)).toEqual([])
  const names = await part
    .locator(PRESSABLE)
    .evaluateAll((all) => all.map((one) => one.ariaLabel || one.textContent || one.getAttribute('name')!))
  for (const [at, name] of names.entries()) {
    // Of radio buttons, which share their group's name, press one.
    if (names.indexOf(name) < at) continue
    if (at > 0) await open()
    const button = part.locator(PRESSABLE).nth(at)
    await app.waitUntilSettled()
    const before = await snapshot()
    await button.press('Space')
    await expect.poll(snapshot, { message: `“${name}” does nothing` }).not.toBe(before)
    await app.waitUntilSettled()
    const { pathname } = new URL(app.page.url())
    expect(findScreen(pathname), `“${name}” leads to ${pathname}`).not.toBeNull()
    const errors = app.page.getByText(/Page not found|Not found|^Failed to|could not be/)
    await expect.poll(async () => [name, await errors.allInnerTexts()]).toEqual([name, []])
  }
  return names
}

interface Mode {
  mode: string
  status: Partial<Status>
  addresses: string[]
}
const sold = { sells: 'test', isTestMode: true } as const
const unsold = { sells: 'none', source: 'default' } as const
const both = ['/pricing', '/billing']

const modes: Mode[] = [
  { mode: 'test billing before a plan', status: { ...sold, plan: null }, addresses: both },
  { mode: 'test billing on Lite', status: { ...sold, plan: 'free' }, addresses: [...both, '/pricing?plan=starter'] },
  { mode: 'test billing on Starter', status: { ...sold, plan: 'starter', source: 'test' }, addresses: both },
  { mode: 'Stripe on Starter', status: { plan: 'starter', source: 'stripe' }, addresses: both },
  {
    mode: 'Stripe in a canceled trial',
    status: { status: 'trialing', trialEndsAt: addDays(9), cancelAtPeriodEnd: true },
    addresses: both,
  },
  { mode: 'no billing', status: { ...unsold, isUnlimited: true }, addresses: both },
  { mode: 'no billing on Lite', status: { ...unsold, plan: 'free' }, addresses: both },
]

function answerMode(status: Partial<Status>): void {
  const { plan, sells = 'stripe', source, status: state, ...rest } = status
  const known = { ...(plan && { plan }), ...(source && { source }), ...(state && { status: state }) }
  answerBilling(app, { ...known, trialEndsAt: rest.trialEndsAt ?? null } as Parameters<typeof answerBilling>[1], status)
  if (plan === null) app.api.answer(readSubscription, { subscription: null })
  app.api.alter(readInstance, (reply) => ({ ...reply, sells }))
  if (sells !== 'none' && plan === 'starter') app.api.answer(readCredits, buildCredits({ offer: sells }))
  app.api.answer(paymentHistory, buildHistory(3))
  app.api.answer(listCreditEntries, buildLedger(3))
  // Addresses that load nothing: no navigation is pending when the next screen opens.
  app.api.answer(createCheckoutSession, { isFreePlan: false, url: '/pricing?plan=starter#pay' })
  app.api.answer(createFreeSubscription, { success: true, message: 'Done.', url: '/store-setup' })
  app.api.answer(manualUpdate, ({ body }) => ({
    success: true,
    message: 'Done.',
    status: 'active' as const,
    plan: body.planKey as PlanKey,
  }))
  app.api.answer(addTestCredits, { balanceMicros: 10_000_000 })
  app.api.answer(buyCredits, { url: '/billing#pay' })
  app.api.answer(createPortalSession, { url: '/billing#portal' })
}

test.each(modes)('no dead button or link about plans: $mode', async ({ status, addresses }) => {
  answerMode(status)
  const names: string[] = []
  for (const address of addresses)
    names.push(
      ...(await walk(async () => {
        await app.open(address)
        return app.page.getByRole('main')
      })),
    )
  const isOffered = names.some((name) => PLAN_BUTTON.test(name))
  expect(isOffered).toBe(status.sells !== 'none' && !status.cancelAtPeriodEnd)
  const page = await app.open('/billing')
  const opener = page.getByRole('banner').getByRole('button', { name: /^Subscription: / })
  if (status.plan === null || status.plan === 'free') await expect.poll(() => opener.count()).toBe(0)
  else {
    await opener.click()
    await page.getByRole('dialog').getByText('Current plan').waitFor()
  }
  await app.waitUntilSettled()
  await expect.poll(() => findBadLinks(page.locator('body'))).toEqual([])
})

test.each(['stripe', 'test', 'none'] as const)('no dead link on /terms and /privacy where %s sells', async (sells) => {
  app.api.alter(readInstance, (reply) => ({ ...reply, sells }))
  for (const address of ['/terms', '/privacy']) {
    await app.open(address, { as: 'visitor' })
    await app.waitUntilSettled()
    const body = app.page.locator('body')
    await expect.poll(() => body.locator('a[href]:visible').count()).toBeGreaterThan(2)
    await expect.poll(() => findBadLinks(body)).toEqual([])
  }
  const terms = {
    stripe: /free trial.*Stripe.*money-back/,
    test: /nothing is charged/,
    none: /installation has no billing/,
  }
  await app.open('/terms', { as: 'visitor' })
  const main = app.page.getByRole('main')
  await main.getByText(terms[sells]).waitFor()
  const text = await main.innerText()
  if (sells !== 'stripe') expect(text).not.toMatch(/free trial|money-back|Stripe/)
})
