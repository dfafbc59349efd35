import { type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'
import { becomesFailed, isClaimed } from '../../messages/messages/fragments.ts'

// SQL for attempts at composing messages from owners' texts.

/** Records a first attempt for each message. Returns the number of attempts of those that have unfinished ones. */
export async function beginComposing(
  { db, storeId }: StoreDb,
  ids: readonly string[],
  now: Date,
): Promise<Map<string, number>> {
  const rows = await sql<{ message_id: string; attempts: number }>`
    with wanted as (select unnest(${[...ids]}::uuid[]) as id),
    known as materialized (
      select c.message_id, c.attempts from message_compositions c join wanted w on w.id = c.message_id
      where c.store_id = ${storeId}),
    begun as (
      insert into message_compositions (store_id, message_id, attempts, at)
      select ${storeId}, id, 1, ${now} from wanted where id not in (select message_id from known) order by id
      on conflict do nothing)
    select message_id, attempts from known`.execute(db)
  return new Map(rows.rows.map((row) => [row.message_id, row.attempts]))
}

export async function retryComposing({ db, storeId }: StoreDb, id: string, now: Date): Promise<void> {
  await sql`update message_compositions set attempts = attempts + 1, at = ${now}
    where store_id = ${storeId} and message_id = ${id}`.execute(db)
}

export async function endComposing({ db, storeId }: StoreDb, ids: readonly string[]): Promise<void> {
  await sql`delete from message_compositions where store_id = ${storeId} and message_id = any(${[...ids]}::uuid[])`.execute(
    db,
  )
}

/** Fails claimed rows whose text cannot be rendered. Returns the ids of the closed ones. */
export async function closeUnusable(
  { db, storeId }: StoreTx,
  claim: string,
  ids: readonly string[],
  now: Date,
): Promise<Set<string>> {
  const rows = await sql<{ id: string }>`
    with moved as (
      update messages set ${becomesFailed(TEMPLATE_ERROR)}, decided_at = ${now}, updated_at = ${now},
        finished_at = ${now}
      where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) and ${isClaimed('messages')} and claim = ${claim} returning id),
    recorded as (
      insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
      select ${storeId}, gen_random_uuid(), id, ${now}, 'result', ${TEMPLATE_ERROR}, '{}' from moved)
    select id from moved`.execute(db)
  return new Set(rows.rows.map(({ id }) => id))
}

const TEMPLATE_ERROR = 'template_error'
