import type { BrandKit } from '../../shared/brand.ts'
import type { StoreDb } from '../core/db.ts'
import { brandFrom } from './rules.ts'
import * as sql from './sql.ts'

/** How the store's mails look; the defaults where it has set nothing. */
export const brandOf = async (store: StoreDb): Promise<BrandKit> => brandFrom(await sql.readBrand(store))
