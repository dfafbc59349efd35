import { numberAliases } from '../../messages/channels/number-aliases.ts'
import { accountsThatWroteTo } from '../../core/db/system.ts'
import type { Deps } from '../../deps.ts'
import { type Inbound, receiveText } from './inbound.ts'
import { keywordOf } from './keywords.ts'

// What people answer to the operator's numbers, which write for many accounts. A person knows the number, not the account: STOP is for every
// account that has written to them by it. Everything else answers the newest message, so START and YES count for its account alone: nobody
// agrees to what they have not read. Words from a number that nobody has written to are nobody's.

/** What to answer at once; null: nothing. */
export async function receiveShared(deps: Deps, inbound: Inbound): Promise<string | null> {
  const hashes = numberAliases(inbound.from).map(deps.secrets.addressHash)
  const newest = await accountsThatWroteTo(deps.db, hashes)
  const meant = (inbound.keyword ?? keywordOf(inbound.text)) === 'stop' ? newest : newest.slice(0, 1)
  const taken = await Promise.allSettled(
    meant.map((accountId) => receiveText(deps, { accountId, db: deps.db }, inbound)),
  )
  // One account's failure keeps no other from hearing it; Twilio is told, and what is delivered again counts once.
  const failed = taken.find((each) => each.status === 'rejected')
  if (failed) throw failed.reason
  return taken.flatMap((each) => (each.status === 'fulfilled' ? (each.value ?? []) : []))[0] ?? null
}
