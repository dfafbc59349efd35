import { expect } from 'vitest'
import { me, type User } from '../shared/access/auth.ts'
import { readSecondFactor } from '../shared/access/second-factor.ts'
import { checkConnection } from '../shared/access/stores.ts'
import { subscriptionStatus } from '../shared/billing/billing.ts'
import { listSessions } from '../shared/workspace/account.ts'
import type { Api } from './api.ts'
import { fixture } from './api.ts'
import { PHONE, type Screens, token, WIDE } from './app.ts'

// Users of an account other than the demo's.

export const PASSWORD = 'four pots on Kiln Road'
export const OLIVE = 'olive@owners.example'

export const buildUser = (changes: Partial<User> = {}): User => ({
  ...fixture(me).user,
  name: 'Olive Owner',
  email: OLIVE,
  accountName: 'Olive Owner',
  isDemo: false,
  ...changes,
})

/** The signed-in user until the next call of `serve`. */
export function serveUser(api: Api, changes: Partial<User> = {}): User {
  const user = buildUser(changes)
  api.answer(me, { user })
  api.answer(readSecondFactor, { isOn: false, since: null, recoveryCodesLeft: 0 })
  return user
}

/** With a plan and no store. */
export function serveNoStore(api: Api): void {
  serveUser(api, { stores: [] })
  api.answer(checkConnection, { hasConnection: false, platform: null, store_url: null, store: null })
}

export function serveNoPlan(api: Api): void {
  serveNoStore(api)
  api.alter(subscriptionStatus, (reply) => ({
    ...reply,
    plan: null,
    status: null,
    source: null,
    hasActiveSubscription: false,
    planInForce: null,
  }))
}

/** A browser that remembers no store or user. */
export async function openFresh({ page, url }: Screens, path: string): Promise<void> {
  await page.evaluate((value) => localStorage.setItem('token', value), token)
  await page.goto(url + path)
}

export const buildSession = (number: number, changes: object = {}) => ({
  ...fixture(listSessions).sessions[0]!,
  id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  isCurrent: false,
  ...changes,
})

/** Expects no axe violation in the page or part, and nothing wider than a phone. */
export async function checkLooks(app: Screens, within?: string): Promise<void> {
  await app.waitUntilSettled()
  expect(await app.findViolations(within)).toEqual([])
  await app.page.setViewportSize(PHONE)
  expect(await app.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  await app.page.setViewportSize(WIDE)
}
