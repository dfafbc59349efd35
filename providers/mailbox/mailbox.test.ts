import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createSmtpChannel } from '../../server/delivery/email/smtp.ts'
import type { OutgoingEmail } from '../../server/messages/channels/channel.ts'
import { authorizeTest } from '../../server/messages/channels/send-authorization.ts'
import { startMailbox } from './mailbox.ts'
import { openMessages } from './messages.ts'
import { createMailboxApp } from './web.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'mailbox-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function startTestMailbox() {
  const mailbox = await startMailbox({ smtpPort: 0, webPort: 0, dataFile: ':memory:' })
  cleanUps.push(() => mailbox.stop())
  const channel = createSmtpChannel({ url: mailbox.smtpUrl })
  cleanUps.push(() => channel.close())
  const get = async (path: string) => (await fetch(mailbox.url + path)).json()
  const fetchText = async (path: string) => (await fetch(mailbox.url + path)).text()
  const send = (changes: Partial<OutgoingEmail> = {}) =>
    channel.send({ ...createEmail(changes), sendAuthorization: authorizeTest() })
  return { ...mailbox, send, get, text: fetchText }
}

function createEmail(changes: Partial<OutgoingEmail> = {}): OutgoingEmail {
  return {
    messageId: 'm1',
    from: { name: 'Harbour', address: 'shop@harbour.example' },
    to: 'ana@shopper.example',
    subject: 'Your cart',
    html: '<!doctype html><html><head><title>x</title></head><body><a href="https://shop.example/">Cart</a></body></html>',
    text: 'Cart https://shop.example/',
    headers: {},
    ...changes,
  }
}

