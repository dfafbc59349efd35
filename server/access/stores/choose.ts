import { AppError } from '../../core/common/public.ts'
import type { Db } from '../../core/db/public.ts'
import type { Session } from '../members/public.ts'
import * as sql from './sql.ts'

// Chooses the store of a request (decision 7).

export interface RequestedStore {
  platform?: string | undefined
  storeId?: string | undefined
  /** Another name of the store in the request: its id in the body, or its address. */
  alsoNamed?: readonly string[]
}

const UNKNOWN = 'Store not found. Please connect your store first.'

/**
 * Decision 7: the store named by `storeId` (id or URL; `default` = none), else the session's current store when it is of
 * the platform asked for, else the account's active store of that platform, else its active store.
 * A store of another account is as absent as one that never was: 404.
 */
export async function chooseStore(db: Db, session: Session, requested: RequestedStore, noStore = UNKNOWN) {
  const stores = await sql.listStores({ accountId: session.accountId, db })
  const active = stores.filter((store) => store.is_active)
  const byName = (name: string) => {
    const named = name.trim().replace(/(?<!\/)\/+$/, '')
    return stores.find((each) => each.id === named || each.url === named || each.home_url === named)
  }
  const isNamed = requested.storeId && requested.storeId !== 'default'
  const store = isNamed
    ? byName(requested.storeId!)
    : (active.find(
        (each) => each.id === session.storeId && (!requested.platform || each.platform === requested.platform),
      ) ??
      active.find((each) => each.platform === requested.platform) ??
      active[0])
  if (!store) throw new AppError('not_found', active.length > 0 ? UNKNOWN : noStore)
  for (const other of requested.alsoNamed?.map(byName) ?? []) {
    if (!other) throw new AppError('not_found', UNKNOWN)
    if (other !== store)
      throw new AppError('invalid', 'This request names two different stores. Reload the page and try again.')
  }
  return store
}
