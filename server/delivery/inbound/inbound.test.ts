import { describe, expect, test } from 'vitest'
import { adaPhone, createProviderWorld, formatUnixSeconds } from '../../../test/provider-calls.ts'
import { insertMessageTo, readMessageState } from '../../../test/provider-messages.ts'
import { createId } from '../../core/common/ids.ts'

// Shoppers' replies from both providers: repeated, late and out of order.

const scene = createProviderWorld()
const { world, fromMeta, says, writes } = scene
const getMessage = (xml: string) => /<Message>(.*)<\/Message>/.exec(xml)?.[1] ?? null

const hash = () => world.deps.secrets.addressHash(adaPhone)
const suppressed = async (channel: 'sms' | 'whatsapp') =>
  (
    await world.db
      .selectFrom('suppressions')
      .selectAll()
      .where('channel', '=', channel)
      .where('address_hash', '=', hash())
      .execute()
  ).length > 0
const ledger = async (channel: 'sms' | 'whatsapp') =>
  (
    await world.db
      .selectFrom('consents')
      .select(['status', 'source'])
      .where('store_id', '=', scene.store.storeId)
      .where('channel', '=', channel)
      .orderBy('at')
      .orderBy('id')
      .execute()
  ).map(({ status }) => status)

function consents(channel: 'sms' | 'whatsapp') {
  const at = new Date(world.now.getTime() - 86_400_000)
  const row = {
    store_id: scene.store.storeId,
    id: createId(),
    address_hash: hash(),
    channel,
    status: 'granted' as const,
  }
  return world.db
    .insertInto('consents')
    .values({ ...row, source: 'checkout', wording: 'Yes', at })
    .execute()
}

describe('STOP, START and HELP by SMS (C4)', () => {
  test('a later reply stays later after the clock was set back (T4)', async () => {
    const before = world.now
    await says('STOP')
    world.advance(60_000)
    await says('START')
    expect(await suppressed('sms')).toBe(false)
    world.now = before
    await says('STOP')
    expect(await suppressed('sms')).toBe(true)
    await says('START')
    expect(await suppressed('sms')).toBe(false)
    await world.db.deleteFrom('consents').execute()
    await world.db.deleteFrom('inbound_messages').execute()
    world.now = new Date(before.getTime() + 120_000)
  })

  test('STOP in any case suppresses and is confirmed once', async () => {
    await consents('sms')
    expect(getMessage((await says('  stop. ')).body)).toMatch(/^Tea &amp; Co: Sie erhalten hier keine Nachrichten mehr/)
    expect([await suppressed('sms'), await ledger('sms')]).toEqual([true, ['granted', 'withdrawn']])
    expect(await suppressed('whatsapp')).toBe(false)
    for (const word of ['STOP', 'Unsubscribe', 'opt out', 'CANCEL', 'quit', 'End', 'revoke']) {
      expect([word, getMessage((await says(word)).body)]).toEqual([word, null])
    }
    expect(await ledger('sms')).toEqual(['granted', 'withdrawn'])
  })

  test('START reverses it once and restores the earlier consent', async () => {
    world.advance(1_000)
    expect(getMessage((await says('Start')).body)).toContain('Sie erhalten unsere Nachrichten wieder')
    expect([await suppressed('sms'), await ledger('sms')]).toEqual([false, ['granted', 'withdrawn', 'granted']])
    expect(getMessage((await says('START')).body)).toBeNull()
  })

  test('an old START delivered again after a later STOP changes nothing', async () => {
    const start = { MessageSid: `SM${'e'.repeat(32)}` }
    world.advance(1_000)
    await says('START', start)
    world.advance(1_000)
    await says('STOP')
    expect((await says('START', start)).status).toBe(200)
    expect(await suppressed('sms')).toBe(true)
  })

  test('Twilio’s keyword takes precedence over the text', async () => {
    world.advance(1_000)
    await says('START')
    world.advance(1_000)
    expect(getMessage((await says('Bitte nicht', { OptOutType: 'STOP' })).body)).toBeNull()
    expect(await suppressed('sms')).toBe(true)
  })

  test('a number that sends HELP endlessly gets ten replies a day, and its STOP still counts', async () => {
    await world.db.deleteFrom('rate_limits').execute()
    const answers: unknown[] = []
    for (let n = 0; n < 12; n++) answers.push(getMessage((await says('HELP')).body))
    expect(answers.filter((answer) => answer !== null)).toHaveLength(10)
    expect([getMessage((await says('STOP')).body), await suppressed('sms')]).toEqual([null, true])
    await world.db.deleteFrom('rate_limits').execute()
    await says('START')
  })

  test('a shop’s name cannot inject a link into a reply', async () => {
    const change = (names: { name: string; sender_name: string }) =>
      world.db.updateTable('stores').set(names).where('id', '=', scene.store.storeId).execute()
    const before = world.db.selectFrom('stores').select(['name', 'sender_name'])
    const names = await before.where('id', '=', scene.store.storeId).executeTakeFirstOrThrow()
    await change({ name: 'Security Team evil.com', sender_name: '' })
    const answer = getMessage((await says('HELP')).body)
    await change(names)
    expect(answer).toContain('Security Team evil com')
  })

  test('HELP gets a reply, other texts do not, and none is sent when Twilio has replied itself', async () => {
    expect(getMessage((await says('help')).body)).toContain('support@recoup.example.com')
    expect(getMessage((await says('I cannot stop thinking of it')).body)).toBeNull()
    expect(getMessage((await says('HELP', { OptOutType: 'HELP' })).body)).toBeNull()
    expect(
      await world.db.selectFrom('inbound_messages').select('reply_to').where('reply_to', 'is not', null).execute(),
    ).toEqual([])
  })
})

