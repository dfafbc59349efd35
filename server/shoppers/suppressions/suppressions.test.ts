import { expect, test } from 'vitest'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { hashToken } from '../../core/common/secrets.ts'

const world = createWorld()

const ask = (store: TestStore, method: string, path: string, body?: unknown) =>
  world.request(method, `/api/suppressions${path}`, { token: store.token, body })
const list = async (store: TestStore, query = '') => (await ask(store, 'GET', query)).body
const listAddresses = ({ entries }: { entries: { address: string }[] }) => entries.map(({ address }) => address)

async function insertEntry(
  store: TestStore,
  address: string,
  more: { reason?: string; channel?: string; isErased?: boolean } = {},
) {
  const { reason = 'unsubscribed', channel = 'email', isErased } = more
  await world.pool.query(
    'insert into suppressions (account_id, address_hash, channel, address, reason, source, created_at) values ($1, $2, $3, $4, $5, $6, $7)',
    [
      store.accountId,
      world.deps.secrets.addressHash(address),
      channel,
      isErased ? null : address,
      reason,
      'test',
      world.advance(1_000),
    ],
  )
}

test('a manual entry accepts any spelling, is stored once, and cancels open messages to the address at once (C1, C2)', async () => {
  const store = await createStore(world)
  await recordOrders(world.deps, store.storeId, [buildOrder(world, { email: 'ada@shoppers.example' })], 'sync')
  world.advance(61 * 60_000)
  await world.pool.query(`update carts set status = 'abandoned' where store_id = $1`, [store.storeId])
  const { rows: carts } = await world.pool.query('select id, shopper_id from carts where store_id = $1', [
    store.storeId,
  ])
  await world.pool.query(
    `insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step, channel, state, due_at, expires_at, wake_at, created_at, updated_at)
     values ($1, $2, $3, $4, 'manual', $2, 1, 'email', 'held', $5, $5, $5, $5, $5)`,
    [store.storeId, createId(), carts[0].id, carts[0].shopper_id, world.now],
  )
  expect((await ask(store, 'POST', '', { address: ' ADA@Shoppers.example ', note: 'by letter' })).body).toEqual({
    address: 'ada@shoppers.example',
    added: 1,
  })
  expect((await ask(store, 'POST', '', { address: 'ada@shoppers.example' })).body.added).toBe(0)
  expect((await list(store)).entries).toMatchObject([
    { address: 'ada@shoppers.example', channel: 'email', reason: 'manual', source: 'by hand', note: 'by letter' },
  ])
  const { rows } = await world.pool.query('select state, reason from messages where store_id = $1', [store.storeId])
  expect(new Set(rows.map((row) => `${row.state} ${row.reason}`))).toEqual(new Set(['skipped suppressed_manual']))
  const refused = await ask(store, 'POST', '', { address: 'ada' })
  expect([refused.status, Object.keys(refused.body.fields)]).toEqual([400, ['address']])
})

test('a number can be suppressed for SMS, WhatsApp or both', async () => {
  const store = await createStore(world)
  await ask(store, 'POST', '', { address: '(212) 555-0123' })
  await ask(store, 'POST', '', { address: '212 555 0124', channels: ['sms'] })
  expect(
    (await list(store)).entries.map((entry: { address: string; channel: string }) => [entry.address, entry.channel]),
  ).toEqual(
    expect.arrayContaining([
      ['+12125550123', 'all'],
      ['+12125550124', 'sms'],
    ]),
  )
})

test('only the shopper can remove their own entry, an owner removes the rest, and the removal is recorded (C5)', async () => {
  const store = await createStore(world)
  for (const reason of ['unsubscribed', 'complaint', 'hard_bounce', 'manual', 'invalid', 'erased']) {
    await insertEntry(store, 'ada@shoppers.example', { reason })
  }
  const { entries } = await list(store)
  const statuses: Record<string, number> = {}
  for (const { id, reason } of entries) statuses[reason] = (await ask(store, 'DELETE', `/${id}`)).status
  const [no, yes] = [409, 200]
  expect(statuses).toEqual({ unsubscribed: no, complaint: no, erased: no, hard_bounce: yes, manual: yes, invalid: yes })
  const after = await list(store)
  expect(after.entries.map((entry: { reason: string }) => entry.reason).toSorted()).toEqual([
    'complaint',
    'erased',
    'unsubscribed',
  ])
  expect(after.removed).toHaveLength(3)
  expect(after.removed[0]).toMatchObject({
    address: 'ada@shoppers.example',
    removedBy: expect.stringMatching(/^Owner/),
  })
  expect(
    (await ask(store, 'DELETE', `/${entries.find((entry: { reason: string }) => entry.reason === 'manual').id}`))
      .status,
  ).toBe(404)
})

