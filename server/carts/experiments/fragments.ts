import { type RawBuilder, sql } from '../../core/db/public.ts'

// SQL fragments on a store's experiment.

/** Whether experiment `x` is running. */
export const isRunning = (now: Date) => sql`x.ended_at is null and x.planned_end_at > ${now}`

/**
 * The running experiment as JSON for decisions; null: none. Shoppers are assigned if their window ends before the
 * planned end.
 */
export const selectExperiment = (
  storeId: RawBuilder<unknown>,
  now: Date,
) => sql`(select jsonb_build_object('id', x.id, 'salt', x.salt,
    'controlBps', x.control_bps, 'isDrawing', x.planned_end_at - x.window_days * interval '1 day' > ${now})
  from experiments x where x.store_id = ${storeId} and ${isRunning(now)})`

/**
 * Whether cart `c` of message `m`, or one merged into it, had a message before the running experiment started. It
 * continues as before and its shopper is not assigned. This depends only on data from before the assignment, so both
 * arms stay
 * alike.
 */
export const hadEarlierMessage = (now: Date) => sql`exists (select 1
  from experiments x join messages h on h.store_id = x.store_id and h.shopper_id = m.shopper_id and h.sending_at is not null
    and h.sending_at <= x.started_at
  left join carts o on o.store_id = h.store_id and o.id = h.cart_id
  where x.store_id = m.store_id and ${isRunning(now)} and c.id in (o.id, o.merged_into))`

/**
 * The shopper's arm in the running experiment; null: not assigned. Of merged shoppers the earliest assignment counts;
 * at equal times the choice is deterministic (F1).
 */
export const selectArm = (storeId: RawBuilder<unknown>, shopperId: RawBuilder<unknown>, now: Date) => sql`(select a.arm
  from experiments x join assignments a on a.store_id = x.store_id and a.experiment_id = x.id
  where x.store_id = ${storeId} and ${isRunning(now)} and a.shopper_id = ${shopperId} order by a.at, a.id limit 1)`
