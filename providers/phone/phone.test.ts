import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { isFromMeta } from '../../server/delivery/inbound/hooks.ts'
import { isFromTwilio } from '../../server/delivery/inbound/twilio-hooks.ts'
import { createTwilioChannel } from '../../server/delivery/texts/text-channels.ts'
import { createWhatsAppChannel } from '../../server/delivery/texts/whatsapp.ts'
import { authorizeTest } from '../../server/messages/channels/send-authorization.ts'
import { serve } from '../contracts/serve.ts'
import { startMailbox } from '../mailbox/mailbox.ts'
import { openNetwork } from './network.ts'
import { addPhones } from './web.ts'

// Sends through Recoup's own channels and receives the callbacks on a test server.

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const ada = '+4915123456789'
const accountSid = `AC${'a'.repeat(32)}`
const shop = '+12025550100'

interface ReceivedCall {
  path: string
  body: string
  headers: Record<string, unknown>
}

async function startPhones(dataFile = ':memory:', answer = '<Response/>') {
  const received: ReceivedCall[] = []
  const hooks = await serve((request, reply) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      received.push({ path: request.url!, body, headers: request.headers })
      reply.end(answer)
    })
  })
  const network = openNetwork({ dataFile, paceMs: 5, reach: (url) => url.replace('https://recoup.example', hookUrl) })
  const hookUrl = `http://127.0.0.1:${hooks.port}`
  const mailbox = await startMailbox({
    smtpPort: 0,
    webPort: 0,
    dataFile: ':memory:',
    phones: (scope) => addPhones(scope, { network, publicUrl: 'https://recoup.example' }),
  })
  const stop = async () => {
    await mailbox.stop()
    await network.stop()
    await hooks.close()
  }
  cleanUps.push(stop)
  const url = `${mailbox.url}/phone`
  const fetchLine = (more: object) => fetch(`${url}/api/lines`, { method: 'PUT', body: JSON.stringify(more) })
  const inboundUrl = 'https://recoup.example/inbound'
  await fetchLine({
    provider: 'twilio',
    account: accountSid,
    token: 'tok',
    signingSecret: 'tok',
    sender: shop,
    inboundUrl,
  })
  await fetchLine({
    provider: 'meta',
    account: '10654035',
    token: 'EAA',
    signingSecret: 'app',
    sender: shop,
    inboundUrl,
  })
  const sms = createTwilioChannel({
    channel: 'sms',
    accountSid,
    authToken: 'tok',
    senders: [{ country: null, sender: shop }],
    baseUrl: `${url}/twilio`,
    statusUrl: (id) => `https://recoup.example/status/${id}`,
  })
  const whatsapp = createWhatsAppChannel({
    phoneNumberId: '10654035',
    businessAccountId: '910654035',
    accessToken: 'EAA',
    template: null,
    apiVersion: 'v23.0',
    baseUrl: `${url}/graph`,
  })
  cleanUps.push(() => Promise.all([sms.close(), whatsapp.close()]))
  const sendText = (channel: 'sms' | 'whatsapp', to = ada) =>
    (channel === 'sms' ? sms : whatsapp).send({
      messageId: 'm1',
      channel,
      to,
      text: 'Hello',
      template: null,
      sendAuthorization: authorizeTest(),
    })
  const fetchPage = async (path = '') => (await fetch(url + path)).text()
  const replyFromPhone = (body: string, channel = 'sms') =>
    fetch(`${url}/reply`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ phone: ada, channel, sender: shop, body }),
    })
  return { url, network, seen: received, text: sendText, page: fetchPage, says: replyFromPhone, stop }
}

const pollFor = (check: () => unknown) => expect.poll(check, { interval: 20 })

