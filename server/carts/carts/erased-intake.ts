import crypto from 'node:crypto'
import type { Secrets } from '../../core/common/public.ts'
import type { StoreTx } from '../../core/db/public.ts'
import type { FoldItem } from '../../core/schema/public.ts'
import {
  buildCustomerMark,
  type ShopperKey,
  selectKeyOwners,
  selectMatchedEmails,
} from '../../shoppers/shoppers/public.ts'
import { selectErased } from '../../shoppers/suppressions/public.ts'
import type { NewFact } from './record.ts'

// Removes the contact of erased shoppers from facts that the store reports later (C8). Orders count, but without their
// shopper. An order that was begun but not placed is dropped, because no reminder may follow from it.
// An order that also has the phone, email or customer id of another known shopper belongs to them and ends their
// reminders (D3). It also ends those of the erased shopper until the erasure job has run.

/** Call with the keys locked: an erasure takes the same locks. */
export async function removeErased(tx: StoreTx, secrets: Hashes, facts: readonly NewFact[]): Promise<NewFact[]> {
  const listIdentifiers = (fact: NewFact) => [...listAddresses(fact), ...listCustomerMarks(tx, fact)]
  const erased = await findErased(tx, secrets, facts.flatMap(listIdentifiers))
  if (erased.size === 0) return [...facts]
  const isErased = (fact: NewFact) => listIdentifiers(fact).some((mark) => erased.has(mark))
  const keys = facts.filter(isErased).flatMap((fact) => fact.keys)
  const known = new Set((await selectKeyOwners(tx, keys)).map(toKeyText))
  const emails = keys.filter(({ kind, value }) => kind === 'email' && !erased.has(value)).map(({ value }) => value)
  for (const email of await findEmailsNotErased(tx, secrets, emails))
    known.add(toKeyText({ kind: 'email', value: email }))
  return facts.flatMap((fact) =>
    isErased(fact) ? (removePerson(fact, selectKeys(fact, known, erased)) ?? []) : [fact],
  )
}

type Hashes = Pick<Secrets, 'addressHash'>

async function findErased(tx: StoreTx, secrets: Hashes, addresses: readonly string[]): Promise<Set<string>> {
  const hashes = new Map([...new Set(addresses)].map((address) => [address, secrets.addressHash(address)]))
  if (hashes.size === 0) return new Set()
  const erased = await selectErased(tx, [...hashes.values()])
  return new Set([...hashes].filter(([, hash]) => erased.has(hash.toString('hex'))).map(([address]) => address))
}

/** Returns emails whose mailbox belongs to a known shopper who was not erased. */
async function findEmailsNotErased(tx: StoreTx, secrets: Hashes, emails: readonly string[]): Promise<string[]> {
  const matched = emails.length > 0 ? await selectMatchedEmails(tx, emails) : []
  const erasedEmails = await findErased(
    tx,
    secrets,
    matched.map(({ known }) => known),
  )
  return matched.filter(({ known }) => !erasedEmails.has(known)).map(({ wanted: email }) => email)
}

const isNameless = ({ kind }: ShopperKey) => kind === 'order' || kind === 'cart' || kind === 'device'

/** Keeps the keys of a shopper who was not erased, else those of the erased one that the job has not reached. */
function selectKeys({ keys }: NewFact, known: ReadonlySet<string>, erased: ReadonlySet<string>): ShopperKey[] {
  const owned = keys.filter((key) => !isNameless(key) && known.has(toKeyText(key)))
  const notErased = owned.filter(({ value }) => !erased.has(value))
  return [...keys.filter(isNameless), ...(notErased.length > 0 ? notErased : owned)]
}

const toKeyText = ({ kind, value }: Pick<ShopperKey, 'kind' | 'value'>) => `${kind}:${value}`

function listAddresses({ payload }: NewFact): string[] {
  const contact = 'contact' in payload ? payload.contact : undefined
  const { email, phone, unconfirmedEmail, unconfirmedPhone } = contact ?? {}
  return [email, phone, unconfirmedEmail, unconfirmedPhone].filter((address) => address !== undefined)
}

const listCustomerMarks = ({ storeId }: StoreTx, { keys }: NewFact): string[] =>
  keys.filter(({ kind }) => kind === 'customer').map(({ value }) => buildCustomerMark(storeId, value))

/** Removes what was chosen or typed for an item: an engraving can identify a person. */
const removeChoices = (items: readonly FoldItem[]): FoldItem[] => items.map(({ choices: _, ...item }) => item)

/** Returns null if nothing of the fact may be kept. */
function removePerson(fact: NewFact, keys: ShopperKey[]): NewFact | null {
  const { payload, order } = fact
  if (payload.type === 'snapshot') {
    const { contact: _, zone: __, checkout: ___, locale: ____, toldBy, ...rest } = payload
    // The browser still controls its own cart (S6). An empty `toldBy` keeps these contents out of web push
    // notifications.
    const browsers = toldBy ?? rest.browsers ?? []
    return {
      ...fact,
      keys: fact.keys.filter(isNameless),
      payload: { ...rest, toldBy: [], browsers, items: removeChoices(rest.items) },
    }
  }
  if (payload.type !== 'order' || !order || payload.orderKind === 'draft') return null
  const { locale: _, ...known } = payload
  const nameless = { ...known, items: removeChoices(payload.items), contact: {} }
  const more = order.kind === 'purchase' && order.is_unproven ? ['unproven', order.waiting_minor] : []
  // The hash covers only what is kept, so that the same order is recognized next time.
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
