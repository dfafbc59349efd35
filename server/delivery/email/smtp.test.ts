import net from 'node:net'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, test } from 'vitest'
import type { EmailChannel, OutgoingEmail } from '../../messages/channels/channel.ts'
import { type Authorized, authorizeTest } from '../../messages/channels/send-authorization.ts'
import { createSmtpChannel, type SmtpChannelOptions } from './smtp.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

function buildEmail(changes: Partial<OutgoingEmail> = {}): Authorized<OutgoingEmail> {
  return {
    messageId: 'msg_01',
    from: { name: 'Harbour & Co', address: 'shop@harbour.example' },
    to: 'ana@shopper.example',
    subject: 'Ana, your cart is waiting ✨',
    html: '<p>Hello Ana</p>',
    text: 'Hello Ana',
    headers: {
      'List-Unsubscribe': '<https://app.example/u/tok>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
    sendAuthorization: authorizeTest(),
    ...changes,
  }
}

/** As patient as in earnest unless a test is about running out of patience. */
function buildChannel(port: number, options: Partial<SmtpChannelOptions> = {}): EmailChannel {
  const channel = createSmtpChannel({ url: `smtp://127.0.0.1:${port}`, ...options })
  cleanUps.push(() => channel.close())
  return channel
}

/** A well-behaved server with scripted refusals; keeps what it accepted. */
async function createServer(options: SMTPServerOptions = {}) {
  const accepted: { raw: string; from: string; isSecure: boolean }[] = []
  const opened = new Set<string>()
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onConnect: (session, done) => {
      opened.add(session.id)
      done()
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk) => chunks.push(chunk))
      stream.on('end', () => {
        const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : ''
        accepted.push({ raw: Buffer.concat(chunks).toString(), from, isSecure: session.secure })
        done(null, 'queued as 42')
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port: (server.server.address() as net.AddressInfo).port, accepted, opened }
}

function refusing(reply: string): NonNullable<SMTPServerOptions['onRcptTo']> {
  return (_address, _session, done) =>
    done(Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) }))
}

type Step = (text: string, socket: net.Socket, state: { inData: boolean }) => boolean

/** A server that follows the protocol until the script takes over (returns true). */
async function createRawServer(script: Step, greeting = '220 raw ESMTP') {
  let connections = 0
  const server = net.createServer((socket) => {
    connections += 1
    const state = { inData: false }
    socket.on('error', () => {})
    socket.write(`${greeting}\r\n`)
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1')
      if (!script(text, socket, state)) answer(text, socket, state)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  cleanUps.push(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port: (server.address() as net.AddressInfo).port, connections: () => connections }
}

function answer(text: string, socket: net.Socket, state: { inData: boolean }) {
  if (state.inData) {
    if (!text.endsWith('\r\n.\r\n')) return
    state.inData = false
    socket.write('250 2.0.0 queued\r\n')
  } else if (text.startsWith('EHLO')) socket.write('250-raw\r\n250 SIZE 10000000\r\n')
  else if (text.startsWith('DATA')) {
    state.inData = true
    socket.write('354 go ahead\r\n')
  } else if (text.startsWith('QUIT')) socket.end('221 bye\r\n')
  else socket.write('250 2.1.0 ok\r\n')
}

describe('an accepted message', () => {
  test('arrives complete, with Message-ID, envelope sender and unsubscribe headers', async () => {
    const server = await createServer()
    const longLink = `<https://app.example/u/${'t'.repeat(200)}>`
    const message = buildEmail({ headers: { ...buildEmail().headers, 'List-Unsubscribe': longLink } })
    const outcome = await buildChannel(server.port).send(message)
    expect(outcome).toEqual({
      kind: 'accepted',
      providerId: '<msg_01@harbour.example>',
      response: '250 queued as 42',
    })
    const mail = await PostalMime.parse(server.accepted[0]!.raw)
    expect(server.accepted[0]!.from).toBe('shop@harbour.example')
    expect(mail.messageId).toBe('<msg_01@harbour.example>')
    expect(mail.subject).toBe('Ana, your cart is waiting ✨')
    expect(mail.from).toMatchObject({ name: 'Harbour & Co', address: 'shop@harbour.example' })
    expect(mail.text?.trim()).toBe('Hello Ana')
    expect(mail.html).toContain('<p>Hello Ana</p>')
    const headers = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]))
    expect(headers['list-unsubscribe']).toBe(longLink)
    expect(headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
  })

  test('is encrypted when the server offers STARTTLS', async () => {
    const server = await createServer({ hideSTARTTLS: false })
    expect(await buildChannel(server.port).send(buildEmail())).toMatchObject({ kind: 'accepted' })
    expect(server.accepted[0]!.isSecure).toBe(true)
  })

  test('shares warm connections, at most the pool size of them', async () => {
    const server = await createServer()
    const channel = buildChannel(server.port, { poolSize: 2 })
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, at) => channel.send(buildEmail({ messageId: `m${at}` }))),
    )
    expect(outcomes.every(({ kind }) => kind === 'accepted')).toBe(true)
    expect(server.accepted).toHaveLength(12)
    expect(server.opened.size).toBe(2)
  })

  test('keeps to the rate agreed with the provider', async () => {
    const server = await createServer()
    const channel = buildChannel(server.port, { ratePerSecond: 20 })
    const start = performance.now()
    await Promise.all(Array.from({ length: 6 }, (_, at) => channel.send(buildEmail({ messageId: `m${at}` }))))
    expect(performance.now() - start).toBeGreaterThan(245)
  })

  test('is sent over a new connection when the idle one was dropped', async () => {
    const server = await createRawServer((text, socket, state) => {
      if (!state.inData && text.startsWith('MAIL') && 'isUsed' in socket) {
        socket.destroy()
        return true
      }
      if (text.startsWith('DATA')) Object.assign(socket, { isUsed: true })
      return false
    })
    const channel = buildChannel(server.port)
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'accepted' })
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'accepted' })
    expect(server.connections()).toBe(2)
  })
})

