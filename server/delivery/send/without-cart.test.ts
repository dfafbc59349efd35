import { beforeEach, describe, expect, test } from 'vitest'
import { completeOrderCheck } from '../../../test/factories.ts'
import { findLink, listStepDecisions } from '../../../test/message-scene.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { transact } from '../../core/db/db.ts'
import { type MessagePlan, planMessages } from '../../messages/messages/plan.ts'
import { setNextDue as scheduleNextRun } from '../../messages/messages/sql.ts'
import { recordOrderConsents } from '../../shoppers/consent/consents.ts'
import { findPerson } from '../../workspace/privacy/person.ts'
import { closeAbandonedSends } from './abandoned.ts'
import { sendDue } from './send-due.ts'

// Messages for a person, about no cart: planned, decided, sent once, answered and recorded like all others.

const world = createWorld()
let answer: typeof world.answer
let shop: Shop
let n = 0

beforeEach(async () => {
  answer ??= world.answer
  world.answer = answer
  shop = await createShop(world, { plan: 'growth' })
  world.sent.length = 0
  world.texts.length = 0
})

type Person = Record<'email' | 'browser' | 'id', string>

async function createPerson(more: { phone?: string } = {}): Promise<Person> {
  const email = `ben${++n}@shoppers.example.com`
  await shop.type(email, { email, firstName: 'Ben', ...more })
  return { email, browser: email, id: await readShopper(email) }
}

async function readShopper(email: string): Promise<string> {
  const shoppers = world.db.selectFrom('shoppers').select('id').where('store_id', '=', shop.storeId)
  return (await shoppers.where('email', '=', email).executeTakeFirstOrThrow()).id
}

type PlanOverrides = Partial<Omit<MessagePlan, 'origin'>> & { originId?: string }

function plan(people: readonly Person[], { originId = createId(), ...more }: PlanOverrides = {}): Promise<string[]> {
  const now = world.now
  const request = { requestedBy: shop.userId, isImmediate: false, overridesHoldout: false }
  const texts = { subject: 'A gift', body: 'Hi {{ customer_name }} [{{ cart_total }}] {{ checkout_link }}' }
  return transact({ storeId: shop.storeId, db: world.db }, async (tx) => {
    const planned = await planMessages(tx, {
      origin: { kind: 'manual', id: originId, ...request, ...texts },
      people: people.map(({ id }) => ({ id: createId(), shopperId: id })),
      channel: 'email',
      templateId: null,
      purchasesSince: null,
      now,
      dueAt: now,
      wakeAt: now,
      expiresAt: new Date(now.getTime() + DAY),
      ...more,
    })
    await scheduleNextRun(tx)
    return planned.map(({ id }) => id)
  })
}

async function send(): Promise<void> {
  await completeOrderCheck(world, shop.storeId)
  await sendDue(world.deps, { storeId: shop.storeId })
}

const readStates = async () =>
  (await shop.messages()).map(({ state, reason }) => (reason ? `${state}(${reason})` : state))
const merge = (one: Person, other: Person) => shop.type(one.browser, { email: other.email })
const readTokens = (messageId: string) =>
  world.db.selectFrom('link_tokens').selectAll().where('message_id', '=', messageId).orderBy('purpose').execute()

