import crypto from 'node:crypto'
import type { StoreTx } from '../db.ts'
import type { Secrets } from '../secrets.ts'
import { erasedAmong } from '../suppressions/sql.ts'
import type { NewFact } from './record.ts'

// An erased person comes back to the shop: what the store then tells is kept without them (C8). Orders count, for whom is not
// written; an order begun and not placed is not kept at all, as nobody may be reminded of it.

/** To be asked with the keys locked: an erasure holds the same locks. */
export async function withoutErased(
  tx: StoreTx,
  secrets: Pick<Secrets, 'addressHash'>,
  facts: readonly NewFact[],
): Promise<NewFact[]> {
  const hashes = new Map<string, Buffer>()
  for (const address of facts.flatMap(addressesOf)) {
    if (!hashes.has(address)) hashes.set(address, secrets.addressHash(address))
  }
  if (hashes.size === 0) return [...facts]
  const erased = await erasedAmong(tx, [...hashes.values()])
  if (erased.size === 0) return [...facts]
  const isErased = (fact: NewFact) =>
    addressesOf(fact).some((address) => erased.has(hashes.get(address)!.toString('hex')))
  return facts.flatMap((fact) => (isErased(fact) ? (withoutPerson(fact) ?? []) : [fact]))
}

function addressesOf({ payload }: NewFact): string[] {
  const contact = 'contact' in payload ? payload.contact : undefined
  return [contact?.email, contact?.phone].filter((address) => address !== undefined)
}

/** null: nothing is left of it. */
function withoutPerson(fact: NewFact): NewFact | null {
  const { payload, order } = fact
  const keys = fact.keys.filter(({ kind }) => kind === 'order' || kind === 'cart' || kind === 'device')
  if (payload.type === 'snapshot') {
    const { contact: _, ...rest } = payload
    return { ...fact, keys, payload: rest }
  }
  if (payload.type !== 'order' || !order || payload.orderKind === 'draft') return null
  const nameless = { ...payload, contact: {} }
  // Of what is kept, so that the same order told again is known for the same.
  const hash = crypto.hash(
    'sha256',
    JSON.stringify([nameless, order.status, order.total_minor, order.net_minor]),
    'base64url',
  )
  return {
    ...fact,
    keys,
    payload: nameless,
    uniqueKey: `order:${order.order_id}:${order.modified_at}:${hash}`,
    order: { ...order, email: null, phone: null, content_hash: hash },
  }
}
