import { expect, test } from 'vitest'
import { reasonTexts } from '../../../shared/delivery/reasons.ts'
import { postWithWorker } from '../../../test/manual-send-scene.ts'
import { createOperator, operatorEnv } from '../../../test/operators.ts'
import { buildTea, createShop, HOUR, MINUTE } from '../../../test/shop.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'

// The effect of an operator's suspension on sending (decision 90).

const world = createWorld(operatorEnv)

async function createAccountAndOperator() {
  const shop = await createShop(world)
  const existing = await world.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', 'olga@operators.example')
    .executeTakeFirst()
  if (existing)
    await world.db
      .updateTable('users')
      .set({ email: `${existing.id}@x.example` })
      .where('id', '=', existing.id)
      .execute()
  const { token } = await createOperator(world)
  const change = async (name: 'suspend' | 'resume', body: object) => {
    const reply = await world.request('POST', `/api/operator/accounts/${shop.accountId}/${name}`, { token, body })
    expect(reply.status).toBe(200)
  }
  return {
    shop,
    suspend: () => change('suspend', { reason: 'Bought addresses.' }),
    resume: () => change('resume', {}),
  }
}

const sentTo = (address: string) => world.sent.filter((mail) => mail.to === address).length

test('due messages wait, and are sent after the account resumes (D5)', async () => {
  const { shop, suspend, resume } = await createAccountAndOperator()
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email: 'ada@example.com' })
  const before = sentTo('ada@example.com')
  await suspend()
  await shop.passTime(HOUR + MINUTE)
  expect(sentTo('ada@example.com')).toBe(before)
  expect((await shop.messages())[0]).toMatchObject({ state: 'held', reason: 'account_suspended' })
  world.advance(HOUR)
  await resume()
  await shop.passTime(1_000)
  expect(sentTo('ada@example.com')).toBe(before + 1)
})

test('a suspension between decision and send stops further sends (D10)', async () => {
  const { shop, suspend } = await createAccountAndOperator()
  const people = Array.from({ length: 7 }, (_, number) => `kim${number}@example.com`)
  for (const [number, email] of people.entries()) {
    await shop.fill(`browser ${number}`, [buildTea()])
    await shop.type(`browser ${number}`, { email })
  }
  let suspended: Promise<void> | undefined
  world.answer = async (mail) => {
    suspended ??= suspend()
    await suspended
    return acceptMail(mail)
  }
  await shop.passTime(HOUR + MINUTE)
  world.answer = acceptMail
  // Five are in flight at a time; the others are decided again.
  await shop.passTime(1_000)
  expect(people.filter((email) => sentTo(email) === 1)).toHaveLength(5)
  const first = (await shop.messages()).filter((each) => each.step === 1 && each.state !== 'sent')
  expect(first.map(({ state, reason }) => `${state} ${reason}`)).toEqual(Array(2).fill('held account_suspended'))
})

test('another account continues to send', async () => {
  const { suspend } = await createAccountAndOperator()
  await suspend()
  const other = await createShop(world)
  await other.mailed({ email: 'cy@example.com' })
  expect(sentTo('cy@example.com')).toBe(1)
})

test('manual messages, test mails and invitations are rejected with the reason', async () => {
  const { shop, suspend } = await createAccountAndOperator()
  await shop.mailed({ email: 'bo@example.com' })
  const cart = await shop.cart()
  await suspend()
  const { token } = shop
  const expectedText = expect.stringContaining('Bought addresses.')
  const manual = await postWithWorker(world, shop, '/api/email/send-email', { to: 'bo@example.com', cart_id: cart.id })
  expect([manual.status, manual.body.error]).toEqual([403, expectedText])
  const testMail = await world.request('POST', '/api/stores/sending/test-mail', { token, body: {} })
  expect([testMail.status, testMail.body.error]).toEqual([403, expectedText])
  const sms = { channel: 'sms', cartId: cart.id, to: '+15550100200' }
  await world.db
    .updateTable('subscriptions')
    .set({ plan: 'starter' })
    .where('account_id', '=', shop.accountId)
    .execute()
  const tried = await world.request('POST', '/api/messages/test-send', { token, body: sms })
  expect([tried.status, tried.body.error]).toEqual([403, reasonTexts.account_suspended])
  const body = { email: 'mia@team.example', role: 'member' }
  const invitation = await world.request('POST', '/api/team/invitations', { token, body })
  expect([invitation.status, invitation.body.error]).toEqual([403, expectedText])
})
