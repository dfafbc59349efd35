import { beforeEach, describe, expect, test } from 'vitest'
import { pushTexts } from '../../../shared/delivery/push.ts'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { buildSavedSteps } from '../../../test/flow-edits.ts'
import { DAY, HOUR, MINUTE, passTime, readMessages } from '../../../test/message-scene.ts'
import { createTestBrowser, setUpPush, subscribeBrowser } from '../../../test/push-scene.ts'
import { createWorld } from '../../../test/world.ts'

// Push notifications as flow steps and as campaigns (decision 77).

const world = createWorld()
let store: TestStore

beforeEach(async () => {
  world.pushes.length = 0
  world.sent.length = 0
  world.now = new Date(`${new Date(world.now.getTime() + DAY).toISOString().slice(0, 10)}T15:00:00Z`)
  store = await createStore(world, { plan: 'growth' })
})

const call = (method: string, url: string, body?: object) =>
  world.request(method, url, { token: store.token, ...(body && { body }) })

const setShopify = () =>
  world.db.updateTable('stores').set({ platform: 'shopify' }).where('id', '=', store.storeId).execute()

describe('a push step of a flow', () => {
  const save = async (change: object) => {
    const { flows } = (await call('GET', '/api/flows')).body
    const steps = buildSavedSteps(flows[0].steps, ({ step }) => (step === 1 ? { channel: 'push', ...change } : {}))
    return call('PUT', `/api/flows/${store.flowId}`, { name: 'Reminders', steps })
  }

  test('is sent with its own title and text, which survive a change of channel', async () => {
    const saved = await save({ subject: 'Hi {{ customer_name }}', body: 'Still there: {{ cart_total }}' })
    expect([saved.status, saved.body.error]).toEqual([200, undefined])
    const [step] = saved.body.flow.steps
    expect(step).toMatchObject({
      channel: 'push',
      pushTitle: 'Hi {{ customer_name }}',
      templateKey: 'flow_words',
    })
    expect(step.subject).not.toContain('Hi {{ customer_name }}')
    await subscribeBrowser(world, store, createTestBrowser())
    await passTime(world, store.storeId, HOUR + MINUTE)
    expect(world.pushes.map(({ payload }) => [payload.title, payload.image])).toEqual([
      ['Hi there', 'https://shop.example/tea.png'],
    ])
    expect(world.sent).toEqual([])
    expect((await readMessages(world, store.storeId))[0]).toMatchObject({
      origin_kind: 'flow',
      channel: 'push',
      state: 'sent',
    })
  })

  test('is rejected without text or with text that cannot be rendered', async () => {
    for (const texts of [
      { subject: '', body: 'x' },
      { subject: 'x', body: '' },
      { subject: '{{ nothing_known }}', body: 'x' },
    ])
      expect((await save(texts)).status).toBe(422)
  })

  test('is rejected on Shopify with the reason, while an existing one may stay (decision 75)', async () => {
    const texts = { subject: 'Hi', body: 'Your cart waits' }
    const problem = async () => (await call('GET', '/api/flows')).body.channels.push.problem
    expect(await problem()).toBeNull()
    await setShopify()
    expect(await problem()).toBe(pushTexts.noHost)
    const refused = await save(texts)
    expect([refused.status, refused.body.error]).toEqual([422, `Step 1: ${pushTexts.noHost}`])
    await world.db.updateTable('stores').set({ platform: 'woocommerce' }).where('id', '=', store.storeId).execute()
    expect((await save(texts)).status).toBe(200)
    await setShopify()
    expect((await save({ ...texts, subject: 'Hello' })).status).toBe(200)
  })

  test('has a preview before it is saved, rendered by the code that sends', async () => {
    const body = { step: 1, cartId: 'sample', channel: 'push', subject: 'At {{ store_name }}', body: 'Your cart waits' }
    const reply = await call('POST', `/api/flows/${store.flowId}/preview`, body)
    expect(reply.body).toMatchObject({ subject: 'At Tea & Co', text: 'Your cart waits', html: '', problem: null })
  })
})

describe('a push campaign', () => {
  const campaign = {
    name: 'Spring',
    type: 'push',
    targetAudience: { mode: 'matching' },
    sendNow: true,
    content: { subject: 'Spring', body: 'Back in stock', template: 'custom' },
    schedule: { startDate: '2030-01-01' },
  }

  test('reaches subscribers of the audience, once per person', async () => {
    const refused = await call('POST', '/api/campaigns', campaign)
    expect([refused.status, refused.body.error]).toEqual([422, expect.stringContaining('Generate VAPID keys')])
    await setUpPush(world, store)
    await world.db.updateTable('flows').set({ is_on: false }).where('store_id', '=', store.storeId).execute()
    await subscribeBrowser(world, store, createTestBrowser(), { email: 'ann@shoppers.example' })
    await passTime(world, store.storeId, 25 * HOUR)
    const counted = await call('POST', '/api/campaigns/audience', {
      type: 'push',
      targetAudience: { mode: 'matching' },
    })
    expect(counted.body).toMatchObject({ total: 1, eligible: 1, price: null, left: null })
    const created = await call('POST', '/api/campaigns', campaign)
    expect([created.status, created.body.error]).toEqual([200, undefined])
    await passTime(world, store.storeId, MINUTE)
    await passTime(world, store.storeId, MINUTE)
    expect(world.pushes.map(({ payload }) => [payload.title, payload.body])).toEqual([['Spring', 'Back in stock']])
  })

  test('is rejected on Shopify with the reason (decision 75)', async () => {
    await setUpPush(world, store)
    await setShopify()
    const refused = await call('POST', '/api/campaigns', campaign)
    expect([refused.status, refused.body.error]).toEqual([422, pushTexts.noHost])
  })

  test('needs a title', async () => {
    await setUpPush(world, store)
    const bad = await call('POST', '/api/campaigns', { ...campaign, content: { ...campaign.content, subject: '' } })
    expect([bad.status, bad.body.error]).toEqual([422, 'Enter a title.'])
  })
})
