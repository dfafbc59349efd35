import { type StoreDb, sql } from '../../core/db/db.ts'

export interface DocumentFacts {
  accountName: string
  hasOwnMail: boolean
  /** SMS and WhatsApp through the account's own provider accounts. */
  textChannels: string[]
  hasPush: boolean
}

/** Services that receive data of this store's shoppers, according to the account's settings. */
export async function documentFacts({ db, storeId }: StoreDb): Promise<DocumentFacts> {
  const { rows } = await sql<DocumentFacts>`
    select a.name as "accountName",
      exists (select 1 from mail_servers m where m.account_id = a.id) as "hasOwnMail",
      array(select c.channel from channel_credentials c where c.account_id = a.id order by 1) as "textChannels",
      exists (select 1 from push_subscriptions p where p.store_id = s.id) as "hasPush"
    from stores s join accounts a on a.id = s.account_id where s.id = ${storeId}`.execute(db)
  return rows[0]!
}
