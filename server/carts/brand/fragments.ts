import { type RawBuilder, sql } from '../../core/db/public.ts'
import type { StoredBrand } from './rules.ts'

/** Brand settings of a store as JSON for `toBrandKit`; null if nothing is set. */
export const brandOfStore = (storeId: RawBuilder<unknown>) => sql<StoredBrand | null>`
  (select jsonb_build_object('storeId', k.store_id, 'look', k.look, 'logo', case when l.hash is not null then
      jsonb_build_object('hash', l.hash, 'type', l.type, 'width', l.width, 'height', l.height) end)
    from brand_kits k left join brand_logos l on l.store_id = k.store_id and l.hash = k.logo_hash where k.store_id = ${storeId})`
