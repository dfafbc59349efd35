import type { Selectable } from 'kysely'
import type { z } from 'zod'
import {
  type CaptureMode,
  type CaptureModeView,
  type chooseCaptureMode,
  isStoringMore,
} from '../../../shared/shoppers/capture-mode.ts'
import { groundLimits } from '../../../shared/shoppers/consent.ts'
import { findUserById, type Session } from '../../access/members/public.ts'
import { queueWake } from '../../access/plugin/public.ts'
import { readStore } from '../../access/stores/public.ts'
import { AppError, createId, requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import type { CaptureChoicesTable } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import { strictCaptureCountries } from './consent-table.ts'

// The owner's choice of what is kept of shoppers before consent (C9), and its history.

/** Default for a store that sells to these countries; null: to all countries, or unknown. */
export function defaultMode(sellingCountries: readonly string[] | null): CaptureMode {
  const strict = listStrictCountries(sellingCountries)
  return strict === null || strict.length > 0 ? 'cart_only' : 'cart_and_contact'
}

/** null: any strict country may be among them. */
function listStrictCountries(sellingCountries: readonly string[] | null): string[] | null {
  if (!sellingCountries || sellingCountries.length === 0) return null
  return sellingCountries.filter((country) => strictCaptureCountries.has(country)).sort()
}

export async function readMode(store: StoreDb): Promise<CaptureModeView> {
  const row = requireFound(await readStore(store), 'Store')
  const choices = await selectCaptureChoices(store)
  return {
    mode: row.before_consent ?? 'cart_and_contact',
    isChosen: row.before_consent !== null,
    usual: defaultMode(row.selling_countries),
    strictCountries: listStrictCountries(row.selling_countries),
    choices: choices.map((each) => ({
      mode: each.mode,
      legalGround: each.legal_ground,
      at: each.created_at.toISOString(),
      by: each.created_by_name,
    })),
  }
}

/** Time of the owner's last choice; null: never. */
export async function findLastCaptureChoice(store: StoreDb): Promise<Date | null> {
  const [newest] = await selectCaptureChoices(store)
  return newest?.created_at ?? null
}

export async function chooseMode(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now'>,
  session: Session,
  store: StoreDb<Db>,
  { mode, legalGround = '' }: z.output<typeof chooseCaptureMode.body>,
): Promise<CaptureModeView> {
  const row = requireFound(await readStore(store), 'Store')
  const needsGround = isStoringMore(mode, defaultMode(row.selling_countries))
  if (needsGround && legalGround.length < groundLimits.min) {
    const message = `Describe in at least ${groundLimits.min} characters which law or agreement allows it.`
    throw new AppError('unprocessable', message, { fields: { legalGround: message } })
  }
  const user = requireFound(await findUserById(deps.db, session.userId), 'User')
  const by = { userId: user.id, name: user.name || user.email }
  const choice = { id: createId(), mode, legalGround: needsGround ? legalGround : null, now: deps.now(), by }
  await transact(store, (tx) => saveCaptureMode(tx, choice))
  await queueWake(deps, store, 'settings')
  deps.log.info({ storeId: store.storeId, mode }, 'consent.capture-mode-chosen')
  return readMode(store)
}

// SQL for the owner's choice of what is kept before consent.

type CaptureChoiceRow = Selectable<CaptureChoicesTable>

/** Newest first; there are few. */
function selectCaptureChoices({ db, storeId }: StoreDb): Promise<CaptureChoiceRow[]> {
  return db
    .selectFrom('capture_choices')
    .selectAll()
    .where('store_id', '=', storeId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
}

interface NewCaptureChoice {
  id: string
  mode: CaptureMode
  legalGround: string | null
  now: Date
  by: { userId: string; name: string }
}

/** In one transaction, so that the author of a choice is never missing. */
async function saveCaptureMode({ db, storeId }: StoreTx, choice: NewCaptureChoice): Promise<void> {
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
