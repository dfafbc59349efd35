import { z } from 'zod'
import type { listNotifications, NotificationView } from '../../../shared/workspace/notification-calls.ts'
import { MAX_IDS_PER_CALL, MAX_NEW_CARTS } from '../../../shared/workspace/notification-calls.ts'
import { listTopicTypes } from '../../../shared/workspace/notification-kinds.ts'
import { getNotificationText, type NotificationType } from '../../../shared/workspace/notifications.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { type Db, describePage, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import { compactMarks } from './compact.ts'
import * as sql from './list-sql.ts'
import * as marks from './marks-sql.ts'

// One member and the notifications of one store: list, read state, deletion (decisions 66 and 67).

interface Reader {
  store: StoreDb<Db>
  userId: string
}

type Query = z.output<typeof listNotifications.query>

export async function listForMember({ store, userId }: Reader, query: Query) {
  const view = await sql.readMemberView(store, userId)
  const { page, limit, filter, search, skipTestNotification, after } = query
  const since = after && isId(after) ? await sql.findPosition(store, view, after) : null
  const without = [...listMutedTypes(view), ...(skipTestNotification ? (['connection_test'] as const) : [])]
  const request = { filter, search, without, after: since, limit, offset: (page - 1) * limit }
  const { rows, total } = await sql.readPage(store, view, request)
  return { notifications: rows.map(presentNotification), pagination: describePage({ page, limit }, total) }
}

export async function listNewCarts({ store, userId }: Reader): Promise<NotificationView[]> {
  const view = await sql.readMemberView(store, userId)
  const request = { filter: 'new-carts' as const, search: '', after: null, limit: MAX_NEW_CARTS }
  const rows = await sql.readNewest(store, view, { ...request, without: listMutedTypes(view) })
  return rows.map(presentNotification)
}

export async function readNotification({ store, userId }: Reader, id: string): Promise<NotificationView> {
  const view = await sql.readMemberView(store, userId)
  const rows = isId(id) ? await sql.readByIds(store, view, [id]) : []
  return presentNotification(requireFound(rows[0], 'Notification'))
}

export async function countUnread({ store, userId }: Reader): Promise<number> {
  const view = await sql.readMemberView(store, userId)
  return sql.countUnread(store, view, listMutedTypes(view))
}

interface Selection {
  ids: readonly string[]
  /** Also everything up to this one. */
  upTo?: string | undefined
}

/** Unknown or foreign ids change nothing. */
export async function markRead({ store, userId }: Reader, { ids, upTo }: Selection, isRead: boolean): Promise<void> {
  await transact(store, async (tx) => {
    const view = await lockMemberView(tx, userId)
    const announcements: string[] = []
    const place = isRead ? await findPosition(tx, view, upTo) : null
    if (place) {
      for (const of of marks.BOTH) await marks.markReadUpTo(tx, view, of, place)
      announcements.push(`read-up-to:${upTo}`)
    } else if (isRead) await compactMarks(tx, view)
    const moved = await marks.markRows(tx, view, ids.filter(isId), { isRead })
    announcements.push(...chunkIds(moved).map((chunk) => `${isRead ? 'read' : 'unread'}:${chunk.join(',')}`))
    await marks.announceOwn(tx, view, announcements)
  })
}

/** Marks everything up to an instant as read. */
export async function markAllRead(tx: StoreTx, userId: string, upTo: Date): Promise<void> {
  const view = await lockMemberView(tx, userId)
  for (const of of marks.BOTH) await marks.markReadUpTo(tx, view, of, upTo)
}

/** Returns the token for an undo; null when nothing was deleted. */
export async function deleteNotifications({ store, userId }: Reader, { ids, upTo }: Selection): Promise<string | null> {
  if (ids.length > MAX_IDS_PER_CALL) {
    throw new AppError('invalid', `At most ${MAX_IDS_PER_CALL} notifications can be deleted at once.`)
  }
  return transact(store, async (tx) => {
    const view = await lockMemberView(tx, userId)
    const place = await findPosition(tx, view, upTo)
    if (place) for (const of of marks.BOTH) await marks.clearUpTo(tx, view, of, place)
    const moved = await marks.markRows(tx, view, ids.filter(isId), { isDeleted: true })
    const announcements = chunkIds(moved).map((chunk) => `delete:${chunk.join(',')}`)
    await marks.announceOwn(tx, view, [...(place ? [`delete-up-to:${upTo}`] : []), ...announcements])
    if (!place && moved.length === 0) return null
    const cleared = place && [place, view.store.clearedUpTo, view.account.clearedUpTo].map((at) => at.getTime())
    return encodeUndo({ ids: moved, cleared })
  })
}

export async function restoreNotifications({ store, userId }: Reader, undo: string): Promise<void> {
  const { ids, cleared } = decodeUndo(undo)
  await transact(store, async (tx) => {
    const view = await lockMemberView(tx, userId)
    if (cleared) {
      const [clearedUpTo, ofStore, ofAccount] = cleared.map((ms) => new Date(ms)) as [Date, Date, Date]
      await marks.restoreBounds(tx, view, { clearedUpTo, store: ofStore, account: ofAccount })
    }
    await marks.markRows(tx, view, ids, { isDeleted: false })
    await marks.announceOwn(tx, view, ['restore:'])
  })
}

/** Bounds and marks depend on each other, so the member's browsers change them one after the other. */
async function lockMemberView(tx: StoreTx, userId: string): Promise<sql.MemberView> {
  await marks.lockMember(tx, userId)
  return sql.readMemberView(tx, userId)
}

const findPosition = (tx: StoreTx, view: sql.MemberView, id: string | undefined) =>
  id !== undefined && isId(id) ? sql.findPosition(tx, view, id) : null

/** Types that the member has switched off. */
export const listMutedTypes = ({ off }: Pick<sql.MemberView, 'off'>): NotificationType[] => off.flatMap(listTopicTypes)

const IDS_IN_AN_ANNOUNCEMENT = 100

const chunkIds = (ids: readonly string[]) =>
  Array.from({ length: Math.ceil(ids.length / IDS_IN_AN_ANNOUNCEMENT) }, (_, n) =>
    ids.slice(n * IDS_IN_AN_ANNOUNCEMENT, (n + 1) * IDS_IN_AN_ANNOUNCEMENT),
  )

const isId = (id: string): boolean => z.guid().safeParse(id).success

/** Contains only what the member may request anyway, so it is not signed. */
const Undo = z.object({
  ids: z.array(z.guid()).max(MAX_IDS_PER_CALL),
  cleared: z.array(z.number().int().min(0).max(8.64e15)).length(3).nullable(),
})
const encodeUndo = (undo: z.infer<typeof Undo>) => Buffer.from(JSON.stringify(undo)).toString('base64url')

function decodeUndo(undo: string): z.infer<typeof Undo> {
  try {
    return Undo.parse(JSON.parse(Buffer.from(undo, 'base64url').toString()))
  } catch (cause) {
    throw new AppError('invalid', 'This deletion can no longer be undone.', { cause })
  }
}

export const presentNotification = (row: sql.ListedNotification): NotificationView => ({
  _id: row.id,
  type: row.type,
  ...getNotificationText({ type: row.type, data: row.data, createdAt: row.created_at }),
  createdAt: row.created_at.toISOString(),
  read: row.is_read,
  zone: row.zone as NotificationView['zone'],
  data: row.data as unknown as NotificationView['data'],
})
