import { normalizeEmail, normalizePhone } from '../../../shared/core/contact.ts'
import type { ConsentChannel } from '../../../shared/shoppers/consent.ts'
import { boxChannels } from '../../../shared/shoppers/consent-box.ts'
import type { StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { PlatformCustomer } from '../../platforms/platform/public.ts'
import { findConsentRule, type LedgerEvidence } from './consent.ts'
import { selectBuyers, selectCustomerConsents, selectCustomersWithPurchase } from './consent-sql.ts'
import { selectEvidence } from './evidence-sql.ts'

// Finds the people whose contact may be stored without a consent for this cart: the shop's customers (C6), and shoppers
// with an earlier consent (C9).

interface Customer {
  /** The store's id of the customer. */
  customerId: string | null
  email: string | null
  country: string | null
}

/** Customers who bought with this address, whose country allows emails to customers, and who have not opted out. */
export async function findCoveredCustomers<Person extends Customer>(
  deps: Pick<Deps, 'secrets'>,
  store: StoreDb,
  people: readonly Person[],
): Promise<Set<Person>> {
  const addresses = people.flatMap((person) => {
    const email = normalizeEmail(person.email)
    const rule = findConsentRule('email', person.country)
    const isEnough = rule === 'soft_opt_in' || rule === 'opt_out'
    return person.customerId && email && isEnough
      ? [{ person, id: person.customerId, email, hash: deps.secrets.addressHash(email) }]
      : []
  })
  const buyers = await selectBuyers(
    store,
    addresses.map(({ id, email }) => ({ id, email })),
  )
  const names = new Set(buyers.map(({ id, email }) => `${id} ${email}`))
  const bought = addresses.filter(({ id, email }) => names.has(`${id} ${email}`))
  const evidence = await selectEvidence(
    store,
    bought.map(({ hash }) => hash),
    ['email'],
  )
  const hasWithdrawn = (hash: Buffer) => evidence.get(`email:${hash.toString('hex')}`)?.evidence === 'withdrawn'
  return new Set(bought.filter(({ hash }) => !hasWithdrawn(hash)).map(({ person }) => person))
}

/**
 * Channels to which each signed-in customer consented earlier, in My account or with an order, for this cart's address.
 * The address must be theirs, because they may have typed a friend's. The shop's own data is not used: it does not know
 * of unsubscribes.
 */
export async function findConsentedChannels<Person extends Customer & { phone: string | null }>(
  deps: Pick<Deps, 'secrets'>,
  store: StoreDb,
  people: readonly Person[],
): Promise<Map<Person, ConsentChannel[]>> {
  const addresses = people.flatMap((person) => {
    if (!person.customerId) return []
    const [email, phone] = [normalizeEmail(person.email), normalizePhone(person.phone, person.country)]
    const named = { email, sms: phone, whatsapp: phone }
    const id = person.customerId
    return boxChannels.flatMap((channel) => {
      const address = named[channel]
      return address ? [{ person, id, channel, address, hash: deps.secrets.addressHash(address) }] : []
    })
  })
  const isTheirs = await findOwnAddresses(store, addresses)
  const evidence = await selectEvidence(
    store,
    addresses.map(({ hash }) => hash),
    boxChannels,
  )
  const hasConsent = ({ channel, hash }: (typeof addresses)[number]) =>
    isConsent(evidence.get(`${channel}:${hash.toString('hex')}`))
  const groups = Map.groupBy(
    addresses.filter((each) => hasConsent(each) && isTheirs(each)),
    ({ person }) => person,
  )
  return new Map([...groups].map(([person, consents]) => [person, consents.map(({ channel }) => channel)]))
}

const isConsent = (word: LedgerEvidence | undefined) =>
  word?.evidence === 'express_yes' || word?.evidence === 'confirmed'

/**
 * Removes from customer records what may not be stored before consent. What stays is the email of customers who bought,
 * the phone they bought with, and addresses with a consent. Shops create a customer for every typed address and
 * registration, and add what is typed at the next checkout.
 */
export async function filterCustomers(
  deps: Pick<Deps, 'secrets'>,
  store: StoreDb,
  customers: readonly PlatformCustomer[],
): Promise<PlatformCustomer[]> {
  const read = customers.map((customer) => ({
    customer,
    email: normalizeEmail(customer.email),
    phone: normalizePhone(customer.phone, customer.country),
  }))
  const computeHash = (address: string) => deps.secrets.addressHash(address)
  const [bought, evidence] = await Promise.all([
    selectCustomersWithPurchase(
      store,
      customers.map(({ customerId }) => customerId),
    ),
    selectEvidence(
      store,
      read.flatMap(({ email, phone }) => [email, phone].filter((each) => each !== null)).map(computeHash),
      boxChannels,
    ),
  ])
  const buyers = new Set(bought.map(({ id }) => id))
  const numbers = new Set(bought.map(({ id, phone }) => `${id} ${phone}`))
  return read.flatMap(({ customer, email, phone }) => {
    // Answers given to Recoup precede the store's data, which lacks some withdrawals.
    const hasAgreed = (channel: ConsentChannel, address: string) => {
      const word = evidence.get(`${channel}:${computeHash(address).toString('hex')}`)
      if (word?.evidence === 'withdrawn') return false
      return isConsent(word) || customer.consents?.some((each) => each.channel === channel && each.state === 'granted')
    }
    const isBuyer = hasPaid(customer) || buyers.has(customer.customerId)
    const keepsEmail = email !== null && (isBuyer || hasAgreed('email', email))
    const keepsPhone =
      phone !== null &&
      (numbers.has(`${customer.customerId} ${phone}`) || hasAgreed('sms', phone) || hasAgreed('whatsapp', phone))
    if (!isBuyer && !keepsEmail && !keepsPhone) return []
    return [{ ...customer, email: keepsEmail ? email : null, phone: keepsPhone ? phone : null }]
  })
}

const hasPaid = ({ isPaying, ordersCount = 0, spentMinor = 0 }: PlatformCustomer) =>
  isPaying ?? (ordersCount > 0 && spentMinor > 0)

interface CustomerAddress {
  id: string
  channel: ConsentChannel
  address: string
  hash: Buffer
}

/** An address belongs to a customer who bought with it, or consented for it while signed in. */
async function findOwnAddresses(store: StoreDb, addresses: readonly CustomerAddress[]) {
  const emails = addresses.filter(({ channel }) => channel === 'email')
  const consents = addresses.map(({ id, channel, hash }) => ({ id, channel, hash: hash.toString('hex') }))
  const [buyers, granted] = await Promise.all([
    selectBuyers(
      store,
      emails.map(({ id, address }) => ({ id, email: address })),
    ),
    selectCustomerConsents(store, consents),
  ])
  const own = new Set([
    ...buyers.map(({ id, email }) => `email ${id} ${email}`),
    ...granted.map(({ id, channel, hash }) => `${channel} ${id} ${hash}`),
  ])
  return ({ id, channel, address, hash }: CustomerAddress) =>
    own.has(`${channel} ${id} ${address}`) || own.has(`${channel} ${id} ${hash.toString('hex')}`)
}
