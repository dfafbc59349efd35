import type { ImportView } from '../../../shared/ledger.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/db.ts'
import { AppError, found } from '../../core/common/errors.ts'
import { newId } from '../../core/common/ids.ts'
import type { Deps } from '../../deps.ts'
import type { Session } from '../../access/members/session.ts'
import { userById } from '../../access/members/users.ts'
import { scheduleNextLook, wakeStoreMessages } from '../../messages/messages/messages.ts'
import { removeImported } from '../../shoppers/suppressions/suppressions.ts'
import { viewOf } from './import.ts'
import * as sql from './import-sql.ts'
import { isImportId } from './rules.ts'

// What an owner decides about an import afterwards (C5). Its rows stay where they are, and the decision is added: it says whether they
// count. What a person has said by an act of their own is no row of an import, and counts whatever becomes of it.

/** The opt-ins of a doubted import count again. */
export async function keepImport(deps: Deps, session: Session, store: StoreDb<Db>, id: string): Promise<ImportView> {
  return review(deps, session, store, { id, from: ['doubted'], to: 'stands', decision: 'kept' })
}

/** None of its rows counts any more, and what it put on the suppression list comes off. */
export async function undoImport(deps: Deps, session: Session, store: StoreDb<Db>, id: string): Promise<ImportView> {
  return review(deps, session, store, { id, from: ['stands', 'doubted'], to: 'undone', decision: 'undone' })
}

interface Review {
  id: string
  from: readonly ('stands' | 'doubted')[]
  to: 'stands' | 'undone'
  decision: 'kept' | 'undone'
}

async function review(deps: Deps, session: Session, store: StoreDb<Db>, wanted: Review): Promise<ImportView> {
  const { id, from, to, decision } = wanted
  if (!isImportId(id)) throw new AppError('not_found', 'Import not found')
  const by = found(await userById(deps.db, session.userId), 'User').name
  const before = await viewOf(store, id)
  const at = deps.now()
  await transact(store, async (tx: StoreTx) => {
    if (!(await sql.setStanding(tx, id, { from, to }))) throw new AppError('conflict', refusalOf(before))
    await sql.insertReview(tx, { importId: id, id: newId(), decision, by, at })
    if (decision === 'undone') {
      await removeImported({ accountId: session.accountId, db: tx.db }, id, { userId: session.userId, at })
    }
    // Whose message waits for a consent may have one now, and who was opted out by a file may not be any more.
    await wakeStoreMessages(tx, ['no_consent'], at)
    await scheduleNextLook(tx)
  })
  deps.log.info({ storeId: store.storeId, importId: id, decision }, 'ledger.import-reviewed')
  return viewOf(store, id)
}

function refusalOf({ state, standing }: ImportView): string {
  if (state === 'uploaded') return 'This file was not imported.'
  if (state === 'running') return 'This import is still running. Try again when it has finished.'
  return standing === 'undone' ? 'This import has been undone.' : 'This import has been kept.'
}
