import { hashToken } from '../../core/common/public.ts'
import * as system from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { readClick, readToken, TOKEN_MS, type TokenPurpose } from './message-tokens.ts'

// Resolves link tokens. A token of one purpose opens nothing else (X1).

export interface OpenedLink {
  storeId: string
  messageId: string
  /** Whether the token is stored as a row, as for messages sent before decision 150. */
  isRow: boolean
}

/** Returns null if the link does not exist, has expired, or its shopper was erased (C8). */
export async function openLink(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  purpose: TokenPurpose,
  token: string,
): Promise<OpenedLink | null> {
  const messageId = readToken(deps.secrets, purpose, token)
  if (messageId !== null) return openMessageLink(deps, messageId)
  if (purpose === 'open' || purpose === 'honeypot') return null
  const row = await system.findLinkToken(deps.db, hashToken(token), purpose, deps.now())
  return row?.message_id ? { storeId: row.store_id, messageId: row.message_id, isRow: true } : null
}

/** A link to the shop, or to the message's own page if `target` is null. A test message has only the target. */
export type OpenedClick = (OpenedLink | { messageId: null }) & { target: string | null }

/** `to`: the part after the token, or empty. */
export async function openClick(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  token: string,
  to: string,
): Promise<OpenedClick | null> {
  const click = readClick(deps.secrets, token, to)
  if (click) {
    const opened = await openMessageLink(deps, click.messageId)
    return opened && { ...opened, target: click.target }
  }
  const row = await system.findLinkToken(deps.db, hashToken(token), 'click', deps.now())
  if (!row) return null
  const { message_id: messageId, target, store_id: storeId } = row
  return messageId === null ? { messageId, target } : { storeId, messageId, isRow: true, target }
}

async function openMessageLink(deps: Pick<Deps, 'db' | 'now'>, messageId: string): Promise<OpenedLink | null> {
  const since = new Date(deps.now().getTime() - TOKEN_MS)
  const message = await system.findSentMessage(deps.db, messageId, since)
  return message ? { storeId: message.store_id, messageId: message.id, isRow: false } : null
}
