import { describe, expect, test } from 'vitest'
import { adaPhone, createProviderWorld, formatUnixSeconds, otherAccountSid } from '../../../test/provider-calls.ts'
import { insertMessageTo, readMessageState } from '../../../test/provider-messages.ts'
import { createId } from '../../core/common/ids.ts'
import { hookUrl, openSecrets } from '../texts/text-channels.ts'

// Provider webhooks with real signatures: forged, foreign, repeated, late and out of order.

const scene = createProviderWorld()
const { world, fromTwilio, fromMeta, inboundPath } = scene

describe('authentication of webhook calls', () => {
  test('an unknown key or another account’s is not found, and a forged signature is refused', async () => {
    expect((await fromTwilio('/api/webhooks/twilio/nobody/inbound', {})).status).toBe(404)
    expect((await fromTwilio(`/api/webhooks/twilio/${scene.keys.otherSms}/inbound`, {})).status).toBe(404)
    expect((await fromTwilio(inboundPath(), { Body: 'STOP' }, { body: { Body: 'START' } })).status).toBe(403)
    expect((await fromTwilio(inboundPath(), {}, { signed: `http://localhost:3000${inboundPath()}` })).status).toBe(403)
    expect(
      (await fromTwilio(`${inboundPath()}?x=1`, {}, { signed: `https://recoup.example.com${inboundPath()}` })).status,
    ).toBe(403)
    expect(await fromMeta({}, { body: '{"entry":[]}' })).toBe(403)
    expect(
      (await world.request('POST', `/api/webhooks/whatsapp/${scene.keys.whatsapp}`, { body: { entry: [] } })).status,
    ).toBe(403)
    expect(await world.db.selectFrom('inbound_messages').selectAll().execute()).toEqual([])
  })

  test('Meta’s verification returns the challenge for the right token only', async () => {
    const row = await world.db
      .selectFrom('channel_credentials')
      .selectAll()
      .where('hook_key', '=', scene.keys.whatsapp)
      .executeTakeFirstOrThrow()
    const { verifyToken } = openSecrets(world.deps.secrets, row)
    const shake = (token: string) =>
      world.request(
        'GET',
        `/api/webhooks/whatsapp/${scene.keys.whatsapp}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`,
      )
    expect(await shake(verifyToken)).toMatchObject({ status: 200, body: '1158201444' })
    expect((await shake('guess')).status).toBe(403)
    expect((await shake('')).status).toBe(403)
  })
})

describe('messages', () => {
  test('follow reports in any order, but never those of another account’s provider', async () => {
    const MessageSid = `SM${'d'.repeat(32)}`
    const id = await insertMessageTo(adaPhone, scene, { state: 'sent', channel: 'sms', providerId: MessageSid })
    const path = (key: string) => `/api/webhooks/twilio/${key}/status/${id}`
    const foreign = { AccountSid: otherAccountSid, MessageSid, MessageStatus: 'undelivered', ErrorCode: '30003' }
    expect((await fromTwilio(path(scene.keys.otherSms), foreign)).status).toBe(204)
    expect((await readMessageState(world.db, id)).state).toBe('sent')
    await fromTwilio(path(scene.keys.sms), { MessageSid, MessageStatus: 'delivered' })
    await fromTwilio(path(scene.keys.sms), { MessageSid, MessageStatus: 'sent' })
    expect((await readMessageState(world.db, id)).state).toBe('delivered')
  })
})

describe('delivery reports', () => {
  const reports = () =>
    world.db
      .selectFrom('delivery_reports')
      .select(['account_id', 'provider_id', 'status', 'code'])
      .where('provider_id', 'in', [`SM${'f'.repeat(32)}`, 'wamid.r'])
      .orderBy('status')
      .execute()
  const statusPath = (messageId: string) =>
    new URL(hookUrl.twilioStatus(world.deps.config, scene.keys.sms, messageId)).pathname

  test('are stored once each, from every provider', async () => {
    const MessageSid = `SM${'f'.repeat(32)}`
    const path = statusPath(createId())
    for (const MessageStatus of ['delivered', 'queued', 'sent', 'delivered', 'sent']) {
      expect((await fromTwilio(path, { MessageSid, MessageStatus })).status).toBe(204)
    }
    await fromTwilio(path, { MessageSid, MessageStatus: 'undelivered', ErrorCode: '30005' })
    const status = {
      id: 'wamid.r',
      status: 'read',
      timestamp: formatUnixSeconds(world.now),
      biz_opaque_callback_data: 'no-id-of-ours',
    }
    expect(await fromMeta({ statuses: [status, status] })).toBe(200)
    expect(await reports()).toEqual([
      { account_id: scene.store.accountId, provider_id: MessageSid, status: 'delivered', code: null },
      { account_id: scene.store.accountId, provider_id: MessageSid, status: 'failed', code: '30005' },
      { account_id: scene.store.accountId, provider_id: 'wamid.r', status: 'read', code: null },
      { account_id: scene.store.accountId, provider_id: MessageSid, status: 'sent', code: null },
    ])
  })

  test('suppress a number that the provider reports as dead', async () => {
    const rows = await world.db
      .selectFrom('delivery_reports')
      .select(['code', 'suppress'])
      .where('code', '=', '30005')
      .execute()
    expect(rows).toEqual([{ code: '30005', suppress: 'invalid' }])
  })

  test('are answered well within a second', async () => {
    const took: number[] = []
    for (const digit of ['7', '8', '9']) {
      const start = performance.now()
      await fromTwilio(statusPath(createId()), { MessageSid: `SM${digit.repeat(32)}`, MessageStatus: 'sent' })
      took.push(performance.now() - start)
    }
    // The shortest: what else the machine does makes any one of them longer.
    expect(Math.min(...took)).toBeLessThan(1_000)
  })
})
