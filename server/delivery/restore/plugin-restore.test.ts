import { beforeEach, expect, test } from 'vitest'
import { connectPlugin, type PluginShop } from '../../../test/plugin-shop.ts'
import { buildTea, createShop, HOUR, pot, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { createRestoreToken } from '../compose/compose.ts'

// A cart is brought back by the shop's own plugin, where there is one (decision 107).

const world = createWorld()
let shop: Shop
let call: PluginShop['call']
let email: string
let n = 0

beforeEach(async () => {
  shop = await createShop(world, { url: `https://by-plugin-${++n}.example.com` })
  email = `ada${n}@shoppers.example.com`
  await shop.fill('one', [buildTea(3), pot])
  await shop.type('one', { email, firstName: 'Ada' })
  await shop.passTime(HOUR)
  call = await connectPlugin(world, shop.storeId)
})

const press = async () => {
  const token = createRestoreToken(world.deps.secrets, (await shop.messages())[0]!.id)
  return (await world.request('POST', `/api/carts/${token}/restore`)).body
}
const readBackToken = (reply: { checkoutUrl: string }) => new URL(reply.checkoutUrl).searchParams.get('recoup-restore')!

test('Continue leads to the plugin while it is connected, and to other restore links after two days without contact', async () => {
  const reply = await press()
  expect(reply.checkoutUrl).toMatch(new RegExp(`^https://by-plugin-${n}\\.example\\.com/\\?recoup-restore=[\\w-]{43}$`))
  world.advance(48 * HOUR + 1_000)
  expect((await press()).checkoutUrl).not.toContain('recoup-restore')
})

test('the plugin restores every line of an older store’s cart, as the page says before and after the press', async () => {
  await world.db.updateTable('stores').set({ has_checkout_link: false }).where('id', '=', shop.storeId).execute()
  const token = createRestoreToken(world.deps.secrets, (await shop.messages())[0]!.id)
  const listOutcomes = ({ items }: { items: { outcome: string }[] }) => items.map(({ outcome }) => outcome)
  const look = async () => listOutcomes((await world.request('GET', `/api/carts/${token}`)).body.cart)
  expect([await look(), listOutcomes(await press())]).toEqual([
    ['ok', 'ok'],
    ['ok', 'ok'],
  ])
  world.advance(48 * HOUR + 1_000)
  expect([await look(), listOutcomes(await press())]).toEqual([
    ['ok', 'choose_again'],
    ['ok', 'choose_again'],
  ])
})

test('the plugin gets the cart and, once, the mail’s recipient, but never a name or phone (decision 4)', async () => {
  const token = readBackToken(await press())
  const first = await call('restore', { token })
  expect(first).toMatchObject({ status: 200, isSigned: true })
  expect(first.body).toEqual({
    lines: [
      { product: buildTea().productId, variation: null, quantity: 3, choices: [], name: buildTea().name },
      { product: pot.productId, variation: null, quantity: 1, choices: [], name: pot.name },
    ],
    coupon: null,
    email,
    isOrdered: false,
  })
  expect((await call('restore', { token })).body).toMatchObject({ email: null, lines: first.body.lines })
})

test('tokens of another store, expired and unknown ones get the same reply', async () => {
  const token = readBackToken(await press())
  const other = await connectPlugin(world, (await createShop(world)).storeId)
  const answers = [await other('restore', { token }), await call('restore', { token: 'x'.repeat(43) })]
  world.advance(48 * HOUR + 1_000)
  answers.push(await call('restore', { token }))
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
  expect(answers[0]).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test('a test reveals no address, and reading changes nothing about the cart', async () => {
  const before = await shop.cart()
  const cartId = before.id
  const reply = await world.request('POST', `/api/carts/${cartId}/restore`, { token: shop.token })
  const { body } = await call('restore', { token: readBackToken(reply.body) })
  expect(body).toMatchObject({ email: null, isOrdered: false })
  expect(await shop.cart()).toEqual(before)
})

test('a token can be read at most ten times in ten minutes', async () => {
  const token = readBackToken(await press())
  for (let attempt = 0; attempt < 10; attempt++) expect((await call('restore', { token })).status).toBe(200)
  expect(await call('restore', { token })).toMatchObject({
    status: 429,
    isSigned: true,
    body: { code: 'rate_limited' },
  })
})

test('forged tokens do not use up the rate limit of the shop’s links', async () => {
  const token = readBackToken(await press())
  const callUnknown = (n: number) => call('restore', { token: String(n).padStart(43, 'm') })
  const statuses: number[] = []
  for (let n = 0; n < 610; n++) statuses.push((await callUnknown(n)).status)
  expect([statuses.slice(0, 600), statuses.slice(600)].map((each) => [...new Set(each)])).toEqual([[404], [429]])
  expect((await call('restore', { token })).status).toBe(200)
})

test('the address is returned only right after Continue, not to a later user of the link', async () => {
  const token = readBackToken(await press())
  world.advance(60_001)
  expect((await call('restore', { token })).body).toMatchObject({ email: null, isOrdered: false })
  await press()
  expect((await call('restore', { token })).body).toMatchObject({ email: null })
})

test('a cart bought meanwhile is not filled again', async () => {
  const token = readBackToken(await press())
  await world.db.updateTable('carts').set({ status: 'purchased' }).where('store_id', '=', shop.storeId).execute()
  expect((await call('restore', { token })).body).toEqual({ lines: [], coupon: null, email: null, isOrdered: true })
})
