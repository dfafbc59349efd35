import type { z } from 'zod'
import { type PushPayload, pushTexts, testSent } from '../../shared/push.ts'
import type { sendStoreNotification, sendToThisBrowser } from '../../shared/push-calls.ts'
import { explain } from '../../shared/reasons.ts'
import { SAMPLE_CART } from '../../shared/reminders.ts'
import { authorizeTest } from '../channels/send-authorization.ts'
import { refuseBadText } from '../compose/own-text.ts'
import { type Db, type StoreDb, transact } from '../core/db.ts'
import { AppError, found } from '../core/errors.ts'
import { idOf, newId } from '../core/ids.ts'
import { type Limit, take } from '../core/rate-limits.ts'
import type { Deps } from '../deps.ts'
import type { Session } from '../members/session.ts'
import { assertMayMail } from '../members/verification.ts'
import { scheduleNextLook } from '../messages/messages.ts'
import { planMessages } from '../messages/plan.ts'
import { noteTest } from '../notifications/notifications.ts'
import { previewMessage } from '../preview/preview.ts'
import { signingKey } from '../push/keys.ts'
import { serviceOf } from '../push/services.ts'
import { isOnStoreHost } from '../stores/rules.ts'
import { readStore, type StoreRow } from '../stores/store.ts'
import * as sql from './stats-sql.ts'

// Notifications a member asks for (decision 79): to everybody who has subscribed, each decided like any other message, or to the member's own
// browser alone.

export interface Sender {
  deps: Deps
  session: Session
  store: StoreDb<Db>
}

type ToAll = z.output<typeof sendStoreNotification.body>
type ToOne = z.output<typeof sendToThisBrowser.body>

/** So long the words of a test may wait for their turn. */
const RENDER_MS = 10_000
const TO_ALL: Limit = { name: 'push-to-all', points: 6, windowS: 3_600 }
const TO_ONE: Limit = { name: 'push-to-one', points: 10, windowS: 900 }
/** Of one call, whose answer names each. */
const MOST_PEOPLE = 10_000
/** D7. */
const LIFE_MS = 3_600_000

export async function sendToAll({ deps, session, store }: Sender, wanted: ToAll) {
  const row = await checked({ deps, session, store }, wanted)
  const people = await sql.subscribersOf(store, MOST_PEOPLE)
  if (people.length === 0) throw new AppError('unprocessable', pushTexts.noSubscribers)
  const now = deps.now()
  const origin = originOf(session, store, wanted, now)
  await take(deps, TO_ALL, store.storeId)
  const made = await transact(store, async (tx) => {
    const { title: subject, body, cartUrl, icon } = wanted
    const planned = await planMessages(tx, {
      origin: {
        ...{
          kind: 'manual',
          id: origin,
          askedBy: session.userId,
          subject,
          body,
          isImmediate: true,
          overridesHoldout: false,
        },
        ...{ cartUrl: cartUrl || row.home_url, iconUrl: icon || null },
      },
      people: people.map((shopperId) => ({ id: newId(), shopperId })),
      ...{ channel: 'push', templateId: null, purchasesSince: null, now },
      ...{ dueAt: now, wakeAt: now, expiresAt: new Date(now.getTime() + LIFE_MS) },
    })
    await scheduleNextLook(tx)
    return planned
  })
  const results = made.map(({ id }) => ({ id, status: 'queued' }))
  return { success: true, results, message: testSent(results.length) }
}

/** A double press is one request (D9): the same words of one member within a minute plan nothing more. */
function originOf({ userId }: Session, { storeId }: StoreDb, wanted: ToAll, now: Date): string {
  const { title, body, cartUrl = '', icon = '' } = wanted
  return idOf(JSON.stringify([storeId, userId, title, body, cartUrl, icon, Math.floor(now.getTime() / 60_000)]))
}

/** The browser is the member's own: its subscription is kept nowhere. */
export async function sendToOne({ deps, session, store }: Sender, wanted: ToOne) {
  const row = await checked({ deps, session, store }, wanted)
  const { subscription, title, body, cartUrl, icon } = wanted
  if (!serviceOf(subscription.endpoint, deps.config)) throw new AppError('unprocessable', pushTexts.unknownService)
  const vapid = await signingKey(deps, store)
  if (!vapid) throw new AppError('unprocessable', pushTexts.noKeys)
  await take(deps, TO_ONE, session.accountId)
  const sample = { cartId: SAMPLE_CART, channel: 'push' as const, subject: title, body }
  const shown = await previewMessage({ deps, store, signal: AbortSignal.timeout(RENDER_MS) }, sample)
  const payload: PushPayload = {
    ...{ title: `[Test] ${shown.subject}`, body: shown.text, url: cartUrl || row.home_url, cartId: null, tag: 'test' },
    ...{ actions: [{ action: 'open', title: 'Open the shop' }], origin: deps.config.publicUrl },
    ...(icon && { icon }),
  }
  const answer = await deps.channels.push.send({
    ...{ messageId: newId(), subscription, vapid, payload, topic: 'test' },
    ...{ mayGoOn: () => true, sendAuthorization: authorizeTest() },
  })
  if (answer.kind !== 'accepted') return { success: false, message: answer.response }
  await noteTest(deps, store, 'push', 'this browser')
  return { success: true, message: pushTexts.sentHere }
}

/** What has to hold for both; throws the words of what does not. */
async function checked(
  { deps, session, store }: Sender,
  wanted: Pick<ToAll, 'title' | 'body' | 'cartUrl'>,
): Promise<StoreRow> {
  const row = found(await readStore(store), 'Store')
  await assertMayMail({ accountId: session.accountId, db: deps.db })
  if (row.rests_since) throw new AppError('plan_required', explain('store_resting'))
  if (wanted.cartUrl && !isOnStoreHost(wanted.cartUrl, row)) {
    const fields = { cartUrl: pushTexts.foreignCartUrl }
    throw new AppError('unprocessable', pushTexts.foreignCartUrl, { fields })
  }
  for (const words of [wanted.title, wanted.body])
    await refuseBadText(deps, session.accountId, { channel: 'push', body: words })
  return row
}
