import { beforeEach, expect, test } from 'vitest'
import { MailDocumentSchema } from '../../../shared/messages/mail-document.ts'
import { createMessageScene, HOUR, passTime } from '../../../test/message-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { buildTemplateSource } from './composing.ts'
import type { ClaimedRow } from './evaluate-sql.ts'

// Documents of due messages, and the products that they show.

const world = createWorld()

beforeEach(() => {
  world.answer = acceptMail
  world.sent.length = 0
})

const design = MailDocumentSchema.parse({
  version: 1,
  theme: 'warm',
  subject: [{ kind: 'text', text: 'New in our shop' }],
  preview: [],
  bands: [
    {
      id: 'band0001',
      blocks: [
        { id: 'block001', type: 'text', inlines: [{ kind: 'text', text: 'Have you seen these?' }] },
        ...['p1', 'p2', 'p3', 'p4'].map((productId) => ({ id: `block${productId}`, type: 'product', productId })),
      ],
    },
  ],
  footer: {},
})

test('a due mail has its design, with the available products at their prices', async () => {
  const { storeId } = await createMessageScene(world)
  const other = await createMessageScene(world, 0)
  const { url } = await world.db.selectFrom('stores').select('url').where('id', '=', storeId).executeTakeFirstOrThrow()
  const product = (product_id: string, changes: object = {}) => ({
    store_id: storeId,
    product_id,
    variation_id: '',
    name: `Product ${product_id}`,
    sku: null,
    price_minor: 1_950,
    currency: 'USD',
    image_url: null,
    permalink: `${url}/${product_id}`,
    is_available: true,
    stock_quantity: null,
    modified_at: world.now,
    seen_at: world.now,
    ...changes,
  })
  await world.db
    .insertInto('products')
    .values([
      product('p1'),
      product('p1', { variation_id: '7', name: 'Variation', price_minor: 1 }),
      product('p2', { is_available: false }),
      product('p3', { permalink: null }),
      product('p4', { store_id: other.storeId }),
    ])
    .execute()
  await world.db.updateTable('templates').set({ design, version: 9 }).where('store_id', '=', storeId).execute()
  await passTime(world, storeId, HOUR)
  expect(world.sent.map(({ subject }) => subject)).toEqual(['New in our shop'])
  const { text, html } = world.sent[0]!
  expect(text).toMatch(/^Have you seen these\?\n\n- Product p1: \$19\.50\nView: \S+\n\n--\n/)
  expect(html).not.toMatch(/Product p[234]|Variation/)
})

test.each<[string, number, Partial<ClaimedRow>]>([
  ['an email whose documents were not loaded', 0, {}],
  ['an email of a text', 9, { template_design: null }],
  ['an email of a design', 9, { template_design: design }],
  ['an SMS', 9, { channel: 'sms' }],
])('%s has version %i for the caches', (_name, version, changes) => {
  const row = { channel: 'email', manual: null, template_id: 't', template_version: 9, ...changes } as ClaimedRow
  expect(buildTemplateSource(row)).toMatchObject({ version, design: changes.template_design ?? null })
})
