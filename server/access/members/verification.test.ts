import { beforeEach, expect, test } from 'vitest'
import { buildTea, createShop } from '../../../test/shop.ts'
import { createAddress, createUser, fetchMe, postAuth } from '../../../test/visitor.ts'
import { createWorld } from '../../../test/world.ts'

// Not in local mode, so that unknown people can register.
const world = createWorld({
  HOST: '0.0.0.0',
  PUBLIC_URL: 'https://recoup.example',
  SMTP_URL: 'smtp://mail.example:587',
})

const DAY = 86_400_000

beforeEach(() => {
  world.sent.length = 0
  world.queued.length = 0
})

async function createUnverified(name = 'Ada') {
  const email = createAddress()
  const { token, user } = await postAuth(world, 'register', { name, email, password: 'correct horse' })
  await world.runJobs()
  return { email, token: token as string, userId: user.id as string }
}

const linkTo = (email: string) =>
  /verify-email\?token=([\w.-]+)/.exec(world.sent.findLast((mail) => mail.to === email)!.text)![1]!
const verify = (token: string) => postAuth(world, 'verify-email', { token })
const call = (path: string, token: string, body: object = {}, method = 'POST') =>
  world.request(method, path, { token, body })
const first = 'Confirm your email address first. Until then, our mail server sends nothing for your account.'

const readOnlyCart = (storeId: string) =>
  world.db.selectFrom('carts').select('id').where('store_id', '=', storeId).executeTakeFirstOrThrow()

/** A shop whose owner has not confirmed their address. */
async function createUnprovenShop() {
  const shop = await createShop(world, { isFlowOn: false })
  await world.db.updateTable('users').set({ email_confirmed_at: null }).where('id', '=', shop.userId).execute()
  const { email } = await shop.order({})
  world.advance(2 * 3_600_000)
  const cart = await readOnlyCart(shop.storeId)
  return { ...shop, cartId: cart.id, customer: email! }
}

test('registering mails a link, and following it confirms the address', async () => {
  const user = await createUnverified()
  expect((await fetchMe(world, user.token)).user.isEmailConfirmed).toBe(false)
  const token = linkTo(user.email)
  expect(await verify(token)).toMatchObject({ status: 200, message: 'Your email address is confirmed.' })
  expect((await fetchMe(world, user.token)).user.isEmailConfirmed).toBe(true)
  expect((await verify(token)).status).toBe(200)
})

test('the mail to an unconfirmed address contains no text of the person who registered it', async () => {
  const { email } = await createUnverified('Free money for you')
  const mail = world.sent.find((each) => each.to === email)!
  expect(`${mail.subject} ${mail.text} ${mail.html}`).not.toContain('Free money')
})

test('a confirmation link is valid for its address and seven days only, and cannot be forged', async () => {
  const [user, late, moved] = [await createUnverified(), await createUnverified(), await createUnverified()]
  const token = linkTo(user.email)
  const [userId, expires, mac] = token.split('.')
  await world.db.updateTable('users').set({ email: createAddress() }).where('id', '=', moved.userId).execute()
  const bad = [
    '',
    'x',
    '..',
    `${userId}.${expires}.`,
    `${userId}.${expires}.${'é'.repeat(43)}`,
    `${late.userId}.${expires}.${mac}`,
  ]
  for (const each of [...bad, linkTo(moved.email), `${userId}.9999999999999.${mac}`]) {
    expect(await verify(each)).toMatchObject({
      status: 400,
      error: 'This link is no longer valid. Sign in and ask for a new one.',
    })
  }
  const old = linkTo(late.email)
  world.advance(7 * DAY)
  expect((await verify(old)).status).toBe(400)
})

test('the link can be sent again three times an hour, until the address is confirmed', async () => {
  const user = await createUnverified()
  world.sent.length = 0
  const again = () => call('/api/auth/verify-email/resend', user.token)
  expect((await again()).body.message).toBe(`We have sent a link to ${user.email}.`)
  const { config } = world.deps
  world.deps.config = { ...config, smtpUrl: undefined, isLocal: true }
  expect((await again()).body.message).toBe('A confirmation link is on its way to this server’s built-in mailbox.')
  world.deps.config = config
  await world.runJobs()
  await again()
  expect((await again()).status).toBe(429)
  await verify(linkTo(user.email))
  expect((await again()).body.message).toBe('Your email address is already confirmed.')
})

