import net from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readLocalhostTls } from '../../../providers/contracts/tls.ts'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { readMailServer } from './mail-server-sql.ts'
import { saveServer } from './mail-servers.ts'
import { openOwnMails, openPassword } from './own-mail.ts'

// An account enters its own mail server. Recoup connects and signs in before it saves the server, and explains each
// failure.

const world = createWorld({ MAIL_FROM: 'Recoup <hello@recoup.example>' })
const PASSWORD = 'correct horse'
const cleanUps: (() => unknown)[] = []
let store: TestStore
beforeEach(async () => {
  store = await createStore(world)
  await world.db.deleteFrom('rate_limits').execute()
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

const refuse = (reply: string) => Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) })

async function createServer(options: SMTPServerOptions = {}) {
  const received: { from: string; to: string; raw: string; isSecure: boolean }[] = []
  const users: string[] = []
  const server = new SMTPServer({
    logger: false,
    disableReverseLookup: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
    onAuth({ username, password }, _session, done) {
      users.push(username ?? '')
      done(password === PASSWORD ? null : refuse('535 5.7.8 Username and password not accepted'), { user: username })
    },
    onData(stream, { envelope, secure }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString()
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        received.push({ from, to: envelope.rcptTo[0]!.address, raw, isSecure: secure })
        done(null, 'queued as 7')
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port: (server.server.address() as net.AddressInfo).port, received, users }
}

const entered = (port: number, more: object = {}) => ({
  host: '127.0.0.1',
  port,
  security: 'none',
  user: 'shop@mugs.example',
  password: PASSWORD,
  fromAddress: '',
  version: 0,
  ...more,
})
const save = (body: object, token = store.token) => world.request('PUT', '/api/sending/mail-server', { token, body })
const view = async (token = store.token) => (await world.request('GET', '/api/sending/mail-server', { token })).body
const testMail = () => world.request('POST', '/api/stores/sending/test-mail', { token: store.token, body: {} })
const readStored = () => readMailServer({ accountId: store.accountId, db: world.db })

test('a working server is saved, with its password encrypted and in no reply (Y5)', async () => {
  const { port } = await createServer()
  expect(await view()).toMatchObject({ way: 'mailbox', server: null, from: 'hello@recoup.example' })
  const reply = await save(entered(port))
  expect(reply.status).toBe(200)
  expect(reply.body).toMatchObject({
    way: 'own',
    from: 'shop@mugs.example',
    acceptedAt: null,
    server: { host: '127.0.0.1', port, security: 'none', user: 'shop@mugs.example', version: 1, problem: null },
  })
  const row = (await readStored())!
  expect(openPassword(world.deps.secrets, row)).toBe(PASSWORD)
  expect(JSON.stringify([reply.body, await view(), row.encrypted!.toString('latin1')])).not.toContain(PASSWORD)
  // Bound to the account: moved to another row it does not open.
  expect(() => openPassword(world.deps.secrets, { ...row, account_id: crypto.randomUUID() })).toThrow()
})

test('a test mail uses it, and its acceptance is stored until the server changes', async () => {
  const { port, received } = await createServer()
  await save(entered(port, { fromAddress: 'hello@mugs.example' }))
  const reply = await testMail()
  expect(reply.body).toMatchObject({ isAccepted: true, way: 'own', from: 'hello@mugs.example' })
  expect(received[0]).toMatchObject({
    from: 'hello@mugs.example',
    raw: expect.stringMatching(/^From: .*<hello@mugs\.example>/m),
  })
  expect((await view()).acceptedAt).toBe(world.now.toISOString())
  const other = await createServer()
  await save(entered(other.port, { version: 1 }))
  expect((await view()).acceptedAt).toBeNull()
})

test('a user name that is not an address requires a From address, and a password requires a user', async () => {
  const { port, received, users } = await createServer({ authOptional: true })
  const readFields = async (more: object) => (await save(entered(port, more))).body.fields
  const missing = { fromAddress: expect.stringContaining('enter the address your emails come from') }
  expect(await readFields({ user: 'apikey' })).toEqual(missing)
  expect(await readFields({ user: 'apikey', fromAddress: 'hello@mugs' })).toEqual({ fromAddress: 'An email address' })
  expect(await readFields({ user: '', password: '' })).toEqual({
    fromAddress: 'Enter the address your emails come from',
  })
  expect(await readFields({ user: '', fromAddress: 'hello@mugs.example' })).toEqual({
    user: expect.stringContaining('Enter the user name'),
  })
  expect([await readStored(), users]).toEqual([undefined, []])
  const reply = await save(entered(port, { user: 'apikey', fromAddress: 'hello@mugs.example' }))
  expect([reply.status, reply.body.from]).toEqual([200, 'hello@mugs.example'])

  // Saved before one of the two was required.
  await world.db.updateTable('mail_servers').set({ from_address: null, version: 2 }).execute()
  expect((await view()).server.problem).toContain('The From address is missing')
  expect([(await testMail()).status, received]).toEqual([422, []])
  const mails = openOwnMails(world.deps)
  cleanUps.push(() => mails.close())
  expect(await (await mails.of(store.accountId))!.channel.send({} as never)).toMatchObject({ kind: 'retry' })
})

test('acceptance by the built-in mailbox proves nothing, and the page does not refer to the inbox', async () => {
  const { port } = await createServer({ authOptional: true })
  world.deps.config = { ...world.deps.config, mailboxSmtpPort: port }
  const { body } = await testMail()
  expect(body).toMatchObject({ isAccepted: true, way: 'mailbox' })
  expect(JSON.stringify(body)).not.toContain('Look into your inbox')
  expect(body.steps.at(-1).finding).toContain('not in your inbox')
  expect((await view()).acceptedAt).toBeNull()
})

describe('a server is refused with an explanation when', () => {
  const refused = async (body: object) => {
    const reply = await save(body)
    expect(await readStored()).toBeUndefined()
    return [reply.status, reply.body.error]
  }

  test('user or password are wrong', async () => {
    const { port } = await createServer()
    const [status, error] = await refused(entered(port, { password: 'wrong' }))
    expect(status).toBe(422)
    expect(error).toMatch(/127\.0\.0\.1 refused the user name and password\..*It says: 535 5\.7\.8/)
    expect(error).not.toContain('wrong')
  })

  test('nothing listens on the port', async () => {
    const { port } = await createServer()
    for (const cleanUp of cleanUps.splice(0)) await cleanUp()
    expect(await refused(entered(port))).toEqual([422, expect.stringContaining(`nothing listens on port ${port}`)])
  })

  test('its certificate is self-signed, by STARTTLS and by TLS', async () => {
    const own = { host: 'localhost' }
    const byStartTls = await createServer({ ...readLocalhostTls(), disabledCommands: [] })
    const expected = [422, expect.stringContaining('The certificate of localhost is self-signed')]
    expect(await refused(entered(byStartTls.port, { ...own, security: 'starttls' }))).toEqual(expected)
    const byTls = await createServer({ ...readLocalhostTls(), secure: true })
    expect(await refused(entered(byTls.port, { ...own, security: 'tls' }))).toEqual(expected)
    expect([byStartTls.users, byTls.users]).toEqual([[], []])
  })

  test('it offers no STARTTLS: the password is not sent unencrypted', async () => {
    const { port, users } = await createServer()
    const body = entered(port, { security: 'starttls' })
    expect(await refused(body)).toEqual([422, expect.stringContaining('does not offer STARTTLS')])
    expect(users).toEqual([])
  })

  test('TLS is selected for a port without it', async () => {
    const { port } = await createServer()
    const body = entered(port, { security: 'tls' })
    expect(await refused(body)).toEqual([422, expect.stringContaining('does not speak TLS from the start')])
  })

  test('it asks to come back later, at its greeting and at the sign-in', async () => {
    const busy = await createServer({ onConnect: (_session, done) => done(refuse('421 4.3.2 Too busy')) })
    expect(await refused(entered(busy.port))).toEqual([
      422,
      expect.stringMatching(/reported a temporary problem. Try again later.*Too busy/),
    ])
    const later = await createServer({ onAuth: (_auth, _session, done) => done(refuse('454 4.7.0 Temporary failure')) })
    expect(await refused(entered(later.port))).toEqual([
      422,
      expect.stringMatching(/does not accept the sign-in at the moment/),
    ])
  })

  test('it offers no sign-in', async () => {
    const { port } = await createServer({ disabledCommands: ['STARTTLS', 'AUTH'], authOptional: true })
    expect(await refused(entered(port))).toEqual([422, expect.stringContaining('does not support sign-in')])
  })

  test('it hangs up', async () => {
    const server = net.createServer((socket) => socket.end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanUps.push(() => server.close())
    const { port } = server.address() as net.AddressInfo
    expect(await refused(entered(port))).toEqual([422, expect.stringContaining('closed the connection')])
  })

  test('the name is not found, or encryption is left out for another machine', async () => {
    const nowhere = entered(587, { host: 'smtp.mugs.invalid', security: 'starttls' })
    expect(await refused(nowhere)).toEqual([422, expect.stringContaining('was not found')])
    const [status, error] = await refused(entered(25, { host: 'smtp.mugs.example' }))
    expect([status, error]).toEqual([400, expect.stringContaining('this machine')])
  })
})

test('a host that resolves to the metadata service is never connected to, even on a second resolution (X4)', async () => {
  const { port, users } = await createServer({ ...readLocalhostTls(), disabledCommands: [] })
  const session = { accountId: store.accountId, isDemo: false } as Parameters<typeof saveServer>[2]
  const account = { accountId: store.accountId, db: world.db }
  const body = { ...entered(port), host: 'mail.mugs.example', security: 'starttls' as const }
  const hosts: string[] = []
  const forbidden = async (host: string) => [hosts.push(host) > 1 ? '127.0.0.1' : '169.254.169.254']
  const guard = { ca: readLocalhostTls().cert, lookupAll: forbidden }
  await expect(saveServer(world.deps, account, session, { ...body, guard })).rejects.toThrow('not public')
  expect(hosts).toEqual(['mail.mugs.example'])
  // The address that was checked is dialled, and the certificate has to be for the name.
  const rebound = {
    ...guard,
    lookupAll: async (host: string) => [hosts.push(host) === 2 ? '127.0.0.1' : '169.254.169.254'],
  }
  await expect(saveServer(world.deps, account, session, { ...body, guard: rebound })).rejects.toThrow(
    'is for another name',
  )
  expect(users).toEqual([])
  await saveServer(world.deps, account, session, { ...body, host: 'localhost', guard: { ca: readLocalhostTls().cert } })
  expect(users).toEqual(['shop@mugs.example'])
})

test('mail is encrypted by STARTTLS when the certificate is valid', async () => {
  const { port, received } = await createServer({ ...readLocalhostTls(), disabledCommands: [] })
  const guard = { ca: readLocalhostTls().cert }
  const session = { accountId: store.accountId, isDemo: false } as Parameters<typeof saveServer>[2]
  const account = { accountId: store.accountId, db: world.db }
  const body = { ...entered(port), host: 'localhost', security: 'starttls' as const, guard }
  await saveServer(world.deps, account, session, body)
  const mails = openOwnMails({ ...world.deps, guard })
  cleanUps.push(() => mails.close())
  const mail = (await mails.of(store.accountId))!
  const message = { messageId: 'a-1', from: { name: 'Mugs', address: mail.from! }, to: 'ada@shoppers.example' }
  const outcome = await mail.channel.send({
    ...message,
    subject: 'S',
    html: '<p>H</p>',
    text: 'T',
    headers: {},
  } as never)
  expect(outcome).toMatchObject({ kind: 'accepted' })
  expect(received).toMatchObject([{ isSecure: true, from: 'shop@mugs.example', to: 'ada@shoppers.example' }])
})

test('a stored password is used only for the server, port, security and user it was entered for', async () => {
  const first = await createServer()
  const second = await createServer()
  await save(entered(first.port))
  const same = await save(entered(first.port, { password: '', fromAddress: 'news@mugs.example', version: 1 }))
  expect([same.status, same.body.server.version, same.body.from]).toEqual([200, 2, 'news@mugs.example'])
  for (const change of [{ port: second.port }, { host: 'localhost' }, { user: 'eve' }, { security: 'starttls' }]) {
    const from = { fromAddress: 'news@mugs.example' }
    const reply = await save(entered(first.port, { password: '', version: 2, ...from, ...change }))
    expect([change, reply.status, reply.body.fields]).toEqual([change, 400, { password: 'Enter the password' }])
  }
  expect([first.users.length, second.users]).toEqual([2, []])
})

test('the second of two concurrent changes is refused', async () => {
  const { port } = await createServer()
  await save(entered(port))
  expect((await save(entered(port))).status).toBe(409)
})

test('a greylisting server is named in the test result, with the retry', async () => {
  const { port } = await createServer({
    onRcptTo: (_to, _session, done) => done(refuse('450 4.2.0 Greylisted, come back in 5 minutes')),
  })
  await save(entered(port))
  const { body } = await testMail()
  expect(body.isAccepted).toBe(false)
  const step = body.steps.find(({ id }: { id: string }) => id === 'rcpt_to')
  expect(step).toMatchObject({
    state: 'bad',
    finding: expect.stringContaining('greylisting'),
    answer: expect.stringContaining('450'),
  })
  expect((await view()).acceptedAt).toBeNull()
})

test('removal deletes the password, and mail uses the installation’s server again', async () => {
  const { port } = await createServer()
  await save(entered(port))
  const reply = await world.request('DELETE', '/api/sending/mail-server', { token: store.token })
  expect(reply.body).toMatchObject({ way: 'mailbox', server: null })
  expect(await readStored()).toBeUndefined()
})

test('the demo account keeps the built-in mailbox (decision 29)', async () => {
  const { port } = await createServer()
  const demo = await createStore(world)
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', demo.accountId).execute()
  expect((await save(entered(port), demo.token)).status).toBe(403)
  expect(await view(demo.token)).toMatchObject({ isFixed: true, server: null })
})

describe('on a public installation', () => {
  const open = createWorld({ PUBLIC_URL: 'https://recoup.example.com' })

  test('only ports of mail servers and public addresses can be used (X4)', async () => {
    const { token } = await createStore(open)
    const put = (more: object) =>
      open.request('PUT', '/api/sending/mail-server', {
        token,
        body: { ...entered(587, { security: 'starttls' }), ...more },
      })
    expect((await put({ host: 'mail.mugs.example', port: 6379 })).body.fields).toEqual({
      port: expect.stringContaining('587'),
    })
    for (const host of ['127.0.0.1', 'localhost', '10.0.0.5', '2130706433', '0x7f.1', '169.254.169.254']) {
      const reply = await put({ host })
      expect([host, reply.status, reply.body.error]).toEqual([host, 422, expect.stringContaining('not public')])
    }
    expect((await put({ host: '[::1]' })).status).toBe(400)
  })
})
