import type { KyselyPlugin } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { CapturePost } from '../../../shared/carts/capture.ts'
import { buildConsentBox } from '../../../test/consent-boxes.ts'
import { findTraces } from '../../../test/erasure-scene.ts'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { createProviderWorld } from '../../../test/provider-calls.ts'
import { recordCapture } from '../../carts/capture/capture.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import type { Outcome, TextChannel } from '../../messages/channels/channel.ts'
import { selectEvidence } from '../../shoppers/consent/evidence-sql.ts'
import { sendOptInRequests } from './opt-in-request.ts'

// Double opt-in for SMS, from the box in the shop to the YES of the person.

const scene = createProviderWorld()
const { world, says } = scene
const HOUR = 3_600_000
let store: TestStore
let visits = 0

beforeEach(async () => {
  store = scene.store
  await world.db.updateTable('subscriptions').set({ plan: 'starter' }).execute()
  await world.db
    .updateTable('stores')
    .set({ selling_countries: ['US', 'DE'] })
    .execute()
  await world.db.deleteFrom('rate_limits').execute()
  // Mid-morning in Germany.
  world.now = new Date(`${new Date(world.now.getTime() + 86_400_000).toISOString().slice(0, 10)}T10:00:00Z`)
})

const german = () => `+4915123456${String(100 + visits)}`

/** A shopper ticks boxes at the checkout; a number is always typed in the same browser. */
async function ticks(consent: NonNullable<CapturePost['consent']>, phone = german(), to = store) {
  const url = 'https://shop.example.com'
  visits += 1
  const post: CapturePost = {
    cart: `cart-of-${phone.slice(1).padStart(20, '0')}`,
    page: `page-${String(visits).padStart(6, '0')}`,
    seq: 0,
    contact: { email: `v${phone.slice(1)}@shoppers.example`, phone },
  }
  const capture = (post: CapturePost) =>
    recordCapture(world.deps, { id: to.storeId, url, home_url: url }, post, `client-${visits}`)
  await capture(post)
  await capture({ ...post, seq: 1, consent })
  return phone
}

const sms = (isGiven: boolean) => ({ sms: buildConsentBox('sms', isGiven) })

async function readWord(phone: string, channel = 'sms', of = store) {
  const hash = world.deps.secrets.addressHash(phone)
  const evidence = await selectEvidence({ storeId: of.storeId, db: world.db }, [hash], [channel])
  return evidence.get(`${channel}:${hash.toString('hex')}`)
}

const listRequests = (phone: string) =>
  scene.twilio.network.texts.thread(phone, 'sms', '+12025550100').map(({ body }) => body)

describe('an SMS opt-in (C5, C6)', () => {
  test('in Germany is pending and gets one opt-in request without advertising', async () => {
    const phone = await ticks(sms(true))
    expect((await readWord(phone))?.evidence).toBe('pending')
    for (let n = 0; n < 3; n++) await sendOptInRequests(world.deps)
    await ticks(sms(true), phone)
    await sendOptInRequests(world.deps)
    expect(listRequests(phone)).toEqual([expect.stringMatching(/^Tea & Co: Möchten Sie SMS .* antworten Sie mit JA\./)])
    expect(listRequests(phone)[0]).not.toMatch(/http|%|rabatt|discount/i)
  })

  test('in the US counts at once, without a request', async () => {
    const phone = await ticks(sms(true), '+12125550177')
    await sendOptInRequests(world.deps)
    expect([(await readWord(phone))?.evidence, listRequests(phone)]).toEqual(['express_yes', []])
  })

  test('is confirmed in every country if the store requires it', async () => {
    await world.db.updateTable('stores').set({ sms_confirmation: 'always' }).where('id', '=', store.storeId).execute()
    const phone = await ticks(sms(true), '+12125550178')
    await world.db
      .updateTable('stores')
      .set({ sms_confirmation: 'where_required' })
      .where('id', '=', store.storeId)
      .execute()
    world.now = new Date(`${world.now.toISOString().slice(0, 10)}T19:00:00Z`)
    await sendOptInRequests(world.deps)
    expect((await readWord(phone))?.evidence).toBe('pending')
    expect(listRequests(phone)).toEqual([expect.stringMatching(/^Tea & Co: do you want .* reply YES\./)])
  })

  test('given on a page of the shop is confirmed if the store requires it; one with an order is not (C5)', async () => {
    const setMode = (mode: 'page_script' | 'where_required') =>
      world.request('PUT', `/api/consent/sms-confirmation?storeId=${store.storeId}`, {
        token: store.token,
        body: { mode },
      })
    expect((await setMode('page_script')).status).toBe(200)
    const phone = await ticks(sms(true), '+12125550181')
    const consents = [{ channel: 'sms' as const, wording: 'Text me' }]
    const order = buildOrder(world, { kind: 'purchase', phone: '+12125550182', country: 'US', consents })
    await recordOrders(world.deps, store.storeId, [order], 'webhook')
    await setMode('where_required')
    expect((await readWord(phone))?.evidence).toBe('pending')
    expect((await readWord('+12125550182'))?.evidence).toBe('express_yes')
  })

  test('is the only kind with a confirmation; email and WhatsApp have none', async () => {
    const phone = await ticks({ email: buildConsentBox('email'), whatsapp: buildConsentBox('whatsapp') })
    expect((await readWord(phone, 'whatsapp'))?.evidence).toBe('express_yes')
    await sendOptInRequests(world.deps)
    expect(listRequests(phone)).toEqual([])
  })
})

