import type {
  AccountNotificationType,
  NotificationData,
  NotificationType,
  StoreNotificationType,
} from '../../shared/notifications.ts'
import type { AccountDb, StoreDb } from '../core/db.ts'
import { idOf, newId } from '../core/ids.ts'
import type { Deps } from '../deps.ts'
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
  account: AccountDb,
  { type, key, data, at }: { type: Type; key: string; data: NotificationData[Type]; at: Date },
): Promise<void> {
  return sql.insertAccountNotification(account, { id: idOf(`${account.accountId} ${type} ${key}`), type, data }, at)
}

/** Once, however many stores the account has. */
export function notifyAccount<Type extends AccountNotificationType>(
  account: AccountDb,
  { type, data, at }: { type: Type; data: NotificationData[Type]; at: Date },
): Promise<void> {
  return sql.insertAccountNotification(account, draftNotification(type, data), at)
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