test('an account without a confirmed address sends no mail: no message, test, invitation or flow', async () => {
  const shop = await createUnprovenShop()
  const { cartId, customer, flowId } = shop
  const requests: [string, object][] = [
    ['/api/email/send-email', { to: customer, cart_id: cartId, subject: 'You have won', body: 'Call us' }],
    ['/api/email/send-email', { to: customer, cart_id: cartId }],
    ['/api/email/schedule-reminder', { cartId, delayHours: 1 }],
    ['/api/carts/send', { channel: 'email', cartIds: [cartId] }],
    ['/api/messages/test-send', { channel: 'email', cartId, body: 'You have won' }],
    ['/api/stores/sending/test-mail', {}],
    ['/api/team/invitations', { email: 'victim@elsewhere.example', role: 'viewer' }],
    [`/api/flows/${flowId}/switch`, { isOn: true }],
    ['/api/email/discount-test', { customer: cartId }],
  ]
  const missing = async () => (await call('/api/flows', shop.token, {}, 'GET')).body.flows[0].missing
  expect(await missing()).toContain(first)
  for (const [path, body] of requests) {
    const reply = await call(path, shop.token, body)
    expect([path, reply.status, reply.body.error]).toEqual([path, 403, first])
  }
  await world.runJobs()
  expect(world.sent).toEqual([])
  await world.db.updateTable('users').set({ email_confirmed_at: world.now }).where('id', '=', shop.userId).execute()
  expect(await missing()).not.toContain(first)
  expect((await call('/api/team/invitations', shop.token, requests[6]![1])).status).toBe(200)
  expect((await call(`/api/flows/${flowId}/switch`, shop.token, { isOn: true })).status).toBe(200)
})

test('an invitation, a reset or a change of address also confirms the address', async () => {
  const owner = await createUser(world)
  const guest = createAddress()
  await call('/api/team/invitations', owner.token, { email: guest, role: 'viewer' })
  await world.runJobs()
  const token = /invite\?token=([\w-]+)/.exec(world.sent.find((mail) => mail.to === guest)!.text)![1]!
  const joined = await world.request('POST', '/api/team/invitation/accept', {
    body: { token, name: 'Mia', password: 'correct horse' },
  })
  expect(joined.body.user.isEmailConfirmed).toBe(true)
  const user = await createUnverified()
  await postAuth(world, 'forgot-password', { email: user.email })
  await world.runJobs()
  const reset = /reset-password\?token=([\w-]+)/.exec(world.sent.findLast((mail) => mail.to === user.email)!.text)![1]!
  await postAuth(world, 'reset-password', { token: reset, password: 'brand new' })
  expect((await postAuth(world, 'login', { email: user.email, password: 'brand new' })).user.isEmailConfirmed).toBe(
    true,
  )
})

test('a name with an address, a control character or more than 80 characters is refused', async () => {
  const owner = await createUser(world)
  const message = 'A name cannot contain a web or email address'
  const refused = ['Bank https://evil.example/x', 'Win at evil.store', 'www.evil.com', 'a@b.co', 'бук.рф', '10.0.0.1']
  for (const name of refused) {
    const body = { name, email: createAddress(), password: '123456' }
    expect(await postAuth(world, 'register', body)).toMatchObject({ status: 400, fields: { name: message } })
    expect((await call('/api/auth/profile', owner.token, { name }, 'PATCH')).body.fields).toEqual({ name: message })
    expect((await call('/api/account', owner.token, { name }, 'PATCH')).body.fields).toEqual({ name: message })
  }
  for (const name of ['x'.repeat(81), 'a\u0007b', 'a\u202eb', 'a\nb']) {
    expect((await call('/api/auth/profile', owner.token, { name }, 'PATCH')).status).toBe(400)
  }
  for (const name of ['Dr. Ada Smith', 'J.R.R. Tolkien', 'Tea & Co.', 'Zoë 💐', 'نام\u200cها']) {
    expect([name, (await call('/api/auth/profile', owner.token, { name }, 'PATCH')).status]).toEqual([name, 200])
  }
})

test('a name with an address in another spelling or with invisible characters is refused', async () => {
  const { token } = await createUser(world)
  const disguised = [
    'evil.com\u200b',
    'e\u200bvil.com\u2060',
    'evil．com',
    'evil。com',
    'evil․com',
    'ｅvil.com',
    'evil.com💥',
    'Bank💥evil.com',
  ]
  for (const name of disguised) {
    expect([name, (await call('/api/auth/profile', token, { name }, 'PATCH')).status]).toEqual([name, 400])
  }
})

