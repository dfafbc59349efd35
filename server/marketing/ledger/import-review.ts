import type { ImportView } from '../../../shared/marketing/ledger.ts'
import { findUserById, type Session } from '../../access/members/public.ts'
import { AppError, createId, requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextRun, wakeStoreMessages } from '../../messages/messages/public.ts'
import { removeImported } from '../../shoppers/suppressions/public.ts'
import { viewImport } from './import.ts'

import { isImportId } from './rules.ts'

// Decisions of an owner on a finished import (C5). The ledger rows stay, and the added decision says whether they
// count. Consents by a person's own act do not belong to an import and count in any case.

/** The opt-ins of a doubtful import count again. */
export async function keepImport(
  deps: Pick<Deps, 'db' | 'log' | 'now'>,
  session: Session,
  store: StoreDb<Db>,
  id: string,
): Promise<ImportView> {
  return review(deps, session, store, { id, from: ['doubted'], to: 'stands', decision: 'kept' })
}

/** Its rows no longer count, and its suppressions are removed. */
export async function undoImport(
  deps: Pick<Deps, 'db' | 'log' | 'now'>,
  session: Session,
  store: StoreDb<Db>,
  id: string,
): Promise<ImportView> {
  return review(deps, session, store, { id, from: ['stands', 'doubted'], to: 'undone', decision: 'undone' })
}

interface Review {
  id: string
  from: readonly ('stands' | 'doubted')[]
  to: 'stands' | 'undone'
  decision: 'kept' | 'undone'
}

async function review(
  deps: Pick<Deps, 'db' | 'log' | 'now'>,
  session: Session,
  store: StoreDb<Db>,
  input: Review,
): Promise<ImportView> {
  const { id, from, to, decision } = input
  if (!isImportId(id)) throw new AppError('not_found', 'Import not found')
  const by = requireFound(await findUserById(deps.db, session.userId), 'User').name
  const before = await viewImport(store, id)
  const at = deps.now()
  await transact(store, async (tx: StoreTx) => {
    if (!(await saveStanding(tx, id, { from, to }))) throw new AppError('conflict', explainRefusal(before))
    await insertReview(tx, { importId: id, id: createId(), decision, by, at })
    if (decision === 'undone') {
      await removeImported({ accountId: session.accountId, db: tx.db }, id, { userId: session.userId, at })
    }
    // Held messages may have consent now, and opt-outs of the file may no longer apply.
    await wakeStoreMessages(tx, ['no_consent'], at)
    await scheduleNextRun(tx)
  })
  deps.log.info({ storeId: store.storeId, importId: id, decision }, 'ledger.import-reviewed')
  return viewImport(store, id)
}

function explainRefusal({ state, standing }: ImportView): string {
  if (state === 'uploaded') return 'This file was not imported.'
  if (state === 'running') return 'This import is still running. Try again when it has finished.'
  return standing === 'undone' ? 'This import has been undone.' : 'This import has been kept.'
}

/** Sets whether the rows of an import count; undefined: no such import, or the change is not allowed. Locks the row. */
async function saveStanding(
  { db, storeId }: StoreTx,
  id: string,
  { from, to }: { from: readonly ('stands' | 'doubted')[]; to: 'stands' | 'undone' },
) {
  return db
    .updateTable('consent_imports')
    .set({ standing: to })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('standing', 'in', from)
    .where('state', 'in', ['done', 'failed'])
    .returning('file_name')
    .executeTakeFirst()
}

async function insertReview(
  { db, storeId }: StoreTx,
  review: { importId: string; id: string; decision: 'kept' | 'undone'; by: string; at: Date },
): Promise<void> {
  const { importId, id, decision, by, at } = review
  await db
    .insertInto('consent_import_reviews')
    .values({ store_id: storeId, import_id: importId, id, decision, decided_by: by, at })
    .execute()
}
