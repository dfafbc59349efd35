// Received emails on disk. A message is stored before it is acknowledged.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makePrivate } from '../private-file.ts'

export interface MessageSummary {
  id: number
  receivedAt: string
  /** Display form of the From header. */
  from: string
  /** Envelope recipients. */
  to: string[]
  subject: string
  preview: string
  size: number
  isRead: boolean
  hasOneClickUnsubscribe: boolean
}

export interface StoredMessage extends MessageSummary {
  raw: Buffer
  unsubscribe: { at: string; answer: string } | null
}

export type NewMessage = Omit<StoredMessage, 'id' | 'isRead' | 'unsubscribe'>

export interface Filter {
  /** Words that must all occur in sender, recipient, subject or text. */
  search?: string
  to?: string
  /** Only messages older than this one. */
  before?: number
  limit?: number
}

export type Messages = ReturnType<typeof openMessages>

const MAX_MESSAGES = 2_000

export function openMessages(file: string, stored = MAX_MESSAGES) {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true })
  makePrivate(file)
  const db = new DatabaseSync(file)
  // With a write-ahead log committed messages survive kill -9; only a power failure may lose the last ones.
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000;
    CREATE TABLE IF NOT EXISTS messages (
      id INTEGER PRIMARY KEY AUTOINCREMENT, received_at TEXT NOT NULL, sender TEXT NOT NULL, recipients TEXT NOT NULL,
      subject TEXT NOT NULL, preview TEXT NOT NULL, raw BLOB NOT NULL, one_click INTEGER NOT NULL,
      is_read INTEGER NOT NULL DEFAULT 0, unsubscribed_at TEXT, unsubscribe_answer TEXT) STRICT`)
  const insert = db.prepare(
    `INSERT INTO messages (received_at, sender, recipients, subject, preview, raw, one_click) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const prune = db.prepare(
    'DELETE FROM messages WHERE id <= (SELECT id FROM messages ORDER BY id DESC LIMIT 1 OFFSET ?)',
  )
  let changes = 0
  return {
    add(message: NewMessage): number {
      const { receivedAt, from, to, subject, preview, raw, hasOneClickUnsubscribe } = message
      const values = [
        receivedAt,
        from,
        JSON.stringify(to),
        subject,
        preview,
        raw,
        Number(hasOneClickUnsubscribe),
      ] as const
      const id = Number(insert.run(...values).lastInsertRowid)
      prune.run(stored)
      changes += 1
      return id
    },
    list: (filter: Filter) => list(db, filter),
    find: (id: number) => find(db, id),
    counts() {
      const row = db
        .prepare('SELECT count(*) AS total, count(*) FILTER (WHERE is_read = 0) AS unread FROM messages')
        .get()
      return { total: Number(row?.total), unread: Number(row?.unread) }
    },
    /** Changes when displayed data may have changed. */
    version: () => `${process.pid}.${changes}`,
    markRead(id: number) {
      changes += Number(db.prepare('UPDATE messages SET is_read = 1 WHERE id = ? AND is_read = 0').run(id).changes)
    },
    noteUnsubscribe(id: number, at: string, answer: string) {
      db.prepare('UPDATE messages SET unsubscribed_at = ?, unsubscribe_answer = ? WHERE id = ?').run(at, answer, id)
      changes += 1
    },
    remove(id: number): number {
      changes += 1
      return Number(db.prepare('DELETE FROM messages WHERE id = ?').run(id).changes)
    },
    removeAll(): number {
      changes += 1
      return Number(db.prepare('DELETE FROM messages').run().changes)
    },
    close: () => db.close(),
  }
}

const SUMMARY = `id, received_at, sender, recipients, subject, preview, length(raw) AS size, is_read, one_click`

function list(db: DatabaseSync, { search = '', to, before, limit = 100 }: Filter): MessageSummary[] {
  const terms = search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8)
  const conditions = terms.map(
    () => `lower(sender || ' ' || recipients || ' ' || subject || ' ' || preview) LIKE ? ESCAPE '\\'`,
  )
  const values: (string | number)[] = terms.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)
  if (to !== undefined) {
    conditions.push('EXISTS (SELECT 1 FROM json_each(recipients) WHERE lower(value) = ?)')
    values.push(to.toLowerCase())
  }
  if (before !== undefined) {
    conditions.push('id < ?')
    values.push(before)
  }
  const where = conditions.length ? `WHERE ${conditions.join(' AND ')}` : ''
  const rows = db.prepare(`SELECT ${SUMMARY} FROM messages ${where} ORDER BY id DESC LIMIT ?`).all(...values, limit)
  return rows.map(toSummary)
}

function find(db: DatabaseSync, id: number): StoredMessage | null {
  const row = db
    .prepare(`SELECT ${SUMMARY}, raw, unsubscribed_at, unsubscribe_answer FROM messages WHERE id = ?`)
    .get(id)
  if (!row) return null
  const unsubscribe = row.unsubscribed_at
    ? { at: String(row.unsubscribed_at), answer: String(row.unsubscribe_answer) }
    : null
  return { ...toSummary(row), raw: Buffer.from(row.raw as Uint8Array), unsubscribe }
}

function toSummary(row: Record<string, unknown>): MessageSummary {
  return {
    id: Number(row.id),
    receivedAt: String(row.received_at),
    from: String(row.sender),
    to: JSON.parse(String(row.recipients)),
    subject: String(row.subject),
    preview: String(row.preview),
    size: Number(row.size),
    isRead: row.is_read === 1,
    hasOneClickUnsubscribe: row.one_click === 1,
  }
}
