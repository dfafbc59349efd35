import { expect, test } from 'vitest'
import { createId } from '../server/core/common/ids.ts'
import { sendDue } from '../server/delivery/send/send-due.ts'
import { beat } from '../server/delivery/send/workers.ts'
import type { Deps } from '../server/deps.ts'
import { plans } from '../shared/billing/billing.ts'
import { completeOrderCheck } from './factories.ts'
import { createShop, type Shop } from './manual-send-scene.ts'
import { isFullRun } from './seed.ts'
import { createWorld } from './world.ts'

// The usage of a month equals the number of sends, even when processes send at once (decision 87).

const world = createWorld()
const CARTS = isFullRun ? 20 : 8
const ROOM = isFullRun ? 25 : 10
/** More than there are connections. */
const WORKERS = isFullRun ? 50 : 16

const { maxEmailsPerMonth: email, maxSmsPerMonth: sms, maxWhatsappPerMonth: whatsapp } = plans.starter.limits

test.each([
  ['email', email],
  ['sms', sms],
  ['whatsapp', whatsapp],
] as const)(
  'many workers and two stores of an account send %s up to the limit, and count each once',
  async (channel, limit) => {
    const first = await createShop(world, CARTS, { plan: 'starter' })
    const second = await createShop(world, CARTS, { accountId: first.accountId })
    const month = `${world.now.toISOString().slice(0, 7)}-01`
    const counter = { account_id: first.accountId, month, channel }
    await world.db
      .insertInto('plan_usage')
      .values({ ...counter, used: limit - ROOM })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'month', 'channel']).doUpdateSet({ used: limit - ROOM }),
      )
      .execute()
    for (const shop of [first, second]) await askForAll({ ...shop, token: first.token }, channel)
    const workers = await Promise.all(Array.from({ length: WORKERS }, createWorker))
    const before = countSent(channel)
    const counts: number[] = []
    let isSending = true
    const looking = (async () => {
      while (isSending) counts.push(await readUsed(first.accountId, channel))
    })()
    await Promise.all(
      workers.map((deps, number) => sendDue(deps, { storeId: number % 2 === 0 ? first.storeId : second.storeId })),
    )
    // Messages that reach the limit at the send are decided again.
    for (let n = 0; n < 3; n++) {
      world.advance(1_000)
      for (const shop of [first, second]) await sendDue(workers[n]!, { storeId: shop.storeId })
    }
    isSending = false
    await looking
    expect(countSent(channel) - before).toBe(ROOM)
    expect(await readUsed(first.accountId, channel)).toBe(limit)
    expect(await countSending([first, second], channel)).toBe(ROOM)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(Math.max(...counts)).toBeLessThanOrEqual(limit)
  },
  60_000,
)

async function askForAll(shop: Shop, channel: 'email' | 'sms' | 'whatsapp') {
  const body = { channel, cartIds: shop.cartIds }
  const reply = await world.request('POST', `/api/carts/send?storeId=${shop.storeId}`, { token: shop.token, body })
  expect(reply.status).toBe(200)
  await completeOrderCheck(world, shop.storeId)
}

async function createWorker(): Promise<Deps> {
  const deps = { ...world.deps, workerId: createId() }
  await beat(deps)
  return deps
}

const countSent = (channel: string) => (channel === 'email' ? world.sent : world.texts).length

async function readUsed(accountId: string, channel: string): Promise<number> {
  const rows = await world.db
    .selectFrom('plan_usage')
    .select(['channel', 'used'])
    .where('account_id', '=', accountId)
    .execute()
  return rows.find((row) => row.channel === channel)!.used
}

async function countSending(shops: Shop[], channel: 'email' | 'sms' | 'whatsapp'): Promise<number> {
  const rows = await world.db
    .selectFrom('messages')
    .select('id')
    .where(
      'store_id',
      'in',
      shops.map(({ storeId }) => storeId),
    )
    .where('channel', '=', channel)
    .where('sending_at', 'is not', null)
    .execute()
  return rows.length
}
