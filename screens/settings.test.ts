import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { isFocused } from '../e2e/keys.ts'
import { checkConnection, examineStore, saveStoreSettings } from '../shared/access/stores.ts'
import {
  defaultWordings,
  readPreferences,
  readPreferenceWording,
  savePreferences,
  savePreferenceWording,
} from '../shared/delivery/preferences.ts'
import { sendTestMail } from '../shared/delivery/sending.ts'
import { searchLedger } from '../shared/marketing/ledger.ts'
import { consentTable, endConsentOverride, overrideRule } from '../shared/shoppers/consent.ts'
import { addSuppression, listSuppressions, removeSuppression } from '../shared/shoppers/suppressions.ts'
import { eraseDataSubject, exportDataSubject, readDataSubject, readErasure } from '../shared/workspace/privacy.ts'
import { questions } from '../web/screens/settings/FaqTab.tsx'
import { fixture } from './api.ts'
import { createScreens, NOW } from './app.ts'

// Settings: saving, conflicts, the doctor, the FAQ, consent, suppressions and data requests.

const app = createScreens()
const now = NOW.toISOString()
const findField = (name: string) => app.page.getByRole('textbox', { name, exact: true })
const findButton = (name: string | RegExp) => app.page.getByRole('button', { name, exact: true })
const saveBar = () => app.page.getByRole('region', { name: 'Unsaved changes' })
const open = (tab: string) => app.open(`/settings/${tab}`)

describe('a form', () => {
  /** Saves like the server: a stale version is a conflict. */
  function keepSettings() {
    const connection = fixture(checkConnection)
    let store = connection.store!
    const change = (body: z.output<typeof saveStoreSettings.body>) => {
      const { version: _, ...changes } = body
      store = { ...store, ...changes, settingsVersion: store.settingsVersion + 1 } as typeof store
    }
    app.api.answer(checkConnection, () => ({ ...connection, store }))
    app.api.answer(saveStoreSettings, ({ body }) => {
      change(body)
      return { store }
    })
    return { change }
  }

  test('shows an error at its field, asks before discarding changes, and saves with Ctrl+S', async () => {
    keepSettings()
    await open('recovery-rules')
    const cap = findField('Messages per person')
    const problem = app.page.getByText('A whole number from 1 to 20')
    await cap.fill('99')
    await app.page.keyboard.press('Control+s')
    await problem.waitFor()
    await expect.poll(() => cap.getAttribute('aria-invalid')).toBe('true')
    // On a phone the bar covers the page, so the error is scrolled above it.
    await app.page.setViewportSize({ width: 360, height: 640 })
    await app.page.evaluate(() => scrollTo(0, 0))
    await saveBar().getByRole('button', { name: 'Save' }).click()
    const isAbove = async () => {
      const [text, bar] = [await problem.boundingBox(), await saveBar().boundingBox()]
      return text!.y + text!.height < bar!.y
    }
    await expect.poll(isAbove).toBe(true)
    await app.page.setViewportSize({ width: 1280, height: 720 })
    expect(app.api.calls(saveStoreSettings)).toEqual([])
    await cap.fill('4')
    await app.page.getByRole('link', { name: 'Appearance' }).click()
    await app.page.getByRole('dialog').getByText('have not been saved').waitFor()
    await findButton('Cancel').click()
    await app.page.keyboard.press('Control+s')
    await saveBar().waitFor({ state: 'hidden' })
    const { settingsVersion } = fixture(checkConnection).store!
    await expect
      .poll(() => app.api.calls(saveStoreSettings).map(({ body }) => body))
      .toEqual([{ capMessages: 4, version: settingsVersion }])
    await app.page.reload()
    await expect.poll(() => cap.inputValue()).toBe('4')
  })

  test('saved after another member keeps the input, merges the other fields, and shows the conflict', async () => {
    const { change } = keepSettings()
    await open('recovery-rules')
    await findField('Days').fill('9')
    change({ capMessages: 2, attributionWindowDays: 7 })
    const save = { error: 'Somebody else has changed these settings.', code: 'conflict' as const }
    app.api.fail(saveStoreSettings, 409, save)
    await findButton('Save').click()
    await app.page.getByText('“Attribution window” (theirs: 7 days)').waitFor()
    await expect.poll(() => findField('Days').inputValue()).toBe('9')
    await expect.poll(() => findField('Messages per person').inputValue()).toBe('2')
    app.api.answer(saveStoreSettings, ({ body }) => {
      change(body)
      return { store: { ...fixture(checkConnection).store!, capMessages: 2, attributionWindowDays: 9 } }
    })
    await findButton('Save').click()
    await saveBar().waitFor({ state: 'hidden' })
    const { settingsVersion } = fixture(checkConnection).store!
    await expect
      .poll(() => app.api.calls(saveStoreSettings).at(-1)!.body)
      .toEqual({
        attributionWindowDays: 9,
        version: settingsVersion + 1,
      })
  })
})

