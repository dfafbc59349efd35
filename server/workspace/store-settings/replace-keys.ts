import { limits } from '../../access/members/public.ts'
import * as sql from '../../access/stores/public.ts'
import { callWithTypedKeys, homeColumns, isSameStore, toProfileColumns } from '../../access/stores/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, takePoint, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { StoreKeys, StoreProfile } from '../../platforms/platform/public.ts'
import type { TypedKeys } from '../../platforms/registry/public.ts'
import { listWarnings, PROFILE_LIMIT_MS, readKeys } from './connect.ts'
import { saveProvenKeys } from './new-keys.ts'

// Replaces the keys of a connected store. They are tested first, so that invalid keys leave the old ones in use.
// Nothing else changes; messages keep waiting for their time.

export async function replaceKeys(
  deps: Pick<Deps, 'jobs' | 'now' | 'pool' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
  typed: TypedKeys,
) {
  const row = requireFound(await sql.readStore(store), 'Store')
  const keys = readKeys(row.platform, typed)
  assertReplaceable(row)
  await takePoint(deps, limits.connectPerAccount, row.account_id)
  const client = deps.storeClient({ platform: row.platform, storeUrl: row.url, homeUrl: row.home_url, keys })
  const profile = await callWithTypedKeys(PROFILE_LIMIT_MS, (signal) => client.readProfile(signal))
  const replaced = await saveReplacedKeys(deps, store, { keys, profile })
  return { store: replaced, warnings: listWarnings(profile) }
}

async function saveReplacedKeys(
  deps: Pick<Deps, 'jobs' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  { keys, profile }: { keys: StoreKeys; profile: StoreProfile },
) {
  return transact(store, async (tx) => {
    // It may have been disconnected during the test.
    const row = requireFound(await sql.lockStore(tx), 'Store')
    assertReplaceable(row)
    assertSameStore(row, profile)
    const account = { accountId: row.account_id, db: tx.db }
    const updated = await sql.updateStore(account, row.id, {
      ...toProfileColumns(profile),
      ...homeColumns(row.platform, profile),
    })
    await saveProvenKeys(deps, account, row, keys)
    return updated!
  })
}

function assertReplaceable({ is_active, is_demo }: sql.StoreRow): void {
  if (!is_active) throw new AppError('conflict', 'This store is not connected. Connect it with its keys.')
  if (is_demo)
    throw new AppError('forbidden', 'The keys of the demo store belong to this server and cannot be replaced.')
}

/** The address may have another shop by now, whose orders must not be mixed with the old ones. */
function assertSameStore(row: sql.StoreRow, profile: StoreProfile): void {
  if (isSameStore(row, profile)) return
  const { home_url } = row
  const { homeUrl } = profile
  throw new AppError(
    'unprocessable',
    `These keys belong to the store ${homeUrl}, and this connection is to ${home_url}. Keys can only be replaced by keys of the same store. To use the other store, connect it by its own address.`,
  )
}
