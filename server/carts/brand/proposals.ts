import type { z } from 'zod'
import { limits } from '../../access/members/public.ts'
import { openStoreClient } from '../../access/stores/public.ts'
import { AppError, keepSlot, type ReleaseSlot } from '../../core/common/public.ts'
import { type Db, type StoreDb, takePoint, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { StoreClient, StoreLogo } from '../../platforms/platform/public.ts'
import { deleteOldLogos, storeLogo } from './brand.ts'
import { proposeLogoJob } from './jobs.ts'
import { type Picture, type PictureFormat, readPicture } from './pictures.ts'
import * as sql from './sql.ts'

// Finds the logo on a shop's own pages and proposes it. Mails use it only after a member has confirmed it.

/** Shops also use WebP, which mails get as PNG. */
const STORE_FORMATS: readonly PictureFormat[] = ['png', 'jpeg', 'gif', 'webp']
const LIMIT_MS = 30_000
const RETRY_MS = 5 * 60_000
/** Sizes of logo and icon. Limits how much a store can make us read. */
const MAX_PICTURES = 6

/** After connecting. Skips stores with a logo or a dismissed proposal. */
export async function proposeLogo(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets' | 'storeClient'>,
  { storeId, isAgain }: z.infer<typeof proposeLogoJob.payload>,
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<void> {
  const store = { storeId, db: deps.db }
  if ((await sql.readBrand(store))?.logo) return
  const client = await openStoreClient(deps, store, releaseSlot).catch((error: unknown) => {
    // Disconnected meanwhile, or its keys cannot be decrypted.
    if (error instanceof AppError) return null
    throw error
  })
  if (!client) return
  await propose(deps, store, client, { isManual: false }).catch(async (error: unknown) => {
    deps.log.warn({ storeId, err: error }, 'brand.logo_not_found')
    // The queue does not retry a job that released its slot. A member can start the search too.
    const later = new Date(deps.now().getTime() + RETRY_MS)
    if (!isAgain) await deps.jobs.enqueue(deps.db, proposeLogoJob, { storeId, isAgain: true }, storeId, later)
  })
}

/** On a member's request: also proposes what was dismissed before. */
export async function findLogo(
  deps: Pick<Deps, 'db' | 'now' | 'pool' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
  accountId: string,
): Promise<'found' | 'used' | 'none'> {
  await takePoint(deps, limits.logoPerAccount, accountId)
  return propose(deps, store, await openStoreClient(deps, store), { isManual: true })
}

async function propose(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  client: StoreClient,
  { isManual }: { isManual: boolean },
) {
  const logo = await findUsable(client)
  if (!logo) return 'none'
  return transact(store, async (tx) => {
    const hash = await storeLogo(tx, logo.picture, deps.now())
    if ((await sql.readBrand(tx))?.logo?.hash === hash) return 'used'
    const before = await sql.readProposal(tx)
    const isAnswered = before?.hash === hash && before.state !== 'open'
    if (isManual || !isAnswered) await sql.propose(tx, { source: logo.source, hash }, deps.now())
    // Limits the number of logos of a store that shows a different one each time.
    await deleteOldLogos(tx)
    return 'found'
  })
}

async function findUsable(client: StoreClient): Promise<{ source: StoreLogo['source']; picture: Picture } | null> {
  let count = 0
  for await (const { source, content } of client.logos(AbortSignal.timeout(LIMIT_MS))) {
    const picture = await readPicture(content, STORE_FORMATS).catch(skipUnusable)
    if (picture) return { source, picture }
    count += 1
    if (count >= MAX_PICTURES) break
  }
  return null
}

function skipUnusable(error: unknown): null {
  if (error instanceof AppError) return null
  throw error
}
