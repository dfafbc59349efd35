import type { z } from 'zod'
import { type PushPayload, pushTexts, testSent } from '../../../shared/delivery/push.ts'
import type { sendStoreNotification, sendToThisBrowser } from '../../../shared/delivery/push-calls.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import { SAMPLE_CART } from '../../../shared/delivery/reminders.ts'
import { assertMayMail, type Session } from '../../access/members/public.ts'
import { noteTest } from '../../access/notifications/public.ts'
import { isOnStoreHost, readStore, type StoreRow } from '../../access/stores/public.ts'
import { AppError, createId, requireFound } from '../../core/common/public.ts'
import {
  type AccountDb,
  type Db,
  type Limit,
  type StoreDb,
  type StoreTx,
  sql,
  takePoint,
} from '../../core/db/public.ts'
import { assertTextRenders } from '../../delivery/compose/public.ts'
import { previewMessage } from '../../delivery/preview/preview.ts'
import { findService, signingKey } from '../../delivery/push/public.ts'
import type { Deps } from '../../deps.ts'
import { replayReply, withIdempotencyKey } from '../../marketing/manual-sends/public.ts'
import { authorizeTest } from '../../messages/channels/public.ts'
import { planMessages, scheduleNextRun } from '../../messages/messages/public.ts'

// Push notifications sent by a member (decision 79): to all subscribers, each with a send decision, or to the member's
// own browser.

export interface Sender {
  deps: Deps
  session: Session
  account: AccountDb<Db>
  store: StoreDb<Db>
}

type ToAll = z.output<typeof sendStoreNotification.body>
type ToOne = z.output<typeof sendToThisBrowser.body>

/** Maximum time that a test waits to be rendered. */
const RENDER_MS = 10_000
const ALL_BROWSERS_LIMIT: Limit = { name: 'push-to-all', points: 6, windowS: 3_600 }
const ONE_BROWSER_LIMIT: Limit = { name: 'push-to-one', points: 10, windowS: 900 }
/** Maximum per call, because the answer lists every person. */
const MAX_PEOPLE = 10_000
/** D7. */
const LIFE_MS = 3_600_000

/** A repeated click is one request (D9) and gets the first answer. */
export async function sendToAll(sender: Sender, key: string | null, push: ToAll) {
  const { deps, session, account, store } = sender
  const { title, body, cartUrl = '', icon = '' } = push
  const request = { session, account, key, body: ['push to all', title, body, cartUrl, icon] }
  const answer = async (origin: string) => {
    const results = (await messagesOfOrigin(store, origin)).map((id) => ({ id, status: 'queued' }))
    return { success: true, results, message: testSent(results.length) }
  }
  const repeat = await replayReply(deps, store, request, answer)
  if (repeat) return repeat.reply
  const row = await validateSend(sender, push)
  const people = await listSubscribers(store, MAX_PEOPLE)
  if (people.length === 0) throw new AppError('unprocessable', pushTexts.noSubscribers)
  await takePoint(deps, ALL_BROWSERS_LIMIT, store.storeId)
  return withIdempotencyKey(deps, store, request, {
    make: (tx, origin) => plan(tx, sender, { origin, people, row, push }),
    answer,
  })
}

interface ToPlan {
  origin: string
  people: readonly string[]
  row: StoreRow
  push: ToAll
}

async function plan(tx: StoreTx, { deps, session }: Sender, { origin: id, people, row, push }: ToPlan): Promise<void> {
  const now = deps.now()
  const { title: subject, body, cartUrl, icon } = push
  const job = { requestedBy: session.userId, subject, body, isImmediate: true, overridesHoldout: false }
  await planMessages(tx, {
    origin: { kind: 'manual', id, ...job, cartUrl: cartUrl || row.home_url, iconUrl: icon || null },
    people: people.map((shopperId) => ({ id: createId(), shopperId })),
    channel: 'push',
    templateId: null,
    purchasesSince: null,
    now,
    dueAt: now,
    wakeAt: now,
    expiresAt: new Date(now.getTime() + LIFE_MS),
  })
  await scheduleNextRun(tx)
}

/** The member's own browser: its subscription is not stored. */
export async function sendToOne(sender: Sender, push: ToOne) {
  const { deps, session, store } = sender
  const row = await validateSend(sender, push)
  const { subscription, title, body, cartUrl, icon } = push
  if (!findService(subscription.endpoint, deps.config)) throw new AppError('unprocessable', pushTexts.unknownService)
  const vapid = await signingKey(deps, store)
  if (!vapid) throw new AppError('unprocessable', pushTexts.noKeys)
  await takePoint(deps, ONE_BROWSER_LIMIT, session.accountId)
  const sample = { cartId: SAMPLE_CART, channel: 'push' as const, subject: title, body }
  const previewed = await previewMessage({ deps, store, signal: AbortSignal.timeout(RENDER_MS) }, sample)
  const payload: PushPayload = {
    title: `[Test] ${previewed.subject}`,
    body: previewed.text,
    url: cartUrl || row.home_url,
    cartId: null,
    tag: 'test',
    actions: [{ action: 'open', title: 'Open the shop' }],
    origin: deps.config.publicUrl,
    ...(icon && { icon }),
  }
  const answer = await deps.channels.push.send({
    messageId: createId(),
    subscription,
    vapid,
    payload,
    topic: 'test',
    mayGoOn: () => true,
    sendAuthorization: authorizeTest(),
  })
  if (answer.kind !== 'accepted') return { success: false, message: answer.response }
  await noteTest(deps, store, 'push', 'this browser')
  return { success: true, message: pushTexts.sentHere }
}

/** Common checks of both; throws the error message. */
async function validateSend(
  { deps, session, account, store }: Sender,
  push: Pick<ToAll, 'title' | 'body' | 'cartUrl'>,
): Promise<StoreRow> {
  const row = requireFound(await readStore(store), 'Store')
  await assertMayMail(account)
  if (row.rests_since) throw new AppError('plan_required', explain('store_resting'))
  if (push.cartUrl && !isOnStoreHost(push.cartUrl, row)) {
    const fields = { cartUrl: pushTexts.foreignCartUrl }
    throw new AppError('unprocessable', pushTexts.foreignCartUrl, { fields })
  }
  for (const text of [push.title, push.body])
    await assertTextRenders(deps, { accountId: session.accountId, store }, { channel: 'push', body: text })
  return row
}

/** Messages planned for one request. */
async function messagesOfOrigin({ db, storeId }: StoreDb, origin: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from messages where store_id = ${storeId} and origin_kind = 'manual' and origin_id = ${origin} order by id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Shoppers with an active subscription, up to `limit`. */
async function listSubscribers({ db, storeId }: StoreDb, limit: number): Promise<string[]> {
  const { rows } = await sql<{ shopper_id: string }>`
    select distinct shopper_id from push_subscriptions where store_id = ${storeId} order by shopper_id limit ${limit}`.execute(
    db,
  )
  return rows.map((row) => row.shopper_id)
}