describe('WhatsApp', () => {
  const confirmations = () =>
    scene.meta.network.texts.thread(adaPhone, 'whatsapp', '+12025550100').map(({ body }) => body)

  test('a preference change and an opt-out button stop messages, and a preference opens no 24-hour window', async () => {
    const setting = (value: string, at = world.now) => ({
      wa_id: adaPhone.slice(1),
      category: 'marketing_messages',
      value,
      timestamp: Number(formatUnixSeconds(at)),
      detail: 'User requested to change marketing messages',
    })
    expect(await fromMeta({ user_preferences: [setting('stop')] }, { field: 'user_preferences' })).toBe(200)
    expect([await suppressed('whatsapp'), confirmations()]).toEqual([true, []])
    const windows = world.db.selectFrom('text_windows').select('inbound_at').where('channel', '=', 'whatsapp')
    expect(await windows.execute()).toEqual([])
    world.advance(1_000)
    await fromMeta({ user_preferences: [setting('resume')] }, { field: 'user_preferences' })
    expect(await suppressed('whatsapp')).toBe(false)
    world.advance(1_000)
    const button = {
      from: adaPhone.slice(1),
      timestamp: formatUnixSeconds(world.now),
      button: { text: 'Stop promotions' },
    }
    await fromMeta({ messages: [{ ...button, id: 'wamid.button', type: 'button' }] })
    expect(await suppressed('whatsapp')).toBe(true)
    await world.runJobs()
    for (const table of ['suppressions', 'inbound_messages', 'text_windows'] as const)
      await world.db.deleteFrom(table).execute()
    scene.meta.network.texts.forget()
    world.advance(1_000)
  })

  test('a message opens 24 hours; an older one delivered late does not shorten them', async () => {
    const window = () =>
      world.db.selectFrom('text_windows').select('inbound_at').where('channel', '=', 'whatsapp').execute()
    const now = new Date(Math.floor(world.now.getTime() / 1_000) * 1_000)
    await writes('Where is my tea?', now)
    await writes('Hello?', new Date(now.getTime() - 3_600_000))
    expect(await window()).toEqual([{ inbound_at: now }])
  })

  test('a repeated delivery of a message does not reopen the window', async () => {
    const window = () =>
      world.db.selectFrom('text_windows').select('inbound_at').where('channel', '=', 'sms').executeTakeFirst()
    const again = { MessageSid: `SM${'7'.repeat(32)}` }
    await says('Hello', again)
    const before = await window()
    world.advance(3_600_000)
    await says('Hello', again)
    expect(await window()).toEqual(before)
  })

  test('STOP is confirmed by one message, however often it is delivered', async () => {
    await consents('whatsapp')
    const at = world.advance(60_000)
    for (let times = 0; times < 3; times += 1) expect(await writes('Stop', at, 'wamid.stop')).toBe(200)
    await world.runJobs()
    expect(await suppressed('whatsapp')).toBe(true)
    expect(confirmations()).toEqual([expect.stringContaining('Tea & Co: Sie erhalten hier keine Nachrichten mehr')])
    await world.runJobs()
    expect(confirmations()).toHaveLength(1)
  })

  test('the later reply counts in either order of delivery', async () => {
    const [first, second] = [world.advance(60_000), world.advance(60_000)]
    world.advance(60_000)
    expect(await writes('START', second)).toBe(200)
    expect(await suppressed('whatsapp')).toBe(false)
    await writes('STOP', first)
    expect(await suppressed('whatsapp')).toBe(false)
    await world.runJobs()
  })

  test('a Twilio message is assigned to the channel by its number, as a messaging service has one URL for both', async () => {
    const byWhatsApp = { From: `whatsapp:${adaPhone}`, To: 'whatsapp:+12025550100' }
    world.advance(60_000)
    const { body } = await says('Stop', byWhatsApp)
    expect(getMessage(body)).toContain('Sie erhalten hier keine Nachrichten mehr')
    expect(await suppressed('whatsapp')).toBe(true)
    world.advance(60_000)
    await says('START', byWhatsApp)
    expect(await suppressed('whatsapp')).toBe(false)
  })

  test('STOP also applies to the phone number when WhatsApp knows it by another form', async () => {
    const from = {
      from: '5215512345678',
      id: 'wamid.mx',
      timestamp: formatUnixSeconds(world.now),
      type: 'text',
      text: { body: 'STOP' },
    }
    await fromMeta({ messages: [from] })
    const rows = await world.db
      .selectFrom('suppressions')
      .select('address')
      .where('address', 'like', '+52%')
      .orderBy('address')
      .execute()
    expect(rows).toEqual([{ address: '+5215512345678' }, { address: '+525512345678' }])
    await world.runJobs()
  })

  test('events of another number of the app and unknown events are ignored', async () => {
    const foreign = {
      metadata: { phone_number_id: '1' },
      messages: [{ from: adaPhone.slice(1), id: 'wamid.x', timestamp: '1' }],
    }
    expect(await fromMeta(foreign)).toBe(200)
    expect(
      await fromMeta({ statuses: [{ id: 'wamid.y', status: 'warning', timestamp: '1' }], messages: [{ odd: true }] }),
    ).toBe(200)
    const stored = await world.db
      .selectFrom('inbound_messages')
      .select('event_key')
      .where('event_key', '=', 'wamid.x')
      .execute()
    expect(stored).toEqual([])
  })
})

describe('messages', () => {
  test('not yet sent are closed by STOP in the same commit, on that channel only (C2)', async () => {
    const open = {
      sms: await insertMessageTo(adaPhone, scene, { state: 'scheduled', channel: 'sms' }),
      whatsapp: await insertMessageTo(adaPhone, scene, { state: 'scheduled', channel: 'whatsapp' }),
    }
    world.advance(1_000)
    await writes('STOP')
    expect(await readMessageState(world.db, open.whatsapp)).toEqual({
      state: 'skipped',
      reason: 'suppressed_unsubscribed',
    })
    expect((await readMessageState(world.db, open.sms)).state).toBe('scheduled')
  })
})