test('a test mail shows the mail server’s replies step by step', async () => {
  app.api.answer(sendTestMail, {
    isAccepted: true,
    to: 'demo@recoup.example',
    from: 'shop@recoup.example',
    way: 'mailbox',
    steps: [
      {
        id: 'submit',
        title: 'Submit',
        state: 'good',
        finding: 'The mail server accepted the mail.',
        nextStep: null,
        answer: '250 OK',
        record: null,
      },
    ],
  })
  await open('sending/mail-server')
  const card = app.page.getByRole('region', { name: 'Test email' })
  await card.getByRole('button', { name: 'Send test email' }).click()
  const steps = card.getByRole('list', { name: 'Steps of the test email' })
  await steps.getByRole('heading', { name: 'Submit' }).waitFor()
  await expect.poll(() => steps.getByText('250 OK').count()).toBe(1)
  await card.getByText(/not sent to demo@recoup.example,/).waitFor()
})

test('the doctor shows each check, and checks the store again on request', async () => {
  await open('')
  const card = app.page.getByRole('region', { name: 'Connection doctor' })
  const parts = card.getByRole('list', { name: 'Parts of the connection' })
  const { checks } = fixture(examineStore)
  const good = checks.filter(({ state }) => state === 'good')
  await expect.poll(() => parts.getByRole('listitem').count()).toBe(checks.length - good.length)
  for (const { finding, state } of checks) if (state !== 'good') await parts.getByText(finding).waitFor()
  // What works is one line, and its checks come on request.
  const working = card.getByRole('list', { name: 'Parts that work' })
  await card.getByText(`${good.length} checks OK`).waitFor()
  await expect.poll(() => working.count()).toBe(0)
  await card.getByRole('button', { name: 'Show checks' }).click()
  await expect.poll(() => working.getByRole('listitem').count()).toBe(good.length)
  for (const { finding } of good) await working.getByText(finding).waitFor()
  app.api.alter(examineStore, (reply) => ({
    ...reply,
    checks: reply.checks.map((check, index) => ({ ...check, ...(index === 0 && { finding: 'It is slow today.' }) })),
  }))
  await card.getByRole('button', { name: 'Run again' }).click()
  await card.getByText('It is slow today.').waitFor()
  await expect.poll(() => app.api.calls(examineStore).length).toBe(2)
})

test('the FAQ opens one of 15 questions at a time, each with its address, and a search finds it', {
  tags: ['A2.8'],
}, async () => {
  await open('faq#api-keys')
  await app.page.getByText('Press Add key').waitFor()
  const opened = app.page.locator('main button[aria-expanded=true]')
  await expect.poll(() => app.page.locator('main button[aria-expanded]').count()).toBe(15)
  expect(questions.length).toBe(15)
  await findButton('How often is my store’s data synced?').click()
  await app.page.waitForURL('**/settings/faq#sync')
  await app.page.getByText('Press Add key').waitFor({ state: 'hidden' })
  await expect.poll(() => opened.count()).toBe(1)
  await app.page.getByRole('searchbox', { name: 'Search the questions' }).fill('unsubscribe')
  await expect.poll(() => app.page.getByRole('heading', { level: 3 }).count()).toBe(1)
})

