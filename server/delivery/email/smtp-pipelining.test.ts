import net from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { EmailChannel, OutgoingEmail } from '../../messages/channels/channel.ts'
import { type Authorized, authorizeTest } from '../../messages/channels/send-authorization.ts'
import { createSmtpChannel, type SmtpChannelOptions } from './smtp.ts'

// MAIL, RCPT and DATA leave together where the server offers PIPELINING (RFC 2920), so a refusal does not hold the next command back. A mail counts as
// not sent only where its content cannot have arrived, no mail is sent twice, and no empty mail is sent.

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

function buildEmail(changes: Partial<OutgoingEmail> = {}): Authorized<OutgoingEmail> {
  return {
    messageId: 'msg_01',
    from: { name: 'Harbour & Co', address: 'shop@harbour.example' },
    to: 'ana@shopper.example',
    subject: 'Your cart is waiting',
    html: '<p>Hello Ana</p>',
    text: 'Hello Ana',
    headers: {},
    sendAuthorization: authorizeTest(),
    ...changes,
  }
}

function buildChannel(port: number, options: Partial<SmtpChannelOptions> = {}): EmailChannel {
  const channel = createSmtpChannel({ url: `smtp://127.0.0.1:${port}`, poolSize: 1, ...options })
  cleanUps.push(() => channel.close())
  return channel
}

type Verb = 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | 'END' | 'RSET' | 'QUIT'
/** The written reply, including CRLF; `null`: nothing. A function may end the connection. */
type Reply = string | null | ((socket: net.Socket) => void)
/** `count`: how often this verb came, over all connections, from 1. undefined: as a good server would. */
type Script = (verb: Verb, count: number) => Reply | undefined

const GOOD: Record<Verb, Reply> = {
  EHLO: '250-raw\r\n250-PIPELINING\r\n250 SIZE 10000000\r\n',
  MAIL: '250 2.1.0 ok\r\n',
  RCPT: '250 2.1.5 ok\r\n',
  DATA: '354 go ahead\r\n',
  END: '250 2.0.0 queued\r\n',
  RSET: '250 2.0.0 reset\r\n',
  QUIT: (socket) => socket.end('221 bye\r\n'),
}

