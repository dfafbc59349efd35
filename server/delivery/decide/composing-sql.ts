import { type StoreTx, sql } from '../../core/db/public.ts'
import { becomesFailed, isClaimed } from '../../messages/messages/public.ts'

// SQL for attempts at composing messages from owners' texts.

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
