import { type RawBuilder, sql } from '../../core/db/public.ts'

// SQL fragments on consents.

/**
 * Whether a ledger row counts. An imported row counts while one of its imports is in force. Of a doubted import only
 * opt-outs count (C5). Every statement that acts on a consent must use this.
 */
export const doesConsentCount = (row: string) => {
  const of = (column: string) => sql.ref(`${row}.${column}`)
  return sql<boolean>`(${of('import_ids')} is null or exists (select 1 from consent_imports stood where stood.store_id = ${of('store_id')}
    and stood.id = any(${of('import_ids')}) and (stood.standing = 'stands'
      or (stood.standing = 'doubted' and ${of('status')} <> 'granted'))))`
}

/** Whether the ledger row on which a decision is based still counts, if its `inputs` name an imported one. */
export const doesBasisCount = (storeId: RawBuilder<unknown>, inputs: RawBuilder<unknown>) => sql`
  (${inputs} #>> '{consentBasis,source}' is distinct from 'import' or exists (select 1 from consents n
    where n.store_id = ${storeId} and n.id = (${inputs} #>> '{consentBasis,id}')::uuid and ${doesConsentCount('n')}))`

/** The store's overrides, as JSON. */
export const selectOverrides = (storeId: RawBuilder<unknown>) => sql`
  coalesce((select jsonb_agg(jsonb_build_object('id', x.id, 'channel', x.channel, 'country', x.country, 'from', x.from_rule,
    'to', x.to_rule)) from consent_overrides x where x.store_id = ${storeId} and x.ended_at is null), '[]')`