test('a sender name may contain the shop’s own address and no other', async () => {
  const host = 'tea-and-co.example.com'
  const shop = await createShop(world, { url: `https://${host}` })
  const save = (senderName: string) => call('/api/stores/settings', shop.token, { senderName }, 'PUT')
  expect((await save('Your bank (bank.com)')).body.fields).toEqual({
    senderName: 'A name cannot contain a web or email address',
  })
  expect((await save(host)).status).toBe(200)
  expect((await save('Tea & Co')).status).toBe(200)
})

test('the number of mails with custom text grows with the account’s age', async () => {
  const shop = await createShop(world)
  const { email } = await shop.order({})
  world.advance(2 * 3_600_000)
  const cart = await readOnlyCart(shop.storeId)
  const missing = Array.from({ length: 60 }, () => crypto.randomUUID())
  const bulk = (ids: string[], message: object) =>
    call('/api/carts/send', shop.token, { channel: 'email', cartIds: ids, ...message })
  expect((await bulk(missing, {})).status).toBe(200)
  expect(await bulk(missing, { body: 'Our own words' })).toMatchObject({
    status: 429,
    body: { error: expect.stringContaining('A new account can send 50 emails with custom text in 24 hours.') },
  })
  expect((await bulk(missing.slice(0, 49), { body: 'Our own words' })).status).toBe(200)
  const one = { to: email, cart_id: cart.id, subject: 'Our own subject' }
  expect(
    (await call('/api/email/schedule-reminder', shop.token, { cartId: cart.id, delayHours: 1, subject: 'Ours' }))
      .status,
  ).toBe(200)
  expect((await call('/api/email/send-email', shop.token, one)).status).toBe(429)
  await world.db
    .updateTable('accounts')
    .set({ created_at: new Date(world.now.getTime() - 31 * DAY) })
    .execute()
  expect((await bulk(missing, { body: 'Our own words' })).status).toBe(200)
})

test('a test mail begins with a note that it is a test from Recoup', async () => {
  const shop = await createShop(world)
  await shop.order({})
  world.advance(2 * 3_600_000)
  const cart = await readOnlyCart(shop.storeId)
  const test = { channel: 'email', cartId: cart.id, subject: 'Your bank', body: 'Call us at once' }
  expect((await call('/api/messages/test-send', shop.token, test)).body.isAccepted).toBe(true)
  const line = 'This is a test message sent by a Recoup user. It is not a message from a shop.'
  const { subject, text, html } = world.sent[0]!
  expect([subject, text.startsWith(line), html.indexOf(line)]).toEqual(['[Test] Your bank', true, expect.any(Number)])
  expect(html.indexOf('<body')).toBeLessThan(html.indexOf(line))
  expect(html.indexOf(line)).toBeLessThan(html.indexOf('Call us at once'))
})

test('an account with its own mail server may send before the address is confirmed, and keeps that server until then', async () => {
  const shop = await createUnprovenShop()
  await world.db
    .insertInto('mail_servers')
    .values({
      account_id: shop.accountId,
      host: 'smtp.tea.example',
      port: 587,
      security: 'starttls',
      user_name: '',
      check_answer: '250 ok',
      checked_at: world.now,
    })
    .execute()
  const { flows } = (await call('/api/flows', shop.token, {}, 'GET')).body
  expect(flows[0].missing).toEqual([])
  expect((await call(`/api/flows/${shop.flowId}/switch`, shop.token, { isOn: true })).status).toBe(200)
  const servers = await world.request('DELETE', '/api/sending/mail-server', { token: shop.token })
  expect([servers.status, servers.body.error]).toEqual([403, first])
  const guest = { email: 'victim@elsewhere.example', role: 'viewer' }
  expect((await call('/api/team/invitations', shop.token, guest)).body.error).toBe(first)
})

test('a new account mails at most fifty people without an order on its first day, even with default texts', async () => {
  const shop = await createShop(world, { url: 'https://new-account.example.com', plan: 'growth' })
  await world.db.updateTable('accounts').set({ created_at: world.now }).where('id', '=', shop.accountId).execute()
  for (let n = 0; n < 53; n++) {
    await shop.fill(`b${n}`, [buildTea()])
    await shop.type(`b${n}`, { email: `stranger${n}@shoppers.example.com` })
    await world.db.deleteFrom('rate_limits').execute()
  }
  const states = async () => {
    const all = await shop.messages()
    const count = (of: string) => all.filter(({ state, reason }) => `${state} ${reason}`.startsWith(of)).length
    return { sent: count('sent'), held: count('held new_account') }
  }
  await shop.passTime(61 * 60_000)
  // Messages above the limit are decided again a moment later.
  await shop.passTime(2_000)
  expect(await states()).toEqual({ sent: 50, held: 3 })
  await shop.passTime(DAY)
  expect((await states()).held).toBe(0)
})
