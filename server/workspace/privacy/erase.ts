import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { ERASE_WORD, type Erasure, privacyTexts } from '../../../shared/workspace/privacy.ts'
import type { Session } from '../../access/members/public.ts'
import { waitForGrouping } from '../../access/notifications/public.ts'
import { foldStorePosts } from '../../carts/capture/public.ts'
import { createEraser } from '../../carts/carts/public.ts'
import { anonymizeShoppers } from '../../carts/experiments/public.ts'
import { AppError, createId } from '../../core/common/public.ts'
import {
  type AccountDb,
  type AccountTx,
  type Db,
  type StoreTx,
  transact,
  transactAccount,
} from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { skipOpenMessagesTo } from '../../messages/messages/public.ts'
import {
  buildAddressKey,
  buildCustomerMark,
  lockAllKeys,
  lockShoppers,
  type ShopperKey,
} from '../../shoppers/shoppers/public.ts'
import * as sql from './erase-sql.ts'
import { addCounts, type FoundPerson, findDataSubject, readErasure } from './find.ts'
import { eraseJob } from './jobs.ts'
import { findPerson } from './person.ts'
import { insertErasure, type KnownBy, listProviderIds, type StoreDataSubject } from './sql.ts'

// Erases a person (C8) in two steps. The request stops all messages: it suppresses the hashes of their addresses and
// closes open messages. A job then removes identifying data, one transaction per store.
// The job can be repeated at any point; it keeps the needed addresses encrypted until it is done.

export async function eraseDataSubject(
  deps: Pick<Deps, 'jobs' | 'log' | 'now' | 'secrets'>,
  { account, session }: { account: AccountDb<Db>; session: Session },
  input: { address: string; confirmation: string },
): Promise<Erasure> {
  const person = await findDataSubject(deps, account, input.address)
  if (input.confirmation.trim().toLowerCase() !== ERASE_WORD) {
    throw new AppError('invalid', privacyTexts.confirm, { fields: { confirmation: privacyTexts.confirm } })
  }
  return requestErasure(deps, account, { ...person, customer: null, userId: session.userId })
}

/** A person as named by the shop: addresses and a customer id. */
export interface NamedPerson {
  addresses: readonly string[]
  customer: Customer | null
}

/**
 * The same on request of the person at the shop. Includes stored addresses of the customer id; without any, the id
 * identifies the person. Does nothing if no data is stored.
 */
export async function eraseOnRequest(
  deps: Pick<Deps, 'jobs' | 'log' | 'now' | 'secrets'>,
  account: AccountDb<Db>,
  { addresses, customer }: NamedPerson,
): Promise<void> {
  const found: FoundPerson[] = []
  for (const address of addresses) {
    if (!found.some((each) => each.addresses.includes(address)))
      found.push(...(await findKnown(deps, account, address)))
  }
  const hasStoredNumber = customer !== null && (await hasStoredData(deps, account, customer))
  if (found.length === 0 && !hasStoredNumber) return
  const person = { addresses: found.flatMap((each) => each.addresses), hashes: found.flatMap((each) => each.hashes) }
  await requestErasure(deps, account, { ...person, address: found[0]?.address ?? null, customer, userId: null })
}

async function findKnown(deps: Pick<Deps, 'secrets'>, account: AccountDb<Db>, address: string): Promise<FoundPerson[]> {
  try {
    return [await findDataSubject(deps, account, address)]
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return []
    throw error
  }
}

async function hasStoredData(
  deps: Pick<Deps, 'secrets'>,
  { db }: AccountDb,
  { storeId, customerId }: Customer,
): Promise<boolean> {
  const known = { addresses: [], hashes: [], customerIds: [customerId] }
  return (await findPerson(deps, { storeId, db }, known)).shopperIds.length > 0
}

interface ErasureInput extends Omit<FoundPerson, 'address'> {
  address: string | null
  customer: Customer | null
  userId: string | null
}

