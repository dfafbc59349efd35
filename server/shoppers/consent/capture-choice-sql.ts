import type { Selectable } from 'kysely'
import type { CaptureMode } from '../../../shared/capture-mode.ts'
import type { StoreDb, StoreTx } from '../../core/db/db.ts'
import type { CaptureChoicesTable } from '../../core/schema/consent.ts'

// What a store's team chose to keep of shoppers before they agree: SQL and nothing else.

export type CaptureChoiceRow = Selectable<CaptureChoicesTable>

/** The newest first; few are ever made. */
export function captureChoicesOf({ db, storeId }: StoreDb): Promise<CaptureChoiceRow[]> {
  return db
    .selectFrom('capture_choices')
    .selectAll()
    .where('store_id', '=', storeId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
}

export interface NewCaptureChoice {
  id: string
  mode: CaptureMode
  legalGround: string | null
  now: Date
  by: { userId: string; name: string }
}

/** Both in one transaction: who chose it is never missing. */
export async function chooseCaptureMode({ db, storeId }: StoreTx, choice: NewCaptureChoice): Promise<void> {
  await db
    .insertInto('capture_choices')
    .values({
      store_id: storeId,
      id: choice.id,
      mode: choice.mode,
      legal_ground: choice.legalGround,
      created_at: choice.now,
      created_by: choice.by.userId,
      created_by_name: choice.by.name,
    })
    .execute()
  await db.updateTable('stores').set({ before_consent: choice.mode }).where('id', '=', storeId).execute()
}
