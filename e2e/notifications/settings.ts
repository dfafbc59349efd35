import { expect, test } from 'vitest'
import { checkInEveryTheme } from '../every-theme.ts'
import { aBrowser, ask, at, expectBadge, instance, isListed, numbered, tokenOf } from './scene.ts'

// What each member chooses (decision 65).

interface Preferences {
  weeklyReport: boolean
  topics: { topic: string; bell: boolean; mail: string }[]
}
const chosenBy = async (member: 'olive' | 'mia', wanted: string) => {
  const { topics } = await ask<Preferences>(tokenOf(member), 'GET', '/api/notifications/preferences')
  return topics.find(({ topic }) => topic === wanted)
}

export function ofTheSettings() {
  test('each member chooses what reaches their bell and what comes by email, for themselves', async () => {
    await numbered(1)
    await isListed(1)
    const page = await at(await aBrowser('olive'), '/settings/account')
    await expectBadge(page, '1')
    await page.getByRole('link', { name: 'Choose notifications' }).click()
    await page.waitForURL('**/settings/account/notifications')
    const inBell = page.getByRole('switch', { name: 'Unusual traffic: in the bell' })
    await inBell.waitFor()
    const before = await chosenBy('mia', 'capture')
    expect(await inBell.isChecked()).toBe(true)
    await inBell.press('Space')
    await page.getByLabel('Unusual traffic: by email').selectOption('daily')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Notification settings saved').waitFor()
    // What does not reach the bell is not counted in it.
    await expectBadge(page, '')
    expect(await chosenBy('olive', 'capture')).toEqual({ topic: 'capture', bell: false, mail: 'daily' })
    expect(await chosenBy('mia', 'capture')).toEqual(before)
    await page.reload()
    await inBell.waitFor()
    expect(await inBell.isChecked()).toBe(false)
    expect(await page.getByLabel('Unusual traffic: by email').inputValue()).toBe('daily')
    await inBell.press('Space')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Notification settings saved').waitFor()
    await expectBadge(page, '1')
    await checkInEveryTheme(page, 'notification-settings')
    await page.context().close()
  })

  test('each member switches the weekly report off and on for themselves (decision 100)', async () => {
    const page = await aBrowser('olive')
    const chosen = async (member: 'olive' | 'mia' = 'olive') =>
      (await ask<Preferences>(tokenOf(member), 'GET', '/api/notifications/preferences')).weeklyReport
    await page.goto(`${instance.url}/settings/account/notifications`)
    const report = page.getByRole('switch', { name: 'Weekly report: by email' })
    await report.waitFor()
    for (const wanted of [false, true]) {
      expect(await report.isChecked()).toBe(!wanted)
      await report.press('Space')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Notification settings saved').first().waitFor()
      await expect.poll(() => chosen()).toBe(wanted)
      // A member who has chosen nothing gets none, whatever the owner chooses.
      expect(await chosen('mia')).toBe(false)
      await page.reload()
      await report.waitFor()
      expect(await report.isChecked()).toBe(wanted)
    }
    await page.context().close()
  })

  test('says why the settings were not saved, and keeps what was chosen', async () => {
    const page = await aBrowser('olive')
    await page.goto(`${instance.url}/settings/account/notifications`)
    await page.getByLabel('Recovered carts: by email').selectOption('at_once')
    await page.route('**/api/notifications/preferences', (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ status: 400, json: { error: 'Not now, please.', code: 'invalid' } })
        : route.continue(),
    )
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('Not now, please.').waitFor()
    expect(await page.getByLabel('Recovered carts: by email').inputValue()).toBe('at_once')
    await page.getByRole('button', { name: 'Discard' }).click()
    expect(await page.getByLabel('Recovered carts: by email').inputValue()).not.toBe('at_once')
    await page.context().close()
  })
}