async function requestErasure(
  deps: Pick<Deps, 'jobs' | 'log' | 'now' | 'secrets'>,
  account: AccountDb<Db>,
  input: ErasureInput,
): Promise<Erasure> {
  const id = createId()
  const now = deps.now()
  const { addresses, customer, userId } = input
  const mark = customer && deps.secrets.addressHash(buildCustomerMark(customer.storeId, customer.customerId))
  const hash = input.address === null ? mark! : deps.secrets.addressHash(input.address)
  await transactAccount(account, async (tx) => {
    await sql.suppressErased(tx, [...input.hashes, ...(mark ? [mark] : [])], { userId, at: now })
    await closeOpenMessagesTo(tx, addresses, now)
    const encrypted = seal(deps, id, { addresses, providerIds: [], customer })
    await insertErasure(tx, { id, hash, encrypted, requestedBy: userId, at: now })
    await deps.jobs.enqueue(tx.db, eraseJob, { accountId: account.accountId, erasureId: id }, id)
  })
  deps.log.info({ accountId: account.accountId, erasureId: id }, 'privacy.erase')
  return readErasure(account, id)
}

async function closeOpenMessagesTo(tx: AccountTx, addresses: readonly string[], now: Date): Promise<void> {
  for (const address of addresses) {
    const channels = address.includes('@') ? (['email'] as const) : (['sms', 'whatsapp'] as const)
    for (const channel of channels) {
      await skipOpenMessagesTo(tx, { accountId: tx.accountId, address, channel, now, reason: 'suppressed_erased' })
    }
  }
}

/** A customer id in a store. */
interface Customer {
  storeId: string
  customerId: string
}

/** Data that the job still needs. */
interface Remaining {
  addresses: string[]
  /** null, or missing in jobs of earlier versions: the person is known only by addresses. */
  customer?: Customer | null
  /** Provider ids of messages erased so far, to erase reports that refer to them. */
  providerIds: string[]
}

const context = (id: string) => `erasure:${id}`
const seal = (deps: Pick<Deps, 'secrets'>, id: string, what: Remaining) =>
  deps.secrets.seal(JSON.stringify(what), context(id))

/** The job. */
export async function runErasure(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets'>,
  { accountId, erasureId }: z.infer<typeof eraseJob.payload>,
): Promise<void> {
  const account = { accountId, db: deps.db }
  while (await eraseNextStore(deps, account, erasureId)) {
    // One commit per store.
  }
}

/** false: nothing is left to do. */
async function eraseNextStore(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets'>,
  account: AccountDb<Db>,
  id: string,
): Promise<boolean> {
  return transactAccount(account, async (tx) => {
    const open = await sql.readOpenErasure(tx, id)
    if (!open) return false
    const remaining = JSON.parse(deps.secrets.open(open.encrypted, context(id))) as Remaining
    const hashes = remaining.addresses.map((address) => deps.secrets.addressHash(address))
    const storeId = (await sql.listStoreIds(tx))[open.stores_done]
    if (!storeId) {
      const counts = addCounts([
        open.counts,
        await sql.eraseOfAccount(tx, { hashes, providerIds: remaining.providerIds }),
      ])
      await sql.finishErasure(tx, id, { counts, at: deps.now() })
      deps.log.info({ accountId: account.accountId, erasureId: id }, 'privacy.erased')
      return false
    }
    const customerIds = remaining.customer?.storeId === storeId ? [remaining.customer.customerId] : []
    const erased = await eraseInStore(deps, storeId, { addresses: remaining.addresses, hashes, customerIds })
    const rest = { ...remaining, providerIds: [...remaining.providerIds, ...erased.providerIds] }
    await sql.recordProgress(tx, id, {
      storesDone: open.stores_done + 1,
      encrypted: seal(deps, id, rest),
      counts: addCounts([open.counts, erased.counts]),
    })
    return true
  })
}

const WAITS = 60
const WAIT_MS = 500

