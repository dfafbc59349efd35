import { restoreTokenOf } from '../compose/compose.ts'
import { type Db, transact } from '../../core/db/db.ts'
import { tokenHash } from '../../core/common/secrets.ts'
import type { Deps } from '../../deps.ts'
import { type OpenedLink, openClick, openLink } from '../../carts/links/open-links.ts'
import * as track from '../../messages/messages/recipient.ts'
import { isOnStoreHost } from '../../access/stores/rules.ts'
import { classifyRequest, type EngagementKind, type EngagementRequest } from './classify.ts'
import { recordEngagement } from './events.ts'

// Somebody or something came to a link or picture of a message. Tokens of one purpose open nothing else (X1).

/** A request for one of a message's links, as far as it tells who sent it. */
export type Arrival = Pick<EngagementRequest, 'method' | 'userAgent' | 'purpose'> &
  Partial<Pick<EngagementRequest, 'network'>>

/**
 * Where a click leads: the restore page, or the store's own address it was written for. null: no such link. `to`: what follows the token in
 * the link's address.
 */
export async function followLink(deps: Deps, token: string, arrival: Arrival, to = ''): Promise<string | null> {
  const link = await openClick(deps, token, to)
  if (!link) return followHoneypot(deps, token, arrival)
  // A test's link says itself where it leads, to its own restore page, and is nobody's touch.
  if (link.messageId === null) return link.target
  const found = await messageOf(deps, link)
  if (!found) return null
  const target = ownTarget(link, found.message)
  const visit = { kind: 'click', link: linkName(token), target: target?.split(/[?#]/)[0], arrival } as const
  await note(deps, found.store, found.message, visit)
  if (target) return target
  return `${deps.config.publicUrl}/cart/recover?cart_id=${restoreTokenOf(deps.secrets, link.messageId)}`
}

/** An address of the shop; null: the page of the cart. */
function ownTarget({ target }: { target: string | null }, message: Message): string | null {
  if (target && isOnStoreHost(target, { url: message.store_url, home_url: message.home_url })) return target
  return message.cart_id === null ? message.home_url : null
}

/** The unsubscribe link was fetched, which unsubscribes nobody (C3) but may tell a scanner. */
export async function noteUnsubscribeLink(deps: Deps, token: string, arrival: Arrival): Promise<void> {
  const found = await messageOf(deps, await openLink(deps, 'unsubscribe', token))
  if (found) await note(deps, found.store, found.message, { kind: 'unsubscribe_link', link: linkName(token), arrival })
}

/** The mail's picture was fetched. Nothing is decided by it, not even that somebody read the mail. */
export async function noteOpen(deps: Deps, token: string, arrival: Arrival): Promise<void> {
  const found = await messageOf(deps, await openLink(deps, 'open', token))
  if (found) await note(deps, found.store, found.message, { kind: 'open', link: '', arrival })
}

/** The link no person sees. Whoever does get here is shown the shop. */
async function followHoneypot(deps: Deps, token: string, arrival: Arrival): Promise<string | null> {
  const found = await messageOf(deps, await openLink(deps, 'honeypot', token))
  if (!found) return null
  await note(deps, found.store, found.message, { kind: 'honeypot', link: '', arrival })
  return found.message.home_url
}

async function messageOf(deps: Deps, link: Pick<OpenedLink, 'storeId' | 'messageId'> | null) {
  if (!link) return null
  const store = { storeId: link.storeId, db: deps.db }
  const message = await track.messageOf(store, link.messageId)
  return message ? { store, message } : null
}

type Message = NonNullable<Awaited<ReturnType<typeof track.messageOf>>>

interface Visit {
  kind: EngagementKind
  link: string
  target?: string | null | undefined
  arrival: Arrival
}

async function note(
  deps: Deps,
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

/** One of a message's links, in what is kept of a visit. */
export const linkName = (token: string): string => tokenHash(token).toString('base64url', 0, 6)