test('removing an owner’s entry keeps the shopper’s own entry', async () => {
  const store = await createStore(world)
  await recordOrders(world.deps, store.storeId, [buildOrder(world, { email: 'ada@shoppers.example' })], 'sync')
  await ask(store, 'POST', '', { address: 'ada@shoppers.example' })
  await insertEntry(store, 'ada@shoppers.example')
  const { entries } = await list(store, '?reason=manual')
  await ask(store, 'DELETE', `/${entries[0].id}`)
  expect((await list(store)).entries).toMatchObject([{ reason: 'unsubscribed' }])
})

test('a search finds address prefixes, and a full address also where only its hash is stored', async () => {
  const store = await createStore(world)
  await insertEntry(store, 'ada@shoppers.example')
  await insertEntry(store, 'adam@shoppers.example', { reason: 'complaint' })
  await insertEntry(store, 'gone@shoppers.example', { reason: 'erased', channel: 'all', isErased: true })
  await insertEntry(store, '+12125550123', { reason: 'unsubscribed', channel: 'sms' })
  expect(listAddresses(await list(store, '?search=ADA')).toSorted()).toEqual([
    'ada@shoppers.example',
    'adam@shoppers.example',
  ])
  expect(listAddresses(await list(store, '?search=%2B1%20212'))).toEqual(['+12125550123'])
  expect(listAddresses(await list(store, '?search=(212)%20555%200123'))).toEqual(['+12125550123'])
  expect((await list(store, '?search=Gone@shoppers.example')).entries).toMatchObject([
    { address: null, reason: 'erased' },
  ])
  expect((await list(store, '?search=gone')).total).toBe(0)
  expect((await list(store, '?reason=complaint')).total).toBe(1)
  expect(listAddresses(await list(store, '?channel=sms'))).toEqual(['+12125550123'])
})

test('pages have no gaps, even for entries of the same moment', async () => {
  const store = await createStore(world)
  const rows = Array.from({ length: 130 }, (_, n) => ({ line: n + 1, address: `p${n}@shoppers.example` }))
  await ask(store, 'POST', '/import', { rows })
  const ids: string[] = []
  let cursor: string | null = ''
  do {
    const page = await list(store, `?limit=50${cursor ? `&cursor=${cursor}` : ''}`)
    ids.push(...listAddresses(page))
    cursor = page.next
  } while (cursor)
  expect([ids.length, new Set(ids).size]).toEqual([130, 130])
  expect((await ask(store, 'GET', '?cursor=nonsense')).status).toBe(400)
})

test('a file is imported row by row, and a second import changes nothing', async () => {
  const store = await createStore(world)
  const rows = [
    { line: 2, address: 'a@x.example' },
    { line: 3, address: 'nobody' },
    { line: 4, address: 'A@X.example' },
    { line: 5, address: '2125550123', reason: 'opt-out' },
  ]
  const answer = await ask(store, 'POST', '/import', { rows, fileName: 'old.csv', reason: 'hard_bounce' })
  expect(answer.body).toMatchObject({ taken: 2, known: 1, refused: [{ line: 3 }] })
  expect((await ask(store, 'POST', '/import', { rows })).body).toMatchObject({ taken: 1, known: 2 })
  expect(
    (await list(store, '?search=a@x')).entries.map((entry: { reason: string }) => entry.reason).toSorted(),
  ).toEqual(['hard_bounce', 'manual'])
  expect((await list(store, '?search=2125550123')).entries).toMatchObject([
    { reason: 'unsubscribed', source: 'file old.csv' },
  ])
})

