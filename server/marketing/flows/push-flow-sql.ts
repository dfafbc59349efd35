import { type StoreTx, sql } from '../../core/db/public.ts'

// SQL for the store's own push notifications, a flow of kind 'push'.

/**
 * The first is sent after the chosen delay, but not before the cart counts as abandoned (S1). Each further one follows
 * after the same delay, at least six hours (decision 77).
 */
export async function refreshDelays({ db, storeId }: StoreTx): Promise<void> {
  await sql`
    update flow_steps s set delay_minutes = greatest(t.chosen, t.timeout) + (s.step - 1) * greatest(t.chosen, 360)
    from (
      select f.id, r.effective_timeout_minutes as timeout, case when p.frequency = '1hour' then 60 when p.frequency = '6hours' then 360
        when p.frequency = '24hours' then 1440 when p.frequency = 'custom' then p.delay_minutes else 0 end as chosen
      from flows f join push_settings p on p.store_id = f.store_id join stores r on r.id = f.store_id
      where f.store_id = ${storeId} and f.kind = 'push') t
    where s.store_id = ${storeId} and s.flow_id = t.id`.execute(db)
}
