import { groupNotifications } from '../server/access/notifications/group.ts'
import { foldStalePosts } from '../server/carts/capture/capture-intake.ts'
import { recordOrders } from '../server/carts/carts/record.ts'
import { createId } from '../server/core/common/ids.ts'
import type { PlatformOrder } from '../server/platforms/platform/platform.ts'
import { buildConsentBox } from './consent-boxes.ts'
import { buildOrder, createStore, type TestStore } from './factories.ts'
import { findLink, HOUR, markPurchased, passTime } from './message-scene.ts'
import type { World } from './world.ts'

// Test support: a shopper with data in every table that stores data of shoppers.

export const ZEN = {
  email: 'zenobia.quartermain@walk.example',
  phone: '+12125550199',
  firstName: 'Zenobia',
  lastName: 'Quartermain',
  customerId: '4711',
}
/** Texts that must be gone everywhere after her erasure. */
export const TRACES = [
  'zenobia',
  'quartermain',
  '2125550199',
  'z•••',
  '4711 kiln road',
  'tok-of-zen-browser',
  'for zed',
]

export interface ErasureScene extends TestStore {
  order: PlatformOrder
  other: PlatformOrder
}

const ENGRAVING = [{ name: 'Engraving', value: 'For Zed' }]
const addEngraving = (order: PlatformOrder): PlatformOrder => ({
  ...order,
  items: order.items.map((item) => ({ ...item, choices: ENGRAVING })),
})

