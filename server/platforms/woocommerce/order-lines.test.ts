import { expect, test } from 'vitest'
import { readItems } from './wire.ts'

const line = (more: Record<string, unknown>) => ({ name: 'Thing', quantity: 1, subtotal_tax: '0.00', ...more })
const usd = { currency: 'USD', hasTax: false }

test.each([
  ['USD', false, '50.00', '9.50', 1, 5_000, 5_950],
  ['USD', true, '50.00', '9.50', 1, 5_950, 5_950],
  ['USD', false, '150.00', '28.50', 3, 5_000, 5_950],
  ['USD', false, '49.99', '4.1242', 3, 1_666, 1_804],
  ['JPY', false, '15800', '1580', 1, 15_800, 17_380],
  ['KRW', true, '30000', '3000', 2, 16_500, 16_500],
  ['KWD', false, '1.250', '0.125', 1, 1_250, 1_375],
  ['USD', false, '20.00', '0.00', 1, 2_000, undefined],
])('reads a price in %s, entered with tax: %s, with and without it', (...values) => {
  const [currency, hasTax, subtotal, tax, quantity, entered, withTax] = values
  const [item] = readItems([line({ product_id: 1, subtotal, subtotal_tax: tax, quantity })], { currency, hasTax })
  expect([item!.unitPriceMinor, item!.displayed?.withTaxMinor]).toEqual([entered, withTax])
})

const kit = (more: Record<string, unknown> = {}) => line({ product_id: 300, name: 'Kit', subtotal: '0.00', ...more })
const kettle = (more: Record<string, unknown> = {}) =>
  line({ product_id: 301, name: 'Kettle', subtotal: '30.00', ...more })
const meta = (...pairs: [string, unknown][]) => ({ meta_data: pairs.map(([key, value]) => ({ key, value })) })

test.each([
  ['Product Bundles, by its line', kit({ id: 1 }), kettle({ id: 2, bundled_by: 1 })],
  ['Product Bundles, by its key', kit(meta(['_bundle_cart_key', 'x'])), kettle(meta(['_bundled_by', 'x']))],
  [
    'Product Bundles, by their order',
    kit({ ...meta(['_bundled_items', ['a']]), bundled_items: [2] }),
    kettle({ ...meta(['_bundled_by', 'x']), bundled_by: 1 }),
  ],
  ['Composite Products', kit({ id: 7 }), kettle({ id: 8, composite_parent: 7 })],
  ['Composite Products, by key', kit(meta(['_composite_cart_key', 'c'])), kettle(meta(['_composite_parent', 'c']))],
  ['Mix and Match', kit(meta(['_mnm_cart_key', 'm'])), kettle(meta(['_mnm_container', 'm']))],
  ['WPC Product Bundles', kit(meta(['_woosb_ids', '301'])), kettle(meta(['_woosb_parent_id', '300']))],
  ['WPC Composite Products', kit(), kettle(meta(['_wooco_parent_id', 300]))],
  ['Chained Products', kit(), kettle(meta(['_chained_product_of', 300]))],
  ['WPC Force Sells', kit(meta(['_woofs_ids', '301/100%/1'])), kettle(meta(['_woofs_parent_id', '300']))],
  ['Easy Product Bundles', kit(meta(['_asnp_wepb_items', '301:1'])), kettle(meta(['_asnp_wepb_parent_id', '300']))],
  [
    'YITH Composite Products',
    kit(meta(['_yith_wcp_component_data', { product_base_price: '0' }])),
    kettle(meta(['_yith_wcp_child_component_data', { yith_wcp_cart_parent_key: 'x' }])),
  ],
])('merges a part into its whole, with the total price of both: %s', (_, whole, part) => {
  const other = line({ product_id: 9, subtotal: '5.00', bundled_by: '', composite_parent: 0 })
  const items = readItems([whole, part, other], usd)
  expect(items.map(({ productId, unitPriceMinor }) => [productId, unitPriceMinor])).toEqual([
    ['300', 3_000],
    ['9', 500],
  ])
})

test('adds a nested part to the outermost whole, with its tax', () => {
  const rows = [
    kit({ id: 1, quantity: 2 }),
    kettle({ id: 2, quantity: 2, bundled_by: 1, subtotal: '60.00', subtotal_tax: '12.00' }),
    line({ id: 3, product_id: 302, quantity: 4, composite_parent: 2, subtotal: '10.00', subtotal_tax: '2.00' }),
  ]
  const displayed = { withTaxMinor: 4_200, withoutTaxMinor: 3_500 }
  expect(readItems(rows, usd)).toMatchObject([{ productId: '300', quantity: 2, unitPriceMinor: 3_500, displayed }])
})

test('keeps the parts of two equal bundles apart', () => {
  const rows = [
    kit({ id: 1 }),
    kettle({ id: 2, bundled_by: 1 }),
    kit({ id: 3 }),
    kettle({ id: 4, bundled_by: 3, subtotal: '9.00' }),
  ]
  expect(readItems(rows, usd).map(({ unitPriceMinor }) => unitPriceMinor)).toEqual([3_000, 900])
})

test('keeps the other lines when a part has no whole, names itself, or forms a cycle', () => {
  expect(readItems([kettle({ id: 2, bundled_by: 1 })], usd)).toMatchObject([{ productId: '301' }])
  expect(readItems([kettle({ id: 2, bundled_by: 2 })], usd)).toMatchObject([{ productId: '301' }])
  const circle = [
    kettle({ id: 1, bundled_by: 2 }),
    kit({ id: 2, bundled_by: 1 }),
    line({ product_id: 9, subtotal: '5.00' }),
  ]
  expect(readItems(circle, usd).map(({ productId }) => productId)).toContain('9')
})

test('reads marks without a number or end', () => {
  const marks = Array.from({ length: 50 }, (): [string, unknown] => ['_bundled_by', { a: 1 }])
  const rows = Array.from({ length: 500 }, (_, at) => kettle({ id: at + 1, bundled_by: at + 2, ...meta(...marks) }))
  expect(readItems(rows, usd).length).toBeGreaterThan(0)
})
