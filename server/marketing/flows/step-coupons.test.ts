import { expect, test } from 'vitest'
import { assignCouponToSteps, insertCoupon } from '../../../test/coupon-copies.ts'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { buildSavedSteps } from '../../../test/flow-edits.ts'
import { advanceToAbandoned, createMessageScene, HOUR, passTime, readCart } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'

// The coupon of a step: saved, kept, rejected, and shown in the preview.

const world = createWorld()

const read = async ({ token, flowId }: TestStore) => {
  const { body } = await world.request('GET', '/api/flows', { token })
  return body.flows.find((each: { id: string }) => each.id === flowId)
}

async function save(store: TestStore, coupon: object | null | undefined) {
  const flow = await read(store)
  const steps = buildSavedSteps(flow.steps, ({ step }) => (step === 1 && coupon !== undefined ? { coupon } : {}))
  const body = { name: flow.name, steps }
  return world.request('PUT', `/api/flows/${store.flowId}`, { token: store.token, body })
}

const getFirst = (flow: { steps: { coupon: unknown }[] }) => flow.steps[0]!.coupon

const setting = (couponId: string) => ({
  couponId,
  fallback: 'skip',
  firstOrderOnly: true,
  pauseDays: 30,
  aboveAmount: 49.5,
})

test('the coupon of a step is saved with its rules, kept when a save omits it, and removed by null', async () => {
  const store = await createStore(world)
  const input = setting(await insertCoupon(world, store))
  const saved = await save(store, input)
  expect(saved.status).toBe(200)
  expect(getFirst(saved.body.flow)).toEqual(input)
  expect((await save(store, undefined)).status).toBe(200)
  expect(getFirst(await read(store))).toEqual(input)
  await save(store, null)
  expect(getFirst(await read(store))).toBeNull()
})

test('saving a step rejects a coupon of another store, a deleted one and an unknown one', async () => {
  const store = await createStore(world)
  const others = await insertCoupon(world, await createStore(world))
  const missing = await insertCoupon(world, store, { gone_at: world.now })
  for (const id of [others, missing, createId()]) {
    const reply = await save(store, setting(id))
    expect([reply.status, reply.body.message ?? reply.body.error]).toEqual([
      422,
      'Step 1: This coupon no longer exists in your store. Choose another one.',
    ])
    expect(reply.body.fields).toEqual({
      'steps.0.coupon': 'This coupon no longer exists in your store. Choose another one.',
    })
  }
  expect(getFirst(await read(store))).toBeNull()
})

test('a message that waits for a code is decided again at once when its step gets another coupon', async () => {
  const store = await createMessageScene(world)
  await assignCouponToSteps(world, store, await insertCoupon(world, store, { kind: 'personal', code: 'CART' }))
  await passTime(world, store.storeId, HOUR)
  expect(world.sent).toEqual([])
  await save(store, { ...setting(await insertCoupon(world, store)), firstOrderOnly: false, aboveAmount: null })
  await passTime(world, store.storeId, 1_000)
  expect(world.sent[0]!.text).toContain('Coupon SAVE-')
})

test('changed rules of the same coupon trigger a new decision, as the dry run says; equal rules change nothing', async () => {
  const store = await createMessageScene(world)
  await advanceToAbandoned(world, store.storeId, HOUR)
  const input = setting(await insertCoupon(world, store))
  const changed = async (coupon: object | null) => (await save(store, coupon)).body.effect.changed
  expect(await changed(input)).toBe(1)
  expect(await changed(input)).toBe(0)
  for (const rule of [{ fallback: 'without' }, { firstOrderOnly: false }, { pauseDays: null }, { aboveAmount: 50 }]) {
    expect([rule, await changed({ ...input, ...rule })]).toEqual([rule, 1])
    await changed(input)
  }
  expect(await changed(null)).toBe(1)
})

test('the preview shows an example of a personal code, or the reason why there is none', async () => {
  const store = await createMessageScene(world)
  await passTime(world, store.storeId, HOUR)
  const preview = async (cartId: string) =>
    (
      await world.request('POST', `/api/flows/${store.flowId}/preview`, {
        token: store.token,
        body: { step: 1, cartId },
      })
    ).body
  const { id } = await readCart(world, store.storeId)
  await assignCouponToSteps(
    world,
    store,
    await insertCoupon(world, store, { kind: 'personal', code: 'CART', max_discount_minor: 100 }),
  )
  for (const cart of [id, 'sample']) {
    const previewed = await preview(cart)
    expect(previewed.couponNote).toBe('CART-EXAMPLE is an example. Each message gets a code of its own.')
    expect(previewed.text).toContain('Coupon CART-EXAMPLE: −$1.00')
  }
  await assignCouponToSteps(world, store, await insertCoupon(world, store, { code: 'OFF', is_active: false }))
  const without = await preview(id)
  expect(without.couponNote).toBe('The message is sent without the coupon OFF. The coupon is not active.')
  expect(without.text).not.toContain('Coupon')
  await assignCouponToSteps(world, store, null)
  expect((await preview(id)).couponNote).toBeNull()
})

test('the preview shows an unsaved coupon, and none after its removal', async () => {
  const store = await createMessageScene(world)
  await passTime(world, store.storeId, HOUR)
  const { id } = await readCart(world, store.storeId)
  const preview = async (cartId: string, coupon: object | null) =>
    (
      await world.request('POST', `/api/flows/${store.flowId}/preview`, {
        token: store.token,
        body: { step: 1, cartId, coupon },
      })
    ).body
  const input = { ...setting(await insertCoupon(world, store, { code: 'NEW10' })), firstOrderOnly: false }
  for (const cart of [id, 'sample']) {
    expect((await preview(cart, { ...input, aboveAmount: null })).text).toContain('Coupon NEW10: −$')
  }
  const withheld = await preview(id, { ...input, fallback: 'without', aboveAmount: 10_000 })
  expect(withheld.couponNote).toContain('this cart does not reach')
  await assignCouponToSteps(world, store, await insertCoupon(world, store, { code: 'OLD5' }))
  for (const cart of [id, 'sample']) expect((await preview(cart, null)).text).not.toContain('Coupon')
  const others = await insertCoupon(world, await createStore(world), { code: 'THEIRS' })
  expect(JSON.stringify(await preview(id, { ...input, couponId: others }))).not.toContain('THEIRS')
})

test('the flow describes the coupon of a step, even after the store deleted it', async () => {
  const store = await createStore(world)
  const id = await insertCoupon(world, store, { kind: 'personal', code: 'CART', gone_at: world.now })
  const readCoupon = async () => (await read(store)).steps[0].couponShown
  expect(await readCoupon()).toBeNull()
  await assignCouponToSteps(world, store, id)
  expect(await readCoupon()).toMatchObject({ _id: id, code: 'CART', kind: 'personal', amount: 10, isGone: true })
})
