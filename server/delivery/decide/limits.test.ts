import { beforeEach, describe, expect, test } from 'vitest'
import { insertExperiment, readAssignments } from '../../../test/experiment-scene.ts'
import { buildOrder, createStore } from '../../../test/factories.ts'
import { createShop, postWithWorker } from '../../../test/manual-send-scene.ts'
import {
  advanceToAbandoned,
  countStepStates,
  createMessageScene,
  DAY,
  findLink,
  HOUR,
  listStepDecisions,
  listStepStates,
  MINUTE,
  passTime,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { detectLost } from '../../carts/carts/detect.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { drawArm } from './decision-inputs.ts'

// Plan limit (decision 6), control group (F1), rendering failures, links (X1), sums (D6), records (D12).

const world = createWorld()

beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
})

const BROWSER = { 'user-agent': 'Mozilla/5.0 Safari/604.1' }
const month = () => `${world.now.toISOString().slice(0, 7)}-01`

describe('the plan’s limit (decision 6)', () => {
  const setUsed = (accountId: string, used: number) =>
    world.db
      .insertInto('plan_usage')
      .values({ account_id: accountId, month: month(), channel: 'email', used })
      .onConflict((conflict) => conflict.columns(['account_id', 'month', 'channel']).doUpdateSet({ used }))
      .execute()
  const used = async (accountId: string) =>
    (
      await world.db
        .selectFrom('plan_usage')
        .select('used')
        .where('account_id', '=', accountId)
        .where('month', '=', month())
        .executeTakeFirst()
    )?.used

  test('is exact when two stores of the account and several processes send at once', { tags: ['A6'] }, async () => {
    const first = await createMessageScene(world, 8)
    const second = await createStore(world, { accountId: first.accountId })
    const orders = Array.from({ length: 8 }, () => buildOrder(world))
    await recordOrders(world.deps, second.storeId, orders, 'sync')
    await advanceToAbandoned(world, first.storeId, HOUR)
    await advanceToAbandoned(world, second.storeId, 0)
    await setUsed(first.accountId, 493)
    await Promise.all([first, second, first, second].map(({ storeId }) => sendDueMessages(world, storeId)))
    await passTime(world, first.storeId, 1_000)
    await passTime(world, second.storeId, 0)
    expect(world.sent).toHaveLength(7)
    expect(await used(first.accountId)).toBe(500)
    const rows = [...(await readMessages(world, first.storeId)), ...(await readMessages(world, second.storeId))]
    expect(rows.filter((row) => row.reason === 'plan_limit' && row.state === 'held')).toHaveLength(9)
    // Told once a month, in both stores (decision 64).
    for (const { storeId } of [first, second]) {
      const limits = (await readNotifications(world, storeId)).filter(({ type }) => type === 'plan_limit')
      expect(limits.map(({ title }) => title)).toEqual(['Your plan’s emails for this month are used up'])
    }
  })

  test('a rejected mail gives its place back to another', async () => {
    const { storeId, accountId } = await createMessageScene(world, 3)
    await setUsed(accountId, 499)
    await advanceToAbandoned(world, storeId, HOUR)
    let count = 0
    world.answer = (mail) => {
      count += 1
      if (count === 1) return { kind: 'rejected', reason: 'content', response: '554', isRecipientFault: false }
      return acceptMail(mail)
    }
    await sendDueMessages(world, storeId)
    await passTime(world, storeId, 1_000)
    await passTime(world, storeId, 1_000)
    expect(await used(accountId)).toBe(500)
    expect(await countStepStates(world, storeId)).toEqual({ failed: 1, sent: 1, held: 1 })
  })

  test('an upgrade releases held messages; without it they close at their age limit', async () => {
    const { storeId, accountId, token } = await createMessageScene(world, 2)
    await setUsed(accountId, 500)
    await passTime(world, storeId, HOUR)
    expect(await countStepStates(world, storeId)).toEqual({ held: 2 })
    await world.db
      .updateTable('messages')
      .set({ expires_at: new Date(world.now.getTime() + MINUTE), wake_at: new Date(world.now.getTime() + MINUTE) })
      .where('id', '=', (await readMessages(world, storeId))[0]!.id)
      .execute()
    await advanceToAbandoned(world, storeId, MINUTE)
    await sendDueMessages(world, storeId)
    expect(await countStepStates(world, storeId)).toEqual({ held: 1, skipped: 1 })
    const reply = await world.request('POST', '/api/subscribe/manual-update', {
      token,
      body: { planKey: 'growth' },
    })
    expect(reply.status).toBe(200)
    await passTime(world, storeId, MINUTE)
    expect(await countStepStates(world, storeId)).toEqual({ sent: 1, skipped: 1 })
  })

  test('as many carts are eligible and sent as the plan has left', async () => {
    const shop = await createShop(world, 4, { plan: 'free' })
    await setUsed(shop.accountId, 498)
    const ask = () =>
      world.request('POST', '/api/carts/eligibility', {
        token: shop.token,
        body: { channel: 'email', cartIds: shop.cartIds },
      })
    const { eligible, reasons } = (await ask()).body
    expect(eligible).toEqual(shop.cartIds.slice(0, 2))
    expect(reasons).toMatchObject([{ reason: 'plan_limit', cartIds: shop.cartIds.slice(2) }])
    const body = { channel: 'email', cartIds: shop.cartIds }
    const { jobId } = (await postWithWorker(world, shop, '/api/carts/send', body)).body
    for (let second = 0; second < 3; second++) await passTime(world, shop.storeId, 1_000)
    const { counts } = (await world.request('GET', `/api/carts/send/${jobId}`, { token: shop.token })).body
    expect(counts).toMatchObject({ sent: 2, failed: 2 })
  })

  test('as many of a shopper’s carts are eligible as the frequency cap has left (T1)', async () => {
    const shop = await createShop(world, 1)
    await passTime(world, shop.storeId, 40 * DAY)
    await detectLost(world.deps)
    await recordOrders(world.deps, shop.storeId, [buildOrder(world, { email: shop.orders[0]!.email })], 'sync')
    await passTime(world, shop.storeId, 25 * HOUR)
    await world.db.updateTable('stores').set({ cap_messages: 1 }).where('id', '=', shop.storeId).execute()
    const expires_at = new Date(world.now.getTime() + DAY)
    await world.db.updateTable('sessions').set({ expires_at }).where('account_id', '=', shop.accountId).execute()
    const ask = { token: shop.token, body: { channel: 'email' } }
    const { total, eligible, reasons } = (await world.request('POST', '/api/carts/eligibility', ask)).body
    expect([total, eligible.length]).toEqual([2, 1])
    const tomorrow = new Date(world.now.getTime() + DAY).toISOString()
    expect(reasons).toMatchObject([{ reason: 'frequency_cap', count: 1, until: tomorrow }])
  })

  test('usage restarts at midnight UTC of a new month', async () => {
    world.now = new Date('2026-05-31T22:30:00.000Z')
    const { storeId, accountId } = await createMessageScene(world)
    await setUsed(accountId, 500)
    await passTime(world, storeId, HOUR)
    expect((await readMessages(world, storeId))[0]).toMatchObject({
      reason: 'plan_limit',
      wake_at: new Date('2026-06-01T00:00:00.000Z'),
    })
    await passTime(world, storeId, 30 * MINUTE)
    expect(world.sent).toHaveLength(1)
    expect(await used(accountId)).toBe(1)
  })
})

