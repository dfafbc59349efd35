import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isEverythingTested, oneOf, sharePerDay } from '../test/tier.ts'
import { type AppInstance, anAppInstance } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { walk } from './walk.ts'

// Without a key of Stripe: every link is followed and every button pressed of what speaks of plans (decisions 3 and 82). `npm test` takes one
// mode a day with the pages for strangers, and of local mode one plan; `npm run test:all` takes all.

const MODES = [
  { mode: 'local mode', env: {}, plans: [null, 'free', 'starter', 'growth'], sells: 'test' },
  { mode: 'an installation that sells nothing', env: { BILLING_TEST_MODE: 'off' }, plans: [null], sells: 'none' },
  {
    ...{ mode: 'an installation on a smaller plan', sells: 'none', plans: [null] },
    env: { BILLING_TEST_MODE: 'off', DEFAULT_PLAN: 'free' },
  },
] as const

describe.each(sharePerDay(MODES, MODES.length))('$mode', ({ env, plans, sells }) => {
  let instance: AppInstance
  let browser: Browser
  let page: Page
  let token: string

  beforeAll(async () => {
    instance = await anAppInstance({ DEMO: 'off', ...env })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await instance?.stop()
  })

  /** Signed in to an account of its own, on this plan; null: before one was chosen. */
  async function signIn(plan: string | null) {
    page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
    const owner = { name: 'Olive', email: `${plan ?? 'new'}@owners.example`, password: 'four pots on Kiln Road' }
    token = ''
    token = (await ask('auth/register', owner)).token!
    if (plan === 'free') await ask('subscribe/create-free-subscription', {})
    else if (plan) await ask('subscribe/manual-update', { planKey: plan })
    await page.addInitScript((value) => localStorage.setItem('token', value), token)
  }

  async function ask(path: string, body: object) {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const reply = await fetch(`${instance.url}/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await reply.json()) as { token?: string }
  }

  const at = (path: string) => async () => {
    await page.goto(instance.url + path)
    await page.getByRole('heading').first().waitFor()
    await page.waitForLoadState('networkidle')
  }

  test.each(['/landing.html', '/terms', '/privacy'])('%s, for strangers', async (path) => {
    page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
    const { links, faults } = await walk(page, { open: at(path), neighbours: [instance.mailboxUrl] })
    expect(faults).toEqual([])
    expect(links.length).toBeGreaterThan(2)
    await page.context().close()
  })

  test.each(
    isEverythingTested ? plans : [oneOf<(typeof plans)[number]>(plans)],
  )('Pricing, Billing and the drawer, on %s', async (plan) => {
    await signIn(plan)
    const addresses =
      sells === 'test' && plan !== null ? ['/pricing', '/pricing?plan=starter', '/billing'] : ['/billing', '/pricing']
    const pressed: string[] = []
    for (const address of addresses) {
      const its = await walk(page, { open: at(address), neighbours: [instance.mailboxUrl] })
      expect([address, its.faults]).toEqual([address, []])
      pressed.push(...its.pressed)
    }
    expect(pressed.filter((name) => /^(Choose|Start with|Continue with) /.test(name)).length > 0).toBe(sells === 'test')
    const header = page.getByRole('button', { name: /^Subscription: / })
    if (await header.count()) {
      const openDrawer = async () => {
        await at('/billing')()
        await header.click()
        await page.getByRole('dialog').getByText('Plan features').waitFor()
      }
      const its = await walk(page, {
        open: openDrawer,
        neighbours: [instance.mailboxUrl],
        within: (shown) => shown.getByRole('dialog'),
      })
      expect(its.faults).toEqual([])
    }
    await page.context().close()
  })
})
