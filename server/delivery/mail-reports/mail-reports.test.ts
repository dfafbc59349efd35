import net from 'node:net'
import nodemailer from 'nodemailer'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { waitForBlockedConnections } from '../../../test/locks.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  HOUR,
  listStepDecisions,
  passTime,
  readCart,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { transact } from '../../core/db/db.ts'
import { lockShoppersById } from '../../shoppers/shoppers/sql.ts'
import { buildReturnPath } from '../email/return-path.ts'
import { type BounceIntake, listenForBounces } from './bounce-intake.ts'
import { applyWaitingReports, type MailReport, recordMailReport } from './mail-reports.ts'

const OURS = 'bounces@back.mugs.com'
const world = createWorld({ BOUNCE_ADDRESS: OURS })
let intake: BounceIntake
beforeAll(async () => {
  intake = await listenForBounces(world.deps, 0)
})
afterAll(() => intake.stop())
beforeEach(() => {
  world.answer = acceptMail
})

const createReport = (messageId: string, kind: MailReport['kind'], more: Partial<MailReport> = {}): MailReport => ({
  messageId,
  kind,
  source: 'dsn',
  status: '5.1.1',
  words: '550 5.1.1 User unknown',
  ...more,
})
const say = (messageId: string, kind: MailReport['kind']) => recordMailReport(world.deps, createReport(messageId, kind))

/** A mail that was accepted; `answer` is the mail server's. */
async function createSentMail() {
  const scene = await createMessageScene(world, 1)
  await advanceToAbandoned(world, scene.storeId, HOUR)
  await sendDueMessages(world, scene.storeId)
  const [first] = await readMessages(world, scene.storeId)
  // Reports arrive later; records of the same instant have no order.
  world.advance(1_000)
  return { ...scene, id: first!.id }
}
const readState = async (storeId: string) => {
  const [first, second] = await readMessages(world, storeId)
  return { first: [first!.state, first!.reason], second: [second!.state, second!.reason] }
}
const readSuppression = (accountId: string) =>
  world.db
    .selectFrom('suppressions')
    .select(['reason', 'channel', 'source'])
    .where('account_id', '=', accountId)
    .execute()

test('a hard bounce fails the message and suppresses the address (D4, C1)', async () => {
  const { storeId, accountId, id } = await createSentMail()
  await say(id, 'hard')
  expect(await readState(storeId)).toEqual({
    first: ['failed', 'bounced'],
    second: ['skipped', 'suppressed_hard_bounce'],
  })
  expect(await readSuppression(accountId)).toEqual([{ reason: 'hard_bounce', channel: 'email', source: 'dsn' }])
  expect(await listStepDecisions(world, storeId)).toEqual(['send ok', 'result accepted', 'result bounced'])
  expect((await readCart(world, storeId)).badge).toBe('No Action')
  await passTime(world, storeId, 72 * HOUR)
  expect(world.sent).toHaveLength(1)
})

test('a refusal not caused by the address fails the message and suppresses no address', async () => {
  const { storeId, accountId, id } = await createSentMail()
  await say(id, 'refused')
  expect(await readState(storeId)).toMatchObject({ first: ['failed', 'bounced:refused'], second: ['scheduled', null] })
  expect(await readSuppression(accountId)).toEqual([])
})

test('a soft bounce only adds a timeline entry', async () => {
  const { storeId, accountId, id } = await createSentMail()
  await say(id, 'soft')
  expect(await readState(storeId)).toMatchObject({ first: ['sent', null], second: ['scheduled', null] })
  expect(await listStepDecisions(world, storeId)).toEqual(['send ok', 'result accepted', 'result bounced:soft'])
  expect(await readSuppression(accountId)).toEqual([])
})

test('a complaint suppresses the address at once, and the mail stays delivered', async () => {
  const { storeId, accountId, id } = await createSentMail()
  await say(id, 'complaint')
  expect(await readState(storeId)).toEqual({ first: ['delivered', null], second: ['skipped', 'suppressed_complaint'] })
  expect(await readSuppression(accountId)).toEqual([{ reason: 'complaint', channel: 'email', source: 'dsn' }])
  await say(id, 'complaint')
  const complaints = (await readNotifications(world, storeId)).filter(({ type }) => type === 'complaint_failed')
  expect(complaints).toMatchObject([{ title: 'An email was reported as spam' }])
})

describe('reports in any order and any number (D4)', () => {
  const orders: MailReport['kind'][][] = [
    ['hard', 'delivered', 'complaint'],
    ['delivered', 'complaint', 'hard'],
    ['complaint', 'hard', 'hard', 'delivered', 'complaint'],
  ]
  test.each(orders.map((order) => [order]))('%s lead to the same state', async (order) => {
    const { storeId, accountId, id } = await createSentMail()
    for (const kind of order) await say(id, kind)
    expect(await readState(storeId)).toMatchObject({ first: ['failed', 'bounced'] })
    expect((await readSuppression(accountId)).map(({ reason }) => reason).toSorted()).toEqual([
      'complaint',
      'hard_bounce',
    ])
    const record = (await listStepDecisions(world, storeId)).slice(2)
    expect(record.toSorted()).toEqual(['result bounced', 'result complaint', 'result delivered'])
    const news = await readNotifications(world, storeId)
    expect(news.filter(({ title }) => title === 'Recovery email not delivered')).toHaveLength(1)
  })
})

