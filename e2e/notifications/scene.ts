import pg from 'pg'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type DemoStore, startDemoStore } from '../../demo/store/store.ts'
import { newId } from '../../server/core/ids.ts'
import type { NotificationView } from '../../shared/notification-calls.ts'
import type { NotificationData, NotificationType } from '../../shared/notifications.ts'
import { type AppInstance, anAppInstance, mailsTo, readMail, until } from '../app-instance.ts'
import { keptPages, openBrowser } from '../browser.ts'
import { anOwner, KEYS } from '../owner.ts'

// An app instance with an owner, a second member and a store that says nothing by itself: what all parts of the journey share.

const MIA = { name: 'Mia Member', email: 'mia@team.example', password: 'four pots on Kiln Road' }

export let instance: AppInstance
export let browser: Browser
export let storeId: string
let shop: DemoStore
let keptPage: () => Promise<Page>
let db: pg.Client
let tokens: { olive: string; mia: string }

export async function begin(): Promise<void> {
  shop = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  keptPage = keptPages(browser, idle(), DESK)
  const page = await (await browser.newContext()).newPage()
  await anOwner(instance, shop, page)
  const olive = (await page.evaluate(() => localStorage.getItem('token')))!
  await page.context().close()
  tokens = { olive, mia: await join(olive) }
  await openDatabase()
  const { rows } = await db.query<{ id: string }>('select id from stores')
  storeId = rows[0]!.id
}

export async function end(): Promise<void> {
  await browser?.close()
  await db?.end().catch(() => undefined)
  await instance?.stop()
  await shop?.stop()
}

/** Again after the database was away. */
export async function openDatabase(): Promise<void> {
  await db?.end().catch(() => undefined)
  db = new pg.Client(instance.databaseUrl())
  db.on('error', () => undefined)
  await db.connect()
}