test('a box unticked after the clock was set back is the newest entry (C5, T4)', async () => {
  const phone = await ticks(sms(true), '+12125550179')
  world.advance(-600_000)
  await ticks(sms(false), phone)
  expect((await readWord(phone))?.evidence).toBe('withdrawn')
  world.advance(600_000)
})

describe('the reply to an opt-in request', () => {
  const replies = (phone: string, text: string) => says(text, { From: phone })

  test('YES in any case confirms once, with the wording of the request; anything else leaves it pending', async () => {
    const phone = await ticks(sms(true))
    await sendOptInRequests(world.deps)
    for (const text of ['maybe', 'yes please', 'Who is this?']) await replies(phone, text)
    expect((await readWord(phone))?.evidence).toBe('pending')
    world.advance(1_000)
    expect((await replies(phone, ' ja! ')).body).toContain('Tea &amp; Co: Danke, das ist bestätigt.')
    expect(await readWord(phone)).toMatchObject({ evidence: 'confirmed', source: 'YES by SMS' })
    expect((await replies(phone, 'YES')).body).not.toContain('bestätigt')
    const row = await world.db
      .selectFrom('consents')
      .selectAll()
      .where('is_confirmed', '=', true)
      .executeTakeFirstOrThrow()
    expect(row.wording).toBe(listRequests(phone)[0])
  })

  test('YES without a request has no effect', async () => {
    const phone = german()
    visits += 1
    expect((await replies(phone, 'YES')).body).not.toContain('bestätigt')
    expect(await readWord(phone)).toBeUndefined()
  })

  test('STOP ends the request: a later YES grants nothing', async () => {
    const phone = await ticks(sms(true))
    await sendOptInRequests(world.deps)
    world.advance(1_000)
    await replies(phone, 'STOP')
    world.advance(1_000)
    await replies(phone, 'YES')
    expect((await readWord(phone))?.evidence).toBe('withdrawn')
  })

  test('START after STOP restores a confirmed consent', async () => {
    const phone = await ticks(sms(true))
    await sendOptInRequests(world.deps)
    for (const text of ['YES', 'STOP', 'START']) {
      world.advance(1_000)
      await replies(phone, text)
    }
    expect((await readWord(phone))?.evidence).toBe('confirmed')
  })

  test('a box ticked again keeps a confirmed consent', async () => {
    const phone = await ticks(sms(true))
    await sendOptInRequests(world.deps)
    await replies(phone, 'YES')
    world.advance(1_000)
    await ticks(sms(true), phone)
    expect((await readWord(phone))?.evidence).toBe('confirmed')
  })
})

