import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { getMessageName, type MessageView } from '../../../shared/carts/carts.ts'
import type { FlowStep } from '../../../shared/marketing/flows.ts'
import { buildOrder } from '../../../test/factories.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  DAY,
  HOUR,
  listStepStates,
  type MessageScene,
  passTime,
  readMessages,
} from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'

// Adding, removing and moving steps: open messages follow, as a dry run predicts (decisions 52, 53 and 55).

const world = createWorld()

let scene: MessageScene

beforeEach(async () => {
  scene = await createMessageScene(world, 1, { plan: 'starter' })
  world.sent.length = 0
})

const call = (method: string, url: string, body?: object) =>
  world.request(method, url, { token: scene.token, ...(body && { body }) })

const flow = async () => (await call('GET', '/api/flows')).body.flows[0]

type Saved = Partial<Omit<FlowStep, 'variants'>> & { variants?: object[] }

/** Saves, and checks that a dry run predicted the same effect. */
async function save(change: (saved: Saved[]) => Saved[]) {
  const { name, steps: stored } = await flow()
  const body = { name, steps: change(stored) }
  const before = await readMessages(world, scene.storeId)
  const tried = await call('POST', `/api/flows/${scene.flowId}/effect`, body)
  expect(await readMessages(world, scene.storeId)).toEqual(before)
  const saved = await call('PUT', `/api/flows/${scene.flowId}`, body)
  expect([saved.status, saved.body.error]).toEqual([200, undefined])
  expect(saved.body.effect).toEqual(tried.body.effect)
  return saved.body
}

const none = { moved: 0, dueNow: 0, overtaken: 0, cancelled: 0, added: 0, tooLate: 0, changed: 0 }

test('a removed step cancels its open messages and remains in the report for its sent ones', async () => {
  await passTime(world, scene.storeId, HOUR)
  const saved = await save(([first, , third]) => [first!, third!])
  expect(saved.effect).toEqual({ ...none, cancelled: 1 })
  expect(await listStepStates(world, scene.storeId)).toEqual(['sent', 'cancelled(step_removed)', 'scheduled'])
  expect(saved.flow.steps.map(({ step }: FlowStep) => step)).toEqual([1, 2])
  // The next step takes its place, and its message shows the new number.
  const rows = await readMessages(world, scene.storeId)
  expect(rows.find(({ state }) => state === 'scheduled')).toMatchObject({ step: 2, step_id: saved.flow.steps[1].id })
  await passTime(world, scene.storeId, 3 * DAY)
  expect(world.sent).toHaveLength(2)
})

describe('a step removed while its mail is in flight (decision 53)', () => {
  let answer: typeof world.answer

  beforeEach(() => {
    answer = world.answer
  })

  afterEach(() => {
    world.answer = answer
  })

  const later = { kind: 'retry', reason: 'greylisted', response: '451 later' } as const

  test('is cancelled when the mail is deferred', async () => {
    let saved: object | null = null
    world.answer = async () => {
      if (saved) return later
      saved = await save(([, ...others]) => others)
      return later
    }
    await passTime(world, scene.storeId, HOUR)
    expect(saved).toMatchObject({ effect: { ...none, cancelled: 0 } })
    expect(await listStepStates(world, scene.storeId)).toEqual(['cancelled(step_removed)', 'scheduled', 'scheduled'])
    await passTime(world, scene.storeId, HOUR)
    expect(world.sent).toHaveLength(1)
  })

  test('is cancelled at its next due time when the mail was deferred during the save', async () => {
    world.answer = () => later
    await passTime(world, scene.storeId, HOUR)
    expect(await listStepStates(world, scene.storeId)).toEqual(['held(retry)', 'scheduled', 'scheduled'])
    const { rowCount } = await world.pool.query(
      'update flow_steps set removed_at = $1 where store_id = $2 and flow_id = $3 and step = 1',
      [world.now, scene.storeId, scene.flowId],
    )
    expect(rowCount).toBe(1)
    await passTime(world, scene.storeId, HOUR)
    expect(await listStepStates(world, scene.storeId)).toEqual(['cancelled(step_removed)', 'scheduled', 'scheduled'])
    expect(world.sent).toHaveLength(1)
  })
})