/** Creates two carts (one bought after a click), messages and replies, besides data of another shopper. */
export async function createShopperEverywhere(world: World): Promise<ErasureScene> {
  const store = await createStore(world)
  const order = addEngraving(buildOrder(world, { ...ZEN, kind: 'draft' }))
  const other = buildOrder(world)
  await recordOrders(world.deps, store.storeId, [order, other], 'sync')
  await captureCart(world, store)
  await passTime(world, store.storeId, 2 * HOUR)
  const mail = world.sent.find(({ to }) => to === ZEN.email)!
  const link = findLink(mail.html, '/c/')
  world.advance(60_000)
  await world.request('GET', link, { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' } })
  world.advance(60_000)
  await recordOrders(world.deps, store.storeId, [markPurchased(world, order)], 'webhook')
  world.advance(HOUR)
  const next = addEngraving(buildOrder(world, { ...ZEN, kind: 'draft' }))
  await recordOrders(world.deps, store.storeId, [next], 'sync')
  await passTime(world, store.storeId, 2 * HOUR)
  await fillTheRest(world, store, mail.messageId)
  return { ...store, order, other }
}

/** Posts as the capture script does. */
async function captureCart(world: World, store: TestStore): Promise<void> {
  world.deps.zones = {
    zoneOf: () => ({ city: 'Quartermain Falls', region: '', country: 'United States', timezone: '' }),
    builtOn: null,
  }
  await postCapture(world, store, {
    cart: 'tok-of-zen-browser-cart-1',
    device: 'tok-of-zen-browser-device',
    page: 'tok-of-zen-browser-p',
    seq: 1,
    items: [{ id: '16', quantity: 1, choices: ENGRAVING }],
    contact: { email: ZEN.email, phone: ZEN.phone, firstName: ZEN.firstName, lastName: ZEN.lastName, country: 'US' },
    consent: { email: buildConsentBox('email') },
  })
}

export async function postCapture(world: World, store: ErasureScene | TestStore, post: object): Promise<void> {
  const { url } = await world.db
    .selectFrom('stores')
    .select('url')
    .where('id', '=', store.storeId)
    .executeTakeFirstOrThrow()
  const reply = await world.request('POST', `/api/capture/${store.captureKey}`, {
    body: JSON.stringify(post),
    headers: { origin: url, 'content-type': 'application/json' },
  })
  if (reply.status >= 300) throw new Error(`not taken: ${reply.status} ${JSON.stringify(reply.body)}`)
  await foldStalePosts(world.deps, 0)
}

/** Inserts one row into each table that the steps above do not reach. */
async function fillTheRest(world: World, store: TestStore, messageId: string): Promise<void> {
  const { db, now, deps } = world
  const [store_id, account_id] = [store.storeId, store.accountId]
  const emailHash = deps.secrets.addressHash(ZEN.email)
  const phoneHash = deps.secrets.addressHash(ZEN.phone)
  const run = (text: string, values: unknown[]) => world.pool.query(text, values)
  const { rows } = await run('select cart_id, shopper_id from messages where id = $1', [messageId])
  const { cart_id } = rows[0]
  await run(
    `insert into customers (store_id, customer_id, email, phone, first_name, last_name, company, seen_at)
     values ($1, $2, $3, $4, $5, $6, '4711 Kiln Road Ltd', $7)`,
    [store_id, ZEN.customerId, ZEN.email, ZEN.phone, ZEN.firstName, ZEN.lastName, now],
  )
  await run(
    `insert into mail_reports (store_id, message_id, kind, source, status, words, at)
     values ($1, $2, 'soft', 'dsn', '4.2.2', '452 <zenobia.quartermain@walk.example> mailbox full', $3)`,
    [store_id, messageId, now],
  )
  await run(
    `insert into manual_messages (store_id, message_id, cart_id, to_address, subject, body, is_immediate, created_at)
     values ($1, $2, $3, $4, 'Hello Zenobia', 'Dear Ms Quartermain', true, $5)`,
    [store_id, messageId, cart_id, ZEN.email, now],
  )
  await run(
    `insert into idempotency_keys (store_id, user_id, key, body_hash, made, answer, created_at, expires_at)
     values ($1, $2, 'key:1', '\\x00', $3, '{"refusal":{"message":"550 zenobia.quartermain@walk.example"}}', $4, $4)`,
    [store_id, store.userId, messageId, now],
  )
  await run(
    `update consents set who = 'z•••@walk.example', evidence = '{"given":"form of Zenobia Quartermain"}' where store_id = $1`,
    [store_id],
  )
  await run(
    `insert into opt_in_requests (store_id, channel, address_hash, phone, state, created_at, due_at)
     values ($1, 'sms', $2, $3, 'waiting', $4, $4)`,
    [store_id, phoneHash, ZEN.phone, now],
  )
  const importId = createId()
  await run(
    `insert into consent_imports (store_id, id, file_name, content, delimiter, columns, row_count, state, uploaded_at)
     values ($1, $2, 'old.csv', 'Email,Name\nZenobia.Quartermain@walk.example,Zenobia', ',', '{Email,Name}', 1, 'uploaded', $3)`,
    [store_id, importId, now],
  )
  await run(
    `insert into consent_import_errors (store_id, import_id, line, address_hash, cells, problem, at)
     values ($1, $2, 2, null, '{" Zenobia.Quartermain@walk.example ",Zenobia}', 'no ground', $3)`,
    [store_id, importId, now],
  )
  for (const [hash, address, reason] of [
    [emailHash, ZEN.email, 'hard_bounce'],
    [phoneHash, ZEN.phone, 'unsubscribed'],
  ]) {
    await run(
      `insert into suppressions (account_id, address_hash, channel, address, reason, source, created_at, note)
       values ($1, $2, 'sms', $3, $4, 'test', $5, 'Ms Quartermain rang')`,
      [account_id, hash, address, reason, now],
    )
  }
  await run(
    `insert into suppression_removals (account_id, id, address_hash, address, channel, reason, source, created_at, removed_at)
     values ($1, $2, $3, $4, 'email', 'manual', 'by hand', $5, $5)`,
    [account_id, createId(), emailHash, ZEN.email, now],
  )
  await run(
    `insert into inbound_messages (account_id, channel, event_key, address_hash, keyword, at, reply_to, received_at)
     values ($1, 'sms', 'e1', $2, 'stop', $3, $4, $3)`,
    [account_id, phoneHash, now, ZEN.phone],
  )
  await run(
    `insert into text_windows (account_id, channel, address_hash, inbound_at) values ($1, 'whatsapp', $2, $3)`,
    [account_id, phoneHash, now],
  )
  await run(`insert into operator_text_contacts (account_id, address_hash, last_at) values ($1, $2, $3)`, [
    account_id,
    phoneHash,
    now,
  ])
  // One notification, and one that is still pending.
  await groupNotifications(world.deps)
  await run(
    `insert into pending_notifications (store_id, id, type, data, created_at)
     select store_id, gen_random_uuid(), type, data, created_at from notifications
     where store_id = $1 and lower(data ->> 'customer') like '%quartermain%' limit 1`,
    [store_id],
  )
  await db
    .insertInto('capture_inbox')
    .values({
      store_id,
      id: createId(),
      received_at: now,
      post: JSON.stringify({
        cart: 'tok-of-zen-browser-cart-1',
        page: 'p',
        seq: 9,
        contact: { email: 'ZENOBIA.Quartermain@walk.example' },
      }) as never,
    })
    .execute()
}

/** Lists every place that holds one of the traces, as `table.column: trace`. Skips hashes. */
export async function findTraces(world: World, traces: readonly string[] = TRACES): Promise<string[]> {
  const { rows: columns } = await world.pool.query<{ table_name: string; column_name: string; data_type: string }>(
    `select c.table_name, c.column_name, c.data_type from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
       and c.data_type in ('text', 'character varying', 'character', 'jsonb', 'json', 'bytea', 'ARRAY') order by 1, 2`,
  )
  const found: string[] = []
  for (const { table_name, column_name, data_type } of columns) {
    const text = data_type === 'bytea' ? `encode("${column_name}", 'escape')` : `"${column_name}"::text`
    for (const trace of traces) {
      const { rows } = await world.pool.query(
        `select count(*)::int as n from "${table_name}" where lower(${text}) like $1`,
        [`%${trace}%`],
      )
      if (rows[0].n > 0) found.push(`${table_name}.${column_name}: ${trace}`)
    }
  }
  return found
}
