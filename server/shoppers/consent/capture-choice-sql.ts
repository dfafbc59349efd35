import type { Selectable } from 'kysely'
import type { CaptureMode } from '../../../shared/capture-mode.ts'
import type { StoreDb, StoreTx } from '../../core/db/db.ts'
import type { CaptureChoicesTable } from '../../core/schema/consent.ts'

// Statements on the owner's choice of what is kept before consent.

export type CaptureChoiceRow = Selectable<CaptureChoicesTable>

/** Newest first; there are few. */
export function selectCaptureChoices({ db, storeId }: StoreDb): Promise<CaptureChoiceRow[]> {
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

/** In one transaction, so that the author of a choice is never missing. */
export async function saveCaptureMode({ db, storeId }: StoreTx, choice: NewCaptureChoice): Promise<void> {
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
