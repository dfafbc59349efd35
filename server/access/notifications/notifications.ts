import type {
  AccountNotificationType,
  NotificationData,
  NotificationType,
  StoreNotificationType,
} from '../../../shared/workspace/notifications.ts'
import { createId, deriveId } from '../../core/common/public.ts'
import type { AccountDb, Db, StoreDb, Tx } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './sql.ts'

// Notifications to owners. Every row is written here or with `insertNotificationsFrom`. It holds a type and data;
// `shared/workspace/notifications.ts` renders the sentences.

export interface DraftNotification<Type extends NotificationType = NotificationType> {
  id: string
  type: Type
  data: NotificationData[Type]
}

/** For a statement that writes it together with other rows. */
export const draftNotification = <Type extends NotificationType>(
  type: Type,
  data: NotificationData[Type],
): DraftNotification<Type> => ({ id: createId(), type, data })

export function notify<Type extends StoreNotificationType>(
  store: StoreDb,
  { type, data, at }: { type: Type; data: NotificationData[Type]; at: Date },
): Promise<void> {
  return sql.insertNotification(store, draftNotification(type, data), at)
}

/** Creates it once per key. */
export function notifyOnce<Type extends StoreNotificationType>(
  store: StoreDb,
  { type, key, data, at }: { type: Type; key: string; data: NotificationData[Type]; at: Date },
): Promise<void> {
  return sql.insertNotification(store, { id: deriveId(`${store.storeId} ${type} ${key}`), type, data }, at)
}

/** Creates it once per key for all stores of the account. */
export function notifyAccountOnce<Type extends AccountNotificationType>(
  { accountId, db }: AccountDb,
  { at, ...notice }: { type: Type; key: string; data: NotificationData[Type]; at: Date },
): Promise<void> {
  return notifyAccountsOnce(db, [{ accountId, ...notice }], at)
}

export interface AccountNotice<Type extends AccountNotificationType = AccountNotificationType> {
  accountId: string
  type: Type
  key: string
  data: NotificationData[Type]
  /** Skipped when this type already exists for the same key. */
  unless?: AccountNotificationType
}

/** Does the same for many accounts. */
export async function notifyAccountsOnce(db: Db | Tx, notices: readonly AccountNotice[], at: Date): Promise<void> {
  const drafts = notices.map(({ accountId, type, key, data, unless }) => {
    const idFor = (type: AccountNotificationType) => deriveId(`${accountId} ${type} ${key}`)
    return { accountId, id: idFor(type), unlessId: unless ? idFor(unless) : null, type, data }
  })
  if (drafts.length > 0) await sql.insertAccountNotifications(db, drafts, at)
}

/** Creates it once for the account, however many stores it has. */
export function notifyAccount<Type extends AccountNotificationType>(
  { accountId, db }: AccountDb,
  { type, data, at }: { type: Type; data: NotificationData[Type]; at: Date },
): Promise<void> {
  return sql.insertAccountNotifications(db, [{ accountId, unlessId: null, ...draftNotification(type, data) }], at)
}

/** Records that a test message was sent (decision 130). */
export function noteTest(
  deps: Pick<Deps, 'now'>,
  store: StoreDb,
  channel: NotificationData['connection_test']['channel'],
  to: string,
): Promise<void> {
  return notify(store, { type: 'connection_test', data: { test: true, channel, to }, at: deps.now() })
}