describe('a message without a cart', () => {
  test('is sent once, mentions no cart, and is fully recorded (D1, D12)', async () => {
    const ben = await createPerson()
    const [id] = await plan([ben])
    await send()
    await send()
    expect(world.sent.map(({ to, subject }) => [to, subject])).toEqual([[ben.email, 'A gift']])
    expect(world.sent[0]!.text).toMatch(
      /^Hi Ben \[\] Visit the shop http\S+\/c\/[\s\S]+because you gave your email address to Tea & Co\./,
    )
    expect(world.sent[0]!.html).toContain('/u/')
    expect(world.sent[0]!.html).toContain('/preferences?token=')
    expect(world.sent[0]!.html).not.toContain('/cart/recover')
    expect(await shop.messages()).toMatchObject([{ id, cart_id: null, shopper_id: ben.id, state: 'sent' }])
    expect(await listStepDecisions(world, shop.storeId)).toEqual(['send ok', 'result accepted'])
    expect(await readTokens(id!)).toEqual([])
    const [news] = await shop.notifications()
    expect(news).toMatchObject({ type: 'email_sent', data: { cartId: null, messageId: id, to: ben.email } })
  })

  test('requested twice at once and once more later reaches each shopper once (D1)', async () => {
    const people = [await createPerson(), await createPerson()]
    const originId = createId()
    const planned = await Promise.all([plan(people, { originId }), plan(people.toReversed(), { originId })])
    expect(planned.flat()).toHaveLength(2)
    await send()
    expect(await plan(people, { originId, channel: 'sms' })).toEqual([])
    await send()
    expect(world.sent.map(({ to }) => to).sort()).toEqual(people.map(({ email }) => email).sort())
    const [{ lone_shopper_id: _, ...first }] = (await shop.messages()) as [
      Awaited<ReturnType<Shop['messages']>>[number],
    ]
    const again = world.db.insertInto('messages').values({ ...first, id: createId() })
    await expect(again.execute()).rejects.toThrow(/messages_once_per_shopper/)
  })

  test('is sent once by two processes that both believe they hold the store’s lease (D1)', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => createPerson()))
    await plan(people)
    await completeOrderCheck(world, shop.storeId)
    const seizing = setInterval(async () => {
      await world.pool.query('update send_schedule set lease_until = null where store_id = $1', [shop.storeId])
    }, 3)
    await Promise.all([1, 2, 3].map(() => sendDue(world.deps, { storeId: shop.storeId })))
    clearInterval(seizing)
    await send()
    expect(world.sent.map(({ to }) => to).sort()).toEqual(people.map(({ email }) => email).sort())
  })

  test('counts for the frequency cap and waits for it (T1)', async () => {
    const ben = await createPerson()
    for (let count = 0; count < 4; count++) await plan([ben])
    for (let count = 0; count < 4; count++) await send()
    expect((await readStates()).sort()).toEqual(['held(frequency_cap)', 'sent', 'sent', 'sent'])
  })

  test('is not sent without the store’s order check (D3)', async () => {
    await completeOrderCheck(world, shop.storeId)
    world.advance(2 * MINUTE)
    await plan([await createPerson()])
    await sendDue(world.deps, { storeId: shop.storeId })
    expect(world.sent).toEqual([])
    expect((await readStates())[0]).toMatch(/^held\(store_unreachable/)
  })

  test('is retried after a deferral, unless it was ended meanwhile (D4, C2)', async () => {
    world.answer = () => ({ kind: 'retry', reason: 'deferred', response: '451 later' })
    const [ben, ada] = [await createPerson(), await createPerson()]
    await plan([ben])
    await send()
    expect(await readStates()).toEqual(['held(retry)'])
    world.answer = async (mail) => {
      if (mail.to === ada.email) await suppress(ada.email)
      return { kind: 'retry', reason: 'deferred', response: '451 later' }
    }
    await plan([ada])
    await send()
    expect(await readStates()).toEqual(['held(retry)', 'skipped(suppressed_manual)'])
    world.answer = answer
    world.advance(MINUTE)
    await send()
    expect((await readStates())[0]).toBe('sent')
  })

  test('becomes unknown when its process dies during the send, and is never resent (D4)', async () => {
    await plan([await createPerson()])
    const { promise: never } = Promise.withResolvers<never>()
    world.answer = () => never
    await completeOrderCheck(world, shop.storeId)
    void sendDue({ ...world.deps, workerId: createId() }, { storeId: shop.storeId })
    await expect.poll(readStates).toEqual(['sending'])
    world.answer = answer
    await closeAbandonedSends(world.deps)
    world.advance(MINUTE)
    await send()
    expect(await readStates()).toEqual(['unknown(unknown)'])
    expect(world.sent).toHaveLength(1)
  })

  test('as an SMS uses the shopper’s number, without the limits of cart reminders', async () => {
    const ben = await createPerson({ phone: '+12125550142' })
    await agree('+12125550142')
    world.advance(3 * DAY)
    await plan([ben], { channel: 'sms' })
    await send()
    expect(world.texts.map(({ to, text }) => [to, /^Hi Ben \[\] http/.test(text)])).toEqual([['+12125550142', true]])
    await plan([ben], { channel: 'sms', expiresAt: new Date(world.now.getTime() + 2 * DAY) })
    await send()
    expect((await readStates()).sort()).toEqual(['held(cooldown)', 'sent'])
  })
})

async function suppress(address: string): Promise<void> {
  const body = { address }
  expect((await world.request('POST', '/api/suppressions', { token: shop.token, body })).status).toBe(200)
}

/** A shopper of the batch in progress whose message is decided but not sent. */
async function oneWaiting(people: readonly Person[]): Promise<string> {
  const waiting = (await shop.messages()).find(({ state }) => state === 'claimed')!
  return people.find(({ id }) => id === waiting.shopper_id)!.email
}

async function agree(phone: string): Promise<void> {
  const addressHash = world.deps.secrets.addressHash(phone)
  await world.pool.query(
    `insert into consents (store_id, id, address_hash, channel, status, is_confirmed, source, at)
     values ($1, gen_random_uuid(), $2, 'sms', 'granted', true, 'checkout', $3)`,
    [shop.storeId, addressHash, world.now],
  )
}