test('the page of a cart names messages by the current position of their step, and removed steps by name', async () => {
  await passTime(world, scene.storeId, HOUR)
  const { cart_id: cartId } = (await readMessages(world, scene.storeId))[0]!
  // The second is removed, so the third becomes second; then another one is removed.
  await save(([first, , third]) => [first!, third!])
  await save(([first, third]) => [first!, { delayMinutes: 2 * 24 * 60 }, third!])
  await save(([first, added, third]) => [first!, { ...third!, delayMinutes: 30 * 60 }, added!])
  const { messages } = (await call('GET', `/api/carts/${cartId}/messages`)).body
  expect(messages.map((message: MessageView) => `${getMessageName(message)} ${message.state}`).toSorted()).toEqual([
    'Reminder 1 by email sent',
    'Reminder 2 by email scheduled',
    'Reminder 3 by email scheduled',
    'Second reminder (removed) by email cancelled',
  ])
})

test('the page of a cart names a sent message by the unique current position of its step', async () => {
  await passTime(world, scene.storeId, HOUR)
  const { cart_id: cartId } = (await readMessages(world, scene.storeId))[0]!
  await save(([first, second, third]) => [{ ...second!, delayMinutes: 15 }, first!, third!])
  const { messages } = (await call('GET', `/api/carts/${cartId}/messages`)).body
  const named = messages.map((message: MessageView) => `${getMessageName(message)} ${message.state}`)
  expect(named).toContain('Reminder 2 by email sent')
  expect(new Set(messages.map(getMessageName)).size).toBe(3)
})

test('the API rejects a save by a member who has not seen a step added by another', async () => {
  const { name, steps: known } = await flow()
  const knownIds = known.map(({ id }: FlowStep) => id)
  await save((stored) => [...stored, { delayMinutes: 10_000 }])
  const body = { name, seenSteps: knownIds, steps: known }
  for (const [method, path] of [
    ['POST', '/effect'],
    ['PUT', ''],
  ] as const) {
    const { status, body: reply } = await call(method, `/api/flows/${scene.flowId}${path}`, body)
    expect([status, reply.error]).toEqual([
      409,
      'Someone else added a message to this flow. Discard your changes to see it.',
    ])
  }
  expect((await flow()).steps).toHaveLength(4)
})

test('an edit plans an added step only for carts whose due time is in the future', async () => {
  await passTime(world, scene.storeId, HOUR)
  await recordOrders(world.deps, scene.storeId, [buildOrder(world)], 'sync')
  await passTime(world, scene.storeId, 3 * HOUR)
  const saved = await save(([first, ...others]) => [first!, { delayMinutes: 210 }, ...others])
  expect(saved.effect).toEqual({ ...none, added: 1, tooLate: 1 })
  expect(saved.flow.steps[1]).toMatchObject({
    step: 2,
    delayMinutes: 210,
    name: 'Second reminder (2)',
    channels: ['email'],
  })
  const added = (await readMessages(world, scene.storeId)).filter(({ step_id }) => step_id === saved.flow.steps[1].id)
  expect(added).toHaveLength(1)
  expect(added[0]!.due_at > world.now).toBe(true)
  // Nor later, when the flow is activated with the last day's carts: the backlog is never sent at once.
  await call('POST', `/api/flows/${scene.flowId}/switch`, { isOn: false })
  await call('POST', `/api/flows/${scene.flowId}/switch`, { isOn: true, includeLast24h: true })
  const rows = await readMessages(world, scene.storeId)
  expect(rows.filter(({ step_id }) => step_id === saved.flow.steps[1].id)).toHaveLength(1)
})

test('an added step uses the text of the request', async () => {
  const texts = { email: { subject: 'One more thing', body: 'Your cart: {{ checkout_link }}' } }
  const added = { delayMinutes: 6_000, channels: ['email' as const], variants: [{ sharePercent: 100, words: texts }] }
  const saved = await save((stored) => [...stored, added])
  expect(saved.flow.steps[3]).toMatchObject({ step: 4, subject: 'One more thing', variants: [{ words: texts }] })
})

