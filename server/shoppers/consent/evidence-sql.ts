import { type StoreDb, sql } from '../../core/db/public.ts'
import type { LedgerEvidence } from './consent.ts'
import { doesConsentCount } from './fragments.ts'

// SQL for the evidence in the ledger and on a store's overrides (C5, C6).

/**
 * Evidence of each address and channel, by `channel:hash`: the strongest since the person's last opt-out. Imported
 * evidence does not count after an opt-out: only the person's own action reverses that (C5).
 */
export async function selectEvidence(
  { db, storeId }: StoreDb,
  hashes: readonly Buffer[],
  channels: readonly string[],
): Promise<Map<string, LedgerEvidence>> {
  if (hashes.length === 0) return new Map()
  const rows = await sql<LedgerEvidence & { hash: string; channel: string }>`
    with said as (
      select c.* from consents c where c.store_id = ${storeId} and c.channel = any(${[...channels]}::text[])
        and c.address_hash = any(${[...hashes]}::bytea[]) and ${doesConsentCount('c')}),
    no as (
      select distinct on (address_hash, channel) address_hash, channel, at, id from said where status = 'withdrawn'
      order by address_hash, channel, at desc, id desc)
    select distinct on (s.address_hash, s.channel) encode(s.address_hash, 'hex') as hash, s.channel, s.id, s.source,
      to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
      case when s.status <> 'granted' then case when s.status = 'withdrawn' then 'withdrawn' else 'pending' end
        when s.is_confirmed then 'confirmed' else 'express_yes' end as evidence
    from said s left join no on no.address_hash = s.address_hash and no.channel = s.channel
    where no.id is null or s.id = no.id or ((s.at, s.id) > (no.at, no.id) and s.source not like 'import%')
    order by s.address_hash, s.channel,
      case when s.status = 'withdrawn' then 3 when s.is_confirmed then 0 when s.status = 'granted' then 1 else 2 end,
      s.at desc, s.evidence ->> 'unproven' is null desc, s.id desc`.execute(db)
  return new Map(rows.rows.map(({ hash, channel, ...word }) => [`${channel}:${hash}`, word]))
}