describe('a message without a cart is stopped', () => {
  test('by a suppression, in the same commit (C1, C2)', async () => {
    const ben = await createPerson()
    await plan([ben], { dueAt: new Date(world.now.getTime() + HOUR) })
    await suppress(ben.email)
    expect(await readStates()).toEqual(['skipped(suppressed_manual)'])
  })

  test('by a suppression between decision and send (D10)', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => createPerson()))
    await plan(people)
    let last = ''
    world.answer = async (mail) => {
      if (!last) {
        last = await oneWaiting(people)
        await world.pool.query(
          `insert into suppressions (account_id, address_hash, channel, address, reason, source, created_at)
           values ($1, $2, 'all', $3, 'manual', 'owner', $4)`,
          [shop.accountId, world.deps.secrets.addressHash(last), last, world.now],
        )
      }
      return answer(mail)
    }
    await send()
    expect(world.sent).toHaveLength(5)
    expect(world.sent.map(({ to }) => to)).not.toContain(last)
  })

  test('by a purchase only if its origin has that stop (decision 39)', async () => {
    const [ben, ada] = [await createPerson(), await createPerson()]
    const soon = { dueAt: new Date(world.now.getTime() + HOUR), wakeAt: new Date(world.now.getTime() + HOUR) }
    await shop.order({ kind: 'purchase', email: ada.email })
    world.advance(MINUTE)
    await plan([ben], soon)
    await plan([ben, ada], { ...soon, purchasesSince: world.now })
    world.advance(MINUTE)
    await shop.order({ kind: 'purchase', email: ben.email })
    world.advance(HOUR)
    await send()
    expect((await readStates()).sort()).toEqual(['sent', 'sent', 'skipped(purchased)'])
    expect(world.sent.map(({ to }) => to).sort()).toEqual([ada.email, ben.email].sort())
  })

  test('for the time being by an order that awaits payment, if a purchase would end it (S4)', async () => {
    const ben = await createPerson()
    await plan([ben], { purchasesSince: world.now })
    await shop.order({ kind: 'pending', email: ben.email })
    await send()
    expect(await readStates()).toEqual(['held(purchase_in_progress)'])
  })

  test('by a purchase between decision and send (D10)', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => createPerson()))
    await plan(people, { purchasesSince: world.now })
    const buy = async () => {
      await shop.order({ kind: 'purchase', email: await oneWaiting(people) })
    }
    let bought: Promise<void> | undefined
    world.answer = async (mail) => {
      bought ??= buy()
      await bought
      return answer(mail)
    }
    await send()
    expect(world.sent).toHaveLength(5)
    world.advance(MINUTE)
    await send()
    expect((await readStates()).filter((each) => each !== 'sent')).toEqual(['skipped(purchased)'])
  })

  test('by disconnecting the store, and deleted with the store (Y4)', async () => {
    await plan([await createPerson()])
    await world.db.updateTable('stores').set({ is_active: false }).where('id', '=', shop.storeId).execute()
    await send()
    expect(await readStates()).toEqual(['cancelled(disconnected)'])
    await world.db.deleteFrom('flow_steps').where('store_id', '=', shop.storeId).execute()
    await world.db.deleteFrom('stores').where('id', '=', shop.storeId).execute()
    expect(await shop.messages()).toEqual([])
  })
})

test('a message that waits for consent is sent once it is given (C5)', async () => {
  const email = `greta${++n}@shoppers.example.com`
  await shop.type(email, { email, country: 'DE', countrySource: 'address' })
  await plan([{ email, browser: email, id: await readShopper(email) }])
  await send()
  expect(await readStates()).toEqual(['held(no_consent)'])
  const word = { channel: 'email' as const, address: email, isGiven: true, wording: 'Yes', country: 'DE' }
  await recordOrderConsents(world.deps, { storeId: shop.storeId, db: world.db }, [
    { ...word, orderId: '1', at: world.now },
  ])
  await send()
  expect(await readStates()).toEqual(['sent'])
})

