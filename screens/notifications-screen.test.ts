import { describe, expect, test } from 'vitest'
import { me } from '../shared/access/auth.ts'
import { checkConnection, switchStore } from '../shared/access/stores.ts'
import {
  type NotificationChoices,
  readNotification,
  readNotificationPreferences,
  updateNotificationPreferences,
} from '../shared/workspace/notification-calls.ts'
import { fixture } from './api.ts'
import { createScreens, PHONE } from './app.ts'
import { createBell, isFocused, measureOverflow } from './notifications-bell.ts'
import { buildCart, buildId, createMemberList } from './notifications-list.ts'

const app = createScreens()
const list = createMemberList(app)
const { announceNew, expectBadge, isLive } = createBell(app)

const findArea = () => app.page.getByRole('region', { name: 'List of notifications' })
const findDetail = () => app.page.getByRole('region', { name: 'Notification', exact: true })
const findRows = () => findArea().getByRole('listitem')
const findRow = (text: string) => findRows().filter({ hasText: text })
const expectRows = (count: number) => expect.poll(() => findRows().count()).toBe(count)
const isTitled = (title: string) => findDetail().getByRole('heading', { level: 2, name: title }).waitFor()
const listReadFlags = () => list.items.map(({ read }) => read)
const readFocusedText = () => app.page.evaluate(() => document.activeElement?.textContent ?? '')

const MESSAGE = { cartId: buildId(1), messageId: buildId(2), step: 1, to: 'ada@shoppers.example' }
const REFUSED = { ...MESSAGE, cause: 'refused' as const, answer: '550 no such user' }
const SENT = { ...MESSAGE, isInMailbox: false }

async function expectToFit(): Promise<void> {
  for (const width of [1280, 360]) {
    await app.page.setViewportSize({ width, height: 900 })
    await expect.poll(async () => [width, await app.page.evaluate(measureOverflow)]).toEqual([width, 0])
  }
  expect(await app.findViolations()).toEqual([])
}