describe('a refusal', () => {
  test.each([
    ['550 5.1.1 No such user', true],
    ['553 5.1.3 Bad address syntax', true],
    ['552 5.2.2 Mailbox full', false],
    ['550 User unknown', true],
    ['550 5.7.1 Relaying denied', false],
    ['554 5.7.1 Relay access denied', false],
    ['550 Blocked for spam', false],
    ['552 5.3.4 Message too big', false],
  ])('%s to the recipient is final (address at fault: %s)', async (reply, isRecipientFault) => {
    const server = await createServer({ onRcptTo: refusing(reply) })
    const outcome = await buildChannel(server.port).send(buildEmail())
    expect(outcome).toEqual({
      kind: 'rejected',
      reason: `smtp_${reply.slice(0, 3)}`,
      response: reply,
      isRecipientFault,
    })
  })

  test('a bad sender is never the recipient’s fault', async () => {
    const server = await createServer({ onMailFrom: refusing('550 5.1.8 Bad sender') })
    expect(await buildChannel(server.port).send(buildEmail())).toMatchObject({
      kind: 'rejected',
      isRecipientFault: false,
    })
  })

  test.each([
    '451 4.7.1 Greylisted, try again in 300 seconds',
    '421 4.3.2 Shutting down',
  ])('%s is retried', async (r) => {
    const server = await createServer({ onRcptTo: refusing(r) })
    const outcome = await buildChannel(server.port).send(buildEmail())
    expect(outcome).toMatchObject({ kind: 'retry', reason: `smtp_${r.slice(0, 3)}` })
    expect('retryAfterMs' in outcome && outcome.retryAfterMs).toBe(r.includes('300') && 300_000)
  })

  test.each([
    ['552 5.2.3 Too long', { kind: 'rejected', reason: 'smtp_552', isRecipientFault: false }],
    ['554 5.7.1 Spam', { kind: 'rejected', reason: 'smtp_554', isRecipientFault: false }],
    ['452 4.3.1 Disk full', { kind: 'retry', reason: 'smtp_452' }],
    ['354 what', { kind: 'unknown', reason: 'unclear_answer_after_data' }],
  ])('%s to the whole message', async (reply, expected) => {
    const server = await createRawServer((text, socket, state) => {
      if (!state.inData || !text.endsWith('\r\n.\r\n')) return false
      state.inData = false
      socket.write(`${reply}\r\n`)
      return true
    })
    expect(await buildChannel(server.port).send(buildEmail())).toMatchObject(expected)
  })

  test('leaves the connection usable for the next recipient', async () => {
    const server = await createServer({
      onRcptTo: (address, session, done) =>
        address.address.startsWith('gone') ? refusing('550 5.1.1 Gone')(address, session, done) : done(),
    })
    const channel = buildChannel(server.port, { poolSize: 1 })
    expect(await channel.send(buildEmail({ to: 'gone@shopper.example' }))).toMatchObject({ kind: 'rejected' })
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'accepted' })
    expect(server.opened.size).toBe(1)
  })

  test('a refused sign-in is retried, and check() returns the server’s reply', async () => {
    const server = await createServer({
      authOptional: false,
      onAuth: (_auth, _session, done) =>
        done(Object.assign(new Error('5.7.8 Bad credentials'), { responseCode: 535 }) as Error),
    })
    const channel = buildChannel(server.port, { url: `smtp://user:wrong@127.0.0.1:${server.port}` })
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'retry', reason: 'sign_in_failed' })
    const check = await channel.check()
    expect(check.isOk).toBe(false)
    expect(JSON.stringify(check)).toContain('535 5.7.8 Bad credentials')
    expect(JSON.stringify(check)).not.toContain('wrong')
  })

  test('a server that requires a missing sign-in is retried, without blaming the recipient', async () => {
    const server = await createServer({ authOptional: false })
    expect(await buildChannel(server.port).send(buildEmail())).toMatchObject({
      kind: 'retry',
      reason: 'sign_in_failed',
    })
  })

  test('a greeting that refuses everybody is retried', async () => {
    const server = await createRawServer(() => false, '554 No service for you')
    expect(await buildChannel(server.port).send(buildEmail())).toMatchObject({ kind: 'retry', reason: 'smtp_554' })
  })
})

