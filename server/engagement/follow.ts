import { restoreTokenOf } from '../compose/compose.ts'
import { type Db, transact } from '../core/db.ts'
import { tokenHash } from '../core/secrets.ts'
import * as system from '../core/system.ts'
import type { Deps } from '../deps.ts'
import { messageOfTracker } from '../links/trackers.ts'
import * as track from '../messages/recipient.ts'
import { TOKEN_MS } from '../send/send-window.ts'
import { isOnStoreHost } from '../stores/rules.ts'
import { classifyRequest, type EngagementKind, type EngagementRequest } from './classify.ts'
import { recordEngagement } from './events.ts'

// Somebody or something came to a link or picture of a message. Tokens of one purpose open nothing else (X1).

/** A request for one of a message's links, as far as it tells who sent it. */
export type Arrival = Pick<EngagementRequest, 'method' | 'userAgent' | 'purpose'> &
  Partial<Pick<EngagementRequest, 'network'>>

/** Where a click leads: the restore page, or the store's own address it was written for. null: no such link. */
export async function followLink(deps: Deps, token: string, arrival: Arrival): Promise<string | null> {
  const link = await system.linkToken(deps.db, tokenHash(token), 'click', deps.now())
  if (!link) return followHoneypot(deps, token, arrival)
  // A test's link says itself where it leads, to its own restore page, and is nobody's touch.
  if (link.message_id === null) return link.target
  const store = { storeId: link.store_id, db: deps.db }
  const message = await track.messageOf(store, link.message_id)
  if (!message) return null
  const target = ownTarget(link, message)
  await note(deps, store, message, {
    kind: 'click',
    link: linkName(link.token_hash),
    target: target?.split(/[?#]/)[0],
    arrival,
  })
  if (target) return target
  return `${deps.config.publicUrl}/cart/recover?cart_id=${restoreTokenOf(deps.secrets, message.id)}`
}

/** An address of the shop; null: the page of the cart. */
function ownTarget({ target }: { target: string | null }, message: Message): string | null {
  if (target && isOnStoreHost(target, { url: message.store_url, home_url: message.home_url })) return target
  return message.cart_id === null ? message.home_url : null
}

/** The unsubscribe link was fetched, which unsubscribes nobody (C3) but may tell a scanner. */
export async function noteUnsubscribeLink(deps: Deps, token: string, arrival: Arrival): Promise<void> {
  const link = await system.linkToken(deps.db, tokenHash(token), 'unsubscribe', deps.now())
  const store = link ? { storeId: link.store_id, db: deps.db } : null
  const message = store && link?.message_id ? await track.messageOf(store, link.message_id) : undefined
  if (store && message)
    await note(deps, store, message, { kind: 'unsubscribe_link', link: linkName(link!.token_hash), arrival })
}

/** The mail's picture was fetched. Nothing is decided by it, not even that somebody read the mail. */
export async function noteOpen(deps: Deps, token: string, arrival: Arrival): Promise<void> {
  const found = await tracked(deps, messageOfTracker(deps.secrets, 'open', token))
  if (found) await note(deps, found.store, found.message, { kind: 'open', link: '', arrival })
}

/** The link no person sees. Whoever does get here is shown the shop. */
async function followHoneypot(deps: Deps, token: string, arrival: Arrival): Promise<string | null> {
  const found = await tracked(deps, messageOfTracker(deps.secrets, 'honeypot', token))
  if (!found) return null
  await note(deps, found.store, found.message, { kind: 'honeypot', link: '', arrival })
  return found.message.home_url
}

/** As long as the message's other links live. */
async function tracked(deps: Deps, messageId: string | null) {
  const mail = messageId ? await system.mailById(deps.db, messageId) : undefined
  if (!mail) return null
  const store = { storeId: mail.store_id, db: deps.db }
  const message = await track.messageOf(store, mail.id)
  const since = deps.now().getTime() - TOKEN_MS
  return message?.handed_over_at && message.handed_over_at.getTime() > since ? { store, message } : null
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
  const sinceHandOverMs = message.handed_over_at ? at.getTime() - message.handed_over_at.getTime() : null
  const classification = classifyRequest({ network: 'other', ...arrival, kind, sinceHandOverMs })
  const cartId = message.merged_into ?? message.cart_id
  await transact(store, (tx) =>
    recordEngagement(tx, { messageId: message.id, cartId, kind, link, target, classification, at }),
  )
}

/** One of a message's links, in what is kept of a visit. */
export const linkName = (hash: Buffer): string => hash.subarray(0, 6).toString('base64url')