describe('the notifications screen', () => {
  test('has the list and the detail, which shows when nothing is selected', {
    tags: ['A2.1', 'A3', 'B2', 'B3'],
  }, async () => {
    const zone = { city: 'London', region: 'England', country: 'United Kingdom', timezone: 'Europe/London' }
    list.add('cart_abandoned', buildCart('Ada Lovelace'), zone)
    const page = await app.open('/notifications')
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Notifications' }).waitFor()
    await findDetail().getByText('Select a notification to view details').waitFor()
    await findRow('Ada Lovelace').getByText('Unread').waitFor()
    await findRow('Ada Lovelace').getByText('London, United Kingdom').waitFor()
    await findRow('Ada Lovelace').getByRole('link').click()
    await isTitled('Cart abandoned')
    // Selecting it marks it as read (decision 130).
    await findRow('Ada Lovelace').getByText('Unread').waitFor({ state: 'detached' })
    const facts = await findDetail().locator('dl').innerText()
    for (const fact of [
      'Customer\nAda Lovelace',
      'Value\n$123.45',
      'Items\n2',
      'Time zone\nEurope/London',
      'Location\nLondon, England, United Kingdom',
      'Timestamp\nMar 10, 8:05 AM EDT',
    ])
      expect(facts).toContain(fact)
    await findDetail().getByText('The location is an estimate by IP address and may be wrong.').waitFor()
    await findDetail().getByText('location data is from June 17, 2026. Its administrator can set newer').waitFor()
    await expect.poll(listReadFlags).toEqual([true])
    await expect
      .poll(() => findDetail().getByRole('link', { name: 'Open the cart' }).getAttribute('href'))
      .toMatch(/^\/carts\//)
    await findDetail().getByRole('button', { name: 'Back' }).click()
    await findDetail().getByText('Select a notification to view details').waitFor()
  })

  test('opens and reads the notification in the address on any page, and marks all as read', {
    tags: ['B2', 'B4'],
  }, async () => {
    const oldest = list.addNumbered(1)
    list.addNumbered(...Array.from({ length: 11 }, (_, index) => index + 2))
    const page = await app.open(`/notifications?platform=woocommerce&notificationId=${oldest._id}`)
    await findDetail().getByText('more than 1 new contacts').waitFor()
    await expect.poll(() => oldest.read).toBe(true)
    await findArea().getByText('Showing 1 to 10 of 12 entries').waitFor()
    await findArea().getByRole('button', { name: 'Next' }).click()
    await expectRows(2)
    await expect.poll(() => findRow('more than 1 ').getByRole('link').getAttribute('aria-current')).toBe('true')
    // Unread ones may be on another page or behind another filter.
    const all = page.getByRole('main').getByRole('button', { name: 'Mark all as read' })
    await page.goto(`${app.url}/notifications?filter=new-carts`)
    await findArea().getByText('No notifications match your filters.').waitFor()
    await expect.poll(() => all.isEnabled()).toBe(true)
    await all.press('Enter')
    await expect.poll(() => all.isEnabled()).toBe(false)
    await expect.poll(list.unread).toBe(0)
    await expect.poll(() => readFocusedText()).toBe('Mark all as read')
    app.api.fail(readNotification, 404, { error: 'Not found.' })
    await page.goto(`${app.url}/notifications?notificationId=${buildId(99)}`)
    await findDetail().getByText('This notification is no longer there').waitFor()
  })

  test('has an icon and a color by type: red for failed, green for sent, else blue', { tags: ['B2'] }, async () => {
    const sms = { to: '+1 212 555 0123' }
    list.add('cart_abandoned', buildCart('Ada Lovelace'))
    list.add('email_failed', REFUSED)
    list.add('email_sent', SENT)
    list.add('sms_failed', { ...REFUSED, ...sms })
    list.add('sms_sent', { ...SENT, ...sms })
    list.add('whatsapp_failed', { ...REFUSED, ...sms })
    list.add('whatsapp_sent', { ...SENT, ...sms })
    list.add('connection_test', { test: true, channel: 'email', to: 'olive@owners.example' })
    list.addNumbered(1)
    const page = await app.open('/notifications')
    await expectRows(9)
    const signs = await page.locator('.note-row').evaluateAll((all) =>
      all.map((each) => {
        const sign = each.querySelector<HTMLElement>('.note-sign')!
        return `${each.querySelector('.note-title')!.textContent}: ${sign.dataset.icon} ${sign.className.split('tone-')[1]}`
      }),
    )
    expect(signs).toEqual([
      'Unusually many new contacts: capture info',
      'Test sent: test info',
      'Recovery WhatsApp message sent: whatsapp good',
      'Recovery WhatsApp message not delivered: whatsapp bad',
      'Recovery SMS sent: sms good',
      'Recovery SMS not delivered: sms bad',
      'Recovery email sent: email good',
      'Recovery email not delivered: email bad',
      'Cart abandoned: cart info',
    ])
    // The badge comes from `data.test`, which the detail lists.
    await expect
      .poll(() =>
        findRows()
          .filter({ has: page.getByText('Test', { exact: true }) })
          .allInnerTexts(),
      )
      .toEqual([expect.stringContaining('Test sent')])
    await findRow('Test sent').getByRole('link').click()
    await isTitled('Test sent')
    await expect.poll(() => findDetail().locator('dl').innerText()).toContain('Connection test\nYes')
    for (const [title, tone] of [
      ['Recovery email sent', 'good'],
      ['Cart abandoned', 'info'],
      ['Recovery email not delivered', 'bad'],
    ] as const) {
      await findRow(title).getByRole('link').click()
      await isTitled(title)
      await findDetail().locator(`.note-card.note-${tone}`).waitFor()
    }
    await findDetail().getByRole('link', { name: 'Why was it not sent?' }).waitFor()
    // Without a location nothing is shown.
    await expect.poll(() => findDetail().getByText('estimate').count()).toBe(0)
  })

  test('filters by unread, problems and new carts, searches, and groups by day', async () => {
    list.add('cart_abandoned', buildCart('Ada Lovelace'))
    list.add('cart_abandoned', buildCart('Bea Miller'))
    list.add('email_failed', REFUSED)
    const page = await app.open('/notifications')
    await findArea().getByRole('heading', { level: 2, name: 'Today' }).waitFor()
    const choose = (name: string) => findArea().getByText(name, { exact: true }).first().click()
    const search = async (text: string) => {
      await page.getByLabel('Search notifications').fill(text)
      await page.keyboard.press('Enter')
    }
    await expectRows(3)
    await findRow('Ada Lovelace').getByRole('link').click()
    await isTitled('Cart abandoned')
    await choose('Unread')
    await expectRows(2)
    await choose('Problems')
    await expectRows(1)
    await findRow('Recovery email not delivered').waitFor()
    await choose('New carts')
    await expectRows(2)
    await search('miller')
    await expectRows(1)
    await findRow('Bea Miller').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('search')).toBe('miller')
    await search('nobody')
    await findArea().getByText('No notifications match your filters.').waitFor()
    await findArea().getByRole('button', { name: 'Show all notifications' }).click()
    await expectRows(3)
  })

  test('moves with j and k, opens with Enter and toggles read with u, but not while typing', async () => {
    list.addNumbered(1, 2, 3)
    const page = await app.open('/notifications')
    await expectRows(3)
    for (const [key, text] of [
      ['j', 'more than 3 '] as const,
      ['j', 'more than 2 '] as const,
      ['j', 'more than 1 '] as const,
      ['j', 'more than 1 '] as const,
      ['k', 'more than 2 '] as const,
    ]) {
      await page.keyboard.press(key)
      await expect.poll(readFocusedText).toContain(text)
    }
    await page.keyboard.press('Enter')
    await findDetail().getByText('more than 2 new contacts').waitFor()
    await expect.poll(listReadFlags).toEqual([false, true, false])
    await page.keyboard.press('u')
    await findRow('more than 2 ').getByText('Unread').waitFor()
    await expect.poll(listReadFlags).toEqual([false, false, false])
    await page.keyboard.press('u')
    await expect.poll(listReadFlags).toEqual([false, true, false])
    await page.getByLabel('Search notifications').pressSequentially('juk')
    await expect.poll(() => page.getByLabel('Search notifications').inputValue()).toBe('juk')
  })

  test('adds and removes notifications by live events', async () => {
    list.addNumbered(1)
    await app.open('/notifications')
    await expectRows(1)
    await isLive()
    const second = list.addNumbered(2)
    announceNew(second)
    await expect.poll(async () => (await findRows().allInnerTexts())[0]).toContain('more than 2 ')
    list.items.shift()
    app.live.notify({ type: 'delete', notificationIds: [second._id] })
    await expectRows(1)
  })

  test('shows list or detail, one at a time, on a phone', async () => {
    list.add('cart_abandoned', buildCart('Wilhelmina Featherstonehaugh-Cholmondeley'))
    list.add('email_failed', { ...REFUSED, to: 'a-rather-long-name@a-rather-long-domain.shoppers.example' })
    await app.open('/notifications', { viewport: PHONE })
    await expectRows(2)
    await expect.poll(() => findDetail().count()).toBe(0)
    await expectToFit()
    await findRow('Cart abandoned').getByRole('link').click()
    await isTitled('Cart abandoned')
    await expect.poll(() => findArea().count()).toBe(0)
    await expect.poll(() => isFocused(findDetail())).toBe(true)
    await expectToFit()
    await findDetail().getByRole('button', { name: 'Back' }).click()
    await expectRows(2)
    await expect.poll(readFocusedText).toContain('Cart abandoned')
  })
})

