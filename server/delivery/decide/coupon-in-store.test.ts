import { beforeEach, describe, expect, test } from 'vitest'
import { assignCouponToSteps, insertCoupon } from '../../../test/coupon-copies.ts'
import { createDemoCoupons } from '../../../test/demo-coupons.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  HOUR,
  listStepDecisions,
  listStepStates,
  type MessageScene,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'

// Changes to a coupon in the store’s admin between planning and send (decision 35).

const world = createWorld()
const demo = createDemoCoupons(world)
let n = 0

beforeEach(() => {
  world.sent.length = 0
  world.answer = acceptMail
})

interface Planned extends MessageScene {
  couponId: string
  /** The coupon in the store. */
  code: string
}

/** A due message whose coupon or code exists in the store. */
async function planned(kind: 'shared' | 'personal', fallback: 'without' | 'skip'): Promise<Planned> {
  const scene = await createMessageScene(world)
  await demo.connect(scene)
  const code = `END${++n}`
  const inStore =
    kind === 'shared'
      ? demo.store.coupons.add({ code: code.toLowerCase(), discountType: 'percent', amountMinor: 1_000 })
      : null
  const couponId = await insertCoupon(world, scene, { kind, code, platform_id: inStore ? String(inStore.id) : null })
  await assignCouponToSteps(world, scene, couponId, { coupon_fallback: fallback })
  await advanceToAbandoned(world, scene.storeId, HOUR)
  if (kind === 'personal') await demo.make(scene)
  return { ...scene, couponId, code: demo.store.coupons.list(code)[0]!.code }
}

async function recorded({ storeId }: MessageScene) {
  const row = await world.db
    .selectFrom('decision_records as d')
    .innerJoin('messages as m', (on) => on.onRef('m.id', '=', 'd.message_id').onRef('m.store_id', '=', 'd.store_id'))
    .select(['d.inputs', 'm.coupon_id', 'm.coupon_code'])
    .where('d.store_id', '=', storeId)
    .where('m.step', '=', 1)
    .where('d.outcome', '<>', 'result')
    .executeTakeFirstOrThrow()
  return row
}

const endings: [string, string, (code: string) => void][] = [
  ['deleted', 'gone', (code) => demo.store.coupons.delete(code)],
  ['expired', 'expired', (code) => demo.store.coupons.expire(code)],
  [
    'used up',
    'used_up',
    (code) => {
      demo.store.coupons.edit(code, { usageLimit: 1 })
      demo.store.coupons.use(code, 'somebody@shoppers.example')
    },
  ],
]
const cases = (['shared', 'personal'] as const).flatMap((kind) => endings.map((each) => [kind, ...each] as const))

describe.each(cases)('a %s one that was %s in the store', (kind, _, why, end) => {
  test('is left out of its message with the reason in the record', async () => {
    const scene = await planned(kind, 'without')
    end(scene.code)
    await sendDueMessages(world, scene.storeId)
    expect(await listStepDecisions(world, scene.storeId)).toEqual(['send ok', 'result accepted'])
    expect(await recorded(scene)).toMatchObject({
      inputs: { couponIncluded: false, couponReason: `coupon_invalid:${why}` },
      coupon_id: null,
      coupon_code: null,
    })
    expect(world.sent[0]!.text.toLowerCase()).not.toContain(scene.code)
  })

  test('skips its message with the reason in the record', async () => {
    const scene = await planned(kind, 'skip')
    end(scene.code)
    await sendDueMessages(world, scene.storeId)
    expect((await listStepStates(world, scene.storeId))[0]).toBe(`skipped(coupon_invalid:${why})`)
    expect((await recorded(scene)).inputs).toMatchObject({ coupon: expect.any(String), couponIncluded: false })
    expect(world.sent).toEqual([])
  })
})

test.each(['shared', 'personal'] as const)('an unchanged %s coupon is in the mail', async (kind) => {
  const scene = await planned(kind, 'skip')
  await sendDueMessages(world, scene.storeId)
  expect(world.sent[0]!.text.toLowerCase()).toContain(scene.code)
  expect(await recorded(scene)).toMatchObject({ coupon_id: scene.couponId, inputs: { couponIncluded: true } })
})

test('a coupon edited here between decision and send is shown with its new terms', async () => {
  const scene = await createMessageScene(world, 6)
  const couponId = await insertCoupon(world, scene)
  await assignCouponToSteps(world, scene, couponId)
  await advanceToAbandoned(world, scene.storeId, HOUR)
  const body = '{{ coupon_amount }} off {{ checkout_link }}'
  const content = { body, design: null }
  await world.db.updateTable('templates').set(content).where('store_id', '=', scene.storeId).execute()
  // Five are in flight at once; the sixth was decided on with them.
  world.answer = async (mail) => {
    await world.db.updateTable('coupons').set({ percent: 2_000 }).where('id', '=', couponId).execute()
    return acceptMail(mail)
  }
  await sendDueMessages(world, scene.storeId)
  world.advance(1_000)
  await sendDueMessages(world, scene.storeId)
  const percents = world.sent.map(({ text }) => /^(\d+%) off/m.exec(text)?.[1])
  expect(percents).toEqual([...Array(5).fill('10%'), '20%'])
})
