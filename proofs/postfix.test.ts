import net from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitUntil } from '../e2e/app-instance.ts'
import { recordOrders } from '../server/carts/carts/record.ts'
import { openMailHeaders } from '../server/delivery/email/mail-headers.ts'
import { createSmtpChannel } from '../server/delivery/email/smtp.ts'
import { type BounceIntake, listenForBounces } from '../server/delivery/mail-reports/bounce-intake.ts'
import { buildOrder, createStore } from '../test/factories.ts'
import { advanceToAbandoned, HOUR, listStepDecisions, readMessages, sendDueMessages } from '../test/message-scene.ts'
import { createWorld } from '../test/world.ts'
import { missingPostfix, type Postfix, startPostfix } from './postfix.ts'

// Issue 6: a real Postfix delivers, rejects, defers and bounces later, and each mail reaches the right state.

const world = createWorld({ BOUNCE_ADDRESS: 'bounces@back.test', MAIL_FROM: 'Recoup <hello@mugs.test>' })

async function findFreePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as net.AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The recipients' mail server behind Postfix: it knows no address, and one mailbox is full. */
const receiver = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  logger: false,
  onRcptTo: ({ address }, _session, done) => {
    const [code, words] = address.startsWith('slow') ? [450, '4.2.1 Come back later'] : [550, '5.1.1 User unknown']
    done(Object.assign(new Error(words as string), { responseCode: code as number }))
  },
})

