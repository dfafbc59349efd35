import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { checkInEveryTheme } from '../every-theme.ts'
import {
  aBrowser,
  ask,
  at,
  cartOf,
  instance,
  isListed,
  listed,
  numbered,
  setZone,
  storeId,
  tell,
  tokenOf,
} from './scene.ts'

// The notifications screen as B 2 and decision 70 have it.

const list = (page: Page) => page.getByRole('region', { name: 'List of notifications' })
const detail = (page: Page) => page.getByRole('region', { name: 'Notification', exact: true })
const rows = (page: Page) => list(page).getByRole('listitem')
const row = (page: Page, text: string) => rows(page).filter({ hasText: text })
const isTitled = (page: Page, title: string) => detail(page).getByRole('heading', { level: 2, name: title }).waitFor()
const MESSAGE = { cartId: '01999999-0000-7000-8000-000000000001', messageId: '01999999-0000-7000-8000-000000000002' }
const REFUSED = {
  ...MESSAGE,
  cause: 'refused' as const,
  step: 1,
  to: 'ada@shoppers.example',
  answer: '550 no such user',
}
const SENT = { ...MESSAGE, step: 1, to: 'ada@shoppers.example', isInMailbox: false }

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')

export function ofTheScreen() {
  test('has the list on the left and the detail on the right, and says so while nothing is selected', async () => {
    await tell('cart_abandoned', cartOf('Ada Lovelace'))
    await isListed(1)
    await setZone('Ada Lovelace', {
      city: 'London',
      region: 'England',
      country: 'United Kingdom',
      timezone: 'Europe/London',
    })
    const page = await at(await aBrowser('olive'), '/notifications')
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Notifications' }).waitFor()
    await detail(page).getByText('Select a notification to view details').waitFor()
    await row(page, 'Ada Lovelace').getByText('Unread').waitFor()
    await row(page, 'Ada Lovelace').getByText('London, United Kingdom').waitFor()
    await row(page, 'Ada Lovelace').getByRole('link').click()
    await isTitled(page, 'Cart abandoned')
    // Selecting it marks it as read (decision 130).
    await row(page, 'Ada Lovelace').getByText('Unread').waitFor({ state: 'detached' })
    const facts = await detail(page).locator('dl').innerText()
    for (const fact of ['Customer\nAda Lovelace', 'Value\n$123.45', 'Items\n2', 'Time zone\nEurope/London']) {
      expect(facts).toContain(fact)
    }
    expect(facts).toContain('Location\nLondon, England, United Kingdom')
    await detail(page).getByText('The location is an estimate by IP address and may be wrong.').waitFor()
    await detail(page).getByText('location data is from June 17, 2026. Its administrator can set newer').waitFor()
    // A timestamp is written as a date.
    expect(facts).toMatch(/Timestamp\nMar 10, \d{1,2}:05 [AP]M/)
    await expect.poll(async () => (await listed('olive')).map(({ read }) => read)).toEqual([true])
    expect(await detail(page).getByRole('link', { name: 'Open the cart' }).getAttribute('href')).toMatch(/^\/carts\//)
    await detail(page).getByRole('button', { name: 'Back' }).click()
    await detail(page).getByText('Select a notification to view details').waitFor()
    await page.context().close()
  })

  test('opens the notification that the address names, whichever page it is on, and marks it as read', async () => {
    await numbered(...Array.from({ length: 12 }, (_, index) => index + 1))
    await isListed(12)
    const oldest = (await listed('olive')).at(-1)!
    const page = await at(await aBrowser('olive'), `/notifications?platform=woocommerce&notificationId=${oldest._id}`)
    await detail(page).getByText('more than 1 new contacts').waitFor()
    await expect.poll(async () => (await listed('olive')).at(-1)!.read).toBe(true)
    await list(page).getByText('Showing 1 to 10 of 12 entries').waitFor()
    await list(page).getByRole('button', { name: 'Next' }).click()
    await expect.poll(() => rows(page).count()).toBe(2)
    // What is unread may be on another page or behind another filter.
    const all = page.getByRole('main').getByRole('button', { name: 'Mark all as read' })
    await page.goto(`${instance.url}/notifications?filter=new-carts`)
    await list(page).getByText('No notifications match your filters.').waitFor()
    await expect.poll(() => all.isEnabled()).toBe(true)
    await all.press('Enter')
    await expect.poll(() => all.isEnabled()).toBe(false)
    await expect.poll(async () => (await listed('olive')).filter(({ read }) => !read)).toEqual([])
    // Whoever has pressed it still has the focus.
    expect(await focused(page)).toBe('Mark all as read')
    await page.goto(`${instance.url}/notifications?page=2&notificationId=${oldest._id}`)
    await expect.poll(() => rows(page).count()).toBe(2)
    expect(await row(page, 'more than 1 ').getByRole('link').getAttribute('aria-current')).toBe('true')
    // One that is not there says so.
    await page.goto(`${instance.url}/notifications?notificationId=01999999-0000-7000-8000-00000000000f`)
    await detail(page).getByText('This notification is no longer there').waitFor()
    // The link of a mail names its store too.
    const link = (storeId: string) =>
      `${instance.url}/notifications?platform=woocommerce&storeId=${storeId}&notificationId=${oldest._id}`
    await page.goto(link('01999999-0000-7000-8000-00000000000e'))
    await page.getByText('This notification cannot be shown').waitFor()
    await page.getByRole('button', { name: 'Show the notifications of this store' }).click()
    await expect.poll(() => rows(page).count()).toBe(10)
    await page.goto(link(storeId))
    await detail(page).getByText('more than 1 new contacts').waitFor()
    await page.context().close()
  })

  test('has an icon and a colour by type: red for what failed, green for what was sent, else blue', async () => {
    await tell('cart_abandoned', cartOf('Ada Lovelace'))
    await tell('email_failed', REFUSED)
    await tell('email_sent', SENT)
    await tell('sms_failed', { ...REFUSED, to: '+1 212 555 0123' })
    await tell('sms_sent', { ...SENT, to: '+1 212 555 0123' })
    await tell('whatsapp_failed', { ...REFUSED, to: '+1 212 555 0123' })
    await tell('whatsapp_sent', { ...SENT, to: '+1 212 555 0123' })
    await numbered(1)
    await isListed(8)
    const page = await at(await aBrowser('olive'), '/notifications')
    await expect.poll(() => rows(page).count()).toBe(8)
    const signs = await page.locator('.note-row').evaluateAll((all) =>
      all.map((each) => {
        const sign = each.querySelector<HTMLElement>('.note-sign')!
        return `${each.querySelector('.note-title')!.textContent}: ${sign.dataset.icon} ${sign.className.split('tone-')[1]}`
      }),
    )
    expect(signs.toSorted()).toEqual(
      [
        ...['Cart abandoned: cart info', 'Unusually many new contacts: capture info'],
        ...['Recovery email not delivered: email bad', 'Recovery email sent: email good'],
        ...['Recovery SMS not delivered: sms bad', 'Recovery SMS sent: sms good'],
        ...['Recovery WhatsApp message not delivered: whatsapp bad', 'Recovery WhatsApp message sent: whatsapp good'],
      ].toSorted(),
    )
    for (const [title, tone] of [
      ['Recovery email not delivered', 'bad'],
      ['Recovery email sent', 'good'],
      ['Cart abandoned', 'info'],
    ] as const) {
      await row(page, title).getByRole('link').click()
      await isTitled(page, title)
      await detail(page).locator(`.note-card.note-${tone}`).waitFor()
    }
    await row(page, 'Recovery email not delivered').getByRole('link').click()
    await detail(page).getByRole('link', { name: 'Why was it not sent?' }).waitFor()
    // Without a place there is nothing to say of one.
    expect(await detail(page).getByText('estimate').count()).toBe(0)
    await page.context().close()
  })

  test('shows all, unread, problems or new carts, finds what is searched for, and groups by day', async () => {
    await tell('cart_abandoned', cartOf('Ada Lovelace'), cartOf('Bea Miller'))
    await tell('email_failed', REFUSED)
    await isListed(3)
    const page = await at(await aBrowser('olive'), '/notifications')
    await list(page)
      .getByRole('heading', { level: 2, name: /Today|Yesterday/ })
      .first()
      .waitFor()
    const isShown = (count: number) => expect.poll(() => rows(page).count()).toBe(count)
    const choose = (name: string) => list(page).getByText(name, { exact: true }).first().click()
    await isShown(3)
    await row(page, 'Ada Lovelace').getByRole('link').click()
    await isTitled(page, 'Cart abandoned')
    await choose('Unread')
    await isShown(2)
    await choose('Problems')
    await isShown(1)
    await row(page, 'Recovery email not delivered').waitFor()
    await choose('New carts')
    await isShown(2)
    await page.getByLabel('Search notifications').fill('miller')
    await page.keyboard.press('Enter')
    await isShown(1)
    await row(page, 'Bea Miller').waitFor()
    expect(new URL(page.url()).searchParams.get('search')).toBe('miller')
    await page.getByLabel('Search notifications').fill('nobody')
    await page.keyboard.press('Enter')
    await list(page).getByText('No notifications match your filters.').waitFor()
    await list(page).getByRole('button', { name: 'Show all notifications' }).click()
    await isShown(3)
    await page.context().close()
  })

  test('is gone through with j and k, opened with Enter, and marked with u', async () => {
    await numbered(1, 2, 3)
    await isListed(3)
    const page = await at(await aBrowser('olive'), '/notifications')
    await expect.poll(() => rows(page).count()).toBe(3)
    const presses = async (key: string, text: string) => {
      await page.keyboard.press(key)
      await expect.poll(() => focused(page)).toContain(text)
    }
    await presses('j', 'more than 3 ')
    await presses('j', 'more than 2 ')
    await presses('j', 'more than 1 ')
    await presses('j', 'more than 1 ')
    await presses('k', 'more than 2 ')
    await page.keyboard.press('Enter')
    await detail(page).getByText('more than 2 new contacts').waitFor()
    await expect.poll(async () => (await listed('olive')).map(({ read }) => read)).toEqual([false, true, false])
    await page.keyboard.press('u')
    await row(page, 'more than 2 ').getByText('Unread').waitFor()
    await expect.poll(async () => (await listed('olive')).map(({ read }) => read)).toEqual([false, false, false])
    await page.keyboard.press('u')
    await expect.poll(async () => (await listed('olive')).map(({ read }) => read)).toEqual([false, true, false])
    // Letters that are typed are no commands.
    await page.getByLabel('Search notifications').pressSequentially('juk')
    expect(await page.getByLabel('Search notifications').inputValue()).toBe('juk')
    await page.context().close()
  })

  test('deletes from the detail, with an undo', async () => {
    await numbered(1, 2)
    await isListed(2)
    const page = await at(await aBrowser('olive'), '/notifications')
    await row(page, 'more than 2 ').getByRole('link').click()
    await detail(page).getByRole('button', { name: 'Delete' }).click()
    await expect.poll(() => rows(page).count()).toBe(1)
    await detail(page).getByText('Select a notification to view details').waitFor()
    // With the bell open on it there are two bars; one of them is read out.
    await page
      .getByRole('banner')
      .getByRole('button', { name: /^Notifications/ })
      .click()
    await expect.poll(() => page.locator('.undo-place').count()).toBe(2)
    await expect.poll(() => page.locator('.undo-place[role=status]').count()).toBe(1)
    await page.keyboard.press('Escape')
    await list(page).getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => rows(page).count()).toBe(2)
    expect(await list(page).evaluate((element) => element === document.activeElement)).toBe(true)
    await expect.poll(async () => (await listed('olive')).length).toBe(2)
    await page.context().close()
  })

  test('shows what is new without being asked, on the page it belongs to', async () => {
    await numbered(1)
    await isListed(1)
    const page = await at(await aBrowser('olive'), '/notifications')
    await expect.poll(() => rows(page).count()).toBe(1)
    await numbered(2)
    await expect.poll(async () => (await rows(page).allInnerTexts())[0]).toContain('more than 2 ')
    await ask(tokenOf('olive'), 'DELETE', '/api/notifications', { notificationIds: [(await listed('olive'))[0]!._id] })
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.context().close()
  })

  test('is two steps with Back on a phone, and looks right in every theme', async () => {
    await tell('cart_abandoned', cartOf('Wilhelmina Featherstonehaugh-Cholmondeley'))
    await tell('email_failed', { ...REFUSED, to: 'a-rather-long-name@a-rather-long-domain.shoppers.example' })
    await isListed(2)
    const page = await aBrowser('olive', { viewport: { width: 360, height: 740 } })
    await at(page, '/notifications')
    await expect.poll(() => rows(page).count()).toBe(2)
    expect(await detail(page).count()).toBe(0)
    await checkInEveryTheme(page, 'notifications')
    await page.setViewportSize({ width: 360, height: 740 })
    await row(page, 'Cart abandoned').getByRole('link').click()
    await isTitled(page, 'Cart abandoned')
    expect(await list(page).count()).toBe(0)
    expect(await detail(page).evaluate((element) => element === document.activeElement)).toBe(true)
    await checkInEveryTheme(page, 'notification')
    await page.setViewportSize({ width: 360, height: 740 })
    await detail(page).getByRole('button', { name: 'Back' }).click()
    await expect.poll(() => rows(page).count()).toBe(2)
    await expect.poll(() => focused(page)).toContain('Cart abandoned')
    await page.context().close()
  })
}
