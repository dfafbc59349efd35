import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type net from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import tls from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { CERTIFICATE } from '../../../providers/contracts/dovecot.ts'
import { readLocalhostTls } from '../../../providers/contracts/tls.ts'
import { createMessageScene } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { type ImapAccess, readMailboxes, withInbox } from './bounce-mailbox.ts'
import * as sql from './bounce-mailbox-sql.ts'

// The owner chooses the mailbox's server, so its replies can be hostile.

const world = createWorld()
const ca = readFileSync(CERTIFICATE, 'utf8')
const MB = 1024 * 1024
const open: (net.Server | Socket)[] = []

afterEach(() => {
  for (const each of open.splice(0)) 'close' in each ? each.close() : each.destroy()
})

type Answers = Record<string, (tag: string, socket: Socket) => void>

const ok = (tag: string, socket: Socket) => void socket.write(`${tag} OK done\r\n`)
const inbox = (uidNext: string | number) => (tag: string, socket: Socket) =>
  void socket.write(
    `* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT ${uidNext}] x\r\n${tag} OK [READ-WRITE] x\r\n`,
  )

/** Speaks IMAP as far as the sign-in; the rest is the test's. */
async function createServer(answers: Answers, greet = (socket: Socket) => void socket.write('* OK hello\r\n')) {
  const server = tls.createServer(readLocalhostTls(), (socket) => {
    open.push(socket)
    socket.on('error', () => {})
    greet(socket)
    let heard = ''
    socket.on('data', (chunk) => {
      heard += chunk
      for (let end = heard.indexOf('\r\n'); end >= 0; end = heard.indexOf('\r\n')) {
        const [tag = '', ...args] = heard.slice(0, end).split(' ')
        heard = heard.slice(end + 2)
        const name = args[0] === 'UID' ? args[1]! : args[0]!
        const answer = answers[name] ?? ok
        if (name === 'CAPABILITY') socket.write(`* CAPABILITY IMAP4rev1\r\n${tag} OK done\r\n`)
        else answer(tag, socket)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(server)
  return (server.address() as AddressInfo).port
}

const access = (port: number, limitMs?: number): ImapAccess => ({
  host: 'localhost',
  port,
  user: 'u',
  password: 'p',
  allowsPrivate: true,
  ca,
  ...(limitMs && { limitMs }),
})

/** Writes as much as the client accepts and returns the number of bytes. */
function pour(socket: Socket, max: number): { bytes: () => number } {
  const chunk = Buffer.alloc(64 * 1024, 97)
  let bytes = 0
  const go = () => {
    while (bytes < max && !socket.destroyed) {
      bytes += chunk.length
      if (!socket.write(chunk)) return void socket.once('drain', go)
    }
  }
  go()
  return { bytes: () => bytes }
}

test('a UID beyond 31 bits stops the reading of no mailbox', async () => {
  const port = await createServer({ SELECT: inbox(4_294_967_295) })
  const found = await withInbox(access(port), async (box) => box)
  expect(found.lastUid).toBe(4_294_967_294)
  const { accountId, token } = await createMessageScene(world, 0)
  const row = { address: 'b@shop.example', host: 'localhost', port, user_name: 'u', version: 0, uid_validity: '7' }
  const encrypted = world.deps.secrets.seal('p', `bounce mailbox:${accountId}`)
  const account = { accountId, db: world.db }
  await sql.saveMailbox(account, { ...row, last_uid: found.lastUid, encrypted }, world.now)
  world.advance(60_000)
  await readMailboxes(world.deps, ca)
  const view = await world.request('GET', '/api/sending/bounce-mailbox', { token })
  expect([view.status, view.body.mailbox.problem]).toEqual([200, null])
  await sql.deleteMailbox(account)
})

test('an impossible UID counts as nothing read yet', async () => {
  const next = async (uidNext: string) =>
    withInbox(access(await createServer({ SELECT: inbox(uidNext) })), async ({ lastUid }) => lastUid)
  expect(await next('99999999999')).toBe(0)
  expect(await next('0')).toBe(0)
})

test('an endless line is aborted after 64 KB, even before TLS', async () => {
  let poured = { bytes: () => 0 }
  const port = await createServer({}, (socket) => {
    socket.write('* OK ')
    poured = pour(socket, 64 * MB)
  })
  await expect(withInbox(access(port), async () => null)).rejects.toThrow('The server’s answer is too long to be read.')
  expect(poured.bytes()).toBeLessThan(16 * MB)
})

test('a message longer than requested is not read', async () => {
  const fetch = (_tag: string, socket: Socket) => {
    socket.write(`* 1 FETCH (UID 5 BODY[]<0> {${600 * MB}}\r\n`)
  }
  const port = await createServer({ SELECT: inbox(9), FETCH: fetch })
  const reading = withInbox(access(port), (box) => box.after(0, 512 * 1024))
  await expect(reading).rejects.toThrow('The server’s answer is too long to be read.')
})

test('at most eight megabytes of messages are in memory, and the rest is read the next time', async () => {
  const raw = Buffer.alloc(512 * 1024, 97)
  const fetch = (tag: string, socket: Socket) => {
    for (let uid = 1; uid <= 40; uid++) {
      socket.write(`* ${uid} FETCH (UID ${uid} BODY[]<0> {${raw.length}}\r\n`)
      socket.write(raw)
      socket.write(')\r\n')
    }
    ok(tag, socket)
  }
  const port = await createServer({ SELECT: inbox(41), FETCH: fetch })
  const { messages, isMore } = await withInbox(access(port), (box) => box.after(0, 512 * 1024))
  expect([messages.length, messages.at(-1)!.uid, isMore]).toEqual([16, 16, true])
})

test('a server that keeps sending unrelated lines is disconnected at the time limit', async () => {
  const chatter = (_tag: string, socket: Socket) => {
    const timer = setInterval(() => socket.destroyed || socket.write('* OK still here\r\n'), 20)
    socket.once('close', () => clearInterval(timer))
  }
  const port = await createServer({ SELECT: chatter })
  await expect(withInbox(access(port, 400), async () => null)).rejects.toThrow('did not answer in time')
})