describe('the mailbox', () => {
  test('lists received messages, newest first, unread until opened', async () => {
    const { send, get, text } = await startTestMailbox()
    expect(await send()).toMatchObject({ kind: 'accepted' })
    await send({ subject: 'Second', to: 'bo@shopper.example' })
    const list = await get('/api/messages')
    expect(list).toMatchObject({ total: 2, unread: 2 })
    expect(list.messages.map(({ subject }: { subject: string }) => subject)).toEqual(['Second', 'Your cart'])
    expect(list.messages[1]).toMatchObject({ from: 'Harbour <shop@harbour.example>', to: ['ana@shopper.example'] })
    expect(await text('/messages/1')).toContain('Your cart')
    expect(await get('/api/messages')).toMatchObject({ unread: 1 })
  })

  test('searches by text and by recipient', async () => {
    const { send, get } = await startTestMailbox()
    await send({ subject: '100% off_x' })
    await send({ subject: 'Other', to: 'Bo@shopper.example' })
    expect((await get('/api/messages?q=CART+harbour')).messages).toHaveLength(2)
    expect((await get('/api/messages?q=100%25')).messages).toHaveLength(1)
    expect((await get('/api/messages?q=0_o')).messages).toHaveLength(0)
    expect((await get('/api/messages?to=bo@shopper.example')).messages).toHaveLength(1)
  })

  test('has the URL of the settings, on localhost', async () => {
    const { url } = await startTestMailbox()
    expect(new URL(url).hostname).toBe('localhost')
    expect((await fetch(url)).status).toBe(200)
  })

  test('returns the parts of a message, and the raw message as a download', async () => {
    const { send, get, url } = await startTestMailbox()
    await send()
    const message = await get('/api/messages/1')
    expect(message.html).toContain('href="https://shop.example/"')
    expect(message.text.trim()).toBe('Cart https://shop.example/')
    expect(message.headers).toContainEqual({ name: 'Message-ID', value: '<m1@harbour.example>' })
    const raw = await fetch(`${url}/messages/1/raw`)
    expect(raw.headers.get('content-disposition')).toContain('message-1.eml')
    expect(await raw.text()).toContain('Message-ID: <m1@harbour.example>')
  })

  test('deletes one message or all', async () => {
    const { send, get, url } = await startTestMailbox()
    for (const subject of ['a', 'b', 'c']) await send({ subject })
    expect((await fetch(`${url}/api/messages/2`, { method: 'DELETE' })).status).toBe(200)
    expect((await get('/api/messages')).total).toBe(2)
    await fetch(`${url}/delete-all`, { method: 'POST' })
    expect((await get('/api/messages')).total).toBe(0)
    expect((await fetch(`${url}/api/messages/1`)).status).toBe(404)
    expect((await fetch(`${url}/messages/1`)).status).toBe(404)
  })

  test('keeps the newest messages up to the limit', () => {
    const messages = openMessages(':memory:', 3)
    const raw = Buffer.from('x')
    for (const subject of ['a', 'b', 'c', 'd', 'e']) {
      messages.add({
        receivedAt: '2026-01-01T00:00:00Z',
        from: '',
        to: [],
        subject,
        preview: '',
        raw,
        size: 1,
        hasOneClickUnsubscribe: false,
      })
    }
    expect(messages.list({}).map(({ subject }) => subject)).toEqual(['e', 'd', 'c'])
  })

  test('rejects when a port is in use, and releases everything', async () => {
    const { url } = await startTestMailbox()
    const webPort = Number(new URL(url).port)
    const start = startMailbox({ smtpPort: 0, webPort, dataFile: ':memory:' })
    await expect(start).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  test('keeps every acknowledged message after kill -9', async () => {
    const folder = createFolder()
    const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
      env: { ...process.env, MAILBOX_PORT: '0', MAILBOX_SMTP_PORT: '0', DATA_DIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    cleanUps.push(() => child.kill('SIGKILL'))
    const smtpUrl = /smtp:\S+/.exec(await readFirstLine(child))![0]
    const channel = createSmtpChannel({ url: smtpUrl })
    cleanUps.push(() => channel.close())
    let accepted = 0
    const sending = Array.from({ length: 200 }, async (_, at) => {
      const { kind } = await channel.send({
        ...createEmail({ messageId: `m${at}` }),
        sendAuthorization: authorizeTest(),
      })
      if (kind === 'accepted') accepted += 1
      if (accepted === 60) child.kill('SIGKILL')
    })
    await Promise.all(sending)
    expect(accepted).toBeGreaterThanOrEqual(60)
    expect(accepted).toBeLessThan(200)
    const messages = openMessages(join(folder, 'mailbox.sqlite'))
    expect(messages.counts().total).toBeGreaterThanOrEqual(accepted)
    messages.close()
  })
})

function readFirstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => child.stdout!.once('data', (chunk) => resolve(String(chunk))))
}

describe('one-click unsubscribe', () => {
  test('posts as a mail provider does and shows the answer', async () => {
    const received: unknown[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += chunk))
      request.on('end', () => {
        received.push({ method: request.method, type: request.headers['content-type'], body, url: request.url })
        response.end('ok')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanUps.push(() => server.close())
    const link = `http://127.0.0.1:${(server.address() as AddressInfo).port}/u/tok`
    const { send, text, get, url } = await startTestMailbox()
    await send({
      headers: {
        'List-Unsubscribe': `<mailto:x@y.example>, <${link}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    })
    await send()
    expect(await text('/messages/1')).toContain('>Unsubscribe</button>')
    expect(await text('/messages/2')).not.toContain('>Unsubscribe</button>')
    expect((await get('/api/messages?q=cart')).messages[1].hasOneClickUnsubscribe).toBe(true)
    const answer = await fetch(`${url}/api/messages/1/unsubscribe`, { method: 'POST' })
    expect(await answer.json()).toEqual({ isOk: true, answer: 'answered 200' })
    expect(received).toEqual([
      { method: 'POST', type: 'application/x-www-form-urlencoded', body: 'List-Unsubscribe=One-Click', url: '/u/tok' },
    ])
    expect(await text('/messages/1')).toContain('the sender answered 200')
    expect((await fetch(`${url}/api/messages/2/unsubscribe`, { method: 'POST' })).status).toBe(409)
  })
})

describe('hostile mail', () => {
  test('renders as text outside its frame and runs no scripts inside', async () => {
    const { send, text, url } = await startTestMailbox()
    const nasty = '"><script>alert(1)</script>'
    await send({
      subject: nasty,
      from: { name: nasty, address: 'a@b.example' },
      text: nasty,
      html: nasty,
      headers: { 'X-Nasty': nasty },
    })
    for (const path of ['/', '/list', '/messages/1?tab=text', '/messages/1?tab=headers', '/?q="><script>alert(1)']) {
      const page = await text(path)
      expect(page).not.toContain('<script>')
    }
    const frame = await fetch(`${url}/messages/1/html`)
    expect(frame.headers.get('content-security-policy')).toMatch(/^sandbox allow-popups [^;]*; default-src 'none'/)
    const page = await fetch(url)
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self'/)
    expect(await text('/messages/1?tab=html')).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"')
  })

  test('opens links in a new tab without leaving standards mode', async () => {
    const { send, text } = await startTestMailbox()
    await send()
    expect(await text('/messages/1/html')).toMatch(/^<!doctype html><html><head><base target="_blank">/)
  })

  test('shows a message that cannot be parsed', async () => {
    const { send, text } = await startTestMailbox()
    await send({ html: '', text: '' })
    expect((await text('/messages/1')).length).toBeGreaterThan(500)
  })

  test('rejects requests from other sites’ pages', async () => {
    const { url } = await startTestMailbox()
    const post = (headers: Record<string, string>) =>
      fetch(`${url}/delete-all`, { method: 'POST', headers, redirect: 'manual' })
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await post({ origin: 'null' })).status).toBe(403)
    expect((await post({ origin: url })).status).toBe(303)
    const messages = openMessages(':memory:')
    const app = createMailboxApp({ messages, now: () => new Date() })
    cleanUps.push(() => app.close())
    const rebound = await app.inject({ url: '/api/messages', headers: { host: 'evil.example:3002' } })
    expect(rebound.statusCode).toBe(403)
  })
})
