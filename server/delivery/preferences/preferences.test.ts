import { expect, test } from 'vitest'
import { waitForBlockedConnections } from '../../../test/locks.ts'
import { createMessageScene, DAY, findLink, HOUR, listStepStates, passTime } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { transact } from '../../core/db/db.ts'
import { insertConsent } from '../../shoppers/consent/consent-sql.ts'
import { lockShoppers } from '../../shoppers/shoppers/sql.ts'

// The shopper's own page (decision 27, C2, C3, C5).

const world = createWorld()
const PHONE = '+12025550143'

async function createReader({ phone = null as string | null } = {}) {
  const scene = await createMessageScene(world)
  await passTime(world, scene.storeId, HOUR)
  const mail = world.sent.at(-1)!
  const token = /\/preferences\?token=([\w-]{43})/.exec(mail.html)![1]!
  if (phone) {
    await world.db.updateTable('shoppers').set({ phone }).where('store_id', '=', scene.storeId).execute()
    await world.db.updateTable('carts').set({ phone }).where('store_id', '=', scene.storeId).execute()
    await say(scene.storeId, phone, 'sms', 'granted')
  }
  const path = `/api/preferences/${token}`
  const save = (body: object) => world.request('POST', path, { body: { language: 'en', ...body } })
  return {
    ...scene,
    sessionToken: scene.token,
    mail,
    token,
    email: mail.to,
    save,
    read: () => world.request('GET', path),
  }
}

const say = (storeId: string, address: string, channel: 'email' | 'sms', status: 'granted' | 'withdrawn') =>
  insertConsent(
    { storeId, db: world.db },
    {
      id: createId(),
      addressHash: world.deps.secrets.addressHash(address),
      channel,
      status,
      source: 'checkout',
      wording: null,
      at: new Date(world.now.getTime() - HOUR),
    },
  )

const ledger = (storeId: string) =>
  world.db
    .selectFrom('consents')
    .select(['channel', 'status', 'source', 'wording', 'who', 'evidence'])
    .where('store_id', '=', storeId)
    .where('source', '=', 'preference page')
    .orderBy('channel')
    .execute()

const suppressed = async (accountId: string) => {
  const rows = await world.db
    .selectFrom('suppressions')
    .select(['channel', 'address'])
    .where('account_id', '=', accountId)
    .orderBy('address')
    .orderBy('channel')
    .execute()
  return rows.map(({ channel, address }) => `${channel} ${address}`)
}

test('every mail links the preference page and the unsubscribe page in both parts', async () => {
  const { mail, token } = await createReader()
  expect(mail.text).toContain(`Email preferences: http://localhost:3000/preferences?token=${token}`)
  expect(mail.headers['List-Unsubscribe']).toMatch(/\/u\/[\w-]{43}>$/)
})

test('viewing shows the masked address and changes nothing, even for scanners (C3)', async () => {
  const { accountId, storeId, email, read } = await createReader()
  for (let n = 0; n < 3; n++) {
    const { status, body, headers } = await read()
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' })
    expect(JSON.stringify(body)).not.toContain(email)
    expect(body).toMatchObject({ storeName: 'Tea & Co', language: 'en', channels: [{ channel: 'email', isOn: true }] })
  }
  expect(await ledger(storeId)).toEqual([])
  expect(await suppressed(accountId)).toEqual([])
})

test.each([
  [
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
  ],
  [undefined, 'List-Unsubscribe=One-Click'],
  ['application/json', '{not json'],
  ['application/xml', '<x/>'],
  ['text/plain', ''],
])('one press unsubscribes with any body: %s', async (type, payload) => {
  const { mail, accountId, email } = await createReader()
  const headers = type === undefined ? {} : { 'content-type': type }
  const reply = await world.app.inject({ method: 'POST', url: findLink(mail.html, '/u/'), headers, payload })
  expect([reply.statusCode, await suppressed(accountId)]).toEqual([200, [`email ${email}`]])
})

test('tokens of another purpose, expired and forged ones get the same reply (X1)', async () => {
  const { mail, token } = await createReader()
  const other = findLink(mail.html, '/u/').slice(3)
  const answers = [await world.request('GET', `/api/preferences/${other}`)]
  answers.push(await world.request('GET', `/api/preferences/${'x'.repeat(43)}`))
  answers.push(await world.request('POST', `/api/preferences/${other}`, { body: { language: 'en', isStopAll: true } }))
  expect((await world.request('POST', `/api/unsubscribe/${token}`)).status).toBe(404)
  expect((await world.request('POST', `/u/${token}`)).status).toBe(404)
  world.advance(30 * DAY)
  answers.push(await world.request('GET', `/api/preferences/${token}`))
  const without = answers.map(({ status, body }) => [status, { ...body, requestId: '' }])
  expect(new Set(without.map((each) => JSON.stringify(each))).size).toBe(1)
  expect(without[0]![0]).toBe(404)
})