describe('the control group (F1)', () => {
  const people = (storeId: string) => readAssignments(world, storeId)

  test('each shopper is drawn once, keeps the arm, and gets no step in the control group', async () => {
    const { storeId } = await createMessageScene(world, 40)
    await insertExperiment(world, storeId, 5_000)
    await passTime(world, storeId, HOUR)
    const { salt } = await world.db
      .selectFrom('experiments')
      .select('salt')
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    const drawn = await people(storeId)
    for (const { id, arm } of drawn) expect(arm).toBe(drawArm(id, salt, 5_000))
    const control = drawn.filter(({ arm }) => arm === 'control').map(({ email }) => email)
    expect(control.length).toBeGreaterThan(5)
    expect(world.sent).toHaveLength(40 - control.length)
    await passTime(world, storeId, 23 * HOUR)
    await passTime(world, storeId, 2 * DAY)
    expect(await people(storeId)).toEqual(drawn)
    for (const mail of world.sent) expect(control).not.toContain(mail.to)
    expect((await readMessages(world, storeId)).filter((row) => row.reason === 'holdout')).toHaveLength(
      3 * control.length,
    )
  })

  test('a shopper is not drawn before they may be contacted or without a control group', async () => {
    const { storeId } = await createMessageScene(world, 5, { sellingCountries: ['DE'], baseCountry: 'DE' })
    await insertExperiment(world, storeId, 5_000)
    await passTime(world, storeId, HOUR)
    expect(await people(storeId)).toEqual([])
    const none = await createMessageScene(world, 5)
    await passTime(world, none.storeId, HOUR)
    expect(await people(none.storeId)).toEqual([])
  })

  test('members of the account always get the mail', async () => {
    const { storeId } = await createMessageScene(world, 12)
    await insertExperiment(world, storeId, 5_000)
    await world.db.updateTable('shoppers').set({ is_member: true }).where('store_id', '=', storeId).execute()
    await passTime(world, storeId, HOUR)
    expect(world.sent).toHaveLength(12)
    expect(await people(storeId)).toEqual([])
  })
})

test('a template that cannot be rendered closes its message with the reason, and the rest of the batch is sent', async () => {
  const { storeId } = await createMessageScene(world, 3)
  await advanceToAbandoned(world, storeId, HOUR)
  const [first] = await readMessages(world, storeId)
  await world.db.updateTable('carts').set({ currency: '' }).where('id', '=', first!.cart_id).execute()
  await sendDueMessages(world, storeId)
  expect(world.sent).toHaveLength(2)
  const row = (await readMessages(world, storeId)).find((each) => each.id === first!.id)
  expect(row).toMatchObject({ state: 'skipped', reason: 'render_failed:internal' })
  const broken = await createMessageScene(world)
  await world.db
    .updateTable('templates')
    .set({ body: '{{ nobody_knows }}', design: null, version: 7 })
    .where('store_id', '=', broken.storeId)
    .execute()
  await passTime(world, broken.storeId, HOUR)
  expect((await listStepStates(world, broken.storeId))[0]).toBe('skipped(render_failed:unknown_variable)')
})

