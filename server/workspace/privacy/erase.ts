import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { ERASE_WORD, type Erasure, privacyTexts } from '../../../shared/privacy.ts'
import { foldPostsOf } from '../../carts/capture/capture-intake.ts'
import { createEraser } from '../../carts/carts/erased.ts'
import { type AccountDb, type AccountTx, type Db, type StoreTx, transact, transactAccount } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { newId } from '../../core/common/ids.ts'
import type { Deps } from '../../deps.ts'
import { forgetPeople } from '../../carts/experiments/experiments.ts'
import type { Session } from '../../access/members/session.ts'
import { skipOpenTo } from '../../messages/messages/recipient.ts'
import { holdClock } from '../../access/notifications/clock.ts'
import { addressKey, customerMark, type ShopperKey } from '../../shoppers/shoppers/rules.ts'
import { lockAllKeys, lockShoppers } from '../../shoppers/shoppers/shoppers.ts'
import * as sql from './erase-sql.ts'
import { type Found, findDataSubject, readErasure, sumOf } from './find.ts'
import { eraseJob } from './jobs.ts'
import { personIn } from './person.ts'
import { insertErasure, type KnownBy, providerIdsOf, type StoreDataSubject } from './sql.ts'

// Erasing a person (C8), in two steps. With the request itself nothing is sent to them any more: the hashes of their addresses go on the
// suppression list and what is open is closed. A job then goes through the stores, one transaction each, and takes out what tells
// who they are. It may be repeated at any point; the addresses it needs are kept encrypted until it is done.

export async function eraseDataSubject(
  deps: Deps,
  { account, session }: { account: AccountDb<Db>; session: Session },
  wanted: { address: string; confirmation: string },
): Promise<Erasure> {
  const person = await findDataSubject(deps, account, wanted.address)
  if (wanted.confirmation.trim().toLowerCase() !== ERASE_WORD) {
    throw new AppError('invalid', privacyTexts.confirm, { fields: { confirmation: privacyTexts.confirm } })
  }
  return askErasure(deps, account, { ...person, customer: null, userId: session.userId })
}

/** Whoever the shop names: by addresses, and by a number of theirs. */
export interface Named {
  addresses: readonly string[]
  customer: Customer | null
}

/**
 * The same for the person themselves, who asked for it at the shop. Addresses that are kept of their number are theirs too, and where there is
 * none the number stands for them. Of whom nothing is kept, nothing is to be erased.
 */
export async function eraseAsked(deps: Deps, account: AccountDb<Db>, { addresses, customer }: Named): Promise<void> {
  const found: Found[] = []
  for (const address of addresses) {
    if (!found.some((each) => each.addresses.includes(address)))
      found.push(...(await findKnown(deps, account, address)))
  }
  const isNumberKept = customer !== null && (await isKept(deps, account, customer))
  if (found.length === 0 && !isNumberKept) return
  const person = { addresses: found.flatMap((each) => each.addresses), hashes: found.flatMap((each) => each.hashes) }
  await askErasure(deps, account, { ...person, address: found[0]?.address ?? null, customer, userId: null })
}

async function findKnown(deps: Deps, account: AccountDb<Db>, address: string): Promise<Found[]> {
  try {
    return [await findDataSubject(deps, account, address)]
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return []
    throw error
  }
}

async function isKept(deps: Deps, { db }: AccountDb, { storeId, customerId }: Customer): Promise<boolean> {
  const known = { addresses: [], hashes: [], customerIds: [customerId] }
  return (await personIn(deps, { storeId, db }, known)).shopperIds.length > 0
}

interface Wanted extends Omit<Found, 'address'> {
  address: string | null
  customer: Customer | null
  userId: string | null
}

async function askErasure(deps: Deps, account: AccountDb<Db>, wanted: Wanted): Promise<Erasure> {
  const id = newId()
  const now = deps.now()
  const { addresses, customer, userId } = wanted
  const mark = customer && deps.secrets.addressHash(customerMark(customer.storeId, customer.customerId))
  const hash = wanted.address === null ? mark! : deps.secrets.addressHash(wanted.address)
  await transactAccount(account, async (tx) => {
    await sql.suppressErased(tx, [...wanted.hashes, ...(mark ? [mark] : [])], { userId, at: now })
    await closeOpenTo(tx, addresses, now)
    const encrypted = seal(deps, id, { addresses, providerIds: [], customer })
    await insertErasure(tx, { id, hash, encrypted, askedBy: userId, at: now })
    await deps.jobs.enqueue(tx.db, eraseJob, { accountId: account.accountId, erasureId: id }, id)
  })
  deps.log.info({ accountId: account.accountId, erasureId: id }, 'privacy.erase')
  return readErasure(account, id)
}

async function closeOpenTo(tx: AccountTx, addresses: readonly string[], now: Date): Promise<void> {
  for (const address of addresses) {
    const channels = address.includes('@') ? (['email'] as const) : (['sms', 'whatsapp'] as const)
    for (const channel of channels) {
      await skipOpenTo(tx, { accountId: tx.accountId, address, channel, now, reason: 'suppressed_erased' })
    }
  }
}

/** Whoever has this number in a store. */
interface Customer {
  storeId: string
  customerId: string
}

/** What a job still needs. */
interface Remaining {
  addresses: string[]
  /** null, or missing in what an earlier version left: they are known by addresses alone. */
  customer?: Customer | null
  /** Of messages whose own are erased already, for reports that came of them. */
  providerIds: string[]
}

const context = (id: string) => `erasure:${id}`
const seal = (deps: Deps, id: string, what: Remaining) => deps.secrets.seal(JSON.stringify(what), context(id))