test('switching email off closes open messages and is recorded with the shown wording (C2, C5)', async () => {
  const { accountId, storeId, email, save } = await createReader()
  const { body } = await save({ channels: { email: false }, reason: 'too_many', note: ' enough ' })
  expect(body.channels).toEqual([
    { channel: 'email', address: expect.stringMatching(/^.•••@/), isOn: false, isPending: false, lock: null },
  ])
  expect(await ledger(storeId)).toEqual([
    {
      channel: 'email',
      status: 'withdrawn',
      source: 'preference page',
      wording: 'Email: Reminders when you leave something in your cart, and related offers.',
      who: `${email[0]}•••@${email.split('@')[1]}`,
      evidence: { language: 'en', reason: 'too_many', note: 'enough' },
    },
  ])
  expect(await suppressed(accountId)).toEqual([`email ${email}`])
  expect((await listStepStates(world, storeId)).slice(1)).toEqual([
    'skipped(suppressed_unsubscribed)',
    'skipped(suppressed_unsubscribed)',
  ])
})

test('saving twice writes once, and switching on again counts as the shopper’s own action (C5)', async () => {
  const { accountId, storeId, save } = await createReader()
  /** Messages that count as left by. */
  const readOpen = () =>
    world.db
      .selectFrom('messages')
      .select('unsubscribed_at')
      .where('store_id', '=', storeId)
      .where('unsubscribed_at', 'is not', null)
      .execute()
  await save({ channels: { email: false } })
  await save({ channels: { email: false } })
  expect(await ledger(storeId)).toHaveLength(1)
  expect(await readOpen()).toHaveLength(1)
  world.advance(1_000)
  const { body } = await save({ channels: { email: true }, language: 'de' })
  expect(body).toMatchObject({ language: 'de', channels: [{ isOn: true }] })
  expect(await suppressed(accountId)).toEqual([])
  expect(await readOpen()).toEqual([])
  const [, granted] = (await ledger(storeId)).sort((a, b) => (a.status < b.status ? 1 : -1))
  expect(granted).toMatchObject({ status: 'granted', wording: expect.stringMatching(/^E-Mail: Erinnerungen/) })
})

test('a later decision counts as later after the clock was set back (C5, T4)', async () => {
  const { save, read } = await createReader()
  await save({ channels: { email: false } })
  world.advance(-30 * 60_000)
  await save({ channels: { email: true } })
  expect((await read()).body.channels).toMatchObject([{ isOn: true }])
  await save({ channels: { email: false } })
  expect((await read()).body.channels).toMatchObject([{ isOn: false }])
  world.advance(30 * 60_000)
})

test('stopping everything stops mail and phone; switching one on keeps the others off', async () => {
  const { accountId, email, save } = await createReader({ phone: PHONE })
  const stopped = await save({ isStopAll: true })
  expect(stopped.body.channels).toMatchObject([
    { channel: 'email', isOn: false },
    { channel: 'sms', address: '+12•••••43', isOn: false },
  ])
  expect(await suppressed(accountId)).toEqual(expect.arrayContaining([`all ${email}`, `all ${PHONE}`]))
  world.advance(1_000)
  const again = await save({ channels: { sms: true } })
  expect(again.body.channels).toMatchObject([
    { channel: 'email', isOn: false },
    { channel: 'sms', isOn: true },
    { channel: 'whatsapp', isOn: false },
  ])
  const remaining = await suppressed(accountId)
  expect(remaining).toEqual(expect.arrayContaining([`all ${email}`, `whatsapp ${PHONE}`]))
  expect(remaining.filter((row) => row === `sms ${PHONE}` || row === `all ${PHONE}`)).toEqual([])
})

test('a number without its own decision is neither shown nor can be opted in here', async () => {
  const { storeId, read, save } = await createReader()
  await world.db.updateTable('shoppers').set({ phone: PHONE }).where('store_id', '=', storeId).execute()
  expect((await read()).body.channels).toHaveLength(1)
  await save({ channels: { sms: true, whatsapp: true } })
  expect(await ledger(storeId)).toEqual([])
})

test('an SMS opt-in from a mail waits for confirmation where required; an earlier confirmation is restored', async () => {
  const { storeId, save } = await createReader({ phone: '+4915112345678' })
  await world.db.updateTable('shoppers').set({ country: 'DE' }).where('store_id', '=', storeId).execute()
  await save({ channels: { sms: false } })
  world.advance(1_000)
  const { body } = await save({ channels: { sms: true } })
  expect(body.channels[1]).toMatchObject({ channel: 'sms', isOn: true, isPending: true })
  const requests = world.db.selectFrom('opt_in_requests').select('state').where('store_id', '=', storeId)
  expect(await requests.execute()).toEqual([{ state: 'waiting' }])
  await world.db
    .updateTable('consents')
    .set({ status: 'granted', is_confirmed: true })
    .where('status', '=', 'pending')
    .execute()
  world.advance(1_000)
  await save({ channels: { sms: false } })
  world.advance(1_000)
  expect((await save({ channels: { sms: true } })).body.channels[1]).toMatchObject({ isOn: true, isPending: false })
})