test.each<[MailReport['kind'], string]>([
  ['hard', 'failed'],
  ['delivered', 'delivered'],
  ['complaint', 'delivered'],
  ['soft', 'sent'],
])('of a message whose answer never came, %s says that it is %s ("Sending")', async (kind, state) => {
  world.answer = () => ({ kind: 'unknown', reason: 'timeout_after_data', response: 'no answer' })
  const { storeId, id } = await createSentMail()
  expect((await readMessages(world, storeId))[0]!.state).toBe('unknown')
  await say(id, kind)
  expect((await readMessages(world, storeId))[0]!.state).toBe(state)
})

test('a bounce before the mail server’s reply waits for it, its suppression applies at once', async () => {
  let accountId = ''
  world.answer = async (mail) => {
    await say(mail.messageId, 'hard')
    const { rows } = await world.pool.query('select count(*)::int as n from suppressions where account_id = $1', [
      accountId,
    ])
    expect(rows[0].n).toBe(1)
    return acceptMail(mail)
  }
  const scene = await createMessageScene(world, 1)
  accountId = scene.accountId
  await advanceToAbandoned(world, scene.storeId, HOUR)
  await sendDueMessages(world, scene.storeId)
  expect((await readState(scene.storeId)).first).toEqual(['sent', null])
  await applyWaitingReports(world.deps)
  expect((await readState(scene.storeId)).first).toEqual(['failed', 'bounced'])
})

test('a delayed report is applied under the shopper’s lock, which an erasure takes too (C8)', async () => {
  world.answer = async (mail) => {
    await say(mail.messageId, 'hard')
    return acceptMail(mail)
  }
  const { storeId } = await createSentMail()
  const { shopper_id: shopperId } = await world.db
    .selectFrom('messages')
    .select('shopper_id')
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  const [holding, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const erasure = transact({ storeId, db: world.db }, async (tx) => {
    await lockShoppersById(tx, [shopperId])
    holding.resolve()
    await held.promise
  })
  await holding.promise
  const applied = applyWaitingReports(world.deps)
  try {
    await waitForBlockedConnections(world, 1)
    expect((await readState(storeId)).first).toEqual(['sent', null])
  } finally {
    held.resolve()
    await Promise.all([erasure, applied])
  }
  expect((await readState(storeId)).first).toEqual(['failed', 'bounced'])
})

describe('the intake', () => {
  const DSN = (status: string, text: string) =>
    `From: MAILER-DAEMON@mx.example\r\nSubject: Undelivered Mail\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=B\r\n\r\n--B\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; ana@shopper.example\r\nAction: failed\r\nStatus: ${status}\r\nDiagnostic-Code: smtp; ${text}\r\n--B--\r\n`
  async function comeBack(to: string, raw: string) {
    const transport = nodemailer.createTransport({ host: '127.0.0.1', port: intake.port, ignoreTLS: true })
    try {
      return (await transport.sendMail({ envelope: { from: '', to }, raw })).response
    } catch (error) {
      return (error as { response: string }).response
    } finally {
      transport.close()
    }
  }

  test('a report to a mail’s return address is accepted from an empty sender', async () => {
    const { storeId, id } = await createSentMail()
    const path = buildReturnPath(world.deps.secrets, OURS, id)!
    expect(await comeBack(path, DSN('5.1.1', '550 5.1.1 unknown'))).toMatch(/^250/)
    expect((await readState(storeId)).first).toEqual(['failed', 'bounced'])
  })

  test('a forged or unknown return address changes nothing (X1)', async () => {
    const { storeId, id } = await createSentMail()
    const path = buildReturnPath(world.deps.secrets, OURS, id)!
    const forged = path.replace(/.@/, (end) => (end[0] === 'a' ? 'b@' : 'a@'))
    for (const to of [forged, OURS, 'bounces+x@back.mugs.com', 'ana@shopper.example']) {
      expect(await comeBack(to, DSN('5.1.1', 'x'))).toMatch(/^550 5\.1\.1/)
    }
    const nobodys = buildReturnPath(world.deps.secrets, OURS, createId())!
    expect(await comeBack(nobodys, DSN('5.1.1', 'x'))).toMatch(/^250/)
    expect((await readState(storeId)).first).toEqual(['sent', null])
  })

  test('a mail that is too large is refused, and an incomplete one is ignored', async () => {
    const { storeId, id } = await createSentMail()
    const path = buildReturnPath(world.deps.secrets, OURS, id)!
    expect(await comeBack(path, `${DSN('5.1.1', 'x')}${'y'.repeat(75)}\r\n`.repeat(7_000))).toMatch(/^552/)
    const socket = net.connect(intake.port, '127.0.0.1')
    const lines = ['EHLO x', 'MAIL FROM:<>', `RCPT TO:<${path}>`, 'DATA']
    for await (const chunk of socket) {
      if (String(chunk).startsWith('354')) {
        socket.write(DSN('5.1.1', 'x'))
        socket.destroy()
        break
      }
      const line = lines.shift()
      if (line) socket.write(`${line}\r\n`)
    }
    expect((await readState(storeId)).first).toEqual(['sent', null])
  })
})