describe('the phones', () => {
  test('show an SMS and report sent and delivered by signed callbacks', async () => {
    const { text, page, seen: messages } = await startPhones()
    expect(await text('sms')).toMatchObject({ kind: 'accepted', segments: 1 })
    await pollFor(() => messages.length).toBe(2)
    expect(messages.map(({ body }) => new URLSearchParams(body).get('MessageStatus'))).toEqual(['sent', 'delivered'])
    const { path, body, headers } = messages[0]!
    const post = { url: `https://recoup.example${path}`, params: Object.fromEntries(new URLSearchParams(body)) }
    const signature = String(headers['x-twilio-signature'])
    expect(path).toBe('/status/m1')
    expect(await isFromTwilio('tok', { ...post, signature })).toBe(true)
    expect(await isFromTwilio('tok', { ...post, signature, params: { ...post.params, MessageStatus: 'failed' } })).toBe(
      false,
    )
    expect(await page()).toContain(ada)
    expect(await page(`?phone=${encodeURIComponent(ada)}`)).toMatch(/Hello[\s\S]*delivered/)
  })

  test('show a WhatsApp message and report it as read when opened', async () => {
    const { text, page, says, seen: messages } = await startPhones()
    await text('whatsapp')
    await pollFor(() => messages.at(-1)?.body).toContain('131047')
    await says('Hi', 'whatsapp')
    await text('whatsapp')
    await pollFor(() => messages.at(-1)?.body).toContain('"delivered"')
    await page(`?phone=${encodeURIComponent(ada)}&channel=whatsapp`)
    await pollFor(() => messages.at(-1)?.body).toContain('"read"')
    const { body, headers } = messages.at(-1)!
    expect(isFromMeta('app', Buffer.from(body), String(headers['x-hub-signature-256']))).toBe(true)
    expect(isFromMeta('app', Buffer.from(`${body} `), String(headers['x-hub-signature-256']))).toBe(false)
  })

  test('pass STOP to the sender, show its reply, and block further texts until START', async () => {
    const {
      text,
      says,
      page,
      seen: messages,
    } = await startPhones(':memory:', '<Response><Message>Tea &amp; Co: stopped</Message></Response>')
    await text('sms')
    await says('STOP')
    const inbound = messages.find(({ path }) => path === '/inbound')!
    expect(Object.fromEntries(new URLSearchParams(inbound.body))).toMatchObject({ From: ada, To: shop, Body: 'STOP' })
    const phone = await page(`?phone=${encodeURIComponent(ada)}`)
    expect(phone).toContain('Tea &amp; Co: stopped')
    expect(phone).toContain('The provider blocks SMS')
    expect(await text('sms')).toMatchObject({ kind: 'rejected', reason: '21610', suppress: 'unsubscribed' })
    await says('START')
    expect(await text('sms')).toMatchObject({ kind: 'accepted' })
  })

  test('report an error code when a phone is switched off', async () => {
    const { text, network, seen: messages } = await startPhones()
    network.setOff(ada, true)
    await text('sms')
    await pollFor(() => messages.at(-1)?.body).toContain('ErrorCode=30003')
  })

  test('continue pending deliveries after a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'phones-'))
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
    const first = await startPhones(join(folder, 'phones.sqlite'))
    await first.text('sms')
    await first.stop()
    cleanUps.splice(cleanUps.indexOf(first.stop), 1)
    const second = await startPhones(join(folder, 'phones.sqlite'))
    await pollFor(() => second.network.texts.thread(ada, 'sms', shop)[0]).toMatchObject({
      status: 'delivered',
      told: 'delivered',
    })
  })

  test('escape message text on every page', async () => {
    const { page, says, text } = await startPhones()
    await text('sms')
    await says('<script>alert(1)</script>')
    for (const path of ['', `?phone=${encodeURIComponent(ada)}`, '/list', `/thread?phone=${encodeURIComponent(ada)}`]) {
      expect(await page(path)).not.toContain('<script>alert')
    }
    const foreign = await fetch(`${(await startPhones()).url}/delete-all`, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
    })
    expect(foreign.status).toBe(403)
  })
})
