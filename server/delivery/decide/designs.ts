import { listBlocks, type MailDocument } from '../../../shared/messages/mail-document.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'
import type { ShownProduct } from '../compose/public.ts'
import type { ClaimedRow } from './evaluate-sql.ts'

// Loads the documents of emails. One document serves all messages of a template or a job, so it is read and parsed once
// for a batch instead of once for each row.

/** Returns the rows with the documents of their templates and of their own texts. */
export async function loadDesigns<Row extends ClaimedRow>(store: StoreDb, rows: readonly Row[]): Promise<Row[]> {
  const mails = rows.filter(({ channel }) => channel === 'email')
  const own = new Map(mails.flatMap((row) => (hasOwnText(row) ? [[findKey(row), row.id] as const] : [])))
  const templateIds = new Set(mails.flatMap((row) => (hasOwnText(row) ? [] : (row.template_id ?? []))))
  const [ofTemplates, ofMessages] = [
    await readDesigns(store, [...templateIds]),
    await readOwnDesigns(store, [...own.values()]),
  ]
  return rows.map((row) => {
    if (row.channel !== 'email') return row
    if (!hasOwnText(row)) return { ...row, template_design: ofTemplates.get(row.template_id ?? '') ?? null }
    return { ...row, manual: { ...row.manual!, design: ofMessages.get(own.get(findKey(row))!) ?? null } }
  })
}

const hasOwnText = ({ manual }: ClaimedRow): boolean => (manual?.body ?? null) !== null

/** The messages of a job share their text. */
const findKey = ({ id, manual }: ClaimedRow): string => manual?.jobId ?? id

type Designs = Map<string, MailDocument>

/** The available products that the documents of these rows show, by id. */
export async function loadShownProducts(
  { db, storeId }: StoreDb,
  rows: readonly ClaimedRow[],
): Promise<ReadonlyMap<string, ShownProduct>> {
  const designs = new Set(rows.flatMap((row) => (hasOwnText(row) ? row.manual!.design : row.template_design) ?? []))
  const ids = new Set([...designs].flatMap(listProductIds))
  if (ids.size === 0) return new Map()
  // A product's own row comes before those of its variations.
  const found = await sql<ShownProduct & { id: string }>`
    select distinct on (product_id) product_id as id, name, price_minor::float8 as "priceMinor", currency,
      image_url as "imageUrl", permalink as url
    from products
    where store_id = ${storeId} and product_id = any(${[...ids]}) and is_available and permalink is not null
    order by product_id, variation_id`.execute(db)
  return new Map(found.rows.map(({ id, ...product }) => [id, product]))
}

const listProductIds = (design: MailDocument): string[] =>
  listBlocks(design).flatMap((block) => (block.type === 'product' ? [block.productId] : []))

async function readDesigns({ db, storeId }: StoreDb, ids: readonly string[]): Promise<Designs> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; design: MailDocument }>`
    select id, design from templates
    where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) and design is not null`.execute(db)
  return new Map(rows.map(({ id, design }) => [id, design]))
}

async function readOwnDesigns({ db, storeId }: StoreDb, messageIds: readonly string[]): Promise<Designs> {
  if (messageIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; design: MailDocument }>`
    select message_id as id, design from manual_messages
    where store_id = ${storeId} and message_id = any(${[...messageIds]}::uuid[]) and design is not null`.execute(db)
  return new Map(rows.map(({ id, design }) => [id, design]))
}
