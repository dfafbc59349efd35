import type { PushPayload } from '../../../shared/delivery/push.ts'
import { notifyOnce } from '../../access/notifications/public.ts'
import { type Db, type StoreDb, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { buildNotSentOutcome, type Outcome, type SendAuthorization } from '../../messages/channels/public.ts'
import { setAddress } from '../../messages/messages/public.ts'
import { openPrivateKey } from './keys.ts'
import { addressOfSubscription, endSubscriptions, openSubscription } from './subscriptions.ts'
import * as sql from './subscriptions-sql.ts'

// Sends one notification to a shopper: to their newest browser that accepts it, as one attempt that counts once
// (decision 72).

export interface PushMessage {
  /** Id of the message. */
  id: string
  payload: PushPayload
  /** The same for all reminders of a cart, so that a newer one replaces an older one at the push service. */
  topic: string
  sendAuthorization: SendAuthorization
  /** Whether the last check is recent enough; consent or cart may have changed since (C2, D3, D5). */
  mayGoOn: () => boolean
}

export async function sendPush(
  deps: Pick<Deps, 'channels' | 'log' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  message: PushMessage,
): Promise<Outcome> {
  let refused: string | null = null
  for (const [index, row] of (await sql.subscriptionsOfMessage(store, message.id)).entries()) {
    // Loading the browsers or the previous push service was slow.
    if (!message.mayGoOn()) return buildNotSentOutcome('too much time has passed since the last check.')
    const answer = await sendTo(deps, store, row, message)
    if (answer.kind === 'gone') await endSubscription(deps, store, row.id)
    else if (answer.kind === 'unauthorized') refused = answer.response
    else {
      if (answer.kind === 'accepted') {
        await sql.recordVisit(store, row.id, deps.now())
        if (index > 0) await setAddress(store, message.id, addressOfSubscription(row.id))
      }
      return answer
    }
  }
  if (refused === null) {
    return { kind: 'rejected', reason: 'push_gone', response: 'No active subscription', isRecipientFault: false }
  }
  await notifyUnauthorized(deps, store, refused)
  return { kind: 'retry', reason: 'push_unauthorized', response: refused }
}

function sendTo(
  { channels, secrets }: Pick<Deps, 'channels' | 'secrets'>,
  { storeId }: StoreDb,
  row: sql.SendableSubscription,
  { id, ...message }: PushMessage,
) {
  const key = { storeId, id: row.key_id, encrypted: row.encrypted_key }
  return channels.push.send({
    ...message,
    messageId: id,
    subscription: openSubscription(secrets, { storeId, ...row }),
    vapid: { publicKey: row.public_key, privateKey: openPrivateKey(secrets, key) },
  })
}

/**
 * Ends subscription and consent: the service does not say whether the browser is gone or withdrew its permission
 * (decision 73).
 */
async function endSubscription(deps: Pick<Deps, 'now' | 'secrets'>, store: StoreDb<Db>, id: string): Promise<void> {
  await transact(store, (tx) => endSubscriptions(deps, tx, [id], 'push service'))
}

/** Notifies the store once a day: a service that rejects our signature rejects every message (P1). */
async function notifyUnauthorized(deps: Pick<Deps, 'log' | 'now'>, store: StoreDb<Db>, answer: string): Promise<void> {
  const at = deps.now()
  deps.log.warn({ storeId: store.storeId, answer }, 'push.unauthorized')
  await notifyOnce(store, { type: 'push_refused', key: at.toISOString().slice(0, 10), data: { answer }, at })
}