describe('links (X1)', () => {
  test('a token works only for its own purpose', async () => {
    const { storeId } = await createMessageScene(world)
    await passTime(world, storeId, HOUR)
    world.advance(MINUTE)
    const click = findLink(world.sent[0]!.html, '/c/').slice(3)
    const out = findLink(world.sent[0]!.html, '/u/').slice(3)
    for (const wrong of [click, `rt_${out}`, 'x'.repeat(43)])
      expect((await world.request('POST', `/api/unsubscribe/${wrong}`)).status).toBe(404)
    for (const wrong of [out, click])
      expect((await world.request('POST', `/api/carts/rt_${wrong}/restore`)).status).toBe(404)
    const unknown = await world.request('GET', `/c/${out}`, { headers: BROWSER })
    expect(unknown.headers.location).toContain('cart_id=unknown')
    expect(await world.db.selectFrom('touchpoints').selectAll().where('store_id', '=', storeId).execute()).toEqual([])
  })

  test('a click leads only to the store’s hosts or the restore page', async () => {
    const { storeId } = await createMessageScene(world)
    const { url } = await world.db
      .selectFrom('stores')
      .select('url')
      .where('id', '=', storeId)
      .executeTakeFirstOrThrow()
    const body = `<p>{{ customer_name }} <a href="${url}/sale">Sale</a> <a href="https://evil.example/">Else</a></p>`
    const content = { body, design: null, version: 9 }
    await world.db.updateTable('templates').set(content).where('store_id', '=', storeId).execute()
    await passTime(world, storeId, HOUR)
    world.advance(MINUTE)
    const [, link] = /(\/c\/[\w-]{43}\?to=[\w-]+)"[^>]*>Sale</.exec(world.sent[0]!.html)!
    expect(world.sent[0]!.html).toContain('https://evil.example/')
    expect((await world.request('GET', link!, { headers: BROWSER })).headers.location).toBe(`${url}/sale`)
    await world.db
      .updateTable('stores')
      .set({ url: 'https://new.example', home_url: 'https://new.example' })
      .where('id', '=', storeId)
      .execute()
    expect((await world.request('GET', link!, { headers: BROWSER })).headers.location).toContain(
      '/cart/recover?cart_id=rt_',
    )
  })
})

describe('sums and records (D6, D12)', () => {
  test('the states add up to the planned messages at every moment, and none is open at the end', async () => {
    const { storeId, flowId, token } = await createMessageScene(world, 12)
    await advanceToAbandoned(world, storeId, HOUR)
    const readFlows = async () => {
      const { body } = await world.request('GET', '/api/flows', { token })
      const { planned, ...parts } = body.flows.find((flow: { id: string }) => flow.id === flowId).counts
      const sum = Object.values(parts as Record<string, number>).reduce((a, b) => a + b, 0)
      expect(sum).toBe(planned)
      expect(planned).toBe(36)
      return parts
    }
    const answers = ['accepted', 'retry', 'unknown', 'rejected'] as const
    let count = 0
    world.answer = async (mail) => {
      const kind = answers[count++ % 4]!
      expect((await readFlows()).inFlight).toBeGreaterThan(0)
      if (kind === 'accepted') return acceptMail(mail)
      return { kind, reason: 'test', response: 'test', isRecipientFault: false } as never
    }
    await sendDueMessages(world, storeId)
    expect(await readFlows()).toMatchObject({ sent: 3, held: 3, unknown: 3, failed: 3, waiting: 24, inFlight: 0 })
    world.answer = acceptMail
    for (let day = 0; day < 9; day++) {
      await passTime(world, storeId, 12 * HOUR)
      await readFlows()
    }
    expect(await readFlows()).toMatchObject({ waiting: 0, held: 0, inFlight: 0 })
  })

  test('a record is written only when outcome or reason changes', async () => {
    const { storeId } = await createMessageScene(world, 1, { sellingCountries: ['DE'], baseCountry: 'DE' })
    await passTime(world, storeId, HOUR)
    for (let n = 0; n < 3; n++) {
      await world.db
        .updateTable('messages')
        .set({ wake_at: world.now })
        .where('store_id', '=', storeId)
        .where('step', '=', 1)
        .execute()
      await passTime(world, storeId, MINUTE)
      await sendDueMessages(world, storeId)
    }
    expect(await listStepDecisions(world, storeId)).toEqual(['hold no_consent'])
    await world.db.updateTable('flows').set({ is_on: false }).where('store_id', '=', storeId).execute()
    await world.db
      .updateTable('messages')
      .set({ wake_at: world.now })
      .where('store_id', '=', storeId)
      .where('step', '=', 1)
      .execute()
    await passTime(world, storeId, MINUTE)
    await sendDueMessages(world, storeId)
    expect(await listStepDecisions(world, storeId)).toEqual(['hold no_consent', 'hold flow_off'])
  })
})
