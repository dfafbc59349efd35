import { beforeEach, describe, expect, test } from 'vitest'
import { getSourceText } from '../../../shared/marketing/ledger.ts'
import { computeWordingId } from '../../../shared/shoppers/consent-box.ts'
import { buildConsentBox } from '../../../test/consent-boxes.ts'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { transact } from '../../core/db/db.ts'
import { selectPurchaseAddresses } from '../../shoppers/consent/consent-sql.ts'
import { insertAnswer } from '../../shoppers/consent/consents.ts'
import { findCoveredCustomers } from '../../shoppers/consent/covered-customers.ts'
import { selectEvidence } from '../../shoppers/consent/evidence-sql.ts'
import { recordOrders } from '../carts/record.ts'

// Consents reported by a shop's page. The key is public, so any report may be forged (C5).

const world = createWorld()
let store: TestStore
let url: string
let n = 0

beforeEach(async () => {
  url = `https://boxes-${++n}.example.com`
  store = await createStore(world, { url })
})

const ADA = 'ada@shoppers.example.com'
const seqs = new Map<string, number>()

async function send(cart: string, body: object) {
  const token = `${cart}-${n}-`.padEnd(20, 'x')
  const seq = seqs.get(token) ?? 0
  seqs.set(token, seq + 1)
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${store.captureKey}`,
    headers: { origin: url, 'content-type': 'text/plain' },
    payload: JSON.stringify({ cart: token, page: token, seq, ...body }),
  })
  expect([reply.statusCode, reply.body]).toEqual([204, ''])
  world.advance(1_000)
}

const ticks = (cart: string, isGiven = true) =>
  send(cart, { contact: { email: ADA }, consent: { email: buildConsentBox('email', isGiven) } })

const readLedger = () =>
  world.db.selectFrom('consents').selectAll().where('store_id', '=', store.storeId).orderBy('at').execute()

const ask = async (method: 'GET' | 'PUT', path: string, body?: object) =>
  (
    await world.request(method, `${path}${path.includes('?') ? '&' : '?'}storeId=${store.storeId}`, {
      token: store.token,
      ...(body && { body }),
    })
  ).body

test('a ticked box is recorded once, with the store’s text and as unproven, and an unticked one is a withdrawal (C5)', async () => {
  await ticks('ada')
  await ticks('ada')
  expect(await readLedger()).toEqual([
    expect.objectContaining({
      status: 'granted',
      channel: 'email',
      source: 'checkout',
      wording: buildConsentBox('email').wording,
      evidence: { unproven: 'page script', browsers: [expect.any(String)] },
    }),
  ])
  await ticks('ada', false)
  expect((await readLedger()).map((row) => row.status)).toEqual(['granted', 'withdrawn'])
})

test('a tick applies to the contact that an earlier post of the cart just brought (C5)', async () => {
  await send('bea', { items: [{ id: '16', quantity: 1 }], contact: { email: 'bea@shoppers.example.com' } })
  await send('ada', { contact: { email: ADA } })
  await send('ada', { consent: { email: buildConsentBox('email') } })
  expect(await readLedger()).toMatchObject([{ status: 'granted', channel: 'email' }])
  // It does not wait for posts of other carts.
  const pending = await world.db
    .selectFrom('capture_inbox')
    .select('post')
    .where('store_id', '=', store.storeId)
    .execute()
  expect(pending.map(({ post }) => post.contact?.email)).toEqual(['bea@shoppers.example.com'])
})

test.each([
  ['another text', { ...buildConsentBox('email'), wording: 'Sell my address' }],
  ['the text of another box', { ...buildConsentBox('sms') }],
  ['no text id', { isGiven: true, wording: buildConsentBox('email').wording }],
  ['an invented text id', { ...buildConsentBox('email'), id: 'w1' }],
  ['the format of an older script', true],
])('a tick beside %s is no consent (C5)', async (_, email) => {
  await send('ada', { contact: { email: ADA }, consent: { email } })
  expect(await readLedger()).toEqual([])
})

test('whitespace around a box’s text is ignored', async () => {
  const box = buildConsentBox('email')
  await send('ada', {
    contact: { email: ADA },
    consent: { email: { ...box, wording: `  ${box.wording.replace(' ', '\n ')} (optional)` } },
  })
  expect((await readLedger()).map((row) => row.wording)).toEqual([box.wording])
})

test('a page of another shopper’s cart cannot withdraw a consent (C5)', async () => {
  await ticks('ada')
  await ticks('stranger', false)
  await send('nobody', { consent: { email: buildConsentBox('email', false) } })
  expect((await readLedger()).map((row) => row.status)).toEqual(['granted'])
})

test('a page where an address was only typed withdraws nothing for it, even after earlier reports', async () => {
  await ticks('ada')
  await send('mallory', { items: [{ id: '16', quantity: 1 }], contact: { email: ADA } })
  await ticks('mallory', false)
  await ticks('mallory', false)
  await ticks('mallory')
  await ticks('mallory', false)
  await send('mallory', { consent: { email: buildConsentBox('email', false) } })
  expect((await readLedger()).map((row) => row.status)).toEqual(['granted'])
  // The shopper's own browser withdraws its consent.
  await ticks('ada', false)
  expect((await readLedger()).map((row) => row.status)).toEqual(['granted', 'withdrawn'])
})

test('no page withdraws for a shopper known by an order or named by another browser', async () => {
  const known = 'known@shoppers.example.com'
  await recordOrders(world.deps, store.storeId, [buildOrder(world, { email: known, phone: null })], 'sync')
  const no = (cart: string, email: string) =>
    send(cart, { contact: { email }, consent: { email: buildConsentBox('email', false) } })
  await no('mallory', known)
  await no('mallory', known)
  await send('bea', { contact: { email: 'bea@shoppers.example.com' } })
  await no('mallory', 'bea@shoppers.example.com')
  await no('mallory', 'bea@shoppers.example.com')
  expect(await readLedger()).toEqual([])
})

test('a box unticked beside a new address counts when the page repeats it (C5)', async () => {
  await ticks('ada', false)
  expect(await readLedger()).toEqual([])
  await ticks('ada', false)
  expect(await readLedger()).toEqual([expect.objectContaining({ status: 'withdrawn', wording: null })])
})

test('a withdrawal right after the post with the contact applies to it (C5)', async () => {
  await send('ada', { contact: { email: ADA } })
  await ticks('ada', false)
  expect((await readLedger()).map((row) => row.status)).toEqual(['withdrawn'])
})

test('boxes beside a contact above the limits are ignored (X5)', async () => {
  for (let i = 0; i < 20; i++) await send(`cart${i}`, { contact: { email: `p${i}@shoppers.example.com` } })
  await ticks('ada')
  expect(await readLedger()).toEqual([])
})

test('a changed text counts from then on, and the old one no longer', async () => {
  const text = 'Yes, mail me\n about   my cart & more'
  const { box } = await ask('PUT', '/api/consent/boxes', { channel: 'email', words: text })
  expect(box).toMatchObject({ words: 'Yes, mail me about my cart & more', isDefault: false })
  expect(box.html).toBe(
    `<label><input type="checkbox" id="recoup_consent_email" data-recoup-wording="${computeWordingId(text)}"> Yes, mail me about my cart &amp; more</label>`,
  )
  await ticks('ada')
  expect(await readLedger()).toEqual([])
  await send('ada', {
    contact: { email: ADA },
    consent: { email: { isGiven: true, wording: box.words, id: computeWordingId(text) } },
  })
  expect((await readLedger()).map((row) => row.wording)).toEqual(['Yes, mail me about my cart & more'])
  expect((await ask('PUT', '/api/consent/boxes', { channel: 'email', words: '' })).box).toMatchObject({
    isDefault: true,
  })
})

test('a box in another language uses its own text, and none after that is removed', async () => {
  const german = 'Erinnert mich per E-Mail an meinen Warenkorb.'
  const save = (text: string) => ask('PUT', '/api/consent/boxes', { channel: 'email', language: 'de', words: text })
  expect((await save(german)).box).toMatchObject({
    isDefault: true,
    languages: [
      { language: 'de', words: german, isDefault: false, html: expect.stringContaining(computeWordingId(german)) },
    ],
  })
  const tick = (cart: string) =>
    send(cart, {
      contact: { email: ADA },
      consent: { email: { isGiven: true, wording: german, id: computeWordingId(german) } },
    })
  await tick('ada')
  expect((await readLedger()).map((row) => row.wording)).toEqual([german])
  await ticks('grace')
  expect(await readLedger()).toHaveLength(2)
  // The German default text returns.
  expect((await save('')).box.languages).toMatchObject([{ language: 'de', isDefault: true }])
  await tick('later')
  expect(await readLedger()).toHaveLength(2)
  // It can be removed like any other, and an owner's text restores the language.
  for (let n = 0; n < 2; n++) expect((await save('')).box.languages).toEqual([])
  const { boxes } = await ask('GET', '/api/consent/boxes')
  expect(boxes.map(({ languages }: { languages: unknown[] }) => languages.length)).toEqual([0, 1, 1])
  expect((await save(german)).box.languages).toMatchObject([{ words: german, isDefault: false }])
  const own = { channel: 'email', words: 'Yes, mail me.' }
  expect((await save('')).box.languages).toMatchObject([{ isDefault: true }])
  expect((await ask('PUT', '/api/consent/boxes', own)).box.languages).toEqual([])
})

test('a draft text counts only after the owner has approved it by saving it', async () => {
  const readEmailBox = async () => (await ask('GET', '/api/consent/boxes')).boxes[0]
  const box = await readEmailBox()
  expect(box.drafts.map(({ language }: { language: string }) => language)).toEqual(['fr', 'es', 'it', 'nl', 'pt', 'pl'])
  const { words } = box.drafts[0]
  const tick = () =>
    send('ada', {
      contact: { email: ADA },
      consent: { email: { isGiven: true, wording: words, id: computeWordingId(words) } },
    })
  await tick()
  expect(await readLedger()).toEqual([])
  await ask('PUT', '/api/consent/boxes', { channel: 'email', language: 'fr', words })
  await tick()
  expect((await readLedger()).map((row) => row.wording)).toEqual([words])
  const saved = await readEmailBox()
  expect(saved.languages).toContainEqual(expect.objectContaining({ language: 'fr', words, isDefault: false }))
  expect(saved.drafts.map(({ language }: { language: string }) => language)).toEqual(['es', 'it', 'nl', 'pt', 'pl'])
})

test('the settings show when each box was last seen on a checkout and whether it has the current text', async () => {
  const boxes = async () => {
    const body = await ask('GET', '/api/consent/boxes')
    return {
      at: body.checkoutSeenAt,
      of: body.boxes.map((box: { seenAt: string | null; isCurrent: boolean }) => [box.seenAt, box.isCurrent]),
    }
  }
  expect(await boxes()).toEqual({
    at: null,
    of: [
      [null, false],
      [null, false],
      [null, false],
    ],
  })
  const at = world.now.toISOString()
  await send('ada', {
    contact: { email: ADA },
    boxes: { email: buildConsentBox('email').id, sms: 'w1' },
    consent: { email: buildConsentBox('email') },
  })
  expect(await boxes()).toEqual({
    at,
    of: [
      [at, true],
      [at, false],
      [null, false],
    ],
  })
})

test('exports of the ledger mark a page’s consent as unproven', async () => {
  await ticks('ada')
  const { entries } = await ask('GET', '/api/consent/ledger')
  expect(entries[0].evidence).toEqual([expect.stringMatching(/^Not verified: reported by the shop’s page/)])
  const { url: link } = await ask('GET', '/api/consent/ledger/export')
  const file = await world.app.inject({ url: link })
  expect(file.body).toContain('Checkout box, not verified: reported by the tracking script')
})

test('a consent with an order is unproven until the order is a purchase, even with cash on delivery, on screen and in the export', async () => {
  const consents = [{ channel: 'email' as const, wording: 'Yes' }]
  const begun = buildOrder(world, { kind: 'draft', email: ADA, paidAt: null, consents })
  await recordOrders(world.deps, store.storeId, [begun], 'sync')
  await recordOrders(world.deps, store.storeId, [begun], 'webhook')
  const readSources = async () =>
    (await ask('GET', '/api/consent/ledger')).entries.map((each: { source: string; evidence: string[] }) => [
      each.source,
      each.evidence.map((text) => text.split(':')[0]),
    ])
  expect(await readSources()).toEqual([['unpaid order', ['Not verified']]])
  const link = await ask('GET', '/api/consent/ledger/export')
  expect((await world.app.inject({ url: link.url })).body).toContain(getSourceText('unpaid order'))
  world.advance(1_000)
  const paid = { ...begun, kind: 'purchase' as const, modifiedAt: world.now.toISOString() }
  for (const source of ['sync', 'webhook'] as const) await recordOrders(world.deps, store.storeId, [paid], source)
  expect((await readSources()).toSorted()).toEqual([
    ['order', []],
    ['unpaid order', ['Not verified']],
  ])
})

test.each([
  'if_counted',
  'none',
] as const)('an unpaid order whose amount is %s proves no consent (S4)', async (amount) => {
  const consents = [{ channel: 'email' as const, wording: 'Yes' }]
  const rejected = buildOrder(world, { kind: 'purchase', email: ADA, customerId: '12', paidAt: null, amount, consents })
  await recordOrders(world.deps, store.storeId, [rejected], 'sync')
  const sources = async () =>
    (await ask('GET', '/api/consent/ledger')).entries.map(({ source }: { source: string }) => source)
  expect(await sources()).toEqual(['unpaid order'])
  const handle = { storeId: store.storeId, db: world.db }
  const covered = async () =>
    (await findCoveredCustomers(world.deps, handle, [{ customerId: '12', email: ADA, country: 'DE' }])).size
  expect(await covered()).toBe(0)
  expect(await selectPurchaseAddresses(handle, '12', [ADA])).toEqual(new Set())
  world.advance(1_000)
  const at = world.now.toISOString()
  await recordOrders(world.deps, store.storeId, [{ ...rejected, modifiedAt: at, paidAt: at }], 'sync')
  expect((await sources()).toSorted()).toEqual(['order', 'unpaid order'])
  expect(await covered()).toBe(1)
})

describe('an order that is read unpaid and again when paid', () => {
  const consents = [{ channel: 'email' as const, wording: 'Yes' }]
  const hash = (email: string) => world.deps.secrets.addressHash(email)
  const record = (order: ReturnType<typeof buildOrder>) =>
    recordOrders(world.deps, store.storeId, [{ ...order, modifiedAt: world.now.toISOString() }], 'sync')
  const readWord = async (email: string) =>
    (await selectEvidence({ storeId: store.storeId, db: world.db }, [hash(email)], ['email'])).get(
      `email:${hash(email).toString('hex')}`,
    )

  test('has a proven consent, whichever order it is', async () => {
    for (let place = 0; place < 12; place++) {
      const email = `buyer-${place}@shoppers.example.com`
      const begun = buildOrder(world, { kind: 'draft', email, paidAt: null, consents })
      await record(begun)
      world.advance(1_000)
      await record({ ...begun, kind: 'purchase' })
      expect(await readWord(email)).toMatchObject({ source: 'order' })
    }
  })

  test('keeps its time, so that an opt-out in between applies, even if the shop’s clock is ahead', async () => {
    const ahead = new Date(world.now.getTime() + 4 * 60_000).toISOString()
    const begun = buildOrder(world, { kind: 'draft', email: ADA, paidAt: null, createdAt: ahead, consents })
    await record(begun)
    world.advance(2 * 60_000)
    const withdrawal = { channel: 'email', status: 'withdrawn', source: 'preferences', wording: null } as const
    await transact({ storeId: store.storeId, db: world.db }, (tx) =>
      insertAnswer(tx, { ...withdrawal, addressHash: hash(ADA), at: world.now, who: 'a…@shoppers.example.com' }),
    )
    world.advance(3 * 60_000)
    await record({ ...begun, kind: 'purchase' })
    expect(await readWord(ADA)).toMatchObject({ evidence: 'withdrawn' })
  })

  test('records nothing new when it is cancelled', async () => {
    const bought = buildOrder(world, { kind: 'purchase', email: ADA, paidAt: null, consents })
    await record(bought)
    world.advance(1_000)
    await record({ ...bought, kind: 'cancelled' })
    expect((await readLedger()).map(({ source }) => source)).toEqual(['order'])
  })
})

test('a shopper who was not yet asked to confirm an SMS consent is asked once when they tick the box again', async () => {
  const phone = '+12125550177'
  const tick = () => send('ada', { contact: { phone }, consent: { sms: buildConsentBox('sms') } })
  const requests = () =>
    world.db.selectFrom('opt_in_requests').selectAll().where('store_id', '=', store.storeId).execute()
  await world.pool.query(`update stores set sms_confirmation = 'page_script' where id = $1`, [store.storeId])
  await tick()
  expect(await requests()).toMatchObject([{ state: 'waiting', phone }])
  // Migration 0078 leaves a consent that counted before in this state.
  await world.db.deleteFrom('opt_in_requests').where('store_id', '=', store.storeId).execute()
  await tick()
  expect(await requests()).toMatchObject([{ state: 'waiting', phone }])
  await world.db
    .updateTable('opt_in_requests')
    .set({ state: 'dropped', phone: null })
    .where('store_id', '=', store.storeId)
    .execute()
  await tick()
  expect(await requests()).toMatchObject([{ state: 'dropped', phone: null }])
  expect(await readLedger()).toMatchObject([{ status: 'pending', channel: 'sms' }])
})