describe.skipIf(missingPostfix)(`a real Postfix${missingPostfix ? ` (left out: ${missingPostfix})` : ''}`, () => {
  let postfix: Postfix
  let intake: BounceIntake
  let closeChannel: () => Promise<void>

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    intake = await listenForBounces(world.deps, 0)
    const later = (receiver.server.address() as net.AddressInfo).port
    postfix = startPostfix({
      port: await findFreePort(),
      answers: {
        'full@shop.test': '552 5.2.2 Mailbox full',
        'grey@shop.test': '451 4.7.1 Greylisted, try again in 300 seconds',
      },
      routes: { 'later.test': later, 'back.test': intake.port },
    })
    const channel = createSmtpChannel({
      url: `smtp://127.0.0.1:${postfix.port}`,
      mailHeaders: openMailHeaders(world.deps),
    })
    world.deps.channels.email = channel
    closeChannel = () => channel.close()
  })
  afterAll(async () => {
    await closeChannel?.()
    postfix?.stop()
    await intake?.stop()
    await new Promise<void>((resolve) => receiver.close(() => resolve()))
  })

  /** Creates a cart with this address that has been abandoned for an hour. */
  async function sendMail(email: string) {
    const store = await createStore(world)
    await recordOrders(world.deps, store.storeId, [buildOrder(world, { email })], 'sync')
    await advanceToAbandoned(world, store.storeId, HOUR)
    await sendDueMessages(world, store.storeId)
    const readState = async () => {
      const [first] = await readMessages(world, store.storeId)
      return { state: first!.state, reason: first!.reason }
    }
    const listSuppressed = async () => {
      const rows = await world.db
        .selectFrom('suppressions')
        .select('reason')
        .where('account_id', '=', store.accountId)
        .execute()
      return rows.map(({ reason }) => reason)
    }
    /** Reads the outcome in the cart's timeline. */
    const readStates = async () => {
      const [first] = await readMessages(world, store.storeId)
      const { body } = await world.request('GET', `/api/carts/${first!.cart_id}/messages`, { token: store.token })
      const titles: string[] = body.timeline.map((entry: { title: string }) => entry.title)
      return titles.filter((title) => title.startsWith('Reminder 1 by email: ')).map((title) => title.split(': ')[1])
    }
    return {
      ...store,
      state: readState,
      suppressed: listSuppressed,
      told: readStates,
      record: () => listStepDecisions(world, store.storeId),
    }
  }

  test('delivers a mail to the mailbox with its own return address', async () => {
    const { state, told } = await sendMail('ana@shop.test')
    expect(await state()).toEqual({ state: 'sent', reason: null })
    expect(await told()).toEqual(['checks passed', 'sent'])
    await waitUntil(async () => postfix.mailbox('ana').length === 1, 20_000)
    const [raw = ''] = postfix.mailbox('ana')
    expect(raw).toMatch(/^Return-Path: <bounces\+[a-z2-7]{42}@back\.test>$/m)
    expect(raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m)
  })

  test('an unknown address (550) fails, and gets no more mail', async () => {
    const { state, suppressed, told } = await sendMail('nobody@shop.test')
    expect(await state()).toEqual({ state: 'failed', reason: 'rejected:smtp_550' })
    expect(await suppressed()).toEqual(['hard_bounce'])
    expect(await told()).toEqual(['checks passed', 'refused by the mail server'])
  })

  test('a full mailbox (552) fails, and the address stays usable', async () => {
    const { state, suppressed, told } = await sendMail('full@shop.test')
    expect(await state()).toEqual({ state: 'failed', reason: 'rejected:smtp_552' })
    expect(await suppressed()).toEqual([])
    expect(await told()).toContain('refused by the mail server')
  })

  test('a deferred mail (451) is held and retried', async () => {
    const { state, suppressed, told } = await sendMail('grey@shop.test')
    expect(await state()).toEqual({ state: 'held', reason: 'retry' })
    expect(await suppressed()).toEqual([])
    expect(await told()).toContain('temporarily refused')
  })

  test('as the account’s own mail server it is checked, and its replies to a test mail are explained', async () => {
    const { token, userId, accountId } = await createStore(world)
    const body = {
      host: '127.0.0.1',
      port: postfix.port,
      security: 'none',
      user: '',
      password: '',
      fromAddress: 'a@mugs.test',
    }
    const withTls = { ...body, security: 'starttls', version: 0 }
    const put = (body: object) => world.request('PUT', '/api/sending/mail-server', { token, body: body })
    expect((await put(withTls)).body.error).toContain('does not offer STARTTLS')
    expect((await put({ ...body, user: 'ana', password: 'x', version: 0 })).body.error).toContain(
      'does not support sign-in',
    )
    expect((await put({ ...body, version: 0 })).body).toMatchObject({ way: 'own', from: 'a@mugs.test' })
    const tryTo = async (email: string) => {
      await world.db.updateTable('users').set({ email }).where('id', '=', userId).execute()
      return (await world.request('POST', '/api/stores/sending/test-mail', { token, body: {} })).body
    }
    expect(await tryTo('ana@shop.test')).toMatchObject({ isAccepted: true, way: 'own' })
    await waitUntil(async () => postfix.mailbox('ana').some((raw) => raw.includes('<a@mugs.test>')), 10_000)
    const grey = await tryTo('grey@shop.test')
    expect(grey.steps.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`)).toContain('rcpt_to bad')
    expect(JSON.stringify(grey.steps)).toContain('greylisting')
    await world.db.deleteFrom('mail_servers').where('account_id', '=', accountId).execute()
  })

  test('a later bounce report fails the message and suppresses the address', async () => {
    const bounced = await sendMail('gone@later.test')
    expect((await bounced.record())[1]).toBe('result accepted')
    await waitUntil(async () => (await bounced.state()).state === 'failed', 30_000).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${postfix.log()}`)
    })
    expect(await bounced.state()).toEqual({ state: 'failed', reason: 'bounced' })
    expect(await bounced.suppressed()).toEqual(['hard_bounce'])
    expect(await bounced.record()).toContain('result bounced')
    expect(await bounced.told()).toContain('bounced')
  })

  test('a later delay report adds a note to the timeline', async () => {
    const slow = await sendMail('slow@later.test')
    await waitUntil(async () => (await slow.record()).includes('result bounced:soft'), 30_000).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${postfix.log()}`)
      },
    )
    expect(await slow.state()).toEqual({ state: 'sent', reason: null })
    expect(await slow.suppressed()).toEqual([])
    expect(await slow.told()).toContain('delivery delayed')
  })
})