describe('a link to another store', () => {
  const SECOND = '01999999-0000-7000-8000-00000000000e'
  const link = (storeId: string, notificationId: string) =>
    `/notifications?${new URLSearchParams({ platform: 'woocommerce', storeId, notificationId })}`
  const withSecondStore = () =>
    app.api.alter(me, ({ user }) => ({
      user: { ...user, stores: [...user.stores, { ...user.stores[0]!, id: SECOND }] },
    }))

  test('switches to that store and shows its notification', async () => {
    withSecondStore()
    list.addNumbered(1)
    app.api.answer(switchStore, ({ body: { storeId } }) => {
      list.items = []
      list.addNumbered(7, 8, 9)
      const connection = fixture(checkConnection)
      const store = { ...connection.store!, id: storeId }
      app.api.answer(checkConnection, { ...connection, store })
      return { success: true as const, store }
    })
    const page = await app.open(link(SECOND, buildId(3)))
    await findDetail().getByText('more than 8 new contacts').waitFor()
    // From then on the address names only the notification.
    await page.waitForURL((url) => !url.searchParams.has('storeId'))
    await expect.poll(() => new URL(page.url()).searchParams.get('notificationId')).toBe(buildId(3))
    await expectBadge('2')
    await expectRows(3)
    await expect.poll(() => listReadFlags()).toEqual([false, true, false])
    await expect.poll(() => app.api.calls(switchStore).map(({ body }) => body)).toEqual([{ storeId: SECOND }])
  })

  test('changes nothing if the store is not one of the account’s', { tags: ['B2'] }, async () => {
    list.addNumbered(1)
    const page = await app.open(link(SECOND, buildId(1)))
    await page.getByText('This notification cannot be shown').waitFor()
    await page.getByText('The link is for a store that is not in your account.').waitFor()
    await expect.poll(() => findDetail().count()).toBe(0)
    expect([...app.api.calls(switchStore), ...app.api.calls(readNotification)]).toEqual([])
    await page.getByRole('button', { name: 'Show the notifications of this store' }).click()
    await expectRows(1)
    await expect.poll(() => listReadFlags()).toEqual([false])
  })

  test('explains why the store could not be opened, and shows none of its data', async () => {
    withSecondStore()
    app.api.fail(switchStore, 400, { error: 'Not now, please.' })
    const page = await app.open(link(SECOND, buildId(1)))
    await page.getByText('Not now, please.').waitFor()
    await expect.poll(() => findDetail().count()).toBe(0)
  })
})