test('the exported list opens in a spreadsheet and contains no formula (X3)', async () => {
  const store = await createStore(world)
  await insertEntry(store, 'ada@shoppers.example', { reason: 'complaint' })
  await insertEntry(store, '+12125550123', { channel: 'sms' })
  await insertEntry(store, '=cmd@shoppers.example')
  await insertEntry(store, 'gone@shoppers.example', { reason: 'erased', channel: 'all', isErased: true })
  const { body } = await ask(store, 'GET', '/export')
  const reply = await world.app.inject({ url: body.url })
  expect(reply.headers['content-type']).toContain('text/csv')
  const lines = reply.body.split('\r\n').slice(0, -1)
  expect(lines[0]).toBe('\ufeffAddress,Channel,Reason,Source,Note,Added by,Since,Fingerprint')
  expect(lines).toHaveLength(5)
  expect(lines[1]).toMatch(/^,Everything,Erased person,test,,,/)
  expect(lines[2]).toMatch(/^'=cmd@/)
  expect(lines[3]).toMatch(/^\+12125550123,SMS,Unsubscribed/)
  expect((await world.app.inject({ url: body.url.replace('?', '?reason=complaint') })).statusCode).toBe(404)
  world.advance(121_000)
  expect((await world.app.inject({ url: body.url })).statusCode).toBe(404)
})

test('another account’s list can be neither read nor changed (X2)', async () => {
  const [store, other] = [await createStore(world), await createStore(world)]
  await ask(store, 'POST', '', { address: 'ada@shoppers.example' })
  const { entries } = await list(store)
  expect((await list(other)).total).toBe(0)
  expect((await ask(other, 'DELETE', `/${entries[0].id}`)).status).toBe(404)
  expect((await list(store)).total).toBe(1)
})

test('resubscribing keeps an owner’s entry', async () => {
  const store = await createStore(world)
  await recordOrders(world.deps, store.storeId, [buildOrder(world, { email: 'eve@shoppers.example' })], 'sync')
  const { rows } = await world.pool.query('select id, shopper_id from carts where store_id = $1', [store.storeId])
  const message = createId()
  await world.pool.query(
    `insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step, channel, state, due_at, expires_at, wake_at, created_at, updated_at, to_address, sending_at)
     values ($1, $2, $3, $4, 'manual', $2, 1, 'email', 'sent', $5, $5, $5, $5, $5, 'eve@shoppers.example', $5)`,
    [store.storeId, message, rows[0].id, rows[0].shopper_id, world.now],
  )
  await world.db
    .insertInto('link_tokens')
    .values({
      token_hash: hashToken('a-way-out'),
      store_id: store.storeId,
      message_id: message,
      cart_id: rows[0].id,
      purpose: 'unsubscribe',
      created_at: world.now,
      expires_at: new Date(world.now.getTime() + 86_400_000),
    })
    .execute()
  await ask(store, 'POST', '', { address: 'eve@shoppers.example' })
  expect((await world.request('POST', '/u/a-way-out')).status).toBe(200)
  expect((await list(store)).total).toBe(2)
  expect((await world.request('DELETE', '/api/unsubscribe/a-way-out')).status).toBe(200)
  expect((await list(store)).entries).toMatchObject([{ reason: 'manual' }])
})

test('addresses suppressed for a reply that blames something else are listed with it, for an owner to remove', async () => {
  const store = await createStore(world)
  const other = await createStore(world)
  const answers: Record<string, string> = {
    'policy@shoppers.example': '550 5.7.1 Message rejected due to local policy',
    'spf@shoppers.example': '550 SPF check failed for your sender',
    'full@shoppers.example': '552 5.2.2 mailbox full',
    'gone@shoppers.example': '550 5.1.1 no such user here',
    'silent@shoppers.example': '550 rejected',
    'manual@shoppers.example': '550 5.7.1 policy',
  }
  for (const [email, answer] of Object.entries(answers)) {
    await recordOrders(world.deps, store.storeId, [buildOrder(world, { email })], 'sync')
    const { rows } = await world.pool.query('select id, shopper_id from carts where store_id = $1 and email = $2', [
      store.storeId,
      email,
    ])
    await world.pool.query(
      `insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step, channel, state, to_address, provider_response,
         due_at, expires_at, wake_at, sending_at, created_at, updated_at)
       values ($1, $2, $3, $4, 'manual', $2, 1, 'email', 'failed', $6, $7, $5, $5, $5, $5, $5, $5)`,
      [store.storeId, createId(), rows[0].id, rows[0].shopper_id, world.now, email, answer],
    )
    await insertEntry(store, email, { reason: email.startsWith('manual') ? 'manual' : 'hard_bounce' })
    await insertEntry(other, email, { reason: 'hard_bounce' })
  }
  const doubtful = async (of: TestStore) => (await ask(of, 'GET', '/doubtful')).body.entries
  const listed = await doubtful(store)
  expect(listed.map(({ address, reply }: { address: string; reply: string }) => [address, reply])).toEqual(
    ['full', 'spf', 'policy'].map((name) => [`${name}@shoppers.example`, answers[`${name}@shoppers.example`]]),
  )
  expect(await doubtful(other)).toEqual([])
  expect((await ask(store, 'DELETE', `/${encodeURIComponent(listed[0].id)}`)).status).toBe(200)
  expect(await doubtful(store)).toHaveLength(2)
})
