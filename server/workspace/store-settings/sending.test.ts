import type net from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { openNameServer } from '../../../providers/contracts/dns.ts'
import { type ConnectedStore, createConnectedStore } from '../../../test/connected-store.ts'
import { readNotifications, readTestFlags } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'

const names = await openNameServer({
  'mugs.com': { TXT: ['v=spf1 ip4:127.0.0.1 -all'] },
  '_dmarc.mugs.com': { TXT: ['v=DMARC1; p=quarantine'] },
  'main._domainkey.mugs.com': { TXT: ['v=DKIM1; p=MIGf'] },
})
const mails: { to: string; raw: string }[] = []
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  logger: false,
  onData(stream, session, done) {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      mails.push({ to: session.envelope.rcptTo[0]!.address, raw: Buffer.concat(chunks).toString() })
      done(null, 'queued as 7')
    })
  },
})
await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
const { port } = smtp.server.address() as net.AddressInfo

const world = createWorld({
  SMTP_URL: `smtp://127.0.0.1:${port}`,
  MAIL_FROM: 'Recoup <hello@mugs.com>',
  DNS_SERVERS: names.address,
})
afterAll(async () => {
  await names.close()
  await new Promise<void>((resolve) => smtp.close(() => resolve()))
})

let one: ConnectedStore
let otherStore: ConnectedStore
beforeEach(async () => {
  mails.length = 0
  one ??= await createConnectedStore(world)
  otherStore ??= await createConnectedStore(world)
  await world.db.deleteFrom('rate_limits').execute()
})

const testMail = (token: string, query = '') =>
  world.request('POST', `/api/stores/sending/test-mail${query}`, { token, body: {} })
const domain = (token: string, query = '') => world.request('GET', `/api/stores/sending/domain${query}`, { token })

test('a test mail goes to the member from the store’s sender, with a result for every step', async () => {
  await world.request('PUT', '/api/stores/settings', {
    token: one.owner.token,
    body: { senderName: 'Mugs & More', senderEmail: 'hi@mugs.com', postalAddress: '1 Kiln Road\nPortland' },
  })
  const { email } = await world.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', one.owner.userId)
    .executeTakeFirstOrThrow()
  // The connection was reported a moment ago.
  world.advance(1_000)
  const reply = await testMail(one.owner.token)
  expect(reply).toMatchObject({ status: 200, body: { isAccepted: true, to: email, from: 'hello@mugs.com' } })
  expect((await readNotifications(world, one.storeId)).at(-1)).toMatchObject({
    type: 'connection_test',
    title: 'Test sent',
  })
  expect((await readTestFlags(world, one.storeId)).at(-1)).toEqual(['connection_test', true])
  expect(reply.body.steps.map((step: { id: string; state: string }) => [step.id, step.state])).toEqual([
    ['connect', 'good'],
    ['encrypt', 'skipped'],
    ['sign_in', 'skipped'],
    ['mail_from', 'good'],
    ['rcpt_to', 'good'],
    ['accept', 'good'],
  ])
  expect(reply.body.steps.at(-1).answer).toContain('queued as 7')
  expect(mails).toMatchObject([{ to: email, raw: expect.stringMatching(/^From: "?Mugs & More"? <hello@mugs\.com>/m) }])
  expect(mails[0]!.raw).toMatch(/^Reply-To: hi@mugs\.com/m)
})

test('the API limits test mails', async () => {
  for (let attempt = 0; attempt < 10; attempt += 1) await testMail(one.owner.token)
  expect(await testMail(one.owner.token)).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect((await testMail(otherStore.owner.token)).status).toBe(200)
})

test("checks the DNS records of the sender's domain, each with the next step", async () => {
  const { status, body } = await domain(one.owner.token)
  expect(status).toBe(200)
  expect(body).toMatchObject({ address: 'hello@mugs.com', domain: 'mugs.com', note: null })
  expect(body.checks).toMatchObject([
    { id: 'spf', state: 'good' },
    { id: 'dkim', state: 'warn', nextStep: expect.stringContaining('selector') },
    {
      id: 'signature',
      state: 'warn',
      record: { name: expect.stringMatching(/^recoup-[\da-f]{6}\._domainkey\.mugs\.com$/) },
    },
    { id: 'dmarc', state: 'good' },
  ])
  expect((await domain(one.owner.token, '?selector=main')).body.checks[1]).toMatchObject({ state: 'good' })
  expect((await domain(one.owner.token, '?selector=a%20b')).status).toBe(400)
})

test("the API neither works for another account's store", async () => {
  const query = `?storeId=${one.storeId}`
  expect((await testMail(otherStore.owner.token, query)).status).toBe(404)
  expect((await domain(otherStore.owner.token, query)).status).toBe(404)
  expect(mails).toEqual([])
})