/** Accepts pipelined and single commands and replies by its script. After a 354 it reads content. */
async function createServer(script: Script = () => undefined, { isInPieces = false } = {}) {
  const counts = new Map<Verb, number>()
  const traffic = {
    connections: 0,
    commands: [] as string[],
    /** Commands received in one chunk. */
    chunks: [] as string[],
    /** Mails that were ended. */
    contents: [] as string[],
    /** Content without an end, when the connection was. */
    cut: [] as string[],
  }
  const server = net.createServer((socket) => {
    traffic.connections += 1
    let rest = ''
    let isData = false
    let writing = Promise.resolve()
    const write = (text: string) => {
      if (!isInPieces) return socket.write(text)
      for (const letter of text) writing = writing.then(() => piece(socket, letter))
      return true
    }
    const answer = (verb: Verb) => {
      const count = (counts.get(verb) ?? 0) + 1
      counts.set(verb, count)
      const scripted = script(verb, count)
      const reply = scripted === undefined ? GOOD[verb] : scripted
      if (typeof reply === 'function') reply(socket)
      else if (reply !== null) write(reply)
      if (verb === 'DATA' && typeof reply === 'string') isData = reply.startsWith('354')
    }
    socket.on('error', () => {})
    socket.on('close', () => isData && traffic.cut.push(rest))
    write('220 raw ESMTP\r\n')
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1')
      traffic.chunks.push(text)
      rest += text
      for (;;) {
        const end = isData && !rest.startsWith('.\r\n') ? rest.indexOf('\r\n.\r\n') : rest.indexOf('\r\n')
        if (end < 0) return
        const line = rest.slice(0, end)
        rest = rest.slice(end + (isData && line !== '.' ? 5 : 2))
        if (isData) {
          isData = false
          traffic.contents.push(line)
          answer('END')
        } else {
          traffic.commands.push(line)
          answer(line.slice(0, 4).toUpperCase() as Verb)
        }
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  cleanUps.push(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return Object.assign(traffic, { port: (server.address() as net.AddressInfo).port })
}

const piece = (socket: net.Socket, letter: string) =>
  new Promise<void>((resolve) => socket.write(letter, () => setImmediate(resolve)))

/** Scripts that say one thing to a verb, the first time it comes or each time. */
const first =
  (replies: Partial<Record<Verb, Reply>>): Script =>
  (verb, count) =>
    count === 1 ? replies[verb] : undefined
const second =
  (replies: Partial<Record<Verb, Reply>>): Script =>
  (verb, count) =>
    count === 2 ? replies[verb] : undefined

const hangUp: Reply = (socket) => socket.destroy()
/** With a last word. */
const hangUpAfter =
  (text: string): Reply =>
  (socket) =>
    socket.end(text)

describe('a mail', () => {
  test('takes one write for its commands and one for all of its content', async () => {
    const server = await createServer()
    const write = vi.spyOn(net.Socket.prototype, 'write')
    cleanUps.push(() => write.mockRestore())
    const outcome = await buildChannel(server.port).send(buildEmail())
    expect(outcome).toMatchObject({ kind: 'accepted', response: '250 2.0.0 queued' })
    const commands = /^MAIL FROM:<shop@harbour\.example> SIZE=\d+\r\nRCPT TO:<ana@shopper\.example>\r\nDATA\r\n$/
    expect(server.chunks[1]).toMatch(commands)
    const content = `${server.contents[0]}\r\n.\r\n`
    expect(write.mock.calls.map(([chunk]) => String(chunk))).toContain(content)
  })

  test('is sent correctly when replies arrive byte by byte', async () => {
    const server = await createServer(undefined, { isInPieces: true })
    const channel = buildChannel(server.port)
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'accepted' })
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'accepted' })
    expect([server.contents.length, server.connections]).toEqual([2, 1])
  })

  test('larger than one write arrives whole', async () => {
    const server = await createServer()
    const outcome = await buildChannel(server.port).send(buildEmail({ html: 'x'.repeat(200_000) }))
    expect(outcome).toMatchObject({ kind: 'accepted' })
    expect(server.contents[0]).toHaveLength(Number(/SIZE=(\d+)/.exec(server.commands[1]!)![1]) - 2)
  })
})

test.each([
  ['a line that begins with a dot', 'X-Sign: a\r\n.b', 'X-Sign: a\r\n..b\r\n'],
  ['an end within', 'X-Sign: a\r\n.\r\nQUIT', 'X-Sign: a\r\n..\r\nQUIT\r\n'],
  ['a bare line feed before a dot', 'X-Sign: a\n.\r\nQUIT', 'X-Sign: a\r\n..\r\nQUIT\r\n'],
  ['a bare carriage return before a dot', 'X-Sign: a\r.\r\nQUIT', 'X-Sign: a\r\n..\r\nQUIT\r\n'],
  // The low bytes of these letters are CR, LF and a dot.
  [
    'letters beyond ASCII',
    'X-Sign: a\u010d\u010a\u012e\u010d\u010aQUIT',
    `${Buffer.from('X-Sign: a\u010d\u010a\u012e\u010d\u010aQUIT').toString('latin1')}\r\n`,
  ],
])('a head with %s is escaped, and the mail stays one', async (_what, sign, escaped) => {
  const server = await createServer()
  const mailHeaders = async () => ({ sign: async () => sign })
  expect(await buildChannel(server.port, { mailHeaders }).send(buildEmail())).toMatchObject({ kind: 'accepted' })
  expect(server.contents).toHaveLength(1)
  expect(server.contents[0]!.startsWith(escaped)).toBe(true)
  expect(server.commands).toHaveLength(4)
})

