import { type RawBuilder, sql } from '../../core/db/db.ts'

// SQL fragments on consents.

/**
 * Whether a row of the ledger counts. One of an import counts while one of the imports whose files have it stands; of a doubted one only
 * what is no opt-in counts (C5). Every statement that reads a consent to act on it asks this.
 */
export const counts = (row: string) => {
  const of = (column: string) => sql.ref(`${row}.${column}`)
  return sql<boolean>`(${of('import_ids')} is null or exists (select 1 from consent_imports stood where stood.store_id = ${of('store_id')}
    and stood.id = any(${of('import_ids')}) and (stood.standing = 'stands'
      or (stood.standing = 'doubted' and ${of('status')} <> 'granted'))))`
}

/** Whether the row of the ledger that a decision rests on still counts, where its `inputs` name one of an import. */
export const isBasisCounted = (storeId: RawBuilder<unknown>, inputs: RawBuilder<unknown>) => sql`
  (${inputs} #>> '{consentBasis,source}' is distinct from 'import' or exists (select 1 from consents n
    where n.store_id = ${storeId} and n.id = (${inputs} #>> '{consentBasis,id}')::uuid and ${counts('n')}))`

/** Of a store, as JSON for another statement. */
export const overridesInForce = (storeId: RawBuilder<unknown>) => sql`
  coalesce((select jsonb_agg(jsonb_build_object('id', x.id, 'channel', x.channel, 'country', x.country, 'from', x.from_rule,
    'to', x.to_rule)) from consent_overrides x where x.store_id = ${storeId} and x.ended_at is null), '[]')`
