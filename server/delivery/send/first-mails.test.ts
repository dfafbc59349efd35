import { beforeEach, expect, test } from 'vitest'
import { completeOrderCheck } from '../../../test/factories.ts'
import { advanceToAbandoned, sendDueMessages } from '../../../test/message-scene.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, type Shop } from '../../../test/shop.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'

// The limit of first mails of a new account to people without an order. Local mode has no limit.

const world = createWorld({
  HOST: '0.0.0.0',
  PUBLIC_URL: 'https://recoup.example',
  SMTP_URL: 'smtp://mail.example:587',
})
beforeEach(() => {
  world.answer = acceptMail
  world.sent.length = 0
})

let shops = 0
const buildNewShop = (more: { accountId?: string } = {}) =>
  createShop(world, { url: `https://new-${++shops}.example.com`, plan: 'growth', ...more })

/** On its first day an account may write to fifty. */
const isNew = ({ accountId }: Shop) =>
  world.db.updateTable('accounts').set({ created_at: world.now }).where('id', '=', accountId).execute()

let people = 0
async function abandonCarts(shop: Shop, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const name = `stranger${++people}`
    await shop.fill(name, [buildTea()])
    await shop.type(name, { email: `${name}@shoppers.example.com` })
  }
}

async function states(shop: Shop) {
  const all = (await shop.messages()).filter(({ step }) => step === 1)
  const count = (of: string) => all.filter(({ state, reason }) => `${state} ${reason}`.startsWith(of)).length
  return { sent: count('sent'), held: count('held new_account') }
}

test('later reminders do not count as first mails', async () => {
  const shop = await buildNewShop()
  await abandonCarts(shop, 50)
  await isNew(shop)
  await shop.passTime(61 * MINUTE)
  expect(await states(shop)).toEqual({ sent: 50, held: 0 })
  await shop.passTime(23 * HOUR)
  await abandonCarts(shop, 45)
  await isNew(shop)
  await shop.passTime(61 * MINUTE)
  // Their second reminders are a day and more after the first.
  const second = (await shop.messages()).filter(({ step, state }) => step === 2 && state === 'sent')
  expect([second.length, await states(shop)]).toEqual([50, { sent: 95, held: 0 }])
})

test('stores of an account that send at once share its limit of first mails', async () => {
  const first = await buildNewShop()
  const second = await buildNewShop({ accountId: first.accountId })
  for (const shop of [first, second]) await abandonCarts(shop, 30)
  await advanceToAbandoned(world, first.storeId, 61 * MINUTE)
  for (const { storeId } of [first, second]) await completeOrderCheck(world, storeId)
  await isNew(first)
  await Promise.all([first, second].map(({ storeId }) => sendDueMessages(world, storeId)))
  expect(world.sent).toHaveLength(50)
  await first.passTime(MINUTE)
  await second.passTime(MINUTE)
  const [a, b] = [await states(first), await states(second)]
  expect([a.sent + b.sent, a.held + b.held]).toEqual([50, 10])
})

test('a deferred mail frees its place in the limit until the retry', async () => {
  const shop = await buildNewShop()
  await abandonCarts(shop, 51)
  await isNew(shop)
  let isFirst = true
  world.answer = (mail) => {
    const isPutOff = isFirst
    isFirst = false
    return isPutOff ? { kind: 'retry', reason: 'smtp_450', response: '450', retryAfterMs: DAY / 2 } : acceptMail(mail)
  }
  await shop.passTime(61 * MINUTE)
  await shop.passTime(16 * MINUTE)
  expect(await states(shop)).toEqual({ sent: 50, held: 0 })
})
