import type net from 'node:net'
import { authenticate } from 'mailauth'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openNameServer } from '../../../providers/contracts/dns.ts'
import { createConnectedStore } from '../../../test/connected-store.ts'
import { createWorld } from '../../../test/world.ts'
import type { OutgoingEmail } from '../../messages/channels/channel.ts'
import { authorizeTest } from '../../messages/channels/send-authorization.ts'
import { openMailHeaders } from './mail-headers.ts'
import { checkSenderKeys, ensureSenderKey } from './sender-keys.ts'
import { createSmtpChannel } from './smtp.ts'

// Verified by an independent library, with a name server of the test.

const names = await openNameServer()
const mails: { raw: Buffer; from: string }[] = []
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  logger: false,
  onData(stream, session, done) {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : ''
      mails.push({ raw: Buffer.concat(chunks), from })
      done(null, 'queued')
    })
  },
})
await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
const url = `smtp://127.0.0.1:${(smtp.server.address() as net.AddressInfo).port}`

const world = createWorld({
  SMTP_URL: url,
  MAIL_FROM: 'Recoup <hello@mugs.com>',
  BOUNCE_ADDRESS: 'bounces@back.mugs.com',
  DNS_SERVERS: names.address,
})
afterAll(async () => {
  await names.close()
  await new Promise<void>((resolve) => smtp.close(() => resolve()))
})

beforeEach(async () => {
  mails.length = 0
  await world.db.deleteFrom('sender_keys').execute()
  names.zone['mugs.com'] = { TXT: ['v=spf1 -all'] }
  names.zone['back.mugs.com'] = { TXT: ['v=spf1 ip4:127.0.0.1 -all'], MX: ['app.mugs.com'] }
  names.zone['_dmarc.mugs.com'] = { TXT: ['v=DMARC1; p=reject'] }
})

