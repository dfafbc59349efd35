import crypto from 'node:crypto'
import { imageTexts } from '../../../shared/workspace/mail-images.ts'
import { limits } from '../../access/members/public.ts'
import { isDemoAccount } from '../../access/stores/public.ts'
import { AppError } from '../../core/common/public.ts'
import { type AccountDb, type Db, type StoreDb, type StoreTx, sql, takePoint, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { MAIL_IMAGE, type Picture, readPicture, uploadFormats } from './pictures.ts'

// The pictures in a store's mails. Mail programs load them from here, also long after a mail was sent.

/** Above this number, the oldest picture is deleted that no email has or had in the last 90 days. */
const MAX_IMAGES = 200
const DAY_MS = 86_400_000
/** An email that is being written is not stored yet. */
const DRAFT_MS = DAY_MS
/** Sent mails show their pictures so long. */
const SENT_MS = 90 * DAY_MS

export async function storeImage(
  deps: Pick<Deps, 'now' | 'pool' | 'secrets'>,
  { store, account }: { store: StoreDb<Db>; account: AccountDb },
  content: Buffer,
) {
  if (await isDemoAccount(account)) throw new AppError('forbidden', imageTexts.demo)
  await takePoint(deps, limits.imagePerAccount, account.accountId)
  const picture = await readPicture(content, uploadFormats, MAIL_IMAGE)
  const hash = crypto.hash('sha256', picture.content, 'hex')
  await transact(store, async (tx) => {
    await insertImage(tx, hash, { picture, now: deps.now() })
    await makeRoom(tx, deps.now())
  })
  return presentImage({ ...picture, hash })
}

async function makeRoom(tx: StoreTx, now: Date): Promise<void> {
  const excess = (await countImages(tx)) - MAX_IMAGES
  if (excess <= 0) return
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const deleted = await deleteUnused(tx, excess, { uploadedBefore: ago(DRAFT_MS), usedBefore: ago(SENT_MS) })
  if (deleted < excess) throw new AppError('unprocessable', imageTexts.full)
}

/** Newest first. */
export async function readImages({ db, storeId }: StoreDb) {
  const rows = await db
    .selectFrom('mail_images')
    .select(['hash', 'type', 'width', 'height'])
    .where('store_id', '=', storeId)
    .orderBy('created_at', 'desc')
    .orderBy('hash')
    .execute()
  return rows.map(presentImage)
}

const presentImage = ({ hash, type, width, height }: Omit<Picture, 'content'> & { hash: string }) => ({
  asset: toAsset(hash, type),
  width,
  height,
})

const toAsset = (hash: string, type: Picture['type']): string => `${hash}.${type === 'png' ? 'png' : 'jpg'}`

/** Returns which of these files are not pictures of the store. */
export async function findMissingImages({ db, storeId }: StoreDb, assets: readonly string[]): Promise<Set<string>> {
  const missing = new Set(assets)
  if (missing.size === 0) return missing
  const rows = await db
    .selectFrom('mail_images')
    .select(['hash', 'type'])
    .where('store_id', '=', storeId)
    .where(
      'hash',
      'in',
      [...missing].map((asset) => asset.split('.')[0]!),
    )
    .execute()
  for (const { hash, type } of rows) missing.delete(toAsset(hash, type))
  return missing
}

// SQL for pictures of mails.

/** The same picture again becomes the newest. */
async function insertImage(
  { db, storeId }: StoreTx,
  hash: string,
  { picture: { type, width, height, content }, now }: { picture: Picture; now: Date },
): Promise<void> {
  await sql`
    insert into mail_images (store_id, hash, type, width, height, content, created_at)
    values (${storeId}, ${hash}, ${type}, ${width}, ${height}, ${content}, ${now})
    on conflict (store_id, hash) do update set created_at = excluded.created_at`.execute(db)
}

async function countImages({ db, storeId }: StoreTx): Promise<number> {
  const { count } = await db
    .selectFrom('mail_images')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Deletes so many of the oldest pictures that no template has, and that no message has that is unsent or was sent since
 * `usedBefore`. Reads each design once. Returns the count.
 */
async function deleteUnused(
  { db, storeId }: StoreTx,
  count: number,
  { uploadedBefore, usedBefore }: { uploadedBefore: Date; usedBefore: Date },
): Promise<number> {
  const { rows } = await sql`
    with designs as materialized (
      select design from templates where store_id = ${storeId} and design is not null
      union all
      -- The messages of a job share their design.
      (select distinct on (coalesce(r.job_id, r.message_id)) r.design from manual_messages r
        join messages m on m.store_id = r.store_id and m.id = r.message_id
        where r.store_id = ${storeId} and r.design is not null and (m.sending_at is null or m.sending_at >= ${usedBefore})
        order by coalesce(r.job_id, r.message_id))),
    used as materialized (
      select distinct split_part(asset #>> '{}', '.', 1) as hash
      from designs, jsonb_path_query(designs.design, '$.**.asset') as asset)
    delete from mail_images where store_id = ${storeId} and hash in (
      select i.hash from mail_images i where i.store_id = ${storeId} and i.created_at < ${uploadedBefore}
        and (i.replaced_at is null or i.replaced_at < ${usedBefore})
        and not exists (select 1 from used u where u.hash = i.hash)
      order by i.created_at, i.hash limit ${count}) returning 1`.execute(db)
  return rows.length
}
