import type { PushPayload } from '../../../shared/push.ts'
import type { Outcome } from '../../messages/channels/channel.ts'
import { notSent } from '../../messages/channels/not-sent.ts'
import type { SendAuthorization } from '../../messages/channels/send-authorization.ts'
import { type Db, type StoreDb, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { setAddress } from '../../messages/messages/recipient.ts'
import { notifyOnce } from '../../access/notifications/notifications.ts'
import { openPrivateKey } from './keys.ts'
import { addressOfSubscription, endSubscriptions, openSubscription } from './subscriptions.ts'
import * as sql from './subscriptions-sql.ts'

// One notification to a person: to the newest of their browsers that takes it, within one attempt, counted once (decision 72).

export interface PushMessage {
  /** The message's row. */
  id: string
  payload: PushPayload
  /** Of its cart: a newer reminder takes an older one's place at the service. */
  topic: string
  sendAuthorization: SendAuthorization
  /** Whether the last check still holds: what was withdrawn or bought meanwhile counts (C2, D3, D5). */
  mayGoOn: () => boolean
}

export async function sendPush(deps: Deps, store: StoreDb<Db>, message: PushMessage): Promise<Outcome> {
  let refused: string | null = null
  for (const [index, row] of (await sql.subscriptionsOfMessage(store, message.id)).entries()) {
    // The look at the browsers was slow, or the service of the last one slow to say that it had gone.
    if (!message.mayGoOn()) return notSent('too much time has passed since the last check.')
    const answer = await sendTo(deps, store, row, message)
    if (answer.kind === 'gone') await end(deps, store, row.id)
    else if (answer.kind === 'unauthorized') refused = answer.response
    else {
      if (answer.kind === 'accepted') {
        await sql.noteSeen(store, row.id, deps.now())
        if (index > 0) await setAddress(store, message.id, addressOfSubscription(row.id))
      }
      return answer
    }
  }
  if (refused === null) {
    return { kind: 'rejected', reason: 'push_gone', response: 'No live subscription is left', isRecipientFault: false }
  }
  await raiseAlarm(deps, store, refused)
  return { kind: 'retry', reason: 'push_unauthorized', response: refused }
}

function sendTo(
  { channels, secrets }: Deps,
  { storeId }: StoreDb,
  row: sql.WritableRow,
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

/** The browser is gone, or has withdrawn its permission: nobody knows which, so the consent has ended too (decision 73). */
async function end(deps: Deps, store: StoreDb<Db>, id: string): Promise<void> {
  await transact(store, (tx) => endSubscriptions(deps, tx, [id], 'push service'))
}

/** P1: a service that does not know our signature refuses everything. Told once a day. */
async function raiseAlarm(deps: Deps, store: StoreDb<Db>, answer: string): Promise<void> {
  const at = deps.now()
  deps.log.warn({ storeId: store.storeId, answer }, 'push.unauthorized')
  await notifyOnce(store, { type: 'push_refused', key: at.toISOString().slice(0, 10), data: { answer }, at })
}
