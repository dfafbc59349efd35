import crypto from 'node:crypto'
import type { StoreTx } from '../../core/db/db.ts'
import type { Secrets } from '../../core/common/secrets.ts'
import type { FoldItem } from '../../core/schema/facts.ts'
import { customerMark, type ShopperKey } from '../../shoppers/shoppers/rules.ts'
import { keyOwners, matchedEmails } from '../../shoppers/shoppers/shoppers.ts'
import { erasedAmong } from '../../shoppers/suppressions/suppressions.ts'
import type { NewFact } from './record.ts'

// An erased person comes back to the shop: what the store then tells is kept without them (C8). Orders count, for whom is not
// written; an order begun and not placed is not kept at all, as nobody may be reminded of it. Where the order also has the phone, the
// email (or another address of its mailbox) or the number of somebody who is known here and was not erased, it is theirs too, and their
// reminders end (D3). So do those of the erased person, who may have named another address since, for as long as the job has not been here.

/** To be asked with the keys locked: an erasure holds the same locks. */
export async function withoutErased(tx: StoreTx, secrets: Hashes, facts: readonly NewFact[]): Promise<NewFact[]> {
  const marksOf = (fact: NewFact) => [...addressesOf(fact), ...customerMarks(tx, fact)]
  const erased = await erasedOf(tx, secrets, facts.flatMap(marksOf))
  if (erased.size === 0) return [...facts]
  const isErased = (fact: NewFact) => marksOf(fact).some((mark) => erased.has(mark))
  const keys = facts.filter(isErased).flatMap((fact) => fact.keys)
  const known = new Set((await keyOwners(tx, keys)).map(nameOf))
  const emails = keys.filter(({ kind, value }) => kind === 'email' && !erased.has(value)).map(({ value }) => value)
  for (const email of await emailsOfLiving(tx, secrets, emails)) known.add(nameOf({ kind: 'email', value: email }))
  return facts.flatMap((fact) => (isErased(fact) ? (withoutPerson(fact, keysLeft(fact, known, erased)) ?? []) : [fact]))
}

type Hashes = Pick<Secrets, 'addressHash'>

async function erasedOf(tx: StoreTx, secrets: Hashes, addresses: readonly string[]): Promise<Set<string>> {
  const hashes = new Map([...new Set(addresses)].map((address) => [address, secrets.addressHash(address)]))
  if (hashes.size === 0) return new Set()
  const erased = await erasedAmong(tx, [...hashes.values()])
  return new Set([...hashes].filter(([, hash]) => erased.has(hash.toString('hex'))).map(([address]) => address))
}

/** Of these, addresses of a mailbox of somebody who is known here and was not erased. */
async function emailsOfLiving(tx: StoreTx, secrets: Hashes, emails: readonly string[]): Promise<string[]> {
  const matched = emails.length > 0 ? await matchedEmails(tx, emails) : []
  const gone = await erasedOf(
    tx,
    secrets,
    matched.map(({ known }) => known),
  )
  return matched.filter(({ known }) => !gone.has(known)).map(({ wanted }) => wanted)
}

const isNameless = ({ kind }: ShopperKey) => kind === 'order' || kind === 'cart' || kind === 'device'

/** Keys of somebody who stays; else those of the erased themselves that the job has still to take. An address nobody has is taken for theirs. */
function keysLeft({ keys }: NewFact, known: ReadonlySet<string>, erased: ReadonlySet<string>): ShopperKey[] {
  const owned = keys.filter((key) => !isNameless(key) && known.has(nameOf(key)))
  const living = owned.filter(({ value }) => !erased.has(value))
  return [...keys.filter(isNameless), ...(living.length > 0 ? living : owned)]
}

const nameOf = ({ kind, value }: Pick<ShopperKey, 'kind' | 'value'>) => `${kind}:${value}`

function addressesOf({ payload }: NewFact): string[] {
  const contact = 'contact' in payload ? payload.contact : undefined
  const { email, phone, unconfirmedEmail, unconfirmedPhone } = contact ?? {}
  return [email, phone, unconfirmedEmail, unconfirmedPhone].filter((address) => address !== undefined)
}

const customerMarks = ({ storeId }: StoreTx, { keys }: NewFact): string[] =>
  keys.filter(({ kind }) => kind === 'customer').map(({ value }) => customerMark(storeId, value))

/** What was chosen or typed for an item may tell who it was, as an engraving does. */
const unchosen = (items: readonly FoldItem[]): FoldItem[] => items.map(({ choices: _, ...item }) => item)

/** null: nothing is left of it. */
function withoutPerson(fact: NewFact, keys: ShopperKey[]): NewFact | null {
  const { payload, order } = fact
  if (payload.type === 'snapshot') {
    const { contact: _, zone: __, checkout: ___, toldBy, ...rest } = payload
    // Its browser speaks for its own cart as before (S6). With nobody who has told of these contents no notification shows them.
    const browsers = toldBy ?? rest.browsers ?? []
    return {
      ...fact,
      keys: fact.keys.filter(isNameless),
      payload: { ...rest, toldBy: [], browsers, items: unchosen(rest.items) },
    }
  }
  if (payload.type !== 'order' || !order || payload.orderKind === 'draft') return null
  const nameless = { ...payload, items: unchosen(payload.items), contact: {} }
  const more = order.kind === 'purchase' && order.is_unproven ? ['unproven', order.waiting_minor] : []
  // Of what is kept, so that the same order told again is known for the same.
  const hash = crypto.hash(
    'sha256',
    JSON.stringify([nameless, order.status, order.total_minor, order.net_minor, ...more]),
    'base64url',
  )
  return {
    ...fact,
    keys,
    payload: nameless,
    uniqueKey: `order:${order.order_id}:${order.modified_at}:${hash}`,
    order: { ...order, email: null, phone: null, customer_id: null, cart_token: null, content_hash: hash },
  }
}