describe('a refusal', () => {
  const SENDER_REFUSED = { MAIL: '550 5.1.8 Bad sender\r\n', RCPT: '503 MAIL first\r\n', DATA: '503 RCPT first\r\n' }
  const REJECTED = { kind: 'rejected', reason: 'smtp_550' }

  test.each<[string, Partial<Record<Verb, Reply>>, object]>([
    [
      'of the recipient',
      { RCPT: '550 5.1.1 No such user\r\n', DATA: '503 RCPT first\r\n' },
      { ...REJECTED, isRecipientFault: true },
    ],
    [
      'of the recipient for now',
      { RCPT: '451 4.7.1 Greylisted\r\n', DATA: '554 no valid recipients\r\n' },
      { kind: 'retry', reason: 'smtp_451' },
    ],
    ['of the sender', SENDER_REFUSED, { ...REJECTED, isRecipientFault: false }],
    [
      'of the sender alone',
      { MAIL: '550 5.1.8 Bad sender\r\n', DATA: '503 MAIL first\r\n' },
      { ...REJECTED, isRecipientFault: false },
    ],
    ['of DATA', { DATA: '451 4.3.2 Later\r\n' }, { kind: 'retry', reason: 'smtp_451' }],
  ])('%s ends the message, and the connection carries the next one', async (_what, replies, expected) => {
    const server = await createServer(first(replies))
    const channel = buildChannel(server.port)
    expect(await channel.send(buildEmail())).toMatchObject(expected)
    expect(server.contents).toHaveLength(0)
    expect(await channel.send(buildEmail({ messageId: 'msg_02' }))).toMatchObject({ kind: 'accepted' })
    expect([server.contents.length, server.connections]).toEqual([1, 1])
    expect(server.contents[0]).toContain('msg_02')
  })

  test.each<[string, Partial<Record<Verb, Reply>>, object]>([
    ['of the recipient', { RCPT: '550 5.1.1 No such user\r\n' }, { ...REJECTED, isRecipientFault: true }],
    ['of the recipient for now', { RCPT: '451 4.7.1 Greylisted\r\n' }, { kind: 'retry', reason: 'smtp_451' }],
    ['of the sender', { MAIL: '550 5.1.8 Bad sender\r\n' }, { ...REJECTED, isRecipientFault: false }],
    ['of both', { ...SENDER_REFUSED, DATA: '354 go ahead\r\n' }, { ...REJECTED, isRecipientFault: false }],
  ])('%s whose DATA is accepted leaves no empty mail', async (_what, replies, expected) => {
    const server = await createServer(first(replies))
    const channel = buildChannel(server.port)
    expect(await channel.send(buildEmail())).toMatchObject(expected)
    await expect.poll(() => server.cut).toEqual([''])
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'accepted' })
    expect([server.contents.length, server.connections]).toEqual([1, 2])
  })

  test('stays a refusal when the server closes the connection with it', async () => {
    const server = await createServer(first({ RCPT: '550 5.1.1 No such user\r\n', DATA: hangUpAfter('421 bye\r\n') }))
    expect(await buildChannel(server.port).send(buildEmail())).toMatchObject(REJECTED)
  })
})

