import { listAccountsThatTexted } from '../../core/db/system.ts'
import type { Deps } from '../../deps.ts'
import { listNumberAliases } from '../../messages/channels/number-aliases.ts'
import { handleReply, type Inbound } from './inbound.ts'
import { keywordOf } from './keywords.ts'

// Replies to the operator's numbers, which many accounts share. A shopper knows the number, not the account, so STOP
// applies to every account that has written to them by it. START and YES apply only to the account of the newest
// message, since nobody agrees to what they have not read. Messages from numbers that no account has written to are
// ignored.

/** Handles a reply. Returns the text to answer at once; null: none. */
export async function receiveShared(deps: Deps, inbound: Inbound): Promise<string | null> {
  const hashes = listNumberAliases(inbound.from).map(deps.secrets.addressHash)
  const newest = await listAccountsThatTexted(deps.db, hashes)
  const meant = (inbound.keyword ?? keywordOf(inbound.text)) === 'stop' ? newest : newest.slice(0, 1)
  const taken = await Promise.allSettled(
    meant.map((accountId) => handleReply(deps, { accountId, db: deps.db }, inbound)),
  )
  // A failure for one account must not block the others. The error makes Twilio repeat the call, which is idempotent.
  const failed = taken.find((each) => each.status === 'rejected')
  if (failed) throw failed.reason
  return taken.flatMap((each) => (each.status === 'fulfilled' ? (each.value ?? []) : []))[0] ?? null
}
