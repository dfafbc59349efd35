import { expect, test } from 'vitest'
import { dataKinds, keptLanguages, retentionTexts } from '../../../shared/workspace/kept.ts'
import { documentNames } from '../../../shared/workspace/privacy-documents.ts'
import { createColleague, createStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { listStoredKinds } from './retention-page.ts'

const world = createWorld({ COMPANY_NAME: 'Host & Co', SMTP_URL: 'smtp://u:secret-word@mail.relay.example:587' })

test('“What we keep” has a text for every table in each language, and no others', () => {
  expect(listStoredKinds()).toEqual([...dataKinds])
  for (const language of keptLanguages) expect(Object.keys(retentionTexts[language])).toEqual([...dataKinds])
})

test("a store's page uses the shopper's language, shows the retention days and escapes names", async () => {
  const { storeId, captureKey } = await createStore(world)
  const set = { sender_name: '<script>x</script>', retention_days: 90 }
  await world.db.updateTable('stores').set(set).where('id', '=', storeId).execute()
  const page = (query = '', headers = {}) =>
    world.app.inject({ method: 'GET', url: `/what-is-kept/${captureKey}${query}`, headers })
  const english = await page()
  expect([english.statusCode, english.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(english.headers['content-security-policy']).toContain("script-src 'self'")
  expect(english.body).toContain('<html lang="en">')
  expect(english.body).toContain('90 days')
  expect(english.body).not.toContain('<script')
  expect((await page('', { 'accept-language': 'de-AT,en;q=0.5' })).body).toContain('Was wir über Sie speichern')
  expect((await page('?lang=de')).body).toContain('90 Tage')
  for (const query of ['?lang=fr', '?lang[]=de', '?lang=']) expect((await page(query)).body).toContain('lang="en"')
  await world.db.updateTable('stores').set({ retention_days: null }).where('id', '=', storeId).execute()
  expect((await page()).body).toContain('until you ask us')
  for (const key of ['nobody', '..%2f..', 'x'.repeat(2_000), '%00'])
    expect((await world.app.inject({ method: 'GET', url: `/what-is-kept/${key}` })).statusCode).toBeGreaterThan(399)
  await world.db.updateTable('stores').set({ is_active: false }).where('id', '=', storeId).execute()
  expect((await page()).statusCode).toBe(404)
})

test('documents contain the settings, but no secrets and no markup from names', async () => {
  const store = await createStore(world)
  await world.db
    .updateTable('stores')
    .set({ sender_name: 'Tea | Co\n# <b>x</b>' })
    .where('id', '=', store.storeId)
    .execute()
  for (const name of documentNames) {
    const { status, body } = await world.request('GET', `/api/privacy-documents/${name}`, { token: store.token })
    expect([status, body.fileName]).toEqual([200, `${name}-2026-03-02.md`])
    expect(body.content).toContain('Host & Co')
    expect(body.content).toContain('mail.relay.example')
    expect(body.content).not.toMatch(/secret-word|undefined|null|\n# \\?<b>|<b>/)
    if (name !== 'sub-processors') expect(body.content).toContain('1 Main Street')
    const viewer = await createColleague(world, store, 'viewer')
    expect((await world.request('GET', `/api/privacy-documents/${name}`, { token: viewer.token })).status).toBe(403)
  }
  expect((await world.request('GET', '/api/privacy-documents/contract', { token: store.token })).status).toBe(404)
  const { body } = await world.request('GET', '/api/privacy-documents/sub-processors', { token: store.token })
  expect(body.content).not.toMatch(/Stripe|Meta|Twilio/)
})
