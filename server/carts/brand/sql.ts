import type { BrandFields } from '../../../shared/messages/brand.ts'
import { type AccountDb, type RawBuilder, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { BrandProposalsTable } from '../../core/schema/public.ts'
import { brandOfStore } from './fragments.ts'
import type { Picture } from './pictures.ts'
import type { StoredBrand, StoredLogo } from './rules.ts'

// SQL for brand kits.

export async function readBrand({ db, storeId }: StoreDb): Promise<StoredBrand | null> {
  const rows = await sql<{ brand: StoredBrand | null }>`select ${brandOfStore(sql`${storeId}::uuid`)} as brand`.execute(
    db,
  )
  return rows.rows[0]?.brand ?? null
}

/** The logo of each store's brand kit; without a kit, the one found in the shop. Stores without a logo are missing. */
export async function selectLogos({ db, accountId }: AccountDb): Promise<(StoredLogo & { storeId: string })[]> {
  const { rows } = await sql<StoredLogo & { storeId: string }>`
    select s.id as "storeId", l.hash, l.type, l.width, l.height from stores s
      left join brand_kits k on k.store_id = s.id
      left join brand_proposals p on p.store_id = s.id and p.state <> 'dismissed'
      join brand_logos l on l.store_id = s.id and l.hash = case when k.store_id is null then p.logo_hash else k.logo_hash end
    where s.account_id = ${accountId}`.execute(db)
  return rows
}

export async function readVersion({ db, storeId }: StoreDb): Promise<number> {
  const row = await db.selectFrom('brand_kits').select('version').where('store_id', '=', storeId).executeTakeFirst()
  return row?.version ?? 0
}

/** `version`: save only if it is still current. Returns whether it was saved. */
export async function saveBrand(
  { db, storeId }: StoreDb,
  look: BrandFields,
  { version, now }: { version: number | undefined; now: Date },
): Promise<boolean> {
  const rows = await sql`
    insert into brand_kits (store_id, look, version, updated_at)
    select ${storeId}, ${JSON.stringify(look)}::jsonb, 1, ${now}
    where ${version ?? null}::integer is null or ${version ?? null}::integer = 0
      or exists (select 1 from brand_kits k where k.store_id = ${storeId})
    on conflict (store_id) do update set look = excluded.look, version = brand_kits.version + 1, updated_at = excluded.updated_at
      where ${version ?? null}::integer is null or brand_kits.version = ${version ?? null}::integer
    returning version`.execute(db)
  return rows.rows.length > 0
}

/** The same picture again becomes the newest. */
export async function storeLogo(
  { db, storeId }: StoreTx,
  hash: string,
  { picture, now }: { picture: Picture; now: Date },
): Promise<void> {
  const { type, width, height, content } = picture
  await sql`
    insert into brand_logos (store_id, hash, type, width, height, content, created_at)
    values (${storeId}, ${hash}, ${type}, ${width}, ${height}, ${content}, ${now})
    on conflict (store_id, hash) do update set created_at = excluded.created_at`.execute(db)
}

/** Deletes all but the newest, and keeps those in use or proposed. */
export async function deleteOldLogos({ db, storeId }: StoreTx, limit: number): Promise<void> {
  await sql`
    delete from brand_logos l where l.store_id = ${storeId}
      and l.hash not in (select n.hash from brand_logos n where n.store_id = ${storeId} order by n.created_at desc, n.hash limit ${limit})
      and not exists (select 1 from brand_kits k where k.store_id = ${storeId} and k.logo_hash = l.hash)
      and not exists (select 1 from brand_proposals p where p.store_id = ${storeId} and p.logo_hash = l.hash)`.execute(
    db,
  )
}

/** null: mails show the store's name instead. */
export async function useLogo({ db, storeId }: StoreTx, hash: string | null, now: Date): Promise<void> {
  await sql`
    insert into brand_kits (store_id, logo_hash, updated_at) values (${storeId}, ${hash}, ${now})
    on conflict (store_id) do update set logo_hash = excluded.logo_hash, updated_at = excluded.updated_at`.execute(db)
}

/** A logo, or a picture of a mail. */
export async function readPicture({ db, storeId }: StoreDb, hash: string) {
  const { rows } = await sql<Pick<Picture, 'type' | 'content'>>`
    select type, content from brand_logos where store_id = ${storeId} and hash = ${hash}
    union all select type, content from mail_images where store_id = ${storeId} and hash = ${hash} limit 1`.execute(db)
  return rows[0]
}

export type ProposalRow = StoredLogo &
  Pick<BrandProposalsTable, 'source'> & { state: 'open' | 'confirmed' | 'dismissed' }

export async function readProposal({ db, storeId }: StoreDb): Promise<ProposalRow | undefined> {
  const rows = await sql<ProposalRow>`
    select p.source, p.state, l.hash, l.type, l.width, l.height
    from brand_proposals p join brand_logos l on l.store_id = p.store_id and l.hash = p.logo_hash
    where p.store_id = ${storeId}`.execute(db)
  return rows.rows[0]
}

export async function propose(
  { db, storeId }: StoreTx,
  proposal: { source: BrandProposalsTable['source']; hash: string },
  now: Date,
): Promise<void> {
  const { source, hash } = proposal
  await sql`
    insert into brand_proposals (store_id, source, logo_hash, found_at) values (${storeId}, ${source}, ${hash}, ${now})
    on conflict (store_id) do update set source = excluded.source, logo_hash = excluded.logo_hash, state = 'open',
      found_at = excluded.found_at`.execute(db)
}

/** Returns whether the proposal was open and of this picture. */
export const confirmProposal = (store: StoreDb, hash: string): Promise<boolean> =>
  closeProposal(store, 'confirmed', sql`logo_hash = ${hash}`)

/** Returns whether a proposal was open. */
export const dismissProposal = (store: StoreDb): Promise<boolean> => closeProposal(store, 'dismissed', sql`true`)

async function closeProposal({ db, storeId }: StoreDb, state: 'confirmed' | 'dismissed', which: RawBuilder<unknown>) {
  const { rows } = await sql`update brand_proposals set state = ${state}
    where store_id = ${storeId} and state = 'open' and ${which} returning 1`.execute(db)
  return rows.length > 0
}
