import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  CERTIFICATE,
  type Dovecot,
  hasDovecot,
  PASSWORD,
  startDovecot,
  USER,
} from '../../../providers/contracts/dovecot.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  HOUR,
  type MessageScene,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { openBounceAddresses } from '../email/bounce-addresses.ts'
import { openMailHeaders } from '../email/mail-headers.ts'
import { type ImapAccess, readMailboxes, withInbox } from './bounce-mailbox.ts'
import * as sql from './bounce-mailbox-sql.ts'

// Undeliverable mail comes back to a mailbox of the account's own, and what stands in it counts for this account's mail.

const world = createWorld()
const ca = readFileSync(CERTIFICATE, 'utf8')
const MINUTE = 60_000

async function createSentMail() {
  const scene = await createMessageScene(world, 1)
  await advanceToAbandoned(world, scene.storeId, HOUR)
  await sendDueMessages(world, scene.storeId)
  const [first] = await readMessages(world, scene.storeId)
  world.advance(1_000)
  return { ...scene, id: first!.id, to: first!.to_address! }
}

const report = (messageId: string, to: string) =>
  [
    'From: MAILER-DAEMON@mx.example',
    `To: ${USER}`,
    'Subject: Undelivered Mail Returned to Sender',
    'Message-ID: <20260302@mx.example>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'I am sorry.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example',
    '',
    `Final-Recipient: rfc822; ${to}`,
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 User unknown',
    '',
    '--b',
    'Content-Type: text/rfc822-headers',
    '',
    `Message-ID: <${messageId}@localhost>`,
    `To: ${to}`,
    '',
    '--b--',
    '',
  ].join('\r\n')

const view = async ({ token }: MessageScene) =>
  (await world.request('GET', '/api/sending/bounce-mailbox', { token })).body

test('a mailbox that cannot be read is not saved, with an explanation', async () => {
  const scene = await createMessageScene(world, 0)
  const body = { address: USER, host: 'localhost', port: 993, user: USER, password: 'x', version: 0 }
  const reply = await world.request('PUT', '/api/sending/bounce-mailbox', { token: scene.token, body })
  expect([reply.status, reply.body.error]).toEqual([422, 'Nothing responds on this port.'])
  expect(await view(scene)).toEqual({ mailbox: null, isFixed: false })
  const metadata = { ...body, host: '169.254.169.254' }
  const refused = await world.request('PUT', '/api/sending/bounce-mailbox', { token: scene.token, body: metadata })
  expect([refused.status, refused.body.error]).toEqual([
    422,
    '169.254.169.254 points to an address that is not public.',
  ])
})

test.each([
  ['another host', { host: 'imap.elsewhere.example' }],
  ['another port', { port: 143 }],
  ['another user', { user: 'eve@shop.example' }],
])('a kept password is not used for %s', async (_, change) => {
  const { accountId, token } = await createMessageScene(world, 0)
  const row = {
    address: USER,
    host: 'localhost',
    port: 993,
    user_name: USER,
    version: 0,
    uid_validity: '1',
    last_uid: 0,
  }
  const encrypted = world.deps.secrets.seal('x', `bounce mailbox:${accountId}`)
  await sql.saveMailbox({ accountId, db: world.db }, { ...row, encrypted }, world.now)
  const body = { address: USER, host: 'localhost', port: 993, user: USER, password: '', version: 1, ...change }
  const reply = await world.request('PUT', '/api/sending/bounce-mailbox', { token, body })
  expect([reply.status, reply.body.fields]).toEqual([400, { password: 'This field is required' }])
})

describe.skipIf(!hasDovecot)('with a real IMAP server', () => {
  let dovecot: Dovecot
  let access: ImapAccess
  beforeAll(async () => {
    dovecot = await startDovecot()
    access = { host: 'localhost', port: dovecot.port, user: USER, password: PASSWORD, allowsPrivate: true, ca }
  })
  afterAll(() => dovecot.stop())

  const keep = async ({ accountId }: MessageScene, password = PASSWORD) =>
    sql.saveMailbox(
      { accountId, db: world.db },
      {
        address: USER,
        host: 'localhost',
        port: dovecot.port,
        user_name: USER,
        version: 0,
        encrypted: world.deps.secrets.seal(password, `bounce mailbox:${accountId}`),
        ...(await withInbox(access, async ({ uidValidity: uid_validity, lastUid: last_uid }) => ({
          uid_validity,
          last_uid,
        }))),
      },
      world.now,
    )
  const read = async () => {
    world.advance(20 * MINUTE)
    await readMailboxes(world.deps, ca)
  }

  test('a report fails the message and suppresses the address once; old and other mails are ignored', async () => {
    const mail = await createSentMail()
    dovecot.deliver(report(mail.id, mail.to))
    await keep(mail)
    await read()
    // It was there before the mailbox was given to us.
    expect((await readMessages(world, mail.storeId))[0]!.state).toBe('sent')
    dovecot.deliver('From: a@b.example\r\nSubject: lunch?\r\n\r\nAt noon.\r\n')
    dovecot.deliver(report(mail.id, mail.to))
    await read()
    await read()
    const [first, second] = await readMessages(world, mail.storeId)
    expect([first!.state, first!.reason, second!.reason]).toEqual(['failed', 'bounced', 'suppressed_hard_bounce'])
    expect((await view(mail)).mailbox).toMatchObject({
      address: USER,
      reports: 1,
      problem: null,
      readAt: expect.any(String),
    })
    expect(JSON.stringify(await view(mail))).not.toContain(PASSWORD)
    await sql.deleteMailbox({ accountId: mail.accountId, db: world.db })
  })

  test('reports in one account’s mailbox do not affect another’s mail', async () => {
    const [mine, theirs] = [await createSentMail(), await createSentMail()]
    await keep(mine)
    dovecot.deliver(report(theirs.id, theirs.to))
    await read()
    expect((await readMessages(world, theirs.storeId))[0]!.state).toBe('sent')
    expect((await view(mine)).mailbox.reports).toBe(0)
    await sql.deleteMailbox({ accountId: mine.accountId, db: world.db })
  })

  test('mail uses the mailbox as return address, and the server’s own one when it cannot be read', async () => {
    const scene = await createMessageScene(world, 0)
    await keep(scene)
    const mailHeaders = openMailHeaders(world.deps)
    const mail = { messageId: 'x', from: { name: '', address: 'a@b.example' }, accountId: scene.accountId }
    const readPath = async () =>
      (await mailHeaders({ ...mail, to: '', subject: '', html: '', text: '', headers: {} })).returnPath
    expect(await readPath()).toBe(USER)
    expect(await openBounceAddresses(world.deps)((await createMessageScene(world, 0)).accountId)).toBeNull()
    await world.db
      .updateTable('bounce_mailboxes')
      .set({ encrypted: world.deps.secrets.seal('wrong', `bounce mailbox:${scene.accountId}`) })
      .where('account_id', '=', scene.accountId)
      .execute()
    await read()
    expect((await view(scene)).mailbox.problem).toContain('User and password were refused')
    expect(await readPath()).toBeNull()
  })
})
