import { setImmediate as breathe } from 'node:timers/promises'
import type { z } from 'zod'
import type { discountEligibility } from '../../../shared/marketing/discount-mail.ts'
import type { AccountDb, Db, StoreDb } from '../../core/db/public.ts'
import { dryRun, loadImaginedFor } from '../../delivery/decide/public.ts'
import type { Deps } from '../../deps.ts'
import { findProblem, Tally } from '../manual-sends/public.ts'
import { resolveRecipients } from './recipients.ts'

// Counts who would get a discount mail now, and why others would not. It runs the send decision on hypothetical
// messages (D2, D11) that share plan volume and cap. Nothing is written or rendered.

const CHUNK = 500
const CHANNEL = 'email'

export async function readDiscountEligibility(
  deps: Deps,
  { store, account }: { store: StoreDb<Db>; account: AccountDb },
  input: z.output<typeof discountEligibility.body>,
): Promise<z.infer<typeof discountEligibility.reply>> {
  const shopperIds = await resolveRecipients({ deps, store, account }, input)
  const offer = { couponId: input.couponId ?? null, cartUrl: null }
  const tally = new Tally(CHANNEL)
  const ahead = { count: 0, micros: 0, creditMicros: 0, ofShopper: new Map<string, number>() }
  for (let start = 0; start < shopperIds.length; start += CHUNK) {
    const chunk = shopperIds.slice(start, start + CHUNK)
    const read: Parameters<typeof dryRun>[3] = (tx, base) =>
      loadImaginedFor(tx, { offer, shopperIds: chunk, channel: CHANNEL, templateId: null, ...base })
    const { rows } = await dryRun(deps, store, new Map(), read, { isRendered: false, ahead })
    const known = new Map(rows.map((each) => [each.row.shopper_id, each]))
    for (const id of chunk) {
      const each = known.get(id)
      tally.add(id, each ? findProblem(each.row, each.decision) : { reason: 'customer_missing', until: null })
    }
    await breathe()
  }
  return { total: shopperIds.length, eligible: tally.eligible, reasons: tally.reasons().map(presentReason) }
}

const presentReason = ({ reason, explanation, ids, until }: ReturnType<Tally['reasons']>[number]) => ({
  reason,
  explanation,
  count: ids.length,
  customers: ids,
  until: until?.toISOString() ?? null,
})