async function eraseInStore(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets'>,
  storeId: string,
  known: KnownBy,
) {
  // Recent posts of their browser become facts, which are then erased with the rest.
  const store = { storeId, db: deps.db }
  await foldStorePosts(deps, store)
  for (let wait = 0; wait < WAITS; wait++) {
    if (wait > 0) await sleep(WAIT_MS)
    const done = await transact(store, (tx) => eraseLocked(deps, tx, known))
    if (done) return done
  }
  // The job's retry continues.
  throw new AppError('unavailable', 'A message to this person is still being sent.')
}

/** null: a message or import is in progress, and the caller waits for it. */
async function eraseLocked(deps: Pick<Deps, 'now' | 'secrets'>, tx: StoreTx, known: KnownBy) {
  const now = deps.now()
  const before = await findPerson(deps, tx, known)
  // Locks unknown addresses too: a box ticked with one is stored under the same lock.
  const numbers = (known.customerIds ?? []).map((value): ShopperKey => ({ kind: 'customer', value }))
  const locked = [...known.addresses.map(buildAddressKey), ...numbers, ...(await sql.listMergingKeys(tx, before))]
  await lockAllKeys(tx, locked)
  await lockShoppers(tx, before.shopperIds)
  // Read again under the locks, so that nothing can be added.
  const person = await findPerson(deps, tx, known)
  if (hasNewKeys(await sql.listMergingKeys(tx, person), locked) || (await sql.hasWorkInProgress(tx, person)))
    return null
  const providerIds = await listProviderIds(tx, person.messageIds)
  const texts = await sql.eraseFromTexts(tx, person)
  return { providerIds, counts: { ...texts, ...(await eraseRows(tx, person, () => 'one person', now)) } }
}

/** Erases all rows of these people, whose locks are held. `personOf` maps shoppers to people. Returns rows by table. */
export async function eraseRows(
  tx: StoreTx,
  people: StoreDataSubject,
  personOf: (shopperId: string) => string,
  now: Date,
): Promise<Record<string, number>> {
  await sql.closeOpen(tx, people, now)
  const facts = await sql.readFacts(tx, people)
  const carts = await sql.readFolds(tx, people)
  const known = Map.groupBy([...facts, ...carts], ({ shopper_id }) => personOf(shopper_id))
  const erasers = new Map([...known].map(([person, rows]) => [person, createEraser(rows)]))
  const getEraser = (shopperId: string) => erasers.get(personOf(shopperId))!
  const counts = {
    facts: await sql.writeFacts(
      tx,
      facts.map(({ id, shopper_id, payload }) => ({ id, payload: getEraser(shopper_id).payload(payload) })),
    ),
    carts: await sql.writeFolds(
      tx,
      carts.map(({ id, shopper_id, fold }) => ({ id, fold: getEraser(shopper_id).fold(fold) })),
    ),
  }
  // Notifications in preparation are either still pending or already stored after this.
  await waitForGrouping(tx)
  // Runs while their orders can still be found by address.
  const assignments = await anonymizeShoppers(tx, people.shopperIds)
  const rows = await sql.eraseRows(tx, people, now)
  await sql.insertNamelessKeys(tx, people)
  return { ...counts, assignments, ...rows }
}

/** Whether a merge added keys while we waited; these must be locked as well. */
export function hasNewKeys(keys: readonly ShopperKey[], locked: readonly ShopperKey[]): boolean {
  const names = new Set(locked.map(({ kind, value }) => `${kind}:${value}`))
  return keys.some(({ kind, value }) => !names.has(`${kind}:${value}`))
}

/** Enough time for a job to have finished. */
const ABANDONED_MS = 60_000

/** Tick: resumes erasures whose job was interrupted. */
export async function resumeErasures(deps: Pick<Deps, 'db' | 'jobs' | 'now'>): Promise<void> {
  for (const { account_id, id } of await sql.listOpenErasures(deps.db, new Date(deps.now().getTime() - ABANDONED_MS))) {
    await deps.jobs.enqueue(deps.db, eraseJob, { accountId: account_id, erasureId: id }, id)
  }
}
