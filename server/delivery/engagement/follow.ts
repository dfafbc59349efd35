import { isOnStoreHost } from '../../access/stores/public.ts'
import { type OpenedLink, openClick, openLink } from '../../carts/links/public.ts'
import { hashToken } from '../../core/common/public.ts'
import { type Db, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import * as track from '../../messages/messages/public.ts'
import { createRestoreToken } from '../compose/public.ts'
import { classifyRequest, type EngagementKind, type EngagementRequest } from './classify.ts'
import { recordEngagement } from './events.ts'

// Handles requests for links and images of messages. A token works only for its own purpose (X1).

/** The parts of a request that classify its client. */
export type Arrival = Pick<EngagementRequest, 'method' | 'userAgent' | 'purpose'> &
  Partial<Pick<EngagementRequest, 'network'>>

/**
 * Records a click and returns its target: the restore page or a page of the store. null: unknown link. `to` is the
 * keyed target in the link's query.
 */
export async function recordClick(
  deps: Pick<Deps, 'config' | 'db' | 'now' | 'secrets'>,
  token: string,
  arrival: Arrival,
  to = '',
): Promise<string | null> {
  const link = await openClick(deps, token, to)
  if (!link) return followHoneypot(deps, token, arrival)
  // A test send's link contains its target and records no touch.
  if (link.messageId === null) return link.target
  const found = await findMessage(deps, link)
  if (!found) return null
  const target = ownTarget(link, found.message)
  const visit = { kind: 'click', link: linkName(token), target: target?.split(/[?#]/)[0], arrival } as const
  await recordVisit(deps, found.store, found.message, visit)
  if (target) return target
  return `${deps.config.publicUrl}/cart/recover?cart_id=${createRestoreToken(deps.secrets, link.messageId)}`
}

/** Returns a URL of the shop; null: the cart's restore page. */
function ownTarget({ target }: { target: string | null }, message: Message): string | null {
  if (target && isOnStoreHost(target, { url: message.store_url, home_url: message.home_url })) return target
  return message.cart_id === null ? message.home_url : null
}

/** Records a fetch of the unsubscribe link. It unsubscribes nobody (C3), but may reveal a scanner. */
export async function noteUnsubscribeLink(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  token: string,
  arrival: Arrival,
): Promise<void> {
  const found = await findMessage(deps, await openLink(deps, 'unsubscribe', token))
  if (found)
    await recordVisit(deps, found.store, found.message, { kind: 'unsubscribe_link', link: linkName(token), arrival })
}

/** Records a fetch of the mail's tracking pixel. Nothing depends on it. */
export async function recordOpen(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  token: string,
  arrival: Arrival,
): Promise<void> {
  const found = await findMessage(deps, await openLink(deps, 'open', token))
  if (found) await recordVisit(deps, found.store, found.message, { kind: 'open', link: '', arrival })
}

/** Records a visit to the honeypot link. The visitor is sent to the shop. */
async function followHoneypot(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  token: string,
  arrival: Arrival,
): Promise<string | null> {
  const found = await findMessage(deps, await openLink(deps, 'honeypot', token))
  if (!found) return null
  await recordVisit(deps, found.store, found.message, { kind: 'honeypot', link: '', arrival })
  return found.message.home_url
}

async function findMessage(deps: Pick<Deps, 'db'>, link: Pick<OpenedLink, 'storeId' | 'messageId'> | null) {
  if (!link) return null
  const store = { storeId: link.storeId, db: deps.db }
  const message = await track.findMessageRecipient(store, link.messageId)
  return message ? { store, message } : null
}

type Message = NonNullable<Awaited<ReturnType<typeof track.findMessageRecipient>>>

interface Visit {
  kind: EngagementKind
  link: string
  target?: string | null | undefined
  arrival: Arrival
}

async function recordVisit(
  deps: Pick<Deps, 'now'>,
  store: { storeId: string; db: Db },
  message: Message,
  { kind, link, target = null, arrival }: Visit,
): Promise<void> {
  const at = deps.now()
  const sinceSendingMs = message.sending_at ? at.getTime() - message.sending_at.getTime() : null
  const classification = classifyRequest({ network: 'other', ...arrival, kind, sinceSendingMs })
  const cartId = message.merged_into ?? message.cart_id
  await transact(store, (tx) =>
    recordEngagement(tx, { messageId: message.id, cartId, kind, link, target, classification, at }),
  )
}

/** Short hash that identifies a link in stored visits. */
export const linkName = (token: string): string => hashToken(token).toString('base64url', 0, 6)
