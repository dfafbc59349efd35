import type { ConsentChannel } from '../../shared/consent.ts'
import { boxChannels } from '../../shared/consent-box.ts'
import { normalizeEmail, normalizePhone } from '../../shared/contact.ts'
import type { StoreDb } from '../core/db.ts'
import type { Deps } from '../deps.ts'
import { consentRule } from './consent.ts'
import { buyersAmong } from './consent-sql.ts'
import { ledgerText } from './evidence.ts'

// Whose contact a shop may keep although they have not agreed with this cart: its own customers (C6), and those who agreed before (C9).

/** For what a customer says of their own addresses. */
export { addressesBoughtWith } from './consent-sql.ts'

interface Customer {
  /** The store's own number of them. */
  customerId: string | null
  email: string | null
  country: string | null
}

/** Those who have bought in the store and are known there by this address, in whose country that is enough for an email, and who have not said no. */
export async function coveredCustomers<Person extends Customer>(
  deps: Deps,
  store: StoreDb,
  people: readonly Person[],
): Promise<Set<Person>> {
  const asked = people.flatMap((person) => {
    const email = normalizeEmail(person.email)
    const rule = consentRule('email', person.country)
    const isEnough = rule === 'soft_opt_in' || rule === 'opt_out'
    return person.customerId && email && isEnough
      ? [{ person, id: person.customerId, email, hash: deps.secrets.addressHash(email) }]
      : []
  })
  const buyers = await buyersAmong(
    store,
    asked.map(({ id, email }) => ({ id, email })),
  )
  const names = new Set(buyers.map(({ id, email }) => `${id} ${email}`))
  const bought = asked.filter(({ id, email }) => names.has(`${id} ${email}`))
  const words = await ledgerText(
    store,
    bought.map(({ hash }) => hash),
    ['email'],
  )
  const saidNo = (hash: Buffer) => words.get(`email:${hash.toString('hex')}`)?.evidence === 'withdrawn'
  return new Set(bought.filter(({ hash }) => !saidNo(hash)).map(({ person }) => person))
}

/**
 * The channels that each of those who are signed in to the shop agreed to earlier, in My account or with an order, for the address of this cart.
 * The shop's own memory does not count: an unsubscribe link is not known there.
 */
export async function agreedChannels<Person extends Customer & { phone: string | null }>(
  deps: Deps,
  store: StoreDb,
  people: readonly Person[],
): Promise<Map<Person, ConsentChannel[]>> {
  const asked = people.flatMap((person) => {
    if (!person.customerId) return []
    const [email, phone] = [normalizeEmail(person.email), normalizePhone(person.phone, person.country)]
    const named = { email, sms: phone, whatsapp: phone }
    return boxChannels.flatMap((channel) => {
      const address = named[channel]
      return address ? [{ person, channel, hash: deps.secrets.addressHash(address) }] : []
    })
  })
  const words = await ledgerText(
    store,
    asked.map(({ hash }) => hash),
    boxChannels,
  )
  const isYes = ({ channel, hash }: (typeof asked)[number]) => {
    const evidence = words.get(`${channel}:${hash.toString('hex')}`)?.evidence
    return evidence === 'express_yes' || evidence === 'confirmed'
  }
  const groups = Map.groupBy(asked.filter(isYes), ({ person }) => person)
  return new Map([...groups].map(([person, given]) => [person, given.map(({ channel }) => channel)]))
}