describe('a lost connection', () => {
  test('refused: retried', async () => {
    const { port } = await createRawServer(() => false)
    await cleanUps.pop()!()
    expect(await buildChannel(port).send(buildEmail())).toMatchObject({ kind: 'retry', reason: 'connection_refused' })
  })

  test.each(['EHLO', 'MAIL', 'RCPT', 'DATA'])('at %s: retried', async (verb) => {
    const server = await createRawServer((text, socket, state) => {
      if (state.inData || !text.startsWith(verb)) return false
      socket.destroy()
      return true
    })
    expect(await buildChannel(server.port).send(buildEmail())).toMatchObject({
      kind: 'retry',
      reason: 'connection_lost',
    })
  })

  test('in the middle of a body the server has stopped reading: retried', async () => {
    const server = await createRawServer((text, socket) => {
      if (!text.startsWith('DATA')) return false
      socket.write('354 go ahead\r\n')
      socket.pause()
      setTimeout(() => socket.resetAndDestroy(), 150)
      return true
    })
    const channel = buildChannel(server.port, { maxBytes: 20_000_000 })
    const outcome = await channel.send(buildEmail({ html: 'x'.repeat(7_000_000) }))
    expect(outcome).toMatchObject({ kind: 'retry', reason: 'connection_lost' })
  })

  test('a body the server never reads times out and is retried', async () => {
    const server = await createRawServer((text, socket) => {
      if (!text.startsWith('DATA')) return false
      socket.write('354 go ahead\r\n')
      socket.pause()
      cleanUps.push(() => socket.destroy())
      return true
    })
    const channel = buildChannel(server.port, { maxBytes: 20_000_000, timeouts: { sendMs: 1_000 } })
    const outcome = await channel.send(buildEmail({ html: 'x'.repeat(7_000_000) }))
    expect(outcome).toMatchObject({ kind: 'retry', reason: 'timeout' })
  })

  test.each(['destroy', 'end', 'resetAndDestroy'] as const)('after the final dot (%s): unknown', async (how) => {
    const server = await createRawServer((text, socket, state) => {
      if (!state.inData || !text.endsWith('\r\n.\r\n')) return false
      socket[how]()
      return true
    })
    expect(await buildChannel(server.port).send(buildEmail())).toMatchObject({
      kind: 'unknown',
      reason: 'connection_lost_after_data',
    })
  })

  test('no reply after the final dot: unknown', async () => {
    const server = await createRawServer((_text, socket, state) => {
      if (!state.inData) return false
      cleanUps.push(() => socket.destroy())
      return true
    })
    const channel = buildChannel(server.port, { timeouts: { finalAnswerMs: 300 } })
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'unknown', reason: 'timeout_after_data' })
  })

  test('no reply before DATA: retried', async () => {
    const server = await createRawServer((text, socket) => {
      cleanUps.push(() => socket.destroy())
      return text.startsWith('RCPT')
    })
    const channel = buildChannel(server.port, { timeouts: { sendMs: 300 } })
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'retry', reason: 'timeout' })
  })

  test('closing the channel aborts a hanging send with the matching outcome', async () => {
    const handed = Promise.withResolvers<void>()
    const server = await createRawServer((_text, socket, state) => {
      if (!state.inData) return false
      cleanUps.push(() => socket.destroy())
      handed.resolve()
      return true
    })
    const channel = buildChannel(server.port, { timeouts: { closeGraceMs: 200 } })
    const sending = channel.send(buildEmail())
    await handed.promise
    await channel.close()
    expect(await sending).toMatchObject({ kind: 'unknown' })
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'retry' })
  })
})

