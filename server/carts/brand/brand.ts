import crypto from 'node:crypto'
import type { BrandFields, BrandKit } from '../../../shared/messages/brand.ts'
import { type BrandView, brandTexts } from '../../../shared/workspace/brand-calls.ts'
import { limits } from '../../access/members/public.ts'
import { isDemoAccount } from '../../access/stores/public.ts'
import { AppError } from '../../core/common/public.ts'
import { type AccountDb, type Db, type StoreDb, type StoreTx, takePoint, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type Picture, readPicture, uploadFormats } from './pictures.ts'
import { presentLogo, toBrandKit, toLook } from './rules.ts'
import * as sql from './sql.ts'

// The brand kit of a store. A logo is used as soon as a member uploads or confirms it, the other settings when saved.

/** Brand kit of the store's mails, with defaults for missing settings. */
export const loadBrand = async (store: StoreDb): Promise<BrandKit> => toBrandKit(await sql.readBrand(store))

/** Path of each store's logo, by store. */
export async function listStoreLogos(account: AccountDb): Promise<Map<string, string>> {
  const rows = await sql.selectLogos(account)
  return new Map(rows.map(({ storeId, ...logo }) => [storeId, presentLogo(storeId, logo).path]))
}

export const hasBrand = async (store: StoreDb) => (await sql.readBrand(store)) !== null

/** Hash of the proposed picture; null: none. */
export async function findOpenProposal(store: StoreDb): Promise<string | null> {
  const proposal = await sql.readProposal(store)
  return proposal?.state === 'open' ? proposal.hash : null
}

export async function viewBrand(store: StoreDb, account: AccountDb): Promise<BrandView> {
  const [stored, version, proposal] = [
    await sql.readBrand(store),
    await sql.readVersion(store),
    await sql.readProposal(store),
  ]
  return {
    look: toLook(stored?.look ?? {}),
    logo: stored?.logo ? presentLogo(store.storeId, stored.logo) : null,
    version,
    proposal: proposal?.state === 'open' ? presentProposal(store, proposal) : null,
    canUpload: !(await isDemoAccount(account)),
  }
}

const presentProposal = ({ storeId }: StoreDb, proposal: sql.ProposalRow) => ({
  source: proposal.source,
  hash: proposal.hash,
  logo: presentLogo(storeId, proposal),
})

/** Throws `conflict` if another user has saved it since `version`. */
export async function saveBrand(
  deps: Pick<Deps, 'now'>,
  store: StoreDb,
  input: { look: BrandFields; version?: number | undefined },
) {
  const { look, version } = input
  if (await sql.saveBrand(store, look, { version, now: deps.now() })) return
  throw new AppError('conflict', brandTexts.changedMeanwhile)
}

export async function uploadLogo(
  deps: Pick<Deps, 'now' | 'pool' | 'secrets'>,
  store: StoreDb<Db>,
  account: AccountDb,
  content: Buffer,
): Promise<void> {
  if (await isDemoAccount(account)) throw new AppError('forbidden', brandTexts.demoLogo)
  await takePoint(deps, limits.logoPerAccount, account.accountId)
  const picture = await readPicture(content, uploadFormats)
  await transact(store, async (tx) => {
    await sql.useLogo(tx, await storeLogo(tx, picture, deps.now()), deps.now())
    // An upload ends the proposal from the store.
    await sql.dismissProposal(tx)
    await deleteOldLogos(tx)
  })
}

/** Sent mails keep showing their logo. If a store changes it more often than this, the oldest is deleted. */
const MAX_LOGOS = 20

export const deleteOldLogos = (tx: StoreTx) => sql.deleteOldLogos(tx, MAX_LOGOS)

export async function storeLogo(tx: StoreTx, picture: Picture, now: Date): Promise<string> {
  const hash = crypto.hash('sha256', picture.content, 'hex')
  await sql.storeLogo(tx, hash, { picture, now })
  return hash
}

export const removeLogo = (deps: Pick<Deps, 'now'>, store: StoreDb<Db>) =>
  transact(store, (tx) => sql.useLogo(tx, null, deps.now()))

/** Throws `conflict` if another picture than the confirmed one is proposed by now. */
export async function confirmLogo(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, hash: string): Promise<void> {
  await transact(store, async (tx) => {
    if (!(await sql.confirmProposal(tx, hash))) {
      throw (await findOpenProposal(tx)) ? new AppError('conflict', brandTexts.anotherFound) : buildNotFound()
    }
    await sql.useLogo(tx, hash, deps.now())
  })
}

const buildNotFound = () => new AppError('not_found', 'Logo not found')

export async function dismissLogo(store: StoreDb): Promise<void> {
  if (!(await sql.dismissProposal(store))) throw buildNotFound()
}

/** undefined: no such picture. */
export const readStoredPicture = (store: StoreDb, hash: string) => sql.readPicture(store, hash)