describe('the notification settings', () => {
  const PATH = '/settings/account/notifications'
  const save = () => app.page.getByRole('button', { name: 'Save' }).click()
  const isSaved = () => app.page.getByText('Notification settings saved').first().waitFor()
  const listSent = () => app.api.calls(updateNotificationPreferences).map((call) => call.sent.body)

  function keepChoices(): void {
    let choices: NotificationChoices = fixture(readNotificationPreferences)
    app.api.answer(readNotificationPreferences, () => choices)
    app.api.answer(updateNotificationPreferences, ({ body: { topics, weeklyReport } }) => {
      const changed = choices.topics.map((choice) => topics.find(({ topic }) => topic === choice.topic) ?? choice)
      choices = { topics: changed, weeklyReport: weeklyReport ?? choices.weeklyReport }
      return choices
    })
  }

  test('choose bell and mail per topic, and refetch the bell’s count', async () => {
    keepChoices()
    list.addNumbered(1)
    const page = await app.open('/settings/account')
    await expectBadge('1')
    await page.getByRole('link', { name: 'Choose notifications' }).click()
    await page.waitForURL(`**${PATH}`)
    const inBell = page.getByRole('switch', { name: 'Unusual traffic: in the bell' })
    const mail = page.getByLabel('Unusual traffic: by email')
    await inBell.waitFor()
    await expect.poll(() => inBell.isChecked()).toBe(true)
    await inBell.press('Space')
    await mail.selectOption('daily')
    list.items = []
    await save()
    await isSaved()
    await expectBadge('')
    await expect.poll(() => listSent()).toEqual([{ topics: [{ topic: 'capture', bell: false, mail: 'daily' }] }])
    await expectToFit()
    await page.reload()
    await inBell.waitFor()
    await expect.poll(async () => [await inBell.isChecked(), await mail.inputValue()]).toEqual([false, 'daily'])
  })

  test('switch the weekly report off and on', async () => {
    keepChoices()
    const page = await app.open(PATH)
    const report = page.getByRole('switch', { name: 'Weekly report: by email' })
    await report.waitFor()
    for (const weeklyReport of [false, true]) {
      await expect.poll(() => report.isChecked()).toBe(!weeklyReport)
      await report.press('Space')
      await save()
      await isSaved()
      await expect.poll(() => listSent().at(-1)).toEqual({ topics: [], weeklyReport })
      await page.reload()
      await report.waitFor()
      await expect.poll(() => report.isChecked()).toBe(weeklyReport)
    }
  })

  test('keep the choices when saving fails, and show the error', async () => {
    app.api.fail(updateNotificationPreferences, 400, { error: 'Not now, please.' })
    const page = await app.open(PATH)
    const mail = page.getByLabel('Recovered carts: by email')
    await mail.selectOption('at_once')
    await save()
    await page.getByRole('alert').getByText('Not now, please.').waitFor()
    await expect.poll(() => mail.inputValue()).toBe('at_once')
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => mail.inputValue()).toBe('none')
  })
})
