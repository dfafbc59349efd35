import { expect, test } from 'vitest'
import { advanceToAbandoned, createMessageScene, HOUR, sendDueMessages } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'

// The shop's brand on the shopper's pages.

const world = createWorld()

const tokenIn = (text: string, before: string) => new RegExp(`${before}([\\w-]{43})`).exec(text)![1]!

test('cart, preference and unsubscribe pages have the design of the mail’s shop', async () => {
  const { storeId } = await createMessageScene(world)
  const look = {
    button: '#b4532a',
    ground: '#fffaf3',
    promise: 'Free returns within 30 days',
    footerWords: 'Since 1912',
  }
  await world.pool.query('insert into brand_kits (store_id, look, updated_at) values ($1, $2, now())', [
    storeId,
    JSON.stringify(look),
  ])
  await advanceToAbandoned(world, storeId, HOUR)
  await sendDueMessages(world, storeId)
  const { text } = world.sent[0]!
  const { footerWords: _, ...expected } = look
  const click = await world.app.inject(`/c/${tokenIn(text, '/c/')}`)
  const pages = [
    `/api/carts/rt_${tokenIn(click.headers.location as string, 'rt_')}`,
    `/api/preferences/${tokenIn(text, 'preferences\\?token=')}`,
    `/api/unsubscribe/${tokenIn(text, '/u/')}`,
  ]
  for (const page of pages) {
    const { body } = await world.request('GET', page)
    const { brand } = body.cart ?? body
    expect(brand).toEqual({
      logo: null,
      text: '#17202b',
      accent: '#1d4ed8',
      fontStack: 'system',
      radius: 8,
      ...expected,
    })
  }
})
