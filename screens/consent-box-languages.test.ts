import { expect, test } from 'vitest'
import { me } from '../shared/access/auth.ts'
import { checkConnection } from '../shared/access/stores.ts'
import {
  boxChannels,
  boxHtml,
  consentBoxes,
  getDefaultBoxText,
  getReadyBoxText,
  saveBoxText,
} from '../shared/shoppers/consent-box.ts'
import { readPlugin } from '../shared/workspace/plugin.ts'
import { createScreens } from './app.ts'
import { checkLayout } from './page-checks.ts'

// Settings → Consent → Boxes: a text for each language.

const app = createScreens()
const GERMAN = 'Erinnert mich per E-Mail an meinen Warenkorb.'
type Drafts = { language: 'fr' | 'pl'; words: string }[]
type Languages = { language: 'de' | 'fr'; words: string; isDefault: boolean; html: string }[]

const buildBox = (channel: (typeof boxChannels)[number], languages: Languages = [], drafts: Drafts = []) => {
  const words = getDefaultBoxText(channel, 'Example Shop')
  const seen = { seenAt: null, isCurrent: true }
  return { channel, words, isDefault: true, html: boxHtml(channel, words), ...seen, languages, drafts }
}
const buildBoxes = (languages: Languages = [], drafts: Drafts = []) => ({
  boxes: boxChannels.map((channel) => (channel === 'email' ? buildBox(channel, languages, drafts) : buildBox(channel))),
  checkoutSeenAt: null,
})
const german = { language: 'de' as const, words: GERMAN, isDefault: false, html: boxHtml('email', GERMAN) }
const findCard = () => app.page.getByRole('region', { name: 'Box for Email' })

test('an owner adds a language to a box, and removes it', async () => {
  app.api.answer(consentBoxes, buildBoxes())
  await app.open('/settings/consent#boxes')
  await findCard().getByRole('combobox', { name: 'Add a language' }).click()
  await app.page.getByRole('option', { name: 'German', exact: true }).click()
  await findCard().getByLabel('Text in German').fill(GERMAN)
  app.api.answer(saveBoxText, { box: buildBox('email', [german]) })
  app.api.answer(consentBoxes, buildBoxes([german]))
  await findCard().getByRole('button', { name: 'Save German' }).click()
  await app.page.getByText('German saved.').waitFor()
  await expect.poll(() => findCard().getByLabel('Text in German').inputValue()).toBe(GERMAN)
  await checkLayout(app)
  app.api.answer(saveBoxText, { box: buildBox('email') })
  app.api.answer(consentBoxes, buildBoxes())
  await findCard().getByRole('button', { name: 'Remove German' }).click()
  await expect.poll(() => findCard().getByLabel('Text in German').count()).toBe(0)
  expect(app.api.calls(saveBoxText).map(({ body }) => body)).toEqual([
    { channel: 'email', language: 'de', words: GERMAN },
    { channel: 'email', language: 'de', words: '' },
  ])
})

test('a default text of a language can be changed and removed', async () => {
  app.api.answer(consentBoxes, buildBoxes([{ ...german, isDefault: true }]))
  await app.open('/settings/consent#boxes')
  await findCard().getByLabel('Text in German').fill('Ja, gern.')
  await findCard().getByRole('button', { name: 'Save German' }).waitFor()
  app.api.answer(saveBoxText, { box: buildBox('email') })
  app.api.answer(consentBoxes, buildBoxes())
  await findCard().getByRole('button', { name: 'Remove German' }).click()
  await expect.poll(() => findCard().getByLabel('Text in German').count()).toBe(0)
  expect(app.api.calls(saveBoxText).map(({ body }) => body)).toEqual([{ channel: 'email', language: 'de', words: '' }])
})

test('a shop with the plugin has no HTML to paste', async () => {
  app.api.answer(consentBoxes, buildBoxes([german]))
  app.api.alter(checkConnection, (reply) => ({ ...reply, store: { ...reply.store!, mode: 'plugin' as const } }))
  await app.open('/settings/consent#boxes')
  await app.page.getByText(/^The plugin shows the boxes/).waitFor()
  await expect.poll(() => findCard().getByLabel('Text in German').count()).toBe(1)
  await expect.poll(() => app.page.locator('.snippet').count()).toBe(0)
  await expect.poll(() => app.page.getByRole('button', { name: /^Copy HTML/ }).count()).toBe(0)
})

test('a shop with an older plugin is asked to update it', async () => {
  const times = { connectedAt: new Date(0).toISOString(), calledAt: null, cartAt: null }
  const state = { isAlive: true, isReached: true, isOutdated: false, reason: null, newerVersion: '0.2.0' }
  const test = { isWaiting: false, seenAt: null }
  const older = { version: '0.1.0', showsLanguages: false, ...times, ...state, test }
  app.api.answer(consentBoxes, buildBoxes([german]))
  app.api.alter(checkConnection, (reply) => ({ ...reply, store: { ...reply.store!, mode: 'plugin' as const } }))
  app.api.answer(readPlugin, { plugin: older })
  await app.open('/settings/consent#boxes')
  await findCard()
    .getByText(/^Update the plugin to show these texts/)
    .waitFor()
  app.api.answer(readPlugin, { plugin: { ...older, version: '0.2.0', showsLanguages: true } })
  await app.open('/settings/consent#boxes')
  await findCard()
    .getByText(/^The plugin shows the text in the page’s language/)
    .waitFor()
})

test('a viewer reads the languages and cannot change them', async () => {
  app.api.alter(me, ({ user }) => ({ user: { ...user, role: 'viewer' as const } }))
  app.api.answer(consentBoxes, buildBoxes([german]))
  await app.open('/settings/consent#boxes')
  await expect.poll(() => findCard().getByLabel('Text in German').getAttribute('readonly')).not.toBeNull()
  await expect.poll(() => app.page.getByRole('button', { name: 'Remove German' }).count()).toBe(0)
  await expect.poll(() => app.page.getByRole('combobox', { name: 'Add a language' }).count()).toBe(0)
})

test('an owner reads the draft of a missing language, changes it and approves it', async () => {
  const draft = getReadyBoxText('email', 'Example Shop', 'fr')
  const polish = { language: 'pl' as const, words: getReadyBoxText('email', 'Example Shop', 'pl') }
  app.api.answer(consentBoxes, buildBoxes([], [{ language: 'fr', words: draft }, polish]))
  await app.open('/settings/consent#boxes')
  await findCard()
    .getByText(/^No text in French and Polish/)
    .waitFor()
  await findCard().getByRole('combobox', { name: 'Add a language' }).click()
  await app.page.getByRole('option', { name: 'French (draft)', exact: true }).click()
  await expect.poll(() => findCard().getByLabel('Text in French').inputValue()).toBe(draft)
  await findCard().getByText('Draft', { exact: true }).waitFor()
  await checkLayout(app)
  const french = { language: 'fr' as const, words: draft, isDefault: false, html: boxHtml('email', draft) }
  app.api.answer(saveBoxText, { box: buildBox('email', [french], [polish]) })
  app.api.answer(consentBoxes, buildBoxes([french], [polish]))
  await findCard().getByRole('button', { name: 'Approve French' }).click()
  await app.page.getByText('French saved.').waitFor()
  await findCard().getByRole('button', { name: 'Remove French' }).waitFor()
  await expect.poll(() => findCard().getByText('Draft', { exact: true }).count()).toBe(0)
  expect(app.api.calls(saveBoxText).map(({ body }) => body)).toEqual([
    { channel: 'email', language: 'fr', words: draft },
  ])
})