describe('consent', () => {
  test('is found in the ledger by a complete address', async () => {
    await open('consent#ledger')
    const search = app.page.getByRole('searchbox', { name: 'Full email address or phone number' })
    await search.waitFor()
    app.api.alter(searchLedger, (reply) => ({
      ...reply,
      next: null,
      entries: reply.entries
        .slice(0, 1)
        .map((entry) => ({ ...entry, who: 'ann@news.example', evidence: ['Given: Footer form'] })),
    }))
    await search.fill('ANN@news.example')
    await search.press('Enter')
    const found = app.page.getByRole('list', { name: 'Consents, newest first' })
    await found.getByText('ann@news.example').waitFor()
    await found.getByText('Given: Footer form').waitFor()
    await expect.poll(() => app.api.calls(searchLedger).at(-1)!.query.address).toBe('ANN@news.example')
  })

  test('has a preference page whose text is previewed while typed, and saved', async () => {
    app.api.answer(savePreferenceWording, ({ body }) => {
      const before = fixture(readPreferenceWording)
      const saved = { ...before, wordings: { ...before.wordings, ...body.wordings }, version: '1' }
      app.api.answer(readPreferenceWording, saved)
      return saved
    })
    await open('consent#preferences')
    await findField('Headline').fill('Post from {store}')
    const { storeName } = fixture(readPreferenceWording)
    await app.page.getByRole('figure').getByText(`Post from ${storeName}`).waitFor()
    await saveBar().getByRole('button', { name: 'Save' }).click()
    await saveBar().waitFor({ state: 'hidden' })
    const { wordings } = app.api.calls(savePreferenceWording)[0]!.body
    expect([wordings.en?.headline, wordings.de?.headline]).toEqual(['Post from {store}', null])
  })

  test('is decided by the shopper by keyboard, in German, and for all channels at once in English', async () => {
    const german = { ...defaultWordings.de, headline: 'Nachrichten von Tea & Co' }
    let view: z.input<typeof readPreferences.reply> = {
      storeName: 'Tea & Co',
      brand: fixture(readPreferenceWording).brand,
      language: 'de',
      browsers: 0,
      keptPath: '/what-is-kept/k',
      wordings: { ...defaultWordings, en: { ...defaultWordings.en, headline: 'Post from Tea & Co' }, de: german },
      channels: [{ channel: 'email', address: 'a…@owners.example', isOn: true, isPending: false, lock: null }],
    }
    app.api.answer(readPreferences, () => view)
    app.api.answer(savePreferences, ({ body }) => {
      view = { ...view, language: body.language, channels: view.channels.map((each) => ({ ...each, isOn: false })) }
      return view
    })
    const page = await app.open(`/preferences?token=${'a'.repeat(43)}`, { as: 'visitor' })
    await page.getByRole('heading', { level: 1, name: 'Nachrichten von Tea & Co' }).waitFor()
    await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe('de')
    await page.getByRole('switch', { name: 'E-Mail' }).press('Space')
    await page.getByLabel('Warum? (freiwillig)').selectOption('too_many')
    await page.getByRole('button', { name: 'Speichern' }).press('Enter')
    await page.getByText('Gespeichert. Deine Auswahl gilt ab sofort.').waitFor()
    await expect
      .poll(() => app.api.calls(savePreferences)[0]!.body)
      .toMatchObject({
        language: 'de',
        channels: { email: false },
        isStopAll: false,
        reason: 'too_many',
      })
    await page.getByRole('button', { name: 'English' }).click()
    await page.getByRole('heading', { level: 1, name: 'Post from Tea & Co' }).waitFor()
    await page.getByRole('button', { name: 'Unsubscribe from everything' }).click()
    await page.getByText('You are unsubscribed from everything and will get no more messages.').waitFor()
    await expect
      .poll(() => app.api.calls(savePreferences).at(-1)!.body)
      .toMatchObject({ language: 'en', isStopAll: true })
  })

  test('has rules found by country, relaxed only on a legal ground, and restored', async () => {
    const legalGround = 'Our numbers are proven by the payment app, see contract 12.'
    app.api.answer(overrideRule, ({ body }) => {
      const override = {
        ...body,
        id: '01a2244e-93f0-74ee-b888-d1bc1c317d01',
        createdAt: now,
        createdBy: 'Demo',
        endedAt: null,
        endedBy: null,
      }
      app.api.alter(consentTable, (table) => ({ ...table, overrides: [override] }))
      app.api.answer(endConsentOverride, () => {
        const ended = { ...override, endedAt: now, endedBy: 'Demo' }
        app.api.alter(consentTable, (table) => ({ ...table, overrides: [ended] }))
        return ended
      })
      return override
    })
    await open('consent#countries')
    await app.page.getByRole('searchbox', { name: 'Find a country' }).fill('austri')
    await app.page.getByRole('heading', { name: 'Austria' }).waitFor()
    await findButton('Change the rule for SMS: Austria').press('Enter')
    const dialog = app.page.getByRole('dialog', { name: 'Change the rule for SMS' })
    const relax = dialog.getByRole('button', { name: 'Change the rule' })
    await dialog.getByLabel('I have checked this').check()
    await dialog.getByLabel('Which law').fill('Because')
    await expect.poll(() => relax.isDisabled()).toBe(true)
    await dialog.getByLabel('Which law').fill(legalGround)
    await relax.click()
    await app.page.getByText('Changed for Austria: Opt-in').waitFor()
    await expect
      .poll(() => app.api.calls(overrideRule)[0]!.body)
      .toEqual({
        channel: 'sms',
        country: 'AT',
        from: 'confirmed_opt_in',
        to: 'opt_in',
        legalGround,
      })
    const entry = app.page.getByRole('listitem').filter({ hasText: 'see contract 12' })
    await expect
      .poll(() => entry.innerText())
      .toMatch(/SMS, Austria[\s\S]*“Opt-in” instead of “Double opt-in”[\s\S]*Demo/)
    await entry.getByRole('button', { name: 'Restore the rule: SMS, Austria' }).click()
    await app.page.getByRole('dialog').getByRole('button', { name: 'Restore rule' }).click()
    await app.page.getByText('None. The rules above apply.').waitFor()
    await expect.poll(() => app.api.calls(endConsentOverride).length).toBe(1)
  })
})

