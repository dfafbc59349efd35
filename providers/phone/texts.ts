// Stores texts in both directions, senders and opt-outs on disk.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makePrivate } from '../private-file.ts'

export type Provider = 'twilio' | 'meta'
export type TextStatus = 'queued' | 'sent' | 'delivered' | 'read' | 'failed' | 'received'

/** A business's sender account at its provider. */
export interface Line {
  provider: Provider
  /** Twilio's AccountSid; the id of the WhatsApp phone number. */
  account: string
  /** Token of API requests: auth token or access token. */
  token: string
  /** Key of callback signatures: auth token or app secret. */
  signingSecret: string
  /** Number or name displayed on the phone. */
  sender: string
  /** Webhook for replies. */
  inboundUrl: string | null
}

export interface Text {
  id: number
  provider: Provider
  account: string
  /** The provider's own id: SM…, wamid.… */
  sid: string
  channel: 'sms' | 'whatsapp'
  direction: 'in' | 'out'
  sender: string
  /** The person's number, E.164. */
  phone: string
  body: string
  /** Target of the template's button. */
  url: string | null
  status: TextStatus
  errorCode: number | null
  /** Last reported status, and callback attempts. */
  told: string | null
  tries: number
  callback: string | null
  /** Sender's reference, returned with each status. */
  reference: string | null
  /** 1: free-form text, which WhatsApp delivers only within 24 hours of the person's last message. */
  isFreeText: 0 | 1
  at: string
}

export type NewText = Omit<Text, 'id' | 'told' | 'tries' | 'errorCode'>

export interface Conversation {
  phone: string
  channel: 'sms' | 'whatsapp'
  sender: string
  account: string
  provider: Provider
  lastAt: string
  lastBody: string
  count: number
  unread: number
}

const MAX_TEXTS = 5_000
export const MAX_TRIES = 12

