import { expect, test } from 'vitest'
import { copyRows, createDatabaseFactory } from '../../../test/databases.ts'
import { buildOrder, createStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import type { PlatformOrder } from '../../platforms/platform/platform.ts'
import { openDb } from '../db/db.ts'
import { loadMigrations } from './files.ts'
import { migrate } from './migrate.ts'

// Migrates a database from before 0079 with orders in custom statuses (S4).

const world = createWorld()
const databases = createDatabaseFactory()

const CONSENTS = (['email', 'sms'] as const).map((channel) => ({ channel, wording: 'Yes' }))

/** As the earlier version read it: every custom status counted as a purchase. */
function buildUnpaid(orderId: string, status: string, more: Partial<PlatformOrder> = {}): PlatformOrder {
  const contact = { email: `buyer${orderId}@shoppers.example.com`, phone: `+121255501${orderId}`, consents: CONSENTS }
  const purchase = { kind: 'purchase', paidAt: null, totalMinor: 5_000 } as const
  return buildOrder(world, { ...contact, ...purchase, orderId, status, ...more })
}

const PROVEN = [
  'processing',
  'on-hold',
  'completed',
  'refunded',
  'shipped',
  '自取',
  'returned',
  'refund-request',
  // These may have been paid.
  'quote-paid',
  'quote-accepted',
  'pickup-requested',
  'cancel-request',
  'rejected',
  'storniert',
  'delivery-failed',
  'fraud-check',
  'expired',
]
const UNPROVEN = ['quote-request', 'ywraq-new', 'ywraq-rejected', 'awaiting-payment', 'unpaid', 'not-paid', 'unbezahlt']

test('only quotes and unpaid orders become unproven, and amounts stay until the shop changes the order', async () => {
  const [shop, asking, shopify] = [await createStore(world), await createStore(world), await createStore(world)]
  await world.pool.query(`update stores set platform = 'shopify' where id = $1`, [shopify.storeId])
  await world.pool.query(`update stores set sms_confirmation = 'page_script' where id = $1`, [asking.storeId])
  const orders = [...PROVEN, ...UNPROVEN].map((status, index) => buildUnpaid(String(10 + index), status))
  const pending = buildUnpaid('50', 'pending', { kind: 'pending' })
  await recordOrders(world.deps, shop.storeId, [...orders, pending], 'sync')
  const request = buildUnpaid('60', 'quote-request')
  await recordOrders(world.deps, asking.storeId, [request], 'sync')
  await recordOrders(world.deps, shopify.storeId, [buildUnpaid('70', 'quote-request')], 'sync')

  const all = await loadMigrations()
  const old = databases.open(await databases.create(), 8)
  await migrate(old, { migrations: all.filter(({ number }) => number < 79) })
  await copyRows(world.pool, old)
  const read = async (columns: string) =>
    (await old.query(`select order_id, ${columns} from orders order by order_id`)).rows
  const unprovenIds = [...orders.slice(PROVEN.length).map(({ orderId }) => orderId), '60']
  const [amounts, places] = [await read('net_minor'), await read('ctid')]
  const consents = async (storeId: string, orderId: string) => {
    const hashes = [`buyer${orderId}@shoppers.example.com`, `+121255501${orderId}`].map(world.deps.secrets.addressHash)
    const { rows } = await old.query(
      `select channel, status, source, evidence ->> 'unproven' as unproven from consents
       where store_id = $1 and address_hash = any($2) order by channel, source`,
      [storeId, hashes],
    )
    return rows
  }
  const buildInput = (status: string, channel: string, mark: string | null = null) => ({
    channel,
    status,
    source: mark ?? 'order',
    unproven: mark,
  })

  await migrate(old, { migrations: all })
  expect((await read('is_unproven')).filter((row) => row.is_unproven).map((row) => row.order_id)).toEqual(unprovenIds)
  expect(await read('net_minor')).toEqual(amounts)
  // The other orders were not written again.
  const isOther = ({ order_id }: { order_id: string }) => !unprovenIds.includes(order_id)
  expect((await read('ctid')).filter(isOther)).toEqual(places.filter(isOther))
  const [{ orderId: shipped }] = orders.filter(({ status }) => status === 'shipped') as [PlatformOrder]
  const [{ orderId: quote }] = orders.filter(({ status }) => status === 'quote-request') as [PlatformOrder]
  expect(await consents(shop.storeId, shipped)).toEqual([buildInput('granted', 'email'), buildInput('granted', 'sms')])
  const unpaid = [buildInput('granted', 'email', 'unpaid order'), buildInput('granted', 'sms', 'unpaid order')]
  expect(await consents(shop.storeId, quote)).toEqual(unpaid)
  expect(await consents(asking.storeId, '60')).toEqual([unpaid[0], buildInput('pending', 'sms', 'unpaid order')])

  // Later changes by the shop follow the new rule.
  world.advance(60_000)
  const deps = { ...world.deps, db: openDb(old) }
  const at = world.now.toISOString()
  const change = (order: PlatformOrder, status: string, paidAt: string | null = null) => {
    const amount = paidAt ? {} : ({ amount: 'if_counted' } as const)
    return { ...order, kind: 'purchase', status, modifiedAt: at, paidAt, ...amount } as const
  }
  const byStatus = (status: string) => orders.find((order) => order.status === status)!
  const changed = [
    change(byStatus('shipped'), 'delivered'),
    change(byStatus('quote-request'), 'quote-sent'),
    change(byStatus('ywraq-new'), 'ywraq-accepted', at),
    change(pending, 'quote-request'),
  ]
  await recordOrders(deps, shop.storeId, changed, 'sync')
  const after = new Map((await read('net_minor, is_unproven')).map(({ order_id, ...row }) => [order_id, row]))
  expect(changed.map(({ orderId }) => after.get(orderId))).toEqual([
    { net_minor: 5_000, is_unproven: false },
    { net_minor: 0, is_unproven: true },
    { net_minor: 5_000, is_unproven: false },
    { net_minor: 0, is_unproven: true },
  ])
  const accepted = byStatus('ywraq-new').orderId
  expect((await consents(shop.storeId, accepted)).map(({ source }) => source)).toContain('order')
})