export async function ask<T>(token: string, method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
  const reply = await fetch(instance.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return (await reply.json()) as T
}

/** Another member of the account, by an invitation. */
async function join(olive: string): Promise<string> {
  await ask(olive, 'POST', '/api/team/invitations', { email: MIA.email, role: 'member' })
  const invitation = async () =>
    (await mailsTo(instance, MIA.email)).find(({ subject }) => /invited you/.test(subject))?.id
  await until(async () => (await invitation()) !== undefined, 20_000)
  const { text } = await readMail(instance, (await invitation())!)
  const token = /invite\?token=([\w.-]+)/.exec(text)![1]!
  const { name, password } = MIA
  return (await ask<{ token: string }>('', 'POST', '/api/team/invitation/accept', { token, name, password })).token
}

/** The account has a second store for as long as `act` takes; both members begin with the first one. */
export async function withSecondStore(act: (second: string) => Promise<void>): Promise<void> {
  const { olive, mia } = tokens
  const shop = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  try {
    await ask(olive, 'POST', '/api/subscribe/manual-update', { planKey: 'growth' })
    const keys = { consumer_key: KEYS.consumerKey, consumer_secret: KEYS.consumerSecret }
    const wanted = { platform: 'woocommerce', store_url: shop.url, ...keys }
    const { store } = await ask<{ store: { id: string } }>(olive, 'POST', '/api/stores/connect-store', wanted)
    for (const token of [olive, mia]) await ask(token, 'POST', '/api/stores/switch', { storeId })
    await act(store.id).finally(() => ask(olive, 'DELETE', `/api/stores/disconnect?storeId=${store.id}`))
  } finally {
    await shop.stop()
  }
}

export type Member = keyof typeof tokens
export const tokenOf = (member: Member): string => tokens[member]

interface Look extends BrowserContextOptions {
  /** Its timers are the test's own from the beginning; see `page.clock`. */
  withClock?: boolean
  /** What the test does to it cannot be undone. */
  isItsOwn?: boolean
}

const DESK = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const
/** No screen, which would notice a token by itself and go somewhere. */
const idle = () => `${instance.url}/readyz`

/** A browser of a member's, without anything open. */
export async function aBrowser(member: Member, { withClock, isItsOwn, ...options }: Look = {}): Promise<Page> {
  const isKept = !withClock && !isItsOwn && Object.keys(options).length === 0
  const page = isKept ? await keptPage() : await (await browser.newContext({ ...DESK, ...options })).newPage()
  if (!isKept) await page.goto(idle())
  await page.evaluate((token) => localStorage.setItem('token', token), tokens[member])
  if (withClock) await page.clock.install()
  return page
}

/** On a screen, with the live connection there: what happens from now on is heard. */
export async function at(page: Page, path = '/flows'): Promise<Page> {
  const joined = page.waitForResponse(
    (reply) => reply.url().includes('/socket.io/') && reply.request().method() === 'POST',
  )
  const counted = page.waitForResponse(/unread-count/)
  await page.goto(instance.url + path)
  await counted
  await joined
  // Who joins asks for all that may have changed before.
  await page.waitForResponse(/unread-count/)
  return page
}

/** What happens in the store; the server makes a notification of it. */
export const tell = <Type extends NotificationType>(type: Type, ...all: NotificationData[Type][]) =>
  tellIn(storeId, type, ...all)

export async function tellIn<Type extends NotificationType>(
  place: string,
  type: Type,
  ...all: NotificationData[Type][]
): Promise<void> {
  const rows = all.map((data) => ({ id: newId(), data }))
  await db.query(
    `insert into pending_notifications (store_id, id, type, data, created_at)
     select $1, (r ->> 'id')::uuid, $2, r -> 'data', clock_timestamp() from jsonb_array_elements($3::jsonb) r`,
    [place, type, JSON.stringify(rows)],
  )
}

/** The simplest: each is told apart by its number. */
export const numbered = (...numbers: number[]) => tell('capture_flood', ...numbers.map((ceiling) => ({ ceiling })))

export const cartOf = (customer: string): NotificationData['cart_abandoned'] => ({
  ...{ cartId: newId(), customer, value: 12_345, currency: 'USD', itemCount: 2 },
  timestamp: '2026-03-10T12:05:00.000Z',
})

export async function listed(member: Member, query = ''): Promise<NotificationView[]> {
  const path = `/api/notifications?limit=100${query}`
  return (await ask<{ notifications: NotificationView[] }>(tokens[member], 'GET', path)).notifications
}

export const unreadOf = async (member: Member) =>
  (await ask<{ count: number }>(tokens[member], 'GET', '/api/notifications/unread-count')).count

/** Waits until the server has made notifications of what was told. */
export const isListed = (count: number) => until(async () => (await listed('olive')).length === count, 10_000, 50)

/** Where the shopper is, as the capture of the cart would say it. */
export async function setZone(customer: string, zone: Record<string, string>): Promise<void> {
  await db.query(`update notifications set zone = $1 where store_id = $2 and data ->> 'customer' = $3`, [
    JSON.stringify(zone),
    storeId,
    customer,
  ])
}

/** No mail about notifications waits, and the last one was long ago. */
export const forgetMails = () =>
  db.query('update notification_mails set mailed_at = null, due_at = null, digest_due_at = null')

/** As if it were time for the daily summary. */
export const bringSummary = () =>
  db.query('update notification_mails set digest_due_at = now() where digest_due_at is not null')

/** Nothing that was told before is there any more. */
export async function forgetAll(place = storeId): Promise<void> {
  for (const table of ['pending_notifications', 'notifications', 'notification_reads', 'notification_hours']) {
    await db.query(`delete from ${table} where store_id = $1`, [place])
  }
}

export const bell = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Notifications/ })
export const panel = (page: Page) => page.getByRole('dialog', { name: 'Notifications' })
export const itemsOf = (page: Page) => panel(page).getByRole('listitem')
/** What the bell says to a screen reader; on screen it is the badge. */
export const badge = async (page: Page) => {
  // Read at once: counted first, it may be gone when its text is asked for, and Playwright would wait for it to come back.
  const texts = await page.locator('.bell-badge').allInnerTexts()
  return texts.join(' ')
}

export async function openBell(page: Page): Promise<void> {
  await bell(page).click()
  await panel(page).waitFor()
}

/** The numbers of `numbered` that the panel shows, in its order. */
export async function numbersIn(page: Page): Promise<number[]> {
  const texts = await itemsOf(page).allInnerTexts()
  return texts.map((text) => Number(/more than (\d+)/.exec(text)?.[1] ?? 0))
}

export const expectNumbers = (page: Page, numbers: number[]) => expect.poll(() => numbersIn(page)).toEqual(numbers)
export const expectBadge = (page: Page, text: string) => expect.poll(() => badge(page)).toBe(text)
