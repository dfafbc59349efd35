import { type RawBuilder, sql } from '../core/db.ts'

// SQL fragments on consents.

/** Of a store, as JSON for another statement. */
export const overridesInForce = (storeId: RawBuilder<unknown>) => sql`
  coalesce((select jsonb_agg(jsonb_build_object('id', x.id, 'channel', x.channel, 'country', x.country, 'from', x.from_rule,
    'to', x.to_rule)) from consent_overrides x where x.store_id = ${storeId} and x.ended_at is null), '[]')`