test('reordered steps keep their ids, and no message is sent twice', async () => {
  await passTime(world, scene.storeId, HOUR)
  const [first] = (await flow()).steps
  const saved = await save(([a, b, c]) => [
    { ...b, delayMinutes: 60 },
    { ...a, delayMinutes: 1_440 },
    { ...c, delayMinutes: 4_320 },
  ])
  expect(saved.effect).toEqual({ ...none, overtaken: 1 })
  expect(saved.flow.steps[1].id).toBe(first.id)
  await passTime(world, scene.storeId, HOUR)
  // The step that followed the sent one precedes it now, so it is overtaken.
  expect(world.sent).toHaveLength(1)
  const rows = await readMessages(world, scene.storeId)
  expect(rows.find(({ step_id }) => step_id === saved.flow.steps[0].id)).toMatchObject({ reason: 'superseded' })
  await passTime(world, scene.storeId, 3 * DAY)
  expect(world.sent).toHaveLength(2)
})

test('changed delays reschedule open messages, changed text updates them, other edits leave them', async () => {
  await passTime(world, scene.storeId, HOUR)
  const { effect } = await save(([a, b, c]) => [a!, { ...b, delayMinutes: 600 }, c!])
  expect(effect).toEqual({ ...none, moved: 1 })
  const texts = { email: { subject: 'Other', body: '{{ checkout_link }}' } }
  const other = await save(([a, b, c]) => [a!, b!, { ...c, variants: [{ ...c!.variants![0], words: texts }] }])
  expect(other.effect).toEqual({ ...none, changed: 1 })
  expect((await save((all) => all)).effect).toEqual(none)
})

test('the API rejects unknown, duplicate and early steps, and shares that do not add up, at their path', async () => {
  const { name, steps: stored } = await flow()
  const refused = async (change: (saved: Saved[]) => object[]) => {
    const { status, body } = await call('PUT', `/api/flows/${scene.flowId}`, { name, steps: change(stored) })
    return [status, Object.keys(body.fields ?? {})]
  }
  expect(await refused(([a]) => [a!, { ...a, delayMinutes: 100 }])).toEqual([422, []])
  expect(await refused(([a]) => [{ ...a, id: scene.flowId }])).toEqual([422, ['steps.0.id']])
  expect(await refused(([a, b]) => [a!, { ...b, delayMinutes: 60 }])).toEqual([422, ['steps.1.delayMinutes']])
  const half = { sharePercent: 50, words: {} }
  expect(await refused(([a]) => [{ ...a, variants: [half] }])).toEqual([422, ['steps.0.variants']])
  const bad = { sharePercent: 100, words: { email: { subject: 'S', body: '{{ password }}' } } }
  expect(await refused(([a, b]) => [a!, { ...b, variants: [bad] }])).toEqual([
    422,
    ['steps.1.variants.0.words.email.body'],
  ])
  expect((await flow()).steps).toEqual(stored)
})

describe('step conditions', () => {
  const above = (amount: number) => ({
    match: 'all' as const,
    groups: [{ match: 'all' as const, conditions: [{ fact: 'value' as const, is: 'above' as const, amount }] }],
  })

  test('are evaluated when the message is due, and a mismatch is on record', async () => {
    await save(([a, b, c]) => [{ ...a, conditions: above(10_000) }, b!, c!])
    await passTime(world, scene.storeId, HOUR)
    expect(world.sent).toEqual([])
    expect((await listStepStates(world, scene.storeId))[0]).toBe('skipped(condition)')
    const record = await world.db
      .selectFrom('decision_records')
      .select('inputs')
      .where('store_id', '=', scene.storeId)
      .where('reason', '=', 'condition')
      .executeTakeFirstOrThrow()
    expect(record.inputs).toMatchObject({
      conditionHolds: false,
      conditionValues: { value: { currency: 'USD' } },
      conditionsUnmet: { currency: 'USD', conditions: [{ fact: 'value', is: 'above', amount: 10_000 }] },
    })
    await passTime(world, scene.storeId, DAY)
    expect(world.sent).toHaveLength(1)
  })

  test('changed before the due time apply in their new form', async () => {
    await save(([a, b, c]) => [{ ...a, conditions: above(10_000) }, b!, c!])
    await advanceToAbandoned(world, scene.storeId, HOUR / 2)
    await save(([a, b, c]) => [{ ...a, conditions: above(1) }, b!, c!])
    await passTime(world, scene.storeId, HOUR / 2)
    expect(world.sent).toHaveLength(1)
  })

  test('appear in the preview of a cart', async () => {
    await passTime(world, scene.storeId, 0)
    const { id } = await world.db
      .selectFrom('carts')
      .select('id')
      .where('store_id', '=', scene.storeId)
      .executeTakeFirstOrThrow()
    await passTime(world, scene.storeId, HOUR)
    const body = { stepId: (await flow()).steps[1].id, cartId: id, conditions: above(10_000) }
    const preview = (await call('POST', `/api/flows/${scene.flowId}/preview`, body)).body
    expect(preview.decision).toMatchObject({ outcome: 'skip', reason: 'condition' })
  })
})