describe('an opt-in request obeys what stops messages', () => {
  test('it waits for the end of quiet hours (T2)', async () => {
    world.now = new Date(`${world.now.toISOString().slice(0, 10)}T22:30:00Z`)
    const phone = await ticks(sms(true))
    await sendOptInRequests(world.deps)
    expect(listRequests(phone)).toEqual([])
    world.advance(10 * HOUR)
    await sendOptInRequests(world.deps)
    expect(listRequests(phone)).toHaveLength(1)
  })

  test('it is not sent after a STOP or a withdrawal (C1)', async () => {
    const stopped = german()
    await says('STOP', { From: stopped })
    world.advance(1_000)
    await ticks(sms(true), stopped)
    const undecided = await ticks(sms(true))
    world.advance(1_000)
    await ticks(sms(false), undecided)
    await sendOptInRequests(world.deps)
    expect(
      [...listRequests(stopped).slice(1), ...listRequests(undecided)].filter((body) => body.includes('JA')),
    ).toEqual([])
  })

  test('it is dropped after a day', async () => {
    world.now = new Date(`${world.now.toISOString().slice(0, 10)}T10:00:00Z`)
    const phone = await ticks(sms(true))
    world.advance(25 * HOUR)
    await sendOptInRequests(world.deps)
    const states = await world.db
      .selectFrom('opt_in_requests')
      .select(['state', 'phone'])
      .orderBy('created_at', 'desc')
      .execute()
    expect([listRequests(phone), states[0]]).toEqual([[], { state: 'dropped', phone: null }])
  })

  test('the number is deleted once the request was sent', async () => {
    await ticks(sms(true))
    await sendOptInRequests(world.deps)
    const requests = await world.db
      .selectFrom('opt_in_requests')
      .select('phone')
      .where('state', '<>', 'waiting')
      .execute()
    expect(requests.filter(({ phone }) => phone !== null)).toEqual([])
  })
})

const PRICE = { amountMicros: 100_000, currency: 'EUR' }

/** The questions that are due, by a provider of the test. */
async function askBy(send: TextChannel['send'], db = world.deps.db) {
  const transport: TextChannel = {
    poolSize: 5,
    check: async () => ({ isOk: true }) as const,
    close: async () => {},
    estimate: () => ({ segments: 1, cost: PRICE }),
    send,
  }
  await sendOptInRequests({ ...world.deps, db, channels: { ...world.deps.channels, text: async () => transport } })
}

describe('the price of an opt-in request (Budget)', () => {
  /** The newest question and the books, before and after it was asked. */
  async function asking(ask: () => Promise<unknown>) {
    const booked = async () =>
      (await world.db.selectFrom('sending_spend').select('micros').where('currency', '=', 'EUR').executeTakeFirst())
        ?.micros ?? 0
    await ticks(sms(true))
    const before = await booked()
    await ask()
    const optInRequest = await world.db
      .selectFrom('opt_in_requests')
      .select(['state', 'wording'])
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow()
    return { state: optInRequest.state, isWorded: optInRequest.wording !== null, booked: (await booked()) - before }
  }

  const REFUSAL: Outcome = { kind: 'rejected', reason: 'no', response: 'No', isRecipientFault: false }

  test('stays booked when the process dies before the reply, as it may have been accepted', async () => {
    const request = await asking(() => askBy(() => Promise.reject(new Error('the process ends'))))
    expect(request).toEqual({ state: 'asked', isWorded: true, booked: PRICE.amountMicros })
  })

  test('is refunded after a rejection', async () => {
    const request = await asking(() => askBy(async () => REFUSAL))
    expect(request).toEqual({ state: 'failed', isWorded: true, booked: 0 })
  })

  test.each<[Outcome]>([
    [REFUSAL],
    [{ kind: 'retry', reason: 'busy', response: 'Busy' }],
  ])('is also undone when a YES arrived first, which then answers no request text: %o', async (outcome) => {
    const request = await asking(() =>
      askBy(async ({ to }) => {
        await says('YES', { From: to })
        return outcome
      }),
    )
    expect(request).toEqual({ state: 'answered', isWorded: false, booked: 0 })
  })

  test.each([
    'update opt_in_requests set state = ',
    'insert into sending_spend as s',
  ])('is undone in one commit with the refusal, or neither is written: %s', async (lost) => {
    const ending: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (isAnswered && JSON.stringify(node).includes(lost)) throw new Error('the process ends')
        return node
      },
      transformResult: async ({ result }) => result,
    }
    let isAnswered = false
    const refuse = async () => {
      isAnswered = true
      return REFUSAL
    }
    const request = await asking(() => askBy(refuse, world.deps.db.withPlugin(ending)))
    expect(request).toEqual({ state: 'asked', isWorded: true, booked: PRICE.amountMicros })
  })

  test('is not spent when the process stalled after the check: the request waits for a new check (D5)', async () => {
    let isPut = false
    const still: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (JSON.stringify(node).includes("set state = 'asked'")) world.advance(30_000)
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const put = async (): Promise<Outcome> => {
      isPut = true
      return { kind: 'accepted', providerId: 'SM1', response: '' }
    }
    const request = await asking(() => askBy(put, world.deps.db.withPlugin(still)))
    expect([isPut, request]).toEqual([false, { state: 'waiting', isWorded: false, booked: 0 }])
  })
})