describe('a server that hangs up', () => {
  test.each<[string, Partial<Record<Verb, Reply>>]>([
    ['when MAIL has come', { MAIL: hangUp }],
    ['when DATA has come, having answered nothing', { MAIL: null, RCPT: null, DATA: hangUp }],
    ['when DATA has come, having answered the rest', { DATA: hangUp }],
    ['in the middle of an answer', { MAIL: null, RCPT: null, DATA: hangUpAfter('250 2.1.0 ok\r\n25') }],
    ['with 421 to the recipient', { RCPT: hangUpAfter('421 4.3.2 Shutting down\r\n') }],
    ['with 421 to DATA', { DATA: hangUpAfter('421 4.3.2 Shutting down\r\n') }],
  ])('%s has not got the mail: it is tried again, at once where the connection had been idle', async (_when, replies) => {
    const fresh = await createServer(first(replies))
    expect(await buildChannel(fresh.port).send(buildEmail())).toMatchObject({ kind: 'retry' })
    expect([fresh.contents.length, fresh.connections]).toEqual([0, 1])

    const idle = await createServer(second(replies))
    const channel = buildChannel(idle.port)
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'accepted' })
    expect(await channel.send(buildEmail({ messageId: 'msg_02' }))).toMatchObject({ kind: 'accepted' })
    expect([idle.contents.length, idle.connections]).toEqual([2, 2])
  })

  test.each<[string, Partial<Record<Verb, Reply>>]>([
    ['with 354', { DATA: hangUpAfter('354 go ahead\r\n') }],
    ['at the end of the content', { END: hangUp }],
    ['in the middle of the last answer', { END: hangUpAfter('25') }],
  ])('%s may have the mail: unknown, and not sent again', async (_when, replies) => {
    const server = await createServer(second(replies))
    const channel = buildChannel(server.port)
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'accepted' })
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'unknown', reason: 'connection_lost_after_data' })
    expect(server.connections).toBe(1)
  })
})

describe('a server out of step', () => {
  test.each<[string, Partial<Record<Verb, Reply>>]>([
    ['that answers the recipient twice', { RCPT: '250 ok\r\n250 ok again\r\n' }],
    ['that answers the sender three times', { MAIL: '250 ok\r\n250 ok\r\n250 ok\r\n' }],
    ['that answers DATA with 250', { DATA: '250 ok\r\n' }],
    ['that refuses the sender and answers DATA with 250', { MAIL: '550 no\r\n', DATA: '250 ok\r\n' }],
  ])('%s gets no content: tried again over another connection', async (_what, replies) => {
    const server = await createServer(first(replies))
    const channel = buildChannel(server.port)
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'retry', reason: 'unclear_answer' })
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'accepted' })
    expect([server.contents.length, server.connections]).toEqual([1, 2])
    expect(server.cut.join('')).toBe('')
  })

  test.each<[string, Partial<Record<Verb, Reply>>]>([
    ['that says at once that it has the mail', { DATA: '354 go ahead\r\n250 queued\r\n' }],
    ['that asks for content twice', { DATA: '354 go ahead\r\n354 go on\r\n' }],
  ])('%s may have it: never sent again', async (_what, replies) => {
    const server = await createServer(first(replies))
    const outcome = await buildChannel(server.port).send(buildEmail())
    expect(['accepted', 'unknown']).toContain(outcome.kind)
    expect(server.connections).toBe(1)
  })

  test('with an extra reply after a mail gets no second mail over that connection', async () => {
    const server = await createServer(first({ END: '250 queued\r\n250 queued\r\n' }))
    const channel = buildChannel(server.port)
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'accepted' })
    await expect.poll(() => channel.send(buildEmail({ messageId: 'msg_02' }))).toMatchObject({ kind: 'accepted' })
    expect(server.contents.filter((content) => content.includes('msg_02'))).toHaveLength(1)
    expect(server.connections).toBe(2)
  })

  test.each<[string, Partial<Record<Verb, Reply>>]>([
    ['the sender', { MAIL: null, RCPT: null, DATA: null }],
    ['the recipient', { RCPT: null, DATA: null }],
    ['DATA', { DATA: null }],
  ])('that leaves %s without an answer gets no content', async (_what, replies) => {
    const server = await createServer(first(replies))
    const channel = buildChannel(server.port, { timeouts: { sendMs: 300 } })
    expect(await channel.send(buildEmail())).toMatchObject({ kind: 'retry', reason: 'timeout' })
    await expect.poll(() => channel.send(buildEmail())).toMatchObject({ kind: 'accepted' })
    expect([server.contents.length, server.cut.length]).toEqual([1, 0])
  })
})
