import { expect, test } from 'vitest'
import { me } from '../shared/access/auth.ts'
import { type CaptureModeView, chooseCaptureMode, readCaptureMode } from '../shared/shoppers/capture-mode.ts'
import { createScreens, NOW } from './app.ts'
import { checkLayout } from './page-checks.ts'

// Settings → Consent → Before consent.

const app = createScreens()
const GROUND = 'Our lawyer’s letter of May 3, 2026, about carts of shops.'
const buildView = (more: Partial<CaptureModeView> = {}): CaptureModeView => ({
  mode: 'cart_and_contact',
  isChosen: false,
  usual: 'cart_only',
  strictCountries: ['DE', 'FR'],
  choices: [],
  ...more,
})
const findOption = (name: RegExp) => app.page.getByRole('radio', { name })
const save = () => app.page.getByRole('button', { name: 'Save', exact: true })

test('an older store is asked to choose; storing more than the default needs a ground, and the history is shown', async () => {
  app.api.answer(readCaptureMode, buildView())
  await app.open('/settings/consent#capture')
  await app.page.getByText('Please choose').waitFor()
  await app.page.getByText('You sell to Germany, France, where the law requires consent first.').waitFor()
  await expect.poll(() => findOption(/^Cart and contact/).isChecked()).toBe(true)
  await expect.poll(() => save().isDisabled()).toBe(true)
  const ground = app.page.getByLabel('Which law, agreement or advice allows this?')
  await ground.fill(GROUND)
  const choices = [{ mode: 'cart_and_contact' as const, legalGround: GROUND, at: NOW.toISOString(), by: 'Olive Owner' }]
  app.api.answer(chooseCaptureMode, buildView({ isChosen: true, choices }))
  app.api.answer(readCaptureMode, buildView({ isChosen: true, choices }))
  await save().click()
  await app.page.getByText('Saved.').waitFor()
  await expect
    .poll(() => app.api.calls(chooseCaptureMode).map(({ body }) => body))
    .toEqual([{ mode: 'cart_and_contact', legalGround: GROUND }])
  await app.page.getByRole('region', { name: 'Earlier choices' }).getByText(GROUND).waitFor()
  await findOption(/^Only the cart \(recommended\)/).check()
  await expect.poll(() => ground.count()).toBe(0)
  await expect.poll(() => save().isEnabled()).toBe(true)
  await checkLayout(app)
})

test('a viewer reads the setting and cannot change it', async () => {
  app.api.alter(me, ({ user }) => ({ user: { ...user, role: 'viewer' as const } }))
  app.api.answer(readCaptureMode, buildView({ isChosen: true, mode: 'nothing' }))
  await app.open('/settings/consent#capture')
  await expect.poll(() => findOption(/^Nothing/).isChecked()).toBe(true)
  for (const name of [/^Nothing/, /^Only the cart/, /^Cart and contact/])
    await expect.poll(() => findOption(name).isDisabled()).toBe(true)
  await expect.poll(() => save().count()).toBe(0)
})
