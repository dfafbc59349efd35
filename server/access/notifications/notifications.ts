import type {
  AccountNotificationType,
  NotificationData,
  NotificationType,
  StoreNotificationType,
} from '../../../shared/notifications.ts'
import type { AccountDb, Db, StoreDb, Tx } from '../../core/db/db.ts'
import { idOf, newId } from '../../core/common/ids.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './sql.ts'

// What the owner is told of. Every row is written from here or with `insertNotificationsFrom`; it holds a type and data, and
// `shared/notifications.ts` makes the sentences.

export interface DraftNotification<Type extends NotificationType = NotificationType> {
  id: string
  type: Type
  data: NotificationData[Type]
}

/** For a statement that writes it together with other things. */
export const draftNotification = <Type extends NotificationType>(
  type: Type,
  data: NotificationData[Type],
): DraftNotification<Type> => ({ id: newId(), type, data })

export function notify<Type extends StoreNotificationType>(
  store: StoreDb,
  { type, data, at }: { type: Type; data: NotificationData[Type]; at: Date },
): Promise<void> {
  return sql.insertNotification(store, draftNotification(type, data), at)
}

/** Once for this key, however often it happens. */
export function notifyOnce<Type extends StoreNotificationType>(
  store: StoreDb,
  { type, key, data, at }: { type: Type; key: string; data: NotificationData[Type]; at: Date },
): Promise<void> {
  return sql.insertNotification(store, { id: idOf(`${store.storeId} ${type} ${key}`), type, data }, at)
}

/** Once for this key, however many stores of the account it happens in, and however often. */
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
  /** Not where this type was told for the same key. */
  unless?: AccountNotificationType
}

/** The same of many accounts at once. */
export async function notifyAccountsOnce(db: Db | Tx, notices: readonly AccountNotice[], at: Date): Promise<void> {
  const drafts = notices.map(({ accountId, type, key, data, unless }) => {
    const idFor = (told: AccountNotificationType) => idOf(`${accountId} ${told} ${key}`)
    return { accountId, id: idFor(type), unlessId: unless ? idFor(unless) : null, type, data }
  })
  if (drafts.length > 0) await sql.insertAccountNotifications(db, drafts, at)
}

/** Once, however many stores the account has. */
export function notifyAccount<Type extends AccountNotificationType>(
  { accountId, db }: AccountDb,
  { type, data, at }: { type: Type; data: NotificationData[Type]; at: Date },
): Promise<void> {
  return sql.insertAccountNotifications(db, [{ accountId, unlessId: null, ...draftNotification(type, data) }], at)
}

/** A test message has left (decision 130). */
export function noteTest(
  deps: Deps,
  store: StoreDb,
  channel: NotificationData['connection_test']['channel'],
  to: string,
): Promise<void> {
  return notify(store, { type: 'connection_test', data: { test: true, channel, to }, at: deps.now() })
}
