import { describe, expect, test } from 'vitest'
import { postWithWorker } from '../../../test/manual-send-scene.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { sql } from '../../core/db/db.ts'

// One mailbox has many addresses (Identity). A purchase with one stops messages to the others and does nothing else.

const world = createWorld()
let n = 0
const newName = () => `ada${++n}`

async function abandonCart(shop: Shop, email: string): Promise<void> {
  await shop.fill(`browser-of-${email}`, [buildTea()])
  await shop.type(`browser-of-${email}`, { email })
}

const readStates = async (shop: Shop) =>
  (await shop.messages()).map(({ state, reason }) => (reason ? `${state}(${reason})` : state))

test('an address matches without its tag at every domain, and without dots at both domains of Gmail', async () => {
  const readKey = async (email: string) =>
    (await sql<{ key: string }>`select email_match_key(${email}) as key`.execute(world.db)).rows[0]!.key
  expect(await readKey('ada@shop.example')).toBe('ada@shop.example')
  expect(await readKey('ada+tea+pots@shop.example')).toBe('ada@shop.example')
  expect(await readKey('ada.lovelace@shop.example')).toBe('ada.lovelace@shop.example')
  expect(await readKey('a.da.lovelace+x@gmail.com')).toBe('adalovelace@gmail.com')
  expect(await readKey('adalovelace@googlemail.com')).toBe('adalovelace@gmail.com')
  expect(await readKey('ada@notgmail.com')).toBe('ada@notgmail.com')
  // Placeholder addresses match no shopper (Identity).
  expect(await readKey('+one@shop.example')).toBe('+one@shop.example')
  expect(await readKey('guest+7@shop.example')).toBe('guest+7@shop.example')
})

describe.each([
  [
    'cart with the plain address, purchase with an alias',
    (name: string) => [`${name}@shop.example`, `${name}+tea@shop.example`],
  ],
  [
    'cart with one alias, purchase with another',
    (name: string) => [`${name}+x@shop.example`, `${name}+y@shop.example`],
  ],
  ['Gmail with and without dots', (name: string) => [`${name}.l@gmail.com`, `${name}l+tea@googlemail.com`]],
] as const)('%s', (_, addresses) => {
  test('no mail is sent to a shopper who has bought (S3, Identity)', async () => {
    const shop = await createShop(world)
    const [mine, alias] = addresses(newName()) as [string, string]
    await abandonCart(shop, mine)
    world.advance(MINUTE)
    await shop.order({ kind: 'purchase', email: alias })
    const sent = world.sent.length
    await shop.passTime(HOUR)
    await shop.passTime(3 * DAY)
    expect(world.sent).toHaveLength(sent)
    expect(await readStates(shop)).toEqual(['cancelled(purchased)', 'cancelled(purchased)', 'cancelled(purchased)'])
  })
})

test('carts and shoppers of two aliases stay separate, and each gets mail at its own address (S6)', async () => {
  const shop = await createShop(world)
  const name = newName()
  const addresses = [`${name}@shop.example`, `${name}+tea@shop.example`]
  for (const email of addresses) await abandonCart(shop, email)
  const sent = world.sent.length
  await shop.passTime(HOUR)
  expect(
    world.sent
      .slice(sent)
      .map((mail) => mail.to)
      .toSorted(),
  ).toEqual(addresses.toSorted())
  expect(new Set((await shop.liveCarts()).map((cart) => cart.shopper_id)).size).toBe(2)
})

test('no mail is ever sent to a match key that is not a real address', async () => {
  const shop = await createShop(world)
  const name = newName()
  await abandonCart(shop, `${name}+tea@shop.example`)
  await shop.passTime(HOUR)
  await shop.passTime(DAY)
  expect(world.sent.map((mail) => mail.to)).toContain(`${name}+tea@shop.example`)
  expect(world.sent.map((mail) => mail.to)).not.toContain(`${name}@shop.example`)
})

test('an alias’s order with a pending payment holds the message for at most a day (S4)', async () => {
  const shop = await createShop(world)
  const name = newName()
  await abandonCart(shop, `${name}@shop.example`)
  world.advance(50 * MINUTE)
  await shop.order({ kind: 'pending', status: 'pending', email: `${name}+tea@shop.example` })
  const placedAt = world.now.getTime()
  const sent = world.sent.length
  await shop.passTime(10 * MINUTE)
  const [first] = (await shop.messages()).filter((each) => each.reason === 'purchase_in_progress')
  expect(first).toMatchObject({ state: 'held', wake_at: new Date(placedAt + DAY) })
  expect(world.sent).toHaveLength(sent)
})

test('an alias’s purchase before the cart began stops nothing (S3)', async () => {
  const shop = await createShop(world)
  const name = newName()
  await shop.order({ kind: 'purchase', email: `${name}+tea@shop.example` })
  world.advance(MINUTE)
  await abandonCart(shop, `${name}@shop.example`)
  const sent = world.sent.length
  await shop.passTime(HOUR)
  expect(world.sent.slice(sent).map((mail) => mail.to)).toEqual([`${name}@shop.example`])
})

test('different names, or the same name at different domains, do not match', async () => {
  const shop = await createShop(world)
  const name = newName()
  await abandonCart(shop, `${name}@shop.example`)
  world.advance(MINUTE)
  for (const email of [`${name}@other.example`, `${name}.l@shop.example`, `x+${name}@shop.example`]) {
    await shop.order({ kind: 'purchase', email })
  }
  const sent = world.sent.length
  await shop.passTime(HOUR)
  expect(world.sent.slice(sent).map((mail) => mail.to)).toEqual([`${name}@shop.example`])
})

test('a manual message to a shopper who bought with an alias is refused with the reason (D11)', async () => {
  const shop = await createShop(world, { isFlowOn: false })
  const name = newName()
  await abandonCart(shop, `${name}@shop.example`)
  await shop.passTime(DAY)
  const cart = await shop.cart()
  await shop.order({ kind: 'purchase', email: `${name}+tea@shop.example` })
  const reply = await postWithWorker(world, shop, '/api/email/send-email', { to: cart.email, cart_id: cart.id })
  expect(reply).toMatchObject({ status: 422, body: { fields: { reason: 'purchased' } } })
})

test('an erased shopper has no matches, because the key is computed from the erased address (C8)', async () => {
  const shop = await createShop(world)
  const name = newName()
  await abandonCart(shop, `${name}+tea@shop.example`)
  await shop.order({ kind: 'purchase', email: `${name}+tea@shop.example` })
  await world.request('DELETE', `/api/privacy/${encodeURIComponent(`${name}+tea@shop.example`)}`, {
    token: shop.token,
    body: { confirmation: 'erase' },
  })
  await world.runJobs()
  const stored = await sql`select 1 from shopper_keys where store_id = ${shop.storeId}
    and kind = 'email' and email_match_key(value) = ${`${name}@shop.example`}`.execute(world.db)
  expect(stored.rows).toEqual([])
})
