import net from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, expect, test } from 'vitest'
import type { OutgoingEmail } from '../../messages/channels/channel.ts'
import { trySmtp } from './smtp-trial.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

const mail: OutgoingEmail = {
  messageId: 'trial-1',
  from: { name: 'Harbour', address: 'shop@harbour.example' },
  to: 'ada@owner.example',
  subject: 'Test',
  html: '<p>Test</p>',
  text: 'Test',
  headers: {},
}

async function createServer(options: SMTPServerOptions = {}) {
  const mails: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onData(stream, _session, done) {
      stream.on('data', (chunk: Buffer) => mails.push(chunk.toString()))
      stream.on('end', () => done(null, 'queued as 42'))
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port: (server.server.address() as net.AddressInfo).port, mails }
}

const refuse = (reply: string) => Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) })
const limits = { connectMs: 1_500, sendMs: 1_500 }

async function readStates(url: string) {
  const trial = await trySmtp(url, mail, limits)
  return { ...trial, states: trial.steps.map(({ step, state }) => `${step} ${state}`) }
}

test('every step succeeds with the server’s replies, and the mail arrives', async () => {
  const { port, mails } = await createServer({
    onAuth: ({ username }, _session, done) => done(null, { user: username }),
    banner: 'Harbour mail',
  })
  const trial = await readStates(`smtp://user:secret@127.0.0.1:${port}`)
  expect(trial).toMatchObject({ isAccepted: true, host: '127.0.0.1', port })
  expect(trial.states).toEqual(
    ['connect', 'encrypt', 'sign_in', 'mail_from', 'rcpt_to', 'accept'].map((step) => `${step} done`),
  )
  const answers = Object.fromEntries(trial.steps.map(({ step, answer }) => [step, answer]))
  expect(answers).toMatchObject({
    connect: expect.stringMatching(/^220 .*Harbour mail/),
    encrypt: expect.stringMatching(/^220 /),
    sign_in: expect.stringMatching(/^235 /),
    mail_from: expect.stringMatching(/^250 /),
    rcpt_to: expect.stringMatching(/^250 /),
    accept: expect.stringContaining('queued as 42'),
  })
  expect(mails.join('')).toContain('Subject: Test')
})

test('sign-in and encryption are skipped if not required', async () => {
  const { port } = await createServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
  const { states, isAccepted } = await readStates(`smtp://127.0.0.1:${port}`)
  expect(isAccepted).toBe(true)
  expect(states).toEqual([
    'connect done',
    'encrypt passed_over',
    'sign_in passed_over',
    'mail_from done',
    'rcpt_to done',
    'accept done',
  ])
})

test.each<[string, SMTPServerOptions, string, RegExp]>([
  [
    'sign_in',
    { onAuth: (_auth, _session, done) => done(refuse('535 5.7.8 bad password')) },
    'user:x@',
    /535 .*bad password/,
  ],
  [
    'mail_from',
    { onMailFrom: (_from, _session, done) => done(refuse('553 5.7.1 not your domain')) },
    '',
    /553 .*not your/,
  ],
  ['rcpt_to', { onRcptTo: (_to, _session, done) => done(refuse('550 5.7.1 relaying denied')) }, '', /550 .*relaying/],
  [
    'accept',
    {
      onData(stream, _session, done) {
        stream.resume()
        stream.on('end', () => done(refuse('554 5.7.1 looks like spam')))
      },
    },
    '',
    /554 .*spam/,
  ],
])('a refusal at %s fails that step, and later steps are not reached', async (step, options, user, message) => {
  const { port } = await createServer(options)
  const trial = await readStates(`smtp://${user}127.0.0.1:${port}`)
  expect(trial.isAccepted).toBe(false)
  expect(trial.steps.find(({ state }) => state === 'failed')).toMatchObject({
    step,
    answer: expect.stringMatching(message),
  })
  const at = trial.steps.findIndex(({ state }) => state === 'failed')
  expect(trial.steps.slice(at + 1).every(({ state }) => state === 'not_reached')).toBe(true)
})

test('a certificate for another name and a server without STARTTLS stop at the encryption', async () => {
  const { port } = await createServer()
  const strict = await readStates(`smtp://127.0.0.1:${port}?requireTLS=true&tls.rejectUnauthorized=true`)
  expect(strict.states[1]).toBe('encrypt failed')
  const plain = await createServer({ disabledCommands: ['STARTTLS'] })
  expect((await readStates(`smtp://127.0.0.1:${plain.port}?requireTLS=true`)).states[1]).toBe('encrypt failed')
})

test('a closed port and a silent server fail at connecting', async () => {
  const { port } = await createServer()
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
  expect((await readStates(`smtp://127.0.0.1:${port}`)).states[0]).toBe('connect failed')
  const mute = net.createServer(() => {})
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => mute.close())
  const trial = await readStates(`smtp://127.0.0.1:${(mute.address() as net.AddressInfo).port}`)
  expect(trial.states).toEqual(['connect failed', ...trial.states.slice(1)])
})

test('no step shows the password', async () => {
  const { port } = await createServer({ onAuth: (_auth, _session, done) => done(refuse('535 no')) })
  expect(JSON.stringify(await trySmtp(`smtp://user:hunter2@127.0.0.1:${port}`, mail, limits))).not.toMatch(
    /hunter2|aHVudGVyMg/,
  )
})
