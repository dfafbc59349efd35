import { expect, test } from 'vitest'
import { readOrder } from './wire.ts'

// The origin of an order: parent orders, renewals.

const ORDER = {
  id: 900,
  parent_id: 0,
  status: 'processing',
  currency: 'USD',
  total: '15.00',
  created_via: 'checkout',
  date_created_gmt: '2026-11-01T10:00:00',
  date_modified_gmt: '2026-11-01T10:00:00',
}

function read(more: Record<string, unknown>) {
  const reading = readOrder({ ...ORDER, ...more })
  if (!('row' in reading)) throw new Error(reading.skipped.reason)
  return reading.row
}

test.each([
  ['Dokan', { created_via: 'dokan', parent_id: 899 }, '899'],
  ['MultiVendorX, YITH and others', { created_via: 'any', parent_id: '899' }, '899'],
  ['none', { parent_id: 0 }, undefined],
  ['none at all', { parent_id: undefined }, undefined],
  ['unusable', { parent_id: 'x899' }, undefined],
  [
    'a payment plan, whose later payments are no part of the first',
    { created_via: 'wc_deposits', parent_id: 899 },
    undefined,
  ],
  ['another payment plan', { created_via: 'yith_wcdp_balance_order', parent_id: 899 }, undefined],
])('reads the parent of an order: %s', (_, more, parentId) => {
  expect(read(more).parentId).toBe(parentId)
})

const marked = (key: string, value: unknown) => ({ meta_data: [{ key, value }] })

test.each([
  [{ created_via: 'subscription' }, 'renewal', false],
  [{ created_via: 'subscription', ...marked('_subscription_renewal', '77') }, 'renewal', false],
  [{ created_via: '', ...marked('_subscription_renewal', 77) }, 'renewal', false],
  [{ created_via: 'rest-api', ...marked('is_a_renew', 'yes') }, 'renewal', false],
  [{ created_via: '', ...marked('wps_sfw_renewal_order', 'yes') }, 'renewal', false],
  [{ created_via: '', ...marked('sumo_renewal_order_date', '2026-11-01 10:00:00') }, 'renewal', false],
  [{ created_via: '', ...marked('_subscriptio_renewal', 'yes') }, 'renewal', false],
  [{ created_via: 'wc_deposits' }, 'renewal', false],
  [{ created_via: 'yith_wcdp_balance_order' }, 'renewal', false],
  [marked('_subscription_renewal', '77'), 'renewal', true],
  [{ created_via: 'store-api', ...marked('_subscription_renewal_early', '77') }, 'renewal', true],
  [marked('_subscription_renewal', ''), 'shopper', undefined],
  [marked('is_a_renew', 'no'), 'shopper', undefined],
  [marked('_subscription_switch', '77'), 'shopper', undefined],
  [marked('_subscription_resubscribe', '77'), 'shopper', undefined],
  [{ meta_data: 'none' }, 'shopper', undefined],
  [{ created_via: 'admin' }, 'staff', undefined],
  [{ created_via: 'pos' }, 'pos', undefined],
  [{ created_via: 'woocommerce-pos' }, 'pos', undefined],
])('reads who placed an order: %j', (more, source, isPaid) => {
  const order = read(more)
  expect([order.source, order.isPaidRenewal]).toEqual([source, isPaid])
})
