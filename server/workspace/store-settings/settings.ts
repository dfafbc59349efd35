import type { z } from 'zod'
import {
  findSettingProblems,
  formatMinuteOfDay,
  parseMinuteOfDay,
  settingTexts,
} from '../../../shared/access/store-settings.ts'
import type { saveStoreSettings } from '../../../shared/access/stores.ts'
import { normalizeEmail } from '../../../shared/core/contact.ts'
import { assertPlainName } from '../../access/members/public.ts'
import { isDemoAccount, lockStore, readStore, type StoreRow } from '../../access/stores/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import { refreshTimeout } from '../../marketing/flows/public.ts'
import * as sql from './sql.ts'

// Settings of a store: sender (C7) and recovery rules. Several members may edit them, so only named fields change, and
// an edit of an outdated version is rejected.

type SettingsInput = z.output<typeof saveStoreSettings.body>

/** Throws `conflict` if another save happened since `version`. */
export async function saveSettings(store: StoreDb<Db>, input: SettingsInput): Promise<StoreRow> {
  const change = toColumns(input)
  return transact(store, async (tx) => {
    const row = requireFound(await lockStore(tx), 'Store')
    if (input.version !== undefined && input.version !== row.settings_version) {
      throw new AppError('conflict', settingTexts.changedMeanwhile)
    }
    const next = { ...row, ...change }
    checkPairs(next)
    if (next.sender_name !== row.sender_name) {
      assertPlainName(next.sender_name, 'senderName', new URL(row.home_url).hostname)
    }
    if (row.is_demo && (await isDemoAccount({ accountId: row.account_id, db: tx.db }))) assertDemoSender(row, next)
    await assertStaysSendable(tx, next)
    await sql.saveSettings(tx, change)
    if (next.abandonment_timeout_minutes !== row.abandonment_timeout_minutes) await refreshTimeout(tx)
    return requireFound(await readStore(tx), 'Store')
  })
}

function toColumns(input: SettingsInput): Partial<StoreRow> {
  const columns: { [Name in keyof StoreRow]?: StoreRow[Name] | undefined } = {
    sender_name: input.senderName,
    sender_email: input.senderEmail === undefined ? undefined : parseEmail(input.senderEmail),
    postal_address: input.postalAddress,
    abandonment_timeout_minutes: input.abandonmentTimeoutMinutes,
    quiet_from_minute: input.quietFrom === undefined ? undefined : parseMinuteOfDay(input.quietFrom),
    quiet_until_minute: input.quietUntil === undefined ? undefined : parseMinuteOfDay(input.quietUntil),
    cap_messages: input.capMessages,
    cap_window_hours: input.capWindowHours,
    text_cooldown_hours: input.textCooldownHours,
    attribution_window_days: input.attributionWindowDays,
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as Partial<StoreRow>
}

function parseEmail(typed: string | null): string | null {
  if (!typed) return null
  const email = normalizeEmail(typed)
  if (email) return email
  const message = 'This is not an email address'
  throw new AppError('invalid', message, { fields: { senderEmail: message } })
}

/** One field of a pair may be changed alone. */
function checkPairs(row: StoreRow): void {
  const quietFrom = formatMinuteOfDay(row.quiet_from_minute)
  const quietUntil = formatMinuteOfDay(row.quiet_until_minute)
  const message = findSettingProblems({ quietFrom, quietUntil }).quietUntil
  if (message) throw new AppError('invalid', message, { fields: { quietUntil: message } })
}

/** Decision 29. */
function assertDemoSender(row: StoreRow, next: StoreRow): void {
  const isSame =
    next.sender_name === row.sender_name &&
    next.sender_email === row.sender_email &&
    next.postal_address === row.postal_address
  if (!isSame) throw new AppError('forbidden', 'The sender of the demo store cannot be changed.')
}

/** C7: an active flow keeps what its activation required. */
async function assertStaysSendable(tx: StoreTx, next: StoreRow): Promise<void> {
  const missing = [
    ...(next.sender_name === '' ? ['senderName'] : []),
    ...(next.postal_address === '' ? ['postalAddress'] : []),
  ]
  if (missing.length === 0) return
  const flow = await sql.findActiveFlow(tx)
  if (!flow) return
  const message = `The flow "${flow.name}" is on, and emails need the sender name and postal address. Switch it off first.`
  throw new AppError('unprocessable', message, { fields: Object.fromEntries(missing.map((name) => [name, message])) })
}
