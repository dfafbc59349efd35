import { expect, test } from 'vitest'
import { addCredits, payWithCredits } from '../server/billing/credits/credits.ts'
import { createId } from '../server/core/common/ids.ts'
import { transactAccount } from '../server/core/db/db.ts'
import { sendDue } from '../server/delivery/send/send-due.ts'
import { beat } from '../server/delivery/send/workers.ts'
import type { Deps } from '../server/deps.ts'
import { plans } from '../shared/billing/billing.ts'
import { completeOrderCheck } from './factories.ts'
import { createShop, type Shop } from './manual-send-scene.ts'
import { createWorld } from './world.ts'

// Credits pay for messages beyond the plan, and never for more than was bought, even when processes send at once
// (decision 85).

const world = createWorld()
const CARTS = 20
const PLAN_ROOM = 5
/** The price of one text: 0.015 US dollars. */
const PRICE = 15_000
const limit = plans.starter.limits.maxSmsPerMonth
const formatMonth = () => `${world.now.toISOString().slice(0, 7)}-01`

test.each([
  ['all are accepted', 0],
  ['every third is rejected', 3],
] as const)(
  'fifty workers and two stores of an account use the plan first, then credits while they suffice, when %s',
  async (_, refusedEvery) => {
    world.textCredits = { perMille: 1_500 }
    const first = await createShop(world, CARTS, { plan: 'starter' })
    const second = await createShop(world, CARTS, { accountId: first.accountId })
    const account = { accountId: first.accountId, db: world.db }
    await setUsed(first.accountId, limit - PLAN_ROOM)
    // Enough for twelve texts, with a remainder too small for another.
    const credits = 12 * PRICE + PRICE - 1
    await addCredits(account, { kind: 'test', micros: credits }, world.now)
    for (const shop of [first, second]) await askForAll({ ...shop, token: first.token })
    const workers = await Promise.all(Array.from({ length: 50 }, createWorker))
    let attempts = 0
    let accepted = 0
    world.answerText = (text) => {
      const isRefused = refusedEvery > 0 && ++attempts % refusedEvery === 0
      if (isRefused) return { kind: 'rejected', reason: '30005', response: 'unknown', isRecipientFault: false }
      accepted += 1
      return { kind: 'accepted', providerId: `t-${text.messageId}`, response: 'queued' }
    }
    const balances: number[] = []
    let isSending = true
    const looking = (async () => {
      while (isSending) balances.push((await readBalance(first.accountId)).micros)
    })()
    await Promise.all(
      workers.map((deps, n) => sendDue(deps, { storeId: n % 2 === 0 ? first.storeId : second.storeId })),
    )
    for (let n = 0; n < 3; n++) {
      world.advance(1_000)
      for (const shop of [first, second]) await sendDue(workers[n]!, { storeId: shop.storeId })
    }
    isSending = false
    await looking
    expect(accepted).toBe(PLAN_ROOM + 12)
    expect(await readUsed(first.accountId)).toBe(limit)
    expect(await readBalance(first.accountId)).toMatchObject({ micros: PRICE - 1 })
    expect(Math.min(...balances)).toBeGreaterThanOrEqual(PRICE - 1)
    const ledger = await readLedger(first.accountId)
    // Each entry continues from the one before, and no entry is written twice.
    let balance = 0
    for (const [index, entry] of ledger.entries()) {
      balance += entry.micros
      expect(entry).toMatchObject({ seq: index + 1, balance_micros: balance })
    }
    const charged = ledger.filter(({ kind }) => kind !== 'test').reduce((sum, { micros }) => sum - micros, 0)
    expect(charged).toBe(12 * PRICE)
    expect(charged).toBeLessThanOrEqual(credits)
  },
  60_000,
)

test('the database keeps entries immutable and balances non-negative', async () => {
  const shop = await createShop(world, 0)
  const account = { accountId: shop.accountId, db: world.db }
  await addCredits(account, { kind: 'test', micros: 10 }, world.now)
  const change = world.db.updateTable('credit_entries').set({ micros: 11 }).where('account_id', '=', shop.accountId)
  await expect(change.execute()).rejects.toThrow('entries of the credit ledger are not changed')
  const pay = transactAccount(account, (tx) =>
    payWithCredits(tx as never, shop.accountId, [{ messageId: createId(), micros: 11 }], world.now),
  )
  await expect(pay).rejects.toThrow()
  expect(await readBalance(shop.accountId)).toMatchObject({ micros: 10, entries: 1 })
})

const setUsed = (accountId: string, used: number) =>
  world.db
    .insertInto('plan_usage')
    .values({ account_id: accountId, month: formatMonth(), channel: 'sms', used })
    .onConflict((conflict) => conflict.columns(['account_id', 'month', 'channel']).doUpdateSet({ used }))
    .execute()

async function askForAll(shop: Shop) {
  const body = { channel: 'sms', cartIds: shop.cartIds }
  const reply = await world.request('POST', `/api/carts/send?storeId=${shop.storeId}`, { token: shop.token, body })
  expect(reply.status).toBe(200)
  await completeOrderCheck(world, shop.storeId)
}

async function createWorker(): Promise<Deps> {
  const deps = { ...world.deps, workerId: createId() }
  await beat(deps)
  return deps
}

async function readUsed(accountId: string): Promise<number> {
  const row = await world.db
    .selectFrom('plan_usage')
    .select('used')
    .where('account_id', '=', accountId)
    .where('channel', '=', 'sms')
    .executeTakeFirstOrThrow()
  return row.used
}

const readBalance = (accountId: string) =>
  world.db.selectFrom('credit_balances').selectAll().where('account_id', '=', accountId).executeTakeFirstOrThrow()

const readLedger = (accountId: string) =>
  world.db.selectFrom('credit_entries').selectAll().where('account_id', '=', accountId).orderBy('seq').execute()
