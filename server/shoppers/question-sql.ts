import { type StoreDb, type StoreTx, sql } from '../db.ts'

// The question that confirms a consent by SMS: SQL and nothing else.

export interface Question {
  addressHash: Buffer
  /** E.164. */
  phone: string
  country: string | null
  createdAt: Date
}

/** Those waiting whose time has come, the oldest first. */
export async function dueQuestions({ db, storeId }: StoreDb, now: Date, limit: number): Promise<Question[]> {
  const rows = await sql<Question>`
    select address_hash as "addressHash", phone, country, created_at as "createdAt" from consent_questions
    where store_id = ${storeId} and channel = 'sms' and state = 'waiting' and due_at <= ${now} and phone is not null
    order by due_at limit ${limit}`.execute(db)
  return rows.rows
}

/** false when somebody else has taken it. */
export async function takeQuestion(
  { db, storeId }: StoreTx,
  { addressHash }: Question,
  { wording, now }: { wording: string; now: Date },
): Promise<boolean> {
  const rows =
    await sql`update consent_questions set state = 'asked', asked_at = ${now}, wording = ${wording}, phone = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'waiting' returning 1`.execute(
      db,
    )
  return rows.rows.length > 0
}

export async function postponeQuestion(
  { db, storeId }: StoreDb,
  { addressHash }: Question,
  until: Date,
): Promise<void> {
  await sql`update consent_questions set due_at = ${until}
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'waiting'`.execute(db)
}

/** It was proven not to have left. */
export async function reopenQuestion(
  { db, storeId }: StoreDb,
  { addressHash, phone }: Question,
  dueAt: Date,
): Promise<void> {
  await sql`update consent_questions set state = 'waiting', asked_at = null, wording = null, phone = ${phone}, due_at = ${dueAt}
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'asked'`.execute(db)
}

/** A YES that came before the provider's proof that it took nothing stays, and answers no question of ours: nobody was asked. */
export async function unaskAnswered({ db, storeId }: StoreDb, { addressHash }: Question, askedAt: Date): Promise<void> {
  await sql`update consent_questions set asked_at = null, wording = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'answered'
      and asked_at = ${askedAt}`.execute(db)
}

/** An answer that came before the provider's own stays. */
export async function closeQuestion(
  { db, storeId }: StoreDb,
  { addressHash }: Question,
  { state, providerId }: { state: 'asked' | 'failed'; providerId: string | null },
): Promise<void> {
  await sql`update consent_questions set state = ${state}, provider_id = ${providerId}, phone = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'asked'`.execute(db)
}

/** It will never be put: not when its time came, or, once taken, proven not to have left. */
export async function dropQuestion(
  { db, storeId }: StoreDb,
  { addressHash }: Question,
  from: 'waiting' | 'asked',
): Promise<void> {
  await sql`update consent_questions set state = 'dropped', asked_at = null, wording = null, phone = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = ${from}`.execute(db)
}