describe('step variants', () => {
  const split = async (shares: number[]) =>
    save(([a, ...others]) => [
      {
        ...a,
        variants: shares.map((sharePercent, index) => ({
          ...(index === 0 && { id: a!.id }),
          sharePercent,
          words: { email: { subject: `Words ${'ABCD'[index]}`, body: '{{ checkout_link }}' } },
        })),
      },
      ...others,
    ])

  test('assign each shopper one text, recorded on the message', async () => {
    await recordOrders(
      world.deps,
      scene.storeId,
      Array.from({ length: 24 }, () => buildOrder(world)),
      'sync',
    )
    const { flow: saved } = await split([50, 50])
    expect(saved.steps[0].variants.map(({ name }: { name: string }) => name)).toEqual(['A', 'B'])
    await passTime(world, scene.storeId, HOUR)
    const rows = (await readMessages(world, scene.storeId)).filter(({ step }) => step === 1)
    const subjects = new Map(
      saved.steps[0].variants.map(({ id }: { id: string }, n: number) => [id, `Words ${'AB'[n]}`]),
    )
    expect(rows).toHaveLength(25)
    for (const row of rows) expect(row.subject).toBe(subjects.get(row.variant_id))
    expect(new Set(rows.map(({ variant_id }) => variant_id)).size).toBe(2)
  })

  test("use the winner's text for all further messages", async () => {
    const { flow: saved } = await split([50, 50])
    const [, b] = saved.steps[0].variants
    const url = `/api/flows/${scene.flowId}/steps/${saved.steps[0].id}/winner`
    const { flow: chosen } = (await call('POST', url, { variantId: b.id })).body
    expect(chosen.steps[0].variants).toEqual([{ ...b, name: 'B', sharePercent: 100 }])
    // A new variant gets a letter after both.
    const more = chosen.steps[0].variants.concat({ ...b, id: undefined })
    const variants = more.map((each: object) => ({ ...each, sharePercent: 50 }))
    const again = await save(([first, ...others]) => [{ ...first!, variants }, ...others])
    expect(again.flow.steps[0].variants.map(({ name }: { name: string }) => name)).toEqual(['B', 'C'])
    expect(again.flow.steps[0].variantsSoFar).toBe(3)
    const { report } = (await call('GET', `/api/flows/${scene.flowId}/report?days=30`)).body
    expect(
      report.steps[0].variants.map(({ name, isCurrent }: { name: string; isCurrent: boolean }) => [name, isCurrent]),
    ).toEqual([
      ['A', false],
      ['B', true],
      ['C', true],
    ])
    await passTime(world, scene.storeId, HOUR)
    expect(world.sent.map(({ subject }) => subject)).toEqual(['Words B'])
    expect((await call('POST', url, { variantId: saved.steps[0].id })).status).toBe(404)
  })

  test('can stay or be merged after a downgrade, while new shares need the larger plan', async () => {
    const { flow: saved } = await split([50, 50])
    const { accountId } = scene
    await world.db.updateTable('subscriptions').set({ plan: 'free' }).where('account_id', '=', accountId).execute()
    const [a, b] = saved.steps[0].variants
    const readCode = async (variants: object[]) => {
      const steps = saved.steps.map((step: FlowStep, at: number) => (at === 0 ? { ...step, variants } : step))
      const { status, body } = await call('PUT', `/api/flows/${scene.flowId}`, { name: 'Reminders', steps })
      return status === 200 ? 'saved' : body.code
    }
    expect(await readCode([a, b])).toBe('saved')
    const [less, more] = [
      { ...a, sharePercent: 20 },
      { ...b, sharePercent: 80 },
    ]
    expect(await readCode([less, more])).toBe('plan_required')
    expect(await readCode([{ ...b, sharePercent: 100 }])).toBe('saved')
  })
})
