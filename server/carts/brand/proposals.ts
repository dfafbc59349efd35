import type { z } from 'zod'
import { type Db, type StoreDb, transact } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { take } from '../../core/db/rate-limits.ts'
import { inPlace, type StepAside } from '../../core/common/seats.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../access/members/limits.ts'
import type { StoreClient, StoreLogo } from '../../platforms/platform/platform.ts'
import { storeAccess } from '../../access/stores/access.ts'
import { forgetOldLogos, keepLogo } from './brand.ts'
import { proposeLogoJob } from './jobs.ts'
import { type Picture, type PictureFormat, readPicture } from './pictures.ts'
import * as sql from './sql.ts'

// The logo a shop shows of itself, found and kept to be confirmed. Nothing of it is in a mail before a member has said so.

/** Shops keep WebP, too; mails get it as PNG. */
const STORE_FORMATS: readonly PictureFormat[] = ['png', 'jpeg', 'gif', 'webp']
const LIMIT_MS = 30_000
const AGAIN_MS = 5 * 60_000
/** Sizes of the logo and the icon; a store cannot make us read on and on. */
const MOST_PICTURES = 6

/** After connecting. A logo that is there already, or was dismissed before, is left alone. */
export async function proposeLogo(
  deps: Deps,
  { storeId, isAgain }: z.infer<typeof proposeLogoJob.payload>,
  stepAside: StepAside = inPlace,
): Promise<void> {
  const store = { storeId, db: deps.db }
  if ((await sql.readBrand(store))?.logo) return
  const client = await storeAccess(deps, store, stepAside).catch((error: unknown) => {
    // Disconnected in the meantime, or its keys do not open: there is nothing to ask.
    if (error instanceof AppError) return null
    throw error
  })
  if (!client) return
  await propose(deps, store, client, { isAsked: false }).catch(async (error: unknown) => {
    deps.log.warn({ storeId, err: error }, 'brand.logo_not_found')
    // A job that has stepped aside is not tried again by the queue. A member may look for it as well.
    const later = new Date(deps.now().getTime() + AGAIN_MS)
    if (!isAgain) await deps.jobs.enqueue(deps.db, proposeLogoJob, { storeId, isAgain: true }, storeId, later)
  })
}

/** Asked for by a member: also what was dismissed before. */
export async function findLogo(deps: Deps, store: StoreDb<Db>, accountId: string): Promise<'found' | 'used' | 'none'> {
  await take(deps, limits.logoPerAccount, accountId)
  return propose(deps, store, await storeAccess(deps, store), { isAsked: true })
}

async function propose(deps: Deps, store: StoreDb<Db>, client: StoreClient, { isAsked }: { isAsked: boolean }) {
  const logo = await firstUsable(client)
  if (!logo) return 'none'
  return transact(store, async (tx) => {
    const hash = await keepLogo(tx, logo.picture, deps.now())
    if ((await sql.readBrand(tx))?.logo?.hash === hash) return 'used'
    const before = await sql.readProposal(tx)
    const isAnswered = before?.hash === hash && before.state !== 'open'
    if (isAsked || !isAnswered) await sql.propose(tx, { source: logo.source, hash }, deps.now())
    // A store that shows another one each time piles up none.
    await forgetOldLogos(tx)
    return 'found'
  })
}

async function firstUsable(client: StoreClient): Promise<{ source: StoreLogo['source']; picture: Picture } | null> {
  let seen = 0
  for await (const { source, content } of client.logos(AbortSignal.timeout(LIMIT_MS))) {
    const picture = await readPicture(content, STORE_FORMATS).catch(notUsable)
    if (picture) return { source, picture }
    seen += 1
    if (seen >= MOST_PICTURES) break
  }
  return null
}

function notUsable(error: unknown): null {
  if (error instanceof AppError) return null
  throw error
}