export function openTexts(file: string) {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true })
  makePrivate(file)
  const db = new DatabaseSync(file)
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000;
    CREATE TABLE IF NOT EXISTS texts (
      id INTEGER PRIMARY KEY AUTOINCREMENT, provider TEXT NOT NULL, account TEXT NOT NULL, sid TEXT NOT NULL UNIQUE,
      channel TEXT NOT NULL, direction TEXT NOT NULL, sender TEXT NOT NULL, phone TEXT NOT NULL, body TEXT NOT NULL, url TEXT,
      status TEXT NOT NULL, errorCode INTEGER, told TEXT, tries INTEGER NOT NULL DEFAULT 0, callback TEXT, reference TEXT,
      isFreeText INTEGER NOT NULL, at TEXT NOT NULL, seen INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE INDEX IF NOT EXISTS texts_by_conversation ON texts (phone, channel, sender, id);
    CREATE TABLE IF NOT EXISTS lines (
      provider TEXT NOT NULL, account TEXT NOT NULL, token TEXT NOT NULL, signingSecret TEXT NOT NULL, sender TEXT NOT NULL,
      inboundUrl TEXT, PRIMARY KEY (provider, account)) STRICT;
    CREATE TABLE IF NOT EXISTS opt_outs (account TEXT NOT NULL, phone TEXT NOT NULL, PRIMARY KEY (account, phone)) STRICT;`)
  const selectAll = <Row>(query: string, ...values: (string | number | null)[]) =>
    db.prepare(query).all(...values) as Row[]
  const run = (query: string, ...values: (string | number | null)[]) => db.prepare(query).run(...values)
  const inConversation = 'phone = ? AND channel = ? AND sender = ?'
  return {
    add(text: NewText): Text {
      const columns = Object.keys(text)
      const { lastInsertRowid } = run(
        `INSERT INTO texts (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
        ...(Object.values(text) as (string | number | null)[]),
      )
      run('DELETE FROM texts WHERE id <= ?', Number(lastInsertRowid) - MAX_TEXTS)
      return this.find('id', Number(lastInsertRowid))!
    },
    find: (by: 'id' | 'sid', value: string | number) =>
      selectAll<Text>(`SELECT * FROM texts WHERE ${by} = ?`, value)[0],
    /** Pending texts: with a next state, or an unreported one. */
    listPending: () =>
      selectAll<Text>(
        `SELECT * FROM texts WHERE direction = 'out' AND (status IN ('queued', 'sent')
          OR (callback IS NOT NULL AND told IS NOT status AND tries < ${MAX_TRIES})) ORDER BY id LIMIT 500`,
      ),
    setStatus: (id: number, status: TextStatus, errorCode: number | null = null) =>
      run('UPDATE texts SET status = ?, errorCode = ?, tries = 0 WHERE id = ?', status, errorCode, id),
    recordReported: (id: number, reportedState: string) =>
      run('UPDATE texts SET told = ?, tries = 0 WHERE id = ?', reportedState, id),
    recordAttempt: (id: number) => run('UPDATE texts SET tries = tries + 1 WHERE id = ?', id),
    conversations: () =>
      selectAll<Conversation>(
        `SELECT phone, channel, sender, account, provider, max(at) AS lastAt, count(*) AS count,
          sum(seen = 0 AND direction = 'out') AS unread,
          (SELECT body FROM texts l WHERE l.phone = t.phone AND l.channel = t.channel AND l.sender = t.sender
            ORDER BY id DESC LIMIT 1) AS lastBody
         FROM texts t GROUP BY phone, channel, sender ORDER BY max(id) DESC LIMIT 300`,
      ),
    thread: (phone: string, channel: string, sender: string) =>
      selectAll<Text>(
        `SELECT * FROM (SELECT * FROM texts WHERE ${inConversation} ORDER BY id DESC LIMIT 200) ORDER BY id`,
        phone,
        channel,
        sender,
      ),
    markSeen: (phone: string, channel: string, sender: string) =>
      run(`UPDATE texts SET seen = 1 WHERE ${inConversation} AND seen = 0`, phone, channel, sender),
    /** Time of the person's last message to this sender. */
    lastMessageFrom: (account: string, phone: string): string | null =>
      selectAll<{ at: string | null }>(
        `SELECT max(at) AS at FROM texts WHERE account = ? AND phone = ? AND direction = 'in'`,
        account,
        phone,
      )[0]?.at ?? null,
    removeAll: () => run('DELETE FROM texts'),
    /** Deletes all texts and opt-outs. */
    forget: () => db.exec('DELETE FROM texts; DELETE FROM opt_outs'),
    version: () =>
      selectAll<{ v: string }>(`SELECT coalesce(max(id), 0) || '.' || count(*) || '.' || total(seen) || '.' ||
      total(length(status)) AS v FROM texts`)[0]!.v,
    saveLine: (line: Line) =>
      run(
        `INSERT INTO lines (provider, account, token, signingSecret, sender, inboundUrl) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET token = excluded.token, signingSecret = excluded.signingSecret, sender = excluded.sender,
           inboundUrl = excluded.inboundUrl`,
        line.provider,
        line.account,
        line.token,
        line.signingSecret,
        line.sender,
        line.inboundUrl,
      ),
    line: (provider: Provider, account: string) =>
      selectAll<Line>('SELECT * FROM lines WHERE provider = ? AND account = ?', provider, account)[0],
    setOptedOut(account: string, phone: string, isOut: boolean) {
      const query = isOut
        ? 'INSERT OR IGNORE INTO opt_outs VALUES (?, ?)'
        : 'DELETE FROM opt_outs WHERE account = ? AND phone = ?'
      run(query, account, phone)
    },
    isOptedOut: (account: string, phone: string) =>
      selectAll('SELECT 1 FROM opt_outs WHERE account = ? AND phone = ?', account, phone).length > 0,
    close: () => db.close(),
  }
}
