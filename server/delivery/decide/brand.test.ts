import { expect, test } from 'vitest'
import { advanceToAbandoned, createMessageScene, HOUR, sendDueMessages } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'

// The brand of a mail.

const world = createWorld()

const LOGO_HASH = 'ab'.repeat(32)

async function giveKit(storeId: string, look: object): Promise<void> {
  await world.pool.query(
    `insert into brand_logos (store_id, hash, type, width, height, content, created_at) values ($1, $2, 'png', 300, 100, '', now())`,
    [storeId, LOGO_HASH],
  )
  await world.pool.query('insert into brand_kits (store_id, look, logo_hash, updated_at) values ($1, $2, $3, now())', [
    storeId,
    JSON.stringify(look),
    LOGO_HASH,
  ])
}

test('a mail of a flow uses its own store’s brand', async () => {
  const [warm, plain] = [await createMessageScene(world), await createMessageScene(world)]
  await giveKit(warm.storeId, { button: '#b4532a', promise: 'Free returns within 30 days' })
  for (const { storeId } of [warm, plain]) {
    await advanceToAbandoned(world, storeId, HOUR)
    await sendDueMessages(world, storeId)
  }
  const [first, second] = world.sent
  expect(first!.html).toContain(`src="${world.deps.config.publicUrl}/brand/${warm.storeId}/${LOGO_HASH}.png"`)
  expect(first!.html).toContain('background-color:#b4532a')
  expect(first!.text).toContain('Free returns within 30 days')
  expect(second!.html).not.toMatch(/#b4532a|\/brand\/|Free returns/)
})

test('a preview looks like the sent mail and is complete', async () => {
  const scene = await createMessageScene(world, 1)
  await giveKit(scene.storeId, { button: '#b4532a' })
  await advanceToAbandoned(world, scene.storeId, HOUR)
  const cart = await world.db
    .selectFrom('carts')
    .select('id')
    .where('store_id', '=', scene.storeId)
    .executeTakeFirstOrThrow()
  const preview = await world.request('POST', `/api/flows/${scene.flowId}/preview`, {
    token: scene.token,
    body: { step: 1, cartId: cart.id },
  })
  await sendDueMessages(world, scene.storeId)
  const without = (html: string) => html.replaceAll(/https?:\/\/[^"]+\/[cuo]\/[^"]+|token=[\w-]+/g, '')
  expect(without(preview.body.html)).toBe(without(world.sent[0]!.html))
})