describe('two merged shoppers', () => {
  const originId = createId()
  const later = () => ({ dueAt: new Date(world.now.getTime() + HOUR), wakeAt: new Date(world.now.getTime() + HOUR) })

  test('get one of the two messages planned for them (D1)', async () => {
    const [ben, ada] = [await createPerson(), await createPerson()]
    await plan([ben, ada], { originId, ...later() })
    await merge(ben, ada)
    expect((await readStates()).sort()).toEqual(['cancelled(merged)', 'scheduled'])
    world.advance(HOUR)
    await send()
    expect(world.sent).toHaveLength(1)
    expect(await plan([{ ...ada, id: await readShopper(ada.email) }], { originId })).toEqual([])
  })

  test('get none if one of them has had it (D1)', async () => {
    const [ben, ada] = [await createPerson(), await createPerson()]
    await plan([ben], { originId })
    await send()
    await plan([ada], { originId, ...later() })
    await merge(ben, ada)
    expect((await readStates()).sort()).toEqual(['cancelled(merged)', 'sent'])
  })

  test('keep the messages both have had', async () => {
    const people = [await createPerson(), await createPerson(), await createPerson()] as const
    await plan(people, { originId })
    await send()
    await merge(people[0], people[1])
    await merge(people[1], people[2])
    expect(await readStates()).toEqual(['sent', 'sent', 'sent'])
    expect(new Set((await shop.messages()).map((row) => row.shopper_id)).size).toBe(1)
  })
})

describe('responses to a message without a cart', () => {
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0' }

  test('a human click opens the shop, and a later purchase is attributed to the message (A1)', async () => {
    const ben = await createPerson()
    const [id] = await plan([ben])
    await send()
    world.advance(HOUR)
    const link = /\/c\/[\w-]{43}/.exec(world.sent[0]!.text)![0]
    const reply = await world.request('GET', link, { headers: browser })
    expect(reply.headers.location).toMatch(/^https:\/\/shop\d+\.example\.com$/)
    world.advance(MINUTE)
    await shop.order({ kind: 'purchase', email: ben.email })
    expect((await shop.orders())[0]).toMatchObject({ message_id: id, touchpoint_id: expect.any(String) })
    const touches = await world.db.selectFrom('touchpoints').selectAll().where('store_id', '=', shop.storeId).execute()
    expect(touches).toMatchObject([{ cart_id: null, shopper_id: ben.id, is_human: true }])
  })

  test('a machine’s visit right after the send is not a touch (A1)', async () => {
    await plan([await createPerson()])
    await send()
    world.advance(HOUR)
    for (const link of new Set(world.sent[0]!.html.match(/\/c\/[\w-]+/g)!))
      await world.request('GET', link, { headers: browser })
    const touches = await world.db.selectFrom('touchpoints').selectAll().where('store_id', '=', shop.storeId).execute()
    expect(touches.map(({ is_human }) => is_human)).toEqual([false])
  })

  test('its unsubscribe link closes the shopper’s other messages, with or without a cart (C2)', async () => {
    const ben = await createPerson()
    await plan([ben])
    await send()
    await shop.fill(ben.browser, [buildTea()])
    await shop.passTime(30 * MINUTE)
    await plan([ben], { dueAt: new Date(world.now.getTime() + HOUR), wakeAt: new Date(world.now.getTime() + HOUR) })
    const link = /\/u\/[\w-]{43}/.exec(world.sent[0]!.html)![0]
    expect((await world.request('POST', link)).status).toBe(200)
    expect((await readStates()).filter((each) => !['sent', 'skipped(suppressed_unsubscribed)'].includes(each))).toEqual(
      [],
    )
    expect((await readStates()).filter((each) => each === 'sent')).toHaveLength(1)
  })

  test('it is shown as the shopper’s last message on each of their carts', async () => {
    const ben = await createPerson()
    await shop.fill(ben.browser, [buildTea()])
    await plan([ben])
    await send()
    const [cart] = await shop.liveCarts()
    const { body } = await shop.get(`/api/carts/${cart!.id}/last-message`)
    expect(body.message).toMatchObject({ channel: 'email', subject: 'A gift', outcome: 'sent' })
  })

  test('it is part of the shopper’s stored data (C8)', async () => {
    const ben = await createPerson()
    const [id] = await plan([ben])
    await send()
    const hash = world.deps.secrets.addressHash(ben.email)
    const store = { storeId: shop.storeId, db: world.db }
    const person = await findPerson(world.deps, store, { addresses: [ben.email], hashes: [hash] })
    expect(person.messageIds).toEqual([id])
    const erase = { token: shop.token, body: { confirmation: 'erase' } }
    expect((await world.request('DELETE', `/api/privacy/${encodeURIComponent(ben.email)}`, erase)).status).toBe(202)
    await world.runJobs()
    expect(await shop.messages()).toMatchObject([{ id, to_address: null, subject: null, body_html: null }])
    expect(await shop.notifications()).toEqual([])
    const click = await world.request('GET', findLink(world.sent[0]!.html, '/c/'), { headers: browser })
    expect(click.headers.location).toContain('cart_id=unknown')
    expect((await world.request('POST', findLink(world.sent[0]!.html, '/u/'))).status).toBe(404)
  })
})
