import { beforeEach, expect, test } from 'vitest'
import { createShop, DAY, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { createToken, readToken, removePixel } from '../../carts/links/message-tokens.ts'
import { countFigures } from '../../insights/analytics/figures.ts'
import { createLinks } from '../compose/compose.ts'

// Machines that look at a mail's links and pictures attribute nothing, whenever it is noticed that they are machines (A1).

const world = createWorld()
let shop: Shop
let n = 0
let email = ''

beforeEach(async () => {
  email = `ada${++n}@shoppers.example.com`
  shop = await createShop(world)
})

const buildMailedCart = () => shop.mailed({ email, firstName: 'Ada' })

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const HOME = '198.51.100.7'

async function visit(url: string, userAgent = BROWSER, from = HOME) {
  return world.app.inject({ method: 'GET', url, headers: { 'user-agent': userAgent }, remoteAddress: from })
}

const parts = (messageId: string) => {
  const { secrets } = world.deps
  const { checkoutLink } = createLinks({ secrets, messageId, publicUrl: '' })
  return {
    cart: checkoutLink,
    unsubscribeLink: `/u/${createToken(secrets, 'unsubscribe', messageId)}`,
    honeypot: `/c/${createToken(secrets, 'honeypot', messageId)}`,
    picture: `/o/${createToken(secrets, 'open', messageId)}`,
  }
}

const visits = () =>
  world.db
    .selectFrom('engagement_events')
    .selectAll()
    .where('store_id', '=', shop.storeId)
    .orderBy('at')
    .orderBy('id')
    .execute()
const classes = async () => (await visits()).map((row) => `${row.kind} ${row.class} ${row.class_reason}`)
const buy = () => shop.order({ kind: 'purchase', email })

test('a mail contains its own pixel and honeypot link, which are not shown to the shop', async () => {
  const message = await buildMailedCart()
  const mail = world.sent.find((each) => each.messageId === message.id)!
  const { honeypot, picture } = parts(message.id)
  expect(mail.html).toContain(`${honeypot}" aria-hidden="true" tabindex="-1"`)
  expect(mail.html).toContain(picture)
  expect(mail.text).not.toContain(honeypot)
  expect(removePixel(mail.html)).not.toContain('/o/')
  const { body } = await shop.get(`/api/carts/${(await shop.cart()).id}/messages`)
  expect(body.messages[0].html).not.toContain('/o/')
})

test('pixel and honeypot tokens work only for their purpose and cannot be forged (X1)', () => {
  const { secrets } = world.deps
  const id = '0195d3a0-0000-7000-8000-000000000001'
  const token = createToken(secrets, 'open', id)
  expect(readToken(secrets, 'open', token)).toBe(id)
  expect(readToken(secrets, 'honeypot', token)).toBeNull()
  expect(readToken(secrets, 'open', `${token.slice(0, -2)}AA`)).toBeNull()
  expect(readToken(secrets, 'open', createToken(secrets, 'click', id))).toBeNull()
})

test('opens are separate from touches, classified as human or machine, and decide nothing (decision 22)', async () => {
  const message = await buildMailedCart()
  const { picture } = parts(message.id)
  const gmail = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'
  for (const agent of ['Mozilla/5.0', gmail, gmail]) {
    const { statusCode, headers } = await visit(picture, agent, '66.249.84.1')
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([200, 'image/gif', 'no-store'])
  }
  expect(await classes()).toEqual([
    'open machine apple_mail_privacy',
    'open human gmail_proxy',
    'open human gmail_proxy',
  ])
  await buy()
  const cart = await shop.cart()
  expect(cart.status).toBe('purchased')
  const { body } = await shop.get(`/api/carts/${cart.id}/messages`)
  const titles = body.timeline.map((entry: { title: string }) => entry.title)
  expect(titles).toContain('Message opened (by a machine: Apple Mail)')
  expect(titles).toContain('Message opened (reported)')
  expect(body.timeline.find((entry: { title: string }) => entry.title.includes('reported')).text).toContain(
    '2 times in total',
  )
})

test('a scanner with a browser’s user agent that opens all links loses its first click too (A1)', async () => {
  const message = await buildMailedCart()
  const { cart, unsubscribeLink, honeypot } = parts(message.id)
  await visit(cart)
  expect((await shop.cart()).no_response_at).toBeNull()
  world.advance(2_000)
  await visit(unsubscribeLink)
  world.advance(2_000)
  const { statusCode, headers } = await visit(honeypot)
  expect([statusCode, headers.location]).toEqual([302, expect.stringContaining('https://')])
  expect(await classes()).toEqual([
    'click machine honeypot_burst',
    'unsubscribe_link machine honeypot_burst',
    'honeypot machine honeypot',
  ])
  expect(await shop.cart()).toMatchObject({
    badge: 'Email Sent',
    no_response_at: new Date(message.sending_at!.getTime() + DAY),
  })
  world.advance(MINUTE)
  await buy()
  expect((await shop.cart()).status).toBe('purchased')
  expect((await shop.orders())[0]).toMatchObject({ touchpoint_id: null, message_id: null })
})

test('a purchase attributed to a scanner’s click loses the attribution, also in the log (A1, S3)', async () => {
  const message = await buildMailedCart()
  const { cart, honeypot } = parts(message.id)
  await visit(cart)
  world.advance(1_000)
  await buy()
  expect((await shop.cart()).status).toBe('recovered')
  world.advance(1_000)
  await visit(honeypot)
  expect((await shop.cart()).status).toBe('purchased')
  expect((await shop.orders())[0]).toMatchObject({ touchpoint_id: null, message_id: null })
  expect((await shop.events()).map(({ kind }) => kind).slice(-2)).toEqual(['recovered', 'purchased'])
})

test('human visits before and after a scanner’s burst stay human (A1)', async () => {
  const message = await buildMailedCart()
  const { cart, honeypot } = parts(message.id)
  await visit(honeypot)
  world.advance(MINUTE)
  await visit(cart)
  world.advance(MINUTE)
  await visit(honeypot)
  expect((await classes())[1]).toBe('click human browser')
  world.advance(MINUTE)
  await buy()
  expect((await shop.cart()).status).toBe('recovered')
})

test('pressing Restore counts even during a burst, as no scanner presses it (A1)', async () => {
  const message = await buildMailedCart()
  await visit(parts(message.id).honeypot)
  await shop.press(message.id)
  world.advance(MINUTE)
  await buy()
  expect((await shop.cart()).status).toBe('recovered')
})

test('a click from a data centre does not count, and the IP address is not stored', async () => {
  const message = await buildMailedCart()
  await visit(parts(message.id).cart, BROWSER, '3.0.1.2')
  const [row] = await visits()
  expect(row).toMatchObject({ class: 'unknown', class_reason: 'data_centre' })
  expect(JSON.stringify(row)).not.toContain('3.0.1.2')
  await buy()
  expect((await shop.cart()).status).toBe('purchased')
})

test('repeated visits with one token are limited in storage', async () => {
  const message = await buildMailedCart()
  const { picture } = parts(message.id)
  await world.pool.query(
    `insert into engagement_events select $1, gen_random_uuid(), $2, 'open', '', null, 'machine', 'robot', $3 from generate_series(1, 299)`,
    [shop.storeId, message.id, world.now],
  )
  for (let i = 0; i < 3; i++) expect((await visit(picture)).statusCode).toBe(200)
  expect(await visits()).toHaveLength(300)
})

test('a flow’s figures count people’s clicks, opens as reported, and machines’ opens apart (decision 22)', async () => {
  const message = await buildMailedCart()
  const { cart, picture, honeypot } = parts(message.id)
  const responses = async () => {
    await countFigures(world.deps)
    return (await shop.get('/api/flows')).body.flows[0].responses
  }
  expect(await responses()).toEqual({ clicked: 0, opened: 0, openedByMachines: 0 })
  await visit(picture, 'Mozilla/5.0')
  await visit(cart)
  expect(await responses()).toEqual({ clicked: 1, opened: 0, openedByMachines: 1 })
  world.advance(5_000)
  await visit(honeypot)
  world.advance(MINUTE)
  await visit(picture)
  await visit(picture)
  expect(await responses()).toEqual({ clicked: 0, opened: 1, openedByMachines: 0 })
})

test('two concurrent visits are classified together', async () => {
  const message = await buildMailedCart()
  const { cart, honeypot } = parts(message.id)
  await Promise.all([visit(cart), visit(honeypot), visit(cart), visit(honeypot)])
  expect((await classes()).filter((each) => !each.includes('machine'))).toEqual([])
  const touches = await world.db
    .selectFrom('touchpoints')
    .select('is_human')
    .where('store_id', '=', shop.storeId)
    .execute()
  expect(touches).toEqual([{ is_human: false }, { is_human: false }])
})
