import type { z } from 'zod'
import type { pushEvent } from '../../../shared/delivery/push-calls.ts'
import { createToken, type OpenedLink, openLink } from '../../carts/links/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, transact } from '../../core/db/public.ts'
import { linkName, recordEngagement } from '../../delivery/engagement/public.ts'
import { markNotificationDelivered } from '../../delivery/outcome/public.ts'
import { endMessageSubscriptions } from '../../delivery/push/public.ts'
import type { Deps } from '../../deps.ts'
import { findMessageRecipient, lockMessageShopper, setUnsubscribed } from '../../messages/messages/public.ts'

// Events of a notification, reported by the worker in the shopper's browser. The token belongs to one message and has
// no other use (X1).

type EventInput = z.output<typeof pushEvent.body>

export async function recordEvent(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  { token, kind }: EventInput,
): Promise<void> {
  const link = requireFound(await openLink(deps, 'push', token), 'Notification')
  const { storeId, messageId } = link
  const store = { storeId, db: deps.db }
  await recordDisplay(deps, store, messageId)
  if (kind === 'click') await recordClick(deps, store, link)
  if (kind === 'stop') await stopNotifications(deps, store, messageId)
}

/** Every event implies that the browser has shown the notification. */
async function recordDisplay(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, messageId: string): Promise<void> {
  await transact(store, async (tx) => {
    await lockMessageShopper(tx, messageId)
    await markNotificationDelivered(tx, messageId, deps.now())
  })
}

/**
 * Machines do not click notifications, so this is a touch (A1). It is recorded under the link that it opens, so that
 * both are one visit.
 */
async function recordClick(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb<Db>,
  { messageId, isRow }: OpenedLink,
): Promise<void> {
  const message = requireFound(await findMessageRecipient(store, messageId), 'Notification')
  const { secrets } = deps
  const link = linkName(isRow ? secrets.token('click', `${messageId}:0`) : createToken(secrets, 'click', messageId))
  const cartId = message.merged_into ?? message.cart_id
  const classification = { class: 'human', reason: 'pressed_notification' } as const
  const visit = { messageId, cartId, kind: 'click', link, target: null, classification, at: deps.now() } as const
  await transact(store, (tx) => recordEngagement(tx, visit))
}

/** Cancels all messages not sent yet (C2, decision 73). */
async function stopNotifications(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb<Db>,
  messageId: string,
): Promise<void> {
  const at = deps.now()
  await transact(store, async (tx) => {
    await endMessageSubscriptions(deps, tx, messageId, 'Stop in a notification')
    await setUnsubscribed(tx, messageId, { at })
  })
}
