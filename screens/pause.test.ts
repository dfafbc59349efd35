import { expect, test } from 'vitest'
import { pauseSending, readSendingPause, resumeSending } from '../shared/delivery/sending.ts'
import { fixture } from './api.ts'
import { createScreens, NOW, PHONE } from './app.ts'

// Pause all sending (decision 136).

const app = createScreens()
const paused = { pausedAt: NOW.toISOString(), pausedBy: 'Demo', waiting: 3, nextExpiresAt: null }
/** The notice, not the toast. */
const findNotice = () => app.page.getByRole('region', { name: 'Notices' }).getByText('All sending is paused')
const findStoreMenu = () => app.page.getByRole('button', { name: /^Store menu/ })
function setPause(pause: typeof paused | null) {
  app.api.answer(readSendingPause, { pause })
  return { pause }
}

test('is pressed by keyboard on any screen, shows a notice, and is undone', async () => {
  app.api.answer(pauseSending, () => setPause(paused))
  app.api.answer(resumeSending, () => setPause(null))
  const page = await app.open('/customers')
  await app.waitUntilSettled()
  await findStoreMenu().press('Enter')
  await page.getByRole('menuitem', { name: 'Pause all sending' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Pause all sending?' })
  await dialog.getByText('until you resume').waitFor()
  expect(app.api.calls(pauseSending)).toEqual([])
  await dialog.getByRole('button', { name: 'Pause all sending' }).click()
  await findNotice().waitFor()
  await expect.poll(() => findStoreMenu().getAttribute('aria-label')).toContain('Sending paused')
  await findStoreMenu().click()
  await page.getByRole('menuitem', { name: /^Resume sending Paused since .* by Demo$/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume sending' }).click()
  await findNotice().waitFor({ state: 'hidden' })
  await expect.poll(() => findStoreMenu().getAttribute('aria-label')).not.toContain('paused')
  await expect.poll(() => [app.api.calls(pauseSending).length, app.api.calls(resumeSending).length]).toEqual([1, 1])
})

test('a pause and its end in another browser are shown without a reload, on a phone too', async () => {
  expect(fixture(readSendingPause)).toEqual({ pause: null })
  const page = await app.open('/dashboard', { viewport: PHONE })
  await expect.poll(app.live.connections).toBe(1)
  setPause(paused)
  app.live.changed('settings')
  await findNotice().waitFor()
  await page.getByRole('button', { name: 'Resume sending' }).waitFor()
  expect(await app.findViolations('section[aria-label=Notices]')).toEqual([])
  setPause(null)
  app.live.changed('settings')
  await findNotice().waitFor({ state: 'hidden' })
})