test('a decision during the shopper’s erasure is not recorded (C8)', async () => {
  const { storeId, email, save, sessionToken } = await createReader({ phone: '+4915112345679' })
  const erase = { token: sessionToken, body: { confirmation: 'erase' } }
  expect((await world.request('DELETE', `/api/privacy/${encodeURIComponent(email)}`, erase)).status).toBe(202)
  const people = await world.db.selectFrom('shoppers').select('id').where('store_id', '=', storeId).execute()
  let [erasing, saving]: Promise<unknown>[] = []
  await transact({ storeId, db: world.db }, async (tx) => {
    await lockShoppers(
      tx,
      people.map(({ id }) => id),
    )
    erasing = world.runJobs()
    await waitForBlockedConnections(world, 1)
    saving = save({ language: 'de', channels: { email: false, sms: false } })
    await waitForBlockedConnections(world, 2)
  })
  await erasing
  expect(await saving).toMatchObject({ status: 404 })
  expect(await ledger(storeId)).toEqual([])
  const languages = world.db.selectFrom('shoppers').select('language').where('store_id', '=', storeId)
  expect(await languages.execute()).toEqual([{ language: null }])
})

test('the shopper cannot switch on what the shop or a bounce has stopped', async () => {
  const { accountId, storeId, email, save } = await createReader()
  const address_hash = world.deps.secrets.addressHash(email)
  const row = { account_id: accountId, address_hash, channel: 'email' as const, address: email, created_at: world.now }
  await world.db
    .insertInto('suppressions')
    .values({ ...row, reason: 'hard_bounce', source: 'dsn' })
    .execute()
  const { body } = await save({ channels: { email: true } })
  expect(body.channels).toMatchObject([{ isOn: false, lock: 'undeliverable' }])
  expect(await ledger(storeId)).toEqual([])
})

test('the page uses the browser’s language until the shopper chooses one', async () => {
  const { token, save } = await createReader()
  const german = { headers: { 'accept-language': 'de-AT,de;q=0.9' } }
  expect((await world.request('GET', `/api/preferences/${token}`, german)).body.language).toBe('de')
  await save({ language: 'en' })
  expect((await world.request('GET', `/api/preferences/${token}`, german)).body.language).toBe('en')
})

test('the page shows the owner’s texts, empty ones fall back to the built-in, and a concurrent change is refused', async () => {
  const { sessionToken: token, read } = await createReader()
  const nothing = { headline: null, intro: null, email: null, sms: null, whatsapp: null }
  const put = (version: string, headline: string | null) =>
    world.request('PUT', '/api/consent/wording', {
      token,
      body: { wordings: { en: { ...nothing, headline }, de: nothing }, version },
    })
  const saved = await put('none', ' News of {store} ')
  expect([saved.status, (await read()).body.wordings.en.headline]).toEqual([200, 'News of Tea & Co'])
  expect((await read()).body.wordings.de.headline).toBe('Nachrichten von Tea & Co')
  expect(saved.body.brand).toEqual((await read()).body.brand)
  expect((await put('none', 'x')).status).toBe(409)
  world.advance(1_000)
  expect((await put(saved.body.version, '  ')).body.wordings.en.headline).toBe(null)
  expect((await read()).body.wordings.en.headline).toBe('Messages from Tea & Co')
})

test('the pages are in the language of the shop’s pages until the shopper chooses another', async () => {
  const reader = await createReader()
  await world.db
    .updateTable('shoppers')
    .set({ locale: 'pl-PL', locale_source: 'shop' })
    .where('store_id', '=', reader.storeId)
    .execute()
  const unsubscribe = `/api/unsubscribe/${/\/u\/([\w-]{43})/.exec(reader.mail.html)![1]!}`
  expect((await reader.read()).body).toMatchObject({
    language: 'pl',
    wordings: { pl: { headline: expect.stringMatching(/^Wiadomości od /) } },
  })
  expect((await world.request('GET', unsubscribe)).body).toMatchObject({ language: 'pl' })
  expect((await reader.save({ language: 'fr' })).body).toMatchObject({ language: 'fr' })
  expect((await world.request('GET', unsubscribe)).body).toMatchObject({ language: 'fr' })
  await world.db
    .updateTable('shoppers')
    .set({ language: null, locale: 'sv-SE' })
    .where('store_id', '=', reader.storeId)
    .execute()
  expect((await reader.read()).body.language).toBe('en')
})
