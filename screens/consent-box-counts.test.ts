import { expect, test } from 'vitest'
import { checkConnection } from '../shared/access/stores.ts'
import { consentBoxCounts, consentBoxes } from '../shared/shoppers/consent-box.ts'
import { readPlugin } from '../shared/workspace/plugin.ts'
import { createScreens } from './app.ts'
import { checkLayout } from './page-checks.ts'

// Settings → Consent → Boxes: how many shoppers tick them.

const app = createScreens()
const card = () => app.page.getByRole('region', { name: 'How many shoppers tick the boxes' })
const rows = () => card().getByRole('row').allInnerTexts()
const open = async (answer: Parameters<typeof app.api.answer<typeof consentBoxCounts>>[1]) => {
  app.api.answer(consentBoxes, { boxes: [], checkoutSeenAt: null })
  app.api.answer(consentBoxCounts, answer)
  await app.open('/settings/consent#boxes')
}

const count = { channel: 'email' as const, place: 'block' as const, language: '' as const }

test('each box shows its shoppers, ticks and share, by place and language', async () => {
  const counts = [
    { ...count, shown: 1_200, ticked: 300, tickedAlone: 0 },
    { ...count, language: 'de' as const, shown: 800, ticked: 100, tickedAlone: 0 },
    { ...count, channel: 'sms' as const, place: 'account' as const, shown: 3, ticked: 1, tickedAlone: 0 },
  ]
  await open({ mode: 'cart_only', counts })
  await expect
    .poll(async () => (await rows()).map((row) => row.replace(/\s+/g, ' ')))
    .toEqual([
      'Box Shoppers Ticked Share',
      'Email Block checkout 2,000 400 20%',
      'Main text 1,200 300 25%',
      'German 800 100 12.5%',
      'SMS My account 3 1 33.3%',
    ])
  await checkLayout(app)
})

test('a store that stores nothing before consent has ticks, no share, and the reason', async () => {
  await open({ mode: 'nothing', counts: [{ ...count, shown: 0, ticked: 0, tickedAlone: 7 }] })
  await expect.poll(async () => (await rows()).at(-1)?.replace(/\s+/g, ' ')).toBe('Email Block checkout – 7 –')
  await card().getByText('only shoppers who agreed are counted').waitFor()
})

test('without figures the card explains how to get them, and recommends updating an older plugin', async () => {
  await open({ mode: null, counts: [] })
  await card().getByText('They appear when shoppers fill in a form that shows a box.').waitFor()
  const times = { connectedAt: new Date(0).toISOString(), calledAt: null, cartAt: null }
  const state = { isAlive: true, isReached: true, isOutdated: false, reason: null, newerVersion: '0.2.0' }
  const older = {
    version: '0.1.0',
    showsLanguages: false,
    ...times,
    ...state,
    test: { isWaiting: false, seenAt: null },
  }
  app.api.alter(checkConnection, (reply) => ({ ...reply, store: { ...reply.store!, mode: 'plugin' as const } }))
  app.api.answer(readPlugin, { plugin: older })
  await app.open('/settings/consent#boxes')
  await card().getByText('Update the plugin to see how many shoppers tick the boxes.').waitFor()
})

test('a failure to load the counts does not hide the boxes', async () => {
  app.api.answer(consentBoxes, { boxes: [], checkoutSeenAt: null })
  app.api.fail(consentBoxCounts, 500)
  await app.open('/settings/consent#boxes')
  await card().getByText('The counts could not be loaded').waitFor()
  await expect.poll(() => app.page.getByText('Consent boxes on your checkout').count()).toBe(1)
})