test('an address is added to the suppression list and removed by keyboard, and the list shows the member', async () => {
  const entry = {
    id: 's1',
    address: '+12125550177',
    channel: 'all' as const,
    reason: 'manual' as const,
    source: 'member',
    note: null,
    addedBy: 'Demo',
    since: now,
  }
  const removed = { ...entry, removedBy: 'Demo', removedAt: now }
  const { note: _n, source: _s, addedBy: _a, since: _d, ...removedEntry } = removed
  app.api.answer(addSuppression, ({ body }) => {
    app.api.answer(listSuppressions, { entries: [entry], next: null, total: 1, removed: [] })
    return { address: body.address, added: 1 }
  })
  app.api.answer(removeSuppression, () => {
    app.api.answer(listSuppressions, { entries: [], next: null, total: 0, removed: [removedEntry] })
    return { success: true as const }
  })
  await open('consent#suppressions')
  await findButton('Add').press('Enter')
  const dialog = app.page.getByRole('dialog')
  await expect.poll(() => isFocused(dialog.getByRole('textbox', { name: 'Email or phone number' }))).toBe(true)
  await app.page.keyboard.type('(212) 555-0177')
  await app.page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  await expect.poll(() => app.api.calls(addSuppression)[0]!.body.address).toBe('(212) 555-0177')
  const search = app.page.getByRole('searchbox', { name: 'Search an email or phone number' })
  await search.fill('212 555 0177')
  await search.press('Enter')
  await app.page.getByText('1 entry', { exact: true }).waitFor()
  await expect.poll(() => app.api.calls(listSuppressions).at(-1)!.query.search).toBe('212 555 0177')
  await findButton('Remove +12125550177').press('Enter')
  await dialog.getByRole('button', { name: 'Remove' }).press('Enter')
  const list = app.page.getByRole('region', { name: 'Removed from the list' })
  await list.getByText('+12125550177 (Added by you, Everything) by Demo').waitFor()
  await expect.poll(() => app.api.calls(removeSuppression)[0]!.params.suppressionId).toBe('s1')
})

describe('a shopper', () => {
  const find = async (page: Page, address: string) => {
    await page.getByRole('textbox', { name: 'Email or phone number' }).fill(address)
    await page.getByRole('button', { name: 'Find' }).click()
  }

  test('is found from their cart, exported, and erased after the confirmation is typed', async () => {
    const { person } = fixture(readDataSubject)
    const erasure = {
      id: '01a2244e-93f0-74ee-b888-d1bc1c317d02',
      askedAt: now,
      askedBy: 'Demo',
      finishedAt: null,
      storesTotal: 1,
      storesDone: 0,
      counts: {},
    }
    app.api.answer(eraseDataSubject, { erasure })
    app.api.answer(readErasure, { erasure: { ...erasure, finishedAt: now, storesDone: 1, counts: { carts: 2 } } })
    app.api.answer(exportDataSubject, { url: '/favicon.svg?export', expiresAt: now })
    await app.open('/carts/:cartId')
    await app.page.getByRole('link', { name: 'Export or erase this person' }).click()
    await app.page.getByRole('heading', { name: person.names[0]! }).waitFor()
    app.api.fail(readDataSubject, 404, { error: 'No data about this address.' })
    await find(app.page, 'nobody@shoppers.example')
    await app.page.getByText('No data about this address').waitFor()
    app.api.answer(readDataSubject, { person })
    await find(app.page, person.address)
    await app.page.getByRole('heading', { name: person.names[0]! }).waitFor()
    const download = app.page.waitForEvent('download')
    await findButton('Export tables (zip)').click()
    expect((await download).url()).toBe(`${app.url}/favicon.svg?export`)
    await (await download).cancel()
    await expect.poll(() => app.api.calls(exportDataSubject)[0]!.query.format).toBe('csv')
    await findButton('Erase this person').click()
    await expect.poll(() => findButton('Erase permanently').isDisabled()).toBe(true)
    await findField('Type “erase” to confirm').fill('erase')
    await app.page.keyboard.press('Enter')
    await app.page.getByText('This person is erased').waitFor()
    const call = app.api.calls(eraseDataSubject)[0]!
    expect([call.params.address, call.body.confirmation]).toEqual([person.address, 'erase'])
  })
})