describe('mails that are never sent', () => {
  test.each<[string, Partial<OutgoingEmail>, string]>([
    ['a recipient without a domain', { to: 'ana' }, 'invalid_address'],
    ['two recipients in one', { to: 'a@x.example,b@x.example' }, 'invalid_address'],
    ['a line break in the recipient', { to: 'a@x.example\r\nRCPT TO:<b@x.example>' }, 'invalid_address'],
    ['a line break in the subject', { subject: 'Hi\r\nBcc: b@x.example' }, 'invalid_header'],
    ['a line break in the sender’s name', { from: { name: 'A\nB', address: 'a@x.example' } }, 'invalid_header'],
    ['a line break in a header', { headers: { 'X-A': 'a\r\nBcc: b@x.example' } }, 'invalid_header'],
    ['a header that adds recipients', { headers: { Bcc: 'b@x.example' } }, 'invalid_header'],
    ['a header name with a colon', { headers: { 'X:A': 'a' } }, 'invalid_header'],
    ['an invalid sender', { from: { name: '', address: 'nobody' } }, 'invalid_sender'],
    ['a broken message id', { messageId: 'a>b' }, 'invalid_header'],
  ])('%s', async (_name, changes, reason) => {
    const server = await createServer()
    const outcome = await buildChannel(server.port).send(buildEmail(changes))
    expect(outcome).toMatchObject({ kind: 'rejected', reason, isRecipientFault: reason === 'invalid_address' })
    expect(JSON.stringify(outcome)).not.toContain('x.example')
    expect(server.opened.size).toBe(0)
  })

  test('a message above our limit or the server’s', async () => {
    const server = await createServer({ size: 50_000 })
    const html = 'x'.repeat(60_000)
    const expected = { kind: 'rejected', reason: 'message_too_large', isRecipientFault: false }
    expect(await buildChannel(server.port).send(buildEmail({ html }))).toMatchObject(expected)
    expect(await buildChannel(server.port, { maxBytes: 40_000 }).send(buildEmail({ html }))).toMatchObject(expected)
    expect(server.accepted).toHaveLength(0)
  })
})

describe('an SMTP address', () => {
  test.each([
    'http://x',
    'mail.example.com',
    'smtp://',
    'smtp://h?pool=true',
    'smtp://h?requireTLS=maybe',
  ])('%s is refused with a sentence', (url) => expect(() => createSmtpChannel({ url })).toThrow(/SMTP address/))

  test('check() signs in without sending', async () => {
    const server = await createServer()
    expect(await buildChannel(server.port).check()).toEqual({ isOk: true })
    expect(server.accepted).toHaveLength(0)
  })
})
