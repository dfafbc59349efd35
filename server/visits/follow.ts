import { type Db, transact } from '../db.ts'
import type { Deps } from '../deps.ts'
import { restoreTokenOf } from '../messages/compose.ts'
import * as track from '../messages/track-sql.ts'
import { TOKEN_MS } from '../messages/window.ts'
import { tokenHash } from '../secrets.ts'
import * as system from '../system.ts'
import { messageOfProbe } from './probes.ts'
import { classifyVisit, type Visit, type VisitKind } from './visit.ts'
import { recordVisit } from './visits.ts'

// Somebody or something came to a link or picture of a message. Tokens of one purpose open nothing else (X1).

/** A request for one of a message's links, as far as it tells who sent it. */
export type Arrival = Pick<Visit, 'method' | 'userAgent' | 'purpose'> & Partial<Pick<Visit, 'network'>>

/** Where a click leads: the restore page, or the store's own address it was written for. null: no such link. */
export async function followLink(deps: Deps, token: string, arrival: Arrival): Promise<string | null> {
  const link = await system.linkToken(deps.db, tokenHash(token), 'click', deps.now())
  if (!link) return springTrap(deps, token, arrival)
  // A test's link says itself where it leads, to its own restore page, and is nobody's touch.
  if (link.message_id === null) return link.target
  const store = { storeId: link.store_id, db: deps.db }
  const message = await track.messageOf(store, link.message_id)
  if (!message) return null
  await note(deps, store, message, { kind: 'click', link: linkName(link.token_hash), arrival })
  if (link.target && isOfStore(link.target, message)) return link.target
  return `${deps.config.publicUrl}/cart/recover?cart_id=${restoreTokenOf(deps.secrets, message.id)}`
}

/** The unsubscribe link was fetched, which unsubscribes nobody (C3) but may tell a scanner. */
export async function noteWayOut(deps: Deps, token: string, arrival: Arrival): Promise<void> {
  const link = await system.linkToken(deps.db, tokenHash(token), 'unsubscribe', deps.now())
  const store = link ? { storeId: link.store_id, db: deps.db } : null
  const message = store && link?.message_id ? await track.messageOf(store, link.message_id) : undefined
  if (store && message) await note(deps, store, message, { kind: 'way_out', link: linkName(link!.token_hash), arrival })
}

/** The mail's picture was fetched. Nothing is decided by it, not even that somebody read the mail. */
export async function noteOpen(deps: Deps, token: string, arrival: Arrival): Promise<void> {
  const found = await probed(deps, messageOfProbe(deps.secrets, 'open', token))
  if (found) await note(deps, found.store, found.message, { kind: 'open', link: '', arrival })
}

/** The link no person sees. Whoever does get here is shown the shop. */
async function springTrap(deps: Deps, token: string, arrival: Arrival): Promise<string | null> {
  const found = await probed(deps, messageOfProbe(deps.secrets, 'trap', token))
  if (!found) return null
  await note(deps, found.store, found.message, { kind: 'trap', link: '', arrival })
  return found.message.home_url
}

/** As long as the message's other links live. */
async function probed(deps: Deps, messageId: string | null) {
  const mail = messageId ? await system.mailById(deps.db, messageId) : undefined
  if (!mail) return null
  const store = { storeId: mail.store_id, db: deps.db }
  const message = await track.messageOf(store, mail.id)
  const since = deps.now().getTime() - TOKEN_MS
  return message?.handed_over_at && message.handed_over_at.getTime() > since ? { store, message } : null
}

type Message = NonNullable<Awaited<ReturnType<typeof track.messageOf>>>

async function note(
  deps: Deps,
  store: { storeId: string; db: Db },
  message: Message,
  { kind, link, arrival }: { kind: VisitKind; link: string; arrival: Arrival },
): Promise<void> {
  const at = deps.now()
  const sinceHandOverMs = message.handed_over_at ? at.getTime() - message.handed_over_at.getTime() : null
  const verdict = classifyVisit({ network: 'other', ...arrival, kind, sinceHandOverMs })
  const cartId = message.merged_into ?? message.cart_id
  await transact(store, (tx) => recordVisit(tx, { messageId: message.id, cartId, kind, link, verdict, at }))
}

const linkName = (hash: Buffer): string => hash.subarray(0, 6).toString('base64url')

/** X1: only hosts the platform reports for that store, at the moment of the click. */
function isOfStore(target: string, store: { store_url: string; home_url: string }): boolean {
  const host = new URL(target).host
  return host === new URL(store.store_url).host || host === new URL(store.home_url).host
}
