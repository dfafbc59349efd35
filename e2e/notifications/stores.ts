import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { NotificationView } from '../../shared/notification-calls.ts'
import { until } from '../app-instance.ts'
import {
  aBrowser,
  ask,
  at,
  bell,
  expectBadge,
  forgetAll,
  instance,
  isListed,
  numbered,
  storeId,
  tellIn,
  tokenOf,
  withSecondStore,
} from './scene.ts'

// A link in a mail names the store it is about. An account may have several of them.

const NOBODYS = '01999999-0000-7000-8000-00000000000e'

const linkTo = (store: string, notificationId: string) =>
  `/notifications?${new URLSearchParams({ platform: 'woocommerce', storeId: store, notificationId })}`

const detail = (page: Page) => page.getByRole('region', { name: 'Notification', exact: true })

/** What is told to Mia of a store, whichever she works with. */
async function listedIn(store: string): Promise<NotificationView[]> {
  const path = `/api/notifications?limit=100&storeId=${store}`
  return (await ask<{ notifications: NotificationView[] }>(tokenOf('mia'), 'GET', path)).notifications
}

async function currentStore(): Promise<string> {
  const path = '/api/stores/check-connection'
  return (await ask<{ store: { id: string } }>(tokenOf('mia'), 'GET', path)).store.id
}

export function ofTheStores() {
  test('a link of another store of the account switches to it, and shows the notification with that store’s badge', async () => {
    await withSecondStore(async (second) => {
      await forgetAll(second)
      await numbered(1)
      await isListed(1)
      await tellIn(second, 'capture_flood', { ceiling: 7 }, { ceiling: 8 }, { ceiling: 9 })
      await until(async () => (await listedIn(second)).length === 3, 10_000, 50)
      const named = (await listedIn(second)).find(({ message }) => message.includes('more than 8 '))!
      expect(await currentStore()).toBe(storeId)
      const page = await at(await aBrowser('mia'))
      await expectBadge(page, '1')

      await page.goto(instance.url + linkTo(second, named._id))
      await detail(page).getByText('more than 8 new contacts').waitFor()
      // Once it is open, the address names the notification alone.
      await page.waitForURL((url) => !url.searchParams.has('storeId'))
      expect(new URL(page.url()).searchParams.get('notificationId')).toBe(named._id)
      // Of its three, the one that is open is read.
      await expectBadge(page, '2')
      expect(await bell(page).getAttribute('aria-label')).toBe('Notifications, 2 unread')
      await expect.poll(() => page.locator('.note-row').allInnerTexts()).toHaveLength(3)
      expect(await page.getByText('more than 1 new contacts').count()).toBe(0)
      expect(await currentStore()).toBe(second)
      await expect
        .poll(async () => (await listedIn(second)).filter(({ read }) => read).map(({ _id }) => _id))
        .toEqual([named._id])
      // Nothing of the store before was read by that.
      expect((await listedIn(storeId)).map(({ read }) => read)).toEqual([false])

      // A link of a store that is not theirs changes nothing.
      const calls: string[] = []
      page.on('request', (request) => calls.push(new URL(request.url()).pathname))
      await page.goto(instance.url + linkTo(NOBODYS, named._id))
      await page.getByText('This notification cannot be shown').waitFor()
      await page.getByText('It is about a store that is not one of your account’s stores.').waitFor()
      expect(await page.getByText('new contacts').count()).toBe(0)
      expect(await detail(page).count()).toBe(0)
      expect(calls).not.toContain('/api/stores/switch')
      expect(calls.filter((path) => path.startsWith('/api/notifications/by-id/'))).toEqual([])
      expect(await currentStore()).toBe(second)
      await expectBadge(page, '2')
      await page.getByRole('button', { name: 'Show the notifications of this store' }).click()
      await expect.poll(() => page.locator('.note-row').count()).toBe(3)
      await page.context().close()
    })
  })

  test('says why the store could not be switched to, and shows nothing of it', async () => {
    await withSecondStore(async (second) => {
      await until(async () => (await listedIn(second)).length > 0, 10_000, 50)
      const [told] = await listedIn(second)
      const page = await aBrowser('mia')
      await page.route('**/api/stores/switch?*', (route) =>
        route.fulfill({ status: 400, json: { error: 'Not now, please.', code: 'invalid' } }),
      )
      await page.goto(instance.url + linkTo(second, told!._id))
      await page.getByText('Not now, please.').waitFor()
      expect(await detail(page).count()).toBe(0)
      await page.context().close()
    })
  })
}
