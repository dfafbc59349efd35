import { tokenHash } from '../../core/common/secrets.ts'
import * as system from '../../core/db/system.ts'
import type { Deps } from '../../deps.ts'
import { messageOfToken, readClick, TOKEN_MS, type TokenPurpose } from './message-tokens.ts'

// What a token stands for. Tokens of one purpose open nothing else (X1).

export interface OpenedLink {
  storeId: string
  messageId: string
  /** Whether its token is a row, as those of messages that left before decision 150 are until they end. */
  isRow: boolean
}

/** null: there is no such link, it has ended, or its person was erased (C8). */
export async function openLink(deps: Deps, purpose: TokenPurpose, token: string): Promise<OpenedLink | null> {
  const messageId = messageOfToken(deps.secrets, purpose, token)
  if (messageId !== null) return openNamed(deps, messageId)
  if (purpose === 'open' || purpose === 'honeypot') return null
  const row = await system.linkToken(deps.db, tokenHash(token), purpose, deps.now())
  return row?.message_id ? { storeId: row.store_id, messageId: row.message_id, isRow: true } : null
}

/** A link of the shop, or of the message's own page where `target` is null. Of a test message there is the target alone. */
export type OpenedClick = (OpenedLink | { messageId: null }) & { target: string | null }

/** `to`: what follows the token, empty where nothing does. */
export async function openClick(deps: Deps, token: string, to: string): Promise<OpenedClick | null> {
  const click = readClick(deps.secrets, token, to)
  if (click) {
    const opened = await openNamed(deps, click.messageId)
    return opened && { ...opened, target: click.target }
  }
  const row = await system.linkToken(deps.db, tokenHash(token), 'click', deps.now())
  if (!row) return null
  const { message_id: messageId, target, store_id: storeId } = row
  return messageId === null ? { messageId, target } : { storeId, messageId, isRow: true, target }
}

async function openNamed(deps: Deps, messageId: string): Promise<OpenedLink | null> {
  const since = new Date(deps.now().getTime() - TOKEN_MS)
  const message = await system.findSentMessage(deps.db, messageId, since)
  return message ? { storeId: message.store_id, messageId: message.id, isRow: false } : null
}
