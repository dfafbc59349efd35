import type { Checkout } from '../shopify/model.ts'
import { find, listAll } from '../shopify/records.ts'
import { openShopify } from './shopify.ts'

// A large Shopify shop in a process of its own, so that the memory of its client can be measured apart. Its parent
// sends the number of rows, gets the address, and can then advance the clock, expire tokens and read the queries.

export type LargeShopCommand =
  | { do: 'open'; at: number; orders: number; checkouts: number }
  | { do: 'advance'; ms: number }
  | { do: 'end tokens' }
  | { do: 'leave points'; points: number }
  | { do: 'tell' }

export interface LargeShop {
  url: string
  keys: { clientId: string; clientSecret: string }
}

export interface LargeShopReply {
  throttled: number
  bulkRuns: number
  queries: number
}

const DAY = 86_400_000

async function open({ at, orders, checkouts }: Extract<LargeShopCommand, { do: 'open' }>) {
  let aheadMs = 0
  const counts: LargeShopReply = { throttled: 0, bulkRuns: 0, queries: 0 }
  const store = await openShopify({ now: () => at + aheadMs })
  const { faults } = store
  faults.record = (query, answer) => {
    const errors = (answer.errors ?? []) as { extensions?: { code?: string } }[]
    counts.queries += 1
    counts.bulkRuns += Number(query.includes('mutation BulkRun'))
    counts.throttled += Number(errors.some(({ extensions }) => extensions?.code === 'THROTTLED'))
  }
  const variant = listAll(store.shop.db, 'variant').find(({ stock }) => stock === null)!
  const abandoned = store.controls.beginCheckout([{ variantId: variant.id, quantity: 2 }], { email: 'ada@example.com' })
  const { id: _, ...order } = store.controls.pay(abandoned.id)
  const checkout = find(store.shop.db, 'checkout', abandoned.id)!
  for (let from = 0; from < orders; from += 5_000) {
    const some = Array.from({ length: Math.min(5_000, orders - from) }, (_each, index) => {
      const placed = at - 50 * DAY + (from + index) * 60_000
      const tokens = { checkoutToken: `checkout-${from + index}-token`, cartToken: `cart-${from + index}-token` }
      const email = `buyer-${(from + index) % 30_000}@example.com`
      return { ...order, ...tokens, email, customerId: null, createdAt: placed, updatedAt: placed }
    })
    store.controls.insertOrders(some)
  }
  store.controls.insertCheckouts(
    Array.from({ length: checkouts }, (_each, index): Checkout => {
      const abandonedAt = at - 40 * DAY + index * 60_000
      const of = {
        id: 100 + index,
        token: `left-checkout-${index}`,
        cartToken: `left-cart-${index}`,
        email: `left-${index}@example.com`,
        phone: null,
        customerId: null,
      }
      return { ...checkout, ...of, createdAt: abandonedAt, updatedAt: abandonedAt, completedAt: null, orderId: null }
    }),
  )
  const answer: LargeShop = { url: store.url, keys: store.keys }
  const work = (wish: LargeShopCommand) => {
    if (wish.do === 'advance') aheadMs += wish.ms
    if (wish.do === 'end tokens') store.controls.expireTokens()
    if (wish.do === 'leave points') store.bucket.drain(wish.points)
    return counts
  }
  return { answer, work }
}

let shop: Awaited<ReturnType<typeof open>> | null = null

process.on('message', async (wish: LargeShopCommand) => {
  if (wish.do === 'open') {
    shop = await open(wish)
    process.send!(shop.answer)
  } else process.send!(shop!.work(wish))
})
process.on('disconnect', () => process.exit())