describe('a shopper erased while the request is in flight (C8)', () => {
  test.each<[Outcome, string]>([
    [{ kind: 'retry', reason: 'busy', response: 'Busy' }, 'dropped'],
    [{ kind: 'rejected', reason: '21211', response: 'No such number', isRecipientFault: true }, 'failed'],
    [{ kind: 'accepted', providerId: 'SM-of-the-erased', response: '' }, 'asked'],
  ])('is not asked again, and no provider reply stores them again: %o', async (outcome, state) => {
    const phone = await ticks(sms(true))
    await askBy(async () => {
      const { token } = store
      const path = `/api/privacy/${encodeURIComponent(phone)}`
      const { status } = await world.request('DELETE', path, { token, body: { confirmation: 'erase' } })
      expect(status).toBe(202)
      await world.runJobs()
      return outcome
    })
    const hash = world.deps.secrets.addressHash(phone)
    const requests = await world.db
      .selectFrom('opt_in_requests')
      .select(['state', 'phone', 'provider_id'])
      .where('address_hash', '=', hash)
      .execute()
    expect(requests).toEqual([{ state, phone: null, provider_id: null }])
    expect(await findTraces(world, [phone.slice(1)])).toEqual([])
    world.advance(HOUR)
    await sendOptInRequests(world.deps)
    expect(listRequests(phone)).toEqual([])
  })
})

describe('a consent that comes with an order', () => {
  const consentFor = (channel: 'email' | 'sms' | 'whatsapp') => ({ channel, wording: `Yes to ${channel}` })

  test('is recorded once, however often the order is read, and dated by the order', async () => {
    const other = await createStore(world)
    const order = buildOrder(world, {
      kind: 'purchase',
      phone: '+12125550199',
      consents: [consentFor('email'), consentFor('sms')],
    })
    world.advance(HOUR)
    for (const status of ['processing', 'processing', 'completed']) {
      await recordOrders(
        world.deps,
        other.storeId,
        [{ ...order, status, modifiedAt: world.advance(1_000).toISOString() }],
        'sync',
      )
    }
    const rows = await world.db
      .selectFrom('consents')
      .select(['channel', 'status', 'source', 'wording', 'at'])
      .where('store_id', '=', other.storeId)
      .orderBy('channel')
      .execute()
    const at = new Date(order.createdAt)
    expect(rows).toEqual([
      { channel: 'email', status: 'granted', source: 'order', wording: 'Yes to email', at },
      { channel: 'sms', status: 'granted', source: 'order', wording: 'Yes to sms', at },
    ])
  })

  test.each([HOUR, 0])('does not beat a withdrawal that came after it, by %d ms', async (laterMs) => {
    const other = await createStore(world)
    const order = buildOrder(world, { phone: '+12125550198', consents: [consentFor('sms')] })
    world.advance(laterMs)
    await ticks(sms(false), order.phone!, other)
    world.advance(HOUR)
    await recordOrders(world.deps, other.storeId, [order], 'sync')
    expect((await readWord(order.phone!, 'sms', other))?.evidence).toBe('withdrawn')
  })
})