const sampleMail: OutgoingEmail = {
  messageId: '01890000-0000-7000-8000-000000000001',
  from: { name: 'Harbour & Co', address: 'hello@mugs.com' },
  replyTo: 'hi@harbour.example',
  to: 'ana@shopper.example',
  subject: 'Ana, your cart is waiting ✨ and it will not wait much longer than this long subject',
  html: '<p>Hello  Ana,\nyour <b>2 mugs</b> \nare here</p>\n\n',
  text: 'Hello  Ana, \n\nyour 2 mugs are here\n\n\n',
  headers: {
    'List-Unsubscribe': `<https://app.mugs.com/u/${'t'.repeat(120)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'Feedback-ID': 'a:b:recovery:recoup',
  },
}

async function publish() {
  const key = await ensureSenderKey(world.deps, 'mugs.com')
  names.zone[`${key.selector}._domainkey.mugs.com`] = { TXT: [`v=DKIM1; k=rsa; p=${key.public_key}`] }
  return key
}

/** Sent by a channel of its own: what it knows of keys is not remembered from another test. */
async function sent(mail = sampleMail) {
  const channel = createSmtpChannel({ url, mailHeaders: openMailHeaders(world.deps) })
  expect(await channel.send({ ...mail, sendAuthorization: authorizeTest() })).toMatchObject({ kind: 'accepted' })
  await channel.close()
  return mails.at(-1)!
}

const verify = ({ raw, from }: { raw: Buffer; from: string }) =>
  authenticate(raw, {
    ip: '127.0.0.1',
    helo: 'app.mugs.com',
    sender: from,
    mta: 'mx.test',
    resolver: async (name: string, type: string) => {
      const rows = names.zone[name]?.[type as 'TXT']
      if (!rows) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
      return rows.map((row) => [row])
    },
  })

describe('with the key’s DNS record seen', () => {
  test('a mail passes DKIM, SPF and DMARC, unsubscribe headers included (C3)', async () => {
    const { selector } = await publish()
    world.advance(3_600_001)
    await checkSenderKeys(world.deps)
    const verdict = await verify(await sent())
    const [signature] = verdict.dkim.results
    expect(signature).toMatchObject({ status: { result: 'pass' }, signingDomain: 'mugs.com', selector })
    const signed = signature!.signingHeaders!.keys.toLowerCase().split(/\s*:\s*/)
    expect(signed).toEqual(
      expect.arrayContaining(['from', 'to', 'subject', 'list-unsubscribe', 'list-unsubscribe-post']),
    )
    expect((verdict.spf || undefined)?.status.result).toBe('pass')
    expect((verdict.dmarc || undefined)?.status.result).toBe('pass')
  })

  test.each([
    ['body', (raw: string) => raw.replace(/base64\r\n\r\n.{4}/, 'base64\r\n\r\nQUJD')],
    ['way out', (raw: string) => raw.replace('app.mugs.com/u/', 'evil.example/u/')],
    ['one-click mark', (raw: string) => raw.replace('List-Unsubscribe=One-Click', 'List-Unsubscribe=No')],
    ['subject', (raw: string) => raw.replace(/^Subject: .*$/m, 'Subject: You won')],
  ])('a changed %s fails', async (_what, change) => {
    await publish()
    world.advance(3_600_001)
    await checkSenderKeys(world.deps)
    const mail = await sent()
    const raw = change(mail.raw.toString('latin1'))
    expect(raw).not.toBe(mail.raw.toString('latin1'))
    const verdict = await verify({ ...mail, raw: Buffer.from(raw, 'latin1') })
    expect(verdict.dkim.results[0]).toMatchObject({ status: { result: expect.not.stringMatching('pass') } })
  })

  test('a mail from another domain is not signed with it', async () => {
    await publish()
    world.advance(3_600_001)
    await checkSenderKeys(world.deps)
    const { raw } = await sent({ ...sampleMail, from: { name: 'x', address: 'hello@cups.com' } })
    expect(raw.toString()).not.toMatch(/^DKIM-Signature:/m)
  })
})

test('no mail is signed before the record is seen or after it is gone', async () => {
  const { selector } = await ensureSenderKey(world.deps, 'mugs.com')
  const signs = async () => /^DKIM-Signature:/m.test((await sent()).raw.toString())
  const checkKey = async () => {
    world.advance(3_600_001)
    await checkSenderKeys(world.deps)
    return signs()
  }
  expect(await checkKey()).toBe(false)
  await publish()
  expect(await checkKey()).toBe(true)
  names.silent.add(`${selector}._domainkey.mugs.com`)
  expect(await checkKey()).toBe(true)
  names.silent.clear()
  delete names.zone[`${selector}._domainkey.mugs.com`]
  expect(await checkKey()).toBe(false)
})

test('the settings show the record to publish, detect it, and explain a damaged one', async () => {
  const { owner } = await createConnectedStore(world)
  const ask = async () => {
    const { body } = await world.request('GET', '/api/stores/sending/domain', { token: owner.token })
    const found = (id: string) => body.checks.find((each: { id: string }) => each.id === id)
    return { signature: found('signature'), returns: found('return'), dkim: found('dkim') }
  }
  const first = await ask()
  expect(first).toMatchObject({ signature: { state: 'warn' }, returns: { state: 'good' } })
  const { name, value } = first.signature.record
  names.zone[name] = { TXT: [value.slice(0, 255)] }
  expect((await ask()).signature).toMatchObject({ state: 'bad', record: { value } })
  names.zone[name] = { TXT: [value] }
  expect(await ask()).toMatchObject({ signature: { state: 'good', record: null }, dkim: { state: 'skipped' } })
  expect((await verify(await sent())).dkim.results[0]).toMatchObject({ status: { result: 'pass' } })
})

test('the private key is stored encrypted (Y5)', async () => {
  await ensureSenderKey(world.deps, 'mugs.com')
  const { encrypted, selector } = await world.db.selectFrom('sender_keys').selectAll().executeTakeFirstOrThrow()
  const pkcs8 = Buffer.from(world.deps.secrets.open(encrypted, `dkim:mugs.com:${selector}`), 'base64')
  expect(encrypted.includes(pkcs8)).toBe(false)
  expect(encrypted.toString('latin1')).not.toContain(pkcs8.toString('base64').slice(0, 40))
  expect(() => world.deps.secrets.open(encrypted, `dkim:cups.com:${selector}`)).toThrow()
})

test('a mail conforms to RFC 5322 and 2045: short ASCII lines with CRLF, a text part, its own return address', async () => {
  await publish()
  world.advance(3_600_001)
  await checkSenderKeys(world.deps)
  const long = 'Grüße 🛒 '.repeat(3_000)
  const { raw, from } = await sent({
    ...sampleMail,
    text: long,
    html: `<p>${long}</p>`,
    subject: `Größe ${'ü'.repeat(200)}`,
  })
  const text = raw.toString('latin1')
  expect(text).toMatch(/^[\x20-\x7e\r\n\t]*$/)
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  const [head = '', ...bodies] = text.split('\r\n\r\n')
  // Two fields hold words that must not be broken.
  const unbroken = (line: string) => /^(List-Unsubscribe:| h=)/.test(line)
  for (const line of head.split('\r\n')) expect(line.length).toBeLessThanOrEqual(unbroken(line) ? 998 : 78)
  for (const line of bodies.join('\r\n').split('\r\n')) expect(line.length).toBeLessThanOrEqual(76)
  expect(head).toContain('t'.repeat(120))
  expect(head.match(/^[\w-]+(?=:)/gm)).toEqual(
    expect.arrayContaining(['Date', 'Message-ID', 'MIME-Version', 'Feedback-ID']),
  )
  const parsed = await PostalMime.parse(raw)
  expect(parsed).toMatchObject({ text: expect.stringContaining(long.trimEnd()), subject: `Größe ${'ü'.repeat(200)}` })
  expect(parsed.html).toContain(long)
  expect(from).toMatch(/^bounces\+[a-z2-7]{42}@back\.mugs\.com$/)
})