/** Job. */
export async function runErasure(
  deps: Deps,
  { accountId, erasureId }: z.infer<typeof eraseJob.payload>,
): Promise<void> {
  const account = { accountId, db: deps.db }
  while (await eraseNextStore(deps, account, erasureId)) {
    // Each store is a commit of its own.
  }
}

/** false when there is nothing more to do. */
async function eraseNextStore(deps: Deps, account: AccountDb<Db>, id: string): Promise<boolean> {
  return transactAccount(account, async (tx) => {
    const open = await sql.openErasure(tx, id)
    if (!open) return false
    const left = JSON.parse(deps.secrets.open(open.encrypted, context(id))) as Remaining
    const hashes = left.addresses.map((address) => deps.secrets.addressHash(address))
    const storeId = (await sql.storeIdsOf(tx))[open.stores_done]
    if (!storeId) {
      const counts = sumOf([open.counts, await sql.eraseOfAccount(tx, { hashes, providerIds: left.providerIds })])
      await sql.finishErasure(tx, id, { counts, at: deps.now() })
      deps.log.info({ accountId: account.accountId, erasureId: id }, 'privacy.erased')
      return false
    }
    const customerIds = left.customer?.storeId === storeId ? [left.customer.customerId] : []
    const erased = await eraseInStore(deps, storeId, { addresses: left.addresses, hashes, customerIds })
    const rest = { ...left, providerIds: [...left.providerIds, ...erased.providerIds] }
    await sql.noteProgress(tx, id, {
      storesDone: open.stores_done + 1,
      encrypted: seal(deps, id, rest),
      counts: sumOf([open.counts, erased.counts]),
    })
    return true
  })
}

const WAITS = 60
const WAIT_MS = 500

async function eraseInStore(deps: Deps, storeId: string, known: KnownBy) {
  // What their browser has just posted becomes facts, and goes with them.
  await foldPostsOf(deps, storeId)
  for (let wait = 0; wait < WAITS; wait++) {
    if (wait > 0) await sleep(WAIT_MS)
    const done = await transact({ storeId, db: deps.db }, (tx) => eraseLocked(deps, tx, known))
    if (done) return done
  }
  // The job's own retry goes on.
  throw new AppError('unavailable', 'A message to this person is still being sent.')
}

/** null: something of theirs is under way, which is waited for. */
async function eraseLocked(deps: Deps, tx: StoreTx, known: KnownBy) {
  const now = deps.now()
  const before = await personIn(deps, tx, known)
  // Also of addresses nobody is known by: a box ticked with one is written down under the same lock.
  const numbers = (known.customerIds ?? []).map((value): ShopperKey => ({ kind: 'customer', value }))
  const locked = [...known.addresses.map(addressKey), ...numbers, ...(await sql.mergingKeysOf(tx, before))]
  await lockAllKeys(tx, locked)
  await lockShoppers(tx, before.shopperIds)
  // As it is now that nobody else can add to it.
  const person = await personIn(deps, tx, known)
  if (hasMore(await sql.mergingKeysOf(tx, person), locked) || (await sql.isUnderWay(tx, person))) return null
  const providerIds = await providerIdsOf(tx, person.messageIds)
  const texts = await sql.eraseFromTexts(tx, person)
  return { providerIds, counts: { ...texts, ...(await eraseRows(tx, person, () => 'one person', now)) } }
}

/** All rows of these people, whose locks are held; `personOf` tells which of the shoppers are one person. Answers rows by table. */
export async function eraseRows(
  tx: StoreTx,
  people: StoreDataSubject,
  personOf: (shopperId: string) => string,
  now: Date,
): Promise<Record<string, number>> {
  await sql.closeOpen(tx, people, now)
  const facts = await sql.factsOf(tx, people)
  const carts = await sql.foldsOf(tx, people)
  const known = Map.groupBy([...facts, ...carts], ({ shopper_id }) => personOf(shopper_id))
  const erasers = new Map([...known].map(([person, rows]) => [person, createEraser(rows)]))
  const eraserOf = (shopperId: string) => erasers.get(personOf(shopperId))!
  const counts = {
    facts: await sql.writeFacts(
      tx,
      facts.map(({ id, shopper_id, payload }) => ({ id, payload: eraserOf(shopper_id).payload(payload) })),
    ),
    carts: await sql.writeFolds(
      tx,
      carts.map(({ id, shopper_id, fold }) => ({ id, fold: eraserOf(shopper_id).fold(fold) })),
    ),
  }
  // What is on its way to being a notification is either still pending or already one.
  await holdClock(tx)
  // While their orders can still be told by their addresses.
  const assignments = await forgetPeople(tx, people.shopperIds)
  const rows = await sql.eraseRows(tx, people, now)
  await sql.insertNamelessKeys(tx, people)
  return { ...counts, assignments, ...rows }
}

/** Was somebody joined to them while we waited? Their keys are to be locked as well. */
export function hasMore(keys: readonly ShopperKey[], locked: readonly ShopperKey[]): boolean {
  const names = new Set(locked.map(({ kind, value }) => `${kind}:${value}`))
  return keys.some(({ kind, value }) => !names.has(`${kind}:${value}`))
}

/** Long enough for a job to have done it. */
const LEFT_BEHIND_MS = 60_000

/** Tick: erasures whose job ended in the middle. */
export async function resumeErasures(deps: Deps): Promise<void> {
  for (const { account_id, id } of await sql.openErasures(deps.db, new Date(deps.now().getTime() - LEFT_BEHIND_MS))) {
    await deps.jobs.enqueue(deps.db, eraseJob, { accountId: account_id, erasureId: id }, id)
  }
}
